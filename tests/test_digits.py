"""Whole numbers that become longer take longer, unless something makes them shorter again."""

import pytest

from forerun.tasks._walked import walked

PRODUCT = "f = 1\nfor i in range(1, N):\n    f *= i\n"
PROGRAMS = {
    "product": PRODUCT,
    "product, written out": "f = 1\nfor i in range(1, N):\n    f = i * f\n",
    "in a function": "def f(n):\n    p = 1\n    for i in range(2, n):\n        p = p * i\n    return p\nf(N)\n",
    "hash": "h = 7\nfor i in range(N):\n    h = h * 31 + i\n",
    "Fibonacci": "a, b = 0, 1\nfor i in range(N):\n    a, b = b, a + b\n",
    "Fibonacci, by three": "a, b = 0, 1\nfor i in range(N):\n    c = a + b\n    a = b\n    b = c\n",
}
SHORT = {
    "rest": "h = 7\nfor i in range(N):\n    h = (h * 31 + i) % 1000003\n",
    "rest of its own": "f = 1\nfor i in range(1, N):\n    f *= i\n    f %= 1000003\n",
    "mask": "h = 7\nfor i in range(N):\n    h = (h * 31) & 65535\n",
    "Fibonacci": "a, b = 0, 1\nfor i in range(N):\n    a, b = b, (a + b) % 1000\n",
    "floats": "x = 1.0\nfor i in range(N):\n    x = x * 1.0001\n",
    "sum": "s = 0\nfor i in range(N):\n    s = s + i\n",
    "anew": "for i in range(N):\n    p = 1\n    for j in range(3):\n        p *= j + 1\n",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_longer_numbers_take_longer(name: str) -> None:
    some, many = (walked(PROGRAMS[name].replace("N", n)) for n in ("40000", "160000"))
    assert many.seconds > 10 * some.seconds and many.hidden > 0.5 * many.seconds


@pytest.mark.parametrize("name", SHORT)
def test_numbers_that_stay_short_do_not(name: str) -> None:
    some, many = (walked(SHORT[name].replace("N", n)) for n in ("40000", "160000"))
    assert many.seconds == pytest.approx(4 * some.seconds, rel=0.1) and not many.hidden


@pytest.mark.parametrize(
    ("text", "seconds"),  # CPython 3.11 on one core of an AMD EPYC (Zen 4)
    [
        (PRODUCT.replace("N", "8000"), 0.0101),
        (PROGRAMS["Fibonacci"].replace("N", "50000"), 0.0228),
        ("n, s = 2**521 - 1, 0\nfor i in range(2, 800):\n    s += pow(i, n - 1, n)\n", 0.37),
    ],
)
def test_long_numbers_take_what_was_measured(text: str, seconds: float) -> None:
    assert walked(text).seconds == pytest.approx(seconds, rel=0.5)


@pytest.mark.parametrize(
    ("test", "rounds"),  # counted
    [("x != 1", 108), ("x > 1", 108), ("x >= n", 10)],
)
@pytest.mark.parametrize(
    "step",
    [
        "        x = x // 2 if x % 2 == 0 else 3 * x + 1\n",
        "        if x % 2:\n            x = 3 * x + 1\n        else:\n            x //= 2\n",
    ],
)
def test_numbers_that_fall_and_rise_go_on_for_as_long_as_logarithms_say(test: str, rounds: int, step: str) -> None:
    text = "for n in range(1, 100_000):\n    x = n\n    ROUNDS:\n" + step
    told = walked(text.replace("ROUNDS", f"while {test}"))
    known = walked(text.replace("ROUNDS", f"for _ in range({rounds})"))
    assert told.seconds == pytest.approx(known.seconds, rel=0.4) and told.guessed == {3}
