"""The design spaces of TVM: all that may be written replays to exactly what was written."""

import json
import math
import random
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from forerun.core import Source
from forerun.corpora import workloads
from forerun.errors import InputError, UsageError
from forerun.grammars.decisions import Decisions, Plan
from forerun.models._judge import REFUSED
from forerun.models.scheduler import GLIMPSED, IN_REGISTERS, PARTIAL, POPULATION, STATIONARY, Scheduler
from forerun.models.uniform import Uniform
from forerun.testing import check_grammar

pytest.importorskip("tvm_ffi")

from forerun.toolchains.tvm import _load, space, text
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm._load import intrinsics, load
from forerun.toolchains.tvm.device import located
from forerun.toolchains.tvm.extract import built, written
from forerun.toolchains.tvm.features import BUSY, features
from forerun.toolchains.tvm.measure import measure
from forerun.toolchains.tvm.register_tiles import partial_sums, register_tiles, stationary_tiles
from forerun.toolchains.tvm.space import Beginnings, Program, Refused

TARGET = '{"kind":"llvm","mcpu":"x86-64","num-cores":2}'
SHAPES = {
    "C1D": (1, 64, 16, 32, 3, 2, 1), "C2D": (1, 28, 28, 16, 24, 3, 1, 1), "C3D": (1, 4, 14, 14, 8, 16, 3, 1, 1),
    "GRP": (1, 14, 14, 16, 32, 3, 1, 1, 1, 4), "DIL": (1, 14, 14, 16, 16, 3, 1, 1, 2), "DEP": (1, 28, 28, 32, 3, 2, 1),
    "T2D": (1, 4, 4, 32, 16, 4, 2, 1), "CAP": (1, 8, 8, 4, 8, 3, 2, 1), "CBR": (1, 28, 28, 8, 16, 3, 1, 1),
    "GMM": (2, 48, 96, 84), "NRM": (2, 64, 48), "SFM": (64, 96), "TBG": (2, 32, 4, 24),
}  # fmt: skip
"""Small shapes of all of TVM's own operators but Winograd's, which this version of TVM cannot make."""


def source(name: str, sizes: tuple[int, ...] = ()) -> Source:
    tvm = load()
    from tvm import te
    from tvm.s_tir.meta_schedule.testing.te_workload import CONFIGS

    made = te.create_prim_func(CONFIGS[name][0](*(sizes or SHAPES[name])))
    return Source(written(tvm.IRModule({"main": made})), "tensorir", name, TARGET)


@pytest.fixture(scope="module")
def programs():
    return {name: Program(source(name)) for name in SHAPES}


BYTES = """
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64, 128), "uint8"), b: T.Buffer((32, 128), "int8"), c: T.Buffer((64, 32), "int32")):
    for i, j, k in T.grid(64, 32, 128):
        with T.sblock("matmul"):
            vi, vj, vk = T.axis.remap("SSR", [i, j, k])
            with T.init():
                c[vi, vj] = T.int32(0)
            c[vi, vj] = c[vi, vj] + T.cast(a[vi, vk], "int32") * T.cast(b[vj, vk], "int32")
"""


@pytest.mark.parametrize("processor", ["cascadelake", "znver4"])
def test_products_of_bytes_can_be_built(processor):
    target = f'{{"kind":"llvm","mtriple":"x86_64-linux-gnu","mcpu":"{processor}","num-cores":1}}'
    program = Program(Source(BYTES, "tensorir", "bytes", target))
    for plan in program.random(6, 0):
        assert built(program.scheduled(plan).mod, program.target)


