"""What ends early, or never comes: code behind an end, searches, deadlines, files, other programs, recursion."""

import pytest

from forerun.models.encoder_decoder.imports import Imports
from forerun.tasks._endless import may_end
from forerun.tasks._opened import opens
from forerun.tasks._walked import walked

LARGE = "xs = [0] * 10**8\nfor i in range(10**8):\n    xs[i] = i\n"


@pytest.mark.parametrize(
    "text",
    [
        f"import sys\nsys.exit(1)\n{LARGE}",
        f"import os\nos._exit(0)\n{LARGE}",
        f"raise SystemExit\n{LARGE}",
        f"exit()\n{LARGE}",
        f"import sys\nif len(sys.argv) != 2:\n    sys.exit('usage')\n{LARGE}",
        "def f():\n    return 1\n    xs = [0] * 10**8\nf()\n",
    ],
)
def test_what_is_not_reached_takes_nothing(text: str) -> None:
    found = walked(text)
    assert found.seconds < 1e-3 and found.bytes < 1e5 and found.settled and not found.guessed


@pytest.mark.parametrize(
    "text",
    [
        "print(any(i > 5 for i in range(10**9)))",
        "print(all(i < 5 for i in range(10**9)))",
        "print(next(i for i in range(10**9) if i % 997 == 3))",
        "def find(n):\n    for i in range(n):\n        if i * i > 10**6:\n            return i\nfind(10**9)",
    ],
)
def test_searches_go_as_far_as_is_told(text: str) -> None:
    found = walked(text)
    assert found.seconds < 1e-3 and found.settled and not found.guessed


@pytest.mark.parametrize(
    "text",
    [
        "import itertools\nfor a, b in itertools.combinations(range(20_000), 2):\n    if a * b > 1000:\n        break",
        "print(any(odd(i) for i in range(10**8)))",
        "def f(xs):\n    for i in range(10**8):\n        if xs[i % 7] > i:\n            return i\nf([1] * 7)",
    ],
)
def test_searches_of_which_nothing_is_told_may_end_soon(text: str) -> None:
    found = walked(text)
    assert found.seconds > 1 and found.least < 1e-3 and found.unsure <= found.guessed and found.unsure


@pytest.mark.parametrize(
    "text",
    [
        "from itertools import permutations\nfor p in permutations(range(9)):\n    if p[0] + p[1] == p[2] * p[3]:\n"
        "        break",
        "from itertools import product\nprint(any(a * b == c for a, b, c in product(range(150), repeat=3)))",
        "from itertools import combinations\nprint(next(c for c in combinations(range(60), 4) if sum(c) == 99))",
    ],
)
def test_searches_through_choices_go_half_of_the_way_or_end_soon(text: str) -> None:
    found = walked(text)
    assert 0.01 < found.seconds < 0.3 and found.least < 1e-3 and found.unsure
    every = walked(text.replace("        break", "        pass").replace("any(", "sum(").replace("next(", "list("))
    assert found.seconds < 0.7 * every.seconds and not every.unsure


@pytest.mark.parametrize("ask", ["list(islice(g(), N))", "[x for _, x in zip(range(N), g())]"])
def test_what_has_no_end_takes_as_long_as_is_asked_for(ask: str) -> None:
    text = (
        "from itertools import count, islice\ndef g():\n    for n in count():\n        if n % 3:\n"
        f"            yield n * n\nxs = {ask}\n"
    )
    few, many = (walked(text.replace("N", n)).seconds for n in ("10000", "1000000"))
    assert many > 50 * few and many > 0.05


