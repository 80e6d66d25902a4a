"""How often functions say yes, and what that tells of programs that keep what they find."""

from __future__ import annotations

import math

import pytest

from forerun.tasks._objects import Number, Written
from forerun.tasks._verdicts import Verdict, alike, gone, yes
from forerun.tasks._walked import walked

PALINDROME = "def palindrome(n):\n    text = str(n)\n    return text == text[::-1]\n"
BY_LETTERS = (
    "def palindrome(n):\n    text = str(n)\n    for i in range(len(text) // 2):\n"
    "        if text[i] != text[-1 - i]:\n            return False\n    return True\n"
)
PRIME = (
    "def prime(n):\n    for i in range(2, int(n ** 0.5) + 1):\n        if n % i == 0:\n            return False\n"
    "    return True\n"
)
SQUARE = "def square(n):\n    root = int(n ** 0.5)\n    return root * root == n\n"


@pytest.mark.parametrize(
    ("function", "test", "there"),
    [
        (PALINDROME, "palindrome(n)", 1098),
        (PRIME, "prime(n)", 9592),
        (PRIME, "prime(n) == True", 9592),
        (SQUARE, "square(n)", 316),
        ("def small(n):\n    return n < 500\n", "small(n)", 500),
    ],
)
def test_what_a_function_says_tells_how_much_is_kept(function: str, test: str, there: int) -> None:
    loop = "kept = []\nfor n in range(1, 100_000):\n    if {}:\n        kept.append((n, n + 1))\n"
    some, each = walked(function + loop.format(test)).bytes, walked(loop.format("True")).bytes / 1e5
    assert there / 4 < some / each < 4 * there


def test_a_function_that_ends_as_soon_as_letters_differ_seldom_says_yes() -> None:
    loop = "kept = []\nfor n in range(1, 100_000):\n    if palindrome(n):\n        kept.append((n, n + 1))\n"
    assert walked(BY_LETTERS + loop).bytes < walked(PRIME.replace("prime", "palindrome") + loop).bytes


def test_what_is_not_told_is_not_seldom() -> None:
    loop = "kept = []\nfor n in range(100_000):\n    if odd(n):\n        kept.append((n, n + 1))\n"
    for end in ("return unknown(n) > 3", "if unknown(n):\n        return False\n    return True"):
        assert walked(f"def odd(n):\n    {end}\n{loop}").bytes > 2e6


def test_shares_of_calls() -> None:
    one = Verdict(leaves=0.75)
    one.says(Number.of(0.0, True), 1.0)
    one.leaves = None
    one.says(Number.of(1.0, True), 1.0)
    assert one.share == pytest.approx(0.25)
    one.says(None, 1.0)
    assert one.share is None and Verdict().share is None
    assert yes(Number(0.25, 0.0, 1.0, 2.0)) == 0.25 and yes(Number.of(7.0, True)) is yes(None) is None


def test_primes_are_what_has_no_divisor() -> None:
    assert 1 - gone(Number(50.0, 2.0, 100.0, 99.0), 0.01, 99.0) == pytest.approx(math.log(2) / math.log(100))
    assert gone(None, 0.5, 3.0) == pytest.approx(0.875)


def test_as_many_are_alike_as_there_are_squares() -> None:
    assert alike(Number(50.0, 0.0, 99.0, 100.0), Number(50.0, 0.0, 99.0, 100.0)) == pytest.approx(0.1)
    assert alike(Written("", 4.0, 1e15), Written("", 4.0, 1e15)) == pytest.approx(0.01)
    assert alike(Written.like("x"), Written("", 4.0, 100.0)) is alike(None, None) is None


@pytest.mark.parametrize(
    "tries",
    [
        "    for i in range(2, int(n ** 0.5) + 1):\n        if n % i == 0:\n            return i\n    return n\n",
        "    for i in range(2, int(n ** 0.5) + 1):\n        if not n % i:\n            return i\n    return n\n",
        "    for i in range(2, int(n ** 0.5) + 1):\n        d, m = divmod(n, i)\n        if m == 0:\n"
        "            if d > 1:\n                return d\n            else:\n                return i\n    return n\n",
        "    i = 3\n    while i * i <= n:\n        if n % i == 0:\n            break\n        i += 2\n    return i\n",
        "    i = 5\n    while i * i <= n:\n        if n % i == 0 or n % (i + 2) == 0:\n            return i\n"
        "        i += 6\n    return n\n",
    ],
)
def test_most_numbers_have_a_small_divisor(tries: str) -> None:
    text = f"def least(n):\n{tries}\nfor n in range(3, 1_000_000):\n    least(n)\n"
    test = next(one for one in ("if n % i == 0", "if not n % i", "if m == 0") if one in tries)
    some, all_tried = walked(text).seconds, walked(text.replace(test, "if n % i in (5,)")).seconds
    assert all_tried / 15 < some < all_tried / 1.7
    one = "def least(n):\n" + tries + "\nleast(1_000_003)\n"
    assert walked(one).seconds == pytest.approx(walked(one.replace(test, "if n % i in (5,)")).seconds, rel=0.3)


def test_loops_go_on_as_long_as_a_function_says() -> None:
    text = (
        PRIME
        + "kept = []\nfor n in range(1, 100_000):\n    while {}:\n        kept.append((n, n + 1))\n        n += 1\n"
    )
    seldom, often, unknown = (walked(text.format(f"{test}(n)")).bytes for test in ("prime", "not prime", "some"))
    assert 20 * seldom < often and 3 * seldom < unknown
    never = "def never(n):\n    return n == 77\n" + text.format("not never(n)")
    assert walked(never).bytes < 1.1 * unknown
