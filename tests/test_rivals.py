"""The rivals: the laws of predictors on each of them, and on each what it is supposed to see."""

from __future__ import annotations

import builtins
import math
import random
from collections.abc import Callable
from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest

from forerun import registry
from forerun.cli.eval import NETWORKS
from forerun.core import Metric
from forerun.distribution import Distribution
from forerun.errors import InputError, ToolMissing, UsageError
from forerun.grammars.floats import Floats
from forerun.models._calibrated import calibrated, enough, needed
from forerun.models._chain import model
from forerun.models._features import COMPILED, kinds
from forerun.models._forest import Forest
from forerun.models._grown import Grown
from forerun.models._predictor import Predictor
from forerun.models._regression import QUANTILES, Scale, folds, thinned
from forerun.models._stack import Stack, convex
from forerun.models._sums import Sums
from forerun.models.boosted_trees import BoostedTrees
from forerun.prompts import parts, prompt
from forerun.rows import Row
from forerun.testing import check_model, toy_rows

for library in ("sklearn", "scipy", "tree_sitter", "tree_sitter_c", "tree_sitter_python"):
    pytest.importorskip(library)

TIME, BYTES = Metric("runtime", "s"), Metric("memory", "B")
PREDICTORS = [
    name
    for name in registry.names("models")
    if name not in NETWORKS and issubclass(registry.find("models", name), Predictor)
]


def row(
    text: str,
    value: float,
    group: str = "",
    language: str = "c",
    device: str = "cpu",
    metric: Metric = TIME,
    **counters: float,
) -> Row:
    made = prompt(metric, f"{language}, tool 1", device, text, counters=counters)
    return Row(metric.name, metric.unit, made, value, group, device)


def predictor(name: str) -> Predictor:
    made = model(name)
    assert isinstance(made, Predictor)
    return made


def medians(fitted: Predictor, rows: list[Row]) -> list[float]:
    return [found.median for found in fitted.predict([one.prompt for one in rows])]


@pytest.mark.parametrize("name", PREDICTORS)
def test_every_predictor_keeps_its_laws(name: str) -> None:
    with pytest.raises(InputError):
        predictor(name).predict(["int x;"])
    check_model(predictor(name), Floats())


@pytest.mark.parametrize("name", PREDICTORS)
@pytest.mark.parametrize("value", [0.0, -3.0, 1e-280, 1e280])
def test_values_of_every_size_are_learned(name: str, value: float) -> None:
    fitted = predictor(name)
    fitted.fit([row(f"int x{i};", value, f"g{i}") for i in range(10)])
    assert medians(fitted, [row("int y;", 1.0)]) == pytest.approx([value], rel=1e-6, abs=0)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_what_is_no_number_is_refused(value: float) -> None:
    rows = [row("int x;", float(i)) for i in range(9)] + [row("int y;", value)]
    with pytest.raises(InputError, match="not finite"):
        predictor("length").fit(rows)
    with pytest.raises(InputError, match="several metrics"):
        predictor("length").fit([*toy_rows(), rows[0]])


def test_length_has_a_line_for_each_language_with_enough_rows() -> None:
    def cost(language: str, size: int) -> float:
        return {"c": 3.0 * (size + 1), "go": 0.5 * (size + 1) ** 2}[language]

    rows = [row("x" * (10 + i), cost(name, 10 + i), f"g{i}", name) for i in range(40) for name in ("c", "go")]
    fitted = predictor("length")
    fitted.fit(rows)
    asked = [row("x" * 99, 0.0, language=name) for name in ("c", "go")]
    assert medians(fitted, asked) == pytest.approx([cost("c", 99), cost("go", 99)], rel=1e-6)


def test_group_mean_falls_back_to_the_language_and_then_to_all() -> None:
    rows = [row("x", 2.0, f"a{i}", "c", "old") for i in range(8)] + [row("x", 8.0, f"b{i}", "c") for i in range(8)]
    fitted = predictor("group_mean")
    fitted.fit(rows)
    asked = [row("y", 0.0, "", "c", device) for device in ("old", "cpu", "new")] + [row("y", 0.0, "", "go")]
    assert medians(fitted, asked) == pytest.approx([2.0, 8.0, 4.0, 4.0])


