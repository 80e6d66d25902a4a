"""What programs with pandas hold, beside pandas itself."""

from __future__ import annotations

from textwrap import dedent

import pytest

from forerun.tasks._laws import Law, law
from forerun.tasks._used import used
from tests.test_used import allocated

pd = pytest.importorskip("pandas")

MB = 1e6
PROGRAMS = {
    "masks by what is drawn": """
        t = pd.DataFrame({"x": rng.normal(70, 8, 400_000), "y": rng.uniform(0, 10, 400_000), "z": rng.random(400_000)})
        kept = t[(t["x"] > 60) & (t["y"] < 9)].copy()
        few = t[t["z"] < 0.1]
        """,
    "masks by a kind": """
        t = pd.DataFrame({"kind": rng.integers(0, 5, 500_000), "x": rng.random(500_000), "y": rng.random(500_000)})
        one = t[t["kind"] == 3]
        rest = t[t["kind"] != 3]
        some = t.query("kind == 2")
        """,
    "groups": """
        t = pd.DataFrame({"who": rng.integers(0, 1000, 400_000), "x": rng.random(400_000), "y": rng.random(400_000)})
        sums = t.groupby("who")["x"].sum()
        t["mean"] = t.groupby("who")["x"].transform("mean")
        """,
    "groups of many columns": """
        n = 500_000
        t = pd.DataFrame({"a": rng.integers(0, 300, n), "b": rng.integers(0, 400, n), "x": rng.random(n)})
        both = t.groupby(["a", "b"]).agg(total=("x", "sum"), mean=("x", "mean"))
        """,
    "a merge with what is there once": """
        orders = pd.DataFrame({"who": rng.integers(0, 20_000, 500_000), "x": rng.random(500_000)})
        people = pd.DataFrame({"who": np.arange(20_000), "age": rng.integers(18, 90, 20_000), "w": rng.random(20_000)})
        merged = orders.merge(people, on="who", how="left")
        """,
    "a merge of many with many": """
        left = pd.DataFrame({"day": rng.integers(0, 300, 60_000), "x": rng.random(60_000)})
        right = pd.DataFrame({"day": rng.integers(0, 300, 3_000), "y": rng.random(3_000)})
        both = left.merge(right, on="day")
        """,
    "below each other": """
        parts = [pd.DataFrame({"x": rng.random(50_000), "y": rng.random(50_000)}) for _ in range(12)]
        whole = pd.concat(parts, ignore_index=True)
        """,
    "a column for each kind": """
        t = pd.DataFrame({"k": rng.integers(0, 40, 300_000), "x": rng.random(300_000)})
        flags = pd.get_dummies(t, columns=["k"], dtype=float)
        """,
    "a row for each cell": """
        wide = pd.DataFrame(rng.random((20_000, 30)))
        wide.insert(0, "id", range(20_000))
        long = wide.melt(id_vars="id", var_name="q", value_name="v")
        """,
    "columns in a loop": """
        t = pd.DataFrame({"x": rng.random(100_000)})
        for k in range(1, 41):
            t[f"lag_{k}"] = t["x"].shift(k)
        t = t.dropna()
        """,
    "columns of a comprehension": """
        t = pd.DataFrame({f"c{i}": rng.random(100_000) for i in range(30)})
        narrow = t.astype("float32")
        """,
    "texts": """
        names = [f"user {i:07d}" for i in range(200_000)]
        t = pd.DataFrame({"name": names})
        t["big"] = t["name"].str.upper()
        t["mail"] = t["name"] + "@mail.example"
        """,
    "few texts": """
        t = pd.DataFrame({"city": rng.choice(["Paris", "Rome", "Oslo", "Bern"], 300_000), "x": rng.random(300_000)})
        t["city"] = t["city"].astype("category")
        """,
    "a file and back": """
        import io
        t = pd.DataFrame({"x": rng.random(60_000), "n": rng.integers(0, 1000, 60_000)})
        text = t.to_csv(index=False)
        again = pd.read_csv(io.StringIO(text))
        """,
    "options": """
        import argparse
        parser = argparse.ArgumentParser()
        parser.add_argument("--rows", type=int, default=500_000)
        asked = parser.parse_args([])
        t = pd.DataFrame({"x": rng.random(asked.rows), "y": rng.random(asked.rows)})
        """,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_about_as_much_is_held_as_pandas_allocates(name: str) -> None:
    head = "import numpy as np\nimport pandas as pd\nrng = np.random.default_rng(0)\n"
    first = "pd.DataFrame({'a': ['b']}).groupby('a').size(); pd.read_csv(__import__('io').StringIO('a\\n1'))"
    text = head + dedent(PROGRAMS[name])
    with pd.option_context("mode.string_storage", "python"):
        truth = allocated(text, head + first)
    assert truth > 5 * MB
    assert used(text).bytes == pytest.approx(truth, rel=0.25)


def test_shares_of_what_is_drawn() -> None:
    assert law("random", (), {}) == Law("uniform", 0.0, 1.0)
    assert law("normal", (70.0,), {"scale": 8.0}) == Law("normal", 70.0, 8.0)
    assert law("integers", (10.0,), {}) == Law("uniform", 0.0, 10.0)
    assert law("normal", (None, "x"), {}) is None
    assert law("choice", (5.0,), {}) is None
    assert Law("normal", 0.0, 1.0).below(1.96) == pytest.approx(0.975, abs=1e-3)
    assert Law("exponential", 2.0, 0.0).below(2.0) == pytest.approx(0.632, abs=1e-3)
    assert Law("lognormal", 0.0, 1.0).below(-1.0) == 0.0
    assert Law("laplace", 0.0, 1.0).below(0.0) == 0.5
    assert Law("uniform", 3.0, 3.0).below(1.0) == 0.5  # no such law


@pytest.mark.parametrize(
    "line",
    [
        "pd.DataFrame().groupby('x').sum()",
        "pd.concat([])",
        "pd.DataFrame({'a': [1]}).merge(3, on='a')",
        "t = pd.DataFrame({'a': np.zeros(9)})\nt['b'] = t['c'].str.split().str[0]",
        "t = pd.DataFrame({'a': np.zeros(9)})\nt.loc[t.q > 3, ['z']] = t.pivot('a')",
        "pd.read_csv('unknown.csv').groupby(['a', 'b']).agg({'c': ['sum', 'max']}).unstack().stack()",
        "pd.Series(range(3)).rolling().mean().resample().sum().unstack()",
        "pd.date_range('2020-13-01', 'x', freq='3Q')",
    ],
)
def test_what_nobody_can_follow_counts_as_little(line: str) -> None:
    assert used(f"import numpy as np\nimport pandas as pd\n{line}\n").bytes < 1 * MB


def test_lines_that_are_written_are_read_as_a_table() -> None:
    text = """
        import json
        import pandas as pd
        with open("x.jsonl", "w") as f:
            for i in range(100_000):
                f.write(json.dumps({"id": i, "x": 0.5, "name": f"n{i}"}) + "\\n")
        t = pd.read_json("x.jsonl", lines=True)
        u = t[["id", "x"]].to_numpy()
        """
    assert 5 * MB < used(dedent(text)).bytes < 20 * MB
