"""What programs of other languages do that Python has no word for, for `forerun.tasks._walked`: their translations
(`forerun.tasks._tongues`) call it `_tongue`."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import Any

from forerun.tasks._figures import HARDLY, number
from forerun.tasks._inputs import Input, Stretch
from forerun.tasks._objects import MANY, Boxes, Defined, Module, Number, Passing, Written, known, merged
from forerun.tasks._reading import Reading, line, word

_PLACE = re.compile(r"%\d*(?:l{0,2}|h|z)[a-z]|%\d*\\?\[\^?[^]]*\]")
"""Of a format of C."""
_WITHIN = 1.1
"""How many times as many words as there are of lines that are alike still are of these."""
_FILLED_NS, _COPIED_NS, _MEASURED_NS = 0.05, 0.1, 0.007
"""Nanoseconds of a byte that is set, of one that is copied, and of one of a text whose end is looked for."""


class Foreign(Reading):
    """Functions of the module `_tongue`."""

    def __init__(self, given: Input) -> None:
        super().__init__(given)
        self._feed: Passing | None = None
        """The words of the input that are asked for one by one."""
        self._fed = 0.0
        """Lines that had been when they were first asked for."""
        self._place = 0
        """Of the next word in its line."""
        self._spelt: Passing | None = None

    def turn_to(self, path: Any) -> None:
        super().turn_to(path)
        self._feed, self._fed, self._place, self._spelt = None, 0.0, 0, None

    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        """What a function of Python's own gives; the words of the input are given by where they stand in it."""
        first = arguments[0] if arguments else None
        if function.path == "next" and isinstance(first, Passing) and first.fed is not None:
            self.worked("next", None, arguments[1:], options)
            at = first.gone[0]
            first.next(self.times)
            found = self._word_at(at, self.times <= first.often * (1 + 1e-9), first.fed)
            numeric = found.numeric if isinstance(first.one, Number) and isinstance(found, Written) else None
            return numeric or (found if isinstance(first.one, Written) else first.one)
        return super().library(function, arguments, options)

    def _lib__tongue(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second, third = (*arguments, None, None, None)[:3]
        if name == "filled":
            return self._array_of(first, second, third, "inside" in options)
        if name == "builder":
            made = self.new("list")
            made.spelt, made.each = made.spelt or {}, 0.0
            return made
        if name == "place":
            made = self.new("list")
            made.flat, made.inside, made.each, made.fields = True, True, 0.0, {"0": first}
            return made
        if name == "resized":
            return self._resized(first, second, third)
        if name == "fill":
            if isinstance(first, Boxes) and isinstance(third, Number):
                first.start = third
            self.work(_many(second) * _FILLED_NS)
            return first
        if name == "copy":
            self.work(_many(arguments[-1] if arguments else None) * _COPIED_NS)
            return first
        if name == "permuted":
            return number(0.0, 1.0, 2.0)
        if name in ("joined", "measured") and isinstance(first, Boxes):
            self._measured(first, second if name == "joined" else None)
            return first
        if name == "passed":
            return self._passed(first)
        if name == "word":
            if isinstance(first, Written) and first.known:
                self._without(first.known)
            return self._word()
        if name == "letter":
            return self._letter()
        if name == "scanned":
            return self._scanned(first, second)
        return None

    def _measured(self, box: Boxes, more: Any) -> None:
        """C goes through a text to find its end, one that it joins another one to so often, too."""
        long = box.entries
        if more is not None:
            each = more.length if isinstance(more, Written) else 1.0
            long = min(self.times / max(box.made, 1e-12) * each, long) / 2
            self.work(each * _COPIED_NS)
        self.work(long * _MEASURED_NS)

    def _passed(self, box: Any) -> Any:
        """What is found in a text one after the other, as it is asked for: nobody holds all of it."""
        if not isinstance(box, Boxes) or box not in self.flight:
            return box
        count, one = self.through(box)
        left = max(1.0 - self.times / max(box.made, 1e-12), 0.0)
        box.made, box.puts, box.given = (many * left for many in (box.made, box.puts, box.given))
        for link in box.links.values():
            link[1] *= left
        self.flight.remove(box)
        first = tuple(known(box).values())
        return Passing(count, replace(one, atom=None) if isinstance(one, (Number, Written)) else one, first)

    def _array_of(self, count: Any, value: Any, each: Any, inside: bool) -> Boxes:
        """An array of so many, each of so many bytes."""
        made = self.new("list")
        made.flat, made.inside = True, inside
        made.each = each.known if isinstance(each, Number) and each.known else 8.0
        many = max(count.value, 0.0) if isinstance(count, Number) and count.value is not None else 0.0
        made.put(value, many * self.times)
        made.start = value
        self.work(many * made.each * _FILLED_NS)
        return made

    def _resized(self, box: Any, count: Any, value: Any) -> Any:
        """A list that has so many from now on, however often it is told so; what is added is as a function gives it."""
        if not (isinstance(box, Boxes) and isinstance(count, Number) and count.value is not None):
            return box
        most = count.high if box.made <= 1 and count.high < MANY else count.value
        more, times = max(most * box.made - box.puts, 0.0), self.times
        self.times = max(more, times * HARDLY)
        one = self.call(value, [], {}) if isinstance(value, Defined) else value
        box.put(one, more)
        box.top = -MANY  # it does not go on growing as it did in the first round
        self.work(_FILLED_NS * box.each)
        self.times, self.grown = times, True
        return box

    def _without(self, mark: str) -> None:
        """Lines that begin with this are passed over."""
        if not any(start >= self.read and _begins(turns[0], mark) for start, _, turns in self._blocks):
            return
        left, gone = list[tuple[float, float, list[Stretch]]](), 0.0
        for start, stop, turns in self._blocks:
            if start >= self.read and _begins(turns[0], mark):
                gone += stop - start
            else:
                left.append((start - gone, stop - gone, turns))
        self._blocks = left

    def _word(self) -> Any:
        """The word that comes next, or one of so many."""
        if self._feed is None or self._fed != self.read:
            words = self._words(self.read)
            if words is None:
                return None
            self.taken = True
            self._feed, self._fed = Passing(words.count, words.one, words.first), self.read
            self.streams.append(self._feed)
        at = self._feed.gone[0]
        self._feed.next(self.times)
        return self._word_at(at, self.times <= 1 + 1e-9, self._fed) or self._feed.one

    def _word_at(self, at: float, alone: bool, fed: float) -> Any:
        """The word behind so many, or one of so many; None where nobody knows."""
        left, found = self.times, None
        for start, stop, turns in self._blocks:
            begun = max(start, fed)
            each = max(sum(one.words for one in turns) / len(turns), 1e-9)
            many = max(stop - begun, 0.0) * each
            if at >= many - 1e-6:
                at -= many
                continue
            turn = turns[int(at / each) % len(turns)]
            if alone:
                words = line(turn, alone=True).words
                self._place = int(at) % max(round(each), 1)
                if at < each * len(turns) and begun == start and words is not None and self._place < len(words.first):
                    self._place += 1
                    return words.first[self._place - 1]
            whole = left <= (many - at) * _WITHIN
            columns, place = turn.columns, self._place % max(round(each), 1)
            if found is None:
                self._place += 1
            if whole and found is None and len(columns) == turn.words and place < len(columns):
                return word(columns[place])
            found = merged(found, word(turn.all))
            left -= many - at
            if alone or left <= 0:
                break
            at = 0.0
        return found

    def _letter(self) -> Any:
        """The character that comes next."""
        if self._spelt is None:
            length = self._letters()
            self.taken = self.taken or length > 0
            self._spelt = self.stream(
                Passing(length, Number(64.0, 0.0, 127.0, 64.0), (Number(64.0, 0.0, 127.0, 64.0),))
            )
        return self._spelt.next(self.times)

    def _scanned(self, text: Any, form: Any) -> Passing:
        """What stands in a text in places that a format of C names."""
        if not (isinstance(text, Written) and isinstance(form, Written) and form.known is not None):
            return Passing(None, Number(None))
        pattern = _PLACE.sub(lambda at: r"\s*([-+\w.]+)", re.sub(r"[\\.^$*+?{}|()]", r"\\\g<0>", form.known))
        found = re.match(re.sub(r"\s+", r"\\s*", pattern), text.known) if text.known is not None else None
        if found is not None:
            each = tuple(map(Written.like, found.groups()))
            return self.stream(Passing(float(len(each)), each[0] if each else None, each))
        if text.words is not None:
            return self.stream(Passing(text.words.count, text.words.one, text.words.first))
        return Passing(None, text)

    def _lines(self, read: float, words: float) -> float:
        """Lines that have been when so many words are behind these."""
        for start, stop, turns in self._blocks:
            left, each = max(stop - max(start, read), 0.0), sum(one.words for one in turns) / len(turns)
            if words <= left * each:
                return max(start, read) + math.ceil(words / max(each, 1e-9))
            words -= left * each
        return self._blocks[-1][1] if self._blocks else 0.0

    def _next(self, raw: bool) -> Written:
        """The line that comes next, behind the words that have been."""
        if self._feed is not None and self._feed.gone[0] > 0:
            self.read, self._feed = max(self.read, self._lines(self._fed, self._feed.gone[0])), None
        return super()._next(raw)


def _many(value: Any) -> float:
    """So many, if that is known."""
    return value.value if isinstance(value, Number) and value.value else 0.0


def _begins(of: Stretch, mark: str) -> bool:
    """Whether these lines begin so, as far as that is told."""
    return of.first.startswith(mark) and (of.lines <= 2 or (of.begins or {}).get(mark, 0.0) > 0.99)
