"""What is copied, moved or gone through as a whole each time takes as long as there is of it, and single calls as long
as what they are asked for."""

import pytest

from forerun.tasks._lines import Used
from forerun.tasks._walked import walked

PROGRAMS = {
    "prepended": ("python", "s = ''\nfor i in range(N):\n    s = str(i) + s\n"),
    "spelt ahead": ("python", "s = ''\nfor i in range(N):\n    s = f'{i}{s}'\n"),
    "added to a name of the module": ("python", "s = ''\nfor i in range(N):\n    s += 'word'\n"),
    "put together for a name of the module": ("python", "s = ''\nfor i in range(N):\n    s = s + 'word'\n"),
    "added to a global": (
        "python",
        "s = ''\ndef add():\n    global s\n    s += 'word'\nfor i in range(N):\n    add()\n",
    ),
    "spelt behind": ("python", "def f():\n    s = ''\n    for i in range(N):\n        s = f'{s}{i}'\nf()\n"),
    "added to an attribute": (
        "python",
        "class Writer:\n    def __init__(self):\n        self.text = ''\n    def add(self, more):\n"
        "        self.text += more\nwriter = Writer()\nfor i in range(N):\n    writer.add('word')\n",
    ),
    "asked for": (
        "python",
        "a = []\nfor i in range(N):\n    if i * i % 999983 not in a:\n        a.append(i * i % 999983)\n",
    ),
    "taken from the front": ("python", "a = list(range(N))\nwhile a:\n    a.pop(0)\n"),
    "put in front": ("python", "a = []\nfor i in range(N):\n    a.insert(0, i)\n"),
    "listed anew": ("python", "a = []\nfor i in range(N):\n    a = [*a, i]\n"),
    "added to": ("python", "a = []\nfor i in range(N):\n    a = a + [i]\n"),
    "keyed anew": ("python", "d = {}\nfor i in range(N):\n    d = {**d, i: i}\n"),
    "go": (
        "go",
        'package main\nfunc main() {\n\ts := ""\n\tfor i := 0; i < N; i++ {\n'
        '\t\ts += "word"\n\t}\n\tprintln(len(s))\n}\n',
    ),
    "lua": ("lua", 'local s = ""\nfor i = 1, N do\n  s = s .. "word"\nend\nprint(#s)\n'),
    "javascript, spread": (
        "javascript",
        "let o = {};\nfor (let i = 0; i < N; i++) o = {...o, ['k' + i]: i};\nconsole.log(o);\n",
    ),
    "javascript, first": (
        "javascript",
        "const a = [];\nfor (let i = 0; i < N; i++) a.unshift(i);\nwhile (a.length) a.shift();\n",
    ),
    "ruby": ("ruby", "a = []\nN.times do |i|\n  v = i * i % 999983\n  a << v unless a.include?(v)\nend\nputs a.size\n"),
    "rust": (
        "rust",
        "fn main() {\n    let mut v: Vec<u64> = (0..N).collect();\n"
        "    while !v.is_empty() {\n        v.remove(0);\n    }\n}\n",
    ),
    "c++": (
        "c++",
        "#include <vector>\nint main() {\n  std::vector<int> v(N);\n  while (!v.empty()) { v.erase(v.begin()); }\n}\n",
    ),
    "c, joined": (
        "c",
        "#include <string.h>\nstatic char b[N + 1];\nint main(void) {\n"
        '  for (int i = 0; i < N; i++) strcat(b, "x");\n}\n',
    ),
    "c, measured": (
        "c",
        "#include <string.h>\nstatic char b[N + 1];\nint main(void) {\n"
        "  for (int i = 0; i < (int)strlen(b); i++) b[i] ^= 1;\n}\n",
    ),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_what_goes_through_all_of_it_each_time_takes_the_square(name: str) -> None:
    language, text = PROGRAMS[name]
    some, many = (walked(text.replace("N", n), "", language) for n in ("40000", "160000"))
    assert many.seconds > 10 * some.seconds and not many.guessed


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "a = []\nfor i in range(N):\n    v = i * i % M\n    if v not in a:\n        a.append(v)\n"),
        (
            "python",
            "a = []\nfor i in range(N):\n    v = i % M\n    if v in a:\n        pass\n    else:\n        a.append(v)\n",
        ),
        (
            "javascript",
            "const a = [];\nfor (let i = 0; i < N; i++) {\n  const v = i * i % M;\n"
            "  if (!a.includes(v)) a.push(v);\n}\n",
        ),
        (
            "javascript",
            "const a = [];\nfor (let i = 0; i < N; i++) {\n  const v = i * i % M;\n"
            "  if (a.indexOf(v) === -1) a.push(v);\n}\n",
        ),
        ("ruby", "a = []\nN.times do |i|\n  v = i * i % M\n  a << v unless a.include?(v)\nend\n"),
        (
            "php",
            "<?php\n$a = [];\nfor ($i = 0; $i < N; $i++) {\n    $v = $i * $i % M;\n"
            "    if (!in_array($v, $a)) $a[] = $v;\n}\n",
        ),
        (
            "perl",
            "my @a;\nfor my $i (1 .. N) {\n    my $v = $i * $i % M;\n    push @a, $v unless grep { $_ == $v } @a;\n}\n",
        ),
        (
            "rust",
            "fn main() {\n    let mut a: Vec<u64> = Vec::new();\n    for i in 0..N {\n        let v = i * i % M;\n"
            "        if !a.contains(&v) { a.push(v); }\n    }\n}\n",
        ),
        (
            "c++",
            "#include <algorithm>\n#include <vector>\nint main() {\n  std::vector<int> a;\n"
            "  for (int i = 0; i < N; i++) {\n    int v = i * i % M;\n"
            "    if (std::find(a.begin(), a.end(), v) == a.end()) a.push_back(v);\n  }\n}\n",
        ),
    ],
)
def test_lists_of_what_differs_have_as_much_as_there_is(language: str, text: str) -> None:
    few, many = (walked(text.replace("N", "30000").replace("M", m), "", language) for m in ("500", "90000"))
    assert many.seconds > 8 * few.seconds and not many.guessed
    assert language == "perl" or many.hidden > 0.5 * many.seconds


