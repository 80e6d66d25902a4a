"""The cost model of schedules: what it learns of measured kernels, what is told of it, what ships."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from forerun.cli import main
from forerun.corpora import workloads
from forerun.corpora.workloads import Use, Workload
from forerun.errors import InputError
from forerun.grammars.decisions import Decisions
from forerun.models._judge import PROCESSOR, REFUSED, Belief, Judge, Kernel, named
from forerun.models.encoder_decoder.tokenizer import Tokenizer
from forerun.models.scheduler import SHIPPED
from forerun.sandbox import Pool
from forerun.stats import spearman
from forerun.tables import schedules
from forerun.tables.schedules import Recorded

pytest.importorskip("sklearn")

from forerun.train import judge
from forerun.train.judge import Measured


def measured(family: str, seed: int, kernels: int = 40) -> Measured:
    """Kernels that are the faster the larger their first feature is, on a scale of the program's own."""
    draw = np.random.default_rng(seed)
    table = draw.random((kernels, 5))
    logs = table[:, 0] * draw.uniform(1, 4)
    return Measured(frozenset({family}), PROCESSOR, table, logs - logs.max())


FOUND = [measured("a" if i < 8 else "b", i) for i in range(10)]


def test_it_ranks_kernels_of_programs_that_it_has_not_seen():
    report = judge.validated(FOUND, {"b"})
    assert report.programs == 2 and report.spearman > 0.8 and report.first > 0.8 > report.mean
    shuffled = [replace(each, table=np.random.default_rng(0).permutation(each.table)) for each in FOUND]
    assert judge.validated(shuffled, {"b"}).spearman < 0.5


def test_kinds_of_hardware_have_cost_models_of_their_own(tmp_path: Path):
    there = [replace(each, kind="cuda") for each in FOUND]
    assert judge.fit(FOUND).kind == PROCESSOR and judge.fit(there).kind == "cuda"
    with pytest.raises(InputError, match="kernels for cuda and llvm"):
        judge.fit([*FOUND, *there])
    for found in (FOUND, there):
        judge.fit(found).save(tmp_path)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["judge-cuda.safetensors", "judge.safetensors"]
    # Of a GPU the slow ones are told apart farther down.
    least = [Judge.load(tmp_path, kind=kind).forest.predict(FOUND[0].table).min() for kind in (PROCESSOR, "cuda")]
    assert least[0] > -1.7 > least[1]


def test_nothing_to_learn_from_or_to_validate_with_is_refused():
    for validate, said in (({"c"}, "no program is of the family 'c'"), ({"a", "b"}, "too little to learn from")):
        with pytest.raises(InputError, match=said):
            judge.validated(FOUND, validate)
    with pytest.raises(InputError):  # no program has kernels enough
        judge.validated([], {"b"})


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def found(forest, rows) -> list[Kernel]:
    return [*map(Kernel, forest.leaves(np.array(rows)))]


def test_what_was_measured_corrects_what_was_thought():
    forest, draw = judge.fit(FOUND).forest, np.random.default_rng(3)
    table = draw.random((80, 5))
    # Of this program the trees do not know that some kernels are fast.
    logs = forest.predict(table) + 2 * (table[:, 0] > 0.2) * (table[:, 0] < 0.5)
    asked, known = found(forest, table[:40]), found(forest, table[40:])
    before = Belief(forest, asked, [], np.array([])).mean
    after = Belief(forest, asked, known, np.exp(-logs[40:])).mean
    truth = logs[:40].tolist()
    assert spearman(after.tolist(), truth) > spearman(before.tolist(), truth) + 0.3
    # Kernels that failed are as bad as the slowest.
    failed = Belief(forest, asked, asked[:1], np.array([np.inf])).mean
    assert np.isfinite(failed).all()


def test_a_kernel_whose_threads_stand_idle_is_thought_to_be_as_much_slower():
    forest = judge.fit(FOUND).forest
    whole, half = found(forest, [[0.9] * 5])[0], found(forest, [[0.9] * 5])[0]._replace(busy=math.log(0.5))
    assert np.diff(Belief(forest, [half, whole], [], np.array([])).mean) == pytest.approx(math.log(2))
    # Measured so, nothing is left to explain.
    after = Belief(forest, [whole, half], [half, whole], np.array([2.0, 1.0])).mean
    assert after[0] - after[1] == pytest.approx(math.log(2))


def test_a_batch_holds_no_second_kernel_like_the_first():
    forest = judge.fit(FOUND).forest
    rows = [[0.99] * 5, [0.99] * 5, [0.99, 0.1, 0.3, 0.2, 0.1], [0.9] * 5, [0.1] * 5]
    belief = Belief(forest, [*found(forest, rows), None], [], np.array([]))
    assert belief.mean[5] == REFUSED and belief.mean[0] == belief.mean[1]
    chosen = belief.batch(9)
    assert sorted(chosen) == [0, 1, 2, 3, 4]  # what is refused is never chosen
    assert max(chosen.index(0), chosen.index(1)) > chosen.index(2)  # kernels 0 and 1 are one to the trees
    assert belief.batch(1) == chosen[:1]


