"""What is added to lists, maps and texts, a piece at a time."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from forerun.tasks._arithmetic import FAR, MOST
from forerun.tasks._contents import Contents
from forerun.tasks._functions import FREED, GIVEN, KEPT, Functions
from forerun.tasks._names import Names
from forerun.tasks._stdin import is_word
from forerun.tasks._texts import ADDING, Texts, doubled
from forerun.tasks._tokens import Text
from forerun.tasks._written import Written

GROWING = frozenset(
    "push append push_back emplace_back add put insert extend unshift WriteString push_str addAll concat emplace set"
    " enqueue offer appendleft array_push heappush malloc calloc merge setdefault or_insert or_default addLast addFirst"
    " offerLast offerFirst addElement computeIfAbsent putIfAbsent push_front emplace_front try_emplace prepend".split()
)
"""What adds to something that grows."""
_UNDER_KEYS = frozenset("put set insert setdefault or_insert or_default".split())
_LISTS = frozenset("python lua".split())
"""Languages in which only lists have an `insert`."""
_SECOND = _UNDER_KEYS | {"array_push", "heappush"}
"""What may be called with what it adds to, or with a key, first."""
_ALONE = frozenset("malloc calloc".split())
_CLASSES = frozenset("class struct record type".split())
_LINKS = frozenset("next nxt prev left right child tail rest cdr link".split())
"""What nodes call those that they lead to."""
_DOUBLING = frozenset(("=@+@", "+=@", "*=2", "=@*2", "=2*@", ".extend(@)", ".concat(@)", "=@.concat(@)"))
_OWNING = frozenset("new make_unique make_shared".split())
"""C++: what makes a thing that something owns."""
_HEADER = 8.0
"""Bytes that an allocator adds to one."""
_VALUE = 40.0
"""Bytes of a thing of its own, at most, in languages whose lists hold things themselves."""
_DOUBLING_TOKENS, _BODY = 12, 400
"""No such statement has more, and no body of a loop that is read."""
SEARCH = 160
"""Tokens of a search that are read, behind its head, and of a function that it asks."""
_ENDS = frozenset(("", ";", "\n", ")", "}", "end"))
"""What stands behind a statement."""


def _copies(words: str) -> str:
    """`@` for copies of it."""
    for copy in ("@[:]", "@.copy()", "list(@)"):
        words = words.replace(copy, "@")
    return words


class Grown(NamedTuple):
    """Something that is added."""

    at: int
    """Where in the text."""
    keys: float
    """How many keys there can be."""
    each: float
    """How many elements of a list one counts for."""
    times: float = 1.0
    """How often, by a loop's word behind it; less than once where the loop around it ends with it."""
    onto: str = ""
    """The name of the text that it is added to, if it is one."""
    lasting: int = KEPT
    """Whether what it is added to is there when the function has ended that it is added in."""


