"""The design spaces of a tensor program, and what decisions make of it.

A space is a trace without decisions: instructions of which some ask for a choice. What may be chosen is known only
while the trace is replayed, since where a block may be computed depends on how its consumers were tiled. TVM changes an
illegal decision without a word; here it is an error.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import takewhile
from random import Random
from typing import Any

from forerun.core import Source
from forerun.errors import InputError, reason
from forerun.grammars.decisions import (
    CHOICES,
    LOOPS,
    PARTS,
    SPACES,
    Choice,
    Decision,
    Place,
    Plan,
    Step,
    Tile,
    following,
)
from forerun.threads import mapped
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import intrinsics, load

_TILE, _CHOICE, _PLACE = "SamplePerfectTile", "SampleCategorical", "SampleComputeLocation"
_FRESH = 512
"""Schedules that were drawn and are kept, the latest: replaying one is a third of looking at it."""
_ELSEWHERE, _AFRESH = 0.15, 0.2
"""How often a mutation goes to another design space, and how often all factors of a tile are drawn anew."""
_RULE, _ABSENT = "schedule_rule", "meta_schedule."
"""What a block asks for a rule with, and how the names of rules begin that are nowhere."""
_TENSOR_CORES = ('"float16"', '"int8"', '"uint8"')
"""Types in a program that TVM has design spaces with tensor cores for. Their intrinsics take 10 seconds to load; where
a program has none of these types a GPU's spaces are the same without them."""
_BYTES = '"uint8"'
"""Products of these and int8 TVM would tensorise for x86-64 (VNNI), by an intrinsic whose signature is no longer that
of its own LLVM: nothing of such a design space can be built."""
_SEED = 1
"""Spaces are made with decisions, which are thrown away: any seed gives the same spaces."""


class Refused(Exception):
    """Decisions that make no program: why."""


@dataclass(frozen=True)
class Space:
    """One trace; `asks` are the places of its sampling instructions."""

    trace: Any
    asks: tuple[int, ...]
    constant: dict[int, Step] = field(default_factory=dict)
    """What is asked whatever was decided before, by the number of the question."""
    places: dict[tuple[object, ...], Place] = field(default_factory=dict)
    """Where a block may be computed, by what was decided before it: of tiles only which loops have one round counts.

    TVM leaves those out and asks of the others what depends on the structure alone. Finding out takes some 30 ms.
    """

    @cached_property
    def begins(self) -> int:
        """How many questions come before the first one where a block is computed."""
        kinds = (self.trace.insts[at].kind.name for at in self.asks)
        return sum(1 for _ in takewhile(lambda kind: kind != _PLACE, kinds))

    @cached_property
    def parts(self) -> tuple[int, ...]:
        """Of each question: into how many a loop is tiled, 0 where none is."""
        asked = (self.trace.insts[at] for at in self.asks)
        return tuple(int(inst.attrs[0]) if inst.kind.name == _TILE else 0 for inst in asked)

    def given(self, decisions: Sequence[Decision], until: int) -> dict[Any, Any]:
        """As TVM's traces take them: those on the first instructions, by the instruction."""
        asked = zip(self.asks, decisions, strict=False)
        return {self.trace.insts[at]: _given(decision) for at, decision in asked if at < until}


@dataclass(frozen=True, slots=True)
class _Asked:
    """What TVM is asked to decide: the rest of a space's decisions."""

    space: int
    given: Mapping[Any, Any]
    seed: int


