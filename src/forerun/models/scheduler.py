"""Schedules of tensor programs: many drafts, written by a small language model or random, the most promising first.

Where the checkpoint has a network, an encoder-decoder (`forerun.models.encoder_decoder`), it reads the program and its
design spaces and writes decisions of the best grade (`forerun.grammars.graded`), of TVM's programs as far as the first
place of a block; else drafts are random. Where it has a cost model (`forerun.models._judge`), that chooses among the
drafts, random ones and register tiles (`forerun.toolchains.tvm.register_tiles`) beside them, and what mutations make of
the best of them; what was measured corrects it. Else the network's own grades choose. The method is that of the tensor
language model (Zhai et al., OSDI 2024); that all that is known is learned from, by conditioning on grades, that a cost
model judges drafts and grades them for the training, and that it goes on learning, is ours.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from functools import cache, cached_property, lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from forerun.core import Draft, Grammar, Model, Trial
from forerun.errors import InputError, reason
from forerun.grammars.decisions import Decisions, Plan
from forerun.grammars.graded import BEST, CENTRES, GRADES, JUDGE, GradedDecisions
from forerun.models import _decode
from forerun.models._judge import PROCESSOR, Belief, Features, Judge
from forerun.models.encoder_decoder import CONFIG, EncoderDecoder
from forerun.sandbox import Pool
from forerun.tasks.schedule import Reading
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.machine_code import WIDTH
from forerun.toolchains.tvm.register_tiles import partial_sums, register_tiles, stationary_tiles
from forerun.toolchains.tvm.space import Beginnings, Program

SHIPPED = Path(__file__).parents[1] / "weights" / "scheduler"
CARD = "network.json"
"""In a checkpoint: what its network learned from; `kinds` of targets, processors where none are named."""
OPERATORS = "operators.json"
"""In the folder that ships: which operators the cost model has seen, and which it has not."""
DRAFTS, LEAST = 8, 8
"""Where no cost model chooses: drafts for each one that is asked for, as if so many were asked for at least."""
GENERATIONS = 8
"""Where a cost model chooses: of mutations of the most promising drafts of a program, made once."""
POPULATION, CHILDREN = 256, 64
"""Random drafts, and mutations in a generation, where no network writes."""
WRITTEN, BESIDE, OFFSPRING = 24, 8, 12
"""Drafts that a network writes, random ones beside them, since it may keep to a design space, and mutations in a
generation: the cost model likes what becomes of these as much as what becomes of four times as many."""
IN_REGISTERS, STATIONARY, PARTIAL = 24, 36, 24
"""Drafts beside all of these on processors whose sums stay in registers, which a network writes as one in 24, of which
an operand does, and, of other sums, partial ones."""
WRITTEN_ELSEWHERE, OFFSPRING_ELSEWHERE = 64, 48
"""Likewise for GPUs, where post-processing refuses three of five that the network writes, and nearly all random ones:
the cost model likes what becomes of these as much as four thirds as many mutations of 256 random ones."""
AGAIN, MUTATIONS = 2, 4
"""Then, each time that more than one was measured, generations of mutations of those too, by what the cost model has
learned since: so many for each one that is asked for, as above."""
READ = 2
"""For each one that is asked for, drafts whose machine code is made and read, where somebody makes it."""
PARENTS = 24
"""Of a generation."""
GLIMPSED = 16
"""Random drafts of one that is hasty, where no network writes."""
KEPT = 64
"""Programs whose drafts are remembered."""
TURNS = 16
"""Where nothing is ranked: how often drafts are drawn, at most. Post-processing for a GPU refuses all but one in twenty
of a matrix product's, and who says nothing is not asked again."""
HOPELESS = 4
"""Kernels of a design space that failed, and none that did not, after which it is left."""