class Growth:
    """What was heard of it so far."""

    def __init__(self, text: Text, names: Names, functions: Functions, contents: Contents, written: Written) -> None:
        self._functions, self._written = functions, written
        self._text, self._tokens, self._names, self._contents = text, text.tokens, names, contents
        self.texts = Texts(text, names)
        self.grown: list[Grown] = []
        """In the order of the text."""
        self._search = 0, MOST
        """Where the loop of a search stands, and how many places it has been at."""
        self._deletes = [i for i, token in enumerate(self._tokens) if token == "delete"]
        self._puts: Counter[str] | None = None
        """At how many places something is put into what has a name."""
        self._bound: dict[str, list[tuple[int, bool]]] = {}
        """Where names are bound, in the order of the text, and whether to a list that is written out; but where a list
        is added to itself."""
        for i, token in enumerate(self._tokens):
            if token in ("=", ":=") and is_word(name := text.bound(i)) and name not in self._tokens[i + 1 : i + 4]:
                self._bound.setdefault(name, []).append((i, self._written_out(i + 1)))
        self._classes = {name for before, name in pairwise(self._tokens) if before in _CLASSES and is_word(name)}

    def hear(self, i: int, latest: float, loop: int) -> None:
        """What is added at `i`, if anything is, where the loop before, whose word stands at `loop`, goes round `latest`
        times."""
        count = len(self.grown)
        self._hear(i, latest)
        if len(self.grown) > count and latest > 1.0 and self._last(i, loop):
            self.grown[-1] = self.grown[-1]._replace(times=1.0 / latest)

    def _last(self, i: int, loop: int) -> bool:
        """Whether the loop that stands there around the statement at `i` ends behind it: `return` or `break` follows in
        the same block."""
        tokens, starts = self._tokens, self._text.starts
        end = next((k for k in range(i, min(i + FAR, len(starts) - 1)) if tokens[k] in (";", "\n")), 0)
        following = end + 1 + (tokens[end + 1] == "\n")
        if not end or not max(i - _BODY, 0) < loop or tokens[following] not in ("return", "break"):
            return False
        if self._text.speech.braces:
            return tokens[loop:i].count("{") > tokens[loop:i].count("}")
        if self._text.speech.language != "python":
            return False
        indented = self._text.indented
        lines = (starts[k + 1] for k in range(loop, i) if tokens[k] == "\n" and tokens[k + 1] != "\n")
        around = indented(starts[loop])
        return indented(starts[i]) == indented(starts[following]) and all(indented(line) > around for line in lines)

    def _hear(self, i: int, latest: float) -> None:
        tokens, token, names, takes = self._tokens, self._tokens[i], self._names, self._text.speech.takes
        if i and tokens[i - 1] == "." and self.texts.written(i):
            return
        if tokens[i + 1] in ADDING and (name := self.texts.grows(i)):
            most = names.bounded.get(name, MOST)
            each = self.texts.added(i, latest)
            names.hold(name, min(latest * each, most))
            self._add(i, most, takes.share(each * takes.written + takes.piece * (most == MOST)), name)
            return
        if token in self._bound and self._doubles(i):
            times = max(latest, 1.0)
            every = doubled(names.counts.get(token, 1.0), times)
            names.hold(token, every)
            self._add(i, MOST, max(every / times * takes.share(takes.filled), 1.0))
            return
        if token in self._classes and self._linked(i):
            self._add(i, MOST, max(takes.share(takes.node), 1.0))
            return
        if token in _OWNING and (size := self._owned(i)):
            self._add(i, MOST, takes.share(size))
            return
        if token == "yield" and self._functions.gathered(i):
            self.grown.append(Grown(self._text.starts[i], MOST, self._added(False, i + 1), lasting=GIVEN))
            return
        grown = (token in GROWING and not self._functions.calls(i)) or token in names.allocating
        if not (grown or token in names.growing or tokens[i + 1] == "["):
            return
        if grows := self._list(i):
            names.hold(grows, min(latest, names.bounded.get(grows, latest)))
        if token in names.growing and (put := self._put(i)):
            keyed = names.growing[token] or tokens[i + 1] == "{" or tokens[i + 1 : i + 3] == ["[", '"']
            self._add(i, self._keys(i + 1), self._added(keyed, put), grows=token)
        elif tokens[i + 1] == "[" and is_word(token) and (held := self._placed(i + 1)) > 1.0:
            self._add(i, MOST, held)
        elif grown:
            alone = token in _ALONE or token in names.allocating
            keyed = token in _UNDER_KEYS and (token != "insert" or self._text.speech.language not in _LISTS)
            start = i + 2 if alone else self._value(i)
            each = self._added(keyed, start, alone, grows, key=i + 2 if start > i + 2 else 0)
            self._add(i, names.bounded.get(grows, MOST), each, grows=FREED if alone else grows)

    def repeated(self, i: int, rounds: float) -> None:
        """What the statement adds that a loop's word at `i` ends: `push @a, $_ for 1 .. 9`."""
        start, depth = i, 0
        while start > max(i - FAR, 0) and depth >= 0:
            start -= 1
            token = self._tokens[start]
            if token in (";", "\n") and not depth:
                break
            depth += (token == "}") - (token == "{")
        for k in range(len(self.grown) - 1, -1, -1):
            if self.grown[k].at < self._text.starts[start]:
                break
            self.grown[k] = self.grown[k]._replace(times=max(rounds, 1.0))

    def fill(self, name: str, count: float) -> None:
        """A loop goes on until a list holds so many; what is put into it at one place only makes no more."""
        self._names.hold(name, count)
        if self._puts is None:
            self._puts = Counter(self._grower(i) for i in range(len(self._tokens) - 4))
        if self._puts[name] == 1:
            self._names.bounded[name] = count

    def search(self, i: int, places: float) -> None:
        """The loop at `i` goes through so many places, and what it keeps is of each of them once."""
        self._search = i, places

    def _add(self, i: int, keys: float, each: float, onto: str = "", grows: str = "") -> None:
        loop, places = self._search
        if loop and i < loop + SEARCH and self._functions.at(loop) == self._functions.at(i):
            keys = min(keys, places)
        lasting = self._functions.lasting(grows, i) if grows else KEPT
        self.grown.append(Grown(self._text.starts[i], keys, each, onto=onto, lasting=lasting))

    def _grower(self, i: int) -> str:
        """The list or text that grows by what is written at `i`; empty where none does."""
        return self.texts.grows(i) or ("" if self.texts.written(i) else self._list(i))

    def _owned(self, i: int) -> float:
        """C++: bytes of a thing of the program's own types that is made there, and not deleted in the same function:
        `new T(…)`, `make_unique<T>(…)`."""
        tokens, takes = self._tokens, self._text.speech.takes
        at = i + 1 + (tokens[i + 1] == "<")
        size = self._text.records.sizes.get(tokens[at], 0.0) if self._text.speech.language == "c++" else 0.0
        if not size or tokens[at + 1] not in ("(", "{", ">", ";", ")"):
            return 0.0
        around = self._functions.span(self._functions.at(i)) or range(len(tokens))
        deleted = bisect_left(self._deletes, around.start) < bisect_left(self._deletes, around.stop)
        return 0.0 if deleted else max(size + _HEADER, takes.node)

    def _list(self, i: int) -> str:
        """The list that grows by what is written at `i`: `a.append(x)`, `push @a, $x`, `a = append(a, x)`, `a[] = x`;
        empty where none does."""
        tokens, token = self._tokens, self._tokens[i]
        if token in GROWING and tokens[i + 1] != "=":
            if tokens[i - 1] == "." and i > 1:
                return tokens[i - 2]
            return tokens[i + 1 + (tokens[i + 1] == "(")]
        return token if token in self._names.growing and self._put(i) else ""

    def _written_out(self, i: int) -> bool:
        """Whether a list is written out there, perhaps several times: `[0, 1]`, `[0] * n`."""
        part = self._text.part
        behind = part(self._text.closing(i) + 1) if part(i) == "[" else "["
        return behind in _ENDS or behind == "*"

    def _doubles(self, i: int) -> bool:
        """Whether the list that is named there is added to itself in a loop since it was bound: `a = a + a`, `a += a`,
        `a *= 2`, `a = 2 * a`, `a.extend(a)`, `a = a.concat(a)`, or to a copy of it, `a += a[:]`."""
        if self._doubling(i) not in _DOUBLING:
            return False
        before = [bound for bound in self._bound[self._tokens[i]] if bound[0] < i]
        return (
            bool(before) and before[-1][1] and not self._text.speech.loops.isdisjoint(self._tokens[before[-1][0] : i])
        )

    def _doubling(self, i: int) -> str:
        """The statement from the name there on, the name and copies of what it names being `@`."""
        if self._text.part(i + 1) not in ("=", "+=", "*=", ".") or self._tokens[i - 1] == "=":
            return ""
        name, behind = self._tokens[i], self._tokens[i + 1 : i + _DOUBLING_TOKENS]
        end = next((k for k, token in enumerate(behind) if token in _ENDS and token != ")"), len(behind))
        return _copies("".join("@" if token == name else token for token in behind[:end]))

    def _linked(self, i: int) -> bool:
        """Whether a node of the class that is named there is made and kept by another: `head = Node(x, head)`,
        `last.next = new Node(x)`."""
        tokens = self._tokens
        if tokens[i + 1] not in ("(", "{"):
            return False
        k = i - 1 - (tokens[i - 1] in ("new", "&"))
        if k < 1 or tokens[k] not in ("=", ":="):
            return False
        if tokens[k - 1] in _LINKS and tokens[k - 2] in (".", ">", "->"):
            return True
        name, end = tokens[k - 1], self._text.closing(i + 1)
        alone = (
            tokens[j - 1] in ("(", "{", ",", ":") and tokens[j + 1] in (",", ")", "}")
            for j in range(i + 2, end)
            if tokens[j] == name
        )
        return is_word(name) and "," in tokens[i + 2 : end] and any(alone)

    def _value(self, i: int) -> int:
        """Where what is added is written by what is called at `i`: `a.append(x)`, `push @a, $x`, `m.put(key, x)`."""
        if self._tokens[i + 1] != "(":
            return i + 2 + (self._tokens[i + 2] == ",")
        places = self._text.places(i + 1) if self._tokens[i] in _SECOND else ()
        return places[1] if len(places) == 2 else i + 2

    def _put(self, i: int) -> int:
        """Where an element is written that is put into something that was empty, if it is: `a[k] = v`, `a[k]++`, Ruby's
        `a << v`; else 0.
        """
        part, following = self._text.part, self._tokens[i + 1]
        if following not in ("[", "{"):
            return i + 2 if following == "<<" else 0
        end = self._text.past(i + 1)
        if part(end) in ("=", "+=", "||") or (part(end), part(end + 1)) in (("+", "+"), (".", "=")):
            return end + 1
        return 0

    def _placed(self, opened: int) -> float:
        """What is put into the place of a list that those brackets name: `rows[i] = new int[n]`."""
        end = self._text.closing(opened) + 1
        return self._contents.told(end + 1)[1] if self._text.part(end) == "=" else 0.0

    def _keys(self, opened: int) -> float:
        """How many keys there can be in the brackets there: of a remainder as many as what it is divided by."""
        inside = range(opened, self._text.closing(opened))
        rests = [self._names.work_out(i + 1) for i in inside if self._tokens[i] == "%"]
        return min((rest for rest in rests if rest > 1.0), default=MOST)

    def _added(self, keyed: bool, i: int, alone: bool = False, onto: str = "", key: int = 0) -> float:
        """How many elements of a list one counts for that is added, and written from `i` on, perhaps behind its `key`,
        or what it is put `onto`."""
        part, takes = self._text.part, self._text.speech.takes
        whole = alone or part(i) in ("[", "{", "new") or (part(i) == "(" and "," in part(i + 2))
        own = self._sized(i) if alone else self._own(i, onto)
        written = 0.0 if alone else self._written.thing(i)
        whole = whole or own + written > 0.0
        # What is put into a list of C's, C++'s or Rust's is in it, elsewhere it is a thing of its own.
        inside = own > 0.0 and not alone and takes.node <= _VALUE
        more = (own if inside else max(written or takes.node, own)) if whole else 0.0
        more = more or (takes.text - takes.listed if self._text.spelt(i) else 0.0)
        listed = max(takes.listed, more) if whole else takes.listed + more
        if keyed and (self._text.spelt(key) if key else self._tokens[i - 1] == "=" and self._named_by_text(i - 2)):
            more += takes.text - takes.listed
        taken = takes.keyed + more if keyed else listed
        taken = max(taken, self.texts.repeated(i))
        return max(takes.share(taken), self._contents.told(i - 1 if alone else i, onto)[1])

    def _sized(self, i: int) -> float:
        """Bytes of the type of the program's own that is asked for behind the parenthesis in front of `i`:
        `malloc(sizeof(T))`, `malloc(sizeof *p)`; 0 where none is."""
        inside, records = self._tokens[i : self._text.closing(i - 1)], self._text.records
        return max((records.sizes.get(word) or records.alone(word) for word in inside), default=0.0)

    def _own(self, i: int, onto: str) -> float:
        """Bytes of what is written from `i` on, or is held by what it is put `onto`, if it is of a type of the
        program's own; 0 otherwise."""
        part, records = self._text.part, self._text.records
        at = i + (part(i) in ("new", "&", "*"))
        name = part(at)
        if part(at + 1) in ("(", "{") and name in records.sizes:
            return records.sizes[name]
        return max(records.alone(name) if part(at + 1) in (")", ",", ";", "\n") else 0.0, records.held(onto))

    def _named_by_text(self, i: int) -> bool:
        """Whether the key is a text that is made, whose bracket ends at `i`."""
        opened = next((k for k in range(i, max(i - 8, -1), -1) if self._tokens[k] in ("[", "{")), i)
        return self._text.spelt(opened + 1, i - opened - 1)