def test_an_aarch64_has_the_spaces_of_other_processors(monkeypatch):
    """TVM's own need intrinsics, which take seconds to load in each worker, and of bytes cannot be built."""
    there, other = (
        f'{{"kind":"llvm","mtriple":"{triple}-linux-gnu"{cpu},"num-cores":1}}'
        for triple, cpu in (("aarch64", ',"mcpu":"neoverse-n1"'), ("x86_64", ""))
    )
    asked = list[bool]()
    monkeypatch.setattr(space, "intrinsics", lambda target, of_use: asked.append(of_use))
    for asking in (source("GMM").text, source("NRM").text, BYTES.replace('"uint8"', '"int8"')):
        found, usual = (Program(Source(asking, "tensorir", "x", target)) for target in (there, other))
        assert [str(each.trace) for each in found.spaces] == [str(each.trace) for each in usual.spaces]
        assert targets.registers(there) == (32, 128)
        code = [built(found.scheduled(plan).mod, found.target).mod.inspect_source("s") for plan in found.random(3, 0)]
        assert ("int8" in asking) != any("fmla" in each for each in code)
    assert asked[::2] == [False] * 3


def test_an_aarch64_has_its_intrinsics_where_no_triple_is_named(monkeypatch):
    """TVM's rules ask for dot products of bytes there, whatever the program is made of."""
    from tvm.target import codegen

    imported = list[str]()
    for name in ("arm_cpu", "riscv_cpu"):
        monkeypatch.setitem(sys.modules, f"tvm.s_tir.tensor_intrin.{name}", ModuleType(name))
    monkeypatch.setattr(codegen, "llvm_get_system_triple", lambda: "aarch64-conda-linux-gnu")
    monkeypatch.setattr(_load, "importlib", SimpleNamespace(import_module=imported.append))
    own = targets.made(TARGET)
    assert not targets.x86_64(own)
    intrinsics(own, False)
    assert imported == []
    intrinsics(own)
    assert imported == ["tvm.s_tir.tensor_intrin.arm_cpu"]


SUMS = """
@T.prim_func(s_tir=True)
def main(a: T.Buffer((64, 256), "float32"), b: T.Buffer((64, 256), "float32")):
{buffers}
{sums}
    for i, j in T.grid(64, 256):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            b[vi, vj] = a[vi, vj] + {read}
"""
SUM = """
    for i, j in T.grid(64, 256):
        with T.sblock("s{0}"):
            vi, vj = T.axis.remap("SR", [i, j])
            with T.init():
                s{0}[vi] = T.float32(0)
            s{0}[vi] = s{0}[vi] + a[vi, vj] * T.float32({0})
"""


MASKED = """# from tvm.script import tirx as T
@T.prim_func(s_tir=True)
def main(
    a: T.Buffer((3, 16, 8), "float32"), b: T.Buffer((3, 8, 16), "float32"), seen: T.Buffer((1, 16, 16), "bool"),
    c: T.Buffer((3, 16, 16), "float32"),
):
    made = T.sblock_alloc_buffer((3, 16, 16), "float32")
    mask = T.sblock_alloc_buffer((1, 16, 16), "float32")
    for h, i, j, k in T.grid(3, 16, 16, 8):
        with T.sblock("matmul"):
            vh, vi, vj, vk = T.axis.remap("SSSR", [h, i, j, k])
            with T.init():
                made[vh, vi, vj] = T.float32(0)
            made[vh, vi, vj] = made[vh, vi, vj] + a[vh, vi, vk] * b[vh, vk, vj]
    for h, i, j in T.grid(1, 16, 16):
        with T.sblock("where"):
            vh, vi, vj = T.axis.remap("SSS", [h, i, j])
            mask[vh, vi, vj] = T.Select(seen[vh, vi, vj], T.float32(0), T.float32(-10000))
    for h, i, j in T.grid(3, 16, 16):
        with T.sblock("add"):
            vh, vi, vj = T.axis.remap("SSS", [h, i, j])
            c[vh, vi, vj] = made[vh, vi, vj] + mask[0, vi, vj]
"""


def test_a_mask_that_heads_share_is_no_obstacle():
    program = Program(Source(MASKED, "tensorir", "masked", TARGET))
    assert len(program) == 3
    assert all(program.takes(plan) for plan in program.random(4, 0))
    assert measure(program.source, program.random(1, 0)[0]).ok


