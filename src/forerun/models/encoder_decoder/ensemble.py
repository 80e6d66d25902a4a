"""Boosted trees beside the network: they count what it reads, and err elsewhere.

Both give a distribution, and the answer lies between them: each quantile, in logarithms, by a share of the way from the
network's to the trees' (Vincent 1912; Ratcliff 1979). The share of each metric, and of each language, is what is best
on rows that neither has learned from (stacked regressions, Breiman 1996), leaning on what the errors of each alone say,
which is hard to beat where rows are few (Bates and Granger 1969; Smith and Wallis 2009). Where all rows together are
few the trees then grow anew, from these, too. Where sizes in a text say what a program takes the trees answer alone:
held-out rows gave them the whole share; and where a program reads an input or runs where nothing was measured, and
where far more work is counted than in any row: there the network, which has hardly read of either, answers anything.
The trees count the prompt's counters and words; where all is C or C++, as what is compiled, the syntax of the lines
that a compiler reads.

Logarithms are of positive numbers: where a quantile is not, what the network believes is moved as a whole, and where a
median is not, it answers alone, as of differences it mostly does.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from forerun.distribution import Distribution
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models._features import COMPILED, COMPILED_LANGUAGES, WORDS
from forerun.models._pieces import Pieces
from forerun.models._stack import convex
from forerun.models.boosted_trees import BoostedTrees
from forerun.prompts import parts
from forerun.rows import Row

FILE = "ensemble.safetensors"
_FEWEST = 16
"""Rows of a metric for which trees are grown."""
_LEAN = 200
"""Rows that count as much as the share of all languages, and as what the errors of each alone say: what is best on few
is not best on others."""
_OWN = 400
"""Rows of a form (source, LLVM IR, Triton, networks by what times them) that has trees of its own where a metric is
asked of several."""
_FORMS = ("llvm", "onnx", "triton")
_CORRELATED = 0.5
"""The correlation of both errors, which are of the same rows: .4 to .8 on eight tables of 300 to 900 rows."""
_ANEW = (100, 3000)
"""Rows of a metric, at least and at most, for which trees grow anew: a tenth more is much there, and grows in
seconds. With 270 rows instead of 240 the log CRPS of five tables is .95 times as large; with 36 instead of 32 of four
others 1.04 times."""
_FARTHER, _MORE = 10.0, 2.0
"""Times as much as about the most that was measured, from where on nothing like it was: of sizes in a text, for what a
language usually takes may be as far off; and of counted work, for what fits into caches no longer does."""
_QUANTILES = tuple((i + 0.5) / 101 for i in range(101))
"""The median is among them."""


@dataclass(frozen=True, slots=True)
class Member:
    """The trees of one metric, their share, and that in prompts with some lines about the language."""

    trees: BoostedTrees
    share: float
    shares: Mapping[str, float] = field(default_factory=dict)

    @property
    def farther(self) -> float:
        """How many times the most that was measured is far more."""
        return _MORE if self.trees.working else _FARTHER


@dataclass(frozen=True)
class Ensemble:
    """By metric, or metric and form: `text/llvm`, `latency/onnxruntime`. What is absent is the network's alone."""

    members: Mapping[str, Member]

    @classmethod
    def of(
        cls,
        train: Sequence[Row],
        validation: Sequence[Row],
        medians: Sequence[float],
        among: Collection[str] = (),
        every: Sequence[Row] = (),
        pieces: Pieces | None = None,
    ) -> Ensemble:
        """From rows to learn from, and others with the network's medians, which say the shares; `among` are members of
        one form whose metric has others. `pieces` keep what has grown, and count it with what will grow anew from
        `every` row. Raises ToolMissing, TimeOver.
        """
        pieces = pieces or Pieces()
        learned, held = defaultdict(list), defaultdict(list)
        forms = Counter((row.metric, form(row.prompt)) for row in train)
        several = Counter(metric for metric, _ in forms)
        apart = {one for one, rows in forms.items() if rows >= _OWN and several[one[0]] > 1}

        def key(row: Row) -> str:
            asked = (row.metric, form(row.prompt))
            name = "/".join(asked)
            return name if asked in apart or name in among else row.metric

        for row in train:
            learned[key(row)].append(row)
        for row, median in zip(validation, medians, strict=True):
            if row.value > 0 and median > 0:
                held[key(row)].append((row, median))
        members, enough = dict[str, Member](), {name: rows for name, rows in learned.items() if len(rows) >= _FEWEST}
        again = _few(every, key, enough)
        pieces.of = sum(map(BoostedTrees.pieces_of, (*enough.values(), *again.values())))
        for name, rows in enough.items():
            sources = {_language(row.prompt).partition(",")[0] for row in rows}
            trees = BoostedTrees(COMPILED if sources <= COMPILED_LANGUAGES else WORDS, pieces)
            with pieces.counted(name, trees.pieces_of(rows)):
                trees.fit(rows)
                members[name] = _member(trees, held[name])
        return cls(members)

    def member(self, prompt: str) -> str:
        """The name of the member that is asked: that of its form, else of its metric, else none."""
        metric = parts(prompt).head.get("metric", "")
        return next((name for name in (f"{metric}/{form(prompt)}", metric) if name in self.members), "")

    def moved(self, prompts: Sequence[str], found: Sequence[Distribution]) -> list[Distribution]:
        """What the network believes of each prompt, moved towards what the trees believe."""
        places = defaultdict(list)
        for i, prompt in enumerate(prompts):
            places[self.member(prompt)].append(i)
        made = list(found)
        for name, here in places.items():
            if member := self.members.get(name):
                beliefs, heard = member.trees.heard([prompts[i] for i in here])
                strange = member.trees.strange([prompts[i] for i in here])
                far = member.trees.beyond([prompts[i] for i in here]) > member.farther
                for i, belief, alone in zip(here, beliefs, (heard | strange | far).tolist(), strict=True):
                    share = member.shares.get(_language(prompts[i]), member.share)
                    made[i] = between(made[i], belief, 1.0 if alone else share)
        return made

    def other_pipeline(self, prompt: str) -> bool:
        """Whether it asks what a compiler makes by a pipeline that no row was of, where that is known."""
        member, pipeline = self.members.get(self.member(prompt)), parts(prompt).head.get("pipeline", "")
        return member is not None and bool(pipeline) and pipeline not in member.trees.pipelines

    def medians(self, prompts: Sequence[str]) -> list[float]:
        """What the trees alone believe of each prompt; NaN where it has none."""
        places, made = defaultdict(list), [math.nan] * len(prompts)
        for i, prompt in enumerate(prompts):
            places[self.member(prompt)].append(i)
        for name, here in places.items():
            if member := self.members.get(name):
                for i, one in zip(here, member.trees.predict([prompts[i] for i in here]), strict=True):
                    made[i] = one.median
        return made

    def beyond(self, prompt: str) -> tuple[float, float, bool]:
        """How many times as much sizes in the text ask for as about the most that was measured, at least once; that
        most, 0 where sizes do not tell; and whether that, or the work that is counted, is far more than in any row."""
        member = self.members.get(self.member(prompt))
        if member is None:
            return 1.0, 0.0, False
        beyond = float(member.trees.beyond([prompt])[0])
        return beyond, member.trees.most, beyond > member.farther

    def anew(self, rows: Sequence[Row], pieces: Pieces | None = None) -> Ensemble:
        """The same shares, and trees of all these rows, held-out ones among them, where they are few. Raises
        ToolMissing, TimeOver."""
        members, pieces = dict(self.members), pieces or Pieces()
        for name, learned in _few(rows, lambda row: self.member(row.prompt), members).items():
            trees = BoostedTrees(members[name].trees.reading, pieces)
            with pieces.counted(f"{name}, from all rows", trees.pieces_of(learned)):
                trees.fit(learned)
            members[name] = replace(members[name], trees=trees)
        return Ensemble(members)

    def shared(self, held: Sequence[Row], medians: Sequence[float]) -> Ensemble:
        """The same trees beside another network, whose medians of rows that neither has learned from say the shares."""
        found = defaultdict(list)
        for row, median in zip(held, medians, strict=True):
            if row.value > 0 and median > 0:
                found[self.member(row.prompt)].append((row, median))
        return Ensemble({name: _member(one.trees, found[name]) for name, one in self.members.items()})

    def save(self, folder: Path) -> None:
        """Writes `ensemble.safetensors`: arrays of all metrics, the rest as its metadata."""
        from safetensors.numpy import save

        arrays, rest = dict[str, Any](), dict[str, Any]()
        for name, member in self.members.items():
            own, kept = member.trees.arrays()
            arrays |= {f"{name}/{of}": np.ascontiguousarray(array) for of, array in own.items()}
            rest[name] = {"share": member.share, "shares": dict(member.shares), "trees": kept}
        write_atomically(folder / FILE, save(arrays, {"members": json.dumps(rest)}))

    @classmethod
    def load(cls, folder: Path) -> Ensemble:
        """Reads what `save` wrote; an empty one where there is no such file. Raises InputError."""
        from safetensors import SafetensorError, safe_open

        path = folder / FILE
        if not path.is_file():
            return cls({})
        try:
            with safe_open(path, "numpy") as file:
                rest = json.loads(file.metadata()["members"])
                arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            members = {}
            for whose, kept in rest.items():
                own = {name.rpartition("/")[2]: x for name, x in arrays.items() if name.rpartition("/")[0] == whose}
                trees = BoostedTrees.from_arrays(own, kept["trees"])
                members[whose] = Member(trees, float(kept["share"]), kept["shares"])
            return cls(members)
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(f"{path} cannot be read", reason(error), "train it again, or delete it") from error


