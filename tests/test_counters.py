"""Counters of programs' texts, counted by hand here."""

from __future__ import annotations

import math
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.core import Metric
from forerun.prompts import COUNTER, parts, prompt
from forerun.tasks._arithmetic import UNKNOWN
from forerun.tasks._counters import _SYNTAX, counters, reads_sizes
from forerun.tasks._footprint import asked, footprint
from forerun.tasks.memory import Memory
from forerun.toolchains.process.languages import LANGUAGES

C = r"""#include <stdlib.h>
/* for (;;) { not this one } */
int main(void) { // while (1) nor this
  char *s = "for (int i = 0; i < 999999; i++) { \" }", c = '{';
  int *p = malloc(0x1000 * sizeof(int));
  for (int i = 0; i < 1000; i++)
    for (int k = 0; k < 10L; k++) { if (p[i] > 1e6) p[i] = f(k); }
  do { p++; } while (*p);
  while (p) { p = 0; }
  return 1.5 > 2.5 ? x12345678 : 0;
}
"""
PYTHON = '''"""for x in y: nothing"""
def f(n):  # while True
    out = []
    for i in range(n):
        while out:
            if i > 10_000:
                out.append([x for x in 'for while'])
    return 'while " # no comment'
'''
LISP = """; (do this)
(define (f n) #| (loop) |#
  (let loop ((i 0))
    (if (< i 100) (begin (do ((k 0 (+ k 1))) ((= k 5)) (g "do (" k)) (loop (+ i 1))))))
"""


def check(found: dict[str, float], **expected: float) -> None:
    assert {name: found[name] for name in expected} == expected


def test_c_counted_by_hand() -> None:
    found = counters("c", C)
    check(found, lines=11, bytes=len(C), loops=4, loop_depth=2, depth=2, branches=1, allocations=1, largest=1e6)
    check(found, calls=3)  # main, malloc, f; sizeof is none
    assert list(found) == list(counters("python", ""))


def test_python_counted_by_hand() -> None:
    found = counters("python", PYTHON)
    check(found, lines=8, loops=3, loop_depth=3, depth=4, branches=1, calls=3, largest=10_000)
    check(found, allocations=1)


def test_lisp_counted_by_hand() -> None:
    found = counters("scheme", LISP)
    check(found, lines=4, loops=2, loop_depth=2, depth=8, branches=1, largest=100)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("perl", "for my $x (@$#a) { while (1) { push @y, '}' } } # {", {"loops": 2, "loop_depth": 2, "depth": 2}),
        ("ruby", "10.times do |i|\n  x.each do |y|\n    p y\n  end\nend\n", {"loops": 2, "loop_depth": 2, "depth": 2}),
        ("lua", "--[[ for\nfor ]] for i=1,100 do -- while\n  f(i)\nend", {"loops": 1, "calls": 1, "largest": 100}),
        ("go", "func main() { s := `for {`; for { for i := range s { f(i) } } }", {"loops": 2, "depth": 3}),
        ("rust", "fn f<'a>(x: &'a str) { loop { let c = '{'; } } // for", {"loops": 1, "depth": 2}),
        ("fortran", "do i = 1, 10 ! do\n  do k = 1, 20\n  end\n", {"largest": 20, "loop_depth": 2}),
        ("c", "f(0xff, 1'000'000, 12u, 3.7e5, a1234, 1e3)", {"largest": 1e6, "calls": 1}),
        ("c", "if (x) { f([&] { for (;;) g(); }); } for (;;) ;", {"loops": 2, "loop_depth": 1}),
        ("brainfuck", '/* for */ for\n  while "for"\n', {"loops": 2, "loop_depth": 2, "lines": 2}),
        ("c", "x = 99999999999999999999999999; y = 7;", {"largest": 7}),
    ],
)
def test_other_languages(language: str, text: str, expected: dict[str, float]) -> None:
    check(counters(language, text), **expected)


TEXT = st.text() | st.text("\"'\\/*{}();#\n for0-[]<>=%@x!ido")


@settings(max_examples=80)
@given(st.sampled_from([*LANGUAGES, "llvm", "onnx"]), TEXT)
def test_nothing_makes_it_fail_and_prompts_carry_it(language: str, text: str) -> None:
    found = counters(language, text)
    assert all(value >= 0 for value in found.values())
    carried = parts(prompt(Metric("memory", "B"), language, "here", text, counters=found)).counters
    assert carried == {name: COUNTER.round((value,))[0] for name, value in found.items()}


PIECES = (
    "a = {}", "a = []", "a = ", "a[", "]", " = 1", "my a;", "map<", ">", ">> a", "sub f {", "}", "def f(n):",
    "f(n - 1)", "f(", ")", "range(", "..", "a <<", "fgets(STDIN)", "scanf(", "&n", "cin >> ", "length: ", "for ",
    "while n > 0", "\n", ";", "{", "int(input())", "int f(int n) {", "n", "9", "x", ",", '"', "lines = input()",
    "lines[0]",
)  # fmt: skip


@settings(max_examples=300)
@given(st.sampled_from(sorted(LANGUAGES)), st.lists(st.sampled_from(PIECES), max_size=30), st.binary(max_size=20))
def test_no_program_and_no_input_makes_it_fail(language: str, pieces: list[str], stdin: bytes) -> None:
    for text in ("".join(pieces), " ".join(pieces)):
        assert all(0 <= value < math.inf for value in counters(language, text, stdin).values())


