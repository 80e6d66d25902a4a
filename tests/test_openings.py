"""Programs of other languages than Python read the files that they open, one after the other."""

import pytest

from forerun.tasks._beside import told
from forerun.tasks._openings import openings
from forerun.tasks._walked import walked

FEW = b"".join(b"%d,some name %d\n" % (each, each) for each in range(1000))
MANY = b"".join(b"%d,some longer name %d\n" % (each, each) for each in range(50_000))
PROGRAMS = {
    "go": 'package main\n\nimport (\n\t"bufio"\n\t"fmt"\n\t"os"\n\t"strings"\n)\n\n'
    "func load(path string) [][]string {\n"
    "\tf, err := os.Open(path)\n\tif err != nil {\n\t\tpanic(err)\n\t}\n\tvar rows [][]string\n"
    "\tsc := bufio.NewScanner(f)\n\tfor sc.Scan() {\n\t\trows = append(rows, strings.Split(sc.Text(), \",\"))\n\t}\n"
    '\treturn rows\n}\n\nfunc main() {\n\ta := load("few.csv")\n\tb := load("many.csv")\n'
    "\tfmt.Println(len(a), len(b))\n}\n",
    "ruby": "few = File.readlines('few.csv').map { |line| line.chomp.split(',') }\nmany = []\n"
    "File.foreach('many.csv') do |line|\n  many << line.chomp.split(',')\nend\nputs few.size + many.size\n",
    "javascript": "const fs = require('fs');\nfunction load(path) {\n"
    "  return fs.readFileSync(path, 'utf8').split('\\n').map((line) => line.split(','));\n}\n"
    "const few = load('few.csv');\nconst many = load('many.csv');\nconsole.log(few.length, many.length);\n",
    "java": "import java.io.*;\nimport java.util.*;\npublic class Main {\n"
    "  static List<String[]> load(String path) throws IOException {\n    List<String[]> rows = new ArrayList<>();\n"
    "    try (BufferedReader in = new BufferedReader(new FileReader(path))) {\n      String line;\n"
    "      while ((line = in.readLine()) != null) rows.add(line.split(\",\"));\n    }\n    return rows;\n  }\n"
    "  public static void main(String[] args) throws IOException {\n    List<String[]> few = load(\"few.csv\");\n"
    "    List<String[]> many = load(\"many.csv\");\n    System.out.println(few.size() + many.size());\n  }\n}\n",
    "php": "<?php\n$few = [];\nforeach (file('few.csv') as $line) $few[] = explode(',', $line);\n$many = [];\n"
    "$f = fopen('many.csv', 'r');\nwhile (($line = fgets($f)) !== false) {\n  $many[] = explode(',', $line);\n}\n"
    "echo count($few) + count($many);\n",
    "perl": "my (@few, @many);\nopen(my $in, '<', 'few.csv') or die;\nwhile (my $line = <$in>) {\n  chomp $line;\n"
    "  push @few, [split /,/, $line];\n}\nclose $in;\nopen(my $second, '<', 'many.csv') or die;\n"
    "while (my $line = <$second>) {\n  chomp $line;\n  push @many, [split /,/, $line];\n}\nprint @few + @many;\n",
    "lua": "local few, many = {}, {}\nfor line in io.lines('few.csv') do\n"
    "  few[#few + 1] = { line:match('(%d+),(.*)') }\n"
    "end\nlocal f = io.open('many.csv', 'r')\nfor line in f:lines() do\n"
    "  many[#many + 1] = { line:match('(%d+),(.*)') }\n"
    "end\nprint(#few + #many)\n",
    "rust": "use std::fs::File;\nuse std::io::{BufRead, BufReader};\nfn load(path: &str) -> Vec<Vec<String>> {\n"
    "    let f = File::open(path).unwrap();\n    let mut rows = Vec::new();\n"
    "    for line in BufReader::new(f).lines() {\n"
    "        rows.push(line.unwrap().split(',').map(|s| s.to_string()).collect());\n    }\n    rows\n}\nfn main() {\n"
    '    let few = load("few.csv");\n    let many = load("many.csv");\n'
    '    println!("{}", few.len() + many.len());\n}\n',
    "c++": "#include <fstream>\n#include <iostream>\n#include <string>\n#include <vector>\n"
    "std::vector<std::string> load(const std::string& path) {\n  std::ifstream in(path);\n"
    "  std::vector<std::string> rows;\n  std::string line;\n"
    "  while (std::getline(in, line)) rows.push_back(line + line);\n"
    '  return rows;\n}\nint main() {\n  auto few = load("few.csv");\n  auto many = load("many.csv");\n'
    "  std::cout << few.size() + many.size();\n}\n",
    "c": "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstatic char *few[60000], *many[60000];\n"
    'int main(void) {\n  char line[256];\n  int n = 0, m = 0;\n  FILE *f = fopen("few.csv", "r");\n'
    "  while (fgets(line, sizeof line, f)) few[n++] = strdup(line);\n  fclose(f);\n"
    '  FILE *g = fopen("many.csv", "r");\n  while (fgets(line, sizeof line, g)) many[m++] = strdup(line);\n'
    '  fclose(g);\n  printf("%d\\n", n + m);\n}\n',
}  # fmt: skip


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_each_file_is_read_that_is_opened(language: str) -> None:
    """Of twice as many lines in one of them nearly twice as much is held, whichever comes first."""
    text = PROGRAMS[language]
    files = {"few.csv": (len(FEW), FEW), "many.csv": (len(MANY), MANY)}
    turned = text.replace("few.csv", "other").replace("many.csv", "few.csv").replace("other", "many.csv")
    found, other = (walked(each, "", language, told(files)) for each in (text, turned))
    few = walked(text, "", language, told({**files, "many.csv": files["few.csv"]}))
    assert found.told == other.told == {"few.csv", "many.csv"}
    assert 2e6 < found.bytes - few.bytes < 4e7
    assert other.bytes > 0.5 * found.bytes


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("c", 'f = fopen("a", "r");\ng = fopen(path, "rb");\nh = fopen("c", "w");\n', {1: "'a'", 2: "path"}),
        ("php", "<?php\n$f = fopen($name, 'r');\n$g = fopen('b.txt', 'w');\n", {2: "name"}),
        ("java", 'Files.lines(Path.of("a"));\nnew FileReader(in);\nnew FileWriter("b");\n', {1: "'a'", 2: "in_"}),
        ("lua", "io.open('a', 'r')\nio.open('b', 'w')\nfor l in io.lines(name) do\nend\n", {1: "'a'", 3: "name"}),
        ("go", 'f, _ := os.Open("a")\ng, _ := os.Create("b")\n', {1: "'a'"}),
    ],
)  # fmt: skip
def test_names_are_those_of_what_is_read(language: str, text: str, lines: dict[int, str]) -> None:
    assert dict(openings(language, text)) == lines
