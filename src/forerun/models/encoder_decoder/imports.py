"""What programs take by their text: what an empty one does, what importing does, and what they work with.

`imports.json` beside the weights has what importing modules takes, of the best known packages and of Python itself, as
it was measured, and by which factors programs that use some were off. Of what they work with their text tells: arrays
first of all where they use packages (`forerun.tasks._used`), else objects (`forerun.tasks._walked`). Network and trees
do not answer where a Python program uses packages, of which they have read none, nor how much memory one takes without
packages. Of its time both are believed: the text's account alone where the program is longer than what the network
reads or counters see too few rounds for what it does, the middle of both where they see them or it works as long as
nobody can tell, and network and trees alone where a loop does so much at the most that it must end early. Of programs
that are given an input they have read none either: the text alone tells what it is for.

Programs of other languages are gone through as Python would say them (`forerun.tasks._tongues`). Network and trees have
learned from such as work for milliseconds, so they answer alone where one does and holds little; else the text tells
what it holds, and with them how long it works, of which they believe too little of all such programs alike. What does
something nobody knows how often, of which they know as much as the text, is half told.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from forerun.distribution import Distribution
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models._calibrated import LEVEL
from forerun.models._predictor import around
from forerun.models._regression import thinned
from forerun.prompts import Parts, parts
from forerun.tasks._inputs import understood
from forerun.tasks._lines import Used
from forerun.tasks._packages import foreign, modules, optional
from forerun.tasks._several import where
from forerun.tasks._used import used
from forerun.tasks._walked import walked

FILE, PYTHON = "imports.json", "python"
NUMPY, OTHERS, PLAIN = "numpy", "others", "plain"
"""What errs alike: programs that import nothing but NumPy, all others that use packages, and those that use none."""
SHORT, WORKING, GUESSED, BEYOND = "short", "working", "guessed", "beyond"
INPUT, FILES, COUNTED, OTHER = "input", "files", "counted", "other languages"
"""What errs alike of programs without packages: times of those that the network reads all of, of what takes more than
starting does, those that do something nobody knows how often, what is more than anybody waits for, and those that are
given an input, of which network and trees have learned from none; of other languages what their text tells, and of
what it does not, with an input, what counters tell that it does much, each language by itself, and what there is little
to read and to do for."""
_HELD = 2e6
"""Bytes of objects up to which the interpreter is most of what a program takes."""
_STARTING_S, _LEARNED_S, _LONG_S = 0.05, 2.0, 100.0
"""Seconds of work up to which starting is most of it, up to which the network has learned what is what, and of what
loops do at the most from which on they end early."""
_DAY_S, _LONGER_S = 86_400.0, (60.0, 300.0)
"""Seconds beyond which nothing is believed, and from which to which the share grows that the text has of a time in
another language of which nothing is guessed: to all of it, as network and trees have learned from none that long."""
_COLLECTED, _HEAP, _AGAIN = "javascript", 5e8, 12.0
"""The language whose collector goes through all that is held again and again where it is so many bytes, and how many
times as long as told that may take: 4.5 million rows that were split, sorted and put into a set took eight times."""
_WORKS_S = 0.02
"""The same of other languages, most of which start sooner."""
_ROUND_S = 1e-6
"""Seconds of a round of the loops that counters see from which on they do not see the ones that count: a function that
is called for each of a list's numbers. Of 19 short programs none has more; of 47 longer ones that have network and
trees tell a 20th, in the median."""
_BESIDE = {"memory": "what waits to be collected", "runtime": "compiling while it runs"}
"""What stands in no line of a program."""
_FEW = 10
"""Errors from which on they say how much others are off."""
_ELSEWHERE = 0.8
"""Of what an empty program holds or takes, what it does on another machine, with another kernel and C library, at
least: 1.0 instead of 1.22 MB in C, 5.2 instead of 5.9 in Perl, 2.3 instead of 2.6 in Lua; of Python's memory all."""
_NEXT_TO = 0.1
"""Of what an empty program holds, what its objects hold at the most of one that does little."""
_HALF, _MOST = 0.5, 0.75
"""Which share of an answer that both give is the text's, and of a time in another language of which nothing is
guessed."""
_ASKED, _READ, _ROUNDS, _COUNTED = 300.0, 5000.0, 1000.0, 1e6
"""Numbers in an input, its characters, and rounds of loops or elements from which on a program may work for long, and
those from which on it does, as is told."""
_WORKING = {"memory": ("bytes", "rises"), "traced": ("bytes", "rises"), "runtime": ("seconds", "takes")}
"""What of their work adds to which metric, and which lines that is of."""
_ENDS = re.compile("\r\n?|\n")
"""Of lines, as Python counts them."""
_INCLUDED = re.compile(r"^\s*#\s*include\s*[<\"]([^>\"\n]+)", re.MULTILINE)
_OF_C = {f"c{name}" for name in "assert ctype errno float inttypes limits locale math setjmp signal stdarg".split()}
_OF_C |= {f"c{name}" for name in "stdbool stddef stdint stdio stdlib string time wchar wctype".split()}
"""Headers of C under the names that C++ has for them."""
_USED = re.compile(r"^\s*(?:use|require)\s+[A-Za-z]", re.MULTILINE)
_LONG, _SLIGHT = 100, 1e-3
"""Characters of a line that are shown, and which share of the whole is a part of its own."""