@pytest.mark.parametrize("language", ["c", "python", "scheme", "perl", "haskell", "llvm", "forth", "other"])
@pytest.mark.parametrize(
    "unit", ["/*", '"', "'", "`", '"""', "(", "{", "x", "1", " ", "\n ", "#|", "\\", "[1 x ", "%a = "]
)
def test_long_texts_of_one_mark_take_a_moment(language: str, unit: str) -> None:
    """Quadratic time would be minutes here, and the run would not end."""
    assert counters(language, unit * (50_000 // len(unit))) is not None


def test_every_language_has_a_syntax() -> None:
    assert set(LANGUAGES) == set(_SYNTAX)


def test_the_prompt_of_a_program_has_counters() -> None:
    from tests.test_programs import source

    found = parts(Memory().prompt(source("perl", "for (1..3) { print 1000 }")))
    check(dict(found.counters), loops=1, depth=1, largest=1000)


FILLED = """\
def f(n):
    a = []
    for i in range(n):
        a.append(i)"""
REMEMBERED = """\
memo = {}
def f(n, k):
    if (n, k) not in memo:
        memo[n, k] = f(n - 1, k) + f(n, k - 1)
    return memo[n, k]"""
SIEVE = """def sieve(n):
    marked = bytearray(n + 1)
    i = 2
    while i * i <= n:
        for k in range(i * i, n + 1, i):
            marked[k] = 1
        i += 1
sieve(10_000)
"""


@pytest.mark.parametrize(
    ("language", "text", "iterations", "depth"),
    [
        ("lua", "for i = 1, 100 do x = i end for i = 1, 100 do x = i end", 100, 1),
        ("lua", "for i = 1, 100 do for j = 1, 100 do x = i end end for i = 1, 100 do x = i end", 1e4, 2),
        ("lua", "for i = 1, 100 do if i > 3 then x = i end for j = 1, 100 do y = j end end", 1e4, 2),
        ("lua", "function f() for i = 1, 100 do x = i end end f() for i = 1, 100 do x = i end", 100, 1),
        ("lua", "repeat x = x + 1 until x > 100 for i = 1, 100 do x = i end", 100, 1),
        ("lua", "for _, v in ipairs({1, 2}) do for i = 1, 100 do x = i end end", 1000, 2),
        ("lua", "for i = 1, 100 do\n  for j = 1, 100 do x = i end\n  x = 0\nend\nfor i = 1, 100 do x = i end", 1e4, 2),
        ("ruby", "for i in 1..100 do x = i end; for i in 1..100 do x = i end", 100, 1),
        ("ruby", "100.times do |i| 100.times do |j| x = i end end; 100.times do |i| x = i end", 1e4, 2),
        ("ruby", "(1..100).each { |i| x = i }; (1..100).each { |i| x = i }", 100, 1),
        ("ruby", "(1..100).each { |i| (1..100).each { |j| x = i } }", 1e4, 2),
        ("ruby", "while i < 100; i += 1; end; while j < 100 do j += 1 end", 100, 1),
        ("ruby", "100.times do |i| if i > 3 then x = i end; 100.times { |j| y = j } end", 1e4, 2),
        ("ruby", "100.times do |i| x = 2 if i > 3; 100.times { |j| y = j } end", 1e4, 2),
        ("ruby", "x += 1 while x < 100; 100.times do |i| x = i end", 100, 1),
        ("ruby", "100.times do |i|\n  x = 1 unless i > 2\n  100.times do |j| y = j end\nend\n", 1e4, 2),
    ],
)
def test_blocks_of_one_line_end_in_it(language: str, text: str, iterations: float, depth: int) -> None:
    found = counters(language, text)
    assert found["iterations"] == pytest.approx(iterations, rel=0.01) and found["loop_depth"] == depth


@pytest.mark.parametrize(
    ("language", "text", "taken"),
    [
        ("python", "a = [0] * 10**8", 8e8),
        ("python", "N: int = 3 * 1000\na = 'x' * (N // 3)", 1000),
        ("python", "g = [[0] * 100 for _ in range(2000)]", 1_600_000),
        ("python", "s = set(range(5000))\nfor i in range(7):\n    s.add(i)", 200_000),
        ("python", "xs = []\nfor i in range(300):\n    for k in range(i):\n        xs.append(k)", 3_600_000),
        ("python", "import numpy as np\nx = np.zeros(1 << 20)", 8 << 20),
        ("python", "import numpy as np\nx = np.ones((3000, 200))", 4_800_000),
        ("python", "import numpy as np\nx = np.zeros([300, 20, 10], np.float32)", 240_000),
        ("python", "import numpy as np\nx = np.full((n, 2), 7)", 56),
        ("python", "import numpy as np\nx = np.random.rand(400, 500)", 1_600_000),
        ("python", "import numpy as np\nx = np.random.random((400, 500))", 1_600_000),
        ("python", "import numpy as np\nx = np.random.normal(0, 1, size=(400, 500))", 1_600_000),
        ("python", "import random\nx = random.randint(0, 10**6)", 0),
        ("javascript", "const a = [];\nfor (let i = 0; i < 5000; i++) a.push(i);", 100_000),
        ("c++", "for (int i = 0; i < 900; i++) for (int k = 0; k < 3; k++) v.push_back(k);", 21_600),
        ("python", SIEVE, 10_001),
        ("c", "#define N 1000\nstatic int a[N][N];", 4e6),
        ("c", "int main(void) { char *p = malloc(100000000); return p[0]; }", 1e8),
        ("c", "void f(long n) { int *a = (int *) calloc(n + 1, sizeof(int)); } int main() { f(99); }", 400),
        ("c++", "const int N = 1'000'000; std::vector<int> v(N);", 4e6),
        ("c++", "std::vector<std::vector<int>> g(100, std::vector<int>(200));", 80_000),
        ("c++", "string a(8, 'a');\n vector<vector<int>> d(801, vector<int>(801));", 4 * 801**2),
        ("c++", "using namespace std;\nint main() { vector<int> d(64000000); }", 256e6),
        ("go", "func main() { n := 1000; a := make([]int, n*n) }", 8e6),
        ("go", "var t [4096]int", 8 * 4096),
        ("rust", "let n: usize = 1_000; let v = vec![vec![0u8; n]; n * 2];", 2e6),
        ("rust", "let n: usize = 1_000; let v = vec![vec![0i64; n]; n * 2];", 16e6),
        ("java", "static final int N = 5000; int[][] g = new int[N][N];", 1e8),
        ("javascript", "const n = 1e6; const a = new Array(n).fill(0);", 8e6),
        ("ruby", "n = 10**3\na = Array.new(n) { Array.new(n, 0) }", 8e6),
        ("ruby", "b = (1..5000).to_a", 40_000),
        ("perl", "sub f {\n    my ($n) = @_;\n    my @s = (1) x $n;\n}\nf(70_000);", 46 * 70_000),
        ("lua", "for i = 1, 400 do table.insert(t, i) end", 14 * 400),
        ("php", "<?php const N = 300; $a = array_fill(0, N * N, 0);", 16 * 90_000),
        ("c", "char *p = malloc(56 + pow(-2, 0.5) + 1 / 0 + 5 % 0);", 56),
        ("c", "static char a[80][100]; int *p = calloc(50, sizeof *p);", 8000),
        ("c", "double *a = calloc(100, 8);", 800),
        ("c++", "std::string s(8000, 'x'); std::vector<std::string> v(200);", 8000),
        ("c++", "std::vector<char> s(8000);", 8000),
        ("python", "a = bytearray([1]) * 8000", 8000),
        ("python", "a = b'abcd' * 2000", 8000),
        ("python", "a = ['abcd'] * 2000", 16_000),
        ("python", "a = np.zeros(8000, dtype=np.uint8)", 8000),
        ("java", 'byte[] a = new byte[8000]; String s = "abcd".repeat(1000);', 8000),
        ("javascript", "const a = new Uint8Array(8000), b = Buffer.alloc(4000);", 8000),
        ("go", 'a := make([]byte, 8000); b := strings.Repeat("ab", 2000)', 8000),
        ("go", "a := make([]string, 800)", 6400),
        ("lua", "local s = string.rep('x', 8000)", 8000),
        ("go", "m := map[int]int{}\nfor i := 0; i < 700; i++ { m[i*i]++ }", 78 * 700),
        ("python", "c = defaultdict(int)\nfor i in range(7000):\n    c[i * 3 % 700] += 1", 85 * 700),
        ("python", "c = collections.Counter()\nfor i in range(700):\n    c[i] += 1", 85 * 700),
        ("perl", "my %c;\nfor my $i (1 .. 7000) { $c{$i % 700}++; }", 196 * 700),
        ("rust", "for i in 0..700u64 { *m.entry(i).or_insert(0) += 1; }", 48 * 700),
        ("javascript", "const m = {};\nfor (let i = 0; i < 700; i++) m[i] += 1;", 60 * 700),
        ("python", "d = {}\nfor i in range(700):\n    d[str(i)] = i", (85 + 72 - 40) * 700),
        ("python", "d = {i: 2 for i in range(700)}", 85 * 700),
        ("python", "d = dict(zip(range(700), range(700)))", 40 * 700),
        ("c++", "std::map<int, std::vector<int>> m; for (int i = 0; i < 700; i++) m[i] = {i};", (48 + 32) * 700),
        ("go", "m := make(map[string]int)\nfor i := 0; i < 700; i++ { m[fmt.Sprint(i)] = i }", 78 * 700),
        ("perl", "my %h;\nfor my $i (1 .. 700) { $h{$i} = 1; }", 196 * 700),
        ("perl", "my @a = (1 .. 700);", 30 * 700),
        ("ruby", "s = Set.new\n700.times { |i| s << i }", 38 * 700),
        ("ruby", "a = [*0...700]", 8 * 700),
        ("php", "<?php $a = []; for ($i = 0; $i < 700; $i++) { $a[] = $i; } $b = range(1, 20);", 16 * 700),
        ("php", "<?php $b = range(1, 700);", 16 * 699),
        ("java", "int[] a = IntStream.range(0, 700).toArray();", 4 * 700),
        ("javascript", "const a = Array.from({ length: 700 }, (_, i) => i);", 8 * 700),
        ("rust", "let v: Vec<u64> = (0..700u64).collect();", 8 * 700),
        ("c", "for (int i = 0; i < 700; i++) { struct node *n = malloc(sizeof *n); n->next = head; }", 32 * 700),
        ("c", "int *a = malloc(700 * sizeof(int)); double *b = malloc(10 * sizeof(double));", 2800),
        ("c", "short a[700]; unsigned char b[700];", 1400),
        ("c", "int64_t a[700]; int16_t b[700];", 5600),
        ("rust", "let v = vec![0i32; 700];", 2800),
        ("rust", "let v: Vec<f32> = vec![0.0; 700];", 2800),
        ("java", "float[] a = new float[700]; List<Integer> b = new ArrayList<>(10);", 2800),
        ("go", "a := make([]int32, 700); b := make([]float64, 10)", 2800),
        ("javascript", "const a = new Float32Array(700);", 2800),
        ("c++", "std::vector<double> v(700);", 5600),
        ("python", "a = [0 for _ in range(700)]", 8 * 700),
        ("python", "a = [i * i for i in range(700)]", 40 * 700),
        ("python", "a = []\nfor i in range(700):\n    a.append((i, i + 1))", 136 * 700),
        ("python", "a = {}\nfor i in range(700):\n    a[i] = [i]", (85 + 136) * 700),
        ("javascript", "const a = []; for (let i = 0; i < 700; i++) a.push({ x: i });", 90 * 700),
        ("lua", "local a = {} for i = 1, 700 do a[#a + 1] = {i, i} end", (14 + 107) * 700),
        ("rust", "let mut m = HashMap::new(); for i in 0..700u64 { m.insert(i, i); }", 48 * 700),
        ("javascript", "const c = { width: 50, height: 30 };\nconst a = new Uint8Array(c.width * c.height);", 1500),
        ("javascript", "function f({ w, h }) { return new Uint8Array(w * h); }\nf({ w: 50, h: 30 });", 1500),
        ("javascript", "class G { constructor(n, m) { this.a = new Uint8Array(n * m); } }\nnew G(50, 30);", 1500),
        ("javascript", "const f = (n, k) => { const a = new Uint8Array(n); return a; };\nf(1500, 3);", 1500),
        ("javascript", "const a = Array.from({ length: 50 }, () => new Uint8Array(30));", 1500),
        ("javascript", "const a = Array.from({ length: 50 }, (_, i) => ({ i }));", 90 * 50),
        ("go", "func main() {\n const w, h = 50, 30\n a := make([]byte, w*h)\n}", 1500),
        ("go", "func (s *S) f(n int) { s.a = make([]byte, n) }\nfunc main() { x.f(1500) }", 1500),
        ("go", "type P struct {\n x, y float64\n}\nvar p []P\nfor i := 0; i < 700; i++ { p = append(p, q) }", 17 * 700),
        ("python", "class A:\n    def __init__(self, n, m=3):\n        self.a = bytearray(n * m)\nA(50, 30)", 1500),
        ("python", "class A:\n    def f(self, n):\n        self.a = bytearray(n)\nx = A()\nx.f(1500)", 1500),
        ("python", "w, h = 50, 30\na = bytearray(w * h)", 1500),
        (
            "python",
            "def g(n):\n    for i in range(n):\n        yield i\na = []\nfor x in g(700):\n    a.append(x)",
            40 * 700,
        ),
        ("ruby", "class G\n  def initialize(n)\n    @a = Array.new(n, 0)\n  end\nend\nG.new(700)", 5600),
        ("rust", "fn main() { let (w, h) = (50, 30); let a = vec![0u8; w * h]; }", 1500),
        ("rust", "struct C { rows: usize }\nfn main() { let c = C { rows: 1500 }; let a = vec![0u8; c.rows]; }", 1500),
        ("c++", "class K { public: K(int n, int m) { vector<char> b(n * m); } };\nint main() { K k(50, 30); }", 1500),
        ("c", "void *need(size_t n) { void *p = malloc(n); return p; }\nint main() { char *a = need(1500); }", 1500),
        ("c", "struct t *q = f(); int main() { q->n = 1500; char *a = malloc(q->n); }", 1500),
        ("lua", "local w, h = 50, 14\nlocal t = {}\nfor i = 1, w * h do t[i] = i end", 14 * 700),
        (
            "lua",
            "local P = {}\nfunction P.new(n)\n local t = {}\n for i = 1, n do t[i] = i end\nend\nP.new(700)",
            14 * 700,
        ),
        ("perl", "my (%a, %b);\nfor my $i (1 .. 700) { $a{$i}{x} = 1; }", 196 * 700),
        ("php", "<?php $c = ['rows' => 700]; $a = range(1, $c->rows);", 16 * 699),
        ("java", "var a = IntStream.range(0, 700).mapToObj(i -> f(i)).collect(Collectors.toList());", 48 * 700),
        # What a function makes for itself is gone when it ends.
        (
            "python",
            f"{FILLED}\nfor k in range(50):\n    f(700)",
            28_000,
        ),
        (
            "python",
            f"{FILLED}\n    return a\nfor k in range(50):\n    b = f(7)",
            280,
        ),
        (
            "python",
            f"{FILLED}\n    return a\nc = []\nfor k in range(50):\n    c.append(f(700))",
            1_400_000,
        ),
        # A function in the head of a loop is called once.
        (
            "python",
            "def f(n):\n    for i in range(n):\n        a.append(i)\n        yield i\nfor x in f(700):\n    pass",
            28_000,
        ),
        (
            "python",
            f"{REMEMBERED}\nf(50, 14)",
            (85 + 136) * 700,
        ),
        ("c", 'int a[n]; /* malloc(500) */ char *s = "malloc(600)";', 0),
    ],
)
def test_elements_that_are_asked_for(language: str, text: str, taken: float) -> None:
    assert asked(language, counters(language, text)["elements"]) == pytest.approx(taken, rel=0.002), "bytes"


CALLED = {
    "python": "def prime(n):\n    for k in range(1000):\n        if n % k == 0:\n            return"
    " 0\n    return 1\n\nc = 0\nfor i in range(5000):\n    c += prime(i)\n",
    "c": "int prime(int n) { for (int k = 0; k < 1000; k++) if (n % k == 0) return 0; return 1;"
    " }\nint main() { for (int i = 0; i < 5000; i++) c += prime(i); }",
    "java": "static int prime(int n) { for (int k = 0; k < 1000; k++) { f(); } return 1; }\nstatic"
    " void main() { for (int i = 0; i < 5000; i++) { c += prime(i); } }",
    "rust": "fn prime(n: u32) -> u32 { for k in 0..1000 { f(); } 1 }\nfn main() { for i in 0..5000"
    " { c += prime(i); } }",
    "javascript": "function prime(n) { for (let k = 0; k < 1000; k++) { f(); } return 1; }\nfor"
    " (let i = 0; i < 5000; i++) c += prime(i);",
    "ruby": "def prime(n)\n  (0...1000).each do |k|\n    return 0 if n % k == 0\n  end\n "
    " 1\nend\n5000.times { |i| c += prime(i) }\n",
    "lua": "local function prime(n)\n  for k = 1, 1000 do\n    f()\n  end\n  return 1\nend\nfor i ="
    " 1, 5000 do c = c + prime(i) end\n",
    "go": "func prime(n int) int {\n\tfor k := 0; k < 1000; k++ {\n\t\tf()\n\t}\n\treturn"
    " 1\n}\nfunc main() {\n\tfor i := 0; i < 5000; i++ {\n\t\tc += prime(i)\n\t}\n}",
    "perl": "sub prime {\n    my ($n) = @_;\n    for my $k (1 .. 1000) { f(); }\n    return"
    " 1;\n}\nfor my $i (1 .. 5000) { $c += prime($i); }\n",
    "php": "<?php function prime($n) { for ($k = 0; $k < 1000; $k++) { f(); } return 1; }\nfor ($i"
    " = 0; $i < 5000; $i++) { $c += prime($i); }",
}
"""A loop in a function that is called in a loop."""


MADE = "struct n *make(int k) {\n  struct n *p = malloc(sizeof *p);\n  return p;\n}\nint main(void) "
CACHED = "def f(i, j):\n    return f(i - 1, j) + f(i, j - 1)\nf(300, 200)"


@pytest.mark.parametrize(
    ("language", "text", "taken"),
    [
        ("c", MADE + "{ for (int i = 0; i < 700; i++) make(i); }", 32 * 700),
        ("c", MADE + "{ make(0); }", 0),
        ("c", "int **a; for (int i = 0; i < 300; i++) a[i] = malloc(200 * sizeof(int));", 4 * 300 * 200),
        ("java", "int[][] a; for (int i = 0; i < 300; i++) a[i] = new int[200];", 4 * 300 * 200),
        ("python", "rows = []\nfor i in range(300):\n    rows.append([0] * 200)", 8 * 300 * 200),
        ("python", "rows = []\nfor i in range(300):\n    rows.append([k for k in range(200)])", 40 * 300 * 200),
        ("go", "for i := 0; i < 300; i++ { row := make([]int64, 200); a = append(a, row) }", 8 * 300 * 200),
        ("rust", "let mut a = Vec::new(); for i in 0..300 { a.push(vec![0u8; 200]); }", 300 * 200),
        ("ruby", 'a = []\n700.times { |i| a << "item #{i}" }', 61 * 700),
        ("ruby", 'a = []\n700.times { |i| a << "item" }', 8 * 700),
        ("python", 'a = []\nfor i in range(700):\n    a.append(f"item {i}")', 72 * 700),
        ("python", "a = []\nfor i in range(700):\n    a.append(str(i))", 72 * 700),
        ("ruby", "a = (1..700).map { |i| i.to_s }", 61 * 700),
        ("lua", "local t = {} for i = 1, 700 do t[i] = 'item ' .. i end", 88 * 700),
        ("php", '<?php $a = []; for ($i = 0; $i < 700; $i++) { $a["k$i"] = $i; }', (41 + 56 - 16) * 700),
        ("perl", "my %h; $h{$_} = $_ * 2 for 1 .. 700;", 196 * 700),
        ("perl", "my @a;\nfor (1 .. 9) { f(); }\npush @a, $_ for 1 .. 700;\npush @b, 1;\n", 30 * 700),
        ("ruby", "a = []\na << 1\na << i += 1 while i < 700", 8 * 700),
        ("python", "a = list(permutations(range(7)))", 136 * 5040),
        ("python", "@lru_cache(maxsize=None)\n" + CACHED, (85 + 136) * 300 * 200),
        ("python", "import functools\n@functools.cache\n" + CACHED, (85 + 136) * 300 * 200),
        ("python", CACHED, 0),
        ("python", "class N:\n    pass\n\nh = None\nfor i in range(700):\n    h = N(i, h)\n", 136 * 700),
        ("python", "class N:\n    pass\n\nfor i in range(700):\n    last.next = N(i)\n", 136 * 700),
        ("python", "class N:\n    pass\n\nfor i in range(700):\n    last = N(i)\n", 0),
        ("java", "class N {} for (int i = 0; i < 700; i++) { h = new N(i, h); }", 48 * 700),
        ("go", "type N struct {}\nfunc main() { for i := 0; i < 700; i++ { h = &N{i, h} } }", 32 * 700),
        ("python", "a = [1]\nfor i in range(12):\n    a = a + a\n", 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a.extend(a)\n", 8 * 2**12),
        ("python", "a = [1] * 5\nfor i in range(12):\n    a *= 2\n", 5 * 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a = a * 2\n", 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a = 2 * a\n", 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a += a[:]\n", 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a.extend(list(a))\n", 8 * 2**12),
        ("python", "a = [1]\nfor i in range(12):\n    a = a + a[1:]\n", 0),
        ("python", "a = [1]\nfor i in range(12):\n    a = 3 * a\n", 0),
        ("javascript", "let a = [1];\nfor (let i = 0; i < 12; i++) { a = a.concat(a) }\n", 8 * 2**12),
        ("ruby", "a = [1]\n12.times do\n  a.concat(a)\nend\n", 8 * 2**12),
        ("python", "a = 5\nfor i in range(12):\n    a = a + a\n", 0),
        ("python", "a = [1][0]\nfor i in range(12):\n    a = a + a\n", 0),
        ("python", "for i in range(12):\n    a = [1]\n    a = a + a\n", 0),
        ("python", "def f():\n    a = [1]\n\ndef g():\n    a = 5\n    for i in range(12):\n        a += a\n", 0),
        ("python", "class P:\n    pass\n\nfor i in range(700):\n    p = P(p.x + 1, i)\n", 0),
        ("python", "a = []\nfor i in range(700):\n    a.append(b'\\x01' * 1000)\n", 1000 * 700),
        ("ruby", "a = []\n700.times { a << 'ab' * 1000 }", 2000 * 700),
        ("python", "a = [0] * (1 << 70)", 8 * 1e15),
        ("python", "a = [0] * 10 ** 10 ** 10", 8 * 1e15),
        ("python", "a = []\nfor i in range(1 << 70):\n    a.append(i)\n", 40 * 1e15),
    ],
)
def test_what_holds_much_and_is_put_into_something(language: str, text: str, taken: float) -> None:
    assert asked(language, counters(language, text)["elements"]) == pytest.approx(taken, rel=0.002), "bytes"


@pytest.mark.parametrize(
    ("language", "text", "taken"),
    [
        ("python", 's = ""\nfor i in range(700):\n    s += "abc"\n', 3 * 700),
        ("python", 's = ""\nfor i in range(700):\n    s = s + "abc" * 10\n', 30 * 700),
        ("python", 'self.s = ""\nfor i in range(700):\n    self.s += f"item {i}\\n"\n', 10 * 700),
        ("python", 's = "ab"\nfor i in range(20):\n    s += s\n', 2 * 2**20),
        ("python", 's = "ab"\nwhile len(s) < 70000:\n    s += s\n', 70000),
        ("python", 'def f(n):\n    s = "ab" * 9\n    while len(s) < n:\n        s += s\n\nf(70000)\n', 70000),
        ("python", "b = bytearray()\nfor i in range(700):\n    b.append(1)\n", 700),
        ("python", "b = io.StringIO()\nfor i in range(700):\n    b.write('abc')\n", 3 * 700),
        ("python", "n = 0\nfor i in range(700):\n    n += 5\n", 0),
        ("python", "n = 0\nfor i in range(700):\n    n += s == 'abc'\n", 0),
        ("python", "a = []\nfor i in range(700):\n    a.append('abc')\n", 40 * 700),
        ("javascript", 'let s = "";\nfor (let i = 0; i < 700; i++) s += "abcd";\n', (36 + 4) * 700),
        (
            "java",
            'StringBuilder s = new StringBuilder(); for (int i = 0; i < 700; i++) { s.append("ab").append(i); }',
            2.5 * 10 * 700,
        ),
        ("java", "List<String> s; void f(String s) {} for (int i = 0; i < 700; i++) { s.add(i); }", 44 * 700),
        ("c++", "std::string s; for (int i = 0; i < 700; i++) { s += 'x'; }", 1.5 * 700),
        ("c++", "for (int i = 0; i < 700; i++) { s += i > 3 ? 'x' : 'y'; }", 1.5 * 2 * 700),
        ("c++", "std::string s; for (int i = 0; i < 700; i++) s.push_back('x');", 1.5 * 700),
        ("c++", "std::vector<std::string> s; for (int i = 0; i < 700; i++) s.push_back('x');", 8 * 700),
        ("rust", 'let mut s = String::new(); for i in 0..700 { s.push_str("ab"); }', 2 * 700),
        ("rust", "let mut s = String::new(); for i in 0..700 { s.push_str(&(i).to_string()); }", 8 * 700),
        ("python", 's = ""\nfor k in range(900):\n    s = ""\n    for i in range(700):\n        s += "abc"\n', 3 * 700),
        ("python", 's = ""\nfor k in range(9):\n    for i in range(700):\n        s += "abc"\n', 3 * 9 * 700),
        (
            "python",
            'def f():\n    s = ""\n    for i in range(700):\n        s += "abc"\n\nfor k in range(900):\n    f()\n',
            3 * 700,
        ),
        ("php", "<?php define('N', 700); $a = []; for ($i = 0; $i < N; $i++) { $a[] = $i; }", 16 * 700),
        ("go", 'var b strings.Builder; for i := 0; i < 700; i++ { b.WriteString("ab") }', 2 * 2 * 700),
        ("ruby", 's = +""\n700.times { s << "ab" }', 2 * 700),
        ("php", '<?php for ($i = 0; $i < 700; $i++) { $s .= "ab"; }', 2 * 2 * 700),
        ("perl", 'my $s; $s .= "ab" for 1 .. 700;', 2 * 700),
        ("lua", "local s = ''\nfor i = 1, 700 do s = s .. 'ab' end", 4 * 2 * 700),
        ("awk", 'BEGIN { for (i = 0; i < 700; i++) s = s "ab" }', 2 * 700),
    ],
)
def test_what_is_added_to_texts(language: str, text: str, taken: float) -> None:
    assert asked(language, counters(language, text)["elements"]) == pytest.approx(taken, rel=0.002), "bytes"


WRAPPED = {
    "python": ("def main():\n", "\n\n\nif __name__ == '__main__':\n    main()\n"),
    "javascript": ("function main() {\n", "\n}\nmain();\n"),
    "lua": ("local function main()\n", "\nend\nmain()\n"),
    "ruby": ("def main\n", "\nend\nmain\n"),
    "go": ("package main\nfunc main() {\n", "\n}\n"),
    "rust": ("fn main() {\n", "\n}\n"),
    "c++": ("int main() {\n", "\n}\n"),
}


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "n = 30_000\na = [0] * n"),
        ("python", "d = {}\nfor i in range(700):\n    d[i] = i"),
        ("python", "d = deque(maxlen=700)\nfor i in range(10**7):\n    d.append(i)"),
        ("python", "n = 500\nwhile n > 0:\n    n -= 1"),
        ("python", "a = range(1000)\nn = len(a)\nfor i in range(n):\n    s = sum(x * y for x in a)"),
        ("javascript", "const n = 1e4; const a = new Array(n).fill(0);"),
        ("lua", "local t = {}\nfor i = 1, 1000 do t[i] = i end"),
        ("ruby", "a = (1..1000).to_a\na.each { |x| s += x }"),
        ("go", "n := 1000; a := make([]int, n*n)"),
        ("rust", "let n: usize = 1_000; let v = vec![vec![0u8; n]; n * 2];"),
        ("c++", "const int N = 10000; std::vector<int> v(N);"),
    ],
)
def test_a_program_in_a_function_counts_as_one_without(language: str, text: str) -> None:
    before, behind = WRAPPED[language]
    inside = text.replace("\n", "\n    ") if language == "python" else text
    alone, wrapped = (counters(language, one) for one in (text, f"{before}    {inside}{behind}"))
    told = {name: alone[name] for name in ("elements", "iterations")}
    assert {name: wrapped[name] for name in told} == pytest.approx(told) and max(told.values()) > 100