def test_machine_code_tells_more_where_it_was_read():
    """Kernels are as fast as their machine code says, of which the schedule tells nothing."""
    found = list[Measured]()
    for seed in range(12):
        draw = np.random.default_rng(seed)
        table, code = draw.random((40, 5)), draw.random((40, 3))
        logs = 2 * code[:, 1]
        code[:4] = np.nan  # of some there was none
        given = None if seed % 4 == 1 else code  # of some programs nobody made it
        found.append(Measured(frozenset({"a" if seed < 9 else "b"}), PROCESSOR, table, logs - logs.max(), given))
    report = judge.validated(found, {"b"})
    assert report.programs == 3 and report.spearman < 0.5
    assert report.read.programs == 2 and report.read.spearman > 0.8
    made = judge.fit(found)
    assert made.code is not None and judge.fit(FOUND).code is None
    assert judge.validated(FOUND, {"b"}).read is None


def test_it_is_kept_whole(tmp_path: Path):
    made = judge.fit(FOUND)
    made.save(tmp_path)
    assert Judge.load(tmp_path).code is None
    Judge(made.forest, code=judge.fit(FOUND[:4]).forest).save(tmp_path)
    again = Judge.load(tmp_path)
    assert again is not None and again.code is not None
    both = made.forest.beside(again.code, 0.75)
    tables = [forest.predict(FOUND[0].table) for forest in (made.forest, again.code, both)]
    assert tables[2] == pytest.approx((tables[0] + 3 * tables[1]) / 4)
    assert np.array_equal(again.forest.predict(FOUND[0].table), made.forest.predict(FOUND[0].table))
    assert Judge.load(tmp_path / "absent") is None
    (tmp_path / named(PROCESSOR)).write_bytes(b"no")
    with pytest.raises(InputError, match="cannot be read"):
        Judge.load(tmp_path)


