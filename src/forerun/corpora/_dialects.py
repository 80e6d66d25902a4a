"""Eleven languages as tables of phrases, for programs that are written from one template in all of them.

A phrase is text with names in ⟨ ⟩. Where a language has several ways to say the same, one of them is drawn.
"""

# ruff: noqa: E501  (a phrase stays on its line)

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Phrases = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one language says what templates hold. A phrase that is missing is something it cannot say."""

    name: str
    suffix: str
    speed: float
    """Steps of a template in a second, about."""
    cell: float
    """Bytes of an element, about."""
    constant: Phrases
    function: str
    main: tuple[str, str]
    """What stands before and after the statements of the program."""
    declare: str
    count: Phrases
    """A loop from ⟨a⟩ up to, without, ⟨b⟩; ⟨last⟩ is ⟨b⟩ less one."""
    step: str
    new: Mapping[str, Phrases]
    """Arrays and other things that hold something, by kind, with ⟨a⟩ and ⟨n⟩ (of grids ⟨m⟩ too)."""
    say: Mapping[str, str]
    """Statements and expressions on them."""
    head: str = ""
    imports: Mapping[str, str] = field(default_factory=dict)
    """Further lines of the head, by what needs them."""
    declare_float: str = ""
    assign: str = "⟨x⟩ = ⟨v⟩;"
    add: str = "⟨x⟩ ⟨op⟩= ⟨v⟩;"
    test: str = "if (⟨c⟩) {"
    otherwise: str = "} else {"
    loop: str = "while (⟨c⟩) {"
    end: str = "}"
    back: str = "return ⟨v⟩;"
    call: str = "⟨f⟩(⟨v⟩);"
    parameter: str = "⟨x⟩"
    variable: str = "⟨x⟩"
    named: str = "⟨x⟩"
    """A constant where it is used."""
    divide: str = "⟨x⟩ / ⟨y⟩"
    words: Mapping[str, str] = field(default_factory=dict)
    """Operators that are spelled in another way than in C."""
    index: str = "⟨i⟩"
    read: Mapping[str, str] = field(default_factory=dict)
    """An element that is read, by kind; `⟨a⟩[⟨i⟩]` where it is not told."""
    write: Mapping[str, str] = field(default_factory=dict)
    literals: Phrases = ("plain", "shift", "product")
    """How large numbers may be spelled."""


_COUNT_C = ("for (⟨t⟩ ⟨i⟩ = ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩++) {", "for (⟨t⟩ ⟨i⟩ = ⟨a⟩; ⟨i⟩ <= ⟨last⟩; ⟨i⟩++) {")
_STEP_C = "for (⟨t⟩ ⟨i⟩ = ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩ += ⟨s⟩) {"


def _typed(phrases: Phrases | str, word: str) -> Phrases:
    return tuple(p.replace("⟨t⟩ ", f"{word} ".lstrip()) for p in ((phrases,) if isinstance(phrases, str) else phrases))


def _plain(loop: str, *kinds: str) -> dict[str, str]:
    return dict.fromkeys(kinds, loop)


C = Dialect(
    "c", ".c", 4e8, 8, ("#define ⟨x⟩ ⟨v⟩", "static const long ⟨x⟩ = ⟨v⟩;", "enum { ⟨x⟩ = ⟨v⟩ };"),
    "static long ⟨f⟩(⟨p⟩) {", ("int main(void) {", "    return 0;\n}"), "long ⟨x⟩ = ⟨v⟩;",
    _typed(_COUNT_C, "long"), _typed(_STEP_C, "long")[0],
    {
        "ints": ("int *⟨a⟩ = calloc(⟨n⟩, sizeof(int));", "int *⟨a⟩ = malloc((⟨n⟩) * sizeof(int));\nmemset(⟨a⟩, 0, (⟨n⟩) * sizeof(int));"),
        "longs": ("long *⟨a⟩ = calloc(⟨n⟩, 8);", "long *⟨a⟩ = malloc(sizeof(long) * (⟨n⟩));\nmemset(⟨a⟩, 0, sizeof(long) * (⟨n⟩));"),
        "bits": ("char *⟨a⟩ = calloc(⟨n⟩, 1);", "unsigned char *⟨a⟩ = malloc(⟨n⟩);\nmemset(⟨a⟩, 0, ⟨n⟩);"),
        "floats": ("double *⟨a⟩ = calloc(⟨n⟩, sizeof(double));",),
        "grid": ("int **⟨a⟩ = malloc((⟨n⟩) * sizeof(int *));\nfor (long r = 0; r < (⟨n⟩); r++) ⟨a⟩[r] = calloc(⟨m⟩, sizeof(int));",),
        "list": ("long *⟨a⟩ = NULL, ⟨a⟩_used = 0, ⟨a⟩_room = 0;",),
    },
    {
        "push": "if (⟨a⟩_used == ⟨a⟩_room) {\n    ⟨a⟩_room = ⟨a⟩_room ? 2 * ⟨a⟩_room : 16;\n    ⟨a⟩ = realloc(⟨a⟩, ⟨a⟩_room * sizeof(long));\n}\n⟨a⟩[⟨a⟩_used++] = ⟨v⟩;",
        "size list": "⟨a⟩_used", "print": 'printf("%ld\\n", (long)(⟨v⟩));', "print float": 'printf("%f\\n", ⟨v⟩);',
        "real": "(double)(⟨v⟩)",
    },
    head="#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n", declare_float="double ⟨x⟩ = ⟨v⟩;",
    parameter="long ⟨x⟩",
)  # fmt: skip

CPP = Dialect(
    "c++", ".cpp", 4e8, 8, ("const int ⟨x⟩ = ⟨v⟩;", "constexpr long ⟨x⟩ = ⟨v⟩;", "#define ⟨x⟩ ⟨v⟩"),
    "long ⟨f⟩(⟨p⟩) {", ("int main() {", "}"), "long ⟨x⟩ = ⟨v⟩;", _typed(_COUNT_C, "long"), _typed(_STEP_C, "long")[0],
    {
        "ints": ("std::vector<int> ⟨a⟩(⟨n⟩);", "std::vector<int> ⟨a⟩;\n⟨a⟩.resize(⟨n⟩);", "int *⟨a⟩ = new int[⟨n⟩]();"),
        "longs": ("std::vector<long> ⟨a⟩(⟨n⟩, 0);", "auto ⟨a⟩ = new long[⟨n⟩]();"),
        "bits": ("std::vector<bool> ⟨a⟩(⟨n⟩);", "std::vector<char> ⟨a⟩(⟨n⟩, 0);", "std::string ⟨a⟩(⟨n⟩, 0);"),
        "floats": ("std::vector<double> ⟨a⟩(⟨n⟩, 0.0);",),
        "grid": ("std::vector<std::vector<int>> ⟨a⟩(⟨n⟩, std::vector<int>(⟨m⟩, 0));",),
        "list": ("std::vector<long> ⟨a⟩;", "std::deque<long> ⟨a⟩;"),
        "table": ("std::unordered_map<long, long> ⟨a⟩;", "std::map<long, long> ⟨a⟩;"),
        "text": ("std::string ⟨a⟩;",), "strings": ("std::vector<std::string> ⟨a⟩;",),
    },
    {
        "push": "⟨a⟩.push_back(⟨v⟩);", "size list": "(long)⟨a⟩.size()", "size table": "(long)⟨a⟩.size()",
        "size text": "(long)⟨a⟩.size()", "size strings": "(long)⟨a⟩.size()",
        "put": "⟨a⟩[⟨k⟩] = ⟨v⟩;", "get": "⟨a⟩[⟨k⟩]", "has": "⟨a⟩.count(⟨k⟩) == 1", "bump": "⟨a⟩[⟨k⟩]++;",
        "append": "⟨a⟩ += ⟨v⟩;", "append number": "⟨a⟩ += std::to_string(⟨v⟩);",
        "push text": "⟨a⟩.push_back(⟨s⟩ + std::to_string(⟨v⟩));",
        "print": "std::cout << ⟨v⟩ << '\\n';", "print float": "std::cout << ⟨v⟩ << std::endl;", "real": "double(⟨v⟩)",
    },
    head="#include <deque>\n#include <iostream>\n#include <map>\n#include <string>\n#include <unordered_map>\n#include <vector>\n",
    declare_float="double ⟨x⟩ = ⟨v⟩;", parameter="long ⟨x⟩", literals=("plain", "shift", "product", "quoted"),
)  # fmt: skip

PYTHON = Dialect(
    "python", ".py", 1.5e7, 20, ("⟨x⟩ = ⟨v⟩", "⟨x⟩: int = ⟨v⟩"), "def ⟨f⟩(⟨p⟩):", ("", ""), "⟨x⟩ = ⟨v⟩",
    ("for ⟨i⟩ in range(⟨a⟩, ⟨b⟩):",), "for ⟨i⟩ in range(⟨a⟩, ⟨b⟩, ⟨s⟩):",
    {
        "ints": ("⟨a⟩ = [0] * (⟨n⟩)", "⟨a⟩ = [0 for _ in range(⟨n⟩)]", 'import array\n⟨a⟩ = array.array("i", [0]) * (⟨n⟩)'),
        "longs": ("⟨a⟩ = [0] * (⟨n⟩)", "⟨a⟩ = list(range(⟨n⟩))"),
        "bits": ("⟨a⟩ = bytearray(⟨n⟩)", "⟨a⟩ = [0] * (⟨n⟩)", "⟨a⟩ = [False] * (⟨n⟩)"),
        "floats": ("⟨a⟩ = [0.0] * (⟨n⟩)", "⟨a⟩ = [float(i) for i in range(⟨n⟩)]"),
        "grid": ("⟨a⟩ = [[0] * (⟨m⟩) for _ in range(⟨n⟩)]",),
        "list": ("⟨a⟩ = []",), "table": ("⟨a⟩ = {}",), "text": ("⟨a⟩ = []",), "strings": ("⟨a⟩ = []",),
    },
    {
        "push": "⟨a⟩.append(⟨v⟩)", **_plain("len(⟨a⟩)", "size list", "size table", "size strings"),
        "size text": 'len("".join(⟨a⟩))',
        "put": "⟨a⟩[⟨k⟩] = ⟨v⟩", "get": "⟨a⟩.get(⟨k⟩, 0)", "has": "⟨k⟩ in ⟨a⟩", "bump": "⟨a⟩[⟨k⟩] = ⟨a⟩.get(⟨k⟩, 0) + 1",
        "append": "⟨a⟩.append(⟨v⟩)", "append number": "⟨a⟩.append(str(⟨v⟩))", "push text": "⟨a⟩.append(⟨s⟩ + str(⟨v⟩))",
        **_plain("print(⟨v⟩)", "print", "print float"), "real": "float(⟨v⟩)",
    },
    declare_float="⟨x⟩ = ⟨v⟩", assign="⟨x⟩ = ⟨v⟩", add="⟨x⟩ ⟨op⟩= ⟨v⟩", test="if ⟨c⟩:", otherwise="else:",
    loop="while ⟨c⟩:", end="", back="return ⟨v⟩", call="⟨f⟩(⟨v⟩)", divide="⟨x⟩ // ⟨y⟩",
    words={"&&": "and", "||": "or"}, literals=("plain", "shift", "product", "grouped", "power"),
)  # fmt: skip

_GO_PACKAGES = {"strings": "strings", "sort": "sort", "rand": "math/rand", "math": "math", "bytes": "bytes"}

GO = Dialect(
    "go", ".go", 4e8, 8, ("const ⟨x⟩ = ⟨v⟩", "var ⟨x⟩ = ⟨v⟩"), "func ⟨f⟩(⟨p⟩) int {", ("func main() {", "}"),
    "⟨x⟩ := ⟨v⟩", ("for ⟨i⟩ := ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩++ {", "for ⟨i⟩ := ⟨a⟩; ⟨i⟩ <= ⟨last⟩; ⟨i⟩++ {"),
    "for ⟨i⟩ := ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩ += ⟨s⟩ {",
    {
        "ints": ("⟨a⟩ := make([]int32, ⟨n⟩)",), "longs": ("⟨a⟩ := make([]int, ⟨n⟩)",),
        "bits": ("⟨a⟩ := make([]byte, ⟨n⟩)",), "floats": ("⟨a⟩ := make([]float64, ⟨n⟩)",),
        "grid": ("⟨a⟩ := make([][]int, ⟨n⟩)\nfor r := range ⟨a⟩ {\n    ⟨a⟩[r] = make([]int, ⟨m⟩)\n}",),
        "list": ("var ⟨a⟩ []int", "⟨a⟩ := []int{}"), "table": ("⟨a⟩ := map[int]int{}", "⟨a⟩ := make(map[int]int)"),
        "text": ("var ⟨a⟩ strings.Builder",), "strings": ("var ⟨a⟩ []string",),
    },
    {
        "push": "⟨a⟩ = append(⟨a⟩, ⟨v⟩)", **_plain("len(⟨a⟩)", "size list", "size table", "size strings"),
        "size text": "⟨a⟩.Len()", "put": "⟨a⟩[⟨k⟩] = ⟨v⟩", "get": "⟨a⟩[⟨k⟩]", "has": "⟨a⟩[⟨k⟩] != 0", "bump": "⟨a⟩[⟨k⟩]++",
        "append": "⟨a⟩.WriteString(⟨v⟩)", "append number": "⟨a⟩.WriteString(fmt.Sprint(⟨v⟩))",
        "push text": "⟨a⟩ = append(⟨a⟩, ⟨s⟩+fmt.Sprint(⟨v⟩))", **_plain("fmt.Println(⟨v⟩)", "print", "print float"),
        "real": "float64(⟨v⟩)",
    },
    head='package main\n\nimport "fmt"', imports={f"{word}.": f'import "{path}"' for word, path in _GO_PACKAGES.items()},
    declare_float="⟨x⟩ := ⟨v⟩", assign="⟨x⟩ = ⟨v⟩", add="⟨x⟩ ⟨op⟩= ⟨v⟩", test="if ⟨c⟩ {", loop="for ⟨c⟩ {",
    back="return ⟨v⟩", call="⟨f⟩(⟨v⟩)", parameter="⟨x⟩ int", literals=("plain", "shift", "product", "grouped"),
    read={"ints": "int(⟨a⟩[⟨i⟩])", "bits": "int(⟨a⟩[⟨i⟩])"}, write={"ints": "int32(⟨v⟩)", "bits": "byte(⟨v⟩)"},
)  # fmt: skip

RUST = Dialect(
    "rust", ".rs", 4e8, 8, ("const ⟨x⟩: i64 = ⟨v⟩;",), "fn ⟨f⟩(⟨p⟩) -> i64 {", ("fn main() {", "}"),
    "let mut ⟨x⟩: i64 = ⟨v⟩;", ("for ⟨i⟩ in ⟨a⟩..⟨b⟩ {", "for ⟨i⟩ in ⟨a⟩..=⟨last⟩ {"),
    "for ⟨i⟩ in (⟨a⟩..⟨b⟩).step_by((⟨s⟩) as usize) {",
    {
        "ints": ("let mut ⟨a⟩ = vec![0i32; (⟨n⟩) as usize];", "let mut ⟨a⟩: Vec<i32> = vec![0; (⟨n⟩) as usize];"),
        "longs": ("let mut ⟨a⟩ = vec![0i64; (⟨n⟩) as usize];", "let mut ⟨a⟩: Vec<i64> = (0..(⟨n⟩)).collect();"),
        "bits": ("let mut ⟨a⟩ = vec![0u8; (⟨n⟩) as usize];",), "floats": ("let mut ⟨a⟩ = vec![0.0f64; (⟨n⟩) as usize];",),
        "grid": ("let mut ⟨a⟩ = vec![vec![0i64; (⟨m⟩) as usize]; (⟨n⟩) as usize];",),
        "list": ("let mut ⟨a⟩: Vec<i64> = Vec::new();",),
        "table": (
            "let mut ⟨a⟩: std::collections::HashMap<i64, i64> = std::collections::HashMap::new();",
            "let mut ⟨a⟩: std::collections::BTreeMap<i64, i64> = std::collections::BTreeMap::new();",
        ),
        "text": ("let mut ⟨a⟩ = String::new();",), "strings": ("let mut ⟨a⟩: Vec<String> = Vec::new();",),
    },
    {
        "push": "⟨a⟩.push(⟨v⟩);", **_plain("(⟨a⟩.len() as i64)", "size list", "size table", "size text", "size strings"),
        "put": "⟨a⟩.insert(⟨k⟩, ⟨v⟩);", "get": "*⟨a⟩.get(&(⟨k⟩)).unwrap_or(&0)", "has": "⟨a⟩.contains_key(&(⟨k⟩))",
        "bump": "*⟨a⟩.entry(⟨k⟩).or_insert(0) += 1;", "append": "⟨a⟩.push_str(⟨v⟩);",
        "append number": "⟨a⟩.push_str(&(⟨v⟩).to_string());", "push text": '⟨a⟩.push(format!("{}{}", ⟨s⟩, ⟨v⟩));',
        **_plain('println!("{}", ⟨v⟩);', "print", "print float"), "real": "((⟨v⟩) as f64)",
    },
    declare_float="let mut ⟨x⟩: f64 = ⟨v⟩;", test="if ⟨c⟩ {", loop="while ⟨c⟩ {", parameter="⟨x⟩: i64",
    index="(⟨i⟩) as usize", literals=("plain", "shift", "product", "grouped"),
    read={"ints": "(⟨a⟩[⟨i⟩] as i64)", "bits": "(⟨a⟩[⟨i⟩] as i64)"}, write={"ints": "(⟨v⟩) as i32", "bits": "(⟨v⟩) as u8"},
)  # fmt: skip

JAVASCRIPT = Dialect(
    "javascript", ".js", 2e8, 12, ("const ⟨x⟩ = ⟨v⟩;", "let ⟨x⟩ = ⟨v⟩;", "var ⟨x⟩ = ⟨v⟩;"), "function ⟨f⟩(⟨p⟩) {",
    ("", ""), "let ⟨x⟩ = ⟨v⟩;", _typed(_COUNT_C, "let"), _typed(_STEP_C, "let")[0],
    {
        "ints": ("const ⟨a⟩ = new Array(⟨n⟩).fill(0);", "const ⟨a⟩ = new Int32Array(⟨n⟩);"),
        "longs": ("const ⟨a⟩ = new Array(⟨n⟩).fill(0);", "const ⟨a⟩ = new Float64Array(⟨n⟩);"),
        "bits": ("const ⟨a⟩ = new Uint8Array(⟨n⟩);", "const ⟨a⟩ = Array(⟨n⟩).fill(0);"),
        "floats": ("const ⟨a⟩ = new Float64Array(⟨n⟩);",),
        "grid": ("const ⟨a⟩ = Array.from({ length: ⟨n⟩ }, () => new Array(⟨m⟩).fill(0));",),
        "list": ("const ⟨a⟩ = [];",), "table": ("const ⟨a⟩ = new Map();",), "text": ('let ⟨a⟩ = "";',),
        "strings": ("const ⟨a⟩ = [];",),
    },
    {
        "push": "⟨a⟩.push(⟨v⟩);", **_plain("⟨a⟩.length", "size list", "size text", "size strings"), "size table": "⟨a⟩.size",
        "put": "⟨a⟩.set(⟨k⟩, ⟨v⟩);", "get": "(⟨a⟩.get(⟨k⟩) || 0)", "has": "⟨a⟩.has(⟨k⟩)",
        "bump": "⟨a⟩.set(⟨k⟩, (⟨a⟩.get(⟨k⟩) || 0) + 1);", "append": "⟨a⟩ += ⟨v⟩;", "append number": "⟨a⟩ += ⟨v⟩;",
        "push text": "⟨a⟩.push(⟨s⟩ + (⟨v⟩));", **_plain("console.log(⟨v⟩);", "print", "print float"), "real": "(⟨v⟩)",
    },
    declare_float="let ⟨x⟩ = ⟨v⟩;", divide="Math.floor(⟨x⟩ / ⟨y⟩)", words={"==": "===", "!=": "!=="},
    literals=("plain", "shift", "product", "grouped", "science"),
)  # fmt: skip

JAVA = Dialect(
    "java", ".java", 3e8, 16, ("static final int ⟨x⟩ = ⟨v⟩;", "private static final int ⟨x⟩ = ⟨v⟩;"),
    "static long ⟨f⟩(⟨p⟩) {", ("public static void main(String[] args) {", "}\n}"), "long ⟨x⟩ = ⟨v⟩;",
    _typed(_COUNT_C, "long"), _typed(_STEP_C, "long")[0],
    {
        "ints": ("int[] ⟨a⟩ = new int[(int) (⟨n⟩)];",), "longs": ("long[] ⟨a⟩ = new long[(int) (⟨n⟩)];",),
        "bits": ("byte[] ⟨a⟩ = new byte[(int) (⟨n⟩)];",), "floats": ("double[] ⟨a⟩ = new double[(int) (⟨n⟩)];",),
        "grid": ("int[][] ⟨a⟩ = new int[(int) (⟨n⟩)][(int) (⟨m⟩)];",),
        "list": ("ArrayList<Long> ⟨a⟩ = new ArrayList<>();", "List<Long> ⟨a⟩ = new ArrayList<Long>();"),
        "table": ("Map<Long, Long> ⟨a⟩ = new HashMap<>();", "TreeMap<Long, Long> ⟨a⟩ = new TreeMap<>();"),
        "text": ("StringBuilder ⟨a⟩ = new StringBuilder();",), "strings": ("List<String> ⟨a⟩ = new ArrayList<>();",),
    },
    {
        "push": "⟨a⟩.add((long) (⟨v⟩));", **_plain("⟨a⟩.size()", "size list", "size table", "size strings"),
        "size text": "⟨a⟩.length()", "put": "⟨a⟩.put((long) (⟨k⟩), (long) (⟨v⟩));", "get": "⟨a⟩.getOrDefault((long) (⟨k⟩), 0L)",
        "has": "⟨a⟩.containsKey((long) (⟨k⟩))", "bump": "⟨a⟩.merge((long) (⟨k⟩), 1L, Long::sum);",
        **_plain("⟨a⟩.append(⟨v⟩);", "append", "append number"), "push text": "⟨a⟩.add(⟨s⟩ + (⟨v⟩));",
        **_plain("System.out.println(⟨v⟩);", "print", "print float"), "real": "(double) (⟨v⟩)",
    },
    head="import java.util.*;\n\npublic class Main {", declare_float="double ⟨x⟩ = ⟨v⟩;", parameter="long ⟨x⟩",
    index="(int) (⟨i⟩)", literals=("plain", "shift", "product", "grouped"),
    read={"list": "⟨a⟩.get(⟨i⟩)"}, write={"ints": "(int) (⟨v⟩)", "grid": "(int) (⟨v⟩)", "bits": "(byte) (⟨v⟩)"},
)  # fmt: skip

RUBY = Dialect(
    "ruby", ".rb", 2e7, 16, ("⟨x⟩ = ⟨v⟩",), "def ⟨f⟩(⟨p⟩)", ("", ""), "⟨x⟩ = ⟨v⟩",
    ("(⟨a⟩...⟨b⟩).each do |⟨i⟩|", "⟨a⟩.upto(⟨last⟩) do |⟨i⟩|", "for ⟨i⟩ in ⟨a⟩..⟨last⟩ do"),
    "(⟨a⟩...⟨b⟩).step(⟨s⟩) do |⟨i⟩|",
    {
        **dict.fromkeys(("ints", "longs", "bits"), ("⟨a⟩ = Array.new(⟨n⟩, 0)", "⟨a⟩ = [0] * (⟨n⟩)")),
        "floats": ("⟨a⟩ = Array.new(⟨n⟩, 0.0)",), "grid": ("⟨a⟩ = Array.new(⟨n⟩) { Array.new(⟨m⟩, 0) }",),
        "list": ("⟨a⟩ = []",), "table": ("⟨a⟩ = Hash.new(0)", "⟨a⟩ = {}"), "text": ("⟨a⟩ = String.new",),
        "strings": ("⟨a⟩ = []",),
    },
    {
        "push": "⟨a⟩ << (⟨v⟩)", **_plain("⟨a⟩.size", "size list", "size table", "size text", "size strings"),
        "put": "⟨a⟩[⟨k⟩] = ⟨v⟩", "get": "(⟨a⟩[⟨k⟩] || 0)", "has": "⟨a⟩.key?(⟨k⟩)", "bump": "⟨a⟩[⟨k⟩] = (⟨a⟩[⟨k⟩] || 0) + 1",
        "append": "⟨a⟩ << ⟨v⟩", "append number": "⟨a⟩ << (⟨v⟩).to_s", "push text": "⟨a⟩ << ⟨s⟩ + (⟨v⟩).to_s",
        **_plain("puts ⟨v⟩", "print", "print float"), "real": "(⟨v⟩).to_f",
    },
    declare_float="⟨x⟩ = ⟨v⟩", assign="⟨x⟩ = ⟨v⟩", add="⟨x⟩ ⟨op⟩= ⟨v⟩", test="if ⟨c⟩", otherwise="else",
    loop="while ⟨c⟩", end="end", back="return ⟨v⟩", call="⟨f⟩(⟨v⟩)",
    literals=("plain", "shift", "product", "grouped", "power"),
)  # fmt: skip

PERL = Dialect(
    "perl", ".pl", 1.5e7, 40, ("my $⟨x⟩ = ⟨v⟩;", "our $⟨x⟩ = ⟨v⟩;"), "sub ⟨f⟩ {\n    my (⟨p⟩) = @_;", ("", ""),
    "my $⟨x⟩ = ⟨v⟩;",
    ("for my ⟨i⟩ (⟨a⟩ .. ⟨last⟩) {", "for (my ⟨i⟩ = ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩++) {", "foreach my ⟨i⟩ (⟨a⟩..⟨last⟩) {"),
    "for (my ⟨i⟩ = ⟨a⟩; ⟨i⟩ < ⟨b⟩; ⟨i⟩ += ⟨s⟩) {",
    {
        **dict.fromkeys(("ints", "longs", "bits", "floats"), ("my @⟨a⟩ = (0) x (⟨n⟩);", "my @⟨a⟩ = map { 0 } 1 .. (⟨n⟩);")),
        "grid": ("my @⟨a⟩;\npush @⟨a⟩, [(0) x (⟨m⟩)] for 1 .. (⟨n⟩);",), "list": ("my @⟨a⟩;", "my @⟨a⟩ = ();"),
        "table": ("my %⟨a⟩;",), "text": ('my $⟨a⟩ = "";',), "strings": ("my @⟨a⟩;",),
    },
    {
        **_plain("push @⟨a⟩, ⟨v⟩;", "push"), **_plain("scalar(@⟨a⟩)", "size list", "size strings"),
        "size table": "scalar(keys %⟨a⟩)", "size text": "length($⟨a⟩)", "put": "$⟨a⟩{⟨k⟩} = ⟨v⟩;", "get": "($⟨a⟩{⟨k⟩} // 0)",
        "has": "exists $⟨a⟩{⟨k⟩}", "bump": "$⟨a⟩{⟨k⟩}++;", **_plain("$⟨a⟩ .= ⟨v⟩;", "append", "append number"),
        "push text": "push @⟨a⟩, ⟨s⟩ . (⟨v⟩);", **_plain('print ⟨v⟩, "\\n";', "print", "print float"), "real": "(⟨v⟩)",
    },
    head="use strict;\nuse warnings;\nno warnings 'recursion';\n", declare_float="my $⟨x⟩ = ⟨v⟩;", parameter="$⟨x⟩",
    variable="$⟨x⟩", named="$⟨x⟩", divide="int(⟨x⟩ / ⟨y⟩)", read={"": "$⟨a⟩[⟨i⟩]"},
    literals=("plain", "shift", "product", "grouped", "power", "science"),
)  # fmt: skip

LUA = Dialect(
    "lua", ".lua", 4e7, 18, ("local ⟨x⟩ = ⟨v⟩", "⟨x⟩ = ⟨v⟩"), "local function ⟨f⟩(⟨p⟩)", ("", ""), "local ⟨x⟩ = ⟨v⟩",
    ("for ⟨i⟩ = ⟨a⟩, ⟨last⟩ do",), "for ⟨i⟩ = ⟨a⟩, ⟨b⟩ - 1, ⟨s⟩ do",
    {
        **dict.fromkeys(("ints", "longs", "bits"), ("local ⟨a⟩ = {}\nfor k = 0, ⟨n⟩ do ⟨a⟩[k] = 0 end",)),
        "floats": ("local ⟨a⟩ = {}\nfor k = 0, ⟨n⟩ do ⟨a⟩[k] = 0.0 end",),
        "grid": ("local ⟨a⟩ = {}\nfor r = 0, ⟨n⟩ do\n    ⟨a⟩[r] = {}\n    for k = 0, ⟨m⟩ do ⟨a⟩[r][k] = 0 end\nend",),
        **dict.fromkeys(("list", "table", "text", "strings"), ("local ⟨a⟩ = {}",)),
    },
    {
        "push": "⟨a⟩[#⟨a⟩ + 1] = ⟨v⟩", **_plain("#⟨a⟩", "size list", "size strings"), "size text": "#table.concat(⟨a⟩)",
        "put": "⟨a⟩[⟨k⟩] = ⟨v⟩", "get": "(⟨a⟩[⟨k⟩] or 0)", "has": "⟨a⟩[⟨k⟩] ~= nil", "bump": "⟨a⟩[⟨k⟩] = (⟨a⟩[⟨k⟩] or 0) + 1",
        **_plain("⟨a⟩[#⟨a⟩ + 1] = ⟨v⟩", "append", "append number"), "push text": "table.insert(⟨a⟩, ⟨s⟩ .. (⟨v⟩))",
        **_plain("print(⟨v⟩)", "print", "print float"), "real": "(⟨v⟩)",
    },
    declare_float="local ⟨x⟩ = ⟨v⟩", assign="⟨x⟩ = ⟨v⟩", add="⟨x⟩ = ⟨x⟩ ⟨op⟩ (⟨v⟩)", test="if ⟨c⟩ then", otherwise="else",
    loop="while ⟨c⟩ do", end="end", back="return ⟨v⟩", call="⟨f⟩(⟨v⟩)", divide="⟨x⟩ // ⟨y⟩", read={"list": "⟨a⟩[⟨i⟩ + 1]"},
    words={"&&": "and", "||": "or", "!=": "~=", "^": "~"},
)  # fmt: skip

PHP = Dialect(
    "php", ".php", 6e7, 16, ("const ⟨x⟩ = ⟨v⟩;", "define('⟨x⟩', ⟨v⟩);"), "function ⟨f⟩(⟨p⟩) {", ("", ""),
    "$⟨x⟩ = ⟨v⟩;", _typed(_COUNT_C, ""), _typed(_STEP_C, "")[0],
    {
        **dict.fromkeys(("ints", "longs", "bits"), ("$⟨a⟩ = array_fill(0, ⟨n⟩, 0);", "$⟨a⟩ = new SplFixedArray(⟨n⟩);")),
        "floats": ("$⟨a⟩ = array_fill(0, ⟨n⟩, 0.0);",), "grid": ("$⟨a⟩ = [];\nfor ($r = 0; $r < (⟨n⟩); $r++) $⟨a⟩[] = array_fill(0, ⟨m⟩, 0);",),
        **dict.fromkeys(("list", "table", "strings"), ("$⟨a⟩ = [];", "$⟨a⟩ = array();")), "text": ("$⟨a⟩ = '';",),
    },
    {
        "push": "$⟨a⟩[] = ⟨v⟩;", **_plain("count($⟨a⟩)", "size list", "size table", "size strings"), "size text": "strlen($⟨a⟩)",
        "put": "$⟨a⟩[⟨k⟩] = ⟨v⟩;", "get": "($⟨a⟩[⟨k⟩] ?? 0)", "has": "isset($⟨a⟩[⟨k⟩])", "bump": "$⟨a⟩[⟨k⟩] = ($⟨a⟩[⟨k⟩] ?? 0) + 1;",
        **_plain("$⟨a⟩ .= ⟨v⟩;", "append", "append number"), "push text": "$⟨a⟩[] = ⟨s⟩ . (⟨v⟩);",
        **_plain('echo ⟨v⟩, "\\n";', "print", "print float"), "real": "(float) (⟨v⟩)",
    },
    head="<?php", declare_float="$⟨x⟩ = ⟨v⟩;", parameter="$⟨x⟩", variable="$⟨x⟩", divide="intdiv(⟨x⟩, ⟨y⟩)",
    read={"": "$⟨a⟩[⟨i⟩]"}, literals=("plain", "shift", "product", "grouped", "power"),
)  # fmt: skip

DIALECTS = {d.name: d for d in (C, CPP, PYTHON, GO, RUST, JAVASCRIPT, JAVA, RUBY, PERL, LUA, PHP)}
"""By the names of `forerun.toolchains.process.languages`."""