def test_texts_take_longer_to_compare() -> None:
    text = "a = []\nfor i in range(9000):\n    v = WHAT\n    if v not in a:\n        a.append(v)\n"
    numbers, texts = (walked(text.replace("WHAT", what)).seconds for what in ("i % 8009", "'k' + str(i % 8009)"))
    assert 1.5 * numbers < texts < 4 * numbers


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f():\n    s = ''\n    for i in range(N):\n        s += str(i)\nf()\n"),
        ("python", "def f():\n    s = ''\n    for i in range(N):\n        s = s + str(i)\nf()\n"),
        ("python", "from collections import deque\na = deque(range(N))\nwhile a:\n    a.popleft()\n"),
        ("python", "a = {*()}\nfor i in range(N):\n    if i not in a:\n        a.add(i)\n"),
        ("python", "a = list(range(N))\nwhile a:\n    a.pop()\n"),
        ("javascript", "let s = '';\nfor (let i = 0; i < N; i++) s = s + 'word';\nconsole.log(s.length);\n"),
        ("ruby", "s = ''\nN.times { |i| s << 'word' }\nputs s.size\n"),
    ],
)
def test_what_is_added_in_its_place_does_not(language: str, text: str) -> None:
    some, many = (walked(text.replace("N", n), "", language).seconds for n in ("40000", "160000"))
    assert many < 6 * some


def test_texts_that_grow_in_front_hold_all_of_it() -> None:
    held = walked("s = ''\nfor i in range(100_000):\n    s = 'word' + s\n").bytes
    assert held == pytest.approx(400_000, rel=0.1)


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("import hashlib\nhashlib.pbkdf2_hmac('sha256', b'pw', b'salt', 10_000_000)", 1.0, 4.0),
        ("import hashlib\nhashlib.scrypt(b'pw', salt=b's', n=2**18, r=8, p=1)", 0.3, 1.5),
        ("x = 3**3_000_000", 0.1, 0.8),
        ("import math\nmath.factorial(200_000)", 0.1, 0.8),
        ("import os, base64\nbase64.b64encode(os.urandom(100_000_000))", 0.1, 0.8),
        ("for i in range(100_000):\n    eval('i * 2 + 1')", 0.2, 0.8),
        ("exec('s = 0\\nfor i in range(10_000_000): s += i')", 0.2, 0.9),
    ],
)
def test_single_calls_take_what_they_are_asked_for(text: str, least: float, most: float) -> None:
    assert least < walked(text).seconds < most


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("import hashlib\nhashlib.scrypt(b'pw', salt=b's', n=2**18, r=8, p=1)", 268e6),
        ("import ctypes\nb = ctypes.create_string_buffer(300_000_000)", 300e6),
        ("import os\ndata = os.urandom(100_000_000)\ntext = data.hex()", 300e6),
        ("import os\nxs = [0] * int(os.environ.get('N', '10000000'))", 80e6),
        ("import os\nxs = [0] * int(os.getenv('N', 10_000_000))", 80e6),
        ("import json\nxs = [0] * json.loads('{\"n\": 10000000}')['n']", 80e6),
        ("match 'big':\n    case 'small':\n        n = 1\n    case 'big':\n        n = 10**7\nxs = [0] * n", 80e6),
        ("import sys\nn = int(sys.argv[1]) if len(sys.argv) > 1 else 10**7\nxs = [0] * n", 80e6),
    ],
)
def test_single_calls_hold_what_they_are_asked_for(text: str, held: float) -> None:
    assert walked(text).bytes == pytest.approx(held, rel=0.1)