@pytest.mark.parametrize(
    ("language", "text", "elements"),
    [
        ("python", "try:\n    n = 500\nfinally:\n    pass\na = [i * i for i in range(n)]", 500),
        (
            "python",
            "class C:\n    n: int = 500\n\n    def f(self):\n        return [i * i for i in range(self.n)]",
            500,
        ),
        ("python", "class C:\n    N = 500\n\na = [i * i for i in range(C.N)]", 500),
        ("python", "xs: list[int] = [0] * 500\nfor x in xs:\n    ys.append(x)", 500),
        ("python", "if x: n = 500\na = [i * i for i in range(n)]", 500),
        ("go", "a := make([]int, 500)\nfor i := range a { a[i] = i }", 500 * 8 / 17),
        ("go", "a := make([]int, 500)\nfor _, v := range a { b = append(b, v) }", 500),
        ("go", "for i := range 500 { b = append(b, i) }", 500),
        ("lua", "local a = {}\nfor i = 1, 500 do a[i] = i end\nfor i = 1, #a do b[i] = i end", 500),
        ("python", "a = [0] * 500\nn = len(a)\nfor i in range(n):\n    d.append(n - i)", 500),
        ("python", "a = [0] * 500\ns = sum(a)\nfor i in range(70):\n    d.append(s)", 100),
        ("python", "a = [0] * 500\nfor i in range(70):\n    d.append(list(a))", 70 * 100),
    ],
)
def test_what_is_bound_tells_places_sums_and_lists_apart(language: str, text: str, elements: float) -> None:
    assert counters(language, text)["elements"] == pytest.approx(elements, rel=0.002)