class Scheduler(Model):
    """Proposes plans for tensor programs."""

    name: ClassVar[str] = "scheduler"

    def __init__(
        self,
        place: str | Path | None = None,
        *,
        device: str = "",
        threads: int = 1,
        asked: str = BEST,
        written: bool = True,
        judged: bool = True,
        corrected: bool = True,
        tiled: bool = True,
        reads: bool = True,
        generations: int = GENERATIONS,
    ) -> None:
        """A checkpoint from a folder, the one that ships where none is named.

        `asked` is the grade that is asked for; drafts that are not `written` by the network are random; those that are
        not `judged` come as they were drawn; register tiles are among them where they are `tiled`. A cost model that is
        not `corrected` stays as it is, whatever was measured, and `reads` no machine code where it is not to;
        `generations` are those of the mutations. Raises InputError, ToolMissing as `EncoderDecoder` does.
        """
        folder = SHIPPED if place is None else Path(place)
        self._folder, self.judge, self.hurries = folder, Judge.load(folder, corrected), False
        self._maker: Pool | None = None
        self._codes = dict[tuple[str, Plan], NDArray[np.float64]]()
        self._of_others = cache(partial(Judge.load, folder, corrected))
        alone = self.judge and not (written and (folder / CONFIG).is_file())
        self._network = None if alone else partial(EncoderDecoder, folder, device=device, threads=threads)
        if place is not None or self.judge is None:
            _ = self.model  # what is wrong with a folder that somebody named is told at once
        self.asked, self.judged, self.tiled, self.generations = asked, judged, tiled, generations
        self.reads = reads and self.judge is not None and self.judge.code is not None
        self._memory = lru_cache(maxsize=8)(self._encoded)
        self._written = lru_cache(maxsize=KEPT)(self._writing)
        self._in_registers = lru_cache(maxsize=KEPT)(self._tiling)
        self._population = lru_cache(maxsize=KEPT)(self._thought_of)

    @cached_property
    def model(self) -> EncoderDecoder | None:
        """The network where there is one, loaded when it is asked for: only hardware that it writes for needs it."""
        return self._network() if self._network else None

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The kinds of targets that the network writes for. Raises InputError."""
        return kinds(self._folder) if self._network else frozenset()

    @cached_property
    def _weights(self) -> str:
        """The SHA-256 of what the folder holds. Raises InputError."""
        digest = hashlib.sha256()
        try:
            for path in sorted(path for path in self._folder.iterdir() if path.is_file()):
                digest.update(f"{path.name}\n".encode() + hashlib.sha256(path.read_bytes()).digest())
        except OSError as error:
            raise InputError(f"{self._folder} cannot be read", reason(error), "copy the whole folder again") from error
        return digest.hexdigest()

    @property
    def depends(self) -> tuple[str | int | bool, ...]:
        """What drafts depend on beside the arguments: equal ones, equal drafts. Raises InputError where the weights
        cannot be read."""
        corrected = self.judge is not None and self.judge.corrected
        reads = self._network is not None
        how = self.asked, reads, self.judged, corrected, self.tiled, self.generations, self.hurries
        return self._weights, *how, self._maker is not None

    def sample(
        self, prompt: str, grammar: Grammar[Any], n: int, seed: int, history: Sequence[Trial[Any]] = ()
    ) -> list[Draft[Any]]:
        """At most `n` distinct plans that the history does not have, those first that it thinks are fastest.

        Raises InputError for a grammar of no program of TVM where there is no network.
        """
        decisions = cast(Decisions, grammar)
        known = {cast(Plan, trial.draft.answer): _seconds(trial) for trial in history}
        closed = _closed(known, len(decisions.spaces))
        program = decisions.spaces if self.judged and isinstance(decisions.spaces, Program) else None
        judge = self._judge_of(program) if program else None
        if program and judge is None and _other(program) and not self._writes(program):
            return [Draft(plan, math.nan, self.name) for plan in _taken(program, n, seed, known, closed)]
        if judge:
            drafts = self._population(prompt, decisions, closed)
        else:
            drafts = self._drawn(prompt, decisions, DRAFTS * max(LEAST, n) if self.judged else n, seed)
        plans = [plan for plan in drafts if plan not in known and plan.space not in closed]
        if program and judge:
            many, generations = MUTATIONS * max(LEAST, n), min(AGAIN, self.generations) if len(known) > 1 else 0
            plans = bred(judge, program, plans, many, random.Random(seed), known, closed, generations)
            read = None if self._maker is None else self._code
            plans = _chosen(judge, program, plans, n, known, read) if plans else []
        elif self.judged and plans:
            plans = [plans[i] for i in np.argsort(-self.graded(prompt, decisions, plans), kind="stable")]
        return [Draft(plan, drafts.get(plan, math.nan), self.name) for plan in plans[:n]]

    def ranks(self, kind: str) -> bool:
        """Whether something here says which kernels for a kind of target, as TVM calls it, are fast."""
        return kind == PROCESSOR or self._of_others(kind) is not None

    def _judge_of(self, program: Program) -> Judge | None:
        """The cost model of a program's hardware, where there is one. Raises InputError."""
        return self._of_others(str(program.target.kind.name)) if _other(program) else self.judge

    def _writes(self, program: Program) -> bool:
        """Whether the network has learned to write for a program's hardware. Raises InputError."""
        return str(program.target.kind.name) in self._kinds

    def hasty(self) -> Scheduler:
        """One of the same weights that chooses from the first drafts, without mutations: for a first kernel within half
        a second. Itself where no cost model chooses."""
        if self.judge is None:
            return self
        other = copy(self)
        other.hurries, other.generations, other._population = True, 0, lru_cache(maxsize=KEPT)(self._glimpsed)
        other._maker = None
        return other

    def reading(self, pool: Pool) -> Scheduler:
        """One of the same weights for which a pool makes machine code of promising drafts, which it reads before it
        chooses among them. Where no cost model reads that, it chooses as before."""
        other = copy(self)
        other._maker = pool if self.reads else None
        return other

    def looks_at(self, program: Program) -> bool:
        """Whether it reads the machine code of a program's kernels, where somebody makes it."""
        return self.reads and self.judged and targets.x86_64(program.target)

    def _code(self, program: Program, plans: Sequence[Plan]) -> Features:
        """What is read of each plan's machine code, where that can be made. Raises ToolMissing."""
        assert self._maker is not None
        key = program.source.key
        new = [plan for plan in dict.fromkeys(plans) if (key, plan) not in self._codes]
        for place, found in self._maker.measure(Reading(), program.source, new):
            values = [found.values.get(str(number), math.nan) for number in range(WIDTH)]
            self._codes[key, new[place]] = np.array(values)
        return {plan: self._codes[key, plan] for plan in plans}

    def _glimpsed(self, prompt: str, decisions: Decisions, closed: Collection[int]) -> dict[Plan, float]:
        """The first drafts."""
        assert isinstance(decisions.spaces, Program)
        program, other = decisions.spaces, _other(decisions.spaces)  # post-processing for a GPU refuses most
        drafts = self._written(prompt, decisions) if self._writes(program) else {}
        if not drafts or (other and not any(map(program.takes, drafts))):
            drafts = dict.fromkeys(program.random(GLIMPSED * (DRAFTS if other else 1), 0), math.nan)
        drafts = self._in_registers(program, windows=False) | drafts  # what is written is as good, of windows
        return {plan: logprob for plan, logprob in drafts.items() if plan.space not in closed}

    def population(self, prompt: str, decisions: Decisions) -> Collection[Plan]:
        """What it looks at of a program before anything is measured. Raises InputError without a cost model."""
        if not isinstance(decisions.spaces, Program) or self._judge_of(decisions.spaces) is None:
            raise InputError("nothing chooses among drafts", "there is no cost model", "name a checkpoint with one")
        return self._population(prompt, decisions, frozenset())

    def _thought_of(self, prompt: str, decisions: Decisions, closed: Collection[int]) -> dict[Plan, float]:
        """Drafts, and mutations of those that look good before anything was measured, with log-probabilities."""
        assert isinstance(decisions.spaces, Program)
        program, judge = decisions.spaces, self._judge_of(decisions.spaces)
        assert judge is not None
        written, alone, many = dict[Plan, float](), POPULATION, CHILDREN
        if self._writes(program):
            written, alone = self._written(prompt, decisions), BESIDE
            many = OFFSPRING_ELSEWHERE if _other(program) else OFFSPRING
        drafts = dict.fromkeys(program.random(alone, 0), math.nan) | self._in_registers(program) | written
        plans = [plan for plan in drafts if plan.space not in closed]
        plans = bred(judge, program, plans, many, random.Random(0), {}, closed, self.generations)
        return {plan: drafts.get(plan, math.nan) for plan in plans}

    def graded(self, prompt: str, grammar: Decisions, plans: Sequence[Plan]) -> Any:
        """`[N]`, an array: the share of the best kernel's speed that the network expects of each plan's.

        Raises InputError without a network.
        """
        if self.model is None:
            raise _blind()
        memory, vocabulary = self._memory(prompt), self.model.tokenizer.vocabulary
        written = [[t for piece in (JUDGE, *grammar.write(plan)) for t in vocabulary.spell(piece)] for plan in plans]
        found = _decode.following(self.model.network, vocabulary, memory, written)
        logits = found[:, [vocabulary.spell(piece)[0] for piece in GRADES]].astype(np.float64)
        likely = np.exp(logits - logits.max(axis=1, keepdims=True))
        return likely @ np.array(CENTRES) / likely.sum(axis=1)

    def _drawn(self, prompt: str, grammar: Decisions, n: int, seed: int) -> dict[Plan, float]:
        """Plans with their log-probabilities: random ones for what the network has not learned to write for."""
        program = grammar.spaces if isinstance(grammar.spaces, Program) else None
        if program is None and self.model is None:
            raise _blind()
        if program and not self._writes(program):
            return dict.fromkeys(program.random(n, seed), math.nan)
        assert self.model is not None
        begun = Beginnings(program) if program else None
        asked = GradedDecisions(Decisions(begun) if begun else grammar, self.asked)
        memory, vocabulary = self._memory(prompt), self.model.tokenizer.vocabulary
        found = _decode.sample(self.model.network, vocabulary, memory, [asked], n=n, seed=seed)[0]
        written = {asked.read(one.pieces).plan: one.logprob for one in found if one.complete}
        if program is None or begun is None:
            return written
        return {plan: written.get(begun.of(plan), math.nan) for plan in program.completed(list(written), seed)}

    def _writing(self, prompt: str, decisions: Decisions) -> dict[Plan, float]:
        """The first drafts of a program that the network writes for."""
        assert isinstance(decisions.spaces, Program)
        return self._drawn(prompt, decisions, WRITTEN_ELSEWHERE if _other(decisions.spaces) else WRITTEN, 0)

    def _tiling(self, program: Program, windows: bool = True) -> dict[Plan, float]:
        """Register tiles of a program for processors, of products the same for a first kernel and all others."""
        if not self.tiled or _other(program):
            return {}
        tiles = [*register_tiles(program, IN_REGISTERS, 0, windows), *stationary_tiles(program, STATIONARY, 0)]
        tiles += partial_sums(program, PARTIAL, 0)
        return dict.fromkeys(tiles, math.nan)

    def _encoded(self, prompt: str) -> Any:
        assert self.model is not None
        return self.model.network.encode([self.model.tokens(prompt)])