def test_flops_follow_the_counter_and_else_the_length() -> None:
    rows = [row("x" * (i % 7), 2.0 * (f + 1), f"g{i}", flops=f) for i, f in enumerate(map(float, range(10, 90)))]
    fitted = predictor("flops")
    fitted.fit(rows)
    found = medians(fitted, [row("x", 0.0, flops=20.0), row("x" * 7, 0.0, flops=80.0)])
    assert found == pytest.approx([42, 162], rel=0.1)
    assert math.isfinite(medians(fitted, [row("x", 0.0)])[0])


WORDS = ("alpha", "beta", "gamma", "delta")


def worded(count: int) -> list[Row]:
    """Programs of the same length whose words say what they cost."""
    draw, rows = random.Random(1), []
    for i in range(count):
        word = draw.choice(WORDS)
        text = f"int main() {{ {word:5}(); return {draw.randrange(100, 999)}; }}"
        rows.append(row(text, 10.0 ** WORDS.index(word) * draw.uniform(0.95, 1.05), f"g{i}"))
    return rows


@pytest.mark.parametrize("name", ["tfidf_ridge", "neighbours"])
def test_ngrams_tell_words_apart(name: str) -> None:
    rows = worded(160)
    fitted = predictor(name)
    fitted.fit(rows[:120])
    errors = [abs(math.log(m / r.value)) for m, r in zip(medians(fitted, rows[120:]), rows[120:], strict=True)]
    assert np.median(errors) < 0.5


def test_trees_count_syntax_and_not_letters() -> None:
    def text(loops: int, name: str) -> str:
        return f"int {name}(int n) {{" + f"for (int {name}i = 0; {name}i < n; {name}i++) n--;" * loops + "return n; }"

    draw = random.Random(2)
    rows = []
    for i in range(120):
        loops, name = draw.randrange(1, 6), "f" * draw.randrange(1, 30)
        rows.append(row(text(loops, name), 10.0**loops, f"g{i}"))
    fitted = predictor("boosted_trees")
    fitted.fit(rows)
    asked = [row(text(loops, "abc"), 0.0) for loops in range(1, 6)]
    assert [round(math.log10(m)) for m in medians(fitted, asked)] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    "language, text, kind, count",
    [
        ("c", "int f() { for (;;) { for (;;); } }", "node for_statement", 2),
        ("c++", "int f() { for (;;); }", "node for_statement", 1),
        ("python", "for x in y: pass", "node for_statement", 1),
        ("javascript", "for (;;) {}", "node for_statement", 1),
        ("java", "class A { void f() { for (;;) {} } }", "node for_statement", 1),
        ("go", "package a\nfunc f() { for {} }", "node for_statement", 1),
        ("rust", "fn f() { loop {} }", "node loop_expression", 1),
        ("ruby", "while x do\nend", "node while", 2),
        ("php", "<?php for (;;) {}", "node for_statement", 1),
        ("LLVM IR", "%1 = add i32 %add, 1\n%2 = add i32 %1, 2", "word add", 2),
        ("onnx", "Conv Relu Conv Relu", "words Conv Relu", 2),
        ("onnx", "Add ^1\nRelu\nAdd ^1\nRelu", "lines Add ^1 Relu", 2),
        ("cell", "skip|conv", "place 1 conv", 1),
    ],
)
def test_kinds_of_syntax_or_words(language: str, text: str, kind: str, count: int) -> None:
    assert kinds(parts(row(text, 1.0, language=language).prompt))[kind] == count


def test_names_that_are_used_and_not_declared_are_counted() -> None:
    text = """#include <vector>
using namespace std;
template <typename T> struct Pair { T first; T twice() const { return first * 2; } };
static int helper(int n) { return n * 2; }
int main() {
    vector<int> v; Pair<int> p{3}; std::vector< int > w;
    v.push_back(helper(p.twice())); sort(v.begin(), v.end()); cout << v.size() << endl;
}
"""
    found = kinds(parts(row(text, 1.0, language="c++, clang 22").prompt), COMPILED)
    used = {name.removeprefix("used "): n for name, n in found.items() if name.startswith("used ")}
    library = {"<vector>": 1, "vector": 2, "push_back": 1, "sort": 1, "cout": 1, "endl": 1, "size": 1, "int": 6}
    assert library.items() <= used.items() and found["instances"] == 2
    assert not used.keys() & {"helper", "Pair", "first", "twice", "n", "v", "p", "T"}


