"""What a plain Python program reads of its input, for `forerun.tasks._walked`: the very lines as far as they are told,
of others how many there are and what they hold."""

from __future__ import annotations

import math
import posixpath
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

from forerun.tasks._figures import ANEW, FEW
from forerun.tasks._inputs import SHOWN, Column, Input, Stretch
from forerun.tasks._objects import MANY, Boxes, Module, Number, Passing, Place, Said, Words, Written, merged, placed
from forerun.tasks._system import System

_CALL_NS = {"readline": 32.0, "input": 340.0, "raw_input": 340.0}
_LINE_NS, _LETTER_NS, _READ_NS = 20.0, 0.42, 1.0
"""Nanoseconds of a call that reads a line, of a line of a loop, of its letters, and of those that are read at once."""
_LINE = _CALL_NS.keys()
_OBJECT_NS, _VALUE_NS = 150.0, 60.0
"""Nanoseconds of an object of JSON, and of a value."""
_INPUT = "input"
"""Of a file in memory that has the input."""
_BUFFERS = 24e3
"""Bytes of the file's buffer, and of what is decoded at once."""
_ENDING = 1.0
"""Characters that end a line."""
_STDIN, _FILE = "sys.stdin", "file:"
"""What the standard input is, and how what is a file begins, as paths of modules."""
_STANDARD = frozenset(("sys.stdin", "sys.stdin.buffer", "sys.stdin.buffer.raw", "sys.__stdin__", "stdin"))
_OPENING = frozenset("open io.open codecs.open os.fdopen".split())
_EVERY = frozenset(("fileinput.input", "fileinput.FileInput"))
"""What goes through files that are named, else through the input."""
Block = tuple[float, float, list[Stretch]]
"""From which line to which, and the stretches that take turns there."""


@dataclass(slots=True)
class _Source:
    """An input, and how far it was read."""

    blocks: list[Block]
    says: Any = None
    blanks: float = 0.0
    read: float = 0.0
    """Lines that have been."""
    turns: int = 0

    @classmethod
    def of(cls, given: Input) -> _Source:
        blocks = list[Block]()
        for one in given.stretches:
            start = blocks[-1][1] if blocks else 0.0
            if one.every > 1 and blocks and len(blocks[-1][2]) < blocks[-1][2][0].every == one.every:
                begun, stop, turns = blocks[-1]
                blocks[-1] = (begun, stop + one.lines, [*turns, one])
            else:
                blocks.append((start, start + one.lines, [one]))
        return cls(blocks, given.says, given.blanks)


