"""The package as a whole: layers, start-up, the public names, settings that are documented."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import forerun
from forerun import settings
from forerun.cli import VERBS

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "forerun"

# Each room may import from those before it, and from itself.
LAYERS = [
    {"core", "errors", "files", "plain", "threads", "weights", "rows"},
    {"settings", "stats", "clock", "distribution", "scores", "forking"},
    {"sandbox", "store", "registry"},
    {"grammars"},
    {"prompts", "splits", "factories"},
    {"toolchains"},
    {"tasks"},
    {"models"},
    {"solve", "evaluate"},
    {"improve", "metaschedule", "minimise", "parallel", "lock"},
    {"acceptance", "corpora"},
    {"collect", "tables", "train", "tuning"},
    {"questions"},
    {"estimate"},
    {"cc", "testing"},
    {"cli"},
]
MODES = ("rb", "wb", "ab", "xb", "r+b")
HEAVY = {
    "torch",
    "numpy",
    "scipy",
    "tvm",
    "onnx",
    "onnxruntime",
    "transformers",
    "sqlite3",
    "ctypes",
    "subprocess",
    "pyarrow",
    "datasets",
    "sklearn",
    "tree_sitter",
}


def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "forerun":
            rest = node.module.split(".")[1:]
            found |= {rest[0]} if rest else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("forerun.")}
    return found


def test_imports_point_one_way() -> None:
    rank = {room: i for i, rooms in enumerate(LAYERS) for room in rooms}
    wrong = []
    for path in SOURCE.rglob("*.py"):
        room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        if room in ("__init__", "__main__"):
            continue
        assert room in rank, f"{room} stands in no layer"
        wrong += [
            f"{path.relative_to(SOURCE)} -> {other}" for other in imports(path) if rank.get(other, -1) > rank[room]
        ]
    assert not wrong


@pytest.mark.parametrize(
    "code", ["import forerun", "from forerun.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"]
)
def test_start_up_imports_nothing_heavy(code: str) -> None:
    script = f"{code}\nimport sys; print('|'.join(sys.modules), file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    modules = {name.split(".")[0] for name in run.stderr.strip().splitlines()[-1].split("|")}
    assert not modules & HEAVY


def test_no_file_is_read_as_the_locale_has_it() -> None:
    for path in [*SOURCE.rglob("*.py"), *(ROOT / "scripts").glob("*.py"), *(ROOT / "benchmarks").glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            given = [ast.unparse(each) for each in node.args]
            of_bytes = ast.unparse(node.func.value) in ("os", "tarfile") or any(
                each.strip("'") in MODES for each in given
            )
            told = "encoding" in {each.arg for each in node.keywords} or "'utf-8'" in given
            assert told or of_bytes or node.func.attr not in ("read_text", "write_text", "open"), (
                f"{path}:{node.lineno}"
            )


def test_core_needs_the_standard_library_only_and_stays_small() -> None:
    path = SOURCE / "core.py"
    tops = {
        (node.module or "").split(".")[0] if isinstance(node, ast.ImportFrom) else node.names[0].name.split(".")[0]
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert tops <= set(sys.stdlib_module_names)
    assert len(path.read_text().splitlines()) <= 250


def test_public_names_are_there_and_documented() -> None:
    assert sorted(forerun.__all__) == forerun.__all__
    for name in forerun.__all__:
        assert getattr(forerun, name).__doc__, name
    with pytest.raises(AttributeError):
        _ = forerun.no_such_name  # type: ignore[attr-defined]


def test_every_setting_and_verb_is_documented() -> None:
    text = (ROOT / "docs" / "reference.md").read_text()
    for setting in settings.SETTINGS.values():
        assert f"`{setting.name}`" in text and setting.variable in text, setting.name
    for verb in VERBS:
        assert f"`forerun {verb}" in text, verb


def test_nothing_of_the_package_is_written_at_import(tmp_path: Path) -> None:
    env = {
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    subprocess.run([sys.executable, "-c", "import forerun, forerun.improve, forerun.cli"], env=env, check=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "before", ["", "import forerun.cli.collect", "from forerun import optimize", "import forerun.store"]
)
def test_public_names_do_not_depend_on_what_was_imported_before(before: str) -> None:
    code = f"{before}\nimport forerun\nfor name in forerun.__all__: assert callable(getattr(forerun, name)), name"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_the_package_offers_is_listed() -> None:
    import forerun

    assert {"predict", "optimize", "tune", "Estimate"} <= {*dir(forerun)} == {*forerun.__all__}
