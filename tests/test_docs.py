"""Pages that are written by the program are as the program would write them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("script", ["scripts/reference.py", "scripts/operators.py", "benchmarks/report.py"])
def test_written_pages_are_up_to_date(script: str) -> None:
    run = subprocess.run([sys.executable, ROOT / script, "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, f"run: python {script}\n{run.stderr}"


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text()):
        assert (path.parent / target).exists(), f"{page}: {target}"


def test_the_file_tree_of_the_readme_is_the_package() -> None:
    tree = re.search(r"```text\nsrc/forerun/\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert tree
    for name in re.findall(r"^  ([\w.]+/?)", tree[1], re.MULTILINE):
        assert (ROOT / "src" / "forerun" / name).exists(), name
