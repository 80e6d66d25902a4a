"""Loops that can be left before they are through, told by hand here."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.tasks._counters import _SYNTAX, skipped
from forerun.tasks._exits import left_early, share


def told(language: str, text: str) -> list[bool]:
    found = left_early(language, text, _SYNTAX[language].loops, re.compile(skipped(language)))
    return [left for _, left in sorted(found.items())]


@pytest.mark.parametrize(
    ("language", "text", "left"),
    [
        (
            "python",
            "for i in range(9):\n    if f(i):\n        break\n    s += i\nfor k in x:\n    g(k)\nbreak\n",
            [True, False],
        ),
        (
            "python",
            "def f(n):\n    for i in x:\n        for k in y:\n            if k: return 1\n    for"
            " i in z:\n        def g(): return 3\n",
            [True, True, False],
        ),
        ("python", "while a:\n    for k in y:\n        break\n", [False, True]),
        (
            "c",
            "for (;;) { switch (x) { case 1: break; } } for (i = 0; i < n; i++) if (a[i]) ret"
            "urn 1; while (x) { if (y) break; }",
            [False, True, True],
        ),
        ("c", "for (i=0;i<9;i++) for (k=0;k<9;k++) { if (x) break; }", [False, True]),
        ("c", "do { if (x) exit(1); } while (y);", [True, False]),
        ("c++", "for (auto x : v) { s += x; } return s;", [False]),
        ("java", "outer: for (int i : a) { for (int k : b) { if (k > 3) break outer; } }", [True, True]),
        ("java", "for (int i : a) { f(x -> { return x; }); }", [False]),
        (
            "go",
            "for i := 0; i < 9; i++ { if x { break } }\nfor _, v := range a { switch { case v:"
            " break } }\nfor { go func() { return }() }",
            [True, False, False],
        ),
        ("rust", "for i in 0..9 { if x { return; } } loop { break; } while y { z(); }", [True, True, False]),
        (
            "javascript",
            "a.forEach(x => { if (x) return; }); for (const x of a) { if (x) throw e; } for ("
            ";;) { b.map(y => { return y; }); }",
            [False, True, False],
        ),
        (
            "php",
            "foreach ($a as $x) { if ($x) break 2; } while ($y) { if ($z) exit(1); } for (;;)"
            " { f(function ($x) { return $x; }); }",
            [True, True, False],
        ),
        (
            "perl",
            "for my $i (1..9) { last if $i; }\nfor (1..3) { next if $x; }\nwhile (<>) { die 'x' unless f(); }",
            [True, False, True],
        ),
        (
            "ruby",
            "10.times do |i|\n  break if i\nend\na.each { |x| return x if x }\na.each do |x|\n  puts x\nend\n",
            [True, True, False],
        ),
        (
            "lua",
            "for i = 1, 9 do\n  if f(i) then break end\nend\nfor i = 1, 9 do g(i) end\nfor i = 1,"
            " 9 do\n  while x do\n    return 3\n  end\nend\n",
            [True, False, True, True],
        ),
        ("python", "for i in x:  # break\n    f('break')\n", [False]),
    ],
)
def test_loops_that_can_be_left(language: str, text: str, left: list[bool]) -> None:
    assert told(language, text) == left


def test_the_share_of_rounds() -> None:
    assert share({3: True, 9: False}, {3: math.log(30), 9: math.log(10)}) == pytest.approx(0.75)
    assert share({}, {}) == 0


PIECES = ("for ", "(", ")", "{", "}", ";", "break", "return", "\n", "  ", "do", "end", "x", "switch", "=>", "while ")


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from("python c c++ java go rust javascript php perl ruby lua".split()),
    st.lists(st.sampled_from(PIECES), max_size=40),
)
def test_no_text_makes_it_fail(language: str, pieces: list[str]) -> None:
    told(language, "".join(pieces))