@pytest.mark.parametrize("name, library", [("boosted_trees", "sklearn.ensemble"), ("tfidf_ridge", "scipy.sparse")])
def test_a_missing_library_is_named(name: str, library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., object] = builtins.__import__

    def without(asked: str, *rest: object) -> object:
        if asked == library:
            raise ModuleNotFoundError(f"No module named {asked!r}", name=asked)
        return real(asked, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ToolMissing) as caught:
        predictor(name).fit(toy_rows())
    assert caught.value.todo == "pip install 'forerun[eval]'"


def test_folds_hold_out_whole_groups_and_every_row_once() -> None:
    groups = [f"g{i % 7}" for i in range(50)] + ["", ""]
    masks = list(folds(groups, 5, 0))
    assert np.sum(masks, axis=0).tolist() == [1] * 52
    for mask in masks:
        inside = {g for g, held in zip(groups, mask, strict=True) if held and g}
        assert not inside & {g for g, held in zip(groups, mask, strict=True) if not held}
    assert len(list(folds(["one"] * 9, 5, 0))) == 5


def test_a_scale_goes_through_zero_where_it_must() -> None:
    values = np.array([0.0, 2.0, 2e6])
    scale = Scale.of(values)
    places = scale.to(values)
    assert places[0] == 0 and places[2] == pytest.approx(math.log(1e6))
    back = [scale.distribution(place, np.zeros(1)).median for place in places.tolist()]
    assert back == pytest.approx(values.tolist())
    assert min(scale.distribution(0.0, np.array([-9.0, 0.0, 9.0])).lows) == 0


@pytest.mark.parametrize("count", [20, 50, 400])
def test_few_errors_are_as_wide_as_what_is_to_come(count: int) -> None:
    draws = np.random.default_rng(0).exponential(size=(2000, count + 1))
    found = (Scale(0.0).distribution(0.0, thinned(own[:-1])).interval(0.9) for own in draws)
    inside = [low <= np.exp(own[-1]) <= high for own, (low, high) in zip(draws, found, strict=True)]
    assert 0.88 < np.mean(inside) < 0.925


def test_errors_are_thinned_evenly() -> None:
    kept = thinned(np.random.default_rng(0).normal(size=5000))
    assert len(kept) == QUANTILES and np.std(kept) == pytest.approx(1, abs=0.05)


class Fixed(Predictor):
    """Believes the same of every program, but for its length."""

    name = "fixed"

    def __init__(self, factor: float, width: float) -> None:
        self.factor, self.width = factor, width

    def fit(self, rows, seed=0):  # type: ignore[no-untyped-def]
        pass

    def predict(self, prompts):  # type: ignore[no-untyped-def]
        sizes = [self.factor * len(parts(p).text) for p in prompts]
        return [Distribution.of([(s / self.width, s * self.width, 1.0)]) for s in sizes]


def noisy(count: int, spread: float, language: str, seed: int, groups: int = 10_000) -> list[Row]:
    draw = random.Random(seed)
    made = []
    for i in range(count):
        size = draw.randrange(5, 500)
        made.append(row("x" * size, size * math.exp(draw.gauss(0, spread)), str(i % groups), language))
    return made


@pytest.mark.parametrize("width", [1.01, 1.5, 50.0])
def test_calibrated_intervals_cover_what_they_promise(width: float) -> None:
    fitted = calibrated(Fixed(1.0, width), noisy(400, 0.5, "c", 1) + noisy(400, 0.05, "go", 2))
    for language, spread in (("c", 0.5), ("go", 0.05)):
        rows = noisy(2000, spread, language, 3)
        ends = [found.interval(0.9) for found in fitted.predict([one.prompt for one in rows])]
        share = sum(low <= one.value <= high for (low, high), one in zip(ends, rows, strict=True)) / 2000
        assert 0.86 < share < 0.94


def test_few_groups_narrow_less_than_many() -> None:
    found = [calibrated(Fixed(1.0, 3.0), noisy(400, 0.2, "c", 1, groups)).factor for groups in (1, 10, 100, 400)]
    assert found == sorted(found, reverse=True) and found[2] < 0.9 * found[1] and found[1] < 0.9, found
    assert found[2] == found[3], "a hundred groups say how wide, whether that is narrower or not"
    wide = [calibrated(Fixed(1.0, 1.2), noisy(400, 0.2, "c", 1, groups)).factor for groups in (1, 400)]
    assert wide[0] > wide[1] > 1.5, "what is too narrow is widened at once"