@dataclass(frozen=True, slots=True)
class Part:
    """Of what a program takes: so much, in the metric's unit, is of `what`, which stands in a `line` of its text, from
    1, or in none: 0."""

    what: str
    line: int
    value: float


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What a program takes in the middle, of what errs as it does, before anything says by how much."""

    metric: str
    errs: str
    middle: float
    floor: float = 0.0
    """What nothing takes less than; the interval `begins` there or below."""
    begins: bool = False
    sooner: float | None = None
    """Seconds that it takes at the least where loops that take long may end early."""
    again: float = 0.0
    """Times the median that it may take where what it holds is collected again and again."""
    endless: bool = False

    def belief(self, errors: Mapping[str, Mapping[str, Sequence[float]]]) -> Distribution | None:
        """Around the middle by the errors of its kind; None where these are too few."""
        own = errors.get(self.metric, {}).get(self.errs, ())
        if len(own) < _FEW:
            return None
        belief = around(self.middle, np.exp(thinned(np.array(own))).tolist())
        if self.sooner is not None:
            belief = belief.from_least(self.sooner, LEVEL)
        if self.again:
            belief = belief.reaching(self.again * belief.median, LEVEL)
        if self.endless:
            belief = belief.reaching(_DAY_S, LEVEL)
        belief = belief.within(self.floor, math.inf)
        return belief.from_least(self.floor, LEVEL) if self.begins else belief


@dataclass(frozen=True)
class Imports:
    """By metric: what an empty program takes (`start`); what importing a module adds to that (`costs`), of which a part
    is of the modules that it `needs`; and for each kind of program by which factors, as logarithms, programs took more
    than was told (`errors`)."""

    start: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    needs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    errors: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    languages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """What an empty program of another language takes, by language and metric; `perl, bare` without a module."""
    public: Mapping[str, Mapping[str, Sequence[float]]] = field(default_factory=dict)
    """The same as `errors` of public programs, nearly all of which do little: they weigh as much at the most."""
    pace: Mapping[str, float] = field(default_factory=dict)
    """By language: seconds of the machine that times are told of, in one that the account of a text counts, starting
    and importing too, which are another one's."""
    holds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """By what programs in other languages begin as, bytes that such as do `little` hold on the machine that rows are
    of: what half of them do at the most, and what nineteen in twenty do at the least."""

    @cached_property
    def widths(self) -> Mapping[str, Mapping[str, Sequence[float]]]:
        """The errors of each kind, public programs among them."""
        return {
            metric: {name: [*own, *_among(own, self.public.get(metric, {}).get(name, ()))] for name, own in of.items()}
            for metric, of in self.errors.items()
        }

    def unknown(self, prompt: str) -> list[str]:
        """Packages that a program uses and that nothing is known of, whatever its language. Never raises."""
        found = parts(prompt)
        return [name for name in foreign(_language(found), found.text) if name not in self.needs]

    def told(self, metric: str, text: str, given: str = "", language: str = PYTHON, files: str = "") -> float:
        """What a program of this text takes that is `given` such an input, beside such files. Never raises."""
        imported, (whole, _) = sum(self._each(metric, text, language).values()), _WORKING[metric]
        works = float(getattr(working(text, given, language, files), whole)) * self._pace(metric, language)
        return self._start(metric, language, text) + imported + works

    def timed(self, prompt: str) -> bool:
        """Whether it asks for the time of a program without packages. Never raises."""
        found = parts(prompt)
        known = self.start if kind(found) == PLAIN else self.languages.get(_language(found), {})
        return found.head.get("metric") == "runtime" and "runtime" in known

    def guessed(self, prompt: str) -> tuple[int, ...]:
        """Lines of what happens nobody knows how often, where it is `timed`."""
        found = parts(prompt)
        done = _done(found)
        return tuple(sorted(done.guessed)) if self.timed(prompt) else ()

    def parts(self, prompt: str, read: bool, believed: float) -> tuple[Part, ...]:
        """What makes up what is `believed`, as far as its text tells, the largest first; what is slight is
        left out. Where network and trees answer as well, all that the text tells has its share of that."""
        share = self.trust(prompt, read)[1]
        if not share:
            return ()
        found = parts(prompt)
        metric, text, language = found.head["metric"], found.text, _language(found)
        lines = _ENDS.split(text)
        made = [Part("an empty program", 0, self._start(metric, language, text))]
        made += [Part(f"importing {name}", 0, value) for name, value in self._each(metric, text, language).items()]
        rest = "what it ends with" if language == PYTHON else _BESIDE[metric]
        for line, counted in getattr(_done(found), _WORKING[metric][1]).items():
            value = counted * self._pace(metric, language)
            made.append(_part(text, lines, line, value) if line else Part(rest, 0, value))
        whole = sum(one.value for one in made)
        part = believed / whole if share < 1 else 1.0
        shown = (replace(one, value=one.value * part) for one in made if one.value >= _SLIGHT * whole)
        return tuple(sorted(shown, key=lambda one: -one.value))

    def _pace(self, metric: str, language: str) -> float:
        """What is to be multiplied with what the account of a text counts."""
        return self.pace.get(language, 1.0) if metric == "runtime" else 1.0

    def _start(self, metric: str, language: str, text: str) -> float:
        """What an empty program takes that begins as this one does."""
        own, begins = self.start if language == PYTHON else self.languages[language], _begins(language, text)
        if metric == "memory" and begins in self.holds:
            return self.holds[begins][0]
        return self.languages.get(begins, own)[metric] * self._pace(metric, language)

    def little(self, prompt: str) -> str:
        """What a program in another language than Python begins as that holds next to nothing more, by its text; none
        of others. Never raises."""
        found = parts(prompt)
        language = _language(found)
        begins = _begins(language, found.text)
        empty = self.languages.get(begins, self.languages.get(language, {})).get("memory", 0.0)
        done = _done(found) if empty else Used()
        known = done.followed and done.believed and not done.guessed
        return begins if known and done.bytes < _NEXT_TO * empty else ""

    def _each(self, metric: str, text: str, language: str) -> dict[str, float]:
        """What importing takes, module by module."""
        if language != PYTHON:
            return {}
        found, pace = self._imported(self.costs[metric], self._named(text)), self._pace(metric, language)
        return {name: value * pace for name, value in found.items()}

    def _imported(self, costs: Mapping[str, float], names: Collection[str]) -> dict[str, float]:
        """Of the most costly module what importing it takes, and of each other what it shares with none."""
        found, there = dict[str, float](), set[str]()
        for name in sorted(names, key=lambda name: (-costs.get(name, 0.0), name)):
            if name not in there:
                shared = sum(self._imported(costs, there & {*self.needs[name]}).values())
                found[name] = max(costs.get(name, 0.0) - shared, 0.0)
                there |= {name, *self.needs[name]}
        return found

    def middle(self, prompt: str, read: bool, other: float) -> float:
        """What its text tells and what network and trees believe, the `other`, by how much each is trusted."""
        found, share = parts(prompt), self.trust(prompt, read)[1]
        about = found.text, _given(found), _language(found), found.head.get(FILES, "")
        told = self.told(found.head["metric"], *about) if share else 1.0
        return float(told**share * other ** (1 - share))

    def belief(self, prompt: str, read: bool, other: float) -> Distribution | None:
        """Around the `middle`, as wide as such programs were off; None where nothing is known of that. The network has
        `read` all of it or not."""
        return self.reckoned(prompt, read, other).belief(self.widths)

    def reckoned(self, prompt: str, read: bool, other: float) -> Reckoned:
        """The same before it is as wide as that."""
        metric, (errs, share) = parts(prompt).head.get("metric", ""), self.trust(prompt, read)
        made = Reckoned(metric, errs, self.middle(prompt, read, other))
        if not share:
            return made
        found = parts(prompt)
        # Nothing takes less than an empty program, which is another one elsewhere, and whose own time varies.
        language, done = _language(found), _done(found)
        start = self._start(metric, language, found.text)
        if metric == "runtime":
            again = _AGAIN if language == _COLLECTED and done.bytes >= _HEAP else 0.0
            sooner = self._least(found)
            return replace(made, sooner=sooner, again=again, endless=bool(done.endless), floor=start * _ELSEWHERE)
        if metric == "memory" and language != PYTHON:
            _, least = self.holds.get(_begins(language, found.text), (start, start * _ELSEWHERE))
            return replace(made, floor=least, begins=True)
        return replace(made, floor=start)

    def _least(self, found: Parts) -> float | None:
        """Seconds that it takes at the least where loops that take long may end early; None of others."""
        done = _done(found)
        if done.least >= done.seconds or not done.unsure:
            return None
        language, sooner = _language(found), done.least
        return self._start("runtime", language, found.text) + sooner * self._pace("runtime", language)

    def wants(self, prompt: str) -> float | None:
        """Seconds, or bytes, that a program asks for by its text where nothing is guessed and nobody waits for it, or
        has so many; 0 where what looks like much is told to be less; None of others."""
        found = parts(prompt)
        metric, language = found.head.get("metric", ""), _language(found)
        start = self.start if kind(found) == PLAIN else self.languages.get(language, {})
        if metric not in start or metric not in _WORKING:
            return None
        done = _done(found)
        if not done.followed or done.guessed:
            return None
        if metric == "runtime" and not _likely(done):
            return done.seconds * self._pace(metric, language)
        if metric != "runtime" and not done.believed:
            return done.asked
        return 0.0 if done.settled else None

    def unsure(self, prompt: str) -> bool:
        """Whether what is told of a program is only what it may do: a search that takes long may end early, and other
        programs that it starts do what they do."""
        found = parts(prompt)
        return self.timed(prompt) and bool(_done(found).unsure)

    def trust(self, prompt: str, read: bool) -> tuple[str, float]:
        """What errs as this program does, and which share of the answer is its text's, the rest network's and trees':
        all of it of those that use packages of which some are known, of memory without packages, and of what is given
        an input. Of the time of others without packages it depends on whether the network has `read` all of it and
        they do something nobody knows how often; of those in other languages on that alone."""
        found = parts(prompt)
        metric, name = found.head.get("metric", ""), kind(found)
        if not name:
            return self._trust_other(found, metric)
        if metric not in self.start:
            return "", 0.0
        if name != PLAIN:
            return (name, 1.0) if self._named(found.text) else ("", 0.0)
        done = _done(found)
        if not done.followed:
            return "", 0.0
        if INPUT in found.head or done.told:
            works = done.seconds >= _STARTING_S if metric == "runtime" else done.bytes >= _HELD
            told = _likely(done) if metric == "runtime" else done.believed
            return (", ".join([INPUT, *[WORKING] * works]), 1.0) if told else (BEYOND, 0.0)
        if metric != "runtime":
            named = f"{PLAIN}, {WORKING}" if done.bytes >= _HELD else f"{PLAIN}, {GUESSED}" if done.guessed else PLAIN
            return (named, 1.0) if done.believed else (BEYOND, 0.0)
        if not _likely(done):
            return BEYOND, 0.0
        works, guessed = done.seconds >= _STARTING_S, bool(done.guessed)
        known = _known(done) or (works and _uncounted(found, done))
        short = read and not (works and guessed) and done.seconds <= _LEARNED_S and not known
        named = ", ".join([SHORT if short else PLAIN, *[WORKING] * works, *[GUESSED] * guessed])
        return named, _HALF if short or (works and guessed) else 1.0

    def _trust_other(self, found: Parts, metric: str) -> tuple[str, float]:
        """The same of a program in another language."""
        language, given = _language(found), INPUT in found.head
        without = (f"{INPUT}, {_sort(found)}", 0.0) if given else ("", 0.0)
        if metric not in self.languages.get(language, {}):
            return without
        done = _done(found)
        if not done.followed:
            return without
        timed = metric == "runtime"
        if not (_likely(done) if timed else done.believed):
            return BEYOND, 0.0
        early = done.unsure - done.endless  # which holds as much
        guessed = done.guessed if timed else done.guessed - early
        known = _known(done) if timed else done.settled and not guessed
        works = known or (done.seconds >= _WORKS_S if timed else done.bytes >= _HELD)
        named = ", ".join([OTHER, *[WORKING] * works, *[GUESSED] * bool(guessed)])
        if guessed:
            return named, _HALF
        return (named, _share(done) if timed else 1.0) if works else without

    def _named(self, text: str) -> list[str]:
        """The modules that a program names: of packages, else of Python itself."""
        paths = [path.split(".") for path in modules(text)]
        names = {".".join(path[:n]) for path in paths for n in range(1, len(path) + 1)}
        own = not foreign(PYTHON, text)
        return sorted(name for name in names & self.needs.keys() if _of_python(name) == own)

    def save(self, folder: Path) -> None:
        """Writes `imports.json`; removes it where there is nothing to write."""
        if not self.needs:
            (folder / FILE).unlink(missing_ok=True)
            return
        rows = {
            name: {"needs": list(needs)} | {metric: own[name] for metric, own in self.costs.items() if name in own}
            for name, needs in self.needs.items()
        }
        found = {"start": dict(self.start), "languages": self.languages, "pace": dict(self.pace), "modules": rows}
        found |= {"holds": dict(self.holds)} if self.holds else {}
        found |= {"errors": self.errors, "public": self.public}
        write_atomically(folder / FILE, (json.dumps(found, indent=1) + "\n").encode())

    @classmethod
    def load(cls, folder: Path) -> Imports:
        """Reads what `save` wrote; an empty one where there is no such file. Raises InputError."""
        path = folder / FILE
        if not path.is_file():
            return cls()
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            start = {metric: float(value) for metric, value in found["start"].items()}
            languages = {
                name: {metric: float(value) for metric, value in of.items()} for name, of in found["languages"].items()
            }
            needs = {name: tuple(map(str, row["needs"])) for name, row in found["modules"].items()}
            costs = {
                metric: {name: float(row[metric]) for name, row in found["modules"].items() if metric in row}
                for metric in start
            }
            errors, public = (
                {metric: {name: [float(one) for one in own] for name, own in of.items()} for metric, of in each.items()}
                for each in (found["errors"], found.get("public", {}))
            )
            pace = {name: float(value) for name, value in found.get("pace", {}).items()}
            holds = {name: (float(usual), float(least)) for name, (usual, least) in found.get("holds", {}).items()}
            numbers = [*start.values(), *pace.values(), *(x for own in holds.values() for x in own)]
            numbers += [x for own in (*costs.values(), *languages.values()) for x in own.values()]
            unknown = {name for own in needs.values() for name in own} - needs.keys()
            if unknown or not errors.keys() <= start.keys() <= _WORKING.keys():
                raise ValueError(f"it names what it does not have: {', '.join(sorted(unknown)) or 'a metric'}")
            if not all(0 <= x < math.inf for x in numbers):
                raise ValueError("a cost is no number from zero")
            return cls(start, costs, needs, errors, languages, public, pace, holds)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} cannot be read", reason(error), "copy the checkpoint again") from error