@pytest.mark.parametrize("name", ["softmax", "min"])
def test_maxima_and_minima_of_float64_have_a_text(name):
    """They begin with numbers that TVM writes and does not read."""
    tvm = load()
    data = tvm.te.placeholder((12, 24), dtype="float64", name="data")
    found = tvm.topi.nn.softmax(data) if name == "softmax" else tvm.topi.min(data, axis=1)
    module = tvm.IRModule({"main": tvm.te.create_prim_func([data, found]).with_attr("global_symbol", "main")})
    assert "e+308" in module.script() or "1797693" in module.script()
    for each in (written(module), module.script()):
        program = Program(Source(each, "tensorir", name, TARGET))
        assert all(measure(program.source, plan).ok for plan in (None, *program.random(2, 0)))


def test_what_post_processing_raises_is_a_refusal(monkeypatch):
    program = Program(Source(MASKED, "tensorir", "masked", TARGET))

    class Raises:
        def apply(self, schedule):
            raise TypeError("not of this kind")

    (plan,) = program.random(1, 0)
    monkeypatch.setattr(program, "_postprocs", [Raises()])
    with pytest.raises(Refused, match="Raises: not of this kind"):
        program.scheduled(plan)


def test_of_more_design_spaces_than_there_are_words_some_are_taken():
    buffers = "\n".join(f'    s{i} = T.sblock_alloc_buffer((64,), "float32")' for i in range(1, 5))
    sums, read = "".join(map(SUM.format, range(1, 5))), " + ".join(f"s{i}[vi]" for i in range(1, 5))
    made = SUMS.format(buffers=buffers, sums=sums, read=read)
    program = Program(Source(f"# from tvm.script import tirx as T\n{made}", "tensorir", "sums", TARGET))
    assert len(program) == 64 and program.usual
    assert all(program.takes(plan) for plan in program.random(8, 0))
    assert max(plan.space for plan in program.random(99, 0)) > 48


@pytest.mark.parametrize("name", SHAPES)
def test_every_sentence_replays_to_exactly_its_decisions(programs, name):
    program = programs[name]
    grammar, refused = Decisions(program), 0
    drafts = Uniform(1).sample("", grammar, 16, seed=5)
    assert len({draft.answer for draft in drafts}) > 5
    for plan in (draft.answer for draft in drafts):
        trace = program.replay(plan).trace  # Raises Refused where TVM decides otherwise
        assert program.plan(trace) == plan
        assert grammar.parse(grammar.text(plan)) == plan
        assert len(plan) == len(program.spaces[plan.space].asks)
        try:
            program.scheduled(plan)
        except Refused as error:
            assert "post-processing" in str(error)
            refused += 1
    assert refused < 0.5 * len(drafts)
    check_grammar(grammar, walks=5, seed=1)


def test_sentences_of_all_that_networks_fuse_replay_too():
    """Of each sequence of operators in the table of networks' programs the one with the least work."""
    table, least = Path(__file__).parents[1] / "benchmarks" / "measured" / "tensor-programs.jsonl.gz", {}
    for each in workloads.read(table):
        operators = re.sub(r"\d+", "", each.name.rpartition("/")[2])
        if operators not in least or each.flops < least[operators].flops:
            least[operators] = each
    assert len(least) > 80
    for operators, each in least.items():
        program = Program(Source(each.text, "tensorir", operators, TARGET))
        grammar = Decisions(program)
        for draft in Uniform(1).sample("", grammar, 2, seed=5):
            assert program.plan(program.replay(draft.answer).trace) == draft.answer, operators
            assert grammar.parse(grammar.text(draft.answer)) == draft.answer, operators