def test_calibration_on_its_own_rows_is_exact_and_needs_rows() -> None:
    rows = noisy(109, 0.3, "c", 1)
    fitted = calibrated(Fixed(1.3, 2.0), rows)
    ends = [found.interval(0.9) for found in fitted.predict([one.prompt for one in rows])]
    assert sum(low <= one.value <= high for (low, high), one in zip(ends, rows, strict=True)) == 99
    with pytest.raises(InputError):
        calibrated(Fixed(1.0, 2.0), [])


def test_factors_where_widening_cannot_help() -> None:
    assert needed(Distribution.point(2.0), 3.0, 0.9) == math.inf and needed(Distribution.point(2.0), 2.0, 0.9) == 0
    assert math.isnan(needed(Distribution.of([(-1.0, 1.0, 1.0)]), 2.0, 0.9))
    assert needed(Distribution.of([(1.0, 4.0, 1.0)]), 0.0, 0.9) == math.inf
    costs, gains = Distribution.of([(1.0, 4.0, 1.0)]), Distribution.of([(-4.0, -1.0, 1.0)])
    assert needed(gains, -16.0, 0.9) == pytest.approx(needed(costs, 16.0, 0.9)) and needed(gains, 1.0, 0.9) == math.inf
    half = Distribution.of([(0.0, 0.0, 0.4), (1.0, 4.0, 0.6)])  # nothing moves its lower end, which holds what is below
    assert needed(half, 0.0, 0.9) == needed(half, 0.5, 0.9) == 0 and needed(half, -1.0, 0.9) == math.inf
    assert 1 < needed(half, 8.0, 0.9) < math.inf
    assert enough([*map(float, range(1, 101)), *[math.inf] * 40], 0.9) == pytest.approx(91)
    assert enough([math.nan, math.inf], 0.9) == 1 and enough([2.0, math.inf], 0.9) == pytest.approx(2)


@pytest.mark.parametrize("count", [1, 2, 4, 8])
def test_few_rows_are_not_taken_for_nine_in_ten(count: int) -> None:
    """Of errors with exponential tails the largest of few is too small, and of what is far too narrow a few say so."""
    held = 0
    for seed in range(2000):
        draw = random.Random(seed)
        found = [row("x" * 10, 10 * math.exp(draw.expovariate(3.0))) for _ in range(count + 1)]
        (low, high), truth = (
            calibrated(Fixed(1.0, 1.05), found[1:]).predict([found[0].prompt])[0].interval(0.9),
            found[0].value,
        )
        held += low <= truth <= high
    assert held / 2000 > {1: 0.65, 2: 0.75, 4: 0.83, 8: 0.86}[count]


@pytest.mark.parametrize("count", [1, 4, 16, 64])
def test_a_few_rows_hardly_move_what_is_as_wide_as_it_should_be(count: int) -> None:
    """Normal errors, of which the belief is right: nine in ten are held, in intervals that are seldom much wider."""
    held, factors, errors = 0.0, list[float](), NormalDist(0, 0.5)
    end = errors.inv_cdf(0.95)
    for seed in range(400):
        draw = random.Random(seed)
        found = [row(f"{i:010}", 10 * math.exp(draw.gauss(0, 0.5))) for i in range(count)]
        factors.append(calibrated(Fixed(1.0, math.exp(end / 0.9)), found).factor)
        held += 2 * errors.cdf(end * factors[-1]) - 1
    assert 0.89 < held / 400 < 0.97 and max(factors) < 1 + 6 / math.sqrt(count), (held / 400, max(factors))


def test_rows_of_one_group_count_once() -> None:
    rows = noisy(40, 0.5, "c", 1)
    found = [calibrated(Fixed(1.0, 3.0), [replace(one, group=f"g{i % n}") for i, one in enumerate(rows)]).factor
             for n in (1, 4, 40)]  # fmt: skip
    alone = calibrated(
        Fixed(1.0, 3.0), [replace(one, group="", prompt=f"{one.prompt} {i}") for i, one in enumerate(rows)]
    )
    assert found[0] > found[1] > found[2] and alone.factor == pytest.approx(found[2], rel=0.02)


