"""What each language has ways of its own to say: a size, and what is made of it in a line or two.

⟨n⟩ is the size, ⟨a⟩ and ⟨b⟩ hold something, ⟨x⟩ is a number and ⟨i⟩ counts. What stands before `---` belongs in front of
the program's statements. A group is what is done, in whichever language.
"""

# ruff: noqa: E501  (a phrase stays on its line)

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Idiom:
    """What is said, and about what it costs: steps and elements of the size."""

    said: Mapping[str, tuple[str, ...]]
    """By language; several ways."""
    steps: Callable[[float], float]
    cells: Callable[[float], float]
    most: float = 1e9


def _times(factor: float) -> Callable[[float], float]:
    return lambda n: factor * n


def _idiom(steps: float, cells: float, most: float = 1e9, /, **said: str | tuple[str, ...]) -> Idiom:
    ways = {name.replace("cpp", "c++"): (one,) if isinstance(one, str) else one for name, one in said.items()}
    return Idiom(ways, _times(steps), _times(cells), most)


_ORDER = "static int order(const void *p, const void *q) { return *(const int *)p < *(const int *)q ? -1 : 1; }\n---\n"
_ALGORITHM = "#include <algorithm>\n#include <numeric>\n#include <cstdlib>\n#include <set>\n---\n"

