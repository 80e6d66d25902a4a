"""Functions that go one level further each time they call themselves run as often as they do: all orders, all subsets,
all boards."""

import ast
import math

import pytest

from forerun.tasks import _levels as levels
from forerun.tasks._walked import walked

ORDERS = sum(math.perm(9, k) for k in range(10))
PROGRAMS = {
    "orders by exchanging": (
        "python",
        "def go(a, k):\n    if k == len(a):\n        return\n    for i in range(k, len(a)):\n"
        "        a[k], a[i] = a[i], a[k]\n        go(a, k + 1)\n        a[k], a[i] = a[i], a[k]\ngo([*range(9)], 0)\n",
        ORDERS,
    ),
    "orders by marks": (
        "python",
        "used = [False] * 9\ndef go(path):\n    if len(path) == 9:\n        return\n    for i in range(9):\n"
        "        if used[i]:\n            continue\n        used[i] = True\n        path.append(i)\n        go(path)\n"
        "        path.pop()\n        used[i] = False\ngo([])\n",
        ORDERS,
    ),
    "orders by what is left": (
        "python",
        "def go(done, left):\n    if not left:\n        return\n    for i in range(len(left)):\n"
        "        go(done + [left[i]], left[:i] + left[i + 1 :])\ngo([], [*range(9)])\n",
        ORDERS,
    ),
    "orders in c": (
        "c",
        "static int n = 9, a[16];\nstatic void p(int k) {\n  if (k == n) return;\n  for (int i = k; i < n; i++) {\n"
        "    int t = a[k]; a[k] = a[i]; a[i] = t;\n    p(k + 1);\n    t = a[k]; a[k] = a[i]; a[i] = t;\n  }\n}\n"
        "int main(void) { p(0); }\n",
        ORDERS,
    ),
    "orders of a library": (
        "c++",
        "#include <algorithm>\n#include <vector>\nint main() {\n  std::vector<int> p(9);\n  long s = 0;\n"
        "  do { s += p[0]; } while (std::next_permutation(p.begin(), p.end()));\n}\n",
        math.factorial(9),
    ),
    "with one less where nothing is said": (
        "lua",
        "local function go(a, n)\n  n = n or #a\n  if n <= 1 then return end\n  for i = 1, n do\n"
        "    a[n], a[i] = a[i], a[n]\n    go(a, n - 1)\n    a[n], a[i] = a[i], a[n]\n  end\nend\n"
        "go({1, 2, 3, 4, 5, 6, 7, 8, 9})\n",
        sum(math.perm(9, k) for k in range(9)),
    ),
    "all subsets": (
        "python",
        "def go(start, path):\n    for i in range(start, 18):\n        path.append(i)\n        go(i + 1, path)\n"
        "        path.pop()\ngo(0, [])\n",
        2**18,
    ),
    "subsets of so many": (
        "go",
        "package main\n\nfunc pick(n, k, start int, cur []int) {\n\tif len(cur) == k {\n\t\treturn\n\t}\n"
        "\tfor i := start; i <= n-(k-len(cur))+1; i++ {\n\t\tpick(n, k, i+1, append(cur, i))\n\t}\n}\n\n"
        "func main() {\n\tpick(24, 8, 1, nil)\n}\n",
        sum(math.comb(24 - 8 + k, k) for k in range(9)),
    ),
    "taken or not": (
        "ruby",
        "def go(i, sum)\n  return sum if i == 18\n  go(i + 1, sum + i) + go(i + 1, sum)\nend\nputs go(0, 0)\n",
        2**19,
    ),
    "several first levels": (
        "c",
        "static int s;\nstatic void go(int k, int n) {\n  if (k == n) return;\n"
        "  for (int i = 0; i < 4; i++) { s += i; go(k + 1, n); }\n}\n"
        "int main(void) { for (int n = 2; n < 10; n++) go(0, n); }\n",
        sum(4**n * 4 / 3 for n in range(2, 10)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_all_levels_together_take_what_they_do(name: str) -> None:
    language, text, calls = PROGRAMS[name]
    found = walked(text, "", language)
    nanoseconds = found.seconds / calls * 1e9
    assert (0.3 if language in ("c", "c++", "go") else 15.0) < nanoseconds < 900.0
    assert not found.guessed


@pytest.mark.parametrize(("n", "nodes"), [(6, 153), (8, 2057), (10, 35_539), (12, 856_189)])
def test_boards_that_leave_out_what_is_not_allowed_are_about_as_many(n: int, nodes: int) -> None:
    text = (
        "def free(row, c):\n    return all(board[r] != c for r in range(row))\n"
        f"board = [0] * {n}\ndef place(row):\n    if row == {n}:\n        return\n    for c in range({n}):\n"
        f"        if free(row, c):\n            board[row] = c\n            place(row + 1)\nplace(0)\n"
    )
    node = next(one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef) and one.name == "place")
    calls = [one for one in ast.walk(node) if isinstance(one, ast.Call) and ast.unparse(one.func) == "place"]
    (level,) = levels.levels(node, levels.ways(node, calls))
    (end,) = levels.ends(node, level, calls)
    found = levels.ways(node, calls, end)
    wide = {id(found[0].loops[0]): dict.fromkeys(range(n), float(n))}
    counted = levels.counts(found, level, 0, n, wide)
    assert counted is not None and nodes / 2 < counted.calls < nodes * 2
    assert walked(text).guessed


def test_searches_that_end_with_the_first_that_they_find_take_less() -> None:
    text = (
        "board = [0] * 12\ndef free(row, c):\n    return c != board[row - 1]\ndef place(row):\n    if row == 12:\n"
        "        return True\n    for c in range(12):\n        if free(row, c):\n            board[row] = c\n"
        "            CALL\n    return False\nplace(0)\n"
    )
    one, every = (
        walked(text.replace("CALL", call)).seconds
        for call in ("if place(row + 1):\n                return True", "place(row + 1)")
    )
    assert one < every / 20


def test_what_is_kept_is_done_once() -> None:
    text = "known = {}\ndef f(n):\n    if n in known:\n        return known[n]\n    known[n] = f(n - 1) + f(n - 2)\n"
    assert walked(f"{text}    return known[n]\nf(60)\n").seconds < 1e-3


def test_how_often_the_last_level_is_come_to_is_told() -> None:
    text = (
        "out = []\ndef go(n):\n    if n == 0:\n        out.append(n * 0.5)\n        return\n"
        "    go(n - 1)\n    go(n - 1)\ngo(15)\n"
    )
    assert walked(text).bytes == pytest.approx(2**15 * 32, rel=0.5)


@pytest.mark.parametrize(
    "text",
    [
        "path = []\ndef go(i):\n    if i == 18:\n        return\n    go(i + 1)\n    path.append(i * 0.5)\n"
        "    go(i + 1)\n    path.pop()\ngo(0)\n",
        "def go(start, path):\n    for i in range(start, 18):\n        path.append(i * 0.5)\n        go(i + 1, path)\n"
        "        path.pop()\ngo(0, [])\n",
    ],
)
def test_paths_hold_one_for_each_level(text: str) -> None:
    found = walked(text)
    assert found.bytes < 1e5 and found.seconds > 0.01
