"""What is told of an input, and what programs that read it take."""

from __future__ import annotations

import io
import json
import random
import sys
import tracemalloc
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.tasks._inputs import Input, described, understood
from forerun.tasks._reading_on import reads_on, takes_arguments
from forerun.tasks._walked import walked

MB = 1e6
_RANDOM = random.Random(7)
PAIRS = [(_RANDOM.randint(1, 10**6), _RANDOM.randint(1, 50)) for _ in range(60_000)]
EDGES = f"{len(PAIRS)} 50\n" + "".join(f"{a} {b}\n" for a, b in PAIRS)
NUMBERS = f"{len(PAIRS)} 50\n" + "".join(f"{a} {a + b}\n" for a, b in PAIRS)
LINES = "".join(json.dumps({"id": 1000 + a, "of": f"user{b}", "tags": ["x" * 9, "y" * 7]}) + "\n" for a, b in PAIRS)
CASES = [[_RANDOM.randint(1000, 10**6) for _ in range(_RANDOM.randint(10, 90))] for _ in range(1_000)]
TESTS = f"{len(CASES)}\n" + "".join(f"{len(one)}\n{' '.join(map(str, one))}\n" for one in CASES)
SETTINGS = "rows = 50000\nstep = 0.5\n"
PROGRAMS = {
    "lines, one after the other": (
        EDGES,
        """
        n, m = map(int, input().split())
        kept = []
        for _ in range(n):
            a, b = map(int, input().split())
            kept.append((a, b))
        """,
    ),
    "words, by their places": (
        NUMBERS,
        """
        import sys
        data = sys.stdin.buffer.read().split()
        n, m = int(data[0]), int(data[1])
        numbers = list(map(int, data[2:]))
        """,
    ),
    "words, one after the other": (
        EDGES,
        """
        import sys
        words = iter(sys.stdin.read().split())
        n, m = int(next(words)), int(next(words))
        kept = [[] for _ in range(m + 1)]
        for _ in range(n):
            a, b = int(next(words)), int(next(words))
            kept[b].append(a)
        """,
    ),
    "a function that reads": (
        EDGES,
        """
        import sys
        read = sys.stdin.readline
        def pair():
            return tuple(map(int, read().split()))
        n, m = pair()
        kept = [pair() for _ in range(n)]
        """,
    ),
    "a generator of words": (
        EDGES,
        """
        import sys
        def words():
            for line in sys.stdin:
                yield from map(int, line.split())
        it = words()
        n, m = next(it), next(it)
        kept = [0.5 * i for i in range(n)]
        """,
    ),
    "until it ends": (
        EDGES,
        """
        kept = []
        while True:
            try:
                line = input()
            except EOFError:
                break
            kept.append(line)
        """,
    ),
    "until there is no line": (
        EDGES,
        """
        import sys
        kept = {}
        while line := sys.stdin.readline():
            kept[line.split()[0]] = line
        """,
    ),
    "words that differ": (
        EDGES,
        """
        import sys
        from collections import defaultdict
        kept = defaultdict(list)
        for line in sys.stdin:
            a, b = line.split()
            kept[b].append(a)
        """,
    ),
    "the rest of a line": (
        NUMBERS,
        """
        import sys
        n, m, *rest = map(int, sys.stdin.read().split())
        """,
    ),
    "JSON, line by line": (
        LINES,
        """
        import json, sys
        kept = [json.loads(line) for line in sys.stdin if line.strip()]
        """,
    ),
    "JSON of many lines": (
        json.dumps([json.loads(line) for line in LINES.splitlines()[:20_000]], indent=1),
        """
        import json, sys
        kept = json.load(sys.stdin)
        """,
    ),
    "cases": (
        TESTS,
        """
        kept = []
        for _ in range(int(input())):
            n = int(input())
            kept.append([int(x) for x in input().split()])
            assert len(kept[-1]) == n
        """,
    ),
    "names and values": (
        SETTINGS,
        """
        import sys
        settings = {}
        for line in sys.stdin:
            if "=" in line:
                name, value = line.split("=", 1)
                settings[name.strip()] = value.strip()
        kept = [i * float(settings["step"]) for i in range(int(settings["rows"]))]
        """,
    ),
    "numbers that are read at once": (
        "3\n40000\n7\n",
        """
        rows, columns, seed = (int(input()) for _ in range(3))
        kept = [[i * 0.5 for i in range(columns)] for _ in range(rows)]
        """,
    ),
    "columns with tabs between them": (
        "".join(f"key{a}\t{i % 1000}\n" for i, (a, _) in enumerate(PAIRS)),
        """
        import sys
        kept = {}
        for line in sys.stdin:
            name, value = line.split()
            kept[name] = value
        """,
    ),
    "letters in another order": (
        "".join(f"word{a % 300}\n" for a, _ in PAIRS),
        """
        import sys
        groups = {}
        for word in map(str.strip, sys.stdin):
            groups["".join(sorted(word))] = word
        kept = [0.5 * i for i in range(60_000)]
        """,
    ),
    "more than there is": (
        "1.5\n" * 60_000,
        """
        kept = []
        for _ in range(500_000):
            try:
                kept.append(float(input()))
            except EOFError:
                break
        """,
    ),
    "blocks": (
        "".join("".join(f"{x}\n" for x in one) + "\n" for one in CASES),
        """
        import sys
        blocks = [[int(x) for x in one.split("\\n")] for one in sys.stdin.read().strip().split("\\n\\n")]
        """,
    ),
    "the largest": (
        "3\n1 100\n40000 90000\n7 12\n",
        """
        asked = [tuple(map(int, input().split())) for _ in range(int(input()))]
        most = max(high for _, high in asked)
        kept = [i * 0.5 for i in range(most)]
        """,
    ),
}