IDIOMS: Mapping[str, Idiom] = {
    "filled": _idiom(
        0.3, 1,
        python=("⟨a⟩ = [0] * ⟨n⟩\nprint(len(⟨a⟩))", "⟨a⟩ = [None] * ⟨n⟩\nprint(⟨a⟩[-1])", "⟨a⟩ = [1.5] * ⟨n⟩\nprint(sum(⟨a⟩))"),
        javascript=("const ⟨a⟩ = new Array(⟨n⟩).fill(1);\nconsole.log(⟨a⟩.length);", "const ⟨a⟩ = new Float64Array(⟨n⟩);\n⟨a⟩.fill(2);\nconsole.log(⟨a⟩[1]);"),
        c=("int *⟨a⟩ = malloc(⟨n⟩ * sizeof *⟨a⟩);\nfor (long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩[⟨i⟩] = rand();\nprintf(\"%d\\n\", ⟨a⟩[3]);",),
        cpp=("std::vector<int> ⟨a⟩(⟨n⟩, 7);\nstd::cout << ⟨a⟩[⟨a⟩.size() / 2] << '\\n';",),
        java=("int[] ⟨a⟩ = new int[⟨n⟩];\nArrays.fill(⟨a⟩, 3);\nSystem.out.println(⟨a⟩[5]);", "long[] ⟨a⟩ = new long[⟨n⟩];\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨a⟩.length; ⟨i⟩++) ⟨a⟩[⟨i⟩] = ⟨i⟩;\nSystem.out.println(⟨a⟩[4]);"),
        go="⟨a⟩ := make([]float64, ⟨n⟩)\nfor ⟨i⟩ := range ⟨a⟩ {\n    ⟨a⟩[⟨i⟩] = 1.5\n}\nfmt.Println(len(⟨a⟩), ⟨a⟩[1])",
        rust=("let ⟨a⟩ = vec![1u32; ⟨n⟩];\nprintln!(\"{}\", ⟨a⟩.iter().map(|&v| v as u64).sum::<u64>());",),
        ruby=("⟨a⟩ = Array.new(⟨n⟩, 1)\nputs ⟨a⟩.size", "⟨a⟩ = Array.new(⟨n⟩) { |⟨i⟩| ⟨i⟩ }\nputs ⟨a⟩[-1]"),
        perl=("my @⟨a⟩ = (1) x ⟨n⟩;\nprint scalar(@⟨a⟩), \"\\n\";",),
        lua="local ⟨a⟩ = {}\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨a⟩[⟨i⟩] = true end\nprint(#⟨a⟩)",
        php=("$⟨a⟩ = array_fill(0, ⟨n⟩, 1);\necho count($⟨a⟩), \"\\n\";",),
    ),
    "ranged": _idiom(
        0.5, 1.2,
        python=("⟨a⟩ = list(range(⟨n⟩))\nprint(⟨a⟩[-1])", "⟨a⟩ = [⟨i⟩ for ⟨i⟩ in range(⟨n⟩)]\nprint(len(⟨a⟩))", "⟨a⟩ = tuple(range(⟨n⟩))\nprint(⟨a⟩[7])"),
        javascript=("const ⟨a⟩ = Array.from({ length: ⟨n⟩ }, (_, ⟨i⟩) => ⟨i⟩);\nconsole.log(⟨a⟩[9]);", "const ⟨a⟩ = [...Array(⟨n⟩).keys()];\nconsole.log(⟨a⟩.length);"),
        cpp=_ALGORITHM + "std::vector<long> ⟨a⟩(⟨n⟩);\nstd::iota(⟨a⟩.begin(), ⟨a⟩.end(), 0L);\nstd::cout << ⟨a⟩.back() << std::endl;",
        java="int[] ⟨a⟩ = java.util.stream.IntStream.range(0, ⟨n⟩).toArray();\nSystem.out.println(⟨a⟩.length);",
        rust=("let ⟨a⟩: Vec<u64> = (0..⟨n⟩).collect();\nprintln!(\"{}\", ⟨a⟩.len());", "let ⟨a⟩: Vec<usize> = (1..=⟨n⟩).collect();\nprintln!(\"{:?}\", ⟨a⟩.last());"),
        ruby=("⟨a⟩ = (1..⟨n⟩).to_a\nputs ⟨a⟩.last", "⟨a⟩ = [*0...⟨n⟩]\nputs ⟨a⟩.length"),
        perl="my @⟨a⟩ = (1 .. ⟨n⟩);\nprint $⟨a⟩[-1], \"\\n\";",
        php="$⟨a⟩ = range(1, ⟨n⟩);\necho count($⟨a⟩), PHP_EOL;",
        go="var ⟨a⟩ []int\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨a⟩ = append(⟨a⟩, ⟨i⟩)\n}\nfmt.Println(len(⟨a⟩))",
    ),
    "mapped": _idiom(
        1, 1.6,
        python=("⟨a⟩ = [⟨i⟩ ** 2 for ⟨i⟩ in range(⟨n⟩)]\nprint(sum(⟨a⟩))", "⟨a⟩ = list(map(lambda v: v * 3, range(⟨n⟩)))\nprint(max(⟨a⟩))", "⟨a⟩ = [(⟨i⟩, ⟨i⟩ + 1) for ⟨i⟩ in range(⟨n⟩)]\nprint(⟨a⟩[0])"),
        javascript=("const ⟨a⟩ = Array.from({ length: ⟨n⟩ }, (_, ⟨i⟩) => ⟨i⟩ * ⟨i⟩);\nconst ⟨b⟩ = ⟨a⟩.map((v) => v + 1);\nconsole.log(⟨b⟩.length);",),
        rust="let ⟨a⟩: Vec<f64> = (0..⟨n⟩).map(|v| v as f64 * 0.5).collect();\nprintln!(\"{}\", ⟨a⟩[1]);",
        ruby="⟨a⟩ = (1..⟨n⟩).map { |v| v * v }\nputs ⟨a⟩.sum",
        perl="my @⟨a⟩ = map { $_ * 2 } 1 .. ⟨n⟩;\nprint scalar(@⟨a⟩);",
        php="$⟨a⟩ = array_map(fn($v) => $v * $v, range(1, ⟨n⟩));\necho array_sum($⟨a⟩), \"\\n\";",
        java="List<Integer> ⟨a⟩ = new ArrayList<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(⟨i⟩ * 2);\nSystem.out.println(⟨a⟩.size());",
    ),
    "summed": _idiom(
        1, 0,
        python=("print(sum(⟨i⟩ * ⟨i⟩ for ⟨i⟩ in range(⟨n⟩)))", "print(sum(range(⟨n⟩)))", "⟨x⟩ = 0\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨x⟩ += ⟨i⟩\nprint(⟨x⟩)", "print(sum(1 for ⟨i⟩ in range(⟨n⟩) if ⟨i⟩ % 7 == 3))"),
        javascript=("let ⟨x⟩ = 0;\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ += ⟨i⟩ % 7;\nconsole.log(⟨x⟩);", "let ⟨x⟩ = 0;\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ++⟨i⟩) { ⟨x⟩ = (⟨x⟩ + ⟨i⟩) | 0; }\nconsole.log(⟨x⟩);"),
        c=("unsigned long ⟨x⟩ = 1;\nfor (unsigned long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ = ⟨x⟩ * 6364136223846793005UL + ⟨i⟩;\nprintf(\"%lu\\n\", ⟨x⟩);", "double ⟨x⟩ = 0;\nfor (long ⟨i⟩ = 1; ⟨i⟩ <= ⟨n⟩; ⟨i⟩++) ⟨x⟩ += 1.0 / ⟨i⟩;\nprintf(\"%f\\n\", ⟨x⟩);"),
        cpp="double ⟨x⟩ = 0;\nfor (long ⟨i⟩ = 1; ⟨i⟩ <= ⟨n⟩; ++⟨i⟩) ⟨x⟩ += 1.0 / (⟨i⟩ * 2.0);\nstd::cout << ⟨x⟩ << '\\n';",
        java=("long ⟨x⟩ = 0;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ += ⟨i⟩ % 13;\nSystem.out.println(⟨x⟩);", "System.out.println(java.util.stream.LongStream.range(0, ⟨n⟩).map(v -> v * v).sum());"),
        go="⟨x⟩ := 0\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨x⟩ += ⟨i⟩ % 5\n}\nfmt.Println(⟨x⟩)",
        rust=("let mut ⟨x⟩: u64 = 1;\nfor ⟨i⟩ in 0u64..⟨n⟩ {\n    ⟨x⟩ = ⟨x⟩.wrapping_mul(31).wrapping_add(⟨i⟩ ^ 3);\n}\nprintln!(\"{}\", ⟨x⟩);", "let ⟨x⟩: f64 = (1..=⟨n⟩).map(|v| 1.0 / v as f64).sum();\nprintln!(\"{}\", ⟨x⟩);"),
        ruby=("⟨x⟩ = 0\n⟨n⟩.times { |⟨i⟩| ⟨x⟩ += ⟨i⟩ }\nputs ⟨x⟩", "puts (1..⟨n⟩).sum { |⟨i⟩| ⟨i⟩ % 3 }", "puts (1..⟨n⟩).reduce(:+)", "⟨x⟩ = 0\n(0...⟨n⟩).each do |⟨i⟩|\n  ⟨x⟩ += ⟨i⟩ if ⟨i⟩.even?\nend\nputs ⟨x⟩"),
        perl=("my $⟨x⟩ = 0;\n$⟨x⟩ += $_ for 1 .. ⟨n⟩;\nprint \"$⟨x⟩\\n\";", "my $⟨x⟩ = 0;\nfor (my $⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) { $⟨x⟩ += $⟨i⟩ % 3; }\nprint \"$⟨x⟩\\n\";"),
        lua="local ⟨x⟩ = 0\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨x⟩ = ⟨x⟩ + ⟨i⟩ % 2 end\nprint(⟨x⟩)",
        php="$⟨x⟩ = 0;\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) { $⟨x⟩ += $⟨i⟩; }\necho $⟨x⟩, \"\\n\";",
    ),
    "while": _idiom(
        2, 0,
        python=("⟨x⟩ = 0\nwhile ⟨x⟩ < ⟨n⟩:\n    ⟨x⟩ += 1\nprint(⟨x⟩)", "⟨x⟩ = ⟨n⟩\nwhile ⟨x⟩ > 0:\n    ⟨x⟩ -= 1\nprint('done')"),
        javascript="let ⟨x⟩ = ⟨n⟩;\nwhile (⟨x⟩ > 0) { ⟨x⟩ -= 1; }\nconsole.log(⟨x⟩);",
        ruby="⟨x⟩ = 0\nwhile ⟨x⟩ < ⟨n⟩\n  ⟨x⟩ += 1\nend\nputs ⟨x⟩",
        perl="my $⟨x⟩ = 0;\nwhile ($⟨x⟩ < ⟨n⟩) { $⟨x⟩++; }\nprint $⟨x⟩;",
        lua="local ⟨x⟩ = 0\nwhile ⟨x⟩ < ⟨n⟩ do\n  ⟨x⟩ = ⟨x⟩ + 1\nend\nprint(⟨x⟩)",
        php="$⟨x⟩ = 0;\nwhile ($⟨x⟩ < ⟨n⟩) {\n    $⟨x⟩++;\n}\necho $⟨x⟩;",
        c="volatile long ⟨x⟩ = 0;\nwhile (⟨x⟩ < ⟨n⟩) ⟨x⟩++;\nprintf(\"%ld\\n\", ⟨x⟩);",
        java="long ⟨x⟩ = 0, ⟨b⟩ = 7;\nwhile (⟨x⟩ < ⟨n⟩) { ⟨b⟩ = ⟨b⟩ * 31 + ⟨x⟩; ⟨x⟩++; }\nSystem.out.println(⟨b⟩);",
        go="⟨x⟩, ⟨b⟩ := 0, 7\nfor ⟨x⟩ < ⟨n⟩ {\n    ⟨b⟩ = ⟨b⟩*31 + ⟨x⟩\n    ⟨x⟩++\n}\nfmt.Println(⟨b⟩)",
    ),
    "words": _idiom(
        4, 5, 2e8,
        python=("⟨a⟩ = [str(⟨i⟩) for ⟨i⟩ in range(⟨n⟩)]\nprint(len(⟨a⟩))", "⟨a⟩ = [f'user{⟨i⟩}' for ⟨i⟩ in range(⟨n⟩)]\nprint(⟨a⟩[3])", "⟨a⟩ = []\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨a⟩.append('line ' + str(⟨i⟩))\nprint(len(' '.join(⟨a⟩)))"),
        javascript=("const ⟨a⟩ = [];\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.push(`key${⟨i⟩}`);\nconsole.log(⟨a⟩.join(',').length);",),
        cpp="std::vector<std::string> ⟨a⟩;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ++⟨i⟩) ⟨a⟩.push_back(\"entry\" + std::to_string(⟨i⟩));\nstd::cout << ⟨a⟩.size() << '\\n';",
        java="List<String> ⟨a⟩ = new ArrayList<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(\"name\" + ⟨i⟩);\nSystem.out.println(String.join(\",\", ⟨a⟩).length());",
        go="⟨a⟩ := make([]string, 0)\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨a⟩ = append(⟨a⟩, fmt.Sprintf(\"row%d\", ⟨i⟩))\n}\nfmt.Println(len(⟨a⟩))",
        rust="let ⟨a⟩: Vec<String> = (0..⟨n⟩).map(|v| format!(\"item{}\", v)).collect();\nprintln!(\"{}\", ⟨a⟩.len());",
        ruby=("⟨a⟩ = Array.new(⟨n⟩) { |⟨i⟩| \"w#{⟨i⟩}\" }\nputs ⟨a⟩.join.size", "⟨a⟩ = (0...⟨n⟩).map(&:to_s)\nputs ⟨a⟩.size"),
        perl="my @⟨a⟩ = map { \"id$_\" } 1 .. ⟨n⟩;\nprint length(join(',', @⟨a⟩)), \"\\n\";",
        lua="local ⟨a⟩ = {}\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨a⟩[#⟨a⟩ + 1] = tostring(⟨i⟩) end\nprint(#table.concat(⟨a⟩, ' '))",
        php="$⟨a⟩ = [];\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) $⟨a⟩[] = \"x$⟨i⟩\";\necho strlen(implode(',', $⟨a⟩)), \"\\n\";",
    ),
    "dictionary": _idiom(
        5, 7, 1e8,
        python=("⟨a⟩ = {⟨i⟩: ⟨i⟩ * ⟨i⟩ for ⟨i⟩ in range(⟨n⟩)}\nprint(len(⟨a⟩))", "⟨a⟩ = {}\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨a⟩[str(⟨i⟩)] = ⟨i⟩\nprint(len(⟨a⟩))", "⟨a⟩ = dict(zip(range(⟨n⟩), range(⟨n⟩)))\nprint(⟨a⟩[5])"),
        javascript=("const ⟨a⟩ = new Map();\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.set(⟨i⟩, `v${⟨i⟩}`);\nconsole.log(⟨a⟩.size);", "const ⟨a⟩ = {};\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩['k' + ⟨i⟩] = ⟨i⟩;\nconsole.log(Object.keys(⟨a⟩).length);"),
        cpp=("std::map<int, int> ⟨a⟩;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩[⟨i⟩] = ⟨i⟩ * 2;\nstd::cout << ⟨a⟩.size() << '\\n';", "std::unordered_map<std::string, int> ⟨a⟩;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩[std::to_string(⟨i⟩)] = ⟨i⟩;\nstd::cout << ⟨a⟩.size() << '\\n';"),
        java="Map<Integer, String> ⟨a⟩ = new HashMap<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.put(⟨i⟩, \"v\" + ⟨i⟩);\nSystem.out.println(⟨a⟩.size());",
        go=("⟨a⟩ := make(map[int]int)\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨a⟩[⟨i⟩] = ⟨i⟩ * 2\n}\nfmt.Println(len(⟨a⟩))", "⟨a⟩ := map[string]int{}\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨a⟩[fmt.Sprint(⟨i⟩)] = ⟨i⟩\n}\nfmt.Println(len(⟨a⟩))"),
        rust="let mut ⟨a⟩ = std::collections::HashMap::new();\nfor ⟨i⟩ in 0u64..⟨n⟩ {\n    ⟨a⟩.insert(⟨i⟩, ⟨i⟩ * 2);\n}\nprintln!(\"{}\", ⟨a⟩.len());",
        ruby=("⟨a⟩ = {}\n⟨n⟩.times { |⟨i⟩| ⟨a⟩[⟨i⟩] = ⟨i⟩.to_s }\nputs ⟨a⟩.size", "⟨a⟩ = (1..⟨n⟩).to_h { |⟨i⟩| [⟨i⟩, ⟨i⟩ * 2] }\nputs ⟨a⟩.length"),
        perl=("my %⟨a⟩;\n$⟨a⟩{$_} = $_ * 2 for 1 .. ⟨n⟩;\nprint scalar(keys %⟨a⟩), \"\\n\";", "my %⟨a⟩ = map { $_ => 1 } 1 .. ⟨n⟩;\nprint scalar(%⟨a⟩), \"\\n\";"),
        lua="local ⟨a⟩ = {}\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨a⟩['k' .. ⟨i⟩] = ⟨i⟩ end\nprint(⟨a⟩.k7)",
        php="$⟨a⟩ = [];\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) { $⟨a⟩[\"k$⟨i⟩\"] = $⟨i⟩; }\necho count($⟨a⟩), \"\\n\";",
    ),
    "distinct": _idiom(
        4, 5, 1e8,
        python=("⟨a⟩ = set(range(⟨n⟩))\nprint(len(⟨a⟩))", "⟨a⟩ = {⟨i⟩ * 7 for ⟨i⟩ in range(⟨n⟩)}\nprint(len(⟨a⟩))", "⟨a⟩ = set()\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨a⟩.add(⟨i⟩ % 1000)\nprint(len(⟨a⟩))"),
        javascript="const ⟨a⟩ = new Set();\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(⟨i⟩ * 3);\nconsole.log(⟨a⟩.size);",
        cpp=_ALGORITHM + "std::set<long> ⟨a⟩;\nfor (long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.insert(⟨i⟩ * 7919 % 1000003);\nstd::cout << ⟨a⟩.size() << '\\n';",
        java="Set<Integer> ⟨a⟩ = new HashSet<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(⟨i⟩);\nSystem.out.println(⟨a⟩.size());",
        rust="let ⟨a⟩: std::collections::HashSet<u32> = (0..⟨n⟩).collect();\nprintln!(\"{}\", ⟨a⟩.len());",
        ruby="require 'set'\n⟨a⟩ = Set.new\n⟨n⟩.times { |⟨i⟩| ⟨a⟩ << ⟨i⟩ }\nputs ⟨a⟩.size",
    ),
    "sorted": _idiom(
        8, 3, 1e8,
        python=("import random\n⟨a⟩ = [random.random() for _ in range(⟨n⟩)]\n⟨a⟩.sort()\nprint(⟨a⟩[0])", "import random\n⟨a⟩ = sorted(random.randint(0, 10**9) for _ in range(⟨n⟩))\nprint(⟨a⟩[-1])", "⟨a⟩ = sorted(range(⟨n⟩), key=lambda v: -v)\nprint(⟨a⟩[0])"),
        javascript="const ⟨a⟩ = Array.from({ length: ⟨n⟩ }, () => Math.random());\n⟨a⟩.sort((p, q) => p - q);\nconsole.log(⟨a⟩[0]);",
        c=_ORDER + "int *⟨a⟩ = malloc(⟨n⟩ * sizeof(int));\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩[⟨i⟩] = rand();\nqsort(⟨a⟩, ⟨n⟩, sizeof(int), order);\nprintf(\"%d\\n\", ⟨a⟩[0]);",
        cpp=_ALGORITHM + "std::vector<double> ⟨a⟩(⟨n⟩);\nfor (auto &v : ⟨a⟩) v = std::rand();\nstd::sort(⟨a⟩.begin(), ⟨a⟩.end());\nstd::cout << ⟨a⟩[0] << '\\n';",
        java="int[] ⟨a⟩ = new Random(1).ints(⟨n⟩).toArray();\nArrays.sort(⟨a⟩);\nSystem.out.println(⟨a⟩[0]);",
        go="⟨a⟩ := make([]int, ⟨n⟩)\nfor ⟨i⟩ := range ⟨a⟩ {\n    ⟨a⟩[⟨i⟩] = rand.Int()\n}\nsort.Ints(⟨a⟩)\nfmt.Println(⟨a⟩[0])",
        rust="let mut ⟨x⟩: u64 = 1;\nlet mut ⟨a⟩: Vec<u64> = (0..⟨n⟩).map(|_| { ⟨x⟩ = ⟨x⟩.wrapping_mul(6364136223846793005).wrapping_add(1); ⟨x⟩ }).collect();\n⟨a⟩.sort();\nprintln!(\"{}\", ⟨a⟩[0]);",
        ruby="⟨a⟩ = Array.new(⟨n⟩) { rand }\nputs ⟨a⟩.sort.first",
        perl="my @⟨a⟩ = map { rand } 1 .. ⟨n⟩;\nmy @⟨b⟩ = sort { $a <=> $b } @⟨a⟩;\nprint $⟨b⟩[0], \"\\n\";",
        lua="local ⟨a⟩ = {}\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨a⟩[⟨i⟩] = math.random() end\ntable.sort(⟨a⟩)\nprint(⟨a⟩[1])",
        php="$⟨a⟩ = [];\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) $⟨a⟩[] = mt_rand();\nsort($⟨a⟩);\necho $⟨a⟩[0], \"\\n\";",
    ),
    "bytes": _idiom(
        0.05, 0.1, 2e9,
        python=("⟨a⟩ = bytearray(⟨n⟩)\nprint(len(⟨a⟩))", "⟨a⟩ = b'x' * ⟨n⟩\nprint(len(⟨a⟩))", "⟨a⟩ = 'ab' * ⟨n⟩\nprint(len(⟨a⟩))"),
        javascript=("const ⟨a⟩ = Buffer.alloc(⟨n⟩, 1);\nconsole.log(⟨a⟩.length);", "const ⟨a⟩ = new Uint8Array(⟨n⟩).fill(1);\nconsole.log(⟨a⟩[0]);"),
        c="char *⟨a⟩ = malloc(⟨n⟩);\nmemset(⟨a⟩, 1, ⟨n⟩);\nputs(⟨a⟩[atoi(\"9\")] ? \"yes\" : \"no\");",
        cpp="std::string ⟨a⟩(⟨n⟩, 'x');\nstd::cout << ⟨a⟩.size() << '\\n';",
        java="byte[] ⟨a⟩ = new byte[⟨n⟩];\n⟨a⟩[3] = 1;\nSystem.out.println(⟨a⟩.length);",
        go="⟨a⟩ := bytes.Repeat([]byte{1}, ⟨n⟩)\nfmt.Println(len(⟨a⟩))",
        rust="let ⟨a⟩ = \"ab\".repeat(⟨n⟩);\nprintln!(\"{}\", ⟨a⟩.len());",
        ruby="⟨a⟩ = 'x' * ⟨n⟩\nputs ⟨a⟩.size",
        perl="my $⟨a⟩ = 'x' x ⟨n⟩;\nprint length($⟨a⟩), \"\\n\";",
        lua="local ⟨a⟩ = string.rep('x', ⟨n⟩)\nprint(#⟨a⟩)",
        php="$⟨a⟩ = str_repeat('x', ⟨n⟩);\necho strlen($⟨a⟩), \"\\n\";",
    ),
    "records": _idiom(
        6, 9, 5e7,
        python=("class Point:\n    def __init__(self, x, y):\n        self.x, self.y = x, y\n\n⟨a⟩ = [Point(⟨i⟩, ⟨i⟩) for ⟨i⟩ in range(⟨n⟩)]\nprint(len(⟨a⟩))", "⟨a⟩ = [{'id': ⟨i⟩, 'name': 'n'} for ⟨i⟩ in range(⟨n⟩)]\nprint(⟨a⟩[0])"),
        javascript=("const ⟨a⟩ = [];\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.push({ id: ⟨i⟩, name: 'n' });\nconsole.log(⟨a⟩.length);",),
        cpp="struct Point { double x, y, z; };\n---\nstd::vector<Point *> ⟨a⟩;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.push_back(new Point{1.0 * ⟨i⟩, 2, 3});\nstd::cout << ⟨a⟩.size() << '\\n';",
        c="struct node { struct node *next; long value; };\n---\nstruct node *⟨a⟩ = NULL;\nfor (long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) {\n    struct node *one = malloc(sizeof *one);\n    one->value = ⟨i⟩;\n    one->next = ⟨a⟩;\n    ⟨a⟩ = one;\n}\nprintf(\"%ld\\n\", ⟨a⟩->value);",
        java="List<double[]> ⟨a⟩ = new ArrayList<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(new double[] {⟨i⟩, 2.0});\nSystem.out.println(⟨a⟩.size());",
        go="type point struct{ x, y int }\n---\nvar ⟨a⟩ []*point\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨a⟩ = append(⟨a⟩, &point{⟨i⟩, 2})\n}\nfmt.Println(len(⟨a⟩))",
        rust="let ⟨a⟩: Vec<Box<(u64, u64)>> = (0..⟨n⟩).map(|v| Box::new((v, v))).collect();\nprintln!(\"{}\", ⟨a⟩.len());",
        ruby="Point = Struct.new(:x, :y)\n⟨a⟩ = Array.new(⟨n⟩) { |⟨i⟩| Point.new(⟨i⟩, 2) }\nputs ⟨a⟩.size",
        perl="my @⟨a⟩ = map { { id => $_, name => 'n' } } 1 .. ⟨n⟩;\nprint scalar(@⟨a⟩), \"\\n\";",
        lua="local ⟨a⟩ = {}\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨a⟩[⟨i⟩] = { id = ⟨i⟩, name = 'n' } end\nprint(#⟨a⟩)",
        php="$⟨a⟩ = [];\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) $⟨a⟩[] = ['id' => $⟨i⟩, 'name' => 'n'];\necho count($⟨a⟩);",
    ),
    "printed": _idiom(
        12, 0, 1e8,
        python=("for ⟨i⟩ in range(⟨n⟩):\n    print(⟨i⟩)", "for ⟨i⟩ in range(⟨n⟩):\n    print('line', ⟨i⟩, ⟨i⟩ * 2)"),
        javascript="for (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) console.log(⟨i⟩);",
        c="for (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) printf(\"%d\\n\", ⟨i⟩);",
        cpp="for (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) std::cout << ⟨i⟩ << '\\n';",
        java="for (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) System.out.println(⟨i⟩);",
        go="for ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    fmt.Println(⟨i⟩)\n}",
        rust="for ⟨i⟩ in 0..⟨n⟩ {\n    println!(\"{}\", ⟨i⟩);\n}",
        ruby="⟨n⟩.times { |⟨i⟩| puts ⟨i⟩ }", perl="print \"$_\\n\" for 1 .. ⟨n⟩;", lua="for ⟨i⟩ = 1, ⟨n⟩ do print(⟨i⟩) end",
        php="for ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) echo $⟨i⟩, \"\\n\";",
    ),
    "waves": _idiom(
        4, 0,
        python=("import math\nprint(sum(math.sqrt(⟨i⟩) for ⟨i⟩ in range(⟨n⟩)))", "import math\n⟨x⟩ = 0.0\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨x⟩ += math.sin(⟨i⟩) * math.cos(⟨i⟩)\nprint(⟨x⟩)"),
        javascript="let ⟨x⟩ = 0;\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ += Math.sin(⟨i⟩);\nconsole.log(⟨x⟩);",
        cpp="#include <cmath>\n---\ndouble ⟨x⟩ = 0;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ += std::sin(⟨i⟩ * 0.1);\nstd::cout << ⟨x⟩ << '\\n';",
        java="double ⟨x⟩ = 0;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨x⟩ += Math.sqrt(⟨i⟩) * Math.sin(⟨i⟩);\nSystem.out.println(⟨x⟩);",
        go="⟨x⟩ := 0.0\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    ⟨x⟩ += math.Sin(float64(⟨i⟩))\n}\nfmt.Println(⟨x⟩)",
        rust="let mut ⟨x⟩ = 0.0f64;\nfor ⟨i⟩ in 0..⟨n⟩ {\n    ⟨x⟩ += (⟨i⟩ as f64).sin();\n}\nprintln!(\"{}\", ⟨x⟩);",
        ruby="⟨x⟩ = 0.0\n⟨n⟩.times { |⟨i⟩| ⟨x⟩ += Math.sqrt(⟨i⟩) }\nputs ⟨x⟩",
        perl="my $⟨x⟩ = 0;\n$⟨x⟩ += sin($_) for 1 .. ⟨n⟩;\nprint \"$⟨x⟩\\n\";",
        lua="local ⟨x⟩ = 0\nfor ⟨i⟩ = 1, ⟨n⟩ do ⟨x⟩ = ⟨x⟩ + math.sin(⟨i⟩) end\nprint(⟨x⟩)",
        php="$⟨x⟩ = 0;\nfor ($⟨i⟩ = 0; $⟨i⟩ < ⟨n⟩; $⟨i⟩++) $⟨x⟩ += sqrt($⟨i⟩);\necho $⟨x⟩, \"\\n\";",
    ),
    "copies": _idiom(
        1, 2.5, 3e8,
        python=("⟨a⟩ = list(range(⟨n⟩))\n⟨b⟩ = ⟨a⟩[::-1]\nprint(⟨b⟩[0])", "⟨a⟩ = [0] * ⟨n⟩\n⟨b⟩ = list(⟨a⟩)\nprint(len(⟨a⟩ + ⟨b⟩))", "⟨a⟩ = [1, 2, 3] * ⟨n⟩\n⟨b⟩ = ⟨a⟩.copy()\nprint(len(⟨b⟩))"),
        javascript="const ⟨a⟩ = new Array(⟨n⟩).fill(1);\nconst ⟨b⟩ = ⟨a⟩.slice().concat(⟨a⟩);\nconsole.log(⟨b⟩.length);",
        cpp="std::vector<double> ⟨a⟩(⟨n⟩, 1.0);\nauto ⟨b⟩ = ⟨a⟩;\nstd::cout << ⟨a⟩.size() + ⟨b⟩.size() << '\\n';",
        java="int[] ⟨a⟩ = new int[⟨n⟩];\nint[] ⟨b⟩ = Arrays.copyOf(⟨a⟩, ⟨a⟩.length);\nSystem.out.println(⟨b⟩.length);",
        rust="let ⟨a⟩ = vec![1.0f64; ⟨n⟩];\nlet ⟨b⟩ = ⟨a⟩.clone();\nprintln!(\"{}\", ⟨a⟩.len() + ⟨b⟩.len());",
        ruby="⟨a⟩ = Array.new(⟨n⟩, 0)\n⟨b⟩ = ⟨a⟩ + ⟨a⟩.reverse\nputs ⟨b⟩.size",
        perl="my @⟨a⟩ = (1) x ⟨n⟩;\nmy @⟨b⟩ = reverse @⟨a⟩;\nprint scalar(@⟨b⟩), \"\\n\";",
    ),
    "kept": _idiom(
        2, 0,
        python=("print(len([⟨i⟩ for ⟨i⟩ in range(⟨n⟩) if ⟨i⟩ % 1000 == 0]))", "print(any(⟨i⟩ * ⟨i⟩ == 1000000007 for ⟨i⟩ in range(⟨n⟩)))", "print(max(⟨i⟩ * 7919 % 10007 for ⟨i⟩ in range(⟨n⟩)))"),
        ruby="puts (1..⟨n⟩).count { |⟨i⟩| ⟨i⟩ % 7 == 0 }",
        rust="println!(\"{}\", (0u64..⟨n⟩).filter(|v| v * v % 97 == 1).count());",
        java="System.out.println(java.util.stream.IntStream.range(0, ⟨n⟩).filter(v -> v % 7 == 3).count());",
        perl="print scalar(grep { $_ % 1000 == 0 } 1 .. ⟨n⟩), \"\\n\";",
        cpp="long ⟨x⟩ = 0;\nfor (long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++)\n    if (⟨i⟩ * ⟨i⟩ % 97 == 1) ⟨x⟩++;\nstd::cout << ⟨x⟩ << '\\n';",
        c="long ⟨x⟩ = 0;\nfor (long ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++)\n    if (⟨i⟩ * ⟨i⟩ % 97 == 1) ⟨x⟩++;\nprintf(\"%ld\\n\", ⟨x⟩);",
        go="⟨x⟩ := 0\nfor ⟨i⟩ := 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++ {\n    if ⟨i⟩*⟨i⟩%97 == 1 {\n        ⟨x⟩++\n    }\n}\nfmt.Println(⟨x⟩)",
    ),
    "heap": _idiom(
        10, 2, 5e7,
        python=("import heapq\n⟨a⟩ = []\nfor ⟨i⟩ in range(⟨n⟩):\n    heapq.heappush(⟨a⟩, -⟨i⟩)\nprint(⟨a⟩[0])", "from collections import deque\n⟨a⟩ = deque()\nfor ⟨i⟩ in range(⟨n⟩):\n    ⟨a⟩.append(⟨i⟩)\nwhile ⟨a⟩:\n    ⟨a⟩.popleft()\nprint('empty')", "from collections import Counter\nprint(Counter(⟨i⟩ % 10 for ⟨i⟩ in range(⟨n⟩)))"),
        cpp="#include <queue>\n---\nstd::priority_queue<int> ⟨a⟩;\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.push(⟨i⟩ * 7919 % 10007);\nstd::cout << ⟨a⟩.top() << '\\n';",
        java="PriorityQueue<Integer> ⟨a⟩ = new PriorityQueue<>();\nfor (int ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.add(⟨i⟩ * 31 % 1009);\nSystem.out.println(⟨a⟩.poll());",
        rust="let mut ⟨a⟩ = std::collections::BinaryHeap::new();\nfor ⟨i⟩ in 0u64..⟨n⟩ {\n    ⟨a⟩.push(⟨i⟩ * 7919 % 10007);\n}\nprintln!(\"{:?}\", ⟨a⟩.pop());",
        javascript="const ⟨a⟩ = [];\nfor (let ⟨i⟩ = 0; ⟨i⟩ < ⟨n⟩; ⟨i⟩++) ⟨a⟩.push(⟨i⟩);\nwhile (⟨a⟩.length) ⟨a⟩.pop();\nconsole.log('empty');",
    ),
}  # fmt: skip
"""By what is done."""
