"""What methods of containers, texts and files give, for `forerun.tasks._walked`."""

from __future__ import annotations

import ast
import math
import re
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

from forerun.tasks import _searching as searching
from forerun.tasks._figures import (
    ANEW,
    FEW,
    HARDLY,
    WORD,
    WRITTEN_OUT,
    number,
    put_together,
    spelt,
    wide,
    widened,
    worded,
)
from forerun.tasks._objects import (
    MANY,
    Above,
    Boxes,
    Classed,
    Defined,
    Digest,
    Either,
    Layout,
    Match,
    Module,
    Number,
    Passing,
    Pattern,
    Place,
    Words,
    Written,
    among,
    any_where_unknown,
    differing,
    drawn,
    known,
    merged,
    power,
)
from forerun.tasks._rowed import as_word, rowed
from forerun.tasks._speeds import DRAWN, GIVEN, TEXTS, TUPLES, UNKNOWN, nanoseconds, speed
from forerun.tasks._terms import Terms

Options = dict[str, Any]
_THROUGH, _ELEMENT_NS = frozenset("sum min max any all".split()), 0.4
"""What goes through all that it is given, and nanoseconds of each where that is compiled."""
_SEEKING = frozenset("index count remove".split())
"""Methods of lists that look for one of their elements."""
_HALFWAY = 0.5
"""Which share of what is gone through comes before the one that is looked for."""
_PLACE_NS = 0.3
"""Nanoseconds of a place of an array that stands where its name does."""
_CACHE = 2e6
"""Bytes of a file's pages that SQLite keeps."""
_ASKING = {"filter": 1, "filterfalse": 1, "takewhile": 1, "dropwhile": 1, "reduce": 2}
"""Functions that ask the program's own of each element, and how many they give it."""
_PLAIN = frozenset("strip lstrip rstrip lower upper replace title casefold removeprefix removesuffix".split())
"""Methods that give another text."""
_SUBMITTING, _MAPPING = (
    frozenset("submit apply apply_async".split()),
    frozenset("map imap imap_unordered map_async".split()),
)
"""Methods of those who do the program's work in other threads and processes."""
_REOPENED = {
    "number": ("Integer", "Float", "Numeric"), "text": ("String", "Symbol"), "list": ("Array", "Enumerable"),
    "dict": ("Hash", "Enumerable"),
}  # fmt: skip
"""What Ruby calls the classes of what Python has itself."""


