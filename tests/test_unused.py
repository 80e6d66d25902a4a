"""Functions that nobody calls: what stands in them is not counted, and all that may be called is."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.tasks._counters import counters

# What is large and stands in a function, `NAME`, and the rest of a program that calls `other`.
PROGRAMS = {
    "python": (
        "def NAME(n):\n    # NAME\n    a = bytearray(2_000_000_000)\n    for i in range(10**9):\n        a[i] = i\n"
        "    return NAME(n)\n\n\ndef other():\n    return 3\n\n\nprint(CALLED())\n"
    ),
    "ruby": "def NAME\n  a = Array.new(2_000_000_000)\n  1000000000.times do |i|\n    a[i] = i\n  end\nend\n\n"
    "def other\n  3\nend\nputs CALLED\n",
    "lua": "local function NAME()\n  local t = {}\n  for i = 1, 1000000000 do\n    t[i] = i\n  end\nend\nlocal function"
    " other() return 3 end\nprint(CALLED())\n",
    "perl": "sub NAME {\n    my @a = (1) x 2000000000;\n    for my $i (1 .. 1000000000) { push @a, $i; }\n}\nsub other"
    " { 3 }\nprint CALLED();\n",
    "php": "<?php\nfunction NAME() {\n  $a = array_fill(0, 2000000000, 0);\n  for ($i = 0; $i < 1000000000; $i++) {"
    "\n    $a[] = $i;\n  }\n}\nfunction other() { return 3; }\necho CALLED();\n",
    "javascript": "function NAME() {\n  const a = new Array(2e9);\n  for (let i = 0; i < 1e9; i++) a[i] = i;\n}\n"
    "function other() { return 3; }\nconsole.log(CALLED());\n",
    "java": "class Main {\n  static int NAME(int n) throws Exception {\n    int[] a = new int[2000000000];\n    for"
    " (int i = 0; i < 1000000000; i++) a[i] = i;\n    NAME(n);\n  }\n  static int other(int n) { return 3; }\n"
    "  public static void main(String[] args) { System.out.println(CALLED(1)); }\n}\n",
    "go": "package main\n\nfunc NAME() []int {\n\ta := make([]int, 2000000000)\n\tfor i := 0; i < 1000000000; i++ {\n"
    "\t\ta[i] = i\n\t}\n\treturn a\n}\n\nfunc other() int { return 3 }\nfunc main() { println(CALLED()) }\n",
    "rust": "#[allow(dead_code)]\nfn NAME() -> Vec<u8> {\n    let mut a = vec![0u8; 2_000_000_000];\n    for i in"
    " 0..1_000_000_000 { a[i] = 1; }\n    a\n}\nfn other() -> u32 { 3 }\nfn main() { println!(\"{}\", CALLED()); }\n",
    "c": "#include <stdio.h>\nstatic void NAME(void);\n\nstatic void NAME(void)\n{\n  char *p = malloc(2000000000);\n"
    "  for (long i = 0; i < 1000000000; i++) p[i] = 1;\n}\nint other(void) { return 3; }\nint main(void) {"
    " CALLED(); }\n",
    "c++": "#include <vector>\nstd::vector<int> NAME() {\n  std::vector<int> v(2000000000);\n  for (int i = 0; i <"
    " 1000000000; i++) v[i] = i;\n  return v;\n}\nint other() { return 3; }\nint main() { CALLED(); }\n",
}  # fmt: skip


def program(language: str, called: str) -> str:
    return PROGRAMS[language].replace("NAME", "heavy").replace("CALLED", called)


@pytest.mark.parametrize("language", PROGRAMS)
def test_what_nobody_calls_is_not_counted(language: str) -> None:
    found, called = (counters(language, program(language, name)) for name in ("other", "heavy"))
    assert (found["elements"], found["iterations"]) == (0, 0)
    assert called["iterations"] == pytest.approx(1e9)
    assert called["elements"] > 1e7
    names = ("lines", "loops", "calls", "loop_depth", "branches", "allocations", "largest")
    assert {name: found[name] for name in names} == {name: called[name] for name in names}


@pytest.mark.parametrize("language", PROGRAMS)
def test_a_name_in_a_string_may_call_it(language: str) -> None:
    quoted = program(language, "other").replace("return 3", 'return f("heavy")').replace(" 3", ' f("heavy")')
    assert counters(language, quoted)["iterations"] == pytest.approx(1e9)


HEAVY = "def heavy():\n    for i in range(10**9):\n        f(i)\n\n"


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", HEAVY),
        ("python", HEAVY + "X = 3\n"),
        ("python", HEAVY + "class A:\n    def g(self):\n        print(1)\n"),
        ("python", HEAVY + "import doctest\nprint(doctest.testmod())\n"),
        ("python", HEAVY + "print(globals()['hea' + 'vy']())\n"),
        ("python", HEAVY + "print(1)\n__all__ = ['x']\n"),
        ("python", HEAVY + "from . import other\nprint(1)\n"),
        ("python", "@register\n" + HEAVY + "print(1)\n"),
        ("python", "class A:\n" + HEAVY.replace("\n", "\n    ").replace("def", "    def") + "\nprint(A().x())\n"),
        ("python", HEAVY.replace("heavy", "test_heavy") + "print(1)\n"),
        ("python", HEAVY + "def a():\n    heavy()\n\nf = a\nprint(1)\n"),
        ("ruby", "class A\ndef each\n  1000000000.times do |i|\n    f i\n  end\nend\nend\nputs A.new.first\n"),
        ("ruby", "def heavy\n  1000000000.times do |i|\n    f i\n  end\nend\nputs send('hea' + 'vy')\n"),
        ("lua", "function M.heavy()\n  for i = 1, 1000000000 do\n    f(i)\n  end\nend\nprint(1)\n"),
        ("perl", "sub DESTROY {\n  for my $i (1 .. 1000000000) { f(); }\n}\nprint 1;\n"),
        ("perl", "sub heavy {\n  for my $i (1 .. 1000000000) { f(); }\n}\nprint &$name();\n"),
        ("php", "<?php\nfunction Heavy() {\n  for ($i = 0; $i < 1000000000; $i++) { f(); }\n}\necho heavy();\n"),
        ("php", "<?php\nclass A {\n  function heavy() {\n    for ($i = 0; $i < 1e9; $i++) { f(); }\n  }\n}\necho 1;\n"),
        ("javascript", "export function heavy() {\n  for (let i = 0; i < 1e9; i++) f();\n}\nconsole.log(1);\n"),
        ("javascript", "function heavy() {\n  for (let i = 0; i < 1e9; i++) f();\n}\nmodule.exports = { heavy };\n"),
        ("javascript", "function heavy() {\n  for (let i = 0; i < 1e9; i++) f();\n}\n"),
        ("java", PROGRAMS["java"].replace("static int NAME", "int run").replace("CALLED", "other")),
        ("java", PROGRAMS["java"].replace("static int NAME", "@Hook static int run").replace("CALLED", "other")),
        ("java", PROGRAMS["java"].replace("void main", "void start").replace("CALLED", "other")),
        ("go", program("go", "other").replace("func heavy", "func (a A) String")),
        ("go", program("go", "other").replace("func heavy", "func init")),
        ("go", program("go", "other").replace("func heavy", "//export heavy\nfunc heavy")),
        ("go", program("go", "other").replace("heavy", "Heavy")),
        ("go", program("go", "other").replace("return 3", "return in_another_file(3)")),
        ("java", "package p;\n" + program("java", "other")),
        ("c", "int in_another_file(void);\n" + program("c", "other")),
        ("c", program("c", "other").replace("int main", "#ifdef TEST\nint main") + "#endif\n"),
        ("c++", "extern void in_another_file(int, int);\n" + program("c++", "other")),
        ("rust", program("rust", "other").replace("#[allow(dead_code)]", "#[no_mangle]")),
        ("rust", program("rust", "other").replace("#[allow(dead_code)]", "#[handler]")),
        ("rust", program("rust", "other") + "mod other_file;\n"),
        ("rust", "impl Drop for A {\n    fn drop(&mut self) { for i in 0..1_000_000_000 { f(); } }\n}\nfn main() {}\n"),
        ("c", program("c", "other").replace("<stdio.h>", '"other.h"')),
        ("c", program("c", "other") + "#define CALL(x) hea##x()\n"),
        ("c", program("c", "other").replace("static", "__attribute__((constructor)) static")),
        ("c", program("c", "other") + "int (*all[])(void) = { heavy };\n"),
        ("c", program("c", "other").replace("main", "start")),
        ("c", program("c", "other").replace("\n  char", "\nchar")),
        ("c++", program("c++", "other").replace("std::vector<int> heavy", "int A::heavy")),
        ("c++", program("c++", "other").replace("std::vector<int> heavy", "A operator new")),
    ],
)  # fmt: skip
def test_what_may_be_called_is_counted(language: str, text: str) -> None:
    assert counters(language, text)["iterations"] >= 0.99e9


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("go", program("go", "other") + "type A interface {\n\tF(int) int\n}\nfunc (a B) G() { f := other; f() }\n"),
        ("go", program("go", "other").replace("return 3", "return len(string(T(3)))") + "type T int\n"),
        ("c", program("c", "other").replace("int other", "#ifdef X\n#endif\nint third(int);\nint other") + "int third"
         "(int n)\n{\n  return n;\n}\n"),
        ("java", "package p;\n" + program("java", "other").replace("static int heavy", "private int heavy")),
    ],
)  # fmt: skip
def test_what_a_whole_program_says_is_no_other_file(language: str, text: str) -> None:
    assert counters(language, text)["iterations"] < 11


@pytest.mark.parametrize(
    "text",
    [
        HEAVY + "def a():\n    heavy()\n    b()\n\n\ndef b():\n    a()\n\n\nprint(1)\n",
        "x = 3\n\n" + HEAVY + "if __name__ == '__main__':\n    print(x)\n",
        "async " + HEAVY + "for i in x:\n    f(i)\n",
        "def main():\n    f()\n\n" + HEAVY + "if __name__ == '__main__':\n    main()\n",
    ],
)
def test_what_is_only_called_by_such_is_not_counted_either(text: str) -> None:
    assert counters("python", text)["iterations"] < 11


@settings(max_examples=150)
@given(st.sampled_from(sorted(PROGRAMS)), st.data())
def test_a_program_that_is_cut_is_counted_too(language: str, data: st.DataObject) -> None:
    text = program(language, "other")
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    for part in (text[start:end], text[:start] + text[end:]):
        assert all(value >= 0 for value in counters(language, part).values())