class Program:
    """A workload with its design spaces: `forerun.grammars.decisions.Spaces`."""

    def __init__(self, source: Source, spaces: Sequence[Any] | None = None, postprocs: Sequence[Any] = ()) -> None:
        """`spaces` are schedules whose traces are the design spaces, with the post-processing that belongs to them;
        without any they are what TVM makes for the target.

        Raises InputError for what is no tensor program with constant shapes, ToolMissing.
        """
        self.source = source
        self.target = targets.made(source.target)
        intrinsics(self.target, _rules(source, self.target) == "from-target")
        self.module = parsed(source)
        if spaces is None:
            spaces, postprocs = _made(source, self.module, self.target)
        self.spaces = tuple(_space(schedule.trace, source.name) for schedule in _writable(spaces))
        self._postprocs = postprocs
        self._fresh: dict[Plan, Any] = {}
        self.step = lru_cache(maxsize=100_000)(self._step)

    def __len__(self) -> int:
        return len(self.spaces)

    @cached_property
    def usual(self) -> bool:
        """Whether its source says all of it: TVM makes the same design spaces for the target, and the same
        post-processing."""
        return self._told == Program(self.source)._told

    @property
    def _told(self) -> tuple[list[str], list[str]]:
        return [_text(space.trace) for space in self.spaces], [type(step).__name__ for step in self._postprocs]

    def replay(self, plan: Plan) -> Any:
        """The schedule that a plan makes, before post-processing. Raises Refused where TVM would decide otherwise."""
        space = self.spaces[plan.space]
        schedule = self._begun(space, len(space.trace.insts), plan.decisions)
        if (decided := _decided(space, schedule.trace)) != plan.decisions:
            raise Refused(f"TVM changed the decisions to {decided}")
        return schedule

    def scheduled(self, plan: Plan) -> Any:
        """The schedule that is built: replayed and post-processed. Raises Refused."""
        return self.finished(self._fresh.pop(plan, None) or self.replay(plan))

    def finished(self, schedule: Any) -> Any:
        """A schedule of the program, post-processed in place. Raises Refused."""
        schedule.enter_postproc()
        for step in self._postprocs:
            try:
                done, why = step.apply(schedule), ""
            except Exception as error:  # TVM's own errors share no base
                done, why = False, f": {reason(error)[:300]}"
            if not done:
                raise Refused(f"post-processing: {type(step).__name__}{why}")
        return schedule

    def takes(self, plan: Plan) -> bool:
        """Whether a schedule can be made of a plan."""
        try:
            self.scheduled(plan)
        except Refused:
            return False
        return True

    def random(self, n: int, seed: int) -> list[Plan]:
        """Plans as TVM's own sampling draws them, each of any space: some 5 ms each, where a grammar has to ask TVM for
        all that is legal. Same arguments, same plans."""
        draw = Random(f"{seed}")
        asked = [_Asked(draw.randrange(len(self.spaces)), {}, _seed(draw)) for _ in range(n)]
        return [plan for plan in self._drawn(asked) if plan is not None]

    def mutated(self, plans: Sequence[Plan], draw: Random) -> list[Plan]:
        """Each plan with one decision drawn anew, or taken to another design space. Where what follows is then illegal
        TVM decides anew, so that more may differ; it may also be the same plan."""
        children = self._drawn([self._mutation(plan, draw) for plan in plans])
        return [plan if child is None else child for plan, child in zip(plans, children, strict=True)]

    def _mutation(self, plan: Plan, draw: Random) -> _Asked:
        number = draw.randrange(len(self.spaces)) if draw.random() < _ELSEWHERE else plan.space
        space, given = self.spaces[number], dict[Any, Any]()
        if len(space.asks) == len(plan):
            given = space.given(plan.decisions, len(space.trace.insts))
        if given and number == plan.space:
            place = draw.randrange(len(plan))
            inst = space.trace.insts[space.asks[place]]
            changed = _changed(plan.decisions[place], inst, draw)
            del given[inst]
            given |= {} if changed is None else {inst: _given(changed)}
        return _Asked(number, given, _seed(draw))

    def _drawn(self, asked: Sequence[_Asked]) -> list[Plan | None]:
        """What TVM decides where nothing is given, None where what is given is illegal. The latest schedules are kept:
        most are looked at soon."""
        plans = list[Plan | None]()
        for found in mapped(self._answered, asked):
            plans.append(found and found[0])
            if found:
                while len(self._fresh) >= _FRESH:
                    del self._fresh[next(iter(self._fresh))]
                self._fresh[found[0]] = found[1]
        return plans

    def _answered(self, asked: _Asked) -> tuple[Plan, Any] | None:
        space = self.spaces[asked.space]
        try:
            schedule = self._applied(space.trace.insts, asked.given, asked.seed)
        except Exception:  # TVM's own errors share no base: a decision on a loop that is now another one
            return None
        return Plan(asked.space, _decided(space, schedule.trace)), schedule

    def completed(self, beginnings: Sequence[Plan], seed: int) -> list[Plan]:
        """Plans that begin with others' decisions (`Beginnings`), the rest as TVM's own sampling draws it. Same
        arguments, same plans; fewer where TVM takes what was decided for illegal."""
        draw = Random(f"{seed}")
        asked = []
        for one in beginnings:
            space = self.spaces[one.space]
            asked.append(_Asked(one.space, space.given(one.decisions, len(space.trace.insts)), _seed(draw)))
        return [plan for plan in self._drawn(asked) if plan is not None]

    def plan(self, trace: Any) -> Plan:
        """The plan that a trace is, without what post-processing adds and with or without instructions of no effect.

        Raises ValueError where it is of no space.
        """
        trace = trace.simplified(True)
        own = _text(trace)
        for number, known in enumerate(self.spaces):
            if _text(known.trace) == own:
                decisions = tuple(_read(trace.get_decision(inst)) for inst in trace.insts if _samples(inst))
                if len(decisions) == len(known.asks):
                    return Plan(number, decisions)
        raise ValueError("a trace of none of the design spaces")

    def _step(self, space: int, decisions: tuple[Decision, ...]) -> Step | None:
        known, number = self.spaces[space], len(decisions)
        if number >= len(known.asks):
            return None
        if number in known.constant:
            return known.constant[number]
        at = known.asks[number]
        inst = known.trace.insts[at]
        if inst.kind.name == _CHOICE:
            return known.constant.setdefault(number, Choice(len(inst.attrs[0])))
        if inst.kind.name == _PLACE:
            shape = tuple(tuple(f == 1 for f in d) if isinstance(d, tuple) else d for d in decisions)
            if shape not in known.places:
                known.places[shape] = Place(_places(*self._asked(known, at, decisions)))
            return known.places[shape]
        schedule, loop = self._asked(known, at, decisions)
        parts, most = known.parts[number], max(int(inst.attrs[1]), 0)
        step = Tile(int(schedule.get(loop).extent), parts, most, following(known.parts, number))
        return known.constant.setdefault(number, step) if _constant(known.trace, at) else step

    def _asked(self, space: Space, at: int, decisions: Sequence[Decision]) -> tuple[Any, Any]:
        """A schedule before a sampling instruction, and the loop or block that it is about."""
        schedule = self._begun(space, at, decisions)
        return schedule, _translated(space.trace, schedule.trace, space.trace.insts[at].inputs[0])

    def _begun(self, space: Space, until: int, decisions: Sequence[Decision]) -> Any:
        """A schedule after the trace's first instructions."""
        try:
            return self._applied(space.trace.insts[:until], space.given(decisions, until), _SEED)
        except Exception as error:  # TVM's own errors share no base
            raise Refused(f"replay: {reason(error)[:300]}") from error

    def _applied(self, insts: Sequence[Any], given: Mapping[Any, Any], seed: int) -> Any:
        """A schedule after instructions, of which TVM decides those that are not given. Raises TVM's own errors."""
        from tvm.s_tir import Schedule
        from tvm.s_tir.schedule import Trace

        schedule = Schedule(self.module, seed=seed, error_render_level="none")
        Trace(insts, given).apply_to_schedule(schedule, remove_postproc=True)
        return schedule


