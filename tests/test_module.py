"""What a worker measures is what the stock tools build: the same object, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from forerun import improve
from forerun.core import Source
from forerun.errors import ToolMissing
from forerun.grammars.pipelines import Pipelines, Plan
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.tasks.passes import Passes
from forerun.toolchains.llvm import clang, lib, stock, vocabulary
from forerun.toolchains.llvm.elf import read_object
from forerun.toolchains.llvm.module import Evaluation, Module
from forerun.toolchains.llvm.target import Target

PROGRAM = """
#include <stddef.h>
extern int printf(const char *, ...);
struct pair { int key; const char *name; };
static const struct pair pairs[] = {{1, "one"}, {2, "two"}, {30, "thirty"}};
static int counter;

static const char *found(int key) {
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].key == key) return pairs[i].name;
    return NULL;
}

unsigned hashed(const unsigned char *p, size_t n) {
    unsigned h = 2166136261u;
    while (n--) h = (h ^ *p++) * 16777619u;
    return h;
}

int classified(int c) {
    switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u': return 1;
    case '0' ... '9': return 2;
    case ' ': case 9: case 10: return 3;
    default: return c > 127 ? -1 : 0;
    }
}

double mean(const float *x, int n) {
    double total = 0;
    for (int i = 0; i < n; i++) total += x[i] * 0.5;
    return n ? total / n : -1.0;
}

void shown(int key) {
    const char *name = found(key);
    if (name) printf("%s %d\\n", name, ++counter);
    else printf("none\\n");
}

int depth(const struct pair *p) { return p ? 1 + depth(p->key ? p + p->key : NULL) : 0; }
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> clang.Command:
    file = tmp_path_factory.mktemp("module") / "a.c"
    file.write_text(PROGRAM)
    try:
        return improve.command_for(str(file), clang.default_compiler(), ("-Oz",))
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(1, Limits(60.0, 4 << 30)) as made:
        yield made


def both(library: str, text: str, target: str, plans: list[Plan]) -> list[tuple[bytes, bytes, Evaluation, Evaluation]]:
    """For each plan, in a worker: bitcode, object, and the evaluation twice, the second one remembered."""
    module = Module(lib.load(library), text, Target.parse(target))
    made = []
    for plan in plans:
        bitcode = module.optimise(plan, module.bare)
        made.append((bitcode, module.emit(bitcode), module.evaluate(plan), module.evaluate(plan)))
    return made


def drawn(steps: tuple[str, ...], functions: tuple[str, ...], n: int) -> list[Plan]:
    drafts = Uniform(20).sample("", Pipelines(steps, functions), n, 11)
    return [draft.answer for draft in drafts if draft.answer is not None]


@pytest.mark.parametrize("kind", ["module", "functions"])
def test_stock_tools_build_the_same_bytes(command: clang.Command, pool: Pool, kind: str) -> None:
    task, source = improve.prepare(command, improve.Options(), clang.front_end(command))
    major = clang.compiler_version(command.compiler)[1]
    plans = drawn(task.vocabulary, (), 19)
    if kind == "functions":
        if major < lib._SINCE["LLVMRunPassesOnFunction"]:
            pytest.skip("this LLVM runs no pipeline on one function")
        local = tuple(step for step in task.vocabulary if step.startswith("function/"))
        own = [(("classified", local[i : i + 9]), ("hashed", local[-9 - i :])) for i in range(4)]
        plans = [Plan(plan.steps, lists) for plan, lists in zip(plans, own, strict=False)]
    plans = [Plan(("default<Oz>",)), *plans]
    target = Target.parse(source.target)
    # The C API has no switch for the table of address-significant symbols: it is not loaded, and no size counts it.
    plain = replace(target, options=tuple(option for option in target.options if option != "--addrsig"))
    results = pool.call(both, task.library, source.text, source.target, plans)
    for plan, (bitcode, emitted, evaluation, again) in zip(plans, results, strict=True):
        theirs = stock.bitcode(source.text, plan, target, major)
        # A table of names keeps the order of its hash table, which tells how often the module was written in between.
        assert kind == "functions" or bitcode == theirs, plan
        assert emitted == stock.object_file(theirs, plain, major), plan
        assert evaluation.object == read_object(stock.object_file(theirs, target, major)), plan
        assert evaluation == again and evaluation.instructions > 0


def test_stock_tools_know_functions_that_the_module_steps_renamed(tmp_path: Path, compiler: str, pool: Pool) -> None:
    # What resolves the alias of the initialiser gives its name to the function.
    source = tmp_path / "a.cpp"
    source.write_text(
        "struct Name { Name(int); ~Name(); int n; };\nthread_local Name first(1), second(2);\n"
        "int used(int k) { first.n += k; return second.n; }\n"
    )
    command = improve.command_for(str(source), compiler)
    task, module = improve.prepare(command, improve.Options(), clang.front_end(command))
    major = clang.compiler_version(compiler)[1]
    if major < lib._SINCE["LLVMRunPassesOnFunction"]:
        pytest.skip("this LLVM runs no pipeline on one function")
    target = Target.parse(module.target)
    plan = Plan(("globalopt",), (("_Z4usedi", ("function/tailcallelim", "function/early-cse<>")),))
    ours = improve.apply(pool, task, module, plan)
    theirs = stock.bitcode(module.text, plan, target, major)
    assert b"_ZTH5first" in ours
    assert stock.object_file(ours, target, major) == stock.object_file(theirs, target, major)


def test_what_is_evaluated_is_the_emitted_object(command: clang.Command, pool: Pool) -> None:
    task, source = improve.prepare(command, improve.Options(), clang.front_end(command))
    plans = drawn(task.vocabulary, ("hashed", "mean"), 30)
    for _, emitted, evaluation, _ in pool.call(both, task.library, source.text, source.target, plans):
        assert read_object(emitted) == evaluation.object


def test_an_evaluation_leaves_nothing_behind(command: clang.Command, pool: Pool) -> None:
    """The order in which plans are tried changes no result."""
    task, source = improve.prepare(command, improve.Options(), clang.front_end(command))
    plans = drawn(task.vocabulary, ("hashed", "mean"), 15)
    forwards = pool.call(both, task.library, source.text, source.target, plans)
    backwards = pool.call(both, task.library, source.text, source.target, plans[::-1])
    assert forwards == backwards[::-1]


def test_bad_ir_is_a_value(pool: Pool) -> None:
    task = Passes(lib.find().path, vocabulary.OFFICIAL)
    found = [
        measurement
        for text in ("", "not IR", "define i32 @f() {\n  ret i64 0\n}\n")
        for _, measurement in pool.measure(
            task, Source(text, "llvm", target="x86_64-unknown-linux-gnu -Oz"), [Plan(("globaldce",))]
        )
    ]
    assert not any(m.error.startswith("crash") for m in found)
    assert found[1].error and found[2].error


def test_a_target_that_llvm_has_not_is_a_value(pool: Pool) -> None:
    task, source = Passes(lib.find().path, ()), Source("", "llvm", target="pdp11-none-none -Oz")
    (_, measurement), *_ = pool.measure(task, source, [Plan(("globaldce",))])
    assert "pdp11" in measurement.error