def kinds(folder: Path) -> frozenset[str]:
    """The kinds of targets, as TVM calls them, that a checkpoint's network has learned to write for. Raises
    InputError."""
    path = folder / CARD
    try:
        told = json.loads(path.read_bytes()) if path.is_file() else {}
        return frozenset(map(str, told.get("kinds", [PROCESSOR])))
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{path} cannot be read", reason(error), "copy the whole folder again") from error


def bred(
    judge: Judge,
    program: Program,
    drafts: Sequence[Plan],
    many: int,
    draw: random.Random,
    known: Mapping[Plan, float],
    closed: Collection[int] = (),
    generations: int = GENERATIONS,
) -> list[Plan]:
    """Drafts, and generations of `many` mutations of the most promising plans, measured ones among them.

    `known` are seconds of what was measured, which is not drafted again; `closed` are design spaces that are left.
    """
    found = dict.fromkeys(drafts)
    for _ in range(generations):
        every = [plan for plan in (*known, *found) if plan.space not in closed]
        if not every:
            break
        order = np.argsort(-judge.believed(program, every, known).mean, kind="stable")[:PARENTS]
        parents = [every[i] for i in order]
        children = program.mutated([parents[i % len(parents)] for i in range(many)], draw)
        found |= dict.fromkeys(plan for plan in children if plan not in known and plan.space not in closed)
    return list(found)