def test_a_stack_is_the_nearest_convex_combination() -> None:
    rows = noisy(200, 0.1, "c", 4)
    stack = Stack({"half": Fixed(0.5, 2.0), "thrice": Fixed(3.0, 2.0)})
    with pytest.raises(InputError):
        stack.predict(["x"])
    stack.fit(rows)
    assert sum(stack.weights.values()) == pytest.approx(1) and min(stack.weights.values()) >= 0
    # One is a mean of the logarithms of a half and three with these shares.
    assert stack.weights["half"] == pytest.approx(math.log(3) / math.log(6), abs=0.03)
    assert medians(stack, rows) == pytest.approx([float(len(parts(r.prompt).text)) for r in rows], rel=0.1)
    with pytest.raises(UsageError):
        Stack({})


def test_rows_far_off_do_not_decide_a_stack() -> None:
    truth = np.linspace(0, 1, 60)
    other = np.zeros(60)
    far = truth.copy()
    far[:5] += 1000
    assert convex(np.column_stack([far, other]), truth)[0] < 0.01
    target = truth.copy()
    target[:5] -= 1000
    assert convex(np.column_stack([truth, other]), target)[0] > 0.99


def test_what_adds_up_is_learned_from_most_rows_and_not_from_those_far_off() -> None:
    draw = np.random.default_rng(0)
    counts, kinds_ = draw.integers(0, 100, (400, 3)).astype(float), draw.integers(1, 3, 400).astype(float)
    prices = np.array([[4.0, 0.0, 7.0], [2.0, 1.0, 3.0]])[kinds_.astype(int) - 1]
    values = (counts * prices).sum(1) + 20.0
    values[draw.random(400) < 0.1] *= 6
    sums = Sums.of(counts, kinds_, values)
    assert sums.weights[1] == pytest.approx([4.0, 0.0, 7.0, 20.0], abs=0.3)
    assert sums.weights[2] == pytest.approx([2.0, 1.0, 3.0, 20.0], abs=0.3)
    few = Sums.of(counts[:90], np.where(np.arange(90) < 60, 1.0, 2.0), (counts * [4.0, 0.0, 7.0]).sum(1)[:90] + 1)
    assert few.weights[2] == pytest.approx(few.weights[0]), "a kind of few rows costs what all do"
    asked = np.array([[1.0, 1.0, 1.0]] * 3)
    assert np.exp(sums(asked, np.array([1.0, 2.0, 9.0]))[:2]) == pytest.approx([31, 26], rel=0.01)
    assert sums(asked, np.array([0.0, 9.0, 9.0])).tolist() == pytest.approx([sums(asked, np.zeros(1))[0]] * 3)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-300, 1.0, 1e300])
def test_what_adds_up_may_be_counts_and_values_of_any_size(unit: float) -> None:
    draw = np.random.default_rng(0)
    counts = draw.integers(1, 100, (100, 2)) * np.array([1.0, 1e300])
    values = unit * 10.0 ** draw.uniform(-6, 6, 100)
    assert np.isfinite(Sums.of(counts, np.ones(100), values).weights).all()


def test_trees_as_arrays_are_those_of_the_library() -> None:
    from sklearn.ensemble import HistGradientBoostingRegressor

    draw = np.random.default_rng(0)
    x, y = draw.normal(size=(500, 6)), draw.normal(size=500)
    x[draw.random(x.shape) < 0.2] = np.nan
    model = HistGradientBoostingRegressor(max_iter=30, random_state=0).fit(x, y + np.nan_to_num(x[:, 0]))
    asked = draw.normal(size=(300, 6)) * 3
    asked[draw.random(asked.shape) < 0.2] = np.nan
    forest = Forest.of(model)
    assert np.allclose(forest.predict(asked), model.predict(asked), atol=1e-12) and forest.predict(asked).std() > 0.1
    assert np.array_equal(Forest.from_arrays(forest.arrays()).predict(asked), forest.predict(asked))


def test_trees_that_were_kept_predict_the_same() -> None:
    rows = toy_rows()
    fitted = BoostedTrees("words")
    fitted.fit(rows)
    again = BoostedTrees.from_arrays(*fitted.arrays())
    asked = [row.prompt for row in rows[:20]]
    assert again.predict(asked) == fitted.predict(asked)
    with pytest.raises(InputError, match="learned nothing"):
        BoostedTrees().arrays()