def _few(rows: Sequence[Row], key: Callable[[Row], str], among: Collection[str]) -> dict[str, list[Row]]:
    """The rows from which trees grow anew, of those among the members that have few."""
    found = defaultdict(list)
    for row in rows:
        found[key(row)].append(row)
    least, most = _ANEW
    return {name: found[name] for name in among if least <= len(found[name]) <= most}


def _member(trees: BoostedTrees, held: Sequence[tuple[Row, float]]) -> Member:
    """With the shares that are best on held-out rows and the network's medians of them."""
    found, heard = trees.heard([row.prompt for row, _ in held])
    pairs = np.log([(median, max(one.median, 1e-280)) for (_, median), one in zip(held, found, strict=True)])
    truth, languages = np.log([row.value for row, _ in held]), np.array([_language(row.prompt) for row, _ in held])
    mixed = ~heard & np.array([one.median > 0 for one in found], dtype=np.bool_)
    share = _share(pairs[mixed], truth[mixed], _alone(pairs[mixed], truth[mixed]))
    own = {name: (languages == name) & mixed for name in sorted(set(languages.tolist()))}
    shares = {name: _share(pairs[m], truth[m], share) for name, m in own.items() if m.any()}
    return Member(trees, share, shares)


def _share(pairs: NDArray[np.float64], truth: NDArray[np.float64], usual: float) -> float:
    """Leans on the usual one."""
    n = len(truth)
    return (n * float(convex(pairs, truth)[1]) + _LEAN * usual) / (n + _LEAN) if n else usual


