"""The weights that ship: small, told about, and not a constant. Skipped where the package has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import forerun
from forerun.core import Source
from forerun.models.encoder_decoder import CONFIG, SHIPPED
from forerun.models.encoder_decoder.card import PAGE, Card
from forerun.stats import spearman
from forerun.tasks import _programs

pytestmark = pytest.mark.skipif(not (SHIPPED / CONFIG).is_file(), reason=f"no weights ship yet: {SHIPPED} is empty")

ROUNDS = (1_000, 100_000, 10_000_000, 300_000_000)
BYTES = (1_000, 1_000_000, 50_000_000, 800_000_000)
FUNCTIONS = (1, 4, 16, 64)


def slow(language: str, n: int) -> str:
    """Adds up, `n` times."""
    return {
        "python": f"total = 0\nfor i in range({n}):\n    total += i * i % 7\nprint(total)\n",
        "c": "#include <stdio.h>\nint main(void) {\n    unsigned long total = 0;\n"
        f"    for (long i = 0; i < {n}L; i++) total += i * i % 7;\n"
        '    printf("%lu\\n", total);\n    return 0;\n}\n',
    }[language]


def large(language: str, n: int) -> str:
    """Fills `n` bytes."""
    return {
        "python": f"data = bytearray({n})\nfor i in range(0, len(data), 512):\n    data[i] = i % 251\nprint(data[0])\n",
        "c": "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {\n"
        f"    char *data = malloc({n}L);\n    memset(data, 1, {n}L);\n"
        f'    printf("%d\\n", data[{n}L / 2]);\n    free(data);\n    return 0;\n}}\n',
    }[language]


def module(n: int) -> str:
    """`n` functions."""
    one = "define i32 @f{0}(i32 %a, i32 %b) {{\n  %c = mul i32 %a, {0}\n  %d = xor i32 %c, %b\n  ret i32 %d\n}}\n"
    return "".join(one.format(i) for i in range(n))


CASES = {
    "runtime": [("python", ROUNDS, slow), ("c", ROUNDS, slow)],
    "memory": [("python", BYTES, large), ("c", BYTES, large)],
    "text": [("llvm", FUNCTIONS, lambda _, n: module(n))],
}


def known() -> set[tuple[str, str]]:
    return {(kind.metric, kind.base) for kind in Card.load(SHIPPED).kinds}


@pytest.mark.parametrize(
    ("metric", "language", "sizes", "write"), [(metric, *case) for metric, cases in CASES.items() for case in cases]
)
def test_more_work_costs_more(metric: str, language: str, sizes: tuple[int, ...], write: object) -> None:
    if (metric, language) not in known():
        pytest.skip(f"the weights that ship know no {metric} of {language}")
    assert callable(write)
    target = "x86_64-pc-linux-gnu -Oz --relocation-model=pic --addrsig" if language == "llvm" else ""
    sources = [Source(write(language, n), language, str(n), target) for n in sizes]
    found = [one.value for one in forerun.predict(sources, metric=metric)]
    assert len(set(found)) == len(found) and max(found) > 1.2 * min(found), f"a constant: {found}"
    assert spearman(found, [float(n) for n in sizes]) > 0.7, found


def test_they_are_small_and_told_about() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) <= 40_000_000
    card = Card.load(SHIPPED)
    assert set(card.metrics) & {*_programs.METRICS, "text", "latency"} and card.recipe and card.results
    assert (SHIPPED / PAGE).read_text() == card.page()


def test_they_answer_without_torch(tmp_path: Path) -> None:
    code = "import sys; sys.modules['torch'] = None; from forerun.cli import main; sys.exit(main(sys.argv[1:]))"
    path = tmp_path / "a.py"
    path.write_text(slow("python", 1000))
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1] / "src")}
    run = subprocess.run(
        [sys.executable, "-c", code, "predict", str(path)], env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 and "a.py" in run.stdout, run.stderr