class Reading(System):
    """The standard input, and files that are told of."""

    def __init__(self, given: Input) -> None:
        """Of a program that is given this."""
        super().__init__()
        files = {f"{_FILE}{name}": _Source.of(one) for name, one in given.files.items()}
        self._sources = {_STDIN: _Source.of(given)} | files
        self._source = self._sources[_STDIN]
        """What is being read."""
        for each in (given, *given.files.values()):
            self._ahead_of_marks(each)
        self.given = any(one.blocks for one in self._sources.values())
        self.buffers = 0.0
        """Bytes that reading by lines works with."""
        self.to_blank = False
        """Whether what goes through its lines ends at a blank one."""

    def _ahead_of_marks(self, given: Input) -> None:
        """Which share of an input is ahead of a line that parts it."""
        whole, ahead = sum(one.lines * (one.length + 1) for one in given.stretches), 0.0
        widest = max((one.lines * (one.length + 1) for one in given.stretches), default=0.0)
        for n, one in enumerate(given.stretches):
            if one.lines * (one.length + 1) == widest and len(given.stretches) > 1:
                at = (ahead + (widest if n == 0 else 0.0)) / max(whole, 1.0)
                self.shares_ahead.setdefault("\n", at)  # anything else that parts it: where most of it begins
            self.shares_ahead.setdefault(one.first.strip(), ahead / max(whole, 1.0))
            ahead += one.lines * (one.length + 1)

    @property
    def read(self) -> float:
        """Lines that have been."""
        return self._source.read

    @read.setter
    def read(self, lines: float) -> None:
        self._source.read = lines

    @property
    def _blocks(self) -> list[Block]:
        return self._source.blocks

    @_blocks.setter
    def _blocks(self, blocks: list[Block]) -> None:
        self._source.blocks = blocks

    def _turned(self, value: Any) -> bool:
        """Whether it is an input that is told of, which is the one that is being read then."""
        found = self._sources.get(_plain(value.path)) if isinstance(value, Module) else None
        if found is None or not found.blocks:
            return False
        self._source = found
        self.taken = self.taken or found is self._sources[_STDIN]
        return True

    @property
    def _empty(self) -> float | None:
        """Which share of the lines have nothing."""
        return self._source.blanks / self._blocks[-1][1] if self._source.blanks and self._blocks else None

    @property
    def ahead(self) -> float:
        """Lines that are still to come."""
        return max((self._blocks[-1][1] if self._blocks else 0.0) - self.read, 0.0)

    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function of Python's own gives, those that read among them."""
        made = self._reads(function, arguments, options)
        return super().library(function, arguments, options) if made is NotImplemented else made

    def through(self, value: Any) -> tuple[float | None, Any]:
        """How many a loop over it is given, and one of them."""
        if not self._turned(value):
            return super().through(value)
        rest = self.over(value)
        return rest.count, rest.one

    def over(self, value: Any) -> Any:
        """What a loop goes through, as something that is gone through."""
        if self._turned(value):
            blocks, stop = self._blocks, self._blank() if self.to_blank else None
            if stop is not None:
                self._blocks = [(start, min(end, stop), turns) for start, end, turns in blocks if start < stop]
            rest, self._blocks = self._rest(), blocks
            self.read = blocks[-1][1] if stop is None else stop + 1.0
            self.work(
                self.tempo.library * ((rest.count or 0.0) * (_LINE_NS + _LETTER_NS * getattr(rest.one, "length", 0.0)))
            )
            return rest
        return value

    def _blank(self) -> float | None:
        """Lines in front of the next blank one, where that is known."""
        blank = (start for start, _, turns in self._blocks if start > self.read and turns[0].length == 0)
        return next(blank, None)

    def _named(self, path: Any) -> str | None:
        """The file that is told of, of those that are, by a path; None of others."""
        name = path.key if isinstance(path, Place) else path.known if isinstance(path, Written) else None
        name = posixpath.normpath(name or "")
        own = (each.removeprefix(_FILE) for each in self._sources if each != _STDIN)
        return next((one for one in own if name == one or name.endswith(f"/{one}")), None)

    def turn_to(self, path: Any) -> None:
        """A file is opened, if it is told of, that is read from now on wherever the input is."""
        found = self._named(path)
        if found is None:
            return
        self._sources[_STDIN] = self._source = self._sources[f"{_FILE}{found}"]
        self.read, self._source.turns = 0.0, 0
        self.opened.add(found)

    def _file(self, path: Any, modes: Any) -> Module | None:
        """A file that is opened by such a path, if it is told of; None of others, and of what is written here."""
        mode = modes.known if isinstance(modes, Written) and modes.known else "r"
        if not {*"wax"}.isdisjoint(mode) or placed(path) in self.files:
            return None
        found = self._named(path)
        made = Module(f"{_FILE}{found}")
        if not self._turned(made):
            self.untold = True
            return None
        self.read, self._source.turns = 0.0, 0
        self.opened.add(found or "")
        return Module(f"{made.path}.buffer") if "b" in mode else made

    def _reads(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function gives that reads; NotImplemented of others."""
        name, path, first = function.last, function.path, arguments[0] if arguments else None
        if path in _OPENING or path in _EVERY:
            named = any(one.startswith(_FILE) for one in self._sources) and (first is not None or "files" in options)
            if _opens(first) or (path in _EVERY and not named):
                return Module(_STDIN) if self._turned(Module(_STDIN)) else NotImplemented
            modes = arguments[1] if len(arguments) > 1 and path in _OPENING else options.get("mode")
            return self._file(options.get("files", first), modes) or NotImplemented
        if path == "iter" and len(arguments) > 1 and isinstance(first, Module) and first.last in _LINE:
            own = Module(first.path.rpartition(".")[0] or _STDIN)
            return self.over(own) if self._turned(own) else NotImplemented
        if path == "os.read":
            whole = isinstance(first, Number) and first.known == 0 and self._turned(Module(_STDIN))
            return self._whole(True) if whole else NotImplemented
        own = Module(_STDIN if path in ("input", "raw_input") else path.rpartition(".")[0])
        if not self._turned(first if path == "next" else own):
            return NotImplemented
        if name in _LINE or path == "next":
            line = self._next(".buffer" in path)
            self.work(self.tempo.library * (_CALL_NS.get(name, _LINE_NS) + _LETTER_NS * line.length))
            return line
        if name in ("read", "read1"):
            if isinstance(first, Number) and first.value is not None and 0 < first.value < self._letters():
                return self._part(".buffer" in path, first.value)
            return self._whole(".buffer" in path)
        if name == "seek" and isinstance(first, Number) and first.value is not None:
            behind = arguments[1] if len(arguments) > 1 else options.get("whence", 0)
            self._seek(first.value, isinstance(behind, Number) and behind.known == 2)
        if name == "splitlines":
            return self.over(own)
        return self.listed(self.over(own)) if name in ("readlines", "__iter__") else NotImplemented

    def begun(self, one: Any, count: float) -> tuple[Any, ...]:
        """The first words of the input, where so many of these are all of them."""
        words = self._words(0.0) if isinstance(one, (Number, Written)) and self._blocks else None
        if words is None or abs(words.count - count) > 0.05 * words.count:
            return ()
        return words.first if isinstance(one, Written) else tuple(each.numeric or one for each in words.first)

    def of_place(self, own: Place, name: str, arguments: list[Any]) -> Any:
        """A file by its name, which may be that of the input."""
        if name in ("open", "read_text", "read_bytes"):
            modes = arguments[0] if arguments and name == "open" else None
            found = Module(_STDIN) if _opens(Written.like(own.key)) else self._file(own, modes)
            if found is not None and self._turned(found):
                return found if name == "open" else self._whole(name == "read_bytes")
        return super().of_place(own, name, arguments)

    def _of_file(self, own: Boxes, name: str, arguments: list[Any]) -> Any:
        """A file in memory that was given all of the input is read as that is."""
        first = arguments[0] if arguments else None
        if name == "write" and isinstance(first, Written) and first.words is not None and first.pieces is not None:
            self._rewind(own)
        if name == "readline" and own.fields.get(_INPUT):
            return self.library(Module("sys.stdin.readline"), [], {})
        return super()._of_file(own, name, arguments)

    def _lib_io(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        made, first = super()._lib_io(name, arguments, options), arguments[0] if arguments else None
        if isinstance(made, Boxes) and isinstance(first, Written) and first.words is not None:
            self._rewind(made)
        return made

    def _rewind(self, file: Boxes) -> None:
        file.fields[_INPUT] = True
        self.read = 0.0

    def _lib_json(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "load" and self._turned(first):
            first = self._whole(False)
        if name in ("load", "loads") and isinstance(first, Written) and isinstance(first.of, Said):
            return self._made_of(first.of.shape, ())
        return super()._lib_json(name, arguments, options)

    def _made_of(self, shape: Any, path: tuple[str, ...]) -> Any:
        """What JSON gives that looks like this."""
        if isinstance(shape, dict):
            made = self.new("dict", None, ("says", *path))
            for key, one in shape.items():
                self.set_field(made, key, self._made_of(one, (*path, key)))
            self.work(_OBJECT_NS)
            return made
        if shape[0] not in ("list", "mapping"):
            self.work(_VALUE_NS)
            return _value_of(Column(*shape))
        count, inner = float(shape[1]), shape[-1]
        made = self.new(str(shape[0]).replace("mapping", "dict"), None, ("says", *path))
        times, self.times = self.times, self.times * count
        one = self._made_of(inner, (*path, ""))
        self.times = times
        if shape[0] == "list":
            made.put(one, times * count)
        else:
            made.keyed(_value_of(Column(*shape[2])), one, times * count)
        return made

    def _rest(self) -> Passing:
        """All lines that are still to come."""
        found, known, most, main = list[Written](), True, 0.0, None
        for start, stop, turns in self._blocks:
            left = stop - max(start, self.read)
            if left > 0:
                known = known and left == 1 and len(found) < FEW
                if known:
                    found.append(line(turns[0], alone=True))
                if left >= most:
                    most, main = left, reduce(merged, map(line, turns))
        count, self.buffers = self.ahead, _BUFFERS
        if main is not None:
            main = replace(self._mixed(main, self.read, MANY), empty=self._empty)
        return Passing(count, main, tuple(found))

    def _mixed(self, main: Written, read: float, stop: float) -> Written:
        """One of the lines from one to another, with how often all of them begin with which word."""
        found, letters, whole = dict[str, float](), dict[str, float](), 0.0
        for begun, end, turns in self._blocks:
            left = max(min(end, stop) - max(begun, read), 0.0) / len(turns)
            for each in turns if left else ():
                first = each.columns[0] if each.columns else each.all if each.words == 1 else None
                words = each.first.split(each.mark or None)
                alone = {words[0]: 1.0} if words and (each.lines == 1 or (first and first.distinct <= 1)) else None
                shares = (first.shares if first else None) or alone
                if shares is None or main.words is None:
                    return main
                whole += left
                for word, share in shares.items():
                    found[word] = found.get(word, 0.0) + left * share
                    letters[word[:1]] = letters.get(word[:1], 0.0) + left * share
        if not found or main.words is None or not main.words.first:
            return main
        found, letters = ({one: many / whole for one, many in each.items()} for each in (found, letters))
        start, *rest = main.words.first
        start = replace(start, shares=found, distinct=max(start.distinct, float(len(found))))
        return replace(main, words=replace(main.words, first=(start, *rest)), begins=letters)

    def _next(self, raw: bool) -> Written:
        """The line that comes next, or one of so many."""
        times, at = max(self.times, 1e-300), self.read
        self.buffers = _BUFFERS
        block = next((block for block in self._blocks if block[1] - at > 1e-6), None)
        self.read = at + times
        if block is None:
            return Written("", 0.0, 1.0, raw)
        start, _, turns = block
        if at <= start:
            self._source.turns = 0
        one = turns[self._source.turns % len(turns)]
        self._source.turns += 1
        later = [other for begun, _, others in self._blocks if start < begun < at + times for other in others]
        if len(turns) == 1 and later:  # it goes through several
            most = max(each.lines for each in (one, *later))
            main = reduce(_either, (line(each) for each in (one, *later) if each.lines == most))
            return replace(self._mixed(main, at, at + times), raw=raw, empty=self._empty)
        alone = one.lines == 1 or (at == start and times == 1)
        return replace(line(one, alone), raw=raw, empty=None if alone else self._empty)

    def _words(self, read: float) -> Words | None:
        """All that are still to come behind so many lines."""
        count, letters, one, known, whole = 0.0, 0.0, None, list[Written](), True
        for start, stop, turns in self._blocks:
            left = max(stop - max(start, read), 0.0) / len(turns)
            for each in turns if left else ():
                inner = line(each, alone=left == 1).words
                if whole and inner is not None:
                    known += inner.first if left == 1 else ()
                    whole = left == 1 and len(inner.first) == inner.count
                count += left * each.words
                letters += left * each.words * each.all.length
                one = merged(one, word(each.all))
        if one is None:
            return None
        return Words(count, replace(one, length=letters / max(count, 1e-9)), tuple(known[:FEW]))

    def _letters(self) -> float:
        """Characters that are still to come."""
        return sum(
            (stop - max(start, self.read)) / len(turns) * (each.length + _ENDING)
            for start, stop, turns in self._blocks for each in turns if stop > self.read
        )  # fmt: skip

    def _seek(self, letters: float, behind: bool) -> None:
        """What comes next stands behind so many letters, or so far from the end."""
        self.read, stop = 0.0, self._blocks[-1][1]
        whole = max(self._letters(), 1.0)
        self.read = stop * min(max(letters / whole + behind, 0.0), 1.0)

    def _part(self, raw: bool, letters: float) -> Written:
        """So many letters of what is still to come."""
        left = self._letters()
        rest, share = self._rest(), min(letters / max(left, letters), 1.0)
        self.read += self.ahead * min(share * max(self.times, 1e-300), 1.0)
        self.work(self.tempo.library * (_CALL_NS["readline"] + _READ_NS * letters))
        sample = rest.first[0].sample if rest.first else getattr(rest.one, "sample", "")
        return Written(sample, letters, ANEW, raw, pieces=((rest.count or 0.0) * share, rest.one))

    def _whole(self, raw: bool) -> Written:
        """All of it at once."""
        rest, words, read = self._rest(), self._words(self.read), self.read
        turns = [
            (one, (stop - max(start, self.read)) / len(group))
            for start, stop, group in self._blocks for one in group if stop > self.read
        ]  # fmt: skip
        self.read = self._blocks[-1][1]
        length = sum(left * (one.length + _ENDING) for one, left in turns)
        says = self._source.says or (turns[0][0].says if len(turns) == 1 and turns[0][1] == 1 else None)
        of = says and Said(says)
        if len(rest.first) == rest.count and all(one.known is not None for one in rest.first):
            text = "\n".join(one.sample for one in rest.first)
            return replace(Written.like(text), raw=raw, of=of)
        if not raw or self._source is self._sources[_STDIN]:
            self._passing(length)  # as bytes first, or as parts of unknown length
        self.work(self.tempo.library * (_READ_NS * length))
        sample = rest.first[0].sample if rest.first else getattr(rest.one, "sample", "")
        return Written(
            sample,
            length,
            ANEW,
            raw,
            pieces=(rest.count or 0.0, rest.one),
            of=of,
            words=words and replace(words, lines=rest.first, blanks=self._source.blanks, fed=read),
        )


def _opens(path: Any) -> bool:
    """Whether it is the standard input that such a path opens."""
    name = path.known if isinstance(path, (Number, Written)) else None
    return name in (0.0, "/dev/stdin")


def _plain(path: str) -> str:
    """Of an input the name that it has, read as bytes or as text."""
    return _STDIN if path in _STANDARD else path.removesuffix(".buffer")


def word(of: Column) -> Written:
    """One of such words."""
    numeric = not math.isnan(of.low)
    number = Number(of.mean, of.low, of.high, max(of.distinct, 1.0), of.whole, seen=True) if numeric else None
    sample = "x" * min(int(of.length), 40)
    return Written(sample, of.length, max(of.distinct, ANEW), number=number, shares=of.shares)


def _value_of(of: Column) -> Number | Written:
    """One of such values of JSON."""
    one = word(of)
    return one.number or one


def _either(one: Written, other: Written) -> Written:
    """A line that is one or the other."""
    made: Written = merged(one, other)
    ours, theirs = one.words, other.words
    if ours is None or theirs is None:
        return replace(made, words=None)
    both = tuple(map(merged, ours.first, theirs.first))
    alike = both if len(ours.first) == len(theirs.first) == ours.count == theirs.count else ()
    words = replace(ours, count=max(ours.count, theirs.count), one=merged(ours.one, theirs.one), first=alike)
    return replace(made, words=words)


def line(of: Stretch, alone: bool = False) -> Written:
    """One of such lines; the very first, where it is `alone`."""
    says = of.says and Said(of.says)
    if alone:
        known = tuple(Written.like(each) for each in of.first.split(of.mark or None)[: int(of.words) or 1])
        if len(of.first) >= of.length - 1e-6 or (of.lines > 1 and len(of.first) < SHOWN):
            return replace(
                Written.like(of.first), of=says, words=Words(float(len(known)), word(of.all), known, of.mark)
            )
        words = Words(of.words, word(of.all), known[:-1], of.mark)
        return Written(of.first, of.length, ANEW, of=says, words=words)
    columns = tuple(map(word, of.columns))
    if of.mark:  # parts of a line may have words of their own
        parts = of.first.split(of.mark)[: len(columns)]
        spaced = {place: part for place, part in enumerate(parts) if " " in part.strip() and columns[place].length > 40}
        columns = tuple(replace(one, sample=spaced.get(place, one.sample)) for place, one in enumerate(columns))
    words = Words(of.words, word(of.all), columns, of.mark)
    number = word(of.all).number if of.words == 1 else None
    return Written(
        of.first,
        of.length,
        max(of.distinct, ANEW),
        of=says,
        number=number,
        words=words,
        shares=of.all.shares if of.words == 1 else None,
        begins=of.begins,
    )