def test_a_deep_copy_takes_what_all_that_is_inside_takes_each_time() -> None:
    def copied(times: int, inside: int) -> Used:
        tree = f"tree = {{'all': [{{'of': [i * 0.5 for i in range({inside})]}} for _ in range(500)]}}"
        return walked(f"import copy\n{tree}\ncopies = [copy.deepcopy(tree) for _ in range({times})]\n")

    once, often, larger = copied(1, 20), copied(20, 20), copied(1, 400)
    assert 0.001 < once.takes[3] < 0.01 and often.takes[3] == pytest.approx(20 * once.takes[3], rel=0.1)
    assert larger.takes[3] > 8 * once.takes[3]
    assert often.bytes - once.bytes == pytest.approx(19 * 2.2e5, rel=0.1)  # numbers are those of the tree


WRITER = """
class Writer:
    def __init__(self):
        self.text = ''
        self.parts = []
    def add(self, more):
        self.text += more
        if len(self.text) > 1000:
            FLUSH
    def flush(self):
        self.parts.append(self.text)
        self.text = ''
writer = Writer()
for i in range(COUNT):
    writer.add('word')
"""


def written(count: int, flush: str) -> Used:
    """What `WRITER` takes."""
    return walked(WRITER.replace("COUNT", str(count)).replace("FLUSH", flush))


@pytest.mark.parametrize("flush", ["self.flush()", "self.parts.append(self.text); self.text = ''"])
def test_texts_that_are_begun_anew_once_they_are_long_enough_are_copied_no_further(flush: str) -> None:
    some, many = (written(n, flush) for n in (40_000, 160_000))
    assert 3 < many.seconds / some.seconds < 5 and many.seconds < 0.1
    assert many.bytes == pytest.approx(680_000, rel=0.1)  # all that was written, 1,004 letters at a time


def test_texts_that_are_begun_anew_and_kept_by_nobody_are_one() -> None:
    assert written(160_000, "self.text = ''").bytes < 10_000


@pytest.mark.parametrize(
    ("text", "held"),  # by tracemalloc
    [
        ("batch, sent = [], 0\nfor i in range(160_000):\n    batch.append('word%d' % i)\n"
         "    if len(batch) >= 1000:\n        sent += len(batch)\n        batch = []\n", 75e3),
        ("batch, sent = [], []\nfor i in range(160_000):\n    if len(batch) >= 64:\n        sent.append(batch)\n"
         "        batch = []\n    batch.append('word%d' % i)\n", 10.8e6),
        ("batch, sent = [], []\nfor i in range(160_000):\n    batch.append('word%d' % i)\n"
         "    if len(batch) == 64:\n        sent.append(batch)\n        batch = []\n", 10.8e6),
        ("kept = {}\nfor i in range(160_000):\n    kept[i] = 'word%d' % i\n    if len(kept) > 200:\n"
         "        kept = {}\n", 30e3),
        ("rows = []\nfor i in range(160_000):\n    rows.append('word%d' % i)\n    if len(rows) > 10**9:\n"
         "        rows = []\n", 10.6e6),
        (
            "batch, sent = {}, []\nfor i in range(160_000):\n    batch[i] = 'word%d' % i\n    if len(batch) >= 1000:\n"
            "        sent.append(sorted(batch.items()))\n        batch = {}\n",
            24.6e6,
        ),
        (
            "batch, sent = {}, []\nfor i in range(160_000):\n    batch[i] = 'word%d' % i\n    if len(batch) >= 1000:\n"
            "        sent.append(batch)\n        batch = {}\n",
            20.4e6,
        ),
        (
            "words = {i: 'word%d' % i for i in range(1000)}\nall = []\nfor i in range(160):\n"
            "    all.append(list(words.items()))\n",
            10.3e6,
        ),
    ],
)  # fmt: skip
def test_what_is_begun_anew_once_it_is_full_has_no_more(text: str, held: float) -> None:
    assert walked(text).bytes == pytest.approx(held, rel=0.2)
