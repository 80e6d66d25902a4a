"""What objects of plain Python programs take, beside what `tracemalloc` sees of them."""

from __future__ import annotations

import time
import tracemalloc
from textwrap import dedent

import pytest

from forerun.tasks._walked import walked

MB = 1e6
PROGRAMS = {
    "neighbours": """
        from itertools import pairwise
        marks = [i * 0.5 for i in range(40_000)]
        steps = list(pairwise(marks))
        """,
    "lists that are begun behind those that grow": """
        runs = []
        for i in range(60_000):
            if runs and i % 4:
                runs[-1].append(i * 0.5)
            else:
                runs.append([i * 0.5])
        pairs = [(a, b) for run in runs for a, b in zip(run, run[1:])]
        """,
    "a queue that is emptied, with another test": """
        queues = {}
        log = []
        for i in range(30_000):
            queue = queues.setdefault(i % 100, [])
            queue.append([i * 0.5])
            while queue and i % 3:
                log.append((queue.pop(), i))
        """,
    "lists that are filled again": """
        def trace(n):
            out = []
            while len(out) < n:
                out += [0.5 * i for i in range(600)]
                out += range(5000, 5500)
            return out[:n]
        kept = []
        for _ in range(3):
            kept.append(trace(50_000))
        """,
    "a list in the place of another": """
        class Deck:
            def __init__(self):
                self.fill()
            def fill(self):
                self.cards = [i * 0.5 for i in range(50_000)]
        deck = Deck()
        for _ in range(50):
            deck.fill()
        """,
    "what is made where nothing is found": """
        class Book:
            def __init__(self):
                self.rows = [0] * 1000
        books = {}
        for i in range(12_000):
            book = books.get(i % 600) or books.setdefault(i % 600, Book())
        """,
    "floats": "xs = [i * 0.5 for i in range(100_000)]",
    "whole numbers": "xs = list(range(100_000))",
    "texts": "xs = [f'user {i:06d}' for i in range(50_000)]",
    "rows of tuples": "rows = [(i, i * 2.0, 'x') for i in range(40_000)]",
    "rows of lists": "grid = [[0] * 600 for _ in range(600)]",
    "rows of mappings": "rows = [{'id': i, 'name': f'n{i}', 'score': i / 7} for i in range(15_000)]",
    "a list that grows": """
        out = []
        for i in range(200):
            for j in range(400):
                out.append(i * 1000 + j + 1000)
        """,
    "counted keys": "table = {i: i * 3 for i in range(60_000)}",
    "keys that come again": """
        import random
        rng = random.Random(1)
        seen = {}
        for _ in range(200_000):
            seen[rng.randrange(20_000)] = 1
        """,
    "keys that are pairs": """
        cells = {}
        for y in range(200):
            for x in range(200):
                cells[x, y] = x * y + 300
        """,
    "lists under keys": """
        from collections import defaultdict
        groups = defaultdict(list)
        for i in range(120_000):
            groups[i % 500].append(i)
        """,
    "lists of a mapping that are made when a key is new": """
        groups = {}
        for i in range(80_000):
            groups.setdefault(i % 300, []).append(i * 1.5)
        """,
    "sets": "s = {i * 7 for i in range(80_000)}",
    "a queue that keeps so many": """
        from collections import deque
        last = deque(maxlen=40_000)
        for i in range(300_000):
            last.append(i * 2.5)
        """,
    "a cache that throws out": """
        from collections import OrderedDict
        cache = OrderedDict()
        for i in range(60_000):
            cache[i] = f'value of {i}'
            if len(cache) > 15_000:
                cache.popitem(last=False)
        """,
    "what is put in and taken out": """
        import heapq
        heap = []
        for i in range(60_000):
            heapq.heappush(heap, (i * 17 % 1009, i))
            heapq.heappop(heap)
        kept = [i + 0.5 for i in range(50_000)]
        """,
    "things": """
        class Point:
            def __init__(self, x, y):
                self.x = x
                self.y = y
        points = [Point(i * 0.5, i * 0.25) for i in range(40_000)]
        """,
    "things with slots": """
        class Point:
            __slots__ = ('x', 'y')
            def __init__(self, x, y):
                self.x, self.y = x, y
        points = [Point(i * 0.5, i * 0.25) for i in range(40_000)]
        """,
    "data classes with lists": """
        from dataclasses import dataclass, field
        @dataclass
        class Order:
            number: int
            price: float
            lines: list = field(default_factory=list)
        orders = [Order(i, i * 1.25) for i in range(20_000)]
        for order in orders:
            order.lines.append(order.price * 2)
        """,
    "named tuples": """
        from typing import NamedTuple
        class Row(NamedTuple):
            a: int
            b: float
            c: float
        rows = [Row(i, i * 0.5, i * 0.25) for i in range(40_000)]
        """,
    "a graph": """
        import random
        rng = random.Random(3)
        near = [[] for _ in range(20_000)]
        for _ in range(100_000):
            a, b = rng.randrange(20_000), rng.randrange(20_000)
            near[a].append((b, rng.random()))
        """,
    "a search through a grid": """
        from collections import deque
        def reach(n):
            before, queue = {(0, 0): None}, deque([(0, 0)])
            free = [[True] * n for _ in range(n)]
            while queue:
                x, y = queue.popleft()
                for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1)):
                    there = x + dx, y + dy
                    if 0 <= there[0] < n and 0 <= there[1] < n and free[there[1]][there[0]] and there not in before:
                        before[there] = (x, y)
                        queue.append(there)
            return before
        found = reach(200)
        """,
    "a table of a dynamic program": """
        n = 400
        best = [[0] * (n + 1) for _ in range(n + 1)]
        for i in range(1, n + 1):
            for j in range(1, n + 1):
                best[i][j] = best[i - 1][j - 1] + (i * j) % 1000 + 300
        """,
    "what a function remembers": """
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def ways(n, k):
            if n == 0 or k == 0:
                return 1
            return ways(n - 1, k) % 1000007 + ways(n, k - 1) % 1000007
        for n in range(0, 200, 20):
            ways(n, n)
        ways(200, 200)
        """,
    "words of a text": """
        import random
        rng = random.Random(5)
        words = [f'word{i}' for i in range(3_000)]
        text = ' '.join(rng.choices(words, k=100_000))
        parts = text.split()
        """,
    "how often words come": """
        from collections import Counter
        import random
        rng = random.Random(5)
        seen = Counter()
        for _ in range(100_000):
            seen[f'key {rng.randrange(30_000)}'] += 1
        """,
    "a text that is written": """
        import io
        out = io.StringIO()
        for i in range(40_000):
            out.write(f'line {i:08d} of many\\n')
        text = out.getvalue()
        lines = text.splitlines()
        """,
    "JSON there and back": """
        import json
        rows = [{'id': i, 'name': f'name {i}', 'value': i * 0.125} for i in range(10_000)]
        again = json.loads(json.dumps(rows))
        """,
    "a deep copy": """
        import copy
        rows = [[i * 0.5, i * 0.25, [i * 1.5]] for i in range(10_000)]
        again = copy.deepcopy(rows)
        """,
    "an array and bytes": """
        from array import array
        xs = array('d', (i * 0.5 for i in range(200_000)))
        flags = bytearray(1_000_000)
        block = bytes(2_000_000)
        """,
    "a generator that keeps nothing": """
        def numbers(n):
            for i in range(n):
                yield i * 0.5
        total = sum(x for x in numbers(300_000))
        kept = [x for x in numbers(60_000)]
        """,
    "a chain of nodes": """
        class Node:
            def __init__(self, value):
                self.value = value
                self.next = None
        head = last = Node(0.5)
        for i in range(30_000):
            last.next = Node(i * 0.5)
            last = last.next
        """,
    "one thing or the other": """
        import random
        rng = random.Random(9)
        class A:
            def __init__(self): self.x = rng.random()
        class B:
            def __init__(self): self.rows = [rng.random(), rng.random(), rng.random()]
        things = []
        for _ in range(30_000):
            if rng.random() < 0.25:
                thing = B()
            else:
                thing = A()
            things.append(thing)
        """,
    "while something is too small": """
        import random
        rng, names = random.Random(2), set()
        while len(names) < 40_000:
            names.add(''.join(rng.choice('abcdefghij') for _ in range(9)))
        """,
    "a method that has a name": """
        rows = []
        push = rows.append
        for i in range(80_000):
            push(i * 0.5)
        """,
    "options of a command": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument('--count', type=int, default=70_000)
        options = parser.parse_args([])
        xs = [i * 1.5 for i in range(options.count)]
        """,
}


def allocated(text: str) -> float:
    """The most that a program holds at once, which is run."""
    code = compile(dedent(text), "program", "exec")
    for _ in range(2):  # what is imported is there the second time
        tracemalloc.start()
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        exec(code, {"__name__": "__main__"})
        peak = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
    return peak


@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_take_what_python_says(name: str) -> None:
    text = dedent(PROGRAMS[name])
    taken = allocated(text)
    told = walked(text).bytes
    assert taken > MB, "too small to tell"
    assert 0.66 * taken < told < 1.5 * taken, f"{told / MB:.2f} MB told, {taken / MB:.2f} MB taken"


@pytest.mark.parametrize(
    "text",
    [
        "def f(:",
        "x = " + "[" * 200 + "]" * 200,
        "while True:\n    x = [x]",
        "def f(n):\n    return f(n - 1) + f(n - 2)\nf(10 ** 9)",
        "xs = [0] * 10 ** 30",
        "a = b = c\n(a, *b), c.d, e[f] = g()",
        "class A(A): pass\nA().x.y.z()",
        "from x import *\nfor i in y: z[i] += w(**i)",
        "def a():\n    while x:\n        b()\ndef b():\n    while y:\n        a()\na()",
        "class A:\n    def __iter__(self): return self\nfor x in A(): xs.append(x)",
        "match x:\n    case [1, *rest]: rest.append(rest)",
        "\x00",
    ],
)
def test_whatever_a_text_holds_it_is_soon_read(text: str) -> None:
    begun = time.monotonic()
    found = walked(text)
    assert found.bytes >= 0 and found.seconds >= 0 and time.monotonic() - begun < 20


def test_what_multiplies_beyond_measure_is_not_told() -> None:
    loops = "for a in range(10**6):\n for b in range(10**6):\n  for c in range(10**6):\n   xs.append((a, b, c))"
    assert walked(f"xs = []\n{loops}").bytes == 0
    assert walked("xs = [0.5] * 50_000_000").bytes == pytest.approx(4e8, rel=0.1)


def test_lines_are_told_as_tracemalloc_tells_them() -> None:
    text = dedent("""
        def rows(n):
            return [(i, i * 0.5) for i in range(n)]
        kept = rows(60_000)
        seen = {}
        for i in range(80_000):
            seen[i] = kept
        """)
    tracemalloc.start()
    try:
        exec(compile(text, "program", "exec"), names := {})
        lines = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, "program")]).statistics("lineno")
    finally:
        tracemalloc.stop()
    assert names["seen"]
    found = walked(text)
    taken = {one.traceback[0].lineno: one.size for one in lines if one.size > MB}
    taken[7] += taken.pop(6)  # numbers that a loop makes are told where they are kept
    assert taken.keys() == {line for line, rise in found.rises.items() if rise > MB} == {3, 7}
    for line, size in taken.items():
        assert 0.66 * size < found.rises[line] < 1.5 * size
    assert sum(found.rises.values()) == pytest.approx(found.bytes)
    assert sum(found.takes.values()) == pytest.approx(found.seconds)
    assert max(found.takes, key=lambda line: found.takes[line]) in (3, 7)


def test_work_grows_with_the_rounds() -> None:
    one, ten = (walked(f"t = 0\nfor i in range({n}):\n    t += i * i").seconds for n in (10**5, 10**6))
    assert 8 < ten / one < 12


@pytest.mark.parametrize(
    "text",
    [
        """
        parent = list(range(SIZE))
        def find(x):
            while parent[x] != x:
                parent[x] = parent[parent[x]]
                x = parent[x]
            return x
        for i in range(SIZE):
            find(i)
        """,
        """
        xs = [i * 3 for i in range(SIZE)]
        def place(x):
            low, high = 0, len(xs)
            while low < high:
                middle = (low + high) // 2
                if xs[middle] < x:
                    low = middle + 1
                else:
                    high = middle
            return low
        for i in range(SIZE):
            place(i)
        """,
        """
        sums = [0] * SIZE
        def add(i, by):
            while i < SIZE:
                sums[i] += by
                i += i & -i
        def total(i):
            found = 0
            while i:
                found += sums[i]
                i &= i - 1
            return found
        for i in range(1, SIZE):
            add(i, i)
            total(i)
        """,
        """
        class Node:
            def __init__(self, key):
                self.key, self.left, self.right = key, None, None
        root = Node(0)
        def find(key):
            node = root
            while node is not None:
                node = node.left
        for i in range(SIZE):
            kept = Node(i)
            find(i)
        """,
        """
        done = {}
        for i in range(SIZE):
            waiting = [i, i + 1, i + 2]
            while waiting:
                done[i] = waiting.pop()
        """,
    ],
)
def test_loops_that_go_from_one_to_the_next_take_few_rounds(text: str) -> None:
    few, many = (walked(dedent(text).replace("SIZE", str(n))).seconds for n in (2_000, 200_000))
    assert 50 < many / few < 200  # as many times as there are calls, or somewhat more: no square


def test_what_functions_of_python_are_given_takes_time() -> None:
    def seconds(line: str, n: int = 10**6) -> float:
        return walked(f"xs = [float(i) for i in range({n})]\nt = ' '.join(str(i) for i in range({n}))\n{line}").seconds

    base = seconds("")
    for line in ("sum(xs)", "sorted(xs)", "set(xs)", "t.split()", "xs.index(-1)", "', '.join([t, t])"):
        assert seconds(line) > base + 1e-3, line
    assert seconds("sorted(xs)") - base > 4 * (seconds("max(xs)") - base)
    tuples = seconds("ys = [(x, x) for x in xs]\nys.sort()") - seconds("ys = [(x, x) for x in xs]")
    assert tuples > 3 * (seconds("xs.sort()") - base)
    assert seconds("xs.append(1)") < base + 1e-3


def test_names_of_one_call_are_not_those_of_the_next() -> None:
    text = dedent("""
        total = 0
        def count():
            global total
            for i in range(50):
                total += i * 1000
        def rows(n):
            total = ""
            for i in range(n):
                total += "a" * 100
            return [total + str(i) for i in range(n)]
        for n in range(30):
            count()
            kept = rows(100 + n)
        """)
    found = set()
    for _ in range(8):
        walked.cache_clear()
        found.add((walked(text).bytes, walked(text).seconds))
    assert len(found) == 1


WORK = "def work(n):\n    t = 0\n    for i in range(n):\n        t += i * i\n    return t\n"
ONCE = walked(WORK + "work(1_000_000)").seconds


@pytest.mark.parametrize(
    ("line", "times"),
    [
        ("sorted(range(100), key=lambda x: work(10_000))", 1),
        ("max(range(100), key=lambda x: work(10_000))", 1),
        ("from itertools import filterfalse\nlist(filterfalse(work, [10_000] * 100))", 1),
        ("from functools import reduce\nreduce(lambda a, b: work(10_000), range(101))", 1),
        ("from multiprocessing import Pool\nwith Pool(2) as pool:\n    pool.map(work, [10_000] * 100)", 1),
        ("from concurrent.futures import ThreadPoolExecutor as E\nE().submit(work, 1_000_000)", 1),
        ("from timeit import timeit\ntimeit('work(10_000)', globals=globals(), number=100)", 1),
        ("class Own:\n    def map(self, f, xs):\n        f(10**6)\nOwn().map(work, [10] * 100)", 1),
        ("import timeit\ntimeit.repeat(lambda: work(10_000), repeat=2, number=100)", 2),
        ("import timeit\nn = 10_000\ntimeit.timeit(f'm.work({n})', 'import __main__ as m', number=100)", 1),
        ("from timeit import timeit\ntimeit(setup='from __main__ import work', stmt='work(1)')", 20),
    ],
)
def test_what_calls_the_programs_own_functions_takes_what_they_do(line: str, times: float) -> None:
    found = walked(WORK + line)
    assert not found.guessed
    if times == 20:  # a million calls, which take more than their rounds
        assert ONCE < found.seconds < 20 * ONCE
    else:
        assert found.seconds == pytest.approx(times * ONCE, rel=0.1)


def test_examples_of_docstrings_and_test_cases_are_run() -> None:
    shown = WORK.replace("\n", '\n    """\n    >>> work(1_000_000)\n    333332833333500000\n    """\n', 1)
    failing = shown.replace("3333328333335", "Traceback (most recent call last):\n    ValueError: ")
    at = [line.strip() for line in shown.splitlines()].index("t += i * i") + 1
    for run in (
        "import doctest\ndoctest.testmod()",
        '__import__("doctest").testmod()',
        "from doctest import testmod\ntestmod()",
    ):
        found = walked(shown + run)
        assert found.seconds == pytest.approx(ONCE, rel=0.1) and max(found.takes, key=found.takes.__getitem__) == at
    assert walked(shown).seconds < 0.1 * ONCE
    again = shown.replace(">>> work(1_000_000)", ">>> import doctest; doctest.testmod(); work(1_000_000)")
    assert walked(again + "import doctest\ndoctest.testmod()").seconds == pytest.approx(ONCE, rel=0.1)
    assert walked(failing + "import doctest\ndoctest.testmod()").seconds < 0.1 * ONCE
    case = """
        import unittest
        class Base(unittest.TestCase):
            def setUp(self):
                self.n = 500_000
        class Case(Base):
            @classmethod
            def setUpClass(cls):
                cls.few = 10
            def test_one(self):
                self.assertTrue(work(self.n + self.few))
            def test_two(self):
                work(self.n)
            def helper(self):
                work(10**9)
        if __name__ == "__main__":
            unittest.main()
    """
    assert walked(WORK + dedent(case)).seconds == pytest.approx(ONCE + 4e-3, rel=0.1)
    assert walked(WORK + dedent(case).replace("unittest.main()", "pass")).seconds < 0.1 * ONCE


@pytest.mark.parametrize(
    ("text", "rounds"),
    [
        ("for p in range(2, 10**6):\n    if p * p > n:\n        break\n    BODY", 1e3),
        ("for p in range(2, 10**6):\n    square = p * p\n    if p == 7 or square > n:\n        break\n    BODY", 1e3),
        ("for p in range(10**6, 2, -1):\n    if p < n - 1000:\n        break\n    BODY", 1e3),
        ("for i in range(1000):\n for p in range(2, 10**6):\n  if i * p > 10**4:\n   break\n  BODY", 2e4),
        ("while n % 5 == 0:\n    n //= 5\n    BODY", 10),
        ("at = 0\nfor _ in range(1000):\n    while at < 50_000 and at * at != 2:\n        at += 1\n        BODY", 1e5),
    ],
)
def test_loops_that_end_early_go_as_far_as_they_do(text: str, rounds: float) -> None:
    body = "work(10_000)"
    found = walked(WORK + "n = 10**6\n" + text.replace("BODY", body))
    assert not found.guessed
    assert rounds / 2.5 < found.seconds / (ONCE / 100) < rounds * 2.5


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def f(x):\n    return f(of[x]) if x else 0\nf(10)", 1),
        ("n = 10\nwhile n != 1:\n    n = n // 2 if n % 2 == 0 else 3 * n + 1", 2),
        ("n = 7\nwhile True:\n    n = n * 5 % 97\n    if n == 3:\n        break", 2),
        ("for line in unknown():\n    print(line)", 1),
    ],
)
def test_what_happens_nobody_knows_how_often_is_marked(text: str, line: int) -> None:
    assert walked(text).guessed == {line}


def test_what_is_no_python_is_not_followed() -> None:
    assert not walked("def f(:").followed and not walked("x = 1\n" * 100_000).followed and walked("x = 1").followed


def test_products_of_many_lengths_take_what_the_longest_do() -> None:
    text = WORK + "from itertools import product\nfor k in range(1, 17):\n    for bits in product([0, 1], repeat=k):\n"
    found = walked(text + "        work(100)\n").seconds
    assert found == pytest.approx(ONCE * (2**17 - 2) * 100 / 1e6, rel=0.3)


def test_len_is_of_what_it_is_asked_of() -> None:
    text = WORK + "def f(xs):\n    for i in range(len(xs)):\n        work(100)\n"
    both = walked(text + "f([1] * 10)\nfor _ in range(1000):\n    f([1] * 5)\n").seconds
    assert both == pytest.approx(ONCE * 5010 / 1e4, rel=0.3)


def test_what_functions_hand_on_is_there_once() -> None:
    text = "".join(f"def step{n}(rows):\n    step{n + 1}(rows)\n" for n in range(12))
    text += "def step12(rows):\n    for i in range(10000):\n        rows.append([i, i + 1])\n"
    text += "for k in range(50):\n    rows = []\n    step0(rows)\n"
    assert 1e6 < walked(text).bytes < 4e6


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "python",
            "def words(s):\n    i, n, found = 0, len(s), []\n    while i < n:\n        if s[i].isalpha():\n"
            "            j = i\n            while j < n and s[j].isalnum():\n                j += 1\n"
            "            found.append(s[i:j])\n            i = j\n        else:\n            i += 1\n    return found\n"
            "words('some words ' * 100000)\n",
        ),
        (
            "python",
            "def words(s):\n    i, n, found = 0, len(s), []\n    while i < n:\n        start = i\n"
            "        while i < n and s[i].isalnum():\n            i += 1\n        found.append(s[start:i])\n"
            "        i += 1\n    return found\nwords('some words ' * 100000)\n",
        ),
        (
            "javascript",
            "function runs(s) { const r = []; let i = 0; while (i < s.length) { let j = i + 1;"
            " while (j < s.length && s[j] === s[i]) j++; r.push(j - i); i = j; } return r; }\n"
            "console.log(runs('some words '.repeat(100000)).length);\n",
        ),
    ],
)
def test_loops_that_go_on_where_another_one_ends_go_through_all_once(language: str, text: str) -> None:
    assert walked(text, "", language).seconds < 2.0


CHAINED = """#include <stdlib.h>
#include <string.h>
#include <stdio.h>
struct entry { char *key; int many; struct entry *next; };
static struct entry *table[1024];
static void count(const char *key) {
    unsigned h = 0;
    for (const char *p = key; *p; p++) h = h * 31 + *p;
    for (struct entry *e = table[h % 1024]; e; e = e->next)
        if (!strcmp(e->key, key)) { e->many++; return; }
    struct entry *e = malloc(sizeof *e);
    e->key = strdup(key); e->many = 1; e->next = table[h % 1024]; table[h % 1024] = e;
}
int main(void) {
    char text[32];
    for (int i = 0; i < 1000000; i++) { snprintf(text, sizeof text, "%d", rand() % 5000); count(text); }
    return 0;
}
"""


def test_runs_are_fewer_than_what_they_are_of() -> None:
    text = (
        "function runs(a) { const r = []; let i = 0; while (i < a.length) { let j = i;"
        " while (j < a.length && a[j] === a[i]) j++; r.push(j - i); i = j; } return r; }\n"
        "const a = []; for (let k = 0; k < 1000000; k++) a.push(k % 7);\nruns(a);\n"
    )
    assert walked(text, "", "javascript").bytes < 1.5 * walked(text.replace("runs(a);", ""), "", "javascript").bytes


def test_what_is_looked_for_first_is_there_once() -> None:
    assert 5000 * 32 < walked(CHAINED, "", "c").bytes < 5000 * 120
    text = (
        "import random\nkeys, rows = [], []\ndef place(key):\n    for i in range(len(keys)):\n"
        "        if keys[i] == key:\n            return i\n    keys.append(key)\n    rows.append([key, key, key])\n"
        "    return len(keys) - 1\nfor _ in range(20000):\n    place(random.randrange(50))\n"
    )
    assert walked(text).bytes < 60 * 200


def test_searches_that_mark_what_they_come_to_are_told_to_the_end() -> None:
    text = (
        "W, H = 200, 100\ngrid = [[0] * W for _ in range(H)]\nfor y in range(H):\n    for x in range(W):\n"
        "        if grid[y][x]:\n            continue\n        stack = [(x, y)]\n        while stack:\n"
        "            a, b = stack.pop()\n            for c, d in ((a + 1, b), (a, b + 1)):\n"
        "                if c < W and d < H and not grid[d][c]:\n                    grid[d][c] = 1\n"
        "                    stack.append((c, d))\n"
    )
    assert not walked(text).guessed
    once = "grid = [0] * 9999\nstack = [1]\nwhile stack:\n    a = stack.pop()\n    if not grid[a]:\n"
    once += "        stack.append(a)\n"
    assert walked(once).guessed


@pytest.mark.parametrize(
    "line",
    [
        "f'{i},{random.choice(places)},{random.random():.2f}'",
        "f'{i}\t{random.choice(places)}\t{i % 7}\\n'",
        "' '.join([str(i), random.choice(places), 'x'])",
    ],
)
def test_what_was_put_together_of_several_is_those_again(line: str) -> None:
    mark = "'\\t'" if "\t" in line else "" if "join" in line else "','"
    text = (
        "import random\nplaces = ['north', 'south', 'east', 'west']\n"
        f"rows = [{line} for i in range(100000)]\ncount = {{}}\n"
        f"for row in rows:\n    many, place, last = row.split({mark})\n    count[place] = [int(many), place]\n"
    )
    found = walked(text)
    assert sum(found.rises.get(line, 0.0) for line in (4, 5, 6, 7)) < 2000 < found.bytes


CHAIN = """import random
class Node:
    def __init__(self, key):
        self.key, self.prev, self.next = key, None, None
class Cache:
    def __init__(self, most):
        self.most, self.kept, self.first, self.last = most, {}, Node(0), Node(0)
        self.first.next = self.last
        self.last.prev = self.first
    def out(self, node):
        UNLINKS
    def put(self, key):
        if len(self.kept) >= self.most:
            old = self.last.prev
            self.out(old)
            del self.kept[old.key]
        node = Node(key)
        self.kept[key] = node
        node.next, node.prev = self.first.next, self.first
        self.first.next.prev = node
        self.first.next = node
cache = Cache(1000)
for i in range(300000):
    cache.put(random.random())
"""


@pytest.mark.parametrize(
    "out",
    [
        "node.prev.next = node.next\n        node.next.prev = node.prev",
        "before, after = node.prev, node.next\n        before.next = after\n        after.prev = before",
    ],
)
def test_what_is_taken_out_of_a_chain_is_not_held(out: str) -> None:
    assert walked(CHAIN.replace("UNLINKS", out)).bytes < 1000 * 500
    assert walked(CHAIN.replace("UNLINKS", "pass")).bytes > 1e7


LETTERS = """import random
class Node:
    def __init__(self):
        self.children = {}
root = Node()
for i in range(100000):
    word = ""
    for _ in range(4):
        word += chr(97 + random.randrange(10))
    node = root
    for c in word:
        PUTS
"""


@pytest.mark.parametrize(
    "puts",
    [
        "node = node.children.setdefault(c, Node())",
        "if c not in node.children:\n            node.children[c] = Node()\n        node = node.children[c]",
    ],
)
def test_a_tree_of_letters_has_as_many_nodes_as_words_have_beginnings(puts: str) -> None:
    found = walked(LETTERS.replace("PUTS", puts))
    assert 11_110 * 150 < found.bytes < 11_110 * 1000 and found.seconds > 0.05


def test_a_letter_is_one_letter() -> None:
    text = "import random\nrows = ['' for _ in range(9)]\nword = ''\nfor i in range(5):\n    word += chr(97 + i)\n"
    more = walked(f"{text}kept = [word + str(i) for i in range(100000)]\n").bytes
    assert 100_000 * (8 + 49 + 9) < more < 100_000 * (8 + 49 + 16)


@pytest.mark.parametrize(
    ("text", "least"),
    [
        ("layer = [1]\nfor d in range(20):\n    layer = [2 * x + i for x in layer for i in (0, 1)]\n", 3e7),
        ("layer = [1]\nfor d in range(20):\n    more = []\n    for x in layer:\n        for i in (0, 1):\n"
         "            more.append(2 * x + i)\n    layer = more\n", 3e7),
        ("parts = [[]]\nfor x in range(17):\n    parts += [[*part, x] for part in parts]\n", 1e7),
        ("text = 'ab'\nfor _ in range(24):\n    text = text + text[::-1]\n", 3e7),
    ],
)  # fmt: skip
def test_what_is_several_times_as_much_after_each_round_is_that_in_the_end(text: str, least: float) -> None:
    assert least < walked(text, "").bytes < 5 * least


@pytest.mark.parametrize(
    "keeps",
    [
        "if n > best[-1][0]:\n            best.append([n, a, b])",
        "if best[-1][1] < n:\n            best.append((a, n))",
        "if n > best[0][0]:\n            best[0] = (n, [a, b], [b])\n            all.append([a, b])",
    ],
)
def test_few_are_better_than_all_before(keeps: str) -> None:
    text = (
        "import random\nbest, all = [[0, 0, 0]], []\nfor a in range(1000):\n    for b in range(1000):\n"
        f"        n = random.random()\n        {keeps}\n"
    )
    assert walked(text).bytes < 1e4
    for other in ("if n > best[-1][0]:\n            best.append([a, n, b])", "if n > a:\n            best.append([n])"):
        assert walked(text.replace(keeps, other)).bytes > 1e7


def test_what_stands_behind_a_return_that_is_come_to_is_not_done() -> None:
    text = (
        "def known(n):\n    if n == 10_000_000:\n        return 5\n    return len([0] * n)\n"
        "print(known(1000))\nprint(known(10_000_000))\n"
    )
    assert walked(text).bytes < 1e5
    assert walked(text.replace("== 10_000_000", "== 7")).bytes > 7e7
    raises = "def check(n):\n    if n > 5:\n        raise ValueError\n    return len([0] * n)\n"
    assert walked(f"{raises}print(check(10**7))\n").bytes > 7e7


def test_a_sum_of_what_grows_goes_further_each_round() -> None:
    text = "total, k, kept = 0, 0, []\nwhile total < 10**9:\n    k += 1\n    total += k * k\n    kept.append((k, k))\n"
    each = walked("kept = []\nfor k in range(100_000):\n    kept.append((k, k))\n").bytes / 1e5
    assert walked(text).bytes / each == pytest.approx(3e9 ** (1 / 3), rel=0.2)
    assert walked(text.replace("k * k", "7000")).bytes / each == pytest.approx(1e9 / 7000, rel=0.2)


def test_what_each_round_reckons_anew_is_no_sum_of_what_loops_in_it_add() -> None:
    text = (
        "first, total, kept = 1, 5, []\nwhile total < 10**8:\n    last = first + 1\n    while total < 10**8:\n"
        "        last += 1\n        total += last * last\n        kept.append((last, last))\n    first += 1\n"
        "    total = first ** 2 + (first + 1) ** 2\n"
    )
    total, first, count = 5, 1, 0
    while total < 10**8:
        last = first + 1
        while total < 10**8:
            last += 1
            total += last * last
            count += 1
        first += 1
        total = first**2 + (first + 1) ** 2
    each = walked("kept = []\nfor k in range(100_000):\n    kept.append((k, k))\n").bytes / 1e5
    assert count / 3 < walked(text).bytes / each < 3 * count


def test_what_stands_behind_and_is_asked_where_the_first_holds() -> None:
    text = (
        "def slow(n):\n    return sum(range(n)) > 7\nfound = 0\nfor n in range(1000):\n"
        "    if n {} and slow(10_000):\n        found += 1\n"
    )
    seldom, often = (walked(text.format(test)).seconds for test in ("< 10", "< 900"))
    assert often > 20 * seldom
    either = text.replace(" and ", " or ")
    assert walked(either.format("< 900")).seconds < 0.3 * walked(either.format("< 10")).seconds


def test_what_is_between_bounds_is_as_seldom_as_these_tell() -> None:
    text = "kept = []\nfor a in range(1000):\n    for b in range(1000):\n"
    text += "        if 0 <= a < b <= {}:\n            kept.append((a, b))\n"
    assert walked(text.format(50)).bytes < 0.2 * walked(text.format(1000)).bytes


def test_few_flags_of_a_sieve_stay() -> None:
    text = (
        "n = 1_000_000\nflags = [True] * n\nfor i in range(2, 1000):\n    if flags[i]:\n"
        "        for j in range(i * i, n, i):\n            flags[j] = False\n"
        "kept = []\nfor i in range(2, n):\n    if {}:\n        kept.append((i, i))\n"
    )
    each = walked("kept = []\nfor k in range(100_000):\n    kept.append((k, k))\n").bytes / 1e5
    for test in ("flags[i]", "flags[i] == True", "not flags[i] == 0"):
        kept = walked(text.format(test)).bytes - 8e6
        assert 78_498 / 2 < kept / each < 78_498 * 2


def test_ways_of_a_function_to_call_itself_are_not_all_gone() -> None:
    text = (
        "class Node:\n    def __init__(self, kind):\n        self.kind, self.left, self.right = kind, None, None\n"
        "one = Node(int(input()))\none.left = one.right = one\ndef f(x, n):\n    if n < 0:\n        return 1\n"
    )
    both = "f(x.left, n - 1) + f(x.right, n + 1)"
    ways = "".join(f"        case {case}:\n            found = {both}\n" for case in ("1", "2", "_"))
    each = (f"    return {both}\nprint(f(one, 8))\n", f"    match x.kind:\n{ways}    return found\nprint(f(one, 8))\n")
    few, many = (walked(text + one).seconds for one in each)
    assert few < many < 2 * few


def test_a_loop_ends_at_the_first_flag_that_is_not_set() -> None:
    text = (
        "n = 1_000_000\nflags = [True] * n\nfor i in range(2, 1000):\n    if flags[i]:\n"
        "        for j in range(i * i, n, i):\n            flags[j] = False\n"
        "for i in range(2, n):\n    k = turned(i)\n    while k != i:\n        if {}:\n            break\n"
        "        flags[k]\n        k = turned(k)\n"
    )
    first, last = (walked(text.format(test)).seconds for test in ("not flags[k]", "unknown(k)"))
    assert first < 1.0 < last