@pytest.mark.parametrize(
    ("language", "text", "seconds"),
    [
        ("python", "import time\nend = time.time() + 20\nwhile time.time() < end:\n    pass\n", 20),
        ("python", "import time\nt = time.monotonic()\nwhile time.monotonic() - t < 7:\n    x = 1\n", 7),
        (
            "python",
            "from time import perf_counter\nt = perf_counter()\nwhile True:\n"
            "    if perf_counter() - t > 15:\n        break\n",
            15,
        ),
        (
            "c",
            "#include <time.h>\nint main(void) {\n  clock_t e = clock() + 10 * CLOCKS_PER_SEC;\n"
            "  long n = 0;\n  while (clock() < e) n++;\n}\n",
            10,
        ),
        (
            "go",
            'package main\nimport "time"\nfunc main() {\n\tt := time.Now()\n\tn := 0\n'
            "\tfor time.Since(t) < 8*time.Second {\n\t\tn++\n\t}\n}\n",
            8,
        ),
        (
            "javascript",
            "const end = Date.now() + 8000;\nlet n = 0;\nwhile (Date.now() < end) n++;\nconsole.log(n);\n",
            8,
        ),
    ],
)
def test_loops_go_on_until_the_time_that_is_told(language: str, text: str, seconds: float) -> None:
    found = walked(text, "", language)
    assert found.seconds == pytest.approx(seconds, rel=0.05) and found.clocked > 0.9 * seconds and not found.guessed


def test_loops_that_end_by_luck_go_as_often_as_in_the_mean() -> None:
    text = "import random\nn = 0\nwhile True:\n    n += 1\n    if random.random() < 1e-7:\n        break\n"
    found = walked(text)
    assert 0.2 < found.seconds < 3 and found.guessed == {3}


def test_sleeping_takes_no_time_of_the_processor() -> None:
    assert walked("import time\ntime.sleep(20)\n").seconds < 1e-3
    waits = "import time\nend = time.time() + 20\nwhile time.time() < end:\n    time.sleep(1)\n"
    assert walked(waits).clocked == 0


@pytest.mark.parametrize(
    "text",
    [
        "import os\nos.system('make')",
        "import subprocess\nsubprocess.run(['make'])",
        "exec(unknown())",
        "import re\nprint(re.match(r'^(a+)+$', 'a' * 30 + 'b'))",
    ],
)
def test_what_others_do_nobody_knows(text: str) -> None:
    assert walked(text).unsure == {2 if text.startswith("import") else 1}


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nf(25)", 242_785),
        (
            "def f(n, a, b, c):\n    if n == 0:\n        return\n    f(n - 1, a, c, b)\n"
            "    f(n - 1, c, b, a)\nf(17, 1, 2, 3)",
            2**18 - 1,
        ),
    ],
)
def test_functions_that_count_down_run_as_often_as_they_do(text: str, calls: float) -> None:
    found = walked(text)
    assert not found.guessed and 30e-9 < found.seconds / calls < 600e-9


def test_functions_that_call_themselves_as_often_as_nobody_knows_may_take_any_time() -> None:
    text = (
        "def part(n, m):\n    if n < 0 or m == 0:\n        return n == 0\n"
        "    return part(n - of[m], m) + part(n, m - 1)"
    )
    assert walked(text + "\npart(70, 70)\n").endless == {1}
    assert not walked("def f(n):\n    return f(n - 1) if n else 0\nf(10)\n").endless


OFF = {name: [-0.1, 0.0, 0.1] * 5 for name in ("plain", "plain, working", "plain, working, guessed", "plain, guessed")}
TIMED = Imports({"runtime": 0.01, "memory": 9e6}, {"runtime": {}, "memory": {}}, {}, {"runtime": OFF, "memory": OFF})


def asking(text: str, metric: str = "runtime") -> str:
    return f"metric {metric}\nunit s\nlanguage python\ndevice d\n\n{text}"