TREE = "struct t *make(int d) { struct t *p = malloc(sizeof *p); if (d > 0) { p->l = make(d - 1); p->r = make(d - 1); }"
HANOI = "def hanoi(n, a, b):\n    if n:\n        hanoi(n - 1, b, a)\n        hanoi(n - 1, a, b)\nhanoi(12, 1, 2)"
PAIRS = "def make(d):\n    return (make(d - 1), make(d - 1)) if d else None\nmake(12)"
NODES = "function t(d) { return d ? { l: t(d - 1), r: t(d - 1) } : 0; }\nt(12);"


@pytest.mark.parametrize(
    ("language", "text", "elements", "calls"),
    [
        ("python", "def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\nf(20)", 0, ((1 + 5**0.5) / 2) ** 20),
        ("python", HANOI, 0, 2**12),
        ("python", PAIRS, 2**12 * 136 / 40, 2**12),
        ("c", TREE + " return p; }\nint main(void) { make(12); }", 2**12 * 32 / 8, 2**12),
        ("c", TREE + " free(p); }\nint main(void) { make(12); }", 12, 2**12),
        ("javascript", NODES, 2**12 * 73 / 20, 2**12),
    ],
)
def test_functions_that_call_themselves_twice(language: str, text: str, elements: float, calls: float) -> None:
    found = counters(language, text)
    assert [found["elements"], found["iterations"]] == pytest.approx([elements, calls], rel=0.002)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "n = 1000\na = [0] * n\nfor x in a:\n    for y in a:\n        f(x)"),
        ("python", "a = list(range(1000))\nfor i in range(len(a)):\n    for k in range(i, len(a)):\n        f(x)"),
        (
            "python",
            "a = []\nfor i in range(1000):\n    a.append(i)\nfor x in a:\n    for y in sorted(a):\n        f(x)",
        ),
        ("python", "def f(b):\n    for x in b:\n        for y in b:\n            g(x)\n\na = [0] * 1000\nf(a)"),
        ("python", "a = range(1000)\nn = len(a)\nfor i in range(n):\n    s = sum(x * y for x in a)"),
        ("c++", "vector<int> a(1000); for (auto x : a) for (auto y : a) s += x * y;"),
        ("c++", "vector<int> a(1000); for (int i = 0; i < a.size(); i++) for (int k = 0; k < a.size(); k++) s += 1;"),
        ("c", "int a[1000]; for (int i = 0; i < sizeof(a) / sizeof(a[0]); i++) for (int k = 0; k < 1000; k++) f();"),
        ("java", "int[] a = new int[1000]; for (int x : a) for (int k = 0; k < a.length; k++) s += x;"),
        ("go", "a := make([]int, 1000); for _, x := range a { for k := 0; k < len(a); k++ { s += x } }"),
        ("rust", "let a = vec![0; 1000]; for x in &a { for y in a.iter() { s += x * y; } }"),
        ("rust", "let a = vec![0; 1000]; for i in 0..a.len() { for k in 0..a.len() { s += 1; } }"),
        ("javascript", "const a = new Array(1000).fill(0); for (const x of a) for (let k = 0; k < a.length; k++) s++;"),
        ("ruby", "a = (1..1000).to_a\na.each { |x| a.each { |y| s += x * y } }"),
        ("perl", "my @a = (1..1000); for my $x (@a) { for my $y (@a) { $s += 1; } }"),
        ("lua", "local t = {}\nfor i = 1, 1000 do t[i] = i end\nfor i = 1, #t do for k = 1, #t do s = s + 1 end end"),
        ("php", "<?php $a = range(0, 1000); foreach ($a as $x) foreach ($a as $y) $s++;"),
        ("python", "for p in itertools.product(range(10), range(100), range(1000)):\n    f(p)"),
        ("python", "for p in product('0123456789', repeat=6):\n    f(p)"),
    ],
)
def test_lists_are_gone_through(language: str, text: str) -> None:
    assert counters(language, text)["iterations"] == pytest.approx(1e6, rel=0.003)