def _part(text: str, lines: Sequence[str], line: int, value: float) -> Part:
    """What a line takes, with its place where that is another file than the first."""
    place, shown = where(text, line), lines[line - 1].strip()[:_LONG]
    return Part(shown, line, value) if place == str(line) else Part(f"{place}: {shown}", 0, value)


def _among(own: Sequence[float], public: Sequence[float]) -> Sequence[float]:
    """Errors of public programs, as many as there are others, at the most."""
    return thinned(np.array(public), len(own)).tolist() if own and public else ()


def _begins(language: str, text: str) -> str:
    """The empty program that one begins as: in C++ without its library as C does, in Perl perhaps without a module."""
    if language == "c++":
        return "c++" if any(map(_of_cpp, _INCLUDED.findall(text))) else "c"
    return f"{language}, bare" if language == "perl" and not _USED.search(text) else language


def _of_cpp(header: str) -> bool:
    """Whether the library of C++ has to be there for what this header declares."""
    return header == "bits/stdc++.h" or not (header.endswith(".h") or header in _OF_C)


def _likely(done: Used) -> bool:
    """Whether a program may take so long: what is guessed to take long ends early, nothing takes for ever."""
    return done.seconds <= (_LONG_S if done.guessed else _DAY_S)


def _known(done: Used) -> bool:
    """Whether the text tells what network and trees do not see: that it does less than it looks, by which clock, or
    what stands in no loop."""
    little = done.settled and done.seconds < _STARTING_S
    return not done.guessed and (little or done.clocked + done.hidden >= _HALF * done.seconds > 0)