def test_each_kind_has_the_errors_of_its_own_rows() -> None:
    draw, rows = random.Random(0), list[Row]()
    for i in range(700):
        language, noise = draw.choice([("c", 0.02), ("c", 0.02), ("python", 0.6), ("python", 0.6), ("lua", 0.02)])
        rows.append(row("x" * draw.randint(1, 9), math.exp(draw.gauss(0, noise)), str(i), language))
    fitted = BoostedTrees("words")
    fitted.fit([one for one in rows if "lua" not in one.prompt] + [one for one in rows if "lua" in one.prompt][:90])
    for trees in (fitted, BoostedTrees.from_arrays(*fitted.arrays())):
        wide = {}
        for language in ("c", "python", "lua"):
            (found,) = trees.predict([row("xxx", 1.0, language=language).prompt])
            low, high = found.interval(0.9)
            wide[language] = math.log(high / low)
        assert wide["c"] < 0.3 * wide["python"]
        assert wide["c"] < wide["lua"] < wide["python"]  # too few rows: the errors of all
        assert 0.8 < wide["python"] / (2 * 1.645 * 0.6) < 1.3


@pytest.mark.parametrize(("count", "apart"), [(900, True), (700, False), (400, False)])
def test_how_far_off_answers_are_is_learned_from_features(count: int, apart: bool) -> None:
    """One kind of rows: those with many branches are noisy. Few rows do not tell it."""
    draw, rows = random.Random(0), list[Row]()
    for i in range(count):
        branches, loops = draw.randrange(10), draw.randrange(10)
        value = math.exp(0.3 * loops + draw.gauss(0, 0.8 if branches > 4 else 0.05))
        rows.append(row("x", value, str(i), branches=branches, loops=loops))
    fitted = BoostedTrees("words")
    fitted.fit(rows)
    for trees in (fitted, BoostedTrees.from_arrays(*fitted.arrays())):
        found = trees.predict([row("x", 1.0, branches=branches, loops=5).prompt for branches in (1, 8)])
        calm, wild = (math.log(high / low) for low, high in (one.interval(0.9) for one in found))
        assert (calm < 0.5 * wild) == apart
        if apart:
            assert 0.6 < wild / (2 * 1.645 * 0.8) < 1.5


def holding(count: int, seed: int, most: float = 7.0) -> list[Row]:
    """In c 1 MB and 4 bytes for each element, in python 14 MB and 8 bytes; one in ten holds nothing."""
    draw, found = random.Random(seed), list[Row]()
    for i in range(count):
        name, floor, each = draw.choice([("c", 1e6, 4.0), ("python", 1.4e7, 8.0)])
        elements = 10 ** draw.uniform(0, most)
        held = 0.0 if draw.random() < 0.1 else each * elements
        value = (floor + held) * math.exp(draw.gauss(0, 0.05))
        found.append(row(f"x{i}", value, str(i), name, metric=BYTES, elements=elements))
    return found


def test_what_is_always_taken_and_each_element_are_learned_for_each_kind() -> None:
    draw = np.random.default_rng(0)
    kinds_, elements = draw.integers(1, 4, 600).astype(float), 10 ** draw.uniform(0, 7, 600)
    floors, rates = np.array([0, 1e6, 1e7, 4e7]), np.array([0, 4.0, 8.0, 40.0])
    values = floors[kinds_.astype(int)] + rates[kinds_.astype(int)] * elements
    lost = draw.random(600) < 0.3
    values[lost] = floors[kinds_.astype(int)][lost]
    most = np.array([1e9])
    grown = Grown.of(elements[:, None], kinds_, values, most)
    assert grown.terms[1:, 0] == pytest.approx(floors[1:], rel=0.05)
    assert grown.terms[1:, 2] == pytest.approx(rates[1:], rel=0.2)
    asked, of = np.array([[1e8], [1e8], [0.0], [math.nan]]), np.array([1.0, 9.0, 2.0, 2.0])
    places, shares, alone = grown(asked, of, most).T
    assert math.exp(places[0]) == pytest.approx(4e8, rel=0.25) and (alone == places).all()
    assert math.exp(places[1]) == pytest.approx(grown.terms[0] @ [1, 0, 1e8])
    assert np.exp(places[2:]) == pytest.approx(grown.terms[2, 0]) and shares[2:] == pytest.approx(0)
    far = grown(np.array([[1e9], [1e10]]), np.array([1.0, 1.0]), most)[:, 0]
    assert far[0] == far[1] > places[0], "more is not less"
    more = np.append(elements, [1e12] * 90)[:, None], np.append(kinds_, [1.0] * 90), np.append(values, [1e6] * 90)
    assert Grown.of(*more, most).terms == pytest.approx(grown.terms, rel=0.05), "moduli and masks teach nothing"


