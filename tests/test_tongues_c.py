"""What C leaves to the preprocessor, old ways of writing functions, and loops that end otherwise than they say."""

from __future__ import annotations

import pytest

from forerun.tasks._tongues._conditions import kept
from forerun.tasks._tongues._untyped import typed
from forerun.tasks._walked import walked

COUNTS = "  for (int i = 0; i < {}; i++) total += i % 7;\n"
MAIN = '#include <stdio.h>\n{}int main(int argc, char **argv) {{\n  int total = 0;\n{}  printf("%d", total);\n}}\n'


def seconds(body: str, ahead: str = "", language: str = "c") -> float:
    return walked(MAIN.format(ahead, body), "", language).seconds


MILLION = COUNTS.format("1000000")


def near(found: float, other: float, factor: float = 1.5) -> bool:
    return other / factor < found < factor * other


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize(
    ("condition", "first"),
    [
        ("if 0", False),
        ("if 1", True),
        ("ifdef SMALL", False),
        ("ifndef SMALL", True),
        ("ifdef BITS", True),
        ("if BITS == 64 && !defined(_WIN32)", True),
        ("if defined SMALL || BITS < 64", False),
        ("if BITS >= 32UL /* wide */ && (BITS & 64)", True),
        ("if __GNUC__ > 3", True),
        ("if __has_builtin(__builtin_popcount)", True),  # nobody knows
    ],
)
def test_what_a_preprocessor_leaves_out_does_not_happen(language: str, condition: str, first: bool) -> None:
    body = f"#{condition}\n{COUNTS.format(1000)}#else\n{MILLION}#endif\n"
    expected = seconds(COUNTS.format(1000) if first else MILLION, language=language)
    assert near(seconds(body, "#define BITS 64\n", language), expected)


def test_of_several_conditions_the_first_that_holds_is_kept() -> None:
    text = "#if 0\na\n#if 1\nb\n#endif\n#elif X\nc\n#elif 1\nd\n#elif 1\ne\n#else\nf\n#endif\ng\n"
    found = kept(text)
    assert found.split() == ["d", "g"] and found.count("\n") == text.count("\n")
    assert kept("#define X 2\n" + text).split() == ["#define", "X", "2", "c", "g"]
    assert kept("#define X\n#undef X\n#ifdef X\na\n#endif\n").split() == ["#define", "X", "#undef", "X"]
    assert kept("#if 1\n") == "#if 1\n" and kept("#endif\n#if 0\na\n#endif\n").count("a") == 1
    guarded = "#ifndef HERE\n#define HERE\na\n#endif\n" * 2
    assert kept(guarded).count("a") == 1


def test_functions_of_old_say_what_they_give_and_are_given_nowhere_or_behind() -> None:
    text = "static double\nsum (values, n)\n     double *values;\n     int n;\n{\n}\ntwice (x)\n{\n}\nmain ()\n{\n}\n"
    found = typed(text)
    assert "sum (" not in found and "sum(double *values, int n)" in found and "static double\n" in found
    assert "int twice(int x)\n{" in found and "int main()\n{" in found and found.count("\n") == text.count("\n")
    for other in ("int f(void)\n{\n}\n", "static int\nf (int x)\n{\n}\n", "f(x); {\n}\n", "if (x) {\n}\n"):
        assert typed(other) == other
    loops = "count (n)\n     int n;\n{\n  int i, k = 0;\n  for (i = 0; i < n; i++) k += i % 3;\n  return k;\n}\n"
    assert near(seconds("  total = count(1000000);\n", loops), seconds(MILLION), 2)


def test_a_macro_of_an_array_says_how_much_it_has() -> None:
    ahead = "#define COUNT(x) (sizeof(x) / sizeof((x)[0]))\nint data[1000000];\n"
    assert near(seconds(COUNTS.format("COUNT(data)"), ahead), seconds(MILLION, ahead))


def test_a_sum_whose_steps_become_longer_is_soon_large() -> None:
    assert seconds("  for (int a = 1, i = 1; a < 2000000; a += ++i) total += a % 7;\n") < seconds(MILLION) / 100


def test_a_jump_back_ends_where_its_condition_does_not_hold() -> None:
    once = seconds("  int n = 1;\nagain:\n" + MILLION + "  if (++n <= 1) goto again;\n")
    assert near(once, seconds(MILLION))
    inner = "  int n = 0, m = 0;\nouter:\n  m = 0;\ninner:\n" + MILLION + "  if (m) goto inner;\n  if (n) goto outer;\n"
    assert seconds(inner) >= seconds(MILLION) / 1.5