def test_beliefs_reach_as_far_as_what_is_not_told() -> None:
    search = (
        "import itertools\nfor a, b in itertools.combinations(range(20_000), 2):\n    if a * b > 1000:\n        break\n"
    )
    part = (
        "def part(n, m):\n    if n < 0 or m == 0:\n        return n == 0\n"
        "    return part(n - of[m], m) + part(n, m - 1)"
    )
    early, deep = (TIMED.belief(asking(text), False, 0.5) for text in (search, part + "\npart(70, 70)\n"))
    assert early is not None and early.interval(0.9)[0] < 0.011 and early.median > 0.3
    assert deep is not None and deep.above(3600.0) > 0.05 and deep.median < 1
    assert TIMED.unsure(asking(search)) and not TIMED.unsure(asking("for i in range(10**9):\n    i += 1\n"))


def test_what_no_loop_shows_is_told_by_the_text_alone() -> None:
    seen = asking("a = []\nfor i in range(20_000):\n    v = i * i % 40_009\n    if v not in a:\n        a.append(v)\n")
    falls = asking("def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nprint(f(31))\n")
    plain = asking("s = 0\nfor i in range(10_000_000):\n    s += i\n")
    assert TIMED.trust(seen, True) == TIMED.trust(falls, True) == ("plain, working", 1.0)
    assert TIMED.trust(plain, True) == ("short, working", 0.5)


def test_long_work_is_told_by_the_text_alone() -> None:
    long = asking("s = 0\nfor i in range(10**10):\n    s += i\n")
    assert TIMED.trust(long, True) == ("plain, working", 1.0) and TIMED.wants(long) is None
    belief = TIMED.belief(long, True, 1.0)
    assert belief is not None and 100 < belief.median < 1000


def test_what_no_machine_has_is_asked_for_all_the_same() -> None:
    assert TIMED.wants(asking("x = 2 ** 2 ** 40\n")) == pytest.approx(9e7, rel=0.5)
    assert TIMED.wants(asking("x = 'a' * 10**15\n", "memory")) == pytest.approx(1e15)
    assert TIMED.wants(asking(f"import sys\nsys.exit()\n{LARGE}", "memory")) == 0
    assert TIMED.wants(asking(LARGE)) is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "import csv\nrows = list(csv.reader(open('data.csv')))"),
        ("python", "from pathlib import Path\nprint(len(Path('data.csv').read_text()))"),
        ("python", "import numpy as np\nx = np.load('x.npy')"),
        ("c", '#include <stdio.h>\nint main(void) { FILE *f = fopen("data.csv", "rb"); }'),
        ("c++", '#include <fstream>\nint main() { std::ifstream in("data.csv"); }'),
        ("javascript", "const t = require('fs').readFileSync('data.csv', 'utf8');"),
        ("ruby", "puts File.read('data.csv').size"),
        ("go", 'package main\nimport "os"\nfunc main() { os.ReadFile("data.csv") }'),
        ("rust", 'fn main() { let t = std::fs::read_to_string("data.csv").unwrap(); }'),
        ("lua", 'for line in io.lines("data.csv") do print(line) end'),
    ],
)
def test_programs_that_read_files_are_known(language: str, text: str) -> None:
    assert opens(language, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "text = open(0).read()"),
        ("python", "print(open(__file__).read())"),
        ("python", "open('a', 'w').write('x')\nprint(open('a').read())"),
        ("python", "def open_door(): pass\nopen_door()"),
        ("javascript", "const t = require('fs').readFileSync(0, 'utf8');"),
        ("c", '#include <stdio.h>\nint main(void) { FILE *f = fopen("a", "w"); fputs("x", f); f = fopen("a", "r"); }'),
        ("php", "<?php $t = file_get_contents('php://stdin');"),
        ("python", "x = ("),
    ],
)
def test_programs_that_read_their_input_or_what_they_wrote_are_others(language: str, text: str) -> None:
    assert not opens(language, text)


def test_only_loops_with_an_end_may_end_early() -> None:
    assert may_end("c", "int main(void) { for (int i = 0; i < 9; i++) if (i > 3) break; }")
    assert not may_end("c", "int main(void) { char *p = calloc(1, 4000000000ul); return 0; }")
    assert not may_end("python", "for i in range(9):\n    s += i\n")
