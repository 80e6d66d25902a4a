"""Numbers without texts: what was packed comes back as the rows that the stores would have given."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import ModuleType

import pytest

from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora.generated import numbered
from forerun.corpora.onnx_models import generated
from forerun.errors import InputError, ToolMissing, UsageError
from forerun.rows import Row
from forerun.store import Store
from forerun.tables import rows_of
from forerun.tasks.kernels import Kernels
from forerun.tasks.latency import Latency
from forerun.tasks.memory import Memory
from forerun.tasks.passes import Passes
from forerun.tasks.size import Size
from forerun.toolchains.onnx.target import Target

TEXTS = {"12/p12.py": 'print("naïve")\r\n', "12/p12.c": "int main(void) { return 0; }", "7/p7.py": "print(7)\n"}
WHERE = {"py": ("python", "cpython 3.11; x86_64 here"), "c": ("c", "gcc 12 -O2; x86_64 here")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A work tree of another name than the one that was measured."""
    root = tmp_path / "clone"
    for name, text in TEXTS.items():
        path = root / "deep" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (root / "LICENSE").write_text("This is free and unencumbered software")
    return root


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "measured.sqlite"
    with Store(path) as opened:
        for number, (name, text) in enumerate({**TEXTS, "9/gone.py": "print(9)"}.items(), 1):
            language, target = WHERE[name.rpartition(".")[2]]
            values = {"memory": 1e6 * number, "memory_spread": 0.01, "runtime": 0.1 * number, "runtime_spread": 0.0625}
            found = Measurement(values | {"runs": 2.0, "wall": 9.0}, checked=True, tool=f"{language} 1")
            source = Source(text, language, f"euler/{name}", target)
            opened.add([Trial(Memory().id, source, Draft(None), found)], Memory().grammar(source))
        failed = Source("print(1)", "python", "euler/1/p1.py", WHERE["py"][1])
        trial = Trial(Memory().id, failed, Draft(None), Measurement({"memory": 1.0}, error="timeout: too long"))
        opened.add([trial], Memory().grammar(failed))
    return path


def rows(path: Path, *tasks: str) -> list[Row]:
    with Store(path) as opened:
        return sorted((row for task in tasks for row in rows_of(opened, task)), key=lambda row: (row.name, row.metric))


def test_programs_come_back(measured: ModuleType, store: Path, folder: Path, tmp_path: Path) -> None:
    table, again = tmp_path / "a" / "programs.csv.gz", tmp_path / "b" / "other.csv.gz"
    for path in (table, again):
        assert measured.main(["pack", str(store), "--folder", f"some/one@abc123={folder}", "-o", str(path)]) == 0
    assert table.read_bytes() == again.read_bytes()
    plain = gzip.decompress(table.read_bytes()).decode()
    assert "print" not in plain and "gone.py" not in plain and "p1.py" not in plain
    lines = measured.read(table)
    assert len(lines) == 6 and {line.path for line in lines} == {f"deep/{name}" for name in TEXTS}
    assert {(line.source, line.commit, line.licence, line.n) for line in lines} == {
        ("some/one", "abc123", "Unlicense", 2)
    }
    assert {line.spread for line in lines} == {0.01, 0.0625}

    unpacked = tmp_path / "again.sqlite"
    assert measured.main(["unpack", str(table), "--folder", str(folder), "-o", str(unpacked)]) == 0
    there = [row for row in rows(store, "memory", "runtime") if "gone" not in row.name]
    assert rows(unpacked, "memory", "runtime") == there and len(there) == 6
    (folder / "deep/7/p7.py").write_text("print(8)\n")
    assert measured.unpack(lines, [folder], tmp_path / "fewer.sqlite") == (2, 3)