def test_what_holds_nowhere_is_not_come_to() -> None:
    reads = "  int n = 1000000, k = 1;\n  while (k < argc) {\n    n = atoi(argv[k]);\n    k++;\n  }\n"
    assert near(seconds(reads + COUNTS.format("n")), seconds(MILLION))
    up = "  int k = 2000000;\n  do { total += k % 7; k += 4; } while (k < 1000);\n"
    assert seconds(up) < seconds(MILLION) / 100


def test_places_are_the_same_where_their_numbers_are() -> None:
    loop = "  for (; i < 2000000000; i++) {\n    a[i] = 2;\n    if (&a[i] == &a[5]) break;\n  }\n"
    ahead = f"int a[9];\nvoid f(int i) {{\n{loop}}}\n"
    assert seconds("  f(0);\n", ahead) < 1e-5


def test_a_loop_ends_where_what_a_function_gives_is_too_large() -> None:
    ahead = (
        "int boxes(int x, int y) {\n  int sum = 0;\n  for (int i = 0; i <= x; i++)\n    for (int j = 0; j <= y; j++)\n"
        "      sum += (x - i) * (y - j);\n  return sum;\n}\n"
    )
    body = (
        "  for (int i = 1; i <= 2000; i++)\n    for (int j = 1; j <= 2000; j++) {\n      int n = boxes(i, j);\n"
        "      if (n > 2000000) break;\n      total += n % 7;\n    }\n"
    )
    assert 1e-4 < seconds(body, ahead) < 0.2  # 13,000 calls, and thousands of rounds each; 700 s to the end


def test_a_list_of_which_one_is_taken_each_time_is_empty_then() -> None:
    text = (
        "left = [i * 3 for i in range(2000)]\ntotal = 0\nwhile len(left) >= 3:\n    one = left.pop()\n"
        "    for other in left:\n        total += other - one\n"
    )
    found = walked(text)
    whole = walked(text.replace("while len(left) >= 3:", "for _ in range(1998):").replace("left.pop()", "left[-1]"))
    assert 0.2 < found.seconds / whole.seconds < 0.8  # half of them are there in the mean


def test_a_counter_that_goes_on_several_times_each_round_is_soon_there() -> None:
    once = "  for (int i = 0; i < 1000000;) { total += i % 7; ++i; }\n"
    four = once.replace("++i; }", "++i; total += i % 7; ++i; total += i % 7; ++i; total += i % 7; ++i; }")
    assert near(seconds(four), seconds(once), 1.6)


def test_bytes_and_one_more_are_that_many() -> None:
    text = (
        "#include <stdlib.h>\nint main(void) {{\n  unsigned *all = malloc({});\n  all[0] = 1;\n  return all[0];\n}}\n"
    )
    found, plain = (walked(text.format(size), "", "c").bytes for size in ("8000000 / 8 + sizeof(unsigned)", "1000000"))
    assert near(found, plain, 1.1) and plain > 9e5


def test_what_is_taken_from_the_front_of_a_list_of_cpp_moves_nothing() -> None:
    text = (
        "#include <list>\n#include <iostream>\nint main() {\n  std::list<int> all;\n"
        "  for (int i = 0; i < 1000000; i++) all.push_back(i);\n  long total = 0;\n"
        "  while (!all.empty()) { total += all.front(); all.pop_front(); }\n  std::cout << total;\n}\n"
    )
    back = text.replace("front", "back")
    assert near(walked(text, "", "c++").seconds, walked(back, "", "c++").seconds, 2)


@pytest.mark.parametrize(
    ("steps", "rounds"),
    [("x += max(x / 1000, 0.001)", 17_000), ("by = x / 50 + 1\n    x += by", 615), ("x += x + 1", 24)],
)
def test_steps_that_follow_from_what_has_been_reached(steps: str, rounds: int) -> None:
    loop = f"x = 0.0\nall = []\nwhile x < 10_000_000:\n    all.append((x, x))\n    {steps}\n"
    held = walked(loop).bytes / rounds
    assert held == pytest.approx(walked("all = [(x, x) for x in map(float, range(1000))]").bytes / 1000, rel=0.4)


@pytest.mark.parametrize("size", ["calloc(20 * 10 * 1000, sizeof(double))", "malloc(20 * sizeof *rows)"])
def test_rows_of_rows_are_as_large_as_is_asked_for(size: str) -> None:
    text = "#include <stdlib.h>\nint main(void) {{\n  double (*rows)[10][1000] = {};\n  rows[1][2][3] = 1;\n}}\n"
    assert walked(text.format(size), "", "c").bytes == pytest.approx(1.6e6, rel=0.1)