def _chosen(
    judge: Judge,
    program: Program,
    plans: Sequence[Plan],
    n: int,
    known: Mapping[Plan, float],
    read: Callable[[Program, Sequence[Plan]], Features] | None,
) -> list[Plan]:
    """The `n` plans to be measured; where machine code is `read`, by that of the most promising ones."""
    belief = judge.believed(program, plans, known)
    if read is not None and targets.x86_64(program.target):
        likely = [plans[i] for i in belief.batch(READ * n)]
        likely = list(dict.fromkeys([*likely, *_first(plans, belief).values()]))
        closer = judge.believed(program, likely, known, read(program, [*likely, *known]))
        plans, belief = (likely, closer) if closer.legal.any() else (plans, belief)
    chosen = [plans[i] for i in belief.batch(n)]
    # Of each design space one is tried: all of another one's may be wrong.
    tried = {plan.space for plan in (*known, *chosen)}
    untried = [plan for space, plan in _first(plans, belief).items() if space not in tried]
    return [*chosen[: n - len(untried)], *untried] if len(untried) < n else chosen


def _first(plans: Sequence[Plan], belief: Belief) -> dict[int, Plan]:
    """The most promising legal one of each design space."""
    found = dict[int, Plan]()
    for i in np.argsort(-belief.mean, kind="stable"):
        if belief.legal[i]:
            found.setdefault(plans[i].space, plans[i])
    return found