def _uncounted(found: Parts, done: Used) -> bool:
    """Whether counters see too few rounds, and too few elements, for what its text tells that it does."""
    seen = max(found.counters.get("iterations", math.inf), found.counters.get("elements", 0.0), 1.0)
    return done.seconds >= _ROUND_S * seen


def _share(done: Used) -> float:
    """The text's of a time in another language."""
    (least, most), seconds = _LONGER_S, done.seconds
    if _known(done):
        return 1.0
    return min(_MOST + (1.0 - _MOST) * max(math.log(max(seconds, least) / least) / math.log(most / least), 0.0), 1.0)


def kind(found: Parts) -> str:
    """Of a Python program, else nothing."""
    if _language(found) != PYTHON:
        return ""
    packages = {*foreign(PYTHON, found.text)}
    return PLAIN if not packages else NUMPY if packages == {NUMPY} else OTHERS


def lacks(found: Parts, unknown: Collection[str]) -> bool:
    """Whether a Python program does not do without some of these packages, of which nothing is known."""
    return _language(found) == PYTHON and not optional(found.text).issuperset(unknown)


def _done(found: Parts) -> Used:
    """What a program does by its text."""
    return working(found.text, _given(found), _language(found), found.head.get(FILES, ""))


def working(text: str, given: str, language: str, files: str) -> Used:
    """What a program works with that is given such an input, beside such files."""
    packages = language == PYTHON and foreign(PYTHON, text)
    return used(text, files) if packages else walked(text, given, language, files)


def _given(found: Parts) -> str:
    """What it reads, as `forerun.tasks._inputs` describes it."""
    return found.head.get(INPUT, "").partition(": ")[2]


def _sort(found: Parts) -> str:
    """What errs alike of programs in other languages that are given an input: those of which counters tell that they do
    much, others of a language with enough to read or to do that more may follow from it, and small ones."""
    done = max(found.counters.get("iterations", 0.0), found.counters.get("elements", 0.0))
    if done >= _COUNTED:
        return COUNTED
    try:
        given = understood(_given(found))
    except ValueError:
        return _language(found)
    numbers = [abs(each) for one in given.stretches for each in (one.all.low, one.all.high) if math.isfinite(each)]
    asked = max([*numbers, 0.0]) >= _ASKED or sum(one.lines * (one.length + 1) for one in given.stretches) >= _READ
    return _language(found) if asked or done >= _ROUNDS else SHORT


def _of_python(name: str) -> bool:
    """Whether a module comes with Python."""
    return name.partition(".")[0] in sys.stdlib_module_names


def _language(found: Parts) -> str:
    return found.head.get("language", "").partition(",")[0]