@pytest.mark.parametrize(
    ("text", "iterations"),
    [
        ("for p in permutations(range(9)):\n    f(p)", 362_880),
        ("for p in permutations('abcdefgh', 2):\n    f(p)", 56),
        ("for p in combinations(range(30), 4):\n    f(p)", 27_405),
        ("for p in combinations(range(400), 3):\n    f(p)", 10_586_800),
        ("letters = 'abcdefgh'\nfor p in permutations(letters):\n    f(p)", 40_320),
        ("for p in combinations(xs, 4):\n    f(p)", 10),
        ("n = sum(1 for p in permutations([1, 2, 3, 4, 5]))", 120),
        ("for p in product(range(10**9), repeat=60):\n    f(p)", 1e15),
        ("for p in permutations():\n    f(p)", 10),
        ("for x in a[3:]:\n    f(x)\na = [0] * 1000", 10),
    ],
)
def test_combinations_are_counted(text: str, iterations: float) -> None:
    assert counters("python", text)["iterations"] == pytest.approx(iterations)


@pytest.mark.parametrize(
    ("language", "text", "iterations"),
    [
        ("python", "for i in range(1000):\n    for k in range(0, 1000, 2):\n        f()", 5e5),
        ("python", "for i in range(1000, 0, -1):\n    for k in range(i):\n        f()", 1e6),
        ("python", "for x in xs:\n    f()", 10),
        ("python", SIEVE, 10_000),
        ("c", "for (int i = 0; i < 9; i++) for (int k = 0; k < 9; k++) { f(); } for (i = 50; i > 0; i--) g();", 81),
        (
            "c",
            "#define N 1000\nfor (i = 0; i < N; i++) { for (k = 0; k <= N; k++) { for (j = N; j >= 0; j--) {} } }",
            1e9,
        ),
        ("java", "for (long i = 1; i < 1L << 20; i *= 2) { while (x < 100) { x++; } }", 2000),
        ("go", "func main() { for i := 0; i < 100; i++ { for j := i; j < 50; j++ { } } }", 5000),
        ("rust", "fn main() { for i in 0..1_000 { for j in (1..=10).step_by(5) { } } }", 10_000),
        ("ruby", "1000.times do |i|\n  1.upto(50) do |k|\n    f\n  end\nend\n", 50_000),
        ("ruby", "(1..2000).each do |i|\n  f\nend\n", 2000),
        ("perl", "my $n = 500; foreach my $i (1 .. $n) { $x++; }", 500),
        ("lua", "for i = 1, 20 do\n  for k = i, 1, -1 do\n    f()\n  end\nend", 400),
        ("fortran", "do i = 1, 1000\n  do j = 1, 500\n  end do\nend do", 500_000),
        ("pascal", "for i := 1 to 1000 do\nbegin\nend", 1000),
        ("php", "for ($i = 0; $i < 300; $i += 3) { f(); }", 100),
        ("c", "f(1000);", 0),
        ("c", "int s(long n) { int d = 0; while (n > 0) { d += n % 10; n /= 10; } return d; } int x = s(1000000);", 6),
        ("python", "n = 1000000\nwhile n > 0:\n    s += n % 10\n    n = n // 10", 6),
        ("javascript", "let n = 1e6; while (n > 0) { s += n % 10; n = Math.floor(n / 10); }", 6),
        ("java", "long n = 1 << 20; while (n != 0) { c += n & 1; n >>= 1; }", 20),
        ("c", "int a = 4096, b = 1024; while (b != 0) { int t = b; b = a % b; a = t; }", 10),
        (
            "c",
            "#define N 50000\nfor (i = 2; i <= N; i++) if (!c[i]) for (long j = i * i; j <= N; j += i) c[j] = 1;",
            5e4,
        ),
        ("c", "for (int i = 888888877; i <= 888888888; i++) f();", 11),
        ("ruby", "(1_000_000..1_000_100).each { |i| f(i) }", 100),
        ("python", "while primes[i] <= 10**13:\n    i += 1", 10),
        ("python", "print(sum(range(500)))", 500),
        ("python", "for i in range(20):\n    n = sum(range(500))", 10_000),
        ("python", "n = 500\nwhile n > 0:\n    n -= 1", 500),
        ("ruby", "puts (1..500).sum { |i| i % 3 }", 500),
        ("rust", "let x: f64 = (1..=500).map(|v| 1.0 / v as f64).sum();", 500),
        ("java", "long x = LongStream.range(0, 500).map(v -> v * v).sum();", 500),
        ("perl", "print scalar(grep { $_ % 7 } 1 .. 500);", 500),
        ("ruby", "a = b[1..500]", 0),
        *((language, text, 5e6) for language, text in CALLED.items()),
        ("python", "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\nprint(fib(30))", 1_860_498),
        (
            "python",
            "class Solver:\n    def __init__(self, items):\n        self.items = items\n    def solve(self):\n"
            "        for i in range(len(self.items)):\n            for w, v in self.items:\n                f(i, w)\n\n"
            "items = [((i * 37) % 91 + 1, (i * 53) % 101 + 1) for i in range(400)]\nSolver(items).solve()\n",
            160_000,
        ),
        ("c", "long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\nint main() { f(30); }", 1_860_498),
        ("python", "def f(n):\n    f(n)\n    g(n)\ndef g(n):\n    f(n)\nfor i in range(50):\n    f(i)", 50),
    ],
)
def test_iterations_of_nested_loops(language: str, text: str, iterations: float) -> None:
    assert counters(language, text)["iterations"] == pytest.approx(iterations, rel=0.02)


HALVED = {
    "python": """
class Node:
    def __init__(self, v):
        self.v, self.l, self.r = v, None, None
class Trees:
    def build(self, lo, hi):
        if lo > hi:
            return None
        m = (lo + hi) // 2
        n = Node(m)
        n.l = self.build(lo, m - 1)
        n.r = self.build(m + 1, hi)
        return n
root = Trees().build(0, 300_000)
""",
    "c++": """
struct Node { int v; Node *l = nullptr, *r = nullptr; };
Node *build(const std::vector<int> &a, int lo, int hi) {
    if (lo >= hi) return nullptr;
    int mid = lo + (hi - lo) / 2;
    return new Node{a[mid], build(a, lo, mid), build(a, mid + 1, hi)};
}
int main() { Node *root = build(a, 0, 300000); }
""",
    "java": """
static Node build(int lo, int hi) {
    if (lo >= hi) return null;
    int m = (lo + hi) >>> 1;
    return new Node(m, build(lo, m), build(m + 1, hi));
}
public static void main(String[] a) { System.out.println(build(0, 300_000).v); }
""",
}
"""Trees of 300,000 nodes."""