def _alone(pairs: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """By their mean errors, which go together (Bates and Granger 1969); a half where there are no rows."""
    ours, theirs = np.abs(pairs - truth[:, None]).mean(0) if len(truth) else np.zeros(2)
    both = _CORRELATED * ours * theirs
    spread = ours**2 + theirs**2 - 2 * both
    return float(np.clip((ours**2 - both) / spread, 0.0, 1.0)) if spread > 0 else 0.5


def form(prompt: str) -> str:
    """How what a prompt asks about is written; of networks the name of what times them, where the prompt has one: what
    is known of recorded cells of one search space bends what is known of all the others."""
    name, _, tool = _language(prompt).partition(", ")
    if name == "onnx" and tool:
        return tool.partition(" ")[0]
    return name if name in _FORMS else "source"


def _language(prompt: str) -> str:
    return parts(prompt).head.get("language", "")


def between(one: Distribution, other: Distribution, share: float) -> Distribution:
    """Each quantile, in logarithms, by a share of the way from one to the other."""
    if share in (0.0, 1.0):
        return other if share else one
    values = np.array([[found.quantile(q) for q in _QUANTILES] for found in (one, other)])
    if not (values > 0).all() or np.isinf(values).any():
        return _scaled(one, other.median, share)
    return Distribution.of((v, v, 1.0) for v in np.exp(np.log(values).T @ (1 - share, share)).tolist())


def _scaled(found: Distribution, median: float, share: float) -> Distribution:
    """Moved as a whole, where some quantiles have no logarithm."""
    middle = found.median
    if not (0 < middle < math.inf and 0 < median < math.inf):
        return found
    return found.scaled((median / middle) ** share)
