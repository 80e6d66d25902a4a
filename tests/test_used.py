"""What programs that use packages hold and how long they work: gone through, and beside what NumPy allocates."""

from __future__ import annotations

import tracemalloc
from textwrap import dedent

import pytest

pytest.importorskip("numpy")

from forerun.tasks._counters import counters
from forerun.tasks._used import Used, used

MB = 1e6
PROGRAMS = {
    "temporaries": """
        a = np.ones(1_000_000)
        b = (a * a + 2 * a) <= 1.0
        """,
    "a row does not take the place of a matrix": """
        x = np.random.default_rng(0).normal(size=(250_000, 4))
        z = (x - x.mean(axis=0)) / 3.0
        y = (x - x.mean(axis=0)) / x.max(axis=0)
        """,
    "views": """
        a = np.zeros((1000, 1000))
        b = a[::2, 10:].T[None, :]
        r = a.reshape(-1, 500).ravel()
        c = np.broadcast_to(a[0], (5000, 1000))
        """,
    "kinds": """
        a = np.arange(2_000_000, dtype=np.int32)
        b = a.astype("float32")
        c = a / 3
        d = b * 2.5
        e = b * np.sqrt(2.0)
        """,
    "broadcasting": """
        p = np.random.rand(700, 3)
        d = np.sqrt(((p[:, None, :] - p[None, :, :]) ** 2).sum(axis=-1))
        """,
    "products": """
        a = np.random.rand(800, 600)
        b = a @ a.T
        c = np.einsum("ij,kj->ik", a, a)
        """,
    "lists of arrays": """
        frames = []
        for i in range(40):
            x = np.random.rand(100, 500)
            if i % 4 == 0:
                frames.append(x.copy())
        whole = np.stack(frames)
        """,
    "rounds that are written out": """
        for n in (100_000, 400_000, 50_000):
            x = np.ones(n)
            y = x * 2
        """,
    "functions by their names": """
        ways = {"plus": lambda x: x + 1, "twice": lambda x: np.concatenate([x, x])}
        for name, way in ways.items():
            y = way(np.ones(300_000))
        """,
    "comprehensions": """
        parts = [np.full((50, 1000), float(i)) for i in range(20)]
        whole = np.concatenate(parts)
        """,
    "functions": """
        N = 400_000

        def scaled(x, by=2.0):
            y = x * by
            return np.exp(y) - 1

        def main(n):
            total = 0.0
            for _ in range(10):
                total += scaled(np.linspace(0, 1, n)).sum()
            return total

        main(N)
        """,
    "classes": """
        class Net:
            def __init__(self, n, m):
                self.w = np.zeros((n, m), dtype=np.float32)
                self.cache = None

            def forward(self, x):
                self.cache = x
                return np.maximum(x @ self.w, 0)

        net = Net(500, 800)
        out = net.forward(np.ones((2000, 500), dtype=np.float32))
        """,
    "what is deleted": """
        a = np.ones(3_000_000)
        s = a.sum()
        del a
        b = np.ones(1_000_000)
        """,
    "masks": """
        a = np.linspace(-1, 1, 2_000_000)
        b = a[a > 0]
        c = np.where(a > 0, a, 0)
        """,
    "grids": """
        X, Y = np.meshgrid(np.linspace(0, 1, 900), np.linspace(0, 1, 700))
        C = X + 1j * Y
        """,
    "spectra": """
        x = np.random.rand(300_000)
        f = np.fft.rfft(x)
        m = np.abs(f)
        """,
    "generators": """
        def chunks(n):
            for i in range(n):
                yield np.full(50_000, i, dtype=float)

        whole = np.concatenate(list(chunks(20)))
        """,
    "mappings": """
        d, e, f = {}, {}, {"a": np.ones(100_000)}
        for i in range(30):
            d[i] = np.ones(20_000)
            e[f"k{i}"] = np.ones(10_000)
        f["b"] = np.ones(100_000)
        c = {k: v * 2 for k, v in d.items()}
        """,
    "mappings of lists": """
        from collections import defaultdict
        groups = defaultdict(list)
        for i in range(40):
            groups[i % 4].append(np.ones(25_000))
        """,
    "while": """
        q = [np.zeros(12_000)]
        while len(q) < 100:
            q.append(q[-1] * 2)
        """,
    "inheritance": """
        class Base:
            SIZE = 1000

            def __init__(self, n):
                self.x = np.zeros((n, self.SIZE))

        class Sub(Base):
            @staticmethod
            def more(n):
                return np.ones(n)

            @classmethod
            def of(cls, n):
                return cls(n)

        s = Sub(500)
        t = Sub.of(250)
        y, z = s.more(300_000), Sub.more(300_000)
        """,
    "globals and inner functions": """
        CACHE = None

        def outer(n):
            base = np.ones(n)

            def inner():
                global CACHE
                CACHE = np.concatenate([base, base])

            inner()

        outer(400_000)
        x = CACHE + 1
        """,
    "arguments with stars": """
        def make(*sizes, scale=3, **more):
            return np.ones(sizes) * more["by"], np.zeros(100_000 * scale)

        a, b = make(*[200, 300], **{"by": 2.0})
        """,
    "sums and means are wide": """
        img = np.zeros((600, 700, 3), dtype=np.uint8)
        m, s = img.mean(axis=2), img.sum(axis=2)
        c = np.cumsum(img.ravel())
        """,
    "beside each other": """
        x = np.zeros((100_000, 5))
        y = np.hstack([x, np.ones((100_000, 1))])
        z = np.column_stack([x, np.ones(100_000)])
        """,
    "views in lists": """
        x = np.zeros((1000, 1000))
        parts = [x[:, i : i + 100] for i in range(10)]
        halves = np.split(x, 4)
        total = sum(x[:, i : i + 256] for i in range(3))
        """,
    "axes": """
        x = np.zeros((300, 400))
        y = np.expand_dims(x, -1) * np.ones(3)
        z = np.moveaxis(y, -1, 0).sum(axis=0)
        w = np.swapaxes(y, 0, 2).mean(axis=0)
        """,
    "in place": """
        a = np.ones((1200, 1000))
        a *= 2.0
        a[:, 5] = 1.0
        a += 1
        """,
}


