"""Packages that a language does not bring along."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

import forerun
from forerun.core import Metric
from forerun.corpora.generated import numbered
from forerun.distribution import Distribution
from forerun.errors import InputError
from forerun.models.encoder_decoder.imports import Imports
from forerun.prompts import parts, prompt
from forerun.tasks._counters import counters
from forerun.tasks._packages import foreign, modules
from forerun.toolchains.process.languages import of_file

WRITTEN = Path(__file__).parents[1] / "benchmarks" / "measured" / "written.jsonl.gz"


@pytest.mark.parametrize(
    "language, text, names",
    [
        ("python", "import os.path, numpy as np\nfrom torch.nn import functional\nif 1:\n    import numpy.linalg", 2),
        ("python", "from . import near\nfrom .far import x\nfrom __future__ import annotations", ".near .far"),
        ("python", "import numpy as np\nprint(", ""),
        ("python", '"""\nimport numpy\n"""\nimport sys', ""),
        ("javascript", "const a = require('lodash');\nimport fs from \"node:fs\";\nimport './b.js'", "lodash ./b.js"),
        ("javascript", "// needs require('left-pad')\nconst p = require('fs/promises'), q = require(\"path\");", ""),
        ("go", 'import (\n\t"fmt"\n\tg "github.com/a/b"\n)\nconst at = "x.org/y"\n', "github.com/a/b"),
        ("rust", "use std::io;\nuse rayon::prelude::*;\nmod near;\nuse near::x;\nuse crate::y;", "rayon"),
        (
            "java",
            "import java.util.*;\nimport static org.junit.Assert.*;\nimport javax.swing.JFrame;",
            "org.junit.Assert",
        ),
        ("lua", 'local s = require "socket"\n-- require "lpeg"\nlocal t = require("string")', "socket"),
        ("c", "#include <gmp.h>", ""),
    ],
)
def test_packages_are_named(language: str, text: str, names: str | int) -> None:
    found = foreign(language, text)
    assert found == (["numpy", "torch"] if names == 2 else str(names).split())


def test_programs_that_were_learned_from_use_none() -> None:
    with gzip.open(WRITTEN, "rt", encoding="utf-8") as file:
        own = [(of_file(Path(row["name"])), row["text"]) for row in map(json.loads, file)]
    drawn = [numbered(1, number) for number in range(60)]
    for language, text in [*((language.name, text) for language, text in own if language), *(one[1:] for one in drawn)]:
        assert not foreign(language, text)


@pytest.mark.parametrize(
    "text, names",
    [
        ("import numpy as np\nx = np.random.normal(0, 1)", "numpy numpy.random.normal"),
        ("import scipy.stats\nscipy.stats.norm.pdf(1)", "scipy.stats scipy.stats.norm.pdf"),
        ("from sklearn import svm as s, tree\ns.SVC()", "sklearn.svm sklearn.tree sklearn.svm.SVC"),
        ("from .near import x\nfrom . import y\nx.z()", ""),
        ("import numpy as np\nprint(", ""),
    ],
)
def test_modules_are_named_with_what_they_stand_in(text: str, names: str) -> None:
    found = modules(text)
    assert {*names.split()} <= {*found}
    assert all(any(f"{one}.".startswith(f"{each}.") for one in names.split()) for each in found)


IMPORTS = Imports(
    {"memory": 10.0, "runtime": 0.1},
    {"memory": {"numpy": 20.0, "numpy.random": 25.0, "pandas": 60.0, "torch": 50.0}, "runtime": {"numpy": 1.0}},
    {"numpy": (), "numpy.random": ("numpy",), "pandas": ("numpy", "numpy.random"), "torch": ("numpy",)},
    {"memory": {"numpy": [-0.1, 0.0, 0.1] * 5, "others": [0.0, 0.5] * 5}},
)


@pytest.mark.parametrize(
    "text, value",
    [
        ("import numpy", 30.0),
        ("import numpy as np\nnp.random.rand()", 35.0 + 8),
        ("import pandas, numpy.random", 70.0),
        ("import torch, pandas", 70.0 + 30.0),  # what both need is there once
        ("import torch\nimport nobody", 60.0),
        ("import numpy as np\na = np.ones(100000)\nb = a + 1", 30.0 + 1.6e6),
    ],
)
def test_importing_takes_what_it_shares_with_others_once(text: str, value: float) -> None:
    assert IMPORTS.told("memory", text) == pytest.approx(value, abs=8)
    assert IMPORTS.told("runtime", "import numpy") == pytest.approx(1.1, abs=1e-3)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("if False:\n    import torch\nimport numpy\n", "numpy"),
        ("import typing\nif typing.TYPE_CHECKING:\n    import torch\nelse:\n    import numpy\n", "numpy"),
        (
            "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    import numpy\nelse:\n    import torch\n",
            "numpy",
        ),
        ("import sys\nif sys.argv:\n    import torch\n", "torch"),
    ],
)
def test_what_is_never_imported_does_not_count(text: str, names: str) -> None:
    assert foreign("python", text) == names.split()
    assert {one.partition(".")[0] for one in modules(text)} - {"sys", "typing"} == {*names.split()}


def test_what_nobody_knows_may_take_anything(tmp_path: Path) -> None:
    lines = {
        "plain.py": "import nobody_knows\n",
        "optional.py": "try:\n    import nobody_knows\nexcept ImportError:\n    nobody_knows = None\n",
        "raised.py": "try:\n    import nobody_knows\nexcept ImportError as e:\n    raise SystemExit('no') from e\n",
        "left.py": "import sys\ntry:\n    import nobody_knows\nexcept ImportError:\n    print('no')\n    sys.exit(1)\n",
        "typed.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import nobody_knows\n",
    }
    for name, head in lines.items():
        (tmp_path / name).write_text(f"{head}print(sum(range(9)))\n")
    found = {
        (Path(one.name).name, one.metric): one
        for one in forerun.predict([tmp_path / name for name in lines], metric=["memory", "runtime"])
    }
    for metric in ("memory", "runtime"):
        assert found["plain.py", metric].high == math.inf and any(
            "nobody_knows" in x for x in found["plain.py", "memory"].notes
        )
        assert found["raised.py", metric].high == found["left.py", metric].high == math.inf
        assert found["optional.py", metric].high < math.inf and found["typed.py", metric].high < math.inf
    assert not any("nobody_knows" in note for note in found["typed.py", "memory"].notes)


@pytest.mark.parametrize("drawn", [False, True])
def test_what_calls_itself_nobody_knows_how_often_may_hold_more_in_other_languages_too(
    tmp_path: Path, drawn: bool
) -> None:
    """All orders of nine numbers, which take 79 MB; of which some are left out as is drawn."""
    skips = "if rand.Intn(9) < 3 { continue };" if drawn else ""
    given = "append(append([]int{}, a[:i]...), a[i+1:]...)"
    adds = "out = append(out, append([]int{a[i]}, p...))"
    loop = f"for i := range a {{ {skips} rest := {given}; for _, p := range all(rest) {{ {adds} }} }}"
    one = "if len(a) <= 1 { return [][]int{append([]int{}, a...)} }"
    main = "func main() { fmt.Println(len(all([]int{1, 2, 3, 4, 5, 6, 7, 8, 9}))) }"
    function = f"func all(a []int) [][]int {{ {one}; var out [][]int; {loop}; return out }}"
    packages = '"fmt"; "math/rand"' if drawn else '"fmt"'
    (tmp_path / "all.go").write_text(f"package main\nimport ({packages})\n{function}\n{main}\n")
    found = forerun.predict(tmp_path / "all.go", metric="memory")
    assert found.high > 4 * found.value if drawn else 4e7 < found.value < 1.6e8 < found.high


def asking(text: str, metric: str = "memory", language: str = "python, cpython 3.11") -> str:
    return prompt(Metric(metric, "B"), language, "here", text)


def believed(imports: Imports, prompt: str, read: bool = True, other: float = 1.0) -> Distribution | None:
    return imports.belief(prompt, read, other)


def test_what_is_believed_is_as_wide_as_such_programs_were_off() -> None:
    numpy, others = (believed(IMPORTS, asking(text)) for text in ("import numpy", "import numpy, torch"))
    assert numpy is not None and others is not None
    assert numpy.median == pytest.approx(30, rel=0.02) and numpy.interval(0.9)[1] < 35
    assert others.interval(0.9)[1] > 1.5 * 60
    for other in (
        asking("print(1)"),
        asking("import nobody"),
        asking("import numpy", "traced"),
        asking("import numpy", language="ruby, ruby 3.1"),
        "import numpy",
    ):
        assert believed(IMPORTS, other) is None
    assert IMPORTS.unknown(asking("import numpy, nobody, os\nfrom far.away import x")) == ["nobody", "far"]


PLAIN = Imports(
    {"memory": 10.0},
    {"memory": {"json": 5.0, "re": 2.0, "numpy": 20.0}},
    {"json": ("re",), "re": (), "numpy": ()},
    {"memory": {"plain": [-0.01, 0.0, 0.01] * 5, "plain, working": [-0.1, 0.0, 0.1] * 5, "numpy": [0.0] * 15}},
)


def test_objects_of_programs_without_packages_are_told() -> None:
    listed = "import json\nxs = [i * 0.5 for i in range(1_000_000)]"
    assert PLAIN.told("memory", listed) == pytest.approx(41e6, rel=0.05)
    assert PLAIN.told("memory", "import json") == 15 and PLAIN.told("memory", "import json, numpy") == 30
    belief = believed(PLAIN, asking(listed))
    assert belief is not None and belief.median == pytest.approx(41e6, rel=0.05)
    small = believed(PLAIN, asking("import json\nprint(1)"))
    assert small is not None and small.median == pytest.approx(15, rel=0.01)
    assert small.interval(0.9)[1] / small.median < 1.05 < belief.interval(0.9)[1] / belief.median
    endless = "xs = []\nwhile len(xs) < 10**12:\n    xs.append([1.5] * 1000)\n"
    for text in ("def f(:", endless, "xs = [0.5] * 1000\nwhile xs[0] != 1:\n    xs.append(xs[0])"):
        assert believed(PLAIN, asking(text)) is None  # of the kind that they are no errors are known
    assert believed(PLAIN, asking(listed).replace("\n\n", "\ninput 3 B: '100'\n\n", 1)) is None
    assert believed(PLAIN, asking(listed, "runtime")) is None


KINDS = {"plain": 1.0, "plain, working": 1.0, "plain, working, guessed": 2.0, "short": 1.0, "short, working": 1.0}
OFF = {name: [math.log(off) + x for x in (-0.1, 0.0, 0.1)] * 5 for name, off in (KINDS | {"beyond": 9.0}).items()}
TIMED = Imports({"runtime": 0.01}, {"runtime": {"json": 0.002}}, {"json": ()}, {"runtime": OFF})


def rounds(count: float) -> str:
    return asking(f"import json\nt = 0\nfor i in range({count:.0f}):\n    t += i * i\n", "runtime")


def test_times_without_packages_are_told_by_the_text_by_both_or_by_the_network() -> None:
    told = TIMED.told("runtime", parts(rounds(3e6)).text)
    assert 0.05 < told < 0.5
    long, short = believed(TIMED, rounds(3e6), read=False, other=99.0), believed(TIMED, rounds(3e6), other=4 * told)
    assert long is not None and long.median == pytest.approx(told, rel=0.01)
    assert short is not None and short.median == pytest.approx(2 * told, rel=0.01)  # the middle of both, as logarithms
    little, endless = believed(TIMED, rounds(1), read=False), believed(TIMED, rounds(1e16), read=False, other=2.0)
    assert little is not None and little.median == pytest.approx(0.012, rel=0.05)
    assert endless is not None and endless.median == pytest.approx(18.0, rel=0.01)
    assert believed(TIMED, asking("import json", "memory")) is None


@pytest.mark.parametrize(
    "calls",
    [
        "print(sum(map(work, [100_000] * 64)))",
        "for n in [100_000] * 64:\n    print(work(n))",
        "with ThreadPoolExecutor(4) as pool:\n    print(sum(pool.map(work, [100_000] * 64)))",
    ],
)
def test_what_counters_do_not_see_is_told_by_the_text_alone(calls: str) -> None:
    work = "def work(n):\n    return sum([i * i for i in range(n)])\n\n\n"
    text = f"from concurrent.futures import ThreadPoolExecutor\n\n\n{work}{calls}\n"
    asked = prompt(Metric("runtime", "s"), "python", "here", text, counters=counters("python", text))
    assert TIMED.trust(asked, True) == ("plain, working", 1.0)
    belief = believed(TIMED, asked, other=0.01)
    assert belief is not None and belief.median == pytest.approx(TIMED.told("runtime", text), rel=0.01)
    assert belief.median > 0.1


def test_what_happens_nobody_knows_how_often_is_said_and_errs_more() -> None:
    sure = rounds(3e6)
    guess = sure + "while t != 1:\n    t = t // 2 if t % 2 == 0 else 3 * t + 1\n"
    assert TIMED.guessed(sure) == () and TIMED.guessed(guess) == (5,)
    belief, told = believed(TIMED, guess, other=0.5), TIMED.told("runtime", parts(guess).text)
    # what is guessed is told by both, with the errors of such programs
    assert belief is not None and belief.median == pytest.approx(2 * math.sqrt(told * 0.5), rel=0.01)
    assert TIMED.guessed(asking("while True:\n    pass\n")) == ()  # of memory nothing is said
    assert believed(TIMED, asking("def f(:", "runtime")) is None


def test_parts_of_a_time_add_up_to_what_is_believed() -> None:
    for read, other in ((False, 1.0), (True, 0.2)):
        some = believed(TIMED, rounds(3e6), read, other)
        assert some is not None
        found = TIMED.parts(rounds(3e6), read, some.median)
        assert found[0].line == 4 and {"an empty program", "importing json"} <= {part.what for part in found}
        assert sum(part.value for part in found) == pytest.approx(some.median, rel=0.05)
    assert TIMED.parts(rounds(1e16), False, 1.0) == ()


def test_parts_make_up_what_is_told() -> None:
    text = "import json, re\nn = 1_000_000\nxs = [i * 0.5 for i in range(n)]\n"
    told, *rest = PLAIN.parts(asking(text), True, 1.0)
    assert (told.line, told.what) == (3, "xs = [i * 0.5 for i in range(n)]") and told.value == pytest.approx(
        41e6, rel=0.05
    )
    assert not rest  # what is a thousandth of it is left out
    assert PLAIN.parts(asking(text.replace("\n", "\r")), True, 1.0)[0].what == told.what
    found = IMPORTS.parts(asking("import numpy as np, torch\nimport pandas"), True, 1.0)
    assert [(one.what, one.value) for one in found] == [
        ("importing pandas", 60.0), ("importing torch", 30.0), ("an empty program", 10.0)
    ]  # fmt: skip
    assert sum(one.value for one in found) == IMPORTS.told("memory", "import numpy as np, torch\nimport pandas")


def test_it_is_kept_and_what_is_damaged_is_said(tmp_path: Path) -> None:
    IMPORTS.save(tmp_path)
    again = Imports.load(tmp_path)
    assert again == IMPORTS
    Imports().save(tmp_path)
    assert not (tmp_path / "imports.json").exists() and Imports.load(tmp_path) == Imports()
    for text in (
        "{",
        "[]",
        '{"start": {}, "modules": {"a": {"needs": ["b"]}}, "errors": {}}',
        '{"start": {"memory": -1}, "modules": {}, "errors": {}}',
        '{"start": {"size": 1}, "modules": {}, "errors": {}}',
    ):
        (tmp_path / "imports.json").write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="cannot be read"):
            Imports.load(tmp_path)


def test_the_weights_that_ship_know_packages(tmp_path: Path) -> None:
    path = tmp_path / "job.py"

    def asked(text: str, metric: str = "memory") -> forerun.Estimate:
        path.write_text(text, encoding="utf-8")
        return forerun.predict(path, metric=metric)

    small, large = (
        asked("import numpy as np\nprint(1)"),
        asked("import numpy as np\nx = np.ones(10**8)\nprint(x.sum())"),
    )
    assert 20e6 < small.value < 40e6 and 780e6 < large.value < 860e6 and not small.notes and small.familiarity
    assert large.low < 800e6 < large.high and large.high / large.low < 3.2
    both = asked("import numpy as np\nimport pandas as pd\nimport requests")
    assert both.value > small.value + 30e6
    strange = asked("import numpy as np\nimport nobody\n")
    assert strange.familiarity == 0 and "nobody" in strange.notes[0] and "numpy" not in strange.notes[0]
    assert strange.value > 20e6
    work = "import numpy as np\nx = np.ones(10**6)\nfor _ in range({}):\n    x = np.sort(x)\n"
    assert asked(work.format(100), "runtime").value > 5 * asked(work.format(1), "runtime").value
    assert asked("print(1)").value < 12e6
    rows = "rows = [{'id': i, 'name': f'name {i}', 'score': i / 7} for i in range(300_000)]"
    told = asked(rows)
    assert told.low < 105e6 < told.high and told.value == pytest.approx(105e6, rel=0.3)


FAR = {"other languages, working": 1.0, "other languages, working, guessed": 3.0, "other languages, guessed": 5.0}
LANGUAGES = Imports(
    errors={
        metric: {name: [math.log(off) + x for x in (-0.1, 0.0, 0.1)] * 5 for name, off in FAR.items()}
        | {"input, short": [0.0] * 15}
        for metric in ("memory", "runtime")
    },
    languages={"c": {"memory": 1.2e6, "runtime": 0.001}},
)


def program(count: float, metric: str = "runtime", more: str = "") -> str:
    text = (
        "#include <stdlib.h>\nint main(void) {\n"
        f"  double *a = malloc({count:.0f} * sizeof(double));\n  double s = 0;\n"
        f"  for (int i = 1; i < {count:.0f}; i++) {{\n    a[i] = 1.0 / i;\n    s += a[i] * a[i - 1];\n  }}\n{more}"
        "  return s > 3;\n}\n"
    )
    return asking(text, metric, "c, gcc 12 -O2")


def test_times_are_those_of_the_machine_that_is_told_of() -> None:
    faster = replace(LANGUAGES, pace={"c": 0.5})
    usual, half = (believed(each, program(5e7), other=1.0) for each in (LANGUAGES, faster))
    assert usual is not None and half is not None
    assert half.median == pytest.approx(usual.median * 0.5**0.75, rel=1e-6)
    assert sum(each.value for each in faster.parts(program(5e7), True, half.median)) == pytest.approx(half.median)
    assert faster.told("memory", "int main() {}", language="c") == 1.2e6


@pytest.mark.parametrize(
    "language, text, begins",
    [
        ("c++", "#include <cstdio>\n#include <math.h>\nint main() {}\n", 1.0),
        ("c++", "#include <cstdio>\n# include <vector>\nint main() {}\n", 2.0),
        ("c++", "#include <bits/stdc++.h>\nint main() {}\n", 2.0),
        ("perl", "# use strict\nuse 5.010;\nprint 3;\n", 3.0),
        ("perl", "print 3;\n  use strict;\n", 4.0),
    ],
)
def test_programs_begin_with_what_they_include(language: str, text: str, begins: float) -> None:
    starts = {"c": 1.0, "c++": 2.0, "perl, bare": 3.0, "perl": 4.0}
    made = Imports(languages={name: {"memory": value} for name, value in starts.items()})
    assert made.told("memory", text, language=language) == begins


def test_memory_begins_at_what_such_as_do_little_hold_where_rows_are_of() -> None:
    there = replace(LANGUAGES, holds={"c": (1.0e6, 0.95e6)})
    endless = program(100, "memory", "  while (s != 1) s = s > 2 ? s / 2 : 3 * s + 1;\n")
    assert there.told("memory", "int main() {}", language="c") == 1.0e6
    assert there.told("runtime", "int main() {}", language="c") == pytest.approx(0.001)
    usual, lower = (believed(each, endless, other=0.3e6) for each in (LANGUAGES, there))
    assert usual is not None and lower is not None
    assert [each.quantile(0.05) for each in (usual, lower)] == pytest.approx([0.8 * 1.2e6, 0.95e6])
    assert sum(each.value for each in there.parts(program(5e6, "memory"), True, 41e6)) == pytest.approx(41e6, rel=1e-3)


def test_what_does_little_is_known_and_is_not_guessed() -> None:
    endless = "  while (s != 1) s = s > 2 ? s / 2 : 3 * s + 1;\n"
    assert LANGUAGES.little(program(100, "memory")) == "c"
    assert not LANGUAGES.little(program(1e5, "memory")) and not LANGUAGES.little(program(100, "memory", endless))
    assert not LANGUAGES.little(asking("print(1)\n", "memory", "python, cpython 3.11"))
    assert not LANGUAGES.little(program(100).replace("language c,", "language cobol,", 1))


def test_public_programs_weigh_as_much_as_others_at_the_most() -> None:
    made = replace(LANGUAGES, public={"runtime": {"other languages, working": [2.0] * 99}, "memory": {"else": [1.0]}})
    assert sum(x == 2.0 for x in made.widths["runtime"]["other languages, working"]) == 15
    assert made.widths["memory"] == LANGUAGES.errors["memory"]


def test_programs_of_other_languages_are_told_by_their_text_where_they_do_much() -> None:
    long, short = believed(LANGUAGES, program(5e7), other=9.0), believed(LANGUAGES, program(100), other=9.0)
    assert long is not None and 0.02 < long.median < 1 and short is None  # which network and trees know
    assert long.interval(0.9)[1] < 1.3 * long.median
    held = believed(LANGUAGES, program(5e6, "memory"), other=9.0)
    assert held is not None and held.median == pytest.approx(41.2e6, rel=0.02)
    assert LANGUAGES.trust(program(5e6, "memory"), True) == ("other languages, working", 1.0)
    sure = "other languages, working", 0.75
    assert LANGUAGES.trust(program(5e7), True) == LANGUAGES.trust(program(5e7), False) == sure
    other = program(5e7).replace("language c,", "language cobol,", 1)
    assert LANGUAGES.trust(other, True) == ("", 0.0) and believed(LANGUAGES, other) is None
    assert LANGUAGES.trust(program(1e14), True) == ("beyond", 0.0)


def test_network_and_trees_have_a_share_of_what_works_long_in_other_languages() -> None:
    endless = "  while (s != 1) s = s > 2 ? s / 2 : 3 * s + 1;\n"
    for metric, more, share in (("runtime", "", 0.75), ("runtime", endless, 0.5), ("memory", endless, 0.5)):
        asked = program(5e7, metric, more)
        one, hundred = believed(LANGUAGES, asked, other=1e3), believed(LANGUAGES, asked, other=1e5)
        assert LANGUAGES.trust(asked, True)[1] == share and one is not None and hundred is not None
        assert hundred.median / one.median == pytest.approx(100 ** (1 - share), rel=0.01)


def test_what_does_little_is_told_by_both_where_nobody_knows_how_often() -> None:
    small = program(100).replace("\n\n", "\ninput 2 B: [[],null,0]\n\n", 1)
    assert LANGUAGES.trust(small, True) == ("input, short", 0.0)  # which network and trees know
    unsure = program(100, more="  while (s != 1) s = s > 2 ? s / 2 : 3 * s + 1;\n")
    assert LANGUAGES.trust(unsure, True) == ("other languages, guessed", 0.5)
    belief = believed(LANGUAGES, unsure, other=0.004)
    assert belief is not None and belief.median == pytest.approx(5 * 0.002, rel=0.05)
    broken = small.replace("[[],null,0]", "nothing", 1)
    assert LANGUAGES.trust(broken, True) == ("input, c", 0.0)  # nobody knows what it says


def test_lines_of_other_languages_make_up_what_is_told() -> None:
    more = "  while (s != 1) s = s > 2 ? s / 2 : 3 * s + 1;\n"
    assert LANGUAGES.guessed(program(5e7)) == () and LANGUAGES.guessed(program(5e7, more=more)) == (9,)
    belief = believed(LANGUAGES, program(5e7))
    assert belief is not None
    found = LANGUAGES.parts(program(5e7), True, belief.median)
    assert sum(part.value for part in found) == pytest.approx(belief.median, rel=0.01)
    assert {3, 6, 7} <= {part.line for part in found} and found[-1].what == "an empty program"


def test_large_heaps_of_javascript_may_take_far_longer(tmp_path: Path) -> None:
    highs = []
    for many in (4e6, 2e7):
        rounds = f"for (let i = 0; i < {many:.0f}; i++)"
        text = f"const a = [];\n{rounds} a.push({{ i, j: i + 1, k: i + 2 }});\nconsole.log(a[9]);"
        (tmp_path / "rows.js").write_text(text)
        found = forerun.predict(tmp_path / "rows.js", metric="runtime")
        assert isinstance(found, forerun.Estimate)
        highs.append(found.high / found.value)
    assert highs[1] > 11 > 1.5 * highs[0]