def test_sources_are_counted(
    measured: ModuleType, store: Path, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "programs.csv.gz"
    measured.main(["pack", str(store), "--folder", f"some/one@abc123={folder}", "-o", str(table)])
    assert measured.main(["sources", str(table), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == ['some/one,abc123,Unlicense,3,2,"c, python"']


def test_networks_are_drawn_again(measured: ModuleType, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    path, target = tmp_path / "networks.sqlite", "onnxruntime 1.20; x86_64 here; 1 thread"
    with Store(path) as opened:
        for number, network in enumerate(generated(4, 5, target)):
            found = Measurement({"latency": 0.5 + number, "latency_spread": 0.25, "samples": 30.0, "runs": 7.0}, True)
            task = Latency()
            opened.add([Trial(task.id, network.source, Draft(None), found)], task.grammar(network.source))
    lines = list(measured.pack([path], {}, tmp_path))
    assert {(line.source, line.n) for line in lines} == {("generated", 30)}
    assert measured.unpack(lines[1:], [], tmp_path / "again.sqlite") == (3, 3)
    gone = {line.name for line in lines[:1]}
    assert rows(tmp_path / "again.sqlite", "latency") == [row for row in rows(path, "latency") if row.name not in gone]


def test_kernels_of_a_gpu_are_written_where_it_is_or_by_its_name(
    measured: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(device: str) -> Target:
        raise ToolMissing("there is no GPU", "none is here", "leave it out")

    where = "inductor 2.11 triton 3.6; NVIDIA H100 80GB HBM3; 1 thread"
    for here, wanted in (
        (missing, "NVIDIA H100 80GB HBM3"),
        (lambda device: Target("another"), "NVIDIA H100 80GB HBM3"),
        (lambda device: Target("NVIDIA H100 80GB HBM3"), "cuda"),
    ):
        monkeypatch.setattr(measured, "here", here)
        assert measured._gpu(where) == wanted


def test_programs_are_written_again(measured: ModuleType, tmp_path: Path) -> None:
    path, task = tmp_path / "programs.sqlite", Memory()
    with Store(path) as opened:
        for number, reach in ((1, 1), (2, 1), (3, 1), (4, 20), (5, 20)):
            family, language, text = numbered(7, number, reach)
            name = f"generated/{family}/{'7' if reach == 1 else '7x20'}-{number}.x"
            source = Source(text, language, name, "some 1; here")
            found = Measurement({"memory": 1e6 * number, "memory_spread": 0.5, "runs": 2.0}, True)
            opened.add([Trial(task.id, source, Draft(None), found)], task.grammar(source))
    lines = list(measured.pack([path], {}, tmp_path))
    assert {(line.source, line.licence, line.n) for line in lines} == {("generated", "Apache-2.0", 2)}
    assert measured.unpack(lines, [], tmp_path / "again.sqlite") == (5, 5)
    assert rows(tmp_path / "again.sqlite", "memory") == rows(path, "memory")


def test_programs_that_were_written_for_it_come_back_at_each_of_their_sizes(
    measured: ModuleType, tmp_path: Path
) -> None:
    java = "class Fill { int[] xs = new int[@A@ * @B@]; }  // Filled by Fill"
    lines = [
        {"name": "games-fill/Fill.java", "text": java, "cases": [{"A": "5", "B": "7"}, {"A": "1 << 9", "B": "2"}]},
        {"name": "text-count/count.py", "text": "print(len('a' * @N@))\n", "cases": [{"N": "30"}]},
    ]
    packed = tmp_path / "written.jsonl.gz"
    packed.write_bytes(gzip.compress("".join(json.dumps(line) + "\n" for line in lines).encode()))
    folder = tmp_path / measured.WRITTEN
    assert measured.main(["write", str(packed), "-o", str(folder)]) == 0
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.*")}
    assert found == {
        "games-fill/Fill1.java": "class Fill1 { int[] xs = new int[5 * 7]; }  // Filled by Fill1",
        "games-fill/Fill2.java": "class Fill2 { int[] xs = new int[1 << 9 * 2]; }  // Filled by Fill2",
        "text-count/count-1.py": "print(len('a' * 30))\n",
    }
    path, task = tmp_path / "programs.sqlite", Memory()
    with Store(path) as opened:
        for name, text in found.items():
            source = Source(text, "java", f"{measured.WRITTEN}/{name}", "some 1; here")
            taken = Measurement({"memory": float(len(text)), "memory_spread": 0.5, "runs": 1.0}, True)
            opened.add([Trial(task.id, source, Draft(None), taken)], task.grammar(source))
    again = list(measured.pack([path], {}, tmp_path))
    assert {(one.source, one.licence, one.path) for one in again} == {("written", "Apache-2.0", name) for name in found}
    assert measured.unpack(again, [folder], tmp_path / "again.sqlite") == (3, 3)
    assert rows(tmp_path / "again.sqlite", "memory") == rows(path, "memory")


def test_modules_keep_their_package(measured: ModuleType, tmp_path: Path) -> None:
    about = tmp_path / "cache" / "zlib" / "source" / "debian"
    about.mkdir(parents=True)
    (about / "changelog").write_text("zlib (1:1.2.13) unstable; urgency=low\n")
    source = Source("define i32 @f() { ret i32 0 }", "llvm", "zlib/a.c", "x86_64-pc-linux-gnu -Oz")
    with Store(tmp_path / "size.sqlite") as opened:
        found = Measurement({"text": 3.0, "instructions": 1.0, "data": 9.0}, checked=True, tool="LLVM 22.1.8")
        opened.add([Trial(f"{Passes.name}/{Passes.version}", source, Draft(None), found)], Memory().grammar(source))
    packed = list(measured.pack([tmp_path / "size.sqlite"], {}, tmp_path / "cache"))
    assert [(line.source, line.commit, line.path, line.metric, line.value) for line in packed] == [
        ("zlib", "1:1.2.13", "a.c", "text", 3.0), ("zlib", "1:1.2.13", "a.c", "instructions", 1.0),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="not unpacked"):
        measured.unpack(packed, [], tmp_path / "none.sqlite")


def test_kernels_keep_their_family(measured: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = pytest.importorskip("transformers").__version__
    path, table = tmp_path / "kernels.sqlite", tmp_path / "kernels.csv.gz"
    with Store(path) as opened:
        for number, place in enumerate(("bert/0-0/0", "bert/0-56/1", "vit/0-3/0"), 1):
            values = {"latency": number / 2**17, "latency_spread": 0.25, "samples": 15.0, "runs": 90.0}
            found = Measurement(values, checked=True, tool="inductor 2.13 g++ 12")
            source = Source(f"k{number}", "c++", f"kernels/{place}", "inductor 2.13 g++ 12; x86_64 here; 1 thread")
            opened.add([Trial(Kernels().id, source, Draft(None), found)], Kernels().grammar(source))
    assert measured.main(["pack", str(path), "-o", str(table)]) == 0
    lines = measured.read(table)
    assert [line.name for line in lines] == ["kernels/bert/0-0/0", "kernels/bert/0-56/1", "kernels/vit/0-3/0"]
    assert [(line.value, line.n) for line in lines] == [(number / 2**17, 15) for number in (1, 2, 3)]
    assert measured.main(["sources", str(table), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1:] == [f"transformers,{version},Apache-2.0,3,2,c++"]


def test_sizes_of_programs_come_back_without_the_modules(measured: ModuleType, folder: Path, tmp_path: Path) -> None:
    path, emitted = tmp_path / "size.sqlite", "x86_64-pc-linux-gnu -O{}"
    module = Source("define void @f() { ret void }", "llvm", "zlib/a.c", emitted.format("z"))
    packages = tmp_path / "cache"
    (packages / "zlib/source/debian").mkdir(parents=True)
    (packages / "zlib/source/debian/changelog").write_text("zlib (1:1.2.13) unstable; urgency=low\n")
    with Store(path) as opened:
        task = Size("", 0)
        for number, level in enumerate("z3"):
            source = Source(TEXTS["12/p12.c"], "c", "euler/12/p12.c", emitted.format(level))
            values = {"text": 40.0 + number, "data": 8.0, "unwind": 0.0, "instructions": 5.0}
            found = Measurement(values, checked=True, tool="LLVM 22.1.8")
            opened.add([Trial(task.id, source, Draft(None), found)], task.grammar(source))
        found = Measurement({"text": 3.0, "instructions": 1.0}, checked=True, tool="LLVM 22.1.8")
        opened.add([Trial(f"{Passes.name}/{Passes.version}", module, Draft(None), found)], task.grammar(module))
    packed = list(measured.pack([path], measured.places([f"some/one@abc123={folder}"]), packages))
    assert {(line.source, line.language, line.path) for line in packed} == {
        ("some/one", "c", "deep/12/p12.c"), ("zlib", "llvm", "a.c"),
    }  # fmt: skip
    again = tmp_path / "again.sqlite"
    assert measured.unpack(packed, [folder], again) == (2, 2)
    there = [row for row in rows(path, "size") if row.name != "zlib/a.c"]
    assert len(there) == 4 and rows(again, "size") == there
    assert {row.value for row in there} == {40.0, 41.0, 5.0} and {row.group for row in there} == {"euler/12"}


def test_what_is_wrong_is_said(measured: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="pack wants to know"):
        measured.places([str(tmp_path)])
    with pytest.raises(InputError, match="there is no folder"):
        measured.places([f"a/b@c={tmp_path / 'nowhere'}"])
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(gzip.compress(b"source,value\nx,1\n"))
    assert measured.main(["sources", str(broken)]) == 1
    assert len(capsys.readouterr().err.strip().splitlines()) == 3