class Asking(Terms):
    """Calls of methods."""

    def _of_call(self, node: ast.Call) -> Any:
        function = node.func
        owner = self.value(function.value) if isinstance(function, ast.Attribute) else None
        if isinstance(owner, Boxes) and owner.kind == "dict" and _defaults(node):
            return self._defaulted(owner, node)
        arguments, times = list[Any](), self.times
        ends = searching.search(node)
        over = ends[0].generators[0].iter if ends else None
        seconds, spare, told = self.seconds, self.spare, self.cut_short(ends) if ends else None
        share = told if told is not None else searching.HALFWAY if searching.chooses(over) else None
        if share is not None:
            self.times *= share
        elif self.layout is not None and _searches(node) and isinstance(function, ast.Name) and function.id == "next":
            self.times *= _HALFWAY  # it may be any of them
        spread: tuple[float | None, Any] = (0.0, None)
        for each in node.args:
            if isinstance(each, ast.Starred):
                inner = self.value(each.value)
                short = isinstance(inner, Boxes) and inner.fields and inner.kind in ("tuple", "list", "named")
                short = short and (inner.kind != "list" or len(inner.fields) >= inner.entries)
                count, one = spread = self.through(inner)
                arguments += list(inner.fields.values()) if short else [one] * int(min(max(count or 1.0, 1.0), 20.0))
            else:
                arguments.append(self.value(each))
        self.times = times
        if share is not None and isinstance(whole := arguments[0], Passing) and whole.count is not None:
            arguments[0] = replace(whole, count=whole.count * share)
        options = {each.arg: self.value(each.value) for each in node.keywords if each.arg}
        for named in node.keywords:
            if named.arg is None and isinstance(given := self.value(named.value), Boxes):
                options |= given.fields
        self.spread, before, self.at = spread, self.path, node
        if len(self.path) < 12:
            self.path = (*self.path, id(node))
        try:
            if isinstance(function, ast.Attribute):
                return self.asked(owner, function.attr, arguments, options, node)
            known = self.value(function)
            self.at = node
            if isinstance(known, Module):
                return self.library(known, arguments, options)
            return self.call(known, arguments, options)
        finally:
            self.path = before
            if ends and told is None and searching.matters(over, self.seconds - seconds):
                self.may_spare(node.lineno, seconds, spare)

    @abstractmethod
    def cut_short(self, ends: tuple[ast.GeneratorExp, ast.expr]) -> float | None:
        """Which share of all that it goes through a search does, where that is told."""

    def _defaulted(self, own: Boxes, node: ast.Call) -> Any:
        """`entries.setdefault(key, Entry())` where what is made is made only for keys that are new."""
        name, default = node.args
        key, times, before = self.value(name), self.times, own.entries
        self.worked("setdefault", own, [key], {})
        letters = self.letters[-1] if self.letters and ast.unparse(name) == self.letters[-1].name else None
        often = times * letters.new if letters else times
        own.keyed(any_where_unknown(key), None, often)
        new = often if letters else max(own.entries - before, 0.0) * own.made
        self.times = min(max(new, times * HARDLY), times)
        seconds, share = self.seconds, self.times / times
        made = self.value(default)
        if self.layout is None:  # Python makes one each time
            self.spend((self.seconds - seconds) * (1.0 / share - 1.0))
        self.times = times
        own.one = merged(own.one, own.hold(made, new))
        self.grown = True
        return own.one

    def asked(
        self, owner: Any, name: str, arguments: list[Any], options: dict[str, Any], node: ast.AST | None = None
    ) -> Any:
        """What a method gives."""
        node = node or self.at
        if isinstance(owner, Module):
            if owner.path == "super" or name == "__init__":
                return None
            return self.library(Module(f"{owner.path}.{name}"), arguments, options)
        if isinstance(owner, Classed) and owner.kind == "named" and name == "_make" and arguments:
            given = self.parts(arguments[0], len(owner.named))
            self.at = node
            return self.call(owner, given, {})
        if isinstance(owner, (Defined, Either)) and self.layout is not None and not self.layout.open:
            self.at = node  # an interface of one method calls it so
            return self.call(owner, arguments, options)
        if isinstance(owner, (Boxes, Classed)):
            found = self.attribute(owner, name)
            if isinstance(found, (Defined, Classed, Either)):
                self.at = node
                return self.call(found, arguments, options)
            kept = self.layout is not None and isinstance(found, Boxes)  # a field that is called itself
            if kept and isinstance(self.attribute(found, "__call__"), Defined):
                self.at = node
                return self.call(found, arguments, options)
        if self.layout is not None and isinstance(added := self._reopened(owner, name), Defined):
            self.at = node
            return self.call(added, arguments, options)
        if arguments and isinstance(arguments[0], Defined):  # others do it
            if name in _SUBMITTING:
                return self.call(arguments[0], arguments[1:], options)
            if name in _MAPPING and len(arguments) > 1:
                return self._mapped(arguments[0], arguments[1:])
        self.worked(name, owner, arguments, options)
        if isinstance(owner, Boxes):
            return self._of_box(owner, name, arguments, options, node)
        if isinstance(owner, Written):
            return self._of_text(owner, name, arguments, options)
        if isinstance(owner, Layout):
            return self.library(Module(f"struct.{name}"), [Written.like(owner.text), *arguments], options)
        if isinstance(owner, Place):
            return self.of_place(owner, name, arguments)
        if isinstance(owner, Pattern):
            return self.library(Module(f"re.{name}"), [owner.text, *arguments], options)
        if isinstance(owner, Match):
            if name in ("group", "__getitem__"):
                return self._piece(owner, arguments[0] if arguments else None)
            if name == "groupdict" and owner.parts:
                made = self.new("dict", node)
                for key, place in owner.names.items():
                    self.set_field(made, key, owner.parts[place])
                return made
            if name == "groups" and owner.parts:
                return self.tupled(owner.parts[1:], node)
            return self.listed(Passing(4.0, self._piece(owner)), "tuple")
        if isinstance(owner, Passing) and name == "__next__":
            return self.library(Module("next"), [owner], {})
        if isinstance(owner, Digest):
            return (
                Written("0" * 8, owner.length / (1.0 if name == "hexdigest" else 2.0), owner.distinct)
                if name != "update"
                else None
            )
        if isinstance(owner, Above):
            found = self._of_class(owner.base, name, owner.own)
            return self.call(found, arguments, options) if isinstance(found, Defined) else None
        if isinstance(owner, Number):
            if name in ("isoformat", "strftime", "hexdigest", "to_bytes", "as_tuple"):
                return Written("", 19.0 if owner.usual == "datetime" else 10.0, owner.distinct)
            return owner if owner.usual or name in ("conjugate", "quantize", "limit_denominator") else Number(None)
        return None

    def _reopened(self, owner: Any, name: str) -> Any:
        """What a program itself lets numbers, texts, lists and mappings do: `class Integer`."""
        kind = "number" if isinstance(owner, Number) else "text" if isinstance(owner, Written) else ""
        kind = owner.kind if isinstance(owner, Boxes) else kind
        for each in _REOPENED.get(kind, ()):
            if isinstance(of := self.frames[0].get(each), Classed) and name in {
                one.name for one in of.node.body if isinstance(one, ast.FunctionDef)
            }:
                return self._of_class(of, name, owner)
        return None

    def worked(self, name: str, owner: Any, arguments: list[Any], options: Options) -> None:
        """How long a function or a method of Python's own takes."""
        if isinstance(owner, Digest) and name == "update":  # which takes as long as what makes one of that
            name, owner = owner.name, None
        of = None
        given = arguments if owner is None or name in GIVEN else [owner]
        if name in DRAWN:
            asked = [*arguments[1:], options.get("k")]
            count = next((one.value for one in asked if isinstance(one, Number) and one.value), 0.0)
        else:
            of = next((one for one in reversed(given) if isinstance(one, (Written, Passing)) or _plain(one)), None)
            count = self.length(of) or 0.0
        told, one = speed(name, owner is not None, isinstance(of, Written)), getattr(of, "one", None)
        hard = TUPLES if isinstance(one, Boxes) else TEXTS if isinstance(one, Written) else 1.0
        key = options.get("key")
        keyed = key is not None and not (self.tempo.missed and name in ("min", "max"))  # which a compiler puts inline
        plain = self.tempo.calls.get(name) if not keyed else None
        if plain is not None and name in _THROUGH:
            plain += count * _ELEMENT_NS * self.tempo.node
        if plain is not None and "inside" in options and isinstance(many := arguments[0], Number):
            plain = min(plain, (many.value or 0.0) * _PLACE_NS)  # where its name stands
        if plain is None and told is UNKNOWN:
            plain = self.tempo.unknown
        by = self.tempo.sorting if told.compared else self.tempo.library
        if self.tempo.missed and name == "next" and _searches(self.at):
            plain = self.tempo.followed
        if name in _SEEKING and _plain(owner):
            plain = self.tempo.calls.get(name, told.call)
            self.sought(owner)
        elif name == "insert" and _plain(owner):
            plain = told.call
            self.shifted(owner, arguments[0] if len(arguments) == 2 else None)
        taken = nanoseconds(told, count, keyed, hard) * by if plain is None else plain
        self.work(taken)
        if isinstance(key, Defined):
            self._mapped(key, [Passing(count, one)])
        elif name in _ASKING and len(arguments) > 1 and isinstance(arguments[0], Defined):
            self._mapped(arguments[0], [arguments[1]] * _ASKING[name])

    def _of_box(
        self, own: Boxes, name: str, arguments: list[Any], options: dict[str, Any], node: ast.AST | None
    ) -> Any:
        first = arguments[0] if arguments else None
        if own.kind == "file":
            return self._of_file(own, name, arguments)
        if name in ("append", "add", "appendleft", "insert", "put", "put_nowait", "push"):
            if name == "appendleft":
                self.shifted(own, own)
            self.add(own, arguments[-1] if name == "insert" else first)
            return None
        if name in ("extend", "extendleft", "update", "intersection_update", "fromlist", "frombytes") and arguments:
            if own.kind == "dict":
                self._updated(own, first)
            elif own.kind in ("array", "bytearray") and isinstance(first, Written):
                own.puts += first.length * self.times / (own.each if name == "frombytes" else 1.0)
            else:
                self.extend(own, first)
            return None
        if name in ("pop", "popleft", "popitem", "get_nowait", "remove", "discard") or (
            name == "get" and own.kind == "deque"
        ):
            one = own.fields.get(first.known) if isinstance(first, Written) and first.known else own.one
            if own.kind == "tuple" and isinstance(first, Number) and first.known is not None:
                one = own.fields.get(str(int(first.known)), one)
            if own.kind != "dict" or own.puts:
                ahead = name == "popleft" and self.language != "c++"  # where only those have it that it costs nothing
                if (first is not None and name in ("pop", "discard")) or ahead:
                    self.shifted(own, first if name != "popleft" else own)
                self.less(own)
                one = widened(one, self.reach[-1]) if self.reach and own.kind in ("list", "deque") else one
            return self.tupled([own.key, one], node) if name == "popitem" else one
        if name == "clear":
            own.made += self.times
            return None
        if own.kind == "dict":
            return self._of_mapping(own, name, arguments, node)
        if name in ("items", "values", "keys") and own.kind == "list":  # in other languages they have places for keys
            count, one = self.through(own)
            place = number(0.0, max((count or 1.0) - 1, 0.0), max(count or 1.0, 1.0))
            each = self.tupled([place, one], node) if name == "items" else one if name == "values" else place
            return Passing(count, each)
        if name in ("copy", "union", "intersection", "difference", "symmetric_difference"):
            made = self.new(own.kind, node)
            self.extend(made, own)
            if name in ("union", "symmetric_difference"):
                for each in arguments:
                    self.extend(made, each)
            return made
        if name in ("tolist", "tobytes", "hex"):
            if name == "tolist":
                return self.listed(Passing(own.entries, own.one))
            return Written("", own.entries * own.each, 2.0, raw=name == "tobytes")
        if name == "index" and self.layout is not None and own.kind == "list" and 1 < (many := own.entries) < MANY:
            return Number((many - 1) / 2, 0.0, many - 1, many)
        if name in ("count", "index", "qsize", "bit_length"):
            return Number(None)
        if own.kind == "named" and name == "_replace":
            return own
        if name == "setdefault":
            return first
        return self._of_other(own, name, arguments, options, node)

    def _of_mapping(self, own: Boxes, name: str, arguments: list[Any], node: ast.AST | None) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name in ("items", "values", "keys", "elements"):
            key = own.key if own.key is not None else spelt(own.fields)
            one = among(own.fields, own.one)
            if name == "items" and self.layout is None:
                return self.tuples(own.entries, [key, one])
            return Passing(
                own.entries, self.tupled([key, one], node) if name == "items" else one if name == "values" else key
            )
        if name == "get":
            self.got = (own, first) if len(arguments) == 1 else None
            found = own.fields.get(first.known) if isinstance(first, Written) and first.known else None
            return found if found is not None else own.one if own.one is not None else second
        if name == "setdefault" and len(arguments) > 1:
            before = own.entries
            own.keyed(any_where_unknown(first), None if isinstance(second, Boxes) else second, self.times)
            if isinstance(second, Boxes):  # one is made each time, and kept where the key is new
                new = max(own.entries - before, 0.0) * own.made
                own.link(second, new)
                second.made += new - self.times
                own.one = merged(own.one, second)
            self.grown = True
            return own.one if isinstance(own.one, Boxes) else second
        if name == "most_common":
            few = first.value if isinstance(first, Number) and first.value else own.entries
            return self.listed(Passing(min(few, own.entries), self.tupled([own.key, own.one], node)))
        if name == "copy":
            made = self.new("dict", node)
            made.fields = dict(own.fields)
            self._updated(made, own)
            return made
        if name in ("total", "move_to_end"):
            return Number(None)
        return None

    def _updated(self, own: Boxes, more: Any) -> None:
        """A mapping with what another one has, or with how often things are there."""
        if isinstance(more, Boxes) and more.kind == "dict":
            own.fields |= more.fields
            if more.puts:
                own.keyed(any_where_unknown(more.key), more.one, more.entries * self.times)
            return
        count, one = self.through(more)
        pair = one if isinstance(one, Boxes) and one.kind == "tuple" and len(one.fields) == 2 else None
        if pair is not None and own.makes is None:
            key, value = pair.fields.values()
            own.keyed(any_where_unknown(key), value, (count or 0.0) * self.times)
        elif count:
            own.keyed(any_where_unknown(one), Number(2.0, 0.0, MANY), count * self.times)

    def _of_file(self, own: Boxes, name: str, arguments: list[Any]) -> Any:
        """What is written to a file, or a text in memory, and read of it again."""
        first = arguments[0] if arguments else None
        if name in ("write", "writelines", "writerow", "writerows", "writeheader"):
            count, line = (1.0, first) if name in ("write", "writerow") else self.through(first)
            if isinstance(line, Boxes):
                inner = [*line.fields.values()] or [line.one] * int(min(line.entries, 50))
                sample = ",".join("x" * int(min(wide(each, ""), 100)) for each in inner)
                line = Written(sample, float(len(sample)) + 2, MANY)
            long = line.length if isinstance(line, Written) else 8.0
            own.puts += (count or 1.0) * self.times
            if (count or 1.0) * self.times >= own.fields.get("often", 0.0):
                own.one, own.fields["often"] = line, (count or 1.0) * self.times
            own.spilt += long * (count or 1.0) * self.times * (1.0 if "inside" in own.fields else 0.0)
            own.fields["bytes"] = own.fields.get("bytes", 0.0) + long * (count or 1.0) * self.times
            self.grown = True
            return None
        size = own.fields.get("bytes", 0.0) / max(own.made, 1e-12)
        if name in ("getvalue", "read", "getbuffer"):
            some = first.value if isinstance(first, Number) and first.value else size
            return Written("", min(some, size) if size else some, MANY, "raw" in own.fields, pieces=(own.puts, own.one))
        if name in ("readlines", "splitlines"):
            return self.listed(Passing(own.apiece, own.one))
        if name == "readline":
            return own.one
        return own if name in ("__enter__", "open") else None

    def _of_text(self, own: Written, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name in _PLAIN and own.known is not None and all(isinstance(one, Written) for one in arguments):
            told = [one.known for one in arguments]
            if None not in told and not options:
                return replace(own, **_as(getattr(own.known, name)(*told)))
        if name == "join" and isinstance(first, Boxes) and isinstance(first.text, Written) and not own.length:
            return replace(first.text, distinct=max(first.text.distinct, ANEW), sample="", atom=None)
        if name == "join" and isinstance(first, Boxes) and first.spelt and not own.length:
            pieces = [(often / max(first.made, 1e-12), piece) for often, piece in first.spelt.values() if often > 0]
            return put_together(pieces, any(piece.drawn for _, piece in pieces)) if pieces else own
        if name == "join" and arguments:
            count, one = self.through(first)
            each = one.length if isinstance(one, Written) else WORD
            whole = (count or 1.0) * (each + own.length)
            of_numbers = self.layout is not None and isinstance(one, Number)  # which are letters
            few = differing(any_where_unknown(one)) if of_numbers or isinstance(one, Written) else MANY
            distinct, words = power(few, count or 1.0) if few < MANY else MANY, None
            if isinstance(first, Boxes) and first.fields and len(first.fields) == first.entries:
                words = rowed([*map(as_word, first.fields.values())], own.known or "")
                each_of = [one for one in first.fields.values() if isinstance(one, Written)]
                whole = sum(one.length + own.length for one in each_of)
                distinct = min(math.prod(one.distinct for one in each_of), MANY)
            sample = own.sample.join(
                [one.sample if isinstance(one, Written) else "xxxxxx"] * int(min(count or 1.0, 50))
            )
            return Written(
                sample[:WRITTEN_OUT],
                whole,
                max(distinct, ANEW),
                own.raw,
                pieces=None if words else (count or 1.0, one),
                drawn=drawn(one),
                words=words,
            )
        if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            most = arguments[1] if len(arguments) > 1 else options.get("maxsplit")
            found = self._split(own, name, first, once=isinstance(most, Number) and most.known == 1)
            self.work(self.tempo.piece * (self.length(found) or 0.0))
            return found
        if name in ("encode", "decode"):
            return replace(own, raw=name == "encode", distinct=max(own.distinct, ANEW))
        if name in ("format", "format_map", "substitute", "safe_substitute"):
            given = [*arguments, *options.values()]
            given += [one for each in arguments if isinstance(each, Boxes) for one in each.fields.values()]
            distinct = min(math.prod(differing(any_where_unknown(one)) for one in given), MANY)
            long = sum(one.length if isinstance(one, Written) else 4.0 for one in given)
            return Written(own.sample, own.length + long, max(distinct, ANEW), drawn=any(map(drawn, given)))
        if name in ("find", "index", "rfind", "count"):
            return Number(own.length / 2, -1.0, own.length, own.length)
        if name.startswith("is") or name in ("startswith", "endswith"):
            return Number(0.0, 0.0, 1.0, 2.0)
        if name in ("zfill", "ljust", "rjust", "center") and isinstance(first, Number) and first.value:
            return replace(own, length=max(own.length, first.value), distinct=max(own.distinct, ANEW))
        return own

    def _parted(self, own: Written, words: Words) -> list[Written]:
        """The first word, and all others."""
        start = words.first[0] if words.first else words.one
        left = replace(words, count=max(words.count - 1, 0.0), first=words.first[1:])
        rest = replace(own, length=max(own.length - start.length - 1, 0.0), number=None, words=left, shares=None)
        return [start, replace(rest, sample=own.sample.partition(words.mark or " ")[2], begins=None)]

    def _halves(self, own: Written, words: Words, mark: str) -> list[Written]:
        """Both parts of a line whose words stand before or behind a mark: `name 3: some others`."""
        parts = own.sample.split(mark)
        ahead = len(parts[0].split())
        if len(parts) != 2 or words.mark.strip() or not 0 < ahead <= len(words.first):
            return []
        made = list[Written]()
        for part, first, count in zip(
            parts, (words.first[:ahead], words.first[ahead:]), (ahead, words.count - ahead), strict=True
        ):
            one = reduce(merged, first) if first else words.one
            long = max(count, 0.0) * (one.length + 1)
            distinct = min(math.prod(min(each.distinct, MANY) for each in first) if first else MANY, own.distinct)
            inside = replace(words, count=max(float(count), 0.0), one=one, first=first, fed=None)
            made.append(Written(part, long, max(distinct, ANEW), own.raw, words=inside))
        return made

    def _split_once(self, own: Written, mark: str) -> list[Written]:
        """Both parts of a long text: a first line and what is below it, or as much ahead of a mark as behind it."""
        count, one = own.pieces or (1.0, None)
        line = one if mark == "\n" and isinstance(one, Written) and count > 2 else None
        ahead = 1 / count if line is not None else self.shares_ahead.get(mark.strip(), self.shares_ahead.get("\n", 0.5))
        made = list[Written]()
        for share in (ahead, 1 - ahead):
            words = replace(own.words, count=own.words.count * share, first=()) if own.words is not None else None
            pieces = (max(count * share, 1.0), one) if own.pieces else own.pieces
            long = own.length * share
            made.append(replace(own, length=long, pieces=pieces, words=words, number=None, begins=None))
        return [line or made[0], made[1]]

    def _split(self, own: Written, name: str, by: Any, once: bool = False) -> Any:
        mark = by.known if isinstance(by, Written) else "\n" if name == "splitlines" else None
        if name in ("partition", "rpartition"):
            if own.known is not None and mark:
                return self.tupled([Written.like(each) for each in getattr(own.known, name)(mark)])
            if own.words is not None and mark and _parts_by(mark, own.words.mark) and name == "partition":
                start, rest = self._parted(own, own.words)
                return self.tupled([start, by, rest])
            half = replace(own, length=own.length / 2, sample=own.sample[: len(own.sample) // 2])
            return self.tupled([half, by, half])
        words = own.words
        if own.known is None and words is not None and name == "split" and _parts_by(mark, words.mark):
            if once and words.count > 2:
                parts = self._parted(own, words)
                return self.listed(Passing(2.0, reduce(merged, parts), tuple(parts)))
            made = self.listed(Passing(words.count, words.one, words.first))
            made.fed = words.fed
            return made
        unsure = self.layout is not None and own.known is None and name == "split"
        if unsure and words is not None and mark and (parts := self._halves(own, words, mark)):
            return self.listed(Passing(2.0, reduce(merged, parts), tuple(parts)))
        if own.known is not None:
            found = own.known.split(mark, 1 if once else -1) if name != "splitlines" else own.known.splitlines()
            long = sum(map(len, found)) / max(len(found), 1)
            one = Written(max(found, key=len, default=""), long, float(len({*found})))
            each = tuple(map(Written.like, found)) if len(found) <= FEW else ()
            if each:
                one = replace(one, number=reduce(merged, each).numeric)
            return self.listed(Passing(float(len(found)), one, each))
        if once and self.layout is not None and name == "split" and mark and own.length > WRITTEN_OUT:
            parts = self._split_once(own, mark)
            return self.listed(Passing(2.0, parts[1], tuple(parts)))
        if own.pieces and words is not None and mark == "\n\n" and words.blanks:
            (lines, line), many = own.pieces, words.blanks + 1
            inside = replace(words, count=words.count / many, first=(), lines=(), blanks=0.0)
            one = Written(own.sample, own.length / many, many, own.raw, pieces=(lines / many, line), words=inside)
            return self.listed(Passing(many, one))
        if own.pieces and (own.length > WRITTEN_OUT or mark == "\n"):
            count, one = own.pieces
            if one is not None and own.words is not None and mark == "\n":  # an input's lines
                return self.listed(Passing(count, one, own.words.lines))
            if isinstance(one, Written) and mark is not None and one.sample.count(mark) > 1:
                count *= one.sample.count(mark)
            if mark is None:
                count, one = worded(own)
            known = replace(one, atom=None, distinct=max(one.distinct, ANEW)) if isinstance(one, Written) else None
            return self.listed(Passing(count, known or Written("", WORD, MANY)))
        marks = own.sample.split(mark) if own.sample else [""]
        scale = own.length / max(len(own.sample), 1)
        count = max(len(marks) * (scale if scale > 1.5 else 1.0), 1.0) if own.sample.strip() else own.length / WORD
        long = own.length / max(count, 1.0)
        return self.listed(
            Passing(count, Written("x" * int(min(long, 30)), long, max(own.distinct**0.5, 2.0), drawn=own.drawn))
        )

    def _of_other(
        self, own: Boxes, name: str, arguments: list[Any], options: dict[str, Any], node: ast.AST | None
    ) -> Any:
        """Parsers of arguments, databases, trees of XML."""
        first = arguments[0] if arguments else None
        if own.kind == "config":
            if name in ("read_string", "read_file", "read") and isinstance(first, Written):
                lines = first.pieces[0] if first.pieces else first.length / 25.0
                own.puts += lines * self.times
                own.spilt += 230.0 * lines * self.times
                self.grown = True
            return (
                Passing(own.puts / 9.0, Written("xxxxxxxx", 12.0, MANY))
                if name in ("sections", "options")
                else Written("xxxxxx", 12.0, MANY)
            )
        if name == "add_argument":
            spelt = [one.known for one in arguments if isinstance(one, Written) and one.known]
            if spelt:
                given = options.get("default", Number.of(0.0, True) if "action" in options else None)
                own.fields[max(spelt, key=len).lstrip("-").replace("-", "_")] = given
            return own
        if name in ("parse_args", "add_argument_group", "add_subparsers", "add_parser", "cursor", "connect"):
            return own
        if name in ("execute", "executemany", "executescript"):
            text = first.known if isinstance(first, Written) else None
            if text and re.search(r"(?i)\binsert\b|\breplace\b", text):
                count, row = self.through(arguments[1]) if name == "executemany" and len(arguments) > 1 else (1.0, None)
                row = row if row is not None else arguments[1] if len(arguments) > 1 else None
                cells = list(row.fields.values()) if isinstance(row, Boxes) else []
                size = 12.0 + sum(one.length + 1 if isinstance(one, Written) else 6.0 for one in cells)
                own.puts += (count or 0.0) * self.times
                own.spilt += (count or 0.0) * self.times * size
                if "memory" not in own.fields:
                    own.spilt = min(own.spilt, _CACHE)
                self.grown = True
            return own
        if name in ("fetchall", "fetchmany"):
            row = self.tupled([None, Number(1e6, -MANY, MANY), Number(0.5, whole=False)], node)
            return self.listed(Passing(min(own.puts, 1000.0), row))
        if name == "fetchone":
            return self.tupled([Number(None)], node)
        if name in ("iter", "iterfind", "findall", "find", "getroot") and own.kind == "element":
            inner = max(
                (link for link in own.links.values() if link[0].kind == "element"),
                key=lambda link: link[1],
                default=None,
            )
            if inner is None or name in ("find", "getroot"):
                return own if inner is None or name == "getroot" else inner[0]
            found = Passing(inner[1] / max(own.made, 1e-12), inner[0])
            return self.listed(found) if name == "findall" else found
        if own.kind == "element":
            return Written("xxxxxx", 8.0, MANY)
        if name == "submit" and arguments:
            return self.call(first, arguments[1:], options)
        if name == "map" and len(arguments) > 1:
            return self._mapped(first, arguments[1:])
        if name == "result":
            return own
        return own if name in ("__enter__",) else None

    def _mapped(self, function: Any, over: Sequence[Any]) -> Any:
        pairs = [self.through(one) for one in over]
        count = min((count for count, _ in pairs if count is not None), default=None)
        times, self.times = self.times, self.times * (count or 1.0)
        one = (
            self.library(function, [one for _, one in pairs], {})
            if isinstance(function, Module)
            else self.call(function, [one for _, one in pairs], {})
        )
        self.times = times
        first = tuple[Any, ...]()
        if isinstance(function, Module) and len(over) == 1 and (each := known(over[0])) and len(each) <= FEW:
            with self.hardly():  # they are counted
                first = tuple(self.library(function, [value], {}) for value in each.values())
            if len(first) == count:
                one = reduce(merged, first)
        fed = getattr(over[0], "fed", None) if isinstance(function, Module) and len(over) == 1 else None
        return Passing(count, one, first, often=times, fed=fed)


def _defaults(node: ast.Call) -> bool:
    """`entries.setdefault(key, Entry())`."""
    makes = len(node.args) > 1 and isinstance(node.args[1], (ast.Call, ast.List, ast.Dict))
    return makes and isinstance(node.func, ast.Attribute) and node.func.attr == "setdefault"


def _searches(node: ast.AST | None) -> bool:
    """`next(x for x in rows if x > 3)`."""
    return isinstance(node, ast.Call) and bool(node.args) and isinstance(node.args[0], ast.GeneratorExp)


def _as(text: str) -> dict[str, Any]:
    return {"sample": text, "length": float(len(text))}


def _parts_by(mark: str | None, own: str) -> bool:
    """Whether a text whose words have this mark between them is parted into words by another: nothing for spaces."""
    return own in ("", "\t") if mark is None else own == ("" if mark == " " else mark)


def _plain(value: Any) -> bool:
    """Whether something is a container of Python's own, which knows how many it has."""
    return isinstance(value, Boxes) and value.kind not in ("object", "slots", "file")