@pytest.mark.parametrize("name", ["C2D", "DEP", "GMM", "SFM", "TBG"])
def test_what_tvm_samples_can_be_written(programs, name):
    from tvm.s_tir import Schedule

    program = programs[name]
    grammar, spaces = Decisions(program), set()
    for seed in range(1, 13):
        space = program.spaces[seed % len(program)]
        schedule = Schedule(program.module, seed=seed)
        type(space.trace)(space.trace.insts, {}).apply_to_schedule(schedule, remove_postproc=True)
        plan = program.plan(schedule.trace)
        assert grammar.read(grammar.write(plan)) == plan
        spaces.add(plan.space)
    assert spaces == set(range(len(program)))
    drawn = program.random(16, seed=3)
    assert drawn == program.random(16, seed=3) != program.random(16, seed=4)
    assert all(grammar.read(grammar.write(plan)) == plan for plan in drawn) and len(set(drawn)) > 5


@pytest.mark.parametrize("name", ["C2D", "GMM", "SFM"])
def test_mutations_are_legal_and_mostly_change_one_decision(programs, name):
    program, unmutated = programs[name], Program(programs[name].source)
    grammar, apart = Decisions(program), list[int]()
    for seed, plan in enumerate(program.random(30, seed=2)):
        (child,) = program.mutated([plan], random.Random(seed))
        assert [child] == program.mutated([plan], random.Random(seed))
        assert grammar.read(grammar.write(child)) == child
        assert program.scheduled(child).mod.script() == unmutated.scheduled(child).mod.script()
        if child.space == plan.space:
            apart.append(sum(a != b for a, b in zip(child.decisions, plan.decisions, strict=True)))
    assert len(apart) < 30 and max(apart) > 0
    assert sum(count == 1 for count in apart) > 0.4 * len(apart)


@pytest.mark.parametrize("name", ["C2D", "GMM", "SFM"])
def test_beginnings_end_before_a_place_and_are_completed(programs, name):
    program = programs[name]
    begun = Beginnings(program)
    grammar = Decisions(begun)
    check_grammar(grammar, walks=5, seed=1)
    drawn = list(dict.fromkeys(draft.answer for draft in Uniform(60).sample("", grammar, 20, seed=2)))
    plans = program.completed(drawn, seed=3)
    assert plans == program.completed(drawn, seed=3) and len(plans) > 0.9 * len(drawn)
    assert {begun.of(plan) for plan in plans} <= set(drawn)
    for plan in plans:
        assert Decisions(program).read(Decisions(program).write(plan)) == plan
        pieces = Decisions(program).write(plan)
        ends = next((i for i, piece in enumerate(pieces) if piece.startswith("L")), len(pieces))
        assert grammar.write(begun.of(plan)) == pieces[:ends]