@pytest.mark.parametrize("language", HALVED)
def test_trees_that_are_built_of_halves_are_heard(language: str) -> None:
    found, node = counters(language, HALVED[language]), footprint(language).node
    assert found["iterations"] == pytest.approx(3e5, rel=0.01)
    assert asked(language, found["elements"]) == pytest.approx(3e5 * node, rel=0.01)


def test_one_half_alone_may_be_looked_into() -> None:
    """A query of a tree of segments that a list holds."""
    text = "    m = (lo + hi) // 2\n    return min(least(t, lo, m, a, b), least(t, m + 1, hi, a, b))\n"
    whole = f"def least(t, lo, hi, a, b):\n{text}for i in range(500):\n    least(t, 0, 300_000, i, i + 9)"
    assert counters("python", whole)["iterations"] == pytest.approx(500)


@pytest.mark.parametrize(
    ("language", "text", "iterations"),
    [
        ("python", "n = int(input())\nfor i in range(n):\n    f()", 70_000),
        ("python", "m, n = map(int, input().split())\nfor i in range(m):\n    for k in range(n):\n        f()", 21e7),
        (
            "python",
            "import sys\nd = list(map(int, sys.stdin.read().split()))\nn = d[1]\nwhile i < n:\n    i += 1",
            3000,
        ),
        ("python", "import sys\nlines = sys.stdin.readlines()\nn = int(lines[0])\nfor i in range(n):\n    f()", 70_000),
        ("c", 'int n; int main() { scanf("%d", &n); for (int i = 0; i < n; i++) f(); }', 70_000),
        ("c", 'if (scanf("%d %d", &m, &n) != 2) return 1; while (i < n) i++;', 3000),
        ("c++", "int m, n; std::cin >> m >> n; for (int i = 0; i < n; i++) f();", 3000),
        (
            "java",
            "Scanner s = new Scanner(System.in); int n = s.nextInt(); for (int i = 0; i < n; i++) { f(); }",
            70_000,
        ),
        (
            "java",
            "StringTokenizer t = new StringTokenizer(in.readLine());\nint m ="
            " Integer.parseInt(t.nextToken());\nint n = Integer.parseInt(t.nextToken());"
            " for (int i = 0; i < n; i++) { f(); }",
            3000,
        ),
        ("go", "var m, n int\nfmt.Scan(&m, &n)\nfor i := 0; i < n; i++ { f() }", 3000),
        (
            "rust",
            "let mut s = String::new();"
            " io::stdin().read_line(&mut s).unwrap();\nlet n: usize = s.trim().parse().unwrap();"
            " for i in 0..n { f(); }",
            70_000,
        ),
        (
            "javascript",
            "const l = require('fs').readFileSync(0, 'utf8').split(' '); const n = Number(l[0]);"
            " for (let i = 0; i < n; i++) f();",
            70_000,
        ),
        ("ruby", "n = gets.to_i\nn.times do |i|\n  f\nend", 70_000),
        ("perl", "my $n = <STDIN>; foreach my $i (1 .. $n) { f(); }", 70_000),
        ("lua", 'local n = io.read("n")\nfor i = 1, n do\n  f()\nend', 70_000),
        ("php", "<?php $n = intval(fgets(STDIN)); for ($i = 0; $i < $n; $i++) { f(); }", 70_000),
    ],
)
def test_what_is_read_counts_as_if_it_were_written(language: str, text: str, iterations: float) -> None:
    assert counters(language, text)["iterations"] in (pytest.approx(10), pytest.approx(100))
    assert counters(language, text, b"70000 3000\n")["iterations"] == pytest.approx(iterations)


@pytest.mark.parametrize(
    ("language", "text", "reads"),
    [
        ("c", 'int main(void) { int n; scanf("%d", &n); int *a = malloc(n * sizeof(int)); return a[0]; }', True),
        ("python", "n = int(input())\nfor i in range(n):\n    f()", True),
        ("python", "name = input()\nfor i in range(1000):\n    print(name)", False),
        ("c++", "int main() { int n; std::cin >> n; for (int i = 0; i < n; i++) f(); }", True),
        ("lua", "local n = io.read('n')\nfor i = 1, n do f() end", True),
        ("perl", "my $n = <STDIN>; chomp $n; for my $i (1 .. $n) { f(); }", True),
        ("c", "int main(void) { return 0; }", False),
        ("llvm", "define void @f() { ret void }", False),
    ],
)
def test_programs_tell_whether_what_they_read_says_how_much(language: str, text: str, reads: bool) -> None:
    assert reads_sizes(language, text) == reads


@pytest.mark.parametrize(
    "language, text, least, most",
    [
        ("python", "import sys\nprint(len(sys.stdin.read().split()))", 15e6, 30e6),
        ("python", "import sys\nlines = sys.stdin.readlines()\nx = [int(line) for line in lines]", 10e6, 20e6),
        ("python", "import sys\ntext = sys.stdin.read()\nprint(text.count('a'))", 1e6, 2e6),
        ("python", "import sys\nfor line in sys.stdin:\n    print(line)", 0, 0),
        ("javascript", "const d = require('fs').readFileSync(0, 'utf8').split(/\\s+/).map(Number)", 15e6, 30e6),
        ("ruby", "words = STDIN.read.split", 12e6, 20e6),
        ("perl", "my @lines = <STDIN>;", 8e6, 15e6),
        (
            "go",
            "package main\nfunc main() {\n\tb, _ := io.ReadAll(os.Stdin)\n\tw := strings.Fields(string(b))\n}",
            12e6,
            25e6,
        ),
        ("rust", "fn main() { let mut s = String::new(); io::stdin().read_to_string(&mut s).unwrap(); }", 1e6, 2e6),
        ("lua", 'local all = io.read("*a")', 4e6, 6e6),
    ],
)
def test_an_input_that_is_taken_whole_is_kept(language: str, text: str, least: float, most: float) -> None:
    stdin = b"12345 xy\n" * 120_000  # 1.08 MB, two words a line
    assert least <= asked(language, counters(language, text, stdin)["elements"]) <= most
    assert asked(language, counters(language, text)["elements"]) <= least / 2


TOLD_NOTHING = [
    ("c", "int n = argc > 1 ? atoi(argv[1]) : 5000; for (int i = 0; i < n; i++) f(i);"),
    ("c", "size_t n = (argc >= 2) ? strtoul(argv[1], NULL, 10) : 5 * 1000; for (size_t i = 0; i < n; i++) f(i);"),
    ("c++", "const int n = (argc > 1) ? std::stoi(argv[1]) : 5000; for (int i = 0; i < n; ++i) f(i);"),
    ("java", "int n = args.length > 0 ? Integer.parseInt(args[0]) : 5000; for (int i = 0; i < n; i++) f(i);"),
    ("python", "n = int(sys.argv[1]) if len(sys.argv) > 1 else 5000\nfor i in range(n):\n    f(i)\n"),
    ("python", "n = int(os.environ.get('N', '5000'))\nfor i in range(n):\n    f(i)\n"),
    (
        "python",
        "p.add_argument('-s', '--rows', default=5_000)\na = p.parse_args()\nfor i in range(a.rows):\n    f(i)\n",
    ),
    ("javascript", "const n = Number(process.argv[2] || 5000);\nfor (let i = 0; i < n; i++) f(i);\n"),
    ("javascript", "const n = parseInt(process.argv[2], 10) || 5000;\nfor (let i = 0; i < n; i++) f(i);\n"),
    ("javascript", "const n = +(process.argv[2] ?? '5000');\nfor (let i = 0; i < n; i++) f(i);\n"),
    ("ruby", "n = (ARGV[0] || 5000).to_i\nn.times { |i| f(i) }\n"),
    ("ruby", "n = ARGV.fetch(0, 5000).to_i\nn.times { |i| f(i) }\n"),
    ("go", 'n := flag.Int("n", 5000, "how many")\nflag.Parse()\nfor i := 0; i < *n; i++ {\n\tf(i)\n}\n'),
    (
        "rust",
        "let n: usize = env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(5_000);\nfor i in 0..n { f(i); }",
    ),
    (
        "rust",
        'let n = args()\n    .nth(1)\n    .unwrap_or("5000".into())\n    .parse().unwrap();\nfor i in 0..n { f(i) }',
    ),
    ("rust", "let n: u64 = env::args().nth(1).and_then(read).unwrap_or_else(|| 5000);\nfor i in 0..n { f(i); }"),
    ("php", "<?php\n$n = $argv[1] ?? 5000;\nfor ($i = 0; $i < $n; $i++) { f($i); }\n"),
    ("lua", "local n = tonumber(arg and arg[1]) or 5000\nfor i = 1, n do f(i) end\n"),
    ("perl", "my $n = shift // 5000;\nfor my $i (1..$n) { f($i); }\n"),
]


@pytest.mark.parametrize(("language", "text"), TOLD_NOTHING)
def test_sizes_that_a_program_takes_where_it_is_told_none(language: str, text: str) -> None:
    assert counters(language, text)["iterations"] == pytest.approx(5000)


