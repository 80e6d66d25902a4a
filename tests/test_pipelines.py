from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forerun.grammars.pipelines import Pipelines, Plan, flatten, merge, parse_plan
from forerun.testing import check_grammar

VOCABULARY = (
    "default<Oz>",
    "globalopt",
    "cgscc/inline",
    "cgscc/function/sroa<modify-cfg>",
    "function/gvn<>",
    "function/simplifycfg<bonus-inst-threshold=1;keep-loops>",
    "function/loop/indvars",
    "function/loop-mssa/licm<allowspeculation>",
)
steps = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(tuple)
local = st.lists(st.sampled_from([s for s in VOCABULARY if s.startswith("function/")]), min_size=1, max_size=4).map(
    tuple
)
names = st.sampled_from(["main", "crc32", "_ZN3fooEv", "a.b"])
plans = st.builds(lambda s, f: Plan(s, tuple(sorted(f.items()))), steps, st.dictionaries(names, local, max_size=3))


@pytest.mark.parametrize(
    ("flat", "text"),
    [
        ((), ""),
        (("globalopt",), "globalopt"),
        (("function/gvn<>", "function/sroa"), "function(gvn<>,sroa)"),
        (("function/gvn<>", "globalopt", "function/sroa"), "function(gvn<>),globalopt,function(sroa)"),
        (("cgscc/inline", "cgscc/function/sroa"), "cgscc(inline,function(sroa))"),
        (("cgscc/function/sroa", "function/sroa"), "cgscc(function(sroa)),function(sroa)"),
        (("function/loop/indvars", "function/loop-mssa/licm"), "function(loop(indvars),loop-mssa(licm))"),
        (("function/loop-mssa/licm", "function/loop-mssa/licm"), "function(loop-mssa(licm,licm))"),
    ],
)
def test_neighbours_share_their_nest(flat: tuple[str, ...], text: str) -> None:
    assert merge(flat) == text
    assert flatten(text) == flat


def test_wrappers_are_looked_through() -> None:
    text = "module(cgscc(devirt<4>(inline,function<eager-inv;no-rerun>(sroa<modify-cfg>))),function<eager-inv>(gvn<>))"
    assert flatten(text) == ("cgscc/inline", "cgscc/function/sroa<modify-cfg>", "function/gvn<>")


@pytest.mark.parametrize("text", ["function(gvn", "gvn)", "a,b>", "<a>"])
def test_what_is_no_pipeline_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="pipeline"):
        flatten(text)


@given(steps)
def test_text_goes_both_ways(flat: tuple[str, ...]) -> None:
    assert flatten(merge(flat)) == flat


@given(plans)
def test_plans_go_both_ways(plan: Plan) -> None:
    grammar = Pipelines(VOCABULARY, ["main", "crc32", "_ZN3fooEv", "a.b"])
    assert parse_plan(str(plan)) == plan
    assert grammar.parse(str(plan)) == plan
    check_grammar(grammar, [plan], walks=0)


@pytest.mark.parametrize("functions", [(), ("main",), ("main", "crc32", "zeta")])
@pytest.mark.parametrize("most", [0, 1, 3, 40])
def test_the_laws_of_a_grammar(functions: tuple[str, ...], most: int) -> None:
    check_grammar(Pipelines(VOCABULARY, functions, max_steps=most))


@pytest.mark.parametrize(
    "pieces",
    [
        ["no-such-pass"],
        ["@main"],
        ["@", "@other", "function/gvn<>"],
        ["@", "@main"],
        ["@"],
        ["@", "@main", "globalopt"],
        ["@", "@main", "function/gvn<>", "@crc32", "function/gvn<>"],
        ["@", "@main", "function/gvn<>", "@"],
    ],
)
def test_what_the_grammar_forbids_cannot_be_read(pieces: list[str]) -> None:
    with pytest.raises(ValueError):
        Pipelines(VOCABULARY, ["main", "crc32"]).read(pieces)


def test_functions_that_cannot_be_named_are_left_to_the_module() -> None:
    assert Pipelines(VOCABULARY, ["operator new(unsigned long)", "ok"]).functions == ("@ok",)


@pytest.mark.parametrize(
    ("written", "adapted"),
    [
        ("globalopt", "globalopt"),
        ("function(simplifycfg<bonus-inst-threshold=1;newer-option>)", f"function({VOCABULARY[5].split('/')[1]})"),
        ("no-such-pass,function(gvn<x>,other)", "function(gvn<>)"),
        ("globalopt @main(unknown)", "globalopt"),
    ],
)
def test_plans_of_other_versions_are_adapted(written: str, adapted: str) -> None:
    assert str(Pipelines(VOCABULARY, ["main"]).adapt(written)) == adapted