def test_the_number_of_cores_changes_nothing(programs, monkeypatch):
    found = []
    for count in (1, 3):
        monkeypatch.setattr("forerun.threads.cores", lambda count=count: count)
        monkeypatch.setattr("forerun.toolchains.tvm.features.cores", lambda count=count: count)
        program = Program(programs["DEP"].source)
        plans = program.random(24, seed=1)
        plans += program.mutated(plans, random.Random(2))
        found.append((plans, features(program, plans)))
    assert found[0][0] == found[1][0]
    assert np.array_equal(found[0][1], found[1][1], equal_nan=True) and not np.isnan(found[0][1]).all()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_what_threads_share_is_told(threads):
    target = TARGET.replace('"num-cores":2', f'"num-cores":{threads}')
    program = Program(replace(source("GMM", (1, 90, 50, 16)), target=target))
    plans = program.random(12, seed=0)
    shares = set()
    for plan, row in zip(plans, features(program, plans), strict=True):
        loops = re.findall(r"T\.parallel\((?:T\.int64\()?(\d+)", program.scheduled(plan).mod.script())
        told, each, filled = *row[-3:-1], row[BUSY]
        assert told == math.log2(threads) and any(math.isclose(2**each * threads, int(n)) for n in (*loops, "1"))
        rounds = round(2**each * threads)
        assert math.isclose(filled, rounds / (threads * -(-rounds // threads)))
        shares.add(filled)
    assert (shares == {1.0}) is (threads == 1), "an odd number of rounds leaves a thread waiting"


def test_what_tvm_would_change_is_refused(programs):
    program = programs["GMM"]
    good = Uniform(1).sample("", Decisions(program), 1, seed=0)[0].answer
    wrong = Plan(good.space, ((1, 1, 1, 2), (1, 1, 1, 5), *good.decisions[2:]))
    with pytest.raises(Refused, match="changed the decisions"):
        program.replay(wrong)


@pytest.mark.parametrize("name", SHAPES)
def test_traces_are_read_back_from_the_text(programs, name):
    program = programs[name]
    blocks = text.described(program.module.script())[0]
    prompt = text.prompt(program)
    found = text.traces(prompt, blocks)
    assert found == [text.insts(space.trace) for space in program.spaces]
    assert "! " not in prompt, "an instruction that has no form of its own"
    assert TARGET not in prompt and "x86" not in prompt


def test_a_text_says_what_differs_between_programs_and_nothing_else():
    tvm = load()
    first, again = (text.prompt(Program(source("C2D"))) for _ in range(2))
    assert first == again
    other = text.prompt(Program(source("C2D", (1, 28, 28, 16, 48, 3, 1, 1))))
    assert first != other and first.splitlines()[-5:] == other.splitlines()[-5:]
    renamed = Source(source("C2D").text.replace("conv2d_nhwc", "anything"), "tensorir", "x", TARGET)
    assert text.prompt(Program(renamed)) == first
    assert tvm.__version__


def test_lines_that_are_no_trace_are_refused():
    for lines in ("space 0\nnonsense b1", "space x", "space 0\nblock 7"):
        with pytest.raises((ValueError, IndexError)):
            text.traces(lines, ["root"])


def test_a_text_that_is_no_program_is_refused():
    good = source("GMM").text
    for wrong in ("", "int main() {}", good.replace("def main", "def other"), good.replace("T.grid", "T.gird")):
        with pytest.raises(InputError, match="is no tensor program"):
            Program(Source(wrong, "tensorir", "x", TARGET))


def test_a_target_is_canonical_and_told_by_its_properties():
    here = json.loads(targets.parse("llvm:1"))
    assert here["kind"] == "llvm" and here["num-cores"] == 1 and here["mcpu"]
    assert targets.parse('{"num-cores": 2, "mcpu": "x86-64", "kind": "llvm"}') == TARGET
    assert targets.threads(TARGET) == 2
    told = targets.described(targets.parse("llvm:1"))
    assert told.startswith("llvm cores 1 vector ") and here["mcpu"] not in told
    for processor, registers in (("x86-64", (16, 128)), ("znver3", (16, 256)), ("znver4", (32, 512))):
        asked = targets.parse(json.dumps({"kind": "llvm", "mcpu": processor, "num-cores": 1}))
        assert targets.registers(asked) == registers and f" vector {registers[1]}" in targets.described(asked)
    arm = targets.parse('{"kind":"llvm","mtriple":"aarch64-linux-gnu","mcpu":"cortex-a76","num-cores":4}')
    assert targets.registers(arm) == (32, 128)
    for wrong in ("nonsense", '{"kind":"nonsense"}', "llvm:x", "llvm:4000", "{}", "5", "llvm:-1", "llvm -mcpu=znver4"):
        with pytest.raises(UsageError) as error:
            targets.parse(wrong)
        assert "Error" not in error.value.why or "nonsense" in wrong


def test_a_processor_without_a_number_of_cores_has_those_of_this_machine():
    whole = json.loads(targets.parse("llvm"))
    assert json.loads(targets.parse(' {"kind":"llvm"} ')) == whole
    program = Program(Source(source("GMM").text, "tensorir", "x", targets.parse('{"kind":"llvm"}')))
    assert program.random(1, 0)
    for wrong, why in (
        ('{"kind":"llvm","num-cores":0}', "no number of threads"),
        ('{"kind":"llvm","num-cores":true}', "no number of threads"),
        ("llvm:\u00b2", "neither a name"),
        ('{"kind":"llvm","num-cores":4000}', "there for it"),
        ('{"kind":"llvm","mcpu":"nonsense"}', "of this machine"),
        ('{"kind":"c"}', "source"),
    ):
        with pytest.raises(UsageError) as error:
            targets.parse(wrong)
        assert why in error.value.why
    for processor in ("apple-m1", "cortex-a76"):
        there = f'{{"kind":"llvm","mcpu":"{processor}","mtriple":"aarch64-linux-gnu","num-cores":400}}'
        assert targets.parse(there) == there
    with pytest.raises(UsageError, match="does not run code of aarch64") as error:
        located(there, None)
    assert "--rpc" in error.value.todo


def test_pooling_is_scheduled_without_a_warning(capfd):
    tvm = load()
    data = tvm.te.placeholder((1, 8, 16, 16))
    for kind in ("max", "avg"):
        pooled = tvm.topi.nn.pool2d(data, (3, 3), (2, 2), (1, 1), (1, 1, 1, 1), kind)
        module = tvm.IRModule({"main": tvm.te.create_prim_func([data, pooled]).with_attr("global_symbol", "main")})
        assert f'"meta_schedule.pool_{kind}"' in module.script()
        assert len(Program(Source(module.script(), "tensorir", kind, TARGET))) == 3
    assert capfd.readouterr().err == ""


def test_a_program_without_blocks_has_a_design_space():
    text = """#
@I.ir_module
class Module:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((8,), "float32")):
        for i in range(8):
            a[i] = T.float32(1)
"""
    assert len(Program(Source(text, "tensorir", "fill", TARGET))) == 1


PRODUCTS, SUMMED = {"GMM", "TBG"}, {"NRM", "SFM"}
"""Of the operators those without a window whose outputs are tiled; those that sum up to one number each."""


def tiles_of(program, drafts, least, names):
    """Of each of sixteen plans the tiles of its outputs, and of its reduction; none where the name is another one."""
    plans = drafts(program, 16, 3)
    assert plans == drafts(program, 16, 3) and len({*plans}) == len(plans)
    if program.source.name not in names:
        assert not plans
        return
    assert len(plans) > least and sum(map(program.takes, plans)) > least
    for plan in plans:
        assert program.plan(program.replay(plan).trace) == plan
        tiles = [one for one in plan.decisions if isinstance(one, tuple)]
        yield [one for one in tiles if len(one) == 4], [one for one in tiles if len(one) == 2]
    assert drafts(program, 16, 4) != plans


@pytest.mark.parametrize("name", SHAPES)
def test_sums_of_register_tiles_fit_into_registers(programs, name):
    program = programs[name]
    registers, bits = targets.registers(program.source.target)
    for outputs, reduced in tiles_of(program, register_tiles, 8, SHAPES.keys() - SUMMED):
        *_, row = outputs[-1]
        held = math.prod(inner for one in outputs for inner in one[2:])
        assert held <= max(registers * bits // 32, row)
        longest = max(map(math.prod, reduced))
        if name in PRODUCTS:
            assert all(steps <= 4 for _, steps in reduced)
        else:
            assert all(1 in tile for tile in reduced if math.prod(tile) < longest)
    assert bool(register_tiles(program, 4, 3, windows=False)) == (name in PRODUCTS)


@pytest.mark.parametrize("name", SHAPES)
def test_operands_of_stationary_tiles_fit_into_registers(programs, name):
    program = programs[name]
    registers, bits = targets.registers(program.source.target)
    for outputs, reduced in tiles_of(program, stationary_tiles, 6, PRODUCTS):
        *_, columns, row = outputs[-1]
        assert columns == 1 and row * math.prod(steps for _, steps in reduced) <= registers * bits // 32
        assert row * math.prod(inner for one in outputs[:-1] for inner in one[2:]) * 4 <= 16384
    assert not {*stationary_tiles(program, 16, 3)} & {*register_tiles(program, 16, 3)}


@pytest.mark.parametrize("name", SHAPES)
def test_partial_sums_fill_vectors(programs, name):
    program = programs[name]
    lanes = targets.registers(program.source.target)[1] // 32
    spaces = set()
    for outputs, reduced in tiles_of(program, partial_sums, 8, SUMMED):
        assert (
            not outputs and reduced and all(inner in (lanes // 2, lanes, 2 * lanes, 4 * lanes) for _, inner in reduced)
        )
        spaces.add(len(reduced))
    if name in SUMMED:
        most = max(text.count("sch.rfactor(") for text in (str(space.trace) for space in program.spaces))
        assert spaces == {most}, "as many sums are taken apart as can be"
        drafts = Scheduler(written=False, generations=0).population("", Decisions(program))
        assert {*partial_sums(program, PARTIAL, 0)} <= {*drafts}


def test_parts_of_the_scheduler_can_be_left_out(programs):
    program = programs["GMM"]
    grammar, drawn = Decisions(program), set(program.random(POPULATION, 0))
    unmutated, whole = Scheduler(written=False, tiled=False, generations=0), Scheduler(written=False, tiled=False)
    assert {draft.answer for draft in unmutated.sample("", grammar, 8, 3)} <= drawn
    tiled, tiles = Scheduler(written=False, generations=0), {*register_tiles(program, IN_REGISTERS, 0)}
    tiles |= {*stationary_tiles(program, STATIONARY, 0)}
    assert set(tiled.population("", grammar)) == drawn | tiles and not tiles <= drawn
    assert set(unmutated.population("", grammar)) == drawn
    assert not {draft.answer for draft in whole.sample("", grammar, 8, 3)} <= drawn
    plans = sorted(drawn, key=str)[:40]
    before = whole.judge.scores(program, plans)
    # What was thought fast is measured slow.
    measured = {plan: 1 + thought - before.min() for plan, thought in zip(plans[:20], before, strict=False)}
    corrected = whole.judge.believed(program, plans, measured).mean
    assert not np.allclose(corrected - corrected.mean(), before - before.mean(), atol=0.01)
    hasty = whole.hasty()
    few = list(program.random(GLIMPSED, 0))
    (first,) = hasty.sample("", grammar, 1, 3)
    assert first.answer == few[int(hasty.judge.scores(program, few).argmax())]
    assert first.answer != whole.sample("", grammar, 1, 3)[0].answer
    fixed = Scheduler(written=False, corrected=False)
    assert np.array_equal(fixed.judge.believed(program, plans, measured).mean, before)


def test_the_network_that_ships_writes_what_the_cost_model_likes():
    model, whole = Scheduler(judged=False), Scheduler()
    for name, sizes in {"C2D": (1, 28, 28, 32, 64, 3, 1, 1), "GMM": (1, 128, 256, 512)}.items():
        program = Program(replace(source(name, sizes), target=targets.here(1)))
        grammar, prompt = Decisions(program), text.prompt(program)
        drafts = model.sample(prompt, grammar, 48, 1)
        assert drafts == model.sample(prompt, grammar, 48, 1)
        written = list(dict.fromkeys(draft.answer for draft in drafts))
        assert len(written) > 24 and all(draft.logprob < 0 for draft in drafts)
        for plan in written[:8]:
            assert grammar.read(grammar.write(plan)) == plan
        drawn = list(dict.fromkeys(program.random(48, 1)))
        own, theirs = (whole.judge.scores(program, plans) for plans in (written, drawn))
        assert own[own > REFUSED].mean() > theirs[theirs > REFUSED].mean() + 0.1