def allocated(text: str, before: str) -> int:
    """The most bytes that a program holds at once, by tracemalloc; what it loads is loaded before."""
    names: dict[str, object] = {}
    exec(before, names)
    tracemalloc.start()
    try:
        exec(compile(text, "program", "exec"), names)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_much_is_held_as_numpy_allocates(name: str) -> None:
    text = "import numpy as np\n" + dedent(PROGRAMS[name])
    truth = allocated(text, "import numpy as np\nnp.random.rand(1), np.fft.rfft([1.0])")
    assert used(text).bytes == pytest.approx(truth, rel=0.03, abs=0.3 * MB)


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("x = np.zeros((1000, 1000), np.uint8)", 1.0),
        ("x = np.random.randint(0, 9, size=(500, 1000))", 4.0),
        ("x = np.eye(1000)", 8.0),
        ("x = np.tile(np.ones(1000), (10, 50))", 4.008),
        ("x = np.array([[0.0] * 1000 for _ in range(500)])", 8.0),
        ("x = torch.zeros(1000, 500)", 2.0),
        ("x = torch.randn(1000, 500, dtype=torch.float64)", 4.0),
        ("x = np.mgrid[0:500, 0:1000]", 8.0),
        ("x = np.zeros(1_000_000)\ny = x.astype(float, copy=False)", 8.0),
        ("x = pd.DataFrame({'a': np.arange(500_000), 'b': np.zeros(500_000, dtype='int8')})", 9.0),
        ("n = int('7')\nx = np.zeros(n)", 0.0),
        ("x = np.zeros(sys.argv[1])", 0.0),
        ("np.zeros(", 0.0),
        ("x = np.concatenate()\ny = np.reshape(3, *4)\nz = [][0][1]", 0.0),
    ],
)
def test_what_functions_make(line: str, size: float) -> None:
    text = f"import sys\nimport numpy as np\nimport pandas as pd\nimport torch\n{line}\n"
    found = used(text).bytes / MB
    assert found == pytest.approx(size, rel=0.02, abs=0.02) or (size and size <= found <= 2.2 * size)


NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(16 * 16 * 16, 500)

    def forward(self, x):
        return self.head(self.body(x).flatten(1))

net = Net().to("cpu")
"""
WEIGHTS = 4 * (16 * 4096 // 16 * 500 + 500 + 3 * 16 * 9 + 16)
"""Bytes."""
GIVEN = 4 * 100 * (2 * 16 * 32 * 32 + 16 * 16 * 16 + 500)
"""By the layers, for a hundred images."""
IMAGES = 4 * 100 * 3 * 32 * 32


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("", WEIGHTS),
        (
            "with torch.no_grad():\n    y = net(torch.randn(100, 3, 32, 32))\n",
            WEIGHTS + IMAGES + 4 * 100 * 2 * 16 * 32 * 32,
        ),
        ("y = net(torch.randn(100, 3, 32, 32))\n", WEIGHTS + IMAGES + GIVEN),
        ("x = torch.randn(100, 3, 32, 32)\nfor _ in range(9):\n    y = net(x)\n", WEIGHTS + IMAGES + GIVEN),
        (
            "o = torch.optim.Adam(net.parameters())\nx = torch.randn(100, 3, 32, 32)\n"
            "for _ in range(9):\n    net(x).sum().backward()\n    o.step()\n",
            4 * WEIGHTS + IMAGES + GIVEN,
        ),
    ],
)
def test_networks_hold_weights_what_layers_gave_and_gradients(text: str, size: float) -> None:
    assert used(NET + text).bytes == pytest.approx(size, rel=0.12)


def test_networks_of_the_text_are_as_large_as_those_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    names: dict[str, object] = {}
    exec(NET, names)
    assert sum(4 * each.numel() for each in names["net"].parameters()) == pytest.approx(WEIGHTS)  # type: ignore[attr-defined]
    for line in (
        "nn.Embedding(5000, 64)",
        "nn.LSTM(80, 200, 2)",
        "nn.ConvTranspose2d(32, 64, 5)",
        "nn.Bilinear(9, 8, 700)",
    ):
        layer = eval(line, {"nn": torch.nn})
        truth = 4 * sum(each.numel() for each in layer.parameters())
        assert used(f"import torch\nfrom torch import nn\nx = {line}\n").bytes == pytest.approx(truth, rel=0.25)


def test_work_is_counted_as_often_as_loops_go_round() -> None:
    def seconds(rounds: int, inner: str = "a = np.sort(a)") -> float:
        return used(f"import numpy as np\na = np.ones(100_000)\nfor _ in range({rounds}):\n    {inner}\n").seconds

    assert seconds(1000) == pytest.approx(10 * seconds(100), rel=0.02)
    assert seconds(100) > 20 * seconds(100, "a += 1")
    assert used("x = 1\n").seconds < 1e-5


def test_forests_have_a_hundred_trees_where_nobody_says_more() -> None:
    text = "import numpy as np\nfrom sklearn.ensemble import {0}\nX = np.ones((20000, 4))\n{0}({1}).fit(X, X[:, 0])\n"
    for name in ("ExtraTreesRegressor", "RandomForestRegressor"):
        usual, told = used(text.format(name, "")), used(text.format(name, "n_estimators=100"))
        assert usual.bytes == told.bytes and usual.seconds == pytest.approx(told.seconds, rel=1e-4)
        assert usual.bytes > 20 * used(text.format(name, "n_estimators=1")).bytes


def test_what_layers_gave_goes_with_a_round_that_is_written_out() -> None:
    text = (
        "import torch\nfrom torch import nn\nm = nn.Linear(10, 1000)\nfor n in {}:\n    y = m(torch.zeros(5000, 10))\n"
    )
    assert used(text.format("(1, 2, 3, 4)")).bytes == pytest.approx(used(text.format("range(4)")).bytes)


def test_whatever_is_read_it_ends() -> None:
    deep = (
        "import numpy as np\n"
        + "".join(f"{'  ' * i}for i{i} in range(1000):\n" for i in range(15))
        + "  " * 15
        + "x = 1\n"
    )
    calls = "import numpy as np\ndef f(n):\n  return f(n - 1) + f(n - 2)\nf(40)\n"
    doubled = "import numpy\nx = 1\n" + "x = (x, x)\n" * 60 + "y = [0]\n" + "y = y + y\n" * 60
    for text in (deep, calls, doubled, "(" * 5000, "\0", "x = 1" * 100_000):
        assert isinstance(used(text), Used)


@pytest.mark.parametrize(
    "line",
    [
        "x = np.zeros(-(10**9))",
        "x = np.zeros((10**9,) * 5)",
        "x = [np.ones(10) for a in range(10**300) for b in range(10**300)]",
        f"n = {'9' * 400}\nx = np.zeros(n)",
        "i = 1e999\nx = np.zeros(9)[:-i]\nfor _ in range(i):\n    pass",
        "from torch import nn\ny = nn.Sequential(nn.Hardtanh(), nobody.Layer(), None)(x)\nz = nn.MaxPool2d(0)(x)",
        "from torch.utils.data import *\nd = DataLoader(TensorDataset())",
        "class A(A): pass\nx = A().y()",
        "from sklearn.datasets import make_classification\nX, y = make_classification(-5, 1e300)",
        "from sklearn.svm import SVC\nm = SVC(3, 4).fit(np.zeros((10**20, 10**20)), 1)\nm.predict(None)",
        "from sklearn.preprocessing import *\nPolynomialFeatures(10**6).fit_transform(np.ones((9, 10**5)))",
        "import networkx as nx\nG = nx.balanced_tree(10**9, 10**9)\nnx.betweenness_centrality(G, k='x')",
        "import networkx as nx\nG = nx.gnm_random_graph(10**30, -7)\nnx.floyd_warshall(G)",
        "from scipy import sparse\nA = sparse.random(10**30, 'x', density=-1)\nB = sparse.eye(1e300) @ sparse.eye(-9)",
    ],
)
def test_nothing_is_negative_or_without_end(line: str) -> None:
    found = used(f"import numpy as np\n{line}\n")
    assert 0 <= found.bytes <= 1e19 and 0 <= found.seconds <= 1e9


def test_what_was_read_before_the_end_counts() -> None:
    long = "import numpy as np\na = np.ones(10**6)\nb = " + " + ".join(["a"] * 900) + "\n"
    assert used(long).bytes >= 8 * MB


def test_elements_of_programs_with_packages_are_what_they_hold() -> None:
    text = "import numpy as np\nx = np.zeros((1000, 1000), dtype=np.float32)\ny = x + 1\n"
    assert counters("python", text)["elements"] == pytest.approx(8 * MB / 40)
    assert counters("python", text.replace("numpy", "array"))["elements"] != pytest.approx(8 * MB / 40)


def test_lines_are_told() -> None:
    found = used("import numpy as np\na = np.ones(1_000_000)\nb = np.sort(a * a)\n")
    assert found.rises[2] == pytest.approx(8e6, rel=0.01) and found.rises[3] == pytest.approx(16e6, rel=0.01)
    assert (
        sum(found.rises.values()) == pytest.approx(found.bytes) and max(found.takes, key=found.takes.__getitem__) == 3
    )
    assert sum(found.takes.values()) == pytest.approx(found.seconds)
