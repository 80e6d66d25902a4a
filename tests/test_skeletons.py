"""Functions that call themselves by nothing but what they are given run as often as they do."""

import ast
from typing import Any

import pytest

from forerun.tasks._lengths import Many
from forerun.tasks._skeletons import UNKNOWN, NotToldError, Skeleton
from forerun.tasks._walked import walked

PROGRAMS = {
    "parts": (
        "def f(n, m):\n    if n == 0:\n        return 1\n    if n < 0 or m == 0:\n        return 0\n"
        "    return f(n - m, m) + f(n, m - 1)\n",
        (18, 18),
    ),
    "binomials": ("def f(n, k):\n    return 1 if k in_ends else f(n - 1, k - 1) + f(n - 1, k)\n", (12, 5)),
    "paths": (
        "def f(r, c):\n    total = 0\n    if r < 7:\n        total += f(r + 1, c)\n    if c < 7:\n"
        "        total += f(r, c + 1)\n    return total\n",
        (0, 0),
    ),
    "words": (
        "def f(a, b):\n    if not a:\n        return len(b)\n    if not b:\n        return len(a)\n"
        "    return min(f(a[1:], b) + 1, f(a, b[1:]) + 1, f(a[1:], b[1:]) + (a[0] != b[0]))\n",
        ("kitten", "sitting"),
    ),
    "coins": (
        "def f(left, coins):\n    if left == 0:\n        return 1\n    if left < 0 or not coins:\n        return 0\n"
        "    return f(left - coins[-1], coins) + f(left, coins[:-1])\n",
        (40, (1, 2, 5, 10)),
    ),
    "nested": (
        "def f(m, n):\n    if m == 0:\n        return n + 1\n    if n == 0:\n        return f(m - 1, 1)\n"
        "    return f(m - 1, f(m, n - 1))\n",
        (2, 9),
    ),
    "three": (
        "def f(x, y, z):\n    if y >= x:\n        return z\n"
        "    return f(f(x - 1, y, z), f(y - 1, z, x), f(z - 1, x, y))\n",
        (9, 6, 3),
    ),
    "asked": (
        "def f(n):\n    if n < 2:\n        return n\n    if f(n - 1) % 2:\n        return f(n - 2) + 1\n"
        "    return 0 if f(n - 3) else 2\n",
        (14,),
    ),
    "ends": ("def f(n):\n    return n > 0 and (f(n - 2) or f(n - 1))\n", (12,)),
    "first": (
        "def f(n):\n    for i in range(n):\n        if f(i) > 3:\n            return i\n    return n + 1\n",
        (12,),
    ),
    "rounds": ("def f(n):\n    s = 0\n    for i in range(n):\n        s += f(i)\n    return s\n", (12,)),
}


def function(text: str) -> ast.FunctionDef:
    found = ast.parse(text.replace("k in_ends", "k == 0 or k == n")).body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def skeleton(text: str, **around: Any) -> Skeleton:
    return Skeleton(function(text), lambda one: ast.unparse(one) == "f", around)


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_it_runs_as_often_as_it_does(name: str) -> None:
    text, given = PROGRAMS[name]
    text = text.replace("k in_ends", "k == 0 or k == n")
    counted = {"runs": 0, "asked": 0}
    head, _, rest = text.partition("\n")
    names: dict[str, Any] = {"counted": counted}
    exec(f"{head}\n    counted['runs'] += 1\n{rest}", names)
    names["f"](*given)
    found = skeleton(text).tally(given)
    assert found.runs == counted["runs"]
    assert all(0 <= found.holds[test] <= many for test, many in found.asked.items())


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("def f(n):\n    return f(n - 1) if other[n] else 0\n", (5,)),
        ("def f(n):\n    return f(n + 1)\n", (0,)),
        ("def f(n):\n    if n:\n        f(n)\n", (1,)),
        ("def f(n):\n    while n:\n        n = f(n - 1)\n", (3,)),
        ("def f(n):\n    return other and f(n - 1)\n", (3,)),
        ("def f(n):\n    if f(n - 1):\n        return 1\n", (3,)),
        ("def f(n):\n    return f(n - 1) if n > 0 else 0\n", (UNKNOWN,)),
        ("def f(n, m):\n    return f(n - 1, m + n) + f(n - 1, m * 2) if n > 0 else 0\n", (40, 1)),
    ],
)
def test_what_something_else_decides_is_not_told(text: str, given: tuple[Any, ...]) -> None:
    with pytest.raises(NotToldError):
        skeleton(text).tally(given)


