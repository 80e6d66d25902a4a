"""The task `passes`, every model on it, and plans that are made shorter."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from forerun import improve, minimise, registry
from forerun.core import Source
from forerun.grammars.pipelines import Plan, parse_plan
from forerun.models._chain import model
from forerun.models._predictor import Predictor
from forerun.models.mix import SHARED, groups
from forerun.sandbox import Pool
from forerun.solve import Budget, solve
from forerun.tasks.passes import Passes
from forerun.testing import check_grammar, check_model, check_task, check_toolchain
from forerun.toolchains.llvm import clang
from forerun.toolchains.llvm.elf import read_object

Prepared = tuple[Passes, Source]
OZ = Plan(("default<Oz>",))


def test_the_task_keeps_its_laws(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    plans = [OZ, Plan(), Plan(("function/gvn<>",)), parse_plan("globalopt @crc(sroa<modify-cfg>,early-cse<>)")]
    check_task(task, source, plans, pool)
    check_grammar(task.grammar(source), plans, walks=50)


@pytest.mark.parametrize("name", registry.names("toolchains"))
def test_every_toolchain_keeps_its_laws(name: str) -> None:
    check_toolchain(registry.find("toolchains", name)())


MODELS = [  # Without those that answer with numbers, and those that need a checkpoint or a tensor program.
    name
    for name in registry.names("models")
    if name not in ("encoder_decoder", "scheduler") and not issubclass(registry.find("models", name), Predictor)
]


@pytest.mark.parametrize("name", [*MODELS, "mix+coreset+evolve"])
def test_every_model_keeps_its_laws(name: str, prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    history = solve(task, model("coreset+evolve"), source, pool=pool, budget=Budget(48)).trials
    check_model(model(name), task.grammar(source), histories=[(), task.rank(history), history[:3]])


def test_everything_registered_has_a_summary() -> None:
    for kind in ("tasks", "models", "toolchains"):
        for name in registry.names(kind):
            assert registry.find(kind, name).__doc__


def test_what_is_measured_of_a_plan(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    before, oz, nothing = (m for _, m in sorted(pool.measure(task, source, [None, OZ, Plan()]), key=lambda x: x[0]))
    assert dict(oz.values) == dict(before.values)  # the library's -Oz is the compiler's
    assert nothing.values["text"] > 1.5 * oz.values["text"]
    assert oz.values["size"] == oz.values["text"] + oz.values["data"]
    assert oz.values["unwind"] > 0 and oz.values["instructions"] > 0
    assert set(oz.parts) == {"crc", "sorted", "main"} and sum(oz.parts.values()) == oz.values["text"]
    assert re.fullmatch(r"LLVM \d+\.\d+\.\d+", oz.tool)


@pytest.mark.parametrize(
    ("plan", "error"),
    [
        (Plan(("no-such-pass",)), "unknown pass name"),
        (Plan(("globaldce", "internalize")), "the symbol table differs"),
        (Plan((), (("crc", ("function/no-such-pass",)),)), "unknown function pass"),
    ],
)
def test_a_plan_that_fails_is_a_value(plan: Plan, error: str, prepared: Prepared, pool: Pool) -> None:
    measurement = next(m for _, m in pool.measure(*prepared, [plan]))
    assert error in measurement.error and not measurement.ok


def test_passes_of_one_function_change_that_function_only(prepared: Prepared, pool: Pool) -> None:
    own = parse_plan(" @crc(sroa<modify-cfg>,early-cse<>,simplifycfg)")
    before, after = (m for _, m in sorted(pool.measure(*prepared, [Plan(), own]), key=lambda x: x[0]))
    assert after.parts["crc"] < before.parts["crc"]
    assert {n: s for n, s in after.parts.items() if n != "crc"} == {n: s for n, s in before.parts.items() if n != "crc"}


def test_a_composition_is_what_its_parts_promise(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    trials = solve(task, model("evolve"), source, pool=pool, budget=Budget(60)).trials
    group = groups(trials, "text")[0]
    promise, plan = group.composed()
    measured = next(m for _, m in pool.measure(task, source, [plan]))
    assert group.shared in SHARED and measured.ok
    assert measured.values["text"] == promise <= min(t.measurement.values["text"] for t in trials)


def test_the_whole_search_is_deterministic_and_never_worse(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    runs = [solve(task, model(improve.MODEL), source, pool=pool, budget=Budget(60), seed=1) for _ in range(2)]
    assert [t.draft.answer for t in runs[0].trials] == [t.draft.answer for t in runs[1].trials]
    assert runs[0].after < runs[0].before
    # Where the coreset is not through there is no chance yet.
    one, two = (solve(task, model("mix+evolve"), source, pool=pool, budget=Budget(20), seed=s) for s in (1, 2))
    assert [t.draft.answer for t in one.trials] != [t.draft.answer for t in two.trials]


def test_a_minimised_plan_measures_the_same_with_less(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    result = solve(task, model(improve.MODEL), source, pool=pool, budget=Budget(40))
    short = minimise.minimise(task, source, result, pool)
    assert short.best.draft.answer and result.best.draft.answer
    assert len(short.best.draft.answer) < len(result.best.draft.answer)
    again = next(m for _, m in pool.measure(task, source, [short.best.draft.answer]))
    for key in ("text", "data", "size"):
        assert again.values[key] == result.best.measurement.values[key]
    # Every pass that is left does something: without it, what is measured changes.
    rows = minimise.explain(task, source, short.best.draft.answer, pool)
    assert len(rows) == len(short.best.draft.answer)
    steps, own = short.best.draft.answer.steps, short.best.draft.answer.functions
    without = [Plan(steps[:i] + steps[i + 1 :], own) for i in range(len(steps))]
    for _, measured in pool.measure(task, source, without):
        assert any(measured.values.get(key) != again.values[key] for key in ("text", "data", "size"))


@pytest.mark.parametrize("level", ["-Os", "-O2"])
def test_a_program_of_cxx_is_not_larger_when_it_is_linked(level: str, compiler: str, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        "#include <map>\n#include <string>\n#include <vector>\n#include <stdexcept>\n"
        "int main(int c, char **v) { std::map<std::string, std::vector<int>> m; m[v[0]].push_back(c);\n"
        'if (m.size() > 3) throw std::runtime_error("x"); return m.begin()->second[0] - c; }\n'
    )
    improve.optimize(tmp_path / "a.cpp", flags=[level], compiler=compiler, budget=12, output=tmp_path / "small.o")
    subprocess.run([compiler, level, "-c", f"{tmp_path}/a.cpp", "-o", f"{tmp_path}/plain.o"], check=True)
    loaded = []
    for name in ("plain", "small"):
        subprocess.run([compiler, f"{tmp_path}/{name}.o", "-lstdc++", "-o", f"{tmp_path}/{name}"], check=True)
        assert subprocess.run([f"{tmp_path}/{name}"], check=False).returncode == 0
        found = read_object((tmp_path / name).read_bytes())
        loaded.append(found.size + found.unwind)
    assert loaded[1] <= loaded[0]


def test_a_baseline_without_the_users_compiler_is_the_levels_own_pipeline(prepared: Prepared, pool: Pool) -> None:
    task, source = prepared
    bare = replace(source, reference=b"")
    assert next(m for _, m in pool.measure(task, bare, [None])).values["text"] > 0


@pytest.mark.parametrize("objective", ["size", "instructions", "cycles"])
def test_every_objective_is_measured(objective: str, prepared: Prepared, pool: Pool) -> None:
    task, source = replace(prepared[0], objective=objective), prepared[1]
    found = dict(pool.measure(task, source, [None, OZ, Plan()]))
    assert all(m.ok for m in found.values()), found
    assert found[1].values[objective] < found[2].values[objective]
    assert task.id == ("passes/3" if objective != "cycles" else "passes/3/cycles:")


def test_cycles_are_of_the_named_functions(prepared: Prepared, pool: Pool) -> None:
    def cycles(*hot: str) -> float:
        task = replace(prepared[0], objective="cycles", hot=hot)
        return next(m for _, m in pool.measure(task, prepared[1], [OZ])).values["cycles"]

    assert cycles("crc") + cycles("sorted") + cycles("main") == pytest.approx(cycles())
    assert cycles("crc") > cycles("main")  # two nested loops
    task = replace(prepared[0], objective="cycles", hot=("nowhere",))
    assert "no code of nowhere" in next(m for _, m in pool.measure(task, prepared[1], [OZ])).error


def test_aarch64_objects_are_measured_too(compiler: str, tmp_path, pool: Pool) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.c"
    path.write_text("int f(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n")
    command = improve.command_for(str(path), compiler, ["-Oz", "--target=aarch64-linux-gnu"])
    task, source = improve.prepare(command, improve.Options("text"), clang.front_end(command))
    found = dict(pool.measure(task, source, [None, OZ]))
    assert source.target.startswith("aarch64") and dict(found[0].values) == dict(found[1].values)


def test_what_the_user_marked_always_inline_is_inlined(compiler: str, tmp_path, pool: Pool) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.c"
    body = "for (int i = 0; i < n; i++) { s += p[i] * k; s ^= s >> 3; if (s > 99) s -= p[0] / (k + 1); }"
    calls = "\n".join(f"int f{k}(int *p, int n) {{ return big(p, n, n + {k}); }}" for k in range(6))
    path.write_text(
        "static inline __attribute__((always_inline))\n"
        f"int big(int *p, int n, int k) {{ int s = 0; {body} return s; }}\n{calls}\n"
    )
    command = improve.command_for(str(path), compiler)
    task, source = improve.prepare(command, improve.Options("text"), clang.front_end(command))
    saving = parse_plan("function(sroa<modify-cfg>,early-cse<>,instcombine<max-iterations=1;no-verify-fixpoint>)")
    found = dict(pool.measure(task, source, [None, saving, Plan(("always-inline", *saving.steps))]))
    assert found[1].error == "a call of the always_inline function big is left"
    assert found[2].ok
    best = solve(task, model(improve.MODEL), source, pool=pool, budget=Budget(20)).after
    assert best > 0.5 * found[0].values["text"]


def test_calls_that_the_user_marked_always_inline_are_inlined(compiler: str, tmp_path, pool: Pool) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.cpp"
    path.write_text(
        "__attribute__((noinline)) int other(int);\n"
        "int big(int *p, int n) { int s = 0; for (int i = 0; i < n; i++) { s += p[i] * n; s ^= s >> 3; } return s; }\n"
        "int f(int *p, int n) { int r; [[clang::always_inline]] r = big(p, n); return other(r); }\n"
        "__attribute__((flatten)) int g(int *p, int n) { return big(p, n + 1) + big(p, 3); }\n"
    )
    command = improve.command_for(str(path), compiler)
    task, source = improve.prepare(command, improve.Options("text"), clang.front_end(command))
    saving = parse_plan("function(sroa<modify-cfg>,early-cse<>,instcombine<max-iterations=1;no-verify-fixpoint>)")
    found = dict(pool.measure(task, source, [saving, Plan(("always-inline", *saving.steps)), OZ]))
    assert "marked always_inline is left" in found[0].error
    assert found[1].ok and found[2].ok


def test_inline_functions_of_cxx_may_come_and_go(compiler: str, tmp_path, pool: Pool) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "a.cpp"
    path.write_text(
        "template <class T> struct Box { T v[9]; T sum() const { T s = 0; for (T x : v) s += x; return s; } };\n"
        "struct Base { virtual ~Base() {} virtual int f() { return 1; } };\n"
        "int g(Box<int> *b, Box<long> *c, Base *d) { return b->sum() + (int)c->sum() + d->f(); }\n"
        "Base *make() { return new Base; }\n"
    )
    command = improve.command_for(str(path), compiler)
    task, source = improve.prepare(command, improve.Options("text"), clang.front_end(command))
    plain, whole = Plan(("function/sroa<modify-cfg>",)), Plan(("default<O3>",))
    found = dict(pool.measure(task, source, [None, plain, whole]))
    assert found[0].ok
    assert all(m.ok or m.error.startswith("linked, it may be") for m in found.values()), found
