"""The cost model of schedules: what it learns of measured kernels, what is told of it, what ships."""

import json
from pathlib import Path

import numpy as np
import pytest

from forerun.cli import main
from forerun.corpora import workloads
from forerun.corpora.workloads import Use, Workload
from forerun.errors import InputError
from forerun.models._judge import NAME, Judge

pytest.importorskip("sklearn")

from forerun.train import judge
from forerun.train.judge import Measured, standings


def measured(family: str, seed: int, kernels: int = 40) -> Measured:
    """Kernels that are the faster the larger their first feature is, on a scale of the program's own."""
    draw = np.random.default_rng(seed)
    table = draw.random((kernels, 5))
    logs = table[:, 0] * draw.uniform(1, 4)
    return Measured(frozenset({family}), table, logs - logs.max())


FOUND = [measured("a" if i < 8 else "b", i) for i in range(10)]


def test_it_ranks_kernels_of_programs_that_it_has_not_seen():
    report = judge.validated(FOUND, {"b"})
    assert report.programs == 2 and report.spearman > 0.8 and report.first > 0.8 > report.mean
    shuffled = [
        Measured(each.families, np.random.default_rng(0).permutation(each.table), each.shares) for each in FOUND
    ]
    assert judge.validated(shuffled, {"b"}).spearman < 0.5


def test_nothing_to_learn_from_or_to_validate_with_is_refused():
    for validate in ({"c"}, {"a", "b"}):
        with pytest.raises(InputError, match="too little to learn from"):
            judge.validated(FOUND, validate)


def test_standings_are_between_the_slowest_and_the_fastest():
    assert standings(np.array([-3.0, 0.0, -1.0])).tolist() == [0.0, 1.0, 0.5]
    assert standings(np.array([-1.0, -1.0, 0.0])).tolist() == [0.25, 0.25, 1.0]


def test_it_is_kept_whole(tmp_path: Path):
    made = judge.fit(FOUND)
    made.save(tmp_path)
    again = Judge.load(tmp_path)
    assert again is not None
    assert np.array_equal(again.forest.predict(FOUND[0].table), made.forest.predict(FOUND[0].table))
    assert Judge.load(tmp_path / "absent") is None
    (tmp_path / NAME).write_bytes(b"no")
    with pytest.raises(InputError, match="cannot be read"):
        Judge.load(tmp_path)


def test_the_command_collects_learns_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pytest.importorskip("tvm_ffi")
    from tests.test_tvm_space import source

    shapes = {"a": (1, 16, 16, 16), "b": (1, 16, 32, 16)}
    found = [Workload(name, source("GMM", size).text, 1e4, (Use(name, name, 1, 1),)) for name, size in shapes.items()]
    programs, store, folder = (str(tmp_path / name) for name in ("w.jsonl.gz", "t.sqlite", "judge"))
    workloads.write(Path(programs), found)
    train = ["train", "judge", "--store", store, "--workloads", programs, "--validate", "b", "-o", folder]
    assert main(train) == 1
    assert "there are no trials" in capsys.readouterr().err
    assert main(["collect", "schedule", "--workloads", programs, "--candidates", "7", "--store", store]) == 0
    capsys.readouterr()
    assert main([*train, "--format", "json"]) == 0
    told = json.loads(capsys.readouterr().out)[0]
    assert told["learned"] == 2 and told["kernels"] == 14 and told["programs"] <= 1
    card = json.loads((Path(folder) / "judge.json").read_text())
    assert card["families"] == ["a", "b"] and card["validated with"] == ["b"]
    assert Judge.load(Path(folder)) is not None