@pytest.mark.parametrize(
    ("language", "text", "least", "most"),
    [
        ("python", PROGRAMS["parts"][0] + "print(f(55, 55))\n", 0.15, 1.0),
        (
            "ruby",
            "def f(n, k)\n  return 1 if k == 0 || k == n\n  f(n - 1, k - 1) + f(n - 1, k)\nend\nputs f(23, 9)\n",
            0.02,
            0.2,
        ),
        (
            "lua",
            "function f(x, y, z)\n  if y >= x then return z end\n"
            "  return f(f(x-1, y, z), f(y-1, z, x), f(z-1, x, y))\nend\nprint(f(22, 14, 6))\n",
            0.01,
            0.1,
        ),
        (
            "php",
            "<?php class M { static function f(int $n, int $k): int { if ($k == 0 || $k == $n) return 1;"
            " return self::f($n-1, $k-1) + self::f($n-1, $k); } }\necho M::f(22, 10);",
            0.003,
            0.06,
        ),
        (
            "java",
            "public class A {\n  static int f(int n, int m) {\n    if (n == 0) return 1;\n"
            "    if (n < 0 || m == 0) return 0;\n    return f(n - m, m) + f(n, m - 1);\n  }\n"
            "  public static void main(String[] a) { System.out.println(f(90, 90)); }\n}\n",
            0.3,
            4.0,
        ),
    ],
)
def test_programs_take_what_their_functions_do(language: str, text: str, least: float, most: float) -> None:
    found = walked(text, "", language)
    assert least < found.seconds < most and not found.guessed and found.hidden > 0.5 * found.seconds


def test_what_is_so_once_is_not_so_each_time() -> None:
    text = (
        "def f(t):\n    if t == 0:\n        return 0\n    return 1 + f(left[t]) + f(right[t])\n"
        "f(0)\nleft, right = [0] * 9, [0] * 9\nfor i in range(9):\n    f(i)\n"
    )
    assert walked(text).guessed == {1}


FIBONACCI = {
    "lua": ("function f(n) if n < 2 then return n end return f(n-1) + f(n-2) end print(f(34))", 0.29),
    "php": ("<?php function f($n) { if ($n < 2) return $n; return f($n-1) + f($n-2); } echo f(34);", 0.19),
    "perl": ("sub f { my $n = shift; return $n if $n < 2; return f($n-1) + f($n-2); } print f(29);", 0.16),
    "ruby": ("def f(n)\n  if n < 2 then n else f(n-1) + f(n-2) end\nend\nputs f(31)\n", 0.064),
}


@pytest.mark.parametrize("language", sorted(FIBONACCI))
def test_calls_take_what_they_do_in_each_language(language: str) -> None:
    text, seconds = FIBONACCI[language]
    assert seconds / 1.6 < walked(text, "", language).seconds < 1.55 * seconds


@pytest.mark.parametrize(
    "given",
    [
        "'F' if n == 0 else f'{moves(n - 1)}+{moves(n - 1)}'",
        "'' if n == 0 else moves(n - 1) + '+' + moves(n - 1)",
        "{} if n == 0 else {n: n, **moves(n - 1), **moves(n - 1)}",
    ],
)
def test_how_long_something_becomes_that_is_put_together_of_what_it_gives_itself_is_guessed(given: str) -> None:
    assert walked(f"def moves(n):\n    return {given}\n\n\nprint(len(moves(19)))\n", "").guessed == {1}
    counts = "def moves(n):\n    return 0 if n == 0 else moves(n - 1) + 1 + moves(n - 1)\n\n\nprint(moves(19))\n"
    assert not walked(counts, "").guessed