def _taken(program: Program, n: int, seed: int, known: Collection[Plan], closed: Collection[int]) -> list[Plan]:
    """The first random plans that post-processing takes, `n` at most."""
    found = dict[Plan, None]()
    for turn in range(TURNS):
        drawn = dict.fromkeys(program.random(DRAFTS * max(LEAST, n), seed + (turn << 64)))
        fresh = (plan for plan in drawn if plan not in known and plan not in found and plan.space not in closed)
        found |= dict.fromkeys(list(islice(filter(program.takes, fresh), n - len(found))))
        if len(found) == n:
            break
    return list(found)


def _closed(known: Mapping[Plan, float], spaces: int) -> frozenset[int]:
    """Design spaces of which some kernels were tried and none was right: no more of them, but where no other is left.

    TVM 0.27 makes such spaces: fused into the tiles of what it pads, a padding leaves the borders unwritten.
    """
    tried = Counter(plan.space for plan in known)
    right = {plan.space for plan, seconds in known.items() if math.isfinite(seconds)}
    closed = frozenset(space for space, count in tried.items() if count >= HOPELESS and space not in right)
    return closed if len(closed) < spaces else frozenset()


def _seconds(trial: Trial[Any]) -> float:
    found = trial.measurement
    return found.values["latency"] if found.ok else math.inf


def _other(program: Program) -> bool:
    """Whether a program is for other hardware than processors, of which most drafts are legal.

    Where neither a network nor a cost model knows it, drafts are not ranked: they come as they were drawn, without
    those that post-processing refuses.
    """
    return str(program.target.kind.name) != PROCESSOR


def _blind() -> InputError:
    why = "a cost model needs a program of TVM"
    return InputError("a checkpoint without a network reads no text", why, "name a checkpoint with one")
