"""Every list that the safe vocabulary allows is one that the installed LLVM runs; what is known to break is refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pytest

from forerun.core import Measurement, Source
from forerun.errors import ToolMissing
from forerun.grammars.pipelines import Pipelines, Plan, flatten, parse_plan
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang, lib, vocabulary

# A loop over memory, a call, a switch, a static function, and a float: most passes find something in it.
IR = """
target triple = "x86_64-unknown-linux-gnu"
@table = internal global [4 x i32] [i32 1, i32 2, i32 3, i32 4]
declare i32 @outer(i32)
define internal i32 @helper(i32 %x) {
  %slot = alloca i32
  store i32 %x, ptr %slot
  %v = load i32, ptr %slot
  switch i32 %v, label %other [ i32 1, label %one  i32 2, label %two ]
one:
  ret i32 10
two:
  ret i32 20
other:
  %r = mul i32 %v, 3
  ret i32 %r
}
define i32 @sum(ptr %p, i32 %n) {
entry:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %loop, label %done
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %total = phi i32 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr inbounds i32, ptr %p, i32 %i
  %x = load i32, ptr %at
  %h = call i32 @helper(i32 %x)
  %more = add i32 %total, %h
  %next = add nsw i32 %i, 1
  %again = icmp slt i32 %next, %n
  br i1 %again, label %loop, label %done
done:
  %result = phi i32 [ 0, %entry ], [ %more, %loop ]
  %o = call i32 @outer(i32 %result)
  %e = getelementptr [4 x i32], ptr @table, i32 0, i32 %o
  %t = load i32, ptr %e
  store i32 %o, ptr %e
  %all = add i32 %t, %o
  ret i32 %all
}
define double @area(double %r) {
  %s = fmul double %r, %r
  %a = fmul double %s, 0x400921FB54442D18
  ret double %a
}
"""

# Found to miscompile, or to end the process; each is built of passes that the official pipelines do not have.
BREAKING = (
    "iroutliner,attributor",
    "attributor,default<Oz>",
    "cgscc(attributor-cgscc),function(gvn-sink)",
    "function(gvn),attributor,function(newgvn)",
    "function(unify-loop-exits)",
    "function(loop-versioning-licm)",
    "function(loop-mssa(loop-versioning-licm))",
)
# Symbols, guarantees or instrumentation change: a size that is bought with these is none.
CHANGING = ("internalize", "strip", "deadarghaX0r", "metarenamer", "lower-atomic", "function(lower-atomic)", "asan")
SYNTAX = re.compile(r"unknown .*(pass|parameter)|invalid|unbalanced|unexpected", re.IGNORECASE)

majors = pytest.mark.parametrize("major", [22, 19])


def compiler(major: int) -> str:
    """clang of one version; the test is left out where it is not installed."""
    try:
        lib.find(major)
        clang.tool("opt", major)
        clang.compiler_version(f"clang-{major}")
    except ToolMissing as missing:
        pytest.skip(str(missing))
    return f"clang-{major}"


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1, Limits(60.0, 4 << 30)) as made:
        yield made


def measured(pool: Pool, major: int, steps: Sequence[str], plans: Sequence[Plan]) -> dict[str, Measurement]:
    """What the machine says of each plan, by its text."""
    task, source = Passes(lib.find(major).path, tuple(steps)), Source(IR, "llvm", target="x86_64-unknown-linux-gnu -Oz")
    return {str(plans[i]): found for i, found in pool.measure(task, source, plans)}


def grammar(steps: Sequence[str]) -> Pipelines:
    return Pipelines(steps, ("helper", "sum", "area"))


def drawn(steps: Sequence[str], n: int, *, own: bool) -> list[Plan]:
    """Random plans; without lists of their own for functions where the version cannot run them."""
    made = [draft.answer for draft in Uniform().sample("", grammar(steps) if own else Pipelines(steps), n, 5)]
    return [plan for plan in made if plan is not None]


@majors
@pytest.mark.parametrize("text", BREAKING + CHANGING)
def test_what_is_known_to_break_is_refused(major: int, text: str) -> None:
    with pytest.raises(ValueError, match="cannot stand here"):
        Pipelines(vocabulary.safe(compiler(major))).parse(text)


@majors
def test_official_pipelines_are_within_the_safe_vocabulary(major: int) -> None:
    program = compiler(major)
    known = Pipelines(vocabulary.safe(program))
    for level, steps in vocabulary.official(program).items():
        kept = Plan(vocabulary.useful(steps))
        assert known.parse(str(kept)) == kept, level
        assert known.parse(f"default<{level}>") == Plan((f"default<{level}>",))


@majors
def test_every_safe_step_runs_alone(major: int, pool: Pool) -> None:
    steps = vocabulary.safe(compiler(major))
    assert len(set(steps)) == len(steps) > 80
    found = measured(pool, major, steps, [Plan((step,)) for step in steps])
    assert {text: m.error for text, m in found.items() if m.error} == {}


@majors
def test_every_extended_step_runs_alone(major: int, pool: Pool) -> None:
    program = compiler(major)
    steps, safe = vocabulary.extended(program, clang.tool("opt", major)), set(vocabulary.safe(program))
    found = measured(pool, major, steps, [Plan((step,)) for step in steps if step not in safe])
    assert len(set(steps)) == len(steps) and len(found) > 30
    assert {text: m.error for text, m in found.items() if m.error} == {}


@majors
def test_random_plans_are_accepted(major: int, pool: Pool) -> None:
    steps = vocabulary.safe(compiler(major))
    plans = drawn(steps, 200, own=major >= 20)
    assert (major < 20) or any(plan.functions for plan in plans)
    found = measured(pool, major, steps, plans)
    bad = {text: m.error for text, m in found.items() if SYNTAX.search(m.error) or m.error.startswith("crash")}
    assert bad == {}
    assert sum(m.ok for m in found.values()) > 0.9 * len(found)


@majors
def test_text_goes_there_and_back(major: int) -> None:
    steps = vocabulary.safe(compiler(major))
    for plan in drawn(steps, 200, own=True):
        assert parse_plan(str(plan)) == plan
        assert grammar(steps).parse(str(plan)) == plan
        assert grammar(steps).read(grammar(steps).write(plan)) == plan


@majors
def test_a_step_alone_is_a_pipeline_of_that_step(major: int) -> None:
    for step in vocabulary.safe(compiler(major)):
        assert flatten(str(Plan((step,)))) == (step,)


@majors
@pytest.mark.parametrize("kind", ["safe", "extended"])
def test_the_list_is_remembered(major: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = compiler(major)
    make: Callable[[], tuple[str, ...]] = partial(vocabulary.safe, program)
    if kind == "extended":
        make = partial(vocabulary.extended, program, clang.tool("opt", major))
    first = make()
    monkeypatch.setattr(vocabulary, "official", pytest.fail)
    monkeypatch.setattr(vocabulary, "_listed", pytest.fail)
    assert make() == first