def test_what_is_put_together_of_all_that_a_function_gives_itself_has_about_as_much_as_it_runs() -> None:
    done = walked(
        "def moves(n, a, b, c):\n    if n == 0:\n        return []\n"
        "    return moves(n - 1, a, c, b) + [(a, c)] + moves(n - 1, b, a, c)\n\n\nprint(moves(19, 'A', 'B', 'C'))\n",
        "",
    )
    assert 2e7 < done.bytes < 8e7


def test_how_long_a_list_becomes_is_told_by_how_long_those_are_that_it_is_made_of() -> None:
    exactly = {
        "def f(n):\n    return [] if n == 0 else f(n - 1) + [n] + f(n - 1)\n": ((5,), 31),
        "def f(n):\n    return () if n == 0 else (*f(n - 1), n, *f(n - 1))\n": ((5,), 31),
        "def f(a):\n    if len(a) < 2:\n        return [a]\n    out = []\n    for i, x in enumerate(a):\n"
        "        for p in f([*a[:i], *a[i + 1:]]):\n            out.append([x, *p])\n"
        "    return out\n": (((1, 2, 3, 4),), 24),
        "def f(a):\n    if not a:\n        return [[]]\n    rest = f(a[1:])\n"
        "    return rest + [[a[0]] + x for x in rest]\n": (((1, 2, 3, 4),), 16),
        "def f(a, k):\n    if k == 0:\n        return [[]]\n    if len(a) < k:\n        return []\n"
        "    found = [[a[0], *c] for c in f(a[1:], k - 1)]\n    found.extend(f(a[1:], k))\n    return found\n": (
            ((1, 2, 3, 4, 5), 2), 10,
        ),
    }  # fmt: skip
    for text, (given, many) in exactly.items():
        own = dict[str, Any]()
        exec(text, own)
        assert len(own["f"](*given)) == many
        longs = tuple(Many(len(one)) if isinstance(one, tuple) else one for one in given)
        found = skeleton(text).tally(longs).gives
        assert len(found) == many


@pytest.mark.parametrize(
    "text",
    [
        "def f(a):\n    if not a:\n        return 1\n    a.pop()\n    return f(a)\n",
        "def f(a):\n    b = a\n    b.pop()\n    return f(a) if a else 1\n",
        "def f(a):\n    b = a[1:]\n    shrink(b)\n    return f(b) if b else 1\n",
        "def f(a):\n    b = [x for x in a if x > 3]\n    return f(b) if b else 1\n",
        "def f(a):\n    if a == [1]:\n        return 1\n    return f(a[1:])\n",
    ],
)
def test_how_long_a_list_is_that_others_alter_or_that_follows_from_what_is_in_it_is_not_told(text: str) -> None:
    with pytest.raises(NotToldError):
        skeleton(text).tally((Many(3),))


GATHERING = {
    "go": "package main\n\nimport \"fmt\"\n\nfunc perms(xs []int) [][]int {\n\tif len(xs) <= 1 {\n"
    "\t\treturn [][]int{append([]int{}, xs...)}\n\t}\n\tvar out [][]int\n\tfor i, x := range xs {\n"
    "\t\trest := append(append([]int{}, xs[:i]...), xs[i+1:]...)\n\t\tfor _, p := range perms(rest) {\n"
    "\t\t\tout = append(out, append([]int{x}, p...))\n\t\t}\n\t}\n\treturn out\n}\n\nfunc main() {\n"
    "\txs := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}\n\tfmt.Println(len(perms(xs)))\n}\n",
    "javascript": "function perms(xs) {\n  if (xs.length < 2) return [xs];\n  const out = [];\n"
    "  for (let i = 0; i < xs.length; i++) {\n    const rest = [...xs.slice(0, i), ...xs.slice(i + 1)];\n"
    "    for (const p of perms(rest)) out.push([xs[i], ...p]);\n  }\n  return out;\n}\n"
    "console.log(perms([1, 2, 3, 4, 5, 6, 7, 8, 9]).length);\n",
    "ruby": "def choose(items, k)\n  return [[]] if k == 0\n  return [] if items.length < k\n"
    "  with = choose(items[1..], k - 1).map { |c| [items[0]] + c }\n  with + choose(items[1..], k)\nend\n"
    "puts choose((1..22).to_a, 8).length\n",
}  # fmt: skip