def test_the_command_collects_learns_and_tells(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    pytest.importorskip("tvm_ffi")
    from tests.test_tvm_space import source

    shapes = {"a": (1, 16, 16, 16), "b": (1, 16, 32, 16)}
    found = [Workload(name, source("GMM", size).text, 1e4, (Use(name, name, 1, 1),)) for name, size in shapes.items()]
    programs, store, data, folder = (str(tmp_path / name) for name in ("w.jsonl.gz", "t.sqlite", "d.jsonl.gz", "judge"))
    workloads.write(Path(programs), found)
    train = ["train", "judge", "--data", data, "--validate", "b", "-o", folder]
    assert main(train) == 1
    assert "holds no schedules" in capsys.readouterr().err
    assert main(["train", "judge", "-o", folder]) == 2
    assert "there is nothing to learn from" in capsys.readouterr().err
    collect = ["collect", "schedule", "--workloads", programs, "--candidates", "7", "--store", store]
    assert main([*collect, "--format", "json"]) == 0
    told = capsys.readouterr().out
    with monkeypatch.context() as patch:  # called again it measures nothing, defaults neither, and says the same
        measure, asked = Pool.measure, list[object]()
        patch.setattr(Pool, "measure", lambda *given: (asked.extend(given[3]), measure(*given))[1])
        assert main([*collect, "--format", "json"]) == 0 and asked == []
    assert capsys.readouterr().out == told
    assert main(["data", "schedules", "--workloads", programs, "--store", store, "-o", data]) == 0
    assert main([*train[:4], "-o", folder]) == 1
    assert "not all: a, b" in capsys.readouterr().err
    assert main([*train, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)[0]
    assert told["learned"] == 2 and told["kernels"] == 14 and told["programs"] <= 1
    card = json.loads((Path(folder) / "judge.json").read_text())
    assert card["families"] == ["a", "b"] and card["validated with"] == ["b"]
    assert Judge.load(Path(folder)) is not None

    # Machine code is made once, however often it is interrupted afterwards.
    coded, learn = (
        tmp_path / "coded",
        [*train[:-1], str(tmp_path / "coded"), "--machine-code", data, "--format", "json"],
    )
    with monkeypatch.context() as patch:
        patch.setattr(judge, "fit", interrupted)
        assert main(learn) == 130 and (coded / "machine-code.sqlite").is_file()
    capsys.readouterr()
    with monkeypatch.context() as patch:
        measure, asked = Pool.measure, list[object]()
        patch.setattr(Pool, "measure", lambda *given: (asked.extend(given[3]), measure(*given))[1])
        assert main(learn) == 0 and asked == []
    told = json.loads(capsys.readouterr().out)
    assert [row["reads"] for row in told] == ["schedules", "machine code, too"]
    assert [row["kernels"] for row in told] == [14, 14]
    assert sorted(each.name for each in coded.iterdir()) == [
        "judge-code.json", "judge-code.safetensors", "judge.json", "judge.safetensors",
    ]  # fmt: skip
    assert Judge.load(coded).code is not None and Judge.load(Path(folder)).code is None

    assert main([*train, "--machine-code", programs]) == 2
    assert "is no file of --data" in capsys.readouterr().err

    # It grades what nobody measured, for the network to learn from.
    output = tmp_path / "e.jsonl"
    drafts = ["data", "drafts", "--workloads", programs, "--target", "llvm:1", "--each", "12"]
    assert main([*drafts, "--checkpoint", folder, "-o", str(output), "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [row["programs"] for row in told] == [1, 1]
    made, grader = schedules.read(output), Judge.load(Path(folder))
    for each in made:
        program, plans = each.program(), [one.plan for one in each.sentences]
        assert 6 <= len(plans) == len(set(plans)) <= 12 and not any(one.measured for one in each.sentences)
        assert [one.seconds for one in each.sentences] == pytest.approx(np.exp(-grader.scores(program, plans)))
        for one in each.sentences:
            assert Decisions(Recorded(each.spaces, one)).write(one.plan) == Decisions(program).write(one.plan)
    # Of those it does not learn itself.
    assert not list(judge.measured(made))
    stood = output.read_bytes()
    assert main([*drafts, "--checkpoint", folder, "-o", str(output)]) == 0 and output.read_bytes() == stood
    schedules.write(output, made[:1])
    assert main([*drafts, "--checkpoint", folder, "-o", str(output)]) == 0 and output.read_bytes() == stood
    capsys.readouterr()
    assert main([*drafts, "--but", "a", "--checkpoint", folder, "-o", str(tmp_path / "b.jsonl")]) == 0
    assert [each.families for each in schedules.read(tmp_path / "b.jsonl")] == [("b",)]
    capsys.readouterr()
    assert main([*drafts, "--checkpoint", str(tmp_path), "-o", str(output)]) == 1
    assert "has no cost model for llvm" in capsys.readouterr().err
    of_gpu = [*drafts, "--target", '{"kind":"cuda","arch":"sm_90"}', "--checkpoint", folder]
    assert main([*of_gpu, "-o", str(tmp_path / "g.jsonl")]) == 1
    assert "has no cost model for cuda" in capsys.readouterr().err

    # Of another version of TVM, say.
    before = schedules.read(Path(data))
    schedules.write(Path(data), [replace(each, spaces=each.spaces + 1) for each in before])
    assert main(train) == 1
    assert "has other design spaces" in capsys.readouterr().err


def test_a_network_goes_on_from_what_became_of_its_drafts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("tvm_ffi")
    pytest.importorskip("torch")
    from tests.test_tvm_space import source

    programs, random, bred, folder = (tmp_path / name for name in ("w.jsonl.gz", "r.jsonl", "b.jsonl", "next"))
    texts = {"a": source("GMM", (1, 64, 64, 64)).text, "b": source("GMM", (1, 64, 128, 64)).text}
    uses = {name: (Use(name, name, 1, 1),) for name in texts}
    workloads.write(programs, [Workload(name, text, 1e6, uses[name]) for name, text in texts.items()])
    drafts = ["data", "drafts", "--workloads", str(programs), "--target", "llvm:1", "--each", "12"]
    assert main([*drafts, "-o", str(random)]) == 0 and main([*drafts, "--bred", "-o", str(bred)]) == 0
    for few, many in zip(schedules.read(random), schedules.read(bred), strict=True):
        assert {one.plan for one in few.sentences} <= {one.plan for one in many.sentences}
        thought = [np.median([one.seconds for one in each.sentences]) for each in (few, many)]
        assert len(many.sentences) > 100 and thought[1] < thought[0]
    train = ["train", "schedule", "--data", str(bred), "--validate", "b", "--steps", "2", "-o", str(folder)]
    capsys.readouterr()
    for start, said in ((tmp_path / "absent", "no such folder"), (SHIPPED.parent / "encoder_decoder", "of the pieces")):
        assert main([*train, "--start", str(start)]) == 1
        told = capsys.readouterr().err
        assert f"{start} writes no schedules" in told and said in told
    assert main([*train, "--start", "scheduler"]) == 0
    first = json.loads((folder / "network.json").read_text())["before"][0]
    assert first == "79,235 schedules of 222 programs, 1,500 steps"
    assert Tokenizer.load(folder).size == Tokenizer.load(SHIPPED).size