def taken(text: str, stdin: str) -> float:
    """Bytes that Python allocates at most while it runs."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    code = compile(dedent(text), "program", "exec")
    tracemalloc.start()
    try:
        exec(code, {})
        return float(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()
        sys.stdin = before


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_programs_read_takes_what_python_says(name: str) -> None:
    stdin, text = PROGRAMS[name]
    took, found = taken(text, stdin), walked(dedent(text), described(stdin.encode()))
    assert took > MB, "too small to tell"
    assert 0.6 * took < found.bytes < 1.6 * took, f"{found.bytes / MB:.2f} MB told, {took / MB:.2f} MB taken"
    assert not found.guessed


def test_a_file_may_be_the_input() -> None:
    told = described(EDGES.encode())
    whole = walked("import sys\nlines = sys.stdin.read().splitlines()", told).bytes
    for how in ("open(0).read()", "open('/dev/stdin').read()", "pathlib.Path('/dev/stdin').read_text()"):
        assert walked(f"import pathlib\nlines = {how}.splitlines()", told).bytes == pytest.approx(whole)


def test_an_input_tells_how_long_it_takes() -> None:
    text = "n, m = map(int, input().split())\nt = 0\nfor i in range(n):\n    for j in range(m):\n        t += i * j"
    few, many = (walked(text, described(f"{n} 300".encode())).seconds for n in (100, 10_000))
    assert 80 < many / few < 120


@pytest.mark.parametrize("share", [0.0, 0.2, 0.8, 1.0])
def test_commands_happen_as_often_as_they_come(share: float) -> None:
    text = """
        import sys
        kept = []
        for line in sys.stdin:
            op, value = line.split()
            if op == "+":
                kept.append(float(value))
        """
    stdin = "".join(f"{'+' if i % 10 < 10 * share else '-'} {i}.5\n" for i in range(100_000))
    assert walked(dedent(text), described(stdin.encode())).bytes == pytest.approx(share * 4.1e6, abs=0.2e6)


def test_lines_that_are_alike_are_told_together() -> None:
    found = understood(described(EDGES.encode())).stretches
    assert [one.lines for one in found] == [1, len(PAIRS)]
    assert found[0].first == "60000 50" and found[1].columns[1].distinct == 50
    assert found[1].columns[1].low == min(b for _, b in PAIRS) and found[1].columns[1].high == 50
    assert found[1].columns[0].distinct == pytest.approx(len({a for a, _ in PAIRS}), rel=0.05)


def test_lines_that_take_turns_are_told_apart() -> None:
    found = understood(described(TESTS.encode())).stretches
    assert [(one.lines, one.every) for one in found] == [(1, 1), (1_000, 2), (1_000, 2)]
    assert found[2].words == pytest.approx(sum(map(len, CASES)) / len(CASES), rel=0.01)


def test_a_long_input_is_told_in_few_words() -> None:
    row = ",".join(map(str, range(7)))
    assert all(len(described((row + "\n").encode() * n)) < 1_000 for n in (1, 100, 100_000))
    assert len(described(b"".join(b"%d x\n" % n + b"y\n" * (n % 7) for n in range(5_000)))) < 3_000


@given(st.binary(max_size=300) | st.text(alphabet='0123456789 \n{}[],:"#-.e\t', max_size=300).map(str.encode))
def test_whatever_is_read_is_told_and_understood(stdin: bytes) -> None:
    told = described(stdin)
    found = understood(told)
    assert "\n" not in told and sum(one.lines for one in found.stretches) == len(
        [*stdin.decode("utf-8", "replace").split("\n")]
    ) - (stdin.endswith(b"\n") or not stdin)
    for text in ("import sys\nfor line in sys.stdin: print(int(line.split()[0]))", "a, *b = input().split()"):
        assert walked(text, told).followed


@pytest.mark.parametrize("text", ["", "{}", "[]", "[1]", "'12\\n'", "[[[1]],null,0]", "[[null],null,0]", "[[],null]"])
def test_what_describes_no_input_is_not_followed(text: str) -> None:
    with pytest.raises(ValueError):
        understood(text)
    assert not text or not walked("print(input())", text).followed


def test_without_an_input_nothing_is_read() -> None:
    assert understood(described(b"")) == Input()
    text = "kept = [0.5 * i for i in range(int(input()))]"
    assert walked(text).bytes < MB


def test_rare_words_are_counted_beside_frequent_ones() -> None:
    """As far as those tell that are looked at, a hundredth of all."""
    drawn = random.Random(3)
    words = (drawn.choice(("be", "alpha", f"word{drawn.randrange(50_000)}")) for _ in range(1_500_000))
    text = "\n".join(" ".join(one) for one in zip(*[words] * 5, strict=True)) + "\n"
    inside = understood(described(text.encode()))
    assert inside is not None
    distinct = max(stretch.all.distinct for stretch in inside.stretches)
    assert 35_000 < distinct < 70_000


@pytest.mark.parametrize(
    ("language", "text", "on"),
    [
        ("python", "import sys\nfor line in sys.stdin:\n    print(line)\n", True),
        ("python", "import sys, json\nprint(len(json.load(sys.stdin)))\n", True),
        ("python", "while True:\n    try:\n        print(input())\n    except EOFError:\n        break\n", True),
        ("python", "import sys\nname = sys.stdin.readline()\nage = input()\n", False),
        ("python", '"""Reads for line in sys.stdin."""\nage = input()  # not sys.stdin\n', False),
        ("c", 'int main(void) { int x, s = 0; while (scanf("%d", &x) == 1) s += x; return s; }', True),
        ("c", 'int main(void) { int x; scanf("%d", &x); return x; }', False),
        ("c++", "int main() { std::string w; while (std::cin >> w) n++; }", True),
        ("c++", "int main() { int n; std::cin >> n; }", False),
        ("javascript", "const rl = require('readline').createInterface({input: process.stdin})", True),
        ("javascript", "console.log(require('fs').readFileSync('/dev/stdin', 'utf8').length)", True),
        ("ruby", "while (line = gets)\n  puts line\nend\n", True),
        ("ruby", "name = gets\nputs name\n", False),
        ("go", "s := bufio.NewScanner(os.Stdin)\nfor s.Scan() { n++ }", True),
        ("go", "var n int\nfmt.Scan(&n)", False),
        ("rust", "for line in std::io::stdin().lock().lines() { n += 1; }", True),
        ("rust", "std::io::stdin().read_line(&mut name).unwrap();", False),
        ("java", "Scanner s = new Scanner(System.in); while (s.hasNextInt()) n += s.nextInt();", True),
        ("java", "Scanner s = new Scanner(System.in); int n = s.nextInt();", False),
        ("php", "<?php while (($line = fgets(STDIN)) !== false) $n++;", True),
        ("php", "<?php $line = fgets(STDIN);", False),
        ("perl", "while (my $line = <STDIN>) { $n++ }", True),
        ("perl", "my $line = <STDIN>;", False),
        ("lua", "for line in io.lines() do n = n + 1 end", True),
        ("lua", "local line = io.read()", False),
        ("cobol", "ACCEPT X.", False),
    ],
)
def test_what_reads_its_input_to_the_end(language: str, text: str, on: bool) -> None:
    assert reads_on(language, text) == on


@pytest.mark.parametrize(
    ("language", "text", "looks"),
    [
        ("python", "import sys\nn = int(sys.argv[1])\n", True),
        ("python", "import sys\nprint(sys.argv[0])  # sys.argv[1]\n", False),
        ("c", "int main(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : 7; }", True),
        ("c", "int main(int argc, char **argv) { return 0; }", False),
        ("ruby", "n = (ARGV[0] || 10).to_i", True),
        ("perl", "my $n = $ARGV[0] // 10;", True),
        ("lua", "local n = tonumber(arg[1]) or 10", True),
    ],
)
def test_what_looks_at_its_arguments(language: str, text: str, looks: bool) -> None:
    assert takes_arguments(language, text) == looks