def test_what_a_program_is_told_has_no_size_of_its_own() -> None:
    text = "int n = atoi(argv[1]); int m = 3 + f(700); for (int i = 0; i < n; i++) f(i);"
    assert counters("c", text)["iterations"] == pytest.approx(UNKNOWN)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);\nconsole.log(fib(30));\n"),
        (
            "javascript",
            "const fib = (n) =>\n  n < 2\n    ? n\n    : fib(n - 1) + fib(n - 2);\n\nconsole.log(fib(30));\n",
        ),
        ("javascript", "const fib = n => { return n < 2 ? n : fib(n - 1) + fib(n - 2); };\nconsole.log(fib(30));\n"),
        ("python", "fib = lambda n: n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(30))\n"),
    ],
)
def test_functions_that_are_expressions_call_themselves_too(language: str, text: str) -> None:
    assert counters(language, text)["iterations"] == pytest.approx(1_860_498, rel=1e-6)


QUEENS = [
    ("c", "#define N 9\nvoid place(int row){ if(row==N) return; for(int c=0;c<N;c++) if(safe(c)) place(row+1); }\n"
     "int main(void){ place(0); }"),
    ("python", "def place(n, row=0):\n    if row == n:\n        return 1\n    for c in range(n):\n"
     "        if safe(c):\n            place(n, row + 1)\n\nplace(9)\n"),
    ("python", "def place(n, row=0):\n    if row == n: return 1\n"
     "    return sum(place(n, row + 1) for c in range(n) if safe(c))\n\nplace(9)\n"),
    ("javascript", "function place(n, row) {\n  if (row === n) return;\n  for (let c = 0; c < n; c++) {\n"
     "    if (bad(c)) continue;\n    place(n, row + 1);\n  }\n}\nplace(9, 0);\n"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text"), QUEENS)
def test_what_tries_all_orders_and_looks_before_it_goes_on(language: str, text: str) -> None:
    def iterations(text: str) -> float:
        return counters(language, text)["iterations"]

    assert iterations(text) == pytest.approx(math.exp(0.7 * math.lgamma(10)), rel=1e-6)  # 8,394 such positions
    # Without a look it is all of them; a loop over something else is of a tree, of which nobody knows the nodes.
    blind = re.sub(r"if ?\(safe\(c\)\)|if safe\(c\):\n {12}| if safe\(c\)(?=\))|if \(bad\(c\)\) continue;", "", text)
    assert iterations(blind) == pytest.approx(362_880)
    assert iterations(re.sub(r"(c ?< ?|range\()[nN]", r"\g<1>4", text)) < 100


@pytest.mark.parametrize("stdin", [b"\xff\x00", b"n", b"\n" * 9000, b"-5", b"1" * 400, b"1.5.2 x7"])
def test_an_input_without_a_size_tells_nothing(stdin: bytes) -> None:
    text = "a = [0] * int(input())"
    assert counters("python", text, stdin)["elements"] == counters("python", text)["elements"]
    assert counters("python", "n = int(input())\na = [0] * n", b" 5_00 300")["elements"] == 300 * 8 / 40


@pytest.mark.parametrize("language", ["python", "c", "ruby", "lua"])
@pytest.mark.parametrize(
    "piece",
    [
        "f(",
        "a[i](",
        "2**",
        "for i in range(",
        "x = y as as ",
        "n * (",
        "1 .. ",
        "s.append(",
        "s.append(1).append(2)",
        "n = argv or f(",
        "f(x + 1)",
        "while seen and x < 99 and f(y) < 99:\n",
        "for x in y: s.append([x]); return\n",
        "return [x for x in ",
    ],
)
def test_sizes_are_read_in_linear_time(language: str, piece: str) -> None:
    def seconds(text: str) -> float:
        before = time.process_time()
        counters(language, text)
        return time.process_time() - before

    short, long = (min(seconds(piece * n) for _ in range(3)) for n in (800, 3200))
    assert long < 10 * short + 0.05


FIBONACCI = "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n\nprint(fib(70))\n"


@pytest.mark.parametrize(
    ("language", "text", "elements", "iterations"),
    [
        ("python", "d = deque(maxlen=700)\nfor i in range(10**7):\n    d.append(i)\n", 700, 1e7),
        (
            "python",
            "N = 700\nself.d = collections.deque([], N)\nfor i in range(10**7):\n    self.d.append(i)\n",
            700,
            1e7,
        ),
        ("python", "d = deque()\nfor i in range(10**7):\n    d.append(i)\n", 1e7, 1e7),
        ("python", "@functools.lru_cache(maxsize=None)\n" + FIBONACCI, 70 * (85 + 136) / 40, 70),
        ("javascript", "let s = 0;\nfor (const i of Array(1e6).keys()) s += i;\n", 8e6 / 20, 1e6),
        ("javascript", "const a = [...Array(1e6).keys()];\nfor (const i of a) s += i;\n", 8e6 / 20, 1e6),
        ("javascript", "const a = Array(3e6).fill(0).map((_, i) => i);\n", 24e6 / 20, 3e6),
        ("javascript", "new Array(3e6).fill(1).forEach((_, i) => {\n  s += i;\n});\n", 24e6 / 20, 3e6),
        (
            "python",
            "N = 20000\nps, n = [], 2\nwhile len(ps) < N:\n    if all(n % p for p in ps):\n        ps.append(n)\n",
            20000,
            4e8,
        ),
        ("c++", "while ((int)v.size() < 300) {\n  for (int p : v) f(p);\n  v.push_back(1);\n}\n", 300, 9e4),
        ("javascript", "while (v.length < 300) {\n  for (const p of v) f(p);\n  v.push(1);\n}\n", 300, 9e4),
        ("lua", "while #v < 300 do\n  for _, p in ipairs(v) do f(p) end\n  table.insert(v, 1)\nend\n", 300, 9e4),
        ("rust", "impl Drop for A {\n    fn drop(&mut self) {\n        for _ in 0..300 { f(); }\n    }\n}\n", 0, 300),
        ("go", "a := make([]int, 1000)\nfor i := 0; i < 2000; i++ {\n\ta = append(a, i)\n}\n", 2000, 2000),
    ],
)
def test_what_is_bounded_kept_or_made_at_once(language: str, text: str, elements: float, iterations: float) -> None:
    found = counters(language, text)
    assert (found["elements"], found["iterations"]) == (pytest.approx(elements), pytest.approx(iterations))


ROWS = "def rows(n):\n    for i in range(n):\n        yield {'id': i}\n"
GIVEN = [  # what holds what is given one after the other, and what does not
    ("python", f"{ROWS}table = list(rows(500))\n", f"{ROWS}for row in rows(500):\n    f(row)\n"),
    ("python", f"{ROWS}table = [*rows(500)]\n", f"{ROWS}print(sum(1 for row in rows(500)))\n"),
    (
        "javascript",
        "function* rows(n) { for (let i = 0; i < n; i++) yield { id: i }; }\nconst a = [...rows(500)];\n",
        "function* rows(n) { for (let i = 0; i < n; i++) yield { id: i }; }\nfor (const a of rows(500)) f(a);\n",
    ),
]


@pytest.mark.parametrize(("language", "held", "passed"), GIVEN)
def test_what_a_generator_gives_is_held_by_what_holds_it(language: str, held: str, passed: str) -> None:
    assert counters(language, held)["elements"] >= 500 and counters(language, passed)["elements"] < 500


@pytest.mark.parametrize(
    ("language", "text", "elements", "iterations"),
    [
        ("perl", "for my $y (1 .. 300) { $grid[$y] = [(0) x 200]; }\n", 300 * 200, 300),
        ("perl", "my @t;\npush @t, [(0) x 200] for 1 .. 300;\n", 300 * 200, 300),
        ("perl", "my @t = map { [(0) x 200] } 1 .. 300;\n", 300 * 200, 300),
        ("javascript", "const a = [...Array(2e6).keys()].map(x => ({ id: x }));\n", 2e6, 2e6),
        ("perl", "for my $i (1 .. 50) { if (f($i) eq substr($b, $i, 1)) { push @t, [substr($a, $i, 1)] } }\n", 250, 50),
    ],
)
def test_rows_count_by_what_they_hold(language: str, text: str, elements: float, iterations: float) -> None:
    found = counters(language, text)
    assert 0.999 * elements <= found["elements"] <= 5 * elements and found["iterations"] == pytest.approx(iterations)


def test_many_functions_take_time_in_proportion() -> None:
    text = "".join(f"@cache\ndef f{i}(n):\n  return f{i}(n-1)+f{i}(n-2)\nprint(f{i}(30))\n" for i in range(3000))
    began = time.process_time()
    assert counters("python", text)["iterations"] == pytest.approx(30) and time.process_time() - began < 5


def test_many_functions_that_call_each_other_take_time_in_proportion() -> None:
    def seconds(n: int) -> float:
        one = "int f{0}(int n) {{ for (int i = 0; i < n; i++) f{1}(i) + f{2}(i); return n; }}\n"
        text = "".join(one.format(i, i + 1, i * 7 % n) for i in range(n))
        began = time.process_time()
        counters("c", text)
        return time.process_time() - began

    assert seconds(4000) < 5  # ten where each function looked for all that it reaches


USER = '{"id": i, "name": f"user {i}", "role": "none", "tags": [i, i + 1, i + 2]}'
_USER = 265 + 40 + (72 - 40) + (136 + 40 - 40)  # three fields of its own, of which one is a text, one a list of three
POINT = "class Point:\n    def __init__(self, x, y, n):\n        self.x = x\n        self.y = y\n        self.n = n\n"
_POINT = 136 + 40 + (72 - 40)
NODE = "struct Node { int key; int size; Node *left, *right; double x; };\n"
PLATE = """\
class Plate {
public:
    explicit Plate(int n) : n_(n), now_(n * n, 20.0), next_(n * n, 20.0) {}
private:
    int n_;
    std::vector<double> now_, next_;
};
"""
WRITTEN = [  # bytes of 700 of them
    ("python", f"rows = [{USER} for i in range(700)]\n", _USER),
    ("python", f"rows = [\n    {USER}\n    for i in range(700)\n]\n", _USER),
    ("python", f"rows = []\nfor i in range(700):\n    rows.append({USER})\n", _USER),
    ("python", f"rows = []\nfor i in range(700):\n    row = {USER}\n    rows.append(row)\n", _USER),
    ("python", f"row = {USER}\nrows = []\nfor i in range(700):\n    rows.append(row)\n", 40),
    ("python", f"def user(i):\n    return {USER}\n\nrows = [user(i) for i in range(700)]\n", _USER),
    ("python", f"user = lambda i: {USER}\nrows = [user(i) for i in range(700)]\n", _USER),
    ("python", f"rows = {{i: {USER} for i in range(700)}}\n", 85 + _USER - 40),
    ("python", f"rows = list({USER} for i in range(700))\n", _USER),
    ("python", f"sizes = [len({USER}) for i in range(700)]\n", 85),
    ("python", f"tags = [{USER}['tags'] for i in range(700)]\n", 85),
    ("python", "a = [(i, i * 2, i * 3) for i in range(700)]\n", 136 + 40),
    ("python", "a = [[1, 2, 3] for i in range(700)]\n", 136),
    ("python", "a = [dict(x=i, y=i, z=i) for i in range(700)]\n", 265 + 40),
    ("python", 'a = [f"item {i}" for i in range(700)]\n', 72),
    ("python", 'a = ["item " + str(i) for i in range(700)]\n', 72),
    ("python", "a = [len(str(i)) for i in range(700)]\n", 40),
    ("python", 's = ", ".join(f"item {i}" for i in range(700))\n', 72),
    ("python", f'{POINT}\na = [Point(i, i, f"p{{i}}") for i in range(700)]\n', _POINT),
    ("python", f'{POINT}\na = []\nfor i in range(700):\n    a.append(Point(i, i, n=f"p{{i}}"))\n', _POINT),
    ("python", 'P = namedtuple("P", "x y z")\na = [P(i, i, i) for i in range(700)]\n', 136 + 40),
    ("python", "a = list(range(700))\nb = list(zip(a, a))\n", 136),
    ("python", "a = [0] * 700\nfor x, y in zip(a, a):\n    pass\n", 8),
    ("python", "a = [0] * 700\nb = [x + y for x, y in zip(a, a)]\n", 40),
    ("python", "h = []\nfor i in range(700):\n    heapq.heappush(h, (i, i))\n", 136),
    ("python", "m = {}\nfor i in range(700):\n    m.setdefault(i, [i, i])\n", 85 + 136),
    ("javascript", "const a = [];\nfor (let i = 0; i < 700; i++) a.push({ a: i, b: i, c: `n ${i}` });\n", 90 + 20 + 56),
    ("javascript", "const f = i => ({ a: i, b: i, c: i });\nfor (let i = 0; i < 700; i++) a.push(f(i));\n", 90 + 20),
    ("javascript", "const m = new Map();\nfor (let i = 0; i < 700; i++) m.set(i, { a: i, b: i, c: i });\n", 60 + 110),
    ("ruby", "a = (0...700).map { |i| { id: i, two: i * 2, three: i * 3 } }\n", 199 + 8),
    ("ruby", "a = Array.new(700) { |i| [i, i * 2, i * 3] }\n", 51 + 8),
    ("ruby", "P = Struct.new(:x, :y)\na = []\n700.times { |i| a << P.new(i, i) }\n", 51),
    ("ruby", "class P\n  def initialize(x, y, z)\n  end\nend\na = (1..700).map { |i| P.new(i, i, i) }\n", 51 + 8),
    ("perl", "my @a;\nfor my $i (1 .. 700) {\n    push @a, { id => $i, two => $i, three => $i };\n}\n", 267 + 30),
    ("perl", "my @a = map { { id => $_, two => $_, three => $_ } } 1 .. 700;\n", 267 + 30),
    ("php", "<?php $a = []; for ($i = 0; $i < 700; $i++) { $a[] = ['x' => $i, 'y' => $i, 'z' => $i]; }\n", 393 + 16),
    ("c++", f"{NODE}void f() {{ for (int i = 0; i < 700; i++) t = join(move(t), make_unique<Node>(i, 0)); }}", 32 + 8),
    ("c++", f"{NODE}void f() {{ for (int i = 0; i < 700; i++) {{ Node *n = new Node(i, 0); g(n); }} }}", 32 + 8),
    ("c++", f"{NODE}void f() {{ for (int i = 0; i < 700; i++) {{ Node *n = new Node(i, 0); delete n; }} }}", 0),
    ("c++", f"{PLATE}int main() {{ Plate plate(70); }}", 8 * 7),
    ("python", "def add(a, b):\n    return a + b\n\nfor i in range(700):\n    x = add(x, i)\n", 0),
    ("lua", "local a = {}\nfor i = 1, 700 do\n  table.insert(a, { x = i, y = i, z = i })\nend\n", 145 + 14),
    ("java", 'record P(int x, String s) {} for (int i = 0; i < 700; i++) a.add(new P(i, "n" + i));', 16 + 12 + 99 - 44),
]  # fmt: skip


@pytest.mark.parametrize(("language", "text", "each"), WRITTEN)
def test_things_count_by_what_is_written_out(language: str, text: str, each: float) -> None:
    taken = asked(language, counters(language, text)["elements"])
    assert taken == pytest.approx(700 * each, rel=0.02), f"{taken / 700:.1f} bytes each"


def test_the_fields_of_a_thing_may_be_many_and_deep() -> None:
    fields = ", ".join(f'"f{k}": i + {k}' for k in range(40))
    wide = counters("python", f"a = [{{{fields}}} for i in range(700)]\n")["elements"]
    assert asked("python", wide) == pytest.approx(700 * (265 + 38 * 40))
    for text in ("[" * 600 + "]" * 600, "return [" * 600, "a = [i, " * 600, "x = {'a': " * 600 + "}" * 600):
        assert counters("python", f"def f():\n {text}\n")["elements"] >= 0.0


SEARCH = """\
from collections import deque

def search(n, m):
    seen = set()
    queue = deque([(0, 0)])
    while queue:
        x, y = queue.popleft()
        for dx, dy in ((1, 0), (0, 1)):
            nx, ny = x + dx, y + dy
            if 0 <= nx < n and 0 <= ny < m and (nx, ny) not in seen:
                seen.add((nx, ny))
                queue.append((nx, ny))

search(300, 200)
"""


def test_a_search_goes_through_all_places_of_its_grid_once() -> None:
    found, other = counters("python", SEARCH), counters("python", SEARCH.replace(" and (nx, ny) not in seen", ""))
    assert asked("python", found["elements"]) == pytest.approx(136 * 300 * 200)
    assert 300 * 200 <= found["iterations"] <= 11 * 300 * 200
    assert other["elements"] == pytest.approx(found["elements"])  # it still keeps what it has seen
    blind = counters("python", SEARCH.replace("seen", "out").replace(" and (nx, ny) not in out", ""))
    assert blind["elements"] < 1000


@pytest.mark.parametrize("key", ["i, j", "(i, j)"])
def test_what_is_remembered_is_of_all_arguments_up_to_their_bounds(key: str) -> None:
    text = (
        f"memo = {{}}\ndef f(a, b, i, j):\n    if i == len(a) or j == len(b):\n        return 0\n"
        f"    if ({key}) in memo:\n        return memo[{key}]\n    r = max(f(a, b, i + 1, j), f(a, b, i, j + 1))\n"
        f'    memo[{key}] = r\n    return r\nprint(f("ab" * 100, "abc" * 50, 0, 0))\n'
    )
    assert asked("python", counters("python", text)["elements"]) == pytest.approx((85 + 136) * 200 * 150)


TREE = {
    "python": "def insert(node, key):\n    while True:\n        if key < node.key:\n            if node.left is None:\n"
    "                node.left = Node(key)\n                return\n            node = node.left\n\n"
    "class Node:\n    pass\n\nfor i in range(700):\n    insert(root, i)\n",
    "java": "class Node {} void insert(Node n, int key) { while (true) { if (key < n.key) { if (n.left == null) { "
    "n.left = new Node(key); return; } n = n.left; } } } void run() { for (int i = 0; i < 700; i++) insert(root, i); }",
}  # fmt: skip


@pytest.mark.parametrize("language", TREE)
def test_what_ends_its_loop_is_added_once(language: str) -> None:
    node = footprint(language).node
    assert asked(language, counters(language, TREE[language])["elements"]) == pytest.approx(700 * node, rel=0.02)
    text = "out = []\nfor i in range(700):\n    out.append(i)\nout.append(0)\nbreak\n"
    assert counters("python", text)["elements"] == pytest.approx(700)
    behind = "def f():\n    for i in range(50):\n        g(i)\n    if x:\n        out.append(1)\n        return\n"
    assert counters("python", f"{behind}for k in range(700):\n    f()\n")["elements"] == pytest.approx(700)
