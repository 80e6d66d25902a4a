"""Files beside a program: those that it opens, those that it is made of, and other programs that it starts."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from textwrap import dedent

import pytest

import forerun
from forerun.questions import Options
from forerun.questions.files import given, read
from forerun.questions.remarks import on_run
from forerun.tasks import _several, _starting
from forerun.tasks._beside import filed, found, told
from forerun.tasks._inputs import BYTES, Beginning, described, long, understood
from forerun.tasks._packages import foreign
from forerun.tasks._used import used
from forerun.tasks._walked import walked

ROWS = 40_000
NUMBERS = "".join(f"{i * 7919 % 100_003} {i}\n" for i in range(ROWS))
TABLE = "name,x,y\n" + "".join(f"n{i % 50},{i},{i / 7:.4f}\n" for i in range(ROWS))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "numbers.txt").write_text(NUMBERS)
    (tmp_path / "table.csv").write_text(TABLE)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "deep.txt").write_text(NUMBERS)
    (tmp_path / "say.json").write_text(json.dumps([{"id": i, "of": f"user{i}"} for i in range(10_000)]))
    return tmp_path


def beside(folder: Path, text: str) -> str:
    return told(found("python", dedent(text), str(folder / "prog.py")))


@pytest.mark.parametrize(
    "opening",
    [
        'open("numbers.txt")',
        'open("numbers.txt", "r", encoding="utf-8")',
        "open(NAME)",
        'open("./numbers.txt")',
        'open(os.path.join(os.path.dirname(__file__), "numbers.txt"))',
        'open(Path(__file__).parent / "numbers.txt")',
        'open(Path(__file__).resolve().parent / "data" / "deep.txt")',
        'Path("numbers.txt").open()',
        'open(os.path.join("data", "deep.txt"))',
        'io.open("data/deep.txt")',
    ],
)
def test_a_file_beside_a_program_is_read_as_its_input_is(folder: Path, opening: str) -> None:
    head = "import io, os, sys\nfrom pathlib import Path\nNAME = 'numbers.txt'\n"
    body = "rows = []\nfor line in IT:\n    a, b = map(int, line.split())\n    rows.append((a, b))\nrows.sort()\n"
    text = head + body.replace("IT", opening)
    known = walked(text, "", "python", beside(folder, text))
    as_input = walked(head + body.replace("IT", "sys.stdin"), described(NUMBERS.encode()))
    assert known.told and not known.guessed
    assert known.bytes == pytest.approx(as_input.bytes, rel=0.02)
    assert known.seconds == pytest.approx(as_input.seconds, rel=0.05)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("numbers.txt", "with FILE as f:\n    text = f.read()\n"),
        ("numbers.txt", "lines = FILE.readlines()\n"),
        ("numbers.txt", "f = FILE\nkept = []\nwhile line := f.readline():\n    kept.append(line)\n"),
        ("numbers.txt", "f = FILE\nfor i, line in enumerate(f):\n    pass\n"),
        ("numbers.txt", "def load(f):\n    return [int(x) for x in f.read().split()]\nxs = load(FILE)\n"),
        ("say.json", "import json\nrows = json.load(FILE)\n"),
        ("table.csv", "import csv\nrows = list(csv.reader(FILE))\n"),
    ],
)
def test_what_is_read_is_held_as_of_the_input(folder: Path, name: str, body: str) -> None:
    text = body.replace("FILE", f"open('{name}')")
    known = walked(text, "", "python", beside(folder, text))
    text = "import sys\n" + body.replace("FILE", "sys.stdin")
    as_input = walked(text, described((folder / name).read_bytes()))
    assert known.told == {name} and known.bytes > 400e3 * ("enumerate" not in body)
    assert known.bytes == pytest.approx(as_input.bytes, rel=0.02)
    assert known.seconds == pytest.approx(as_input.seconds, rel=0.05)


def test_two_files_are_read_each_by_itself(folder: Path) -> None:
    text = "a = open('numbers.txt').readlines()\nb = open('say.json').read()\nc = open('numbers.txt').readlines()\n"
    known = walked(text, "", "python", beside(folder, text))
    assert known.told == {"numbers.txt", "say.json"}
    assert known.bytes == pytest.approx(2 * ROWS * 68 + (folder / "say.json").stat().st_size, rel=0.15)


@pytest.mark.parametrize(
    "text",
    [
        "print(open('missing.txt').read())",
        "open('numbers.txt', 'w').write('x')\nprint(open('numbers.txt').read())",
        "import sys\nprint(open(sys.argv[1]).read(), 'numbers.txt')",
        "a = open('numbers.txt').read()\nb = open('missing.txt').read()",
    ],
)
def test_what_is_not_there_or_written_is_not_told(folder: Path, text: str) -> None:
    assert not walked(text, "", "python", beside(folder, text)).told


def test_only_files_are_opened(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to(folder / "numbers.txt")
    (folder / "round").symlink_to(folder / "round")
    names = ("round", "pipe", "data", "/dev/zero", "/proc/self/maps", "a\\0b", "link")
    names += ("../" * 20 + "proc/self/maps",)
    text = "\n".join(f"open('{name}').read()" for name in names)
    assert [*found("python", text, str(folder / "prog.py"))] == ["link"]
    assert found("python", "x = (", str(folder / "prog.py")) == {}
    assert found("python", "open('numbers.txt')", str(folder / "elsewhere" / "prog.py")) == {}


def test_files_are_found_where_one_works(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert [*found("python", "open('numbers.txt')", "elsewhere/prog.py")] == ["numbers.txt"]


def test_what_describes_no_files_is_refused() -> None:
    with pytest.raises(ValueError, match="describes no files"):
        filed("[]")


def test_tables_are_read_with_their_columns(folder: Path) -> None:
    text = "import pandas as pd\ndf = pd.read_csv('table.csv')\nm = df['y'].mean()\n"
    known = used(text, beside(folder, text))
    assert known.told == {"table.csv"} and 2e6 < known.bytes < 6e6
    text = "import numpy as np\na = np.loadtxt('numbers.txt')\n"
    assert used(text, beside(folder, text)).bytes == pytest.approx(ROWS * 16, rel=0.3)


PARTS = {
    "python": (
        "main.py",
        """
        import util
        from util import SIZE, Kept as Held
        print(len(util.build(SIZE)), Held(9).of)
        """,
        "util.py",
        """
        SIZE = 300_000

        def build(n):
            rows = []
            for i in range(n):
                rows.append([i, SIZE])
            return rows

        class Kept:
            def __init__(self, n):
                self.of = n

        if __name__ == "__main__":
            build(10**9)
        """,
    ),
    "c": (
        "main.c",
        """
        #include <stdio.h>
        #include "util.h"

        int main(void) {
            grid g = make(3000000);
            printf("%d", g.at[7]);
        }
        """,
        "util.c",
        """
        #include "util.h"
        #include <stdlib.h>

        grid make(int n) {
            grid g = {malloc(n * sizeof(int)), n};
            for (int i = 0; i < n; i++) g.at[i] = i * 7 % 13;
            return g;
        }
        """,
    ),
    "ruby": (
        "main.rb",
        """
        require_relative 'util'
        puts build(300_000).size
        """,
        "util.rb",
        """
        def build(n)
          rows = []
          n.times { |i| rows << [i, i] }
          rows
        end
        """,
    ),
    "rust": (
        "main.rs",
        """
        mod util;
        use util::build;

        fn main() {
            println!("{}", build(3_000_000).len());
        }
        """,
        "util.rs",
        """
        pub fn build(n: usize) -> Vec<u64> {
            let mut v = Vec::new();
            for i in 0..n {
                v.push(i as u64 * 7);
            }
            v
        }
        """,
    ),
    "javascript": (
        "main.js",
        """
        const util = require('./util');
        console.log(util.build(300000).length);
        """,
        "util.js",
        """
        const by = 3;
        function build(n) {
          const rows = [];
          for (let i = 0; i < n; i++) rows.push({ id: i, v: i * by });
          return rows;
        }
        module.exports = { build };
        """,
    ),
    "go": (
        "main.go",
        """
        package main

        import "fmt"

        func main() {
            fmt.Println(len(build(3000000)))
        }
        """,
        "util.go",
        """
        package main

        func build(n int) []int {
            rows := make([]int, 0)
            for i := 0; i < n; i++ {
                rows = append(rows, i*7)
            }
            return rows
        }
        """,
    ),
    "php": (
        "main.php",
        """
        <?php
        require_once __DIR__ . '/util.php';
        echo count(build(300000));
        """,
        "util.php",
        """
        <?php
        function build($n) {
            $rows = [];
            for ($i = 0; $i < $n; $i++) { $rows[] = [$i, $i]; }
            return $rows;
        }
        """,
    ),
    "lua": (
        "main.lua",
        """
        local util = require("util")
        print(#util.build(300000))
        """,
        "util.lua",
        """
        local M = {}
        function M.build(n)
          local rows = {}
          for i = 1, n do rows[i] = { i, i } end
          return rows
        end
        return M
        """,
    ),
    "perl": (
        "main.pl",
        """
        use strict;
        use lib '.';
        use Util qw(build);
        my $rows = build(300000);
        print scalar(@$rows);
        """,
        "Util.pm",
        """
        package Util;
        use Exporter 'import';
        our @EXPORT_OK = ('build');
        sub build {
            my ($n) = @_;
            my @rows;
            for my $i (1 .. $n) { push @rows, [$i, $i]; }
            return \\@rows;
        }
        1;
        """,
    ),
    "java": (
        "Main.java",
        """
        public class Main {
            public static void main(String[] args) {
                System.out.println(Util.build(300000).size());
            }
        }
        """,
        "Util.java",
        """
        import java.util.*;

        public class Util {
            static List<int[]> build(int n) {
                List<int[]> rows = new ArrayList<>();
                for (int i = 0; i < n; i++) rows.add(new int[]{i, i});
                return rows;
            }
        }
        """,
    ),
}
HEADER = "typedef struct { int *at; int n; } grid;\ngrid make(int n);\n"


@pytest.mark.parametrize("language", PARTS)
def test_programs_of_several_files_are_read_whole(tmp_path: Path, language: str) -> None:
    first, main, other, inside = (dedent(one).strip() + "\n" * ("\n" in one) for one in PARTS[language])
    for name, text in ((first, main), (other, inside), ("util.h", HEADER)):
        (tmp_path / name).write_text(text)
    several = _several.whole(language, main, str(tmp_path / first))
    assert several.along[-1] == other and not several.lost
    assert several.text.startswith(main.rstrip("\n"))
    done = walked(several.text, "", language)
    assert done.followed and not done.guessed and done.bytes > 5e6 and not foreign(language, several.text)
    line = max(done.rises, key=lambda line: done.rises[line])
    assert _several.where(several.text, line).startswith(("util.", "Util."))
    alone = walked(main, "", language)
    assert alone.bytes < 0.1 * done.bytes


def test_what_is_not_found_is_told(tmp_path: Path) -> None:
    first, main, _, inside = map(dedent, PARTS["c"])
    (tmp_path / first).write_text(main)
    file = read(str(tmp_path / first), Options())
    assert file.whole.lost == ("util.h",)
    assert any(one.unbounded and "util.h" in one.text for one in on_run(file, None))
    (tmp_path / "util.h").write_text(HEADER)
    assert read(str(tmp_path / first), Options()).whole.lost == ("make()",)
    (tmp_path / "another.c").write_text(inside)  # whatever it is called
    found = read(str(tmp_path / first), Options()).whole
    assert found.along == ("util.h", "another.c") and not found.lost


def test_packages_of_python_are_read_along(tmp_path: Path) -> None:
    (tmp_path / "kit").mkdir()
    (tmp_path / "kit" / "__init__.py").write_text("from .deep import build\n")
    deep = "from . import sizes\n\ndef build():\n    return [i + 0.5 for i in range(sizes.N)]\n"
    (tmp_path / "kit" / "deep.py").write_text(deep)
    (tmp_path / "kit" / "sizes.py").write_text("N = 500_000\n")
    main = "from kit import build\nrows = build()\n"
    several = _several.whole("python", main, str(tmp_path / "main.py"))
    assert set(several.along) == {"kit/__init__.py", "kit/deep.py", "kit/sizes.py"}
    assert walked(several.text).bytes == pytest.approx(500_000 * 32, rel=0.35)


def test_files_that_name_each_other_are_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\nimport main\n")
    (tmp_path / "b.py").write_text("import a\n" + "x = 1\n" * 9)
    several = _several.whole("python", "import a\n", str(tmp_path / "main.py"))
    assert several.along == ("b.py", "a.py") and walked(several.text).followed
    (tmp_path / "b.py").write_text("print 3\n")  # another Python's
    assert _several.whole("python", "import a\n", str(tmp_path / "main.py")).unread == (("b.py", "it does not parse"),)


@pytest.mark.parametrize(
    ("inside", "why"),
    [
        (b"print 3\n", "it does not parse"),
        (b"\0" * 9, "it has zero bytes"),
        (b"x = 1\n" * 50_000, "it has more than 256 KiB"),
    ],
)
def test_why_a_file_is_not_read_is_told(tmp_path: Path, inside: bytes, why: str) -> None:
    (tmp_path / "b.py").write_bytes(inside)
    (tmp_path / "main.py").write_text("import b\nimport main\n")
    file = read(str(tmp_path / "main.py"), Options())
    assert file.whole.unread == (("b.py", why),) and not file.whole.lost
    (told,) = on_run(file, None)
    assert told.unbounded and f"b.py ({why}), which it is made of, is not read" in told.text
    answer = forerun.predict(str(tmp_path / "main.py"), metric="memory")
    assert answer.high == math.inf and not any("nothing is known" in note for note in answer.notes)


def test_of_more_files_than_are_read_the_others_are_named(tmp_path: Path) -> None:
    for i in range(40):
        (tmp_path / f"m{i}.py").write_text("x = 1\n")
    found = _several.whole("python", "".join(f"import m{i}\n" for i in range(40)), str(tmp_path / "main.py"))
    assert len(found.along) == 32 and found.unread[0] == ("m32.py", "32 files are read") and len(found.unread) == 8


ELSEWHERE = {
    "go": (
        {
            "go.mod": "module ex.org/it\n",
            "lib/lib.go": "package lib\n\nfunc Make() []int {\n\tr := make([]int, 0)\n"
            "\tfor i := 0; i < 3000000; i++ {\n\t\tr = append(r, i)\n\t}\n\treturn r\n}\n",
        },
        'package main\n\nimport (\n\t"fmt"\n\t"ex.org/it/lib"\n)\n\nfunc main() {\n\tfmt.Println(len(lib.Make()))\n}\n',
    ),
    "go, by another name": (
        {
            "go.mod": "module ex.org/it\n",
            "lib/lib.go": "package lib\n\nfunc Make() []int {\n\tr := make([]int, 0)\n"
            "\tfor i := 0; i < 3000000; i++ {\n\t\tr = append(r, i)\n\t}\n\treturn r\n}\n",
        },
        'package main\n\nimport (\n\t"fmt"\n\tmade "ex.org/it/lib"\n)\n\n'
        "func main() {\n\tfmt.Println(len(made.Make()))\n}\n",
    ),
    "rust": (
        {"other.rs": "pub fn make() -> Vec<u64> {\n    (0..3_000_000u64).map(|x| x * x).collect()\n}\n"},
        '#[path = "other.rs"]\nmod helper;\nfn main() {\n    println!("{}", helper::make().len());\n}\n',
    ),
    "perl": (
        {"lib/Grid.pm": "package Grid; our @a = map { { k => $_ } } 1 .. 300000;\n1;\n"},
        'use FindBin; use lib "$FindBin::Bin/lib"; use Grid;\nprint scalar(@Grid::a);\n',
    ),
    "perl, do": (
        {"tab.pl": "our @t = map { [$_] } 1 .. 300000;\n1;\n"},
        'do "./tab.pl";\nour @t;\nprint scalar(@t);\n',
    ),
    "ruby": (
        {"lib/world.rb": "ROWS = Array.new(300_000) { |i| [i, i] }\n"},
        "$LOAD_PATH.unshift File.join(__dir__, 'lib')\nrequire 'world'\nputs ROWS.size\n",
    ),
    "ruby, load": (
        {"tab.rb": "ROWS = Array.new(300_000) { |i| [i, i] }\n"},
        'load File.join(__dir__, "tab.rb")\nputs ROWS.size\n',
    ),
    "ruby, autoload": (
        {"maker.rb": 'module Maker\n  def self.go = (1..800_000).map { |i| "s#{i}" }\nend\n'},
        'autoload :Maker, File.expand_path("maker.rb", __dir__)\nputs Maker.go.size\n',
    ),
    "python": (
        {"lib/engine.py": "def run():\n    return [[i] for i in range(200_000)]\n"},
        'import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))\n'
        "import engine\nx = engine.run()\n",
    ),
    "python, importlib": (
        {"plug.py": "def run():\n    return [[i] for i in range(200_000)]\n"},
        'import importlib\nmod = importlib.import_module("plug")\nx = mod.run()\n',
    ),
    "python, runpy": (
        {"child.py": "x = [[i] for i in range(200_000)]\n"},
        'import runpy\nrunpy.run_path("child.py")\n',
    ),
    "php": (
        {
            "src/Bag.php": "<?php\nclass Bag {\n  public array $d = [];\n  public function fill($n) {\n"
            '    for ($i = 0; $i < $n; $i++) $this->d["k$i"] = [$i, $i];\n  }\n}\n'
        },
        '<?php\nspl_autoload_register(fn($c) => require __DIR__ . "/src/$c.php");\n'
        "$b = new Bag();\n$b->fill(300000);\n",
    ),
}


@pytest.mark.parametrize("case", ELSEWHERE)
def test_what_is_loaded_otherwise_is_read_along(tmp_path: Path, case: str) -> None:
    files, main = ELSEWHERE[case]
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    language = case.partition(",")[0]
    found = _several.whole(language, main, str(tmp_path / "main"))
    assert found.along == tuple(name for name in files if name != "go.mod") and not found.lost and not found.unread
    assert walked(found.text, "", language).bytes > 5e6 and not foreign(language, found.text)
    for name in files:
        (tmp_path / name).unlink()
        if (tmp_path / name).parent != tmp_path:
            (tmp_path / name).parent.rmdir()
    gone = _several.whole(language, main, str(tmp_path / "main"))
    assert gone.lost or gone.unread or language in ("go", "java")  # said elsewhere


@pytest.mark.parametrize(
    ("language", "text", "what"),
    [
        ("go", 'package main\n\nimport "embed"\n\n//go:embed words.txt\nvar files embed.FS\n', "words.txt"),
        ("go", "package main\n\nvar (\n\t//go:embed words.txt\n\tfiles embed.FS\n)\n", "words.txt"),
        ("javascript", "const all = await import('./words.json', { with: { type: 'json' } });\n", "./words.json"),
        ("rust", 'include!("words.txt");\n', "words.txt"),
        ("rust", 'include!(concat!(env!("OUT_DIR"), "/x.rs"));\n', "what line 1 puts in"),
        ("javascript", "const n = 'a';\nrequire(`./lib/${n}.js`);\n", "what line 2 loads"),
        ("javascript", "const n = 'a';\nrequire('./lib/' + n);\n", "what line 2 loads"),
        ("c", 'char t[] = {\n#embed "words.txt"\n};\n', "words.txt"),
        ("python", "import sys\nsys.path.append(sys.argv[1])\nimport engine\n", "what lies in sys.argv[1]"),
        ("python", "import sys\nsys.path.append(a + 'x')\n", "what lies in a + 'x'"),
        ("python", "import importlib, sys\nimportlib.import_module(sys.argv[1])\n", "what line 2 imports"),
        ("ruby", "load = 0.0\nload += 1\nload name\n", "what line 3 loads"),
        ("ruby", "Dir['*.rb'].each { |f| require f }\n", "what line 1 loads"),
        ("php", "<?php\n$x = $argv[1];\nrequire $x;\n", "what line 3 loads"),
        ("perl", 'my $x = shift;\ndo "./$x.pl";\n', "what line 2 loads"),
    ],
)
def test_what_is_put_in_is_said(tmp_path: Path, language: str, text: str, what: str) -> None:
    (tmp_path / "words.txt").write_text("a b c\n")
    (tmp_path / "words.json").write_text("[1]\n")
    assert _several.whole(language, text, str(tmp_path / "main")).unread == ((what, ""),)
    if "words" in what:
        (tmp_path / what).unlink()
        assert _several.whole(language, text, str(tmp_path / "main")).lost == (what,)


PUT_IN = {
    "prog.go": """
        package main

        import (
            _ "embed"
            "fmt"
            "strings"
        )

        //go:embed NAME
        var text string

        func main() {
            kept := strings.Split(text, "\\n")
            fmt.Println(len(kept))
        }
        """,
    "group.go": """
        package main

        import (
            _ "embed"
            "fmt"
            "strings"
        )

        var (
            several = 3
            //go:embed "NAME"
            // with a remark below
            text []byte
        )

        func main() {
            kept := strings.Split(string(text), "\\n")
            fmt.Println(len(kept), several)
        }
        """,
    "prog.rs": """
        static TEXT: &str = include_str!("NAME");
        fn main() { let kept: Vec<String> = TEXT.lines().map(String::from).collect(); println!("{}", kept.len()); }
        """,
    "all.rs": """
        fn main() { let kept = include_bytes!("NAME").to_vec(); println!("{}", kept.len()); }
        """,
    "braced.rs": """
        fn main() { let kept = include_bytes! [ r#"NAME"#, ].to_vec(); println!("{}", kept.len()); }
        """,
    "prog.js": "const rows = require('./NAME');\nconsole.log(rows.length);\n",
    "prog.mjs": "import rows from './NAME' with { type: 'json' };\nconsole.log(rows.length);\n",
}


@pytest.mark.parametrize("prog", sorted(PUT_IN))
def test_what_is_put_in_as_data_is_read_as_a_file(folder: Path, prog: str) -> None:
    name = "say.json" if "js" in prog else "numbers.txt"
    (folder / prog).write_text(dedent(PUT_IN[prog]).replace("NAME", name))
    file = read(str(folder / prog), Options())
    done = walked(file.source.text, described(file.source.reference), file.source.lang)
    assert done.taken and done.bytes > (folder / name).stat().st_size
    assert not file.whole.unread and not foreign(file.source.lang, file.text)
    assert [each.text.partition(": ")[2] for each in on_run(file, None)] == [
        f"the answer is that of {'./' if name == 'say.json' else ''}{name}, as it is now"
    ]
    (folder / name).unlink()
    assert read(str(folder / prog), Options()).whole.lost


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "const { execSync } = require('child_process');\nexecSync('sleep 1');\n"),
        ("javascript", "const cp = require('child_process');\ncp.exec('ls', () => {});\n"),
        ("c", '#include <stdlib.h>\nint main(void) {\n    system("make all");\n}\n'),
        ("c++", '#include <cstdlib>\nint main() {\n    std::system("make all");\n}\n'),
        ("ruby", "x = 1\nsystem('make')\n"),
        ("ruby", "x = 1\nputs `make`\n"),
        ("perl", "my $x = 1;\nsystem('make');\n"),
        ("php", "<?php\nshell_exec('make');\n"),
        ("lua", "local x = 1\nos.execute('make')\n"),
        ("go", 'package main\n\nimport "os/exec"\n\nfunc main() {\n\texec.Command("make").Run()\n}\n'),
        ("rust", 'use std::process::Command;\nfn main() {\n    Command::new("make").status().unwrap();\n}\n'),
        ("java", 'class M { public static void main(String[] a) {\n    new ProcessBuilder("make").start();\n} }\n'),
    ],
)
def test_what_other_programs_take_is_unsure(language: str, text: str) -> None:
    done = walked(text, "", language)
    assert done.unsure and done.starts
    others = _starting.others(language, text, done.starts)
    assert bool(others) == ("sleep" not in text and "ls" not in text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import os\nos.system('python3 child.py')\n", 2),
        ("import subprocess, sys\nx = 1\nsubprocess.run([sys.executable, 'child.py'])\n", 3),
        ("from subprocess import run\nrun(['make'])\n", 2),
        ("import subprocess\nimport numpy as np\nx = np.ones(9)\nsubprocess.check_output(['make'])\n", 4),
        ("import os\nos.system('clear')\n", 0),
        ("import subprocess\ndef never():\n    subprocess.run(['make'])\nprint(1)\n", 0),
        ("import os\nif os.fork() == 0:\n    print(1)\n", 0),
    ],
)
def test_what_is_started_may_hold_anything(tmp_path: Path, text: str, line: int) -> None:
    (tmp_path / "main.py").write_text(text)
    told = [one for one in on_run(read(str(tmp_path / "main.py"), Options()), None) if "starts other" in one.text]
    assert bool(told) == bool(line) and all(one.unbounded and f"line {line} starts" in one.text for one in told)
    if line == 2:
        for metric in ("memory", "runtime"):
            assert forerun.predict(str(tmp_path / "main.py"), metric=metric).high == math.inf


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("javascript", "const m = /a+/.exec('aaa');\nconsole.log(m);\n"),
        ("c", '#include <stdio.h>\nint main(void) {\n    /* system("x") */ puts("system(1)");\n}\n'),
        ("ruby", "spawn = 3\nputs spawn + 1\n"),
        ("c", 'static void run(void) {\n    system("x");\n}\nint main(void) {\n    return 0;\n}\n'),
    ],
)
def test_what_starts_nothing_is_sure(language: str, text: str) -> None:
    assert not walked(text, "", language).unsure


READING = {
    "prog.c": """
        #include <stdio.h>
        int main(void) {
            FILE *f = fopen("numbers.txt", "r");
            int a, b;
            long s = 0;
            if (!f) return 1;
            while (fscanf(f, "%d %d", &a, &b) == 2) s += a;
            printf("%ld", s);
        }
        """,
    "prog.cpp": """
        #include <fstream>
        #include <vector>
        int main() {
            std::ifstream in("numbers.txt");
            int a, b;
            std::vector<int> all;
            while (in >> a >> b) all.push_back(a);
        }
        """,
    "prog.rb": """
        rows = File.readlines('numbers.txt').map { |line| line.split.map(&:to_i) }
        puts rows.size
        """,
    "block.rb": """
        rows = []
        File.open('numbers.txt') do |f|
          f.each_line { |line| rows << line.split }
        end
        puts rows.size
        """,
    "prog.js": """
        const fs = require('fs');
        const rows = fs.readFileSync('numbers.txt', 'utf8').split('\\n');
        console.log(rows.length);
        """,
    "prog.go": """
        package main

        import (
            "bufio"
            "fmt"
            "os"
        )

        func main() {
            f, _ := os.Open("numbers.txt")
            in := bufio.NewScanner(f)
            rows := []string{}
            for in.Scan() {
                rows = append(rows, in.Text())
            }
            fmt.Println(len(rows))
        }
        """,
    "prog.php": """
        <?php
        $rows = file('numbers.txt');
        echo count($rows);
        """,
    "prog.lua": """
        local rows = {}
        for line in io.lines('numbers.txt') do rows[#rows + 1] = line end
        print(#rows)
        """,
    "prog.pl": """
        open(my $in, '<', 'numbers.txt') or die;
        my @rows;
        while (my $line = <$in>) { push @rows, $line; }
        print scalar(@rows);
        """,
    "prog.rs": """
        use std::fs;
        fn main() {
            let t = fs::read_to_string("numbers.txt").unwrap();
            let v: Vec<&str> = t.lines().collect();
            println!("{}", v.len());
        }
        """,
    "Prog.java": """
        import java.io.*;
        import java.nio.file.*;
        import java.util.*;
        class Prog {
            public static void main(String[] a) throws Exception {
                List<String> rows = Files.readAllLines(Path.of("numbers.txt"));
                System.out.println(rows.size());
            }
        }
        """,
}


@pytest.mark.parametrize("name", READING)
def test_in_other_languages_the_only_file_is_the_input(folder: Path, name: str) -> None:
    text = dedent(READING[name]).strip()
    (folder / name).write_text(text)
    file = read(str(folder / name), Options())
    assert file.source.reference == NUMBERS.encode() and [*file.beside] == ["numbers.txt"]
    told = [one.text for one in on_run(file, None)]
    assert len(told) == 1 and "numbers.txt" in told[0]
    given, language = described(NUMBERS.encode()), file.source.lang
    done, blind = walked(text, given, language), walked(text, "", language)
    assert done.followed and done.seconds > 3 * blind.seconds
    assert read(str(folder / name), Options(stdin=b"1\n")).source.reference == b"1\n"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("prog.c", 'scanf("%d", &a);'),
        ("prog.cpp", "std::cin >> a;"),
        ("prog.rb", "n = gets.to_i"),
        ("prog.js", "process.stdin.on('data', () => 0);"),
        ("prog.go", "fmt.Scanln()"),
        ("prog.php", "fgets(STDIN);"),
        ("prog.lua", "io.read('n')"),
        ("prog.pl", "my $x = <STDIN>;"),
        ("prog.rs", "std::io::stdin().read_line(&mut s);"),
        ("Prog.java", "new Scanner(System.in);"),
    ],
)
def test_a_file_is_no_input_where_there_is_another_one(folder: Path, name: str, line: str) -> None:
    (folder / name).write_text(f"{dedent(READING[name]).strip()}\n{line}\n")
    file = read(str(folder / name), Options())
    assert not file.beside and not file.source.reference


def test_arrays_of_other_files_are_held(tmp_path: Path) -> None:
    util = "import numpy as np\n\nN = 3_000_000\n\ndef fill(n):\n    return np.zeros(n)\n"
    util += "\ndef build():\n    return fill(N) + 1\n"
    (tmp_path / "util.py").write_text(util)
    for main in (
        "import util\na = util.build()\nb = util.fill(util.N)\n",
        "from util import *\na = build()\nb = fill(N)\n",
    ):
        several = _several.whole("python", main, str(tmp_path / "main.py"))
        assert foreign("python", several.text) == ["numpy"]
        assert used(several.text).bytes == pytest.approx(2 * 24e6, rel=0.6)
        assert used(main).bytes < 1e6


@pytest.mark.parametrize(
    ("main", "util"),
    [
        ("import * as util from './util.js';\nlet a = util.build(300000);\n", "export function build(n) {BODY}\n"),
        (
            "import { build } from './util.js';\nlet a = build(300000);\n",
            "function build(n) {BODY}\nexport { build };\n",
        ),
        (
            "const U = require('./util');\nlet a = U.build(300000);\n",
            "module.exports = {\n  build(n) {BODY},\n  K: 3,\n};\n",
        ),
        (
            "const b = require('./util'); console.log(b.rows.length);\n",
            "const a = require('./main'); exports.rows = [];"
            " for (let i = 0; i < 3e5; i++) exports.rows.push({ id: i });\n",
        ),
        ("const { build } = require('./util');\nlet a = build(300000);\n", "exports.build = function (n) {BODY};\n"),
        (
            "const Util = require('./util');\nlet a = new Util(300000);\n",
            "module.exports = class Util {\n  constructor(n) { this.rows = Util.build(n); }\n"
            "  static build(n) {BODY}\n};\n",
        ),
    ],
)
def test_what_files_of_javascript_give_is_known(tmp_path: Path, main: str, util: str) -> None:
    body = "\n  const rows = [];\n  for (let i = 0; i < n; i++) rows.push({ id: i, v: i });\n  return rows;\n"
    (tmp_path / "util.js").write_text(util.replace("BODY", body))
    several = _several.whole("javascript", main, str(tmp_path / "main.js"))
    joined, lines = _several.joined("javascript", several.text)
    assert joined.count("\n") + 1 == len(lines) and "require" not in joined and "import" not in joined
    done = walked(several.text, "", "javascript")
    assert done.bytes > 5e6 and not done.guessed


def test_answers_follow_what_lies_beside(folder: Path) -> None:
    text = "rows = [line.split() for line in open('numbers.txt')]\n"
    (folder / "prog.py").write_text(text)
    (folder / "blind.py").write_text(text.replace("numbers", "missing"))
    known, blind, alone = (
        forerun.predict(one, metric="memory")
        for one in (str(folder / "prog.py"), str(folder / "blind.py"), forerun.Source(text, "python"))
    )
    assert known.value > blind.value + 5e6 and known.high < 1e9 and known.familiarity != 0
    assert any("numbers.txt" in note for note in known.notes)
    assert blind.high == alone.high == math.inf and blind.familiarity == alone.familiarity == 0


def test_lines_of_other_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "util.py").write_text("def build(n):\n    return [[i] for i in range(n)]\n")
    (tmp_path / "main.py").write_text("import util\n\nrows = util.build(200_000)\n")
    found = forerun.predict(str(tmp_path / "main.py"), metric="traced")
    assert found.parts[0].what.startswith("util.py:2: return") and found.parts[0].line == 0
    assert any("is read with util.py" in note for note in found.notes)


def test_python_reads_nothing_along_where_its_own_library_lies() -> None:
    place = Path(os.__file__).with_name("tabnanny.py")
    assert not _several.whole("python", place.read_text(), str(place)).along


PAIRS = "".join(f"w{i * 7919 % 100_003} w{i}\n" for i in range(200_000))


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A folder with a file of which only the beginning is read."""
    (tmp_path / "pairs.txt").write_text(PAIRS * 8)
    (tmp_path / "unlike.txt").write_text(PAIRS * 6 + "x\n" * (10 << 20))
    (tmp_path / "rows.json").write_text(json.dumps([{"id": i, "of": f"user{i}"} for i in range(150_000)] * 5))
    assert all(one.stat().st_size > BYTES for one in tmp_path.iterdir())
    return tmp_path


def test_what_is_known_of_the_beginning_holds_of_the_rest(large: Path) -> None:
    text = "lines = open('pairs.txt').readlines()\n"
    known = walked(text, "", "python", beside(large, text))
    assert known.bytes == pytest.approx(8 * 200_000 * (49 + len(PAIRS) / 200_000 + 8), rel=0.1)
    stdin = given(str(large / "pairs.txt"))
    assert len(stdin) == BYTES and long(stdin) == 8 * len(PAIRS)
    as_input = walked("import sys\nlines = sys.stdin.readlines()\n", described(stdin))
    assert known.bytes == pytest.approx(as_input.bytes, rel=0.02)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        ("rb", "x = File.readlines('pairs.txt')\nputs x.size\n"),
        ("php", "<?php $v = file('pairs.txt'); echo count($v);\n"),
        ("lua", "local t = {}\nfor l in io.lines('pairs.txt') do t[#t+1] = l end\nprint(#t)\n"),
    ],
)
def test_other_languages_are_told_how_long_it_is(large: Path, suffix: str, text: str) -> None:
    (large / f"prog.{suffix}").write_text(text)
    file = read(str(large / f"prog.{suffix}"), Options())
    data = file.source.reference
    assert long(data) == 8 * len(PAIRS) and len(data) == BYTES
    whole = described(PAIRS.encode())
    one, all_of_it = (walked(text, each, file.source.lang).bytes for each in (whole, described(data)))
    assert all_of_it == pytest.approx(8 * one, rel=0.2)
    assert any("only the first 16 MiB of pairs.txt" in each.text for each in on_run(file, None))


def test_what_is_not_like_its_beginning_is_not_sure(large: Path) -> None:
    (large / "prog.py").write_text("lines = open('unlike.txt').readlines()\n")
    found = [*on_run(read(str(large / "prog.py"), Options()), None)]
    assert any(one.unbounded and "which it is not" in one.text for one in found)


def test_json_that_goes_on_is_read_as_far_as_it_is_there(large: Path) -> None:
    text = "import json\nrows = json.load(open('rows.json'))\n"
    known = walked(text, "", "python", beside(large, text))
    assert known.bytes == pytest.approx(5 * 150_000 * (184 + 32 + 58 + 8), rel=0.4)
    whole = json.dumps({"of": {"x": 1}, "rows": [[i, i / 7] for i in range(1000)]})
    says = understood(described(Beginning(whole[:9000].encode(), len(whole)))).says
    assert says["rows"][1] == pytest.approx(1000, rel=0.1)
    mapping = json.dumps({f"k{i}": i for i in range(1000)})
    says = understood(described(Beginning(mapping[:5000].encode(), len(mapping)))).says
    assert says[0] == "mapping" and says[1] == pytest.approx(1000, rel=0.1)


@pytest.mark.parametrize("size", [1 << 25, 1 << 31])
def test_one_line_goes_on(size: int) -> None:
    one = understood(described(Beginning(b"ab " * 5000, size)))
    assert one.stretches[0].lines == 1 and one.stretches[0].length == pytest.approx(size, rel=0.01)
    assert one.stretches[0].words == pytest.approx(size / 3, rel=0.01)


def test_what_goes_on_is_most_of_it() -> None:
    head, bad = "a,b\n", "broken\n"
    text = head + "1,2\n" * 5000 + bad + "1,2\n" * 3 + "1"
    lines = understood(described(Beginning(text.encode(), 10 * len(text)))).stretches
    assert sum(one.lines for one in lines) == pytest.approx(50_000, rel=0.02) and len(lines) == 2


ALL_OF_IT = {
    "prog.c": """
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
            FILE *f = fopen("numbers.txt", "rb");
            fseek(f, 0, SEEK_END); long n = ftell(f); rewind(f);
            unsigned char *b = malloc(n);
            fread(b, 1, n, f);
            double *d = malloc(n * sizeof *d);
            for (long i = 0; i < n; i++) d[i] = b[i] / 255.0;
            printf("%f\\n", d[n - 1]); return 0;
        }
        """,
    "mapped.c": """
        #include <stdio.h>
        #include <stdlib.h>
        #include <fcntl.h>
        #include <sys/mman.h>
        #include <sys/stat.h>
        int main(void) {
            int fd = open("numbers.txt", O_RDONLY); struct stat s; fstat(fd, &s);
            unsigned char *p = mmap(NULL, s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
            double *d = calloc(s.st_size, sizeof *d);
            for (long i = 0; i < s.st_size; i++) d[i] = p[i];
            printf("%f\\n", d[9]); return 0;
        }
        """,
    "rows.cpp": """
        #include <fstream>
        #include <iostream>
        #include <sstream>
        #include <string>
        #include <vector>
        int main() {
            std::ifstream in("numbers.txt"); std::string line;
            std::vector<std::vector<std::string>> rows;
            while (std::getline(in, line)) {
                std::vector<std::string> r; std::stringstream ss(line); std::string c;
                while (std::getline(ss, c, ' ')) r.push_back(c);
                rows.push_back(r);
            }
            std::cout << rows.size();
        }
        """,
    "binary.rb": "data = File.binread('numbers.txt').bytes\nputs data.each_cons(2).count { |a, b| a > b }\n",
    "text.mjs": """
        import { readFile } from 'node:fs/promises';
        const w = (await readFile('numbers.txt', 'utf8')).split(' ');
        console.log(w.length);
        """,
    "lines.rs": """
        use std::fs::File; use std::io::{BufRead, BufReader};
        fn main() {
            let f = File::open("numbers.txt").unwrap();
            let mut rows: Vec<String> = Vec::new();
            for line in BufReader::new(f).lines().skip(1) { rows.push(line.unwrap()); }
            println!("{}", rows.len());
        }
        """,
    "bytes.rs": """
        use std::fs::File; use std::io::Read;
        fn main() {
            let mut f = File::open("numbers.txt").unwrap(); let mut v = Vec::new();
            f.read_to_end(&mut v).unwrap();
            let w: Vec<u64> = v.iter().map(|&b| b as u64).collect(); println!("{}", w.len());
        }
        """,
}


@pytest.mark.parametrize("prog", ALL_OF_IT)
def test_other_languages_read_all_of_a_file(folder: Path, prog: str) -> None:
    (folder / prog).write_text(dedent(ALL_OF_IT[prog]))
    file = read(str(folder / prog), Options())
    done = walked(file.source.text, described(file.source.reference), file.source.lang)
    assert done.taken and done.bytes > 1.2 * len(NUMBERS)
    assert [each.text for each in on_run(file, None)] == [
        f"{folder / prog}: the answer is that of numbers.txt, as it is now"
    ]


def test_json_and_tables_in_ruby_are_known_by_what_they_say(folder: Path) -> None:
    text = "require 'json'\nd = JSON.parse(File.read('say.json'))\nputs d.size\n"
    (folder / "prog.rb").write_text(text)
    file = read(str(folder / "prog.rb"), Options())
    assert walked(text, described(file.source.reference), "ruby").bytes > 10_000 * 150
    text = "require 'csv'\nd = CSV.read('table.csv', headers: true).map { |r| r['x'].to_i }\nputs d.size\n"
    assert walked(text, described(TABLE.encode()), "ruby").bytes > ROWS * 100
    for each in (
        "foreach('table.csv', headers: true) { |r|",
        "read('table.csv').each { |r|",
        "table('table.csv').each { |r|",
    ):
        text = f"require 'csv'\nn = 0\nCSV.{each} n += 1 }}\nputs n\n"
        slow = 5 if "table(" in text else 1
        assert 1e-6 * slow < walked(text, described(TABLE.encode()), "ruby").seconds / (3 * ROWS) < 3e-6 * slow


@pytest.mark.parametrize(
    ("prog", "text"),
    [
        (
            "prog.go",
            'package main\nimport ("encoding/json"; "fmt"; "os")\nfunc main() { b, _ := os.ReadFile("say.json"); '
            "var r []map[string]string; json.Unmarshal(b, &r); fmt.Println(len(r)) }\n",
        ),
        (
            "prog.c",
            "#include <fcntl.h>\n#include <unistd.h>\nint main(void) { char b[4096]; long n = 0; ssize_t k; "
            'int fd = open("say.json", O_RDONLY); while ((k = read(fd, b, sizeof b)) > 0) n += k; return n > 9; }\n',
        ),
    ],
)
def test_what_is_read_in_ways_that_are_not_followed_is_not_sure(folder: Path, prog: str, text: str) -> None:
    (folder / prog).write_text(text)
    found = [*on_run(read(str(folder / prog), Options()), None)]
    assert len(found) == 1 and found[0].unbounded and "which it reads in a way that is not followed" in found[0].text


def test_names_that_begin_as_modes_do_are_names(folder: Path) -> None:
    (folder / "words.txt").write_text(NUMBERS)
    (folder / "prog.pl").write_text(
        "use strict; open(my $f, '<', 'words.txt') or die; my @v = <$f>; print scalar(@v);\n"
    )
    assert [*found("perl", (folder / "prog.pl").read_text(), str(folder / "prog.pl"))] == ["words.txt"]


@pytest.mark.parametrize(
    ("body", "rows"),
    [
        ("while chunk := f.read(12):\n    kept.append(struct.unpack('<III', chunk))\n", 1 / 12),
        ("while True:\n    chunk = f.read(10)\n    if not chunk:\n        break\n    kept.append([chunk])\n", 1 / 10),
        ("f.seek(400_000)\nwhile c := f.read(10):\n    kept.append([c])\n", (1 - 4e5 / len(NUMBERS)) / 10),
        ("f.seek(-20_000, 2)\nfor line in f:\n    kept.append([line])\n", 20_000 * ROWS / len(NUMBERS) ** 2),
    ],
)
def test_parts_of_a_file_are_read(folder: Path, body: str, rows: float) -> None:
    text = f"import struct\nkept = []\nf = open('numbers.txt', '{'rb' if 'struct' in body else 'r'}')\n" + body
    known = walked(text, "", "python", beside(folder, text))
    each = 8 + (160 if "struct" in body else 56 + 8 + 59)
    assert known.told == {"numbers.txt"} and not known.guessed
    assert known.bytes == pytest.approx(rows * len(NUMBERS) * each, rel=0.35)


def test_a_part_is_no_more_than_that(folder: Path) -> None:
    text = (
        "f = open('numbers.txt', 'rb')\nf.seek(100_000)\nx = f.read(1000)\nt = {i: x[i % 1000] for i in range(1000)}\n"
    )
    assert walked(text, "", "python", beside(folder, text)).bytes < 150e3


def test_what_is_handed_on_in_parts_is_gone_through_once(folder: Path) -> None:
    text = """
        import hashlib
        def parts(name, size=1 << 12):
            with open(name, "rb") as f:
                while True:
                    b = f.read(size)
                    if not b:
                        return
                    yield b
        h = hashlib.sha256()
        for b in parts("numbers.txt"):
            h.update(b)
        """
    known = walked(dedent(text), "", "python", beside(folder, text))
    assert 0.3e-9 * len(NUMBERS) < known.seconds < 6e-9 * len(NUMBERS) and known.bytes < 100e3


@pytest.mark.parametrize("given", ["'numbers.txt'", "files='numbers.txt'"])
def test_files_are_gone_through_by_name(folder: Path, given: str) -> None:
    text = f"import fileinput\nrows = [line.split() for line in fileinput.input({given})]\n"
    known = walked(text, "", "python", beside(folder, text))
    assert known.told == {"numbers.txt"} and known.bytes > ROWS * 150


@pytest.mark.parametrize(
    ("language", "text", "most"),
    [
        (
            "lua",
            "local q = {}\nfunction q.new() return {first = 1, last = 0} end\n"
            "function q.push(q, v) q.last = q.last + 1; q[q.last] = v end\n"
            "local x = q.new()\nfor i = 1, 800000 do q.push(x, {i, i * 2}) end\n",
            102e6,
        ),
        (
            "python",
            "class Q:\n    def __init__(self):\n        self.n = 0\n        self.d = {}\n    def push(self, v):\n"
            "        self.n += 1\n        self.d[self.n] = v\nq = Q()\nfor i in range(800000):\n    q.push([i])\n",
            143e6,
        ),
        ("perl", "my $n = 500000; my @r;\nfor my $i (0..$n-1) { push @r, [$i]; }\n", 70e6),
    ],
)
def test_what_is_put_in_under_a_field_that_counts_is_held(language: str, text: str, most: float) -> None:
    done = walked(text, "", language)
    assert done.followed and most / 2.5 < done.bytes < most * 1.6


def test_paths_of_many_parts_are_not_reckoned(tmp_path: Path) -> None:
    text = "import sys\nx = 'a'\nfrom pathlib import Path\n" + "x = " + " + ".join(["x"] * 400) + "\n"
    text += (
        "sys.path.append("
        + " + ".join(["'a'"] * 900)
        + ")\nsys.path.append(x)\nsys.path.append(str(Path(__file__).parents[10 ** 9]))\n"
    )
    text += "sys.path.append(str(Path(__file__).parents[1000000000]))\nsys.path.append('\\0')\n"
    found = _several.whole("python", text, str(tmp_path / "main.py"))
    assert ("what lies in x", "") in found.unread