class Beginnings:
    """The design spaces of a program (`forerun.grammars.decisions.Spaces`) as far as the first question where a block
    is computed, to which TVM tells what is legal one answer at a time: some 30 ms, where a replay takes 5."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __len__(self) -> int:
        return len(self._program)

    def step(self, space: int, decisions: tuple[Decision, ...]) -> Step | None:
        """What is asked next, None also where that is a place."""
        return self._program.step(space, decisions) if len(decisions) < self._program.spaces[space].begins else None

    def of(self, plan: Plan) -> Plan:
        """How a plan begins."""
        return Plan(plan.space, plan.decisions[: self._program.spaces[plan.space].begins])


_LATE = "reverse-compute-at"
"""What fails where something between a product and what follows it is not inlined, in TVM's words."""
_OLD = re.compile(r"\bT\.block\(")
"""How texts for versions before TVM 0.27 begin a block."""
_EXTREME = re.compile(rf"T\.float64\((-?)(?:{sys.float_info.max:.1f}|{re.escape(repr(sys.float_info.max))})\)")


def told(script: str) -> str:
    """A text of TVM's, which takes every number for one of float32 before it makes another of it, with the least and
    the largest of float64, which maxima and minima begin with, as calls that it reads."""
    return _EXTREME.sub(lambda found: f'T.{"min" if found[1] else "max"}_value("float64")', script)