def test_rounds_and_elements_each_have_a_rate() -> None:
    draw = np.random.default_rng(1)
    counts = 10 ** draw.uniform(0, 8, (600, 2)) * (draw.random((600, 2)) < 0.5)
    values = 0.02 + counts @ [3e-8, 2e-9]
    grown = Grown.of(counts, np.ones(600), values, np.array([1e9, 1e9]))
    assert grown.terms[1] == pytest.approx([0.02, 0.02, 3e-8, 2e-9], rel=0.3)
    (found,) = grown(np.array([[1e7, 1e8]]), np.ones(1), np.array([1e9, 1e9]))
    assert np.exp(found) == pytest.approx([0.52, 26, 0.32, 0.22], rel=0.3)


def test_where_nothing_grows_nothing_is_heard() -> None:
    elements, most = np.geomspace(1, 1e8, 40)[:, None], np.array([1e9])
    grown = Grown.of(elements, np.ones(40), np.full(40, 1e6), most)
    assert np.exp(grown(elements, np.ones(40), most)[:, 0]) == pytest.approx(1e6, rel=1e-3)


def test_work_takes_time_in_proportion_however_much_it_is() -> None:
    """Few rows of kernels are large, and trees alone say no more than any of them took."""
    latency, draw = Metric("latency", "s"), np.random.default_rng(3)

    def asked(moved: float, name: str = "") -> Row:
        counters = {"read_bytes": moved, "flops": moved / 4}
        return row("x", 4e-6 + 4e-13 * moved, name, "triton", "gpu", latency, **counters)

    fitted, sizes = BoostedTrees("words"), 10 ** draw.uniform(3, 8, 400)
    fitted.fit([asked(moved, str(i)) for i, moved in enumerate(sizes)])
    known, far = asked(1e7), asked(2e9)
    found = fitted.predict([known.prompt, far.prompt])
    assert [one.median for one in found] == pytest.approx([known.value, far.value], rel=0.3)
    assert fitted.beyond([known.prompt, far.prompt]) == pytest.approx([1, 2e9 / max(sizes)], rel=0.01)
    again = BoostedTrees.from_arrays(*fitted.arrays())
    assert again.beyond([far.prompt]) == fitted.beyond([far.prompt])
    assert again.predict([far.prompt])[0].median == found[1].median


def test_more_is_not_less_and_no_more_than_was_measured() -> None:
    fitted = BoostedTrees("words")
    fitted.fit(holding(400, 1))
    sizes = (1e3, 3e5, 1e7, 5e7, 5e9)
    for name, floor in (("c", 1e6), ("python", 1.4e7)):
        asked = [row("y", 0.0, "", name, metric=BYTES, elements=n).prompt for n in sizes]
        beliefs, heard = fitted.heard(asked)
        found = [one.median for one in beliefs]
        assert found == sorted(found) and heard.tolist() == [False, n_is_large(name), True, True, True]
        assert found[0] == pytest.approx(floor, rel=0.2) and 3e7 < found[-2] == found[-1] < 2e8
        beyond = fitted.beyond(asked)
        assert beyond[:2].tolist() == [1, 1] and beyond[-1] > 10 and beyond[-1] / beyond[-2] > 90
        assert beliefs[2].quantile(0.0) > 0.8 * floor, "no program takes less than its language"
        assert beliefs[-1].interval(0.9)[1] / beliefs[-1].interval(0.9)[0] > 1.5, "wider: one in ten holds nothing"
    again = BoostedTrees.from_arrays(*fitted.arrays())
    assert [one.median for one in again.predict(asked)] == found


def n_is_large(language: str) -> bool:
    """Whether 300,000 elements are half of what the language takes."""
    return language == "c"


def test_what_is_no_cost_of_a_program_does_not_grow_with_elements() -> None:
    fitted = BoostedTrees("words")
    rows_ = [row(f"x{i}", 1.0 + i % 7, str(i), elements=10.0 ** (i % 8)) for i in range(120)]
    fitted.fit(rows_)
    assert not fitted.heard([one.prompt for one in rows_])[1].any()