def test_texts_that_are_put_together_of_others_are_as_long_as_these() -> None:
    """All orders of nine letters, by putting the first one into every place of those of the others."""
    text = (
        'package main\n\nimport "fmt"\n\nfunc orders(w string) []string {\n\tif len(w) < 2 {\n'
        "\t\treturn []string{w}\n\t}\n\tfound := []string{}\n\tfor _, o := range orders(w[1:]) {\n"
        "\t\tfor i := 0; i <= len(o); i++ {\n\t\t\tfound = append(found, o[:i]+w[:1]+o[i:])\n\t\t}\n\t}\n"
        '\treturn found\n}\n\nfunc main() {\n\tfmt.Println(len(orders("abcdefghi")))\n}\n'
    )
    found = walked(text, "", "go")
    assert found.believed and not found.guessed
    assert 1e7 < found.bytes < 5e7


@pytest.mark.parametrize("language", sorted(GATHERING))
def test_what_all_orders_take_is_held(language: str) -> None:
    """362,880 lists, or 319,770, of nine numbers or eight."""
    found = walked(GATHERING[language], "", language)
    assert found.believed and not found.guessed
    assert 1.5e7 < found.bytes < 1.5e8


def test_a_path_that_is_put_together_anew_each_time_is_as_long_as_it_is_deep() -> None:
    text = (
        'package main\n\nimport "fmt"\n\nfunc walk(done, rest []int, out *[][]int) {\n\tif len(rest) == 0 {\n'
        "\t\t*out = append(*out, append([]int{}, done...))\n\t\treturn\n\t}\n\tfor i := range rest {\n"
        "\t\tleft := append(append([]int{}, rest[:i]...), rest[i+1:]...)\n"
        "\t\twalk(append(append([]int{}, done...), rest[i]), left, out)\n\t}\n}\n\nfunc main() {\n"
        "\txs := []int{1, 2, 3, 4, 5, 6, 7, 8, 9}\n\tvar out [][]int\n\twalk(nil, xs, &out)\n"
        "\tfmt.Println(len(out))\n}\n"
    )
    found = walked(text, "", "go")
    assert found.believed and not found.guessed
    assert 3e7 < found.bytes < 9e7


def test_what_comprehensions_make_of_what_a_function_gives_itself_is_all_there() -> None:
    """All subsets of 18 elements."""
    text = (
        "def subsets(items):\n    if not items:\n        return [[]]\n    rest = subsets(items[1:])\n"
        "    return rest + [[items[0]] + one for one in rest]\n\n\nprint(len(subsets(list(range(18)))))\n"
    )
    found = walked(text, "")
    assert found.believed and not found.guessed
    assert 1.5e7 < found.bytes < 6e7


def test_texts_that_become_longer_decide_by_how_long_they_are() -> None:
    """All ways of 11 pairs of brackets: 58,786 of them, by 290,511 calls."""
    text = (
        'def pairs(n, opened=0, closed=0, text=""):\n    if closed == n:\n        return [text]\n    found = []\n'
        '    if opened < n:\n        found += pairs(n, opened + 1, closed, text + "(")\n'
        '    if closed < opened:\n        found += pairs(n, opened, closed + 1, text + ")")\n    return found\n\n\n'
        "print(len(pairs(11)))\n"
    )
    found = walked(text, "")
    assert not found.guessed and 0.01 < found.seconds < 0.3
    assert 2e6 < found.bytes < 2e7