def parsed(source: Source) -> Any:
    """The module of a source. Raises InputError."""
    load()
    from tvm import IRModule
    from tvm.script import from_source
    from tvm.tirx import PrimFunc

    try:
        module = from_source(told(source.text))
        if isinstance(module, PrimFunc):
            module = IRModule({"main": module.with_attr("global_symbol", "main")})
        functions = [variable.name_hint for variable in module.get_global_vars()]
        if functions != ["main"]:
            raise ValueError(f"it has the functions {', '.join(functions)}")
    except Exception as error:  # the parser raises whatever it meets
        todo = "give one T.prim_func(s_tir=True), or a module with one `main`, as `module.script()` writes it"
        if _OLD.search(source.text):
            todo = "write T.sblock for T.block: it has another name since this TVM; " + todo
        raise InputError(f"{source.name} is no tensor program", reason(error), todo) from error
    return module


def _made(source: Source, module: Any, target: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    """TVM's own design spaces, and their post-processing."""
    rules = _rules(source, target)
    try:
        try:
            return _generated(source, module, target, rules, rules)
        except Exception as error:
            if target.kind.name != "llvm" or _LATE not in str(error):
                raise
            return _generated(source, module, target, _inlining(), "llvm")
    except Exception as error:  # TVM's own errors share no base
        todo = "leave this subgraph out; its default schedule works"
        raise InputError(f"{source.name} has no design space", reason(error), todo) from error


def _generated(
    source: Source, module: Any, target: Any, rules: Any, others: str
) -> tuple[Sequence[Any], Sequence[Any]]:
    from tvm.s_tir import meta_schedule as ms

    generator = ms.space_generator.PostOrderApply(sch_rules=rules, postprocs=others, mutator_probs=others)
    context = ms.TuneContext(
        mod=_without_rules(source, module), target=target, space_generator=generator, task_name="main",
        num_threads=1, rand_state=_SEED,
    )  # fmt: skip
    return context.generate_design_space(), context.space_generator.postprocs


def _inlining() -> list[Any]:
    """TVM's rules for processors, of which the one that inlines also takes what is read more than once, as a mask that
    all heads of an attention share: it stands between a product and what is added to that, which then cannot be moved
    into the product's loops."""
    from tvm.s_tir.meta_schedule import schedule_rule as rule

    free = rule.AutoInline(
        into_producer=False, into_consumer=True, inline_const_tensor=True, disallow_if_then_else=False,
        require_injective=False, require_ordered=False, disallow_op=["tirx.exp"],
    )  # fmt: skip
    return [free if isinstance(one, rule.AutoInline) else one for one in rule.ScheduleRule.create("llvm")]


def _rules(source: Source, target: Any) -> str:
    """What TVM makes design spaces by: what it has for the target, or what makes none with tensor intrinsics.

    Those of an AArch64 take 3 seconds to load, in each worker, and five of nine schedules of a product of int8 cannot
    be built: TVM broadcasts a vector in a vectorised loop. LLVM makes some of the same dot products by itself, and of
    floats the spaces are then those that models have learned from.
    """
    if (kind := str(target.kind.name)) == "llvm" and (not targets.x86_64(target) or _BYTES in source.text):
        return kind
    return kind if kind == "cuda" and not _narrow(source) else "from-target"


def _writable(spaces: Sequence[Any]) -> list[Any]:
    """Of more than there are words for some that lie evenly: TVM makes the product of what it has for each block, so
    that four sums in a program have 81."""
    count = min(len(spaces), SPACES)
    return [spaces[place * len(spaces) // count] for place in range(count)]


def _narrow(source: Source) -> bool:
    """Whether a program has types that a GPU's tensor cores compute with."""
    return any(each in source.text for each in _TENSOR_CORES)


def _without_rules(source: Source, module: Any) -> Any:
    """A module whose blocks ask for no schedule rule by name that TVM does not have, as its pooling operators do: it
    goes on without such a rule, but warns on stderr of each.
    """
    from tvm.s_tir import Schedule

    if f'"{_RULE}": "{_ABSENT}' not in source.text:
        return module
    schedule = Schedule(module)
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        if str(schedule.get(block).annotations.get(_RULE, "")).startswith(_ABSENT):
            schedule.unannotate(block, _RULE)
    return schedule.mod


def _space(trace: Any, name: str) -> Space:
    asks = tuple(at for at, inst in enumerate(trace.insts) if _samples(inst))
    for at in asks:
        inst = trace.insts[at]
        if not _written(inst.kind.name, inst.attrs):
            why = f"it samples by {inst.kind.name} {list(inst.attrs)}"
            raise InputError(f"{name} has a design space that cannot be written", why, "leave this subgraph out")
    return Space(trace, asks)


def _text(trace: Any) -> str:
    """A trace's instructions, without those of post-processing or of no effect. TVM's numbers are equal only to
    themselves, their text is to that of others."""
    return str(trace.simplified(True).as_json()[0])


def _samples(inst: Any) -> bool:
    return str(inst.kind.name).startswith("Sample")


def _written(kind: str, attrs: Sequence[Any]) -> bool:
    """Whether there are pieces for what a sampling instruction asks."""
    if kind == _TILE:
        return int(attrs[0]) <= PARTS
    return len(attrs[0]) <= CHOICES if kind == _CHOICE else kind == _PLACE


def _constant(trace: Any, at: int) -> bool:
    """Whether a tiled loop is the program's own: nothing was decided before it was looked up, but tiles of others."""
    loop = trace.insts[at].inputs[0]
    for inst in trace.insts[:at]:
        if inst.kind.name == "GetLoops" and any(loop.same_as(out) for out in inst.outputs):
            return True
        if inst.kind.name in ("Split", _PLACE, "RFactor", "Fuse"):
            return False
    return False


def _translated(original: Any, replayed: Any, variable: Any) -> Any:
    """The random variable that stands in a replay for one of the original trace."""
    for inst, again in zip(original.insts, replayed.insts, strict=False):
        for place, out in enumerate(inst.outputs):
            if out is not None and out.same_as(variable):
                return again.outputs[place]
    raise AssertionError("a variable that no instruction made")


def _places(schedule: Any, block: Any) -> tuple[int, ...]:
    """Where a block may be computed. TVM goes to the nearest legal place before an illegal one: so all can be found.
    Asking changes the schedule's trace alone."""
    found, asked = list[int](), LOOPS - 1
    while asked >= -2:
        schedule.sample_compute_location(block, decision=asked)
        told = int(schedule.trace.get_decision(schedule.trace.insts[-1]))
        if told > asked:
            break
        found.append(told)
        asked = told - 1
    return tuple(reversed(found))


def _changed(decision: Decision, inst: Any, draw: Random) -> Decision | None:
    """Another answer to an instruction; None leaves it to TVM."""
    if inst.kind.name == _CHOICE:
        return draw.randrange(len(inst.attrs[0]))
    if not isinstance(decision, tuple):
        return draw.randrange(-2, LOOPS // 4)  # TVM goes to the nearest legal place
    giving, most = [place for place, factor in enumerate(decision) if factor > 1], int(inst.attrs[1])
    if not giving or draw.random() < _AFRESH:
        return None
    factors, source = list(decision), draw.choice(giving)
    target = draw.choice([place for place in range(len(factors)) if place != source])
    moved = draw.choice([part for part in range(2, factors[source] + 1) if factors[source] % part == 0])
    factors[source] //= moved
    factors[target] *= moved
    return tuple(factors) if factors[-1] <= most or most < 1 else None


def _seed(draw: Random) -> int:
    """A seed of TVM's."""
    return draw.randrange(1, 1 << 31)


def _given(decision: Decision) -> Any:
    return list(decision) if isinstance(decision, tuple) else decision


def _decided(space: Space, trace: Any) -> tuple[Decision, ...]:
    """The decisions of a trace that begins with the space's instructions."""
    return tuple(_read(trace.get_decision(trace.insts[at])) for at in space.asks)


def _read(decision: Any) -> Decision:
    return int(decision) if isinstance(decision, int) or not hasattr(decision, "__len__") else tuple(map(int, decision))
