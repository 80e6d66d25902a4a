import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forerun.core import END
from forerun.grammars.decisions import PIECES, Choice, Decision, Decisions, Place, Plan, Step, Tile, legal
from forerun.models.uniform import Uniform
from forerun.testing import check_grammar


class Fixed:
    """Design spaces whose questions are known; a place may depend on the first decision, as in real ones."""

    def __init__(self, *spaces: tuple[Step, ...], bound: bool = False) -> None:
        self.spaces, self.bound = spaces, bound

    def __len__(self) -> int:
        return len(self.spaces)

    def step(self, space: int, decisions: tuple[Decision, ...]) -> Step | None:
        steps = self.spaces[space]
        if len(decisions) >= len(steps):
            return None
        step, first = steps[len(decisions)], decisions[0] if decisions else 0
        if self.bound and isinstance(step, Place) and isinstance(first, tuple) and first[0] == 1:
            return Place(step.places[:-1])
        return step


SPELLED = [
    (Tile(28, 4), (7, 1, 2, 2), "T4+0 2^2 p7 2^1 2^1 2^0 ."),
    (Tile(28, 4), (1, 1, 1, 28), "T4+0 2^2 p7 2^2 p7"),
    (Tile(28, 4), (1, 28, 1, 1), "T4+0 2^2 p7 2^0 2^0 2^2 p7"),
    (Tile(28, 4), (28, 1, 1, 1), "T4+0 2^2 p7 2^0 2^0 2^0 ."),
    (Tile(64, 2), (64, 1), "T2+0 2^6 2^0"),
    (Tile(64, 2, more=3), (64, 1), "T2+3 2^6 2^0"),
    (Tile(64, 2, more=30), (64, 1), "T2+7 2^6 2^0"),
    (Tile(9, 3), (1, 3, 3), "T3+0 2^0 p3 p3 2^0 p3 2^0 p3"),
    (Tile(1, 4), (1, 1, 1, 1), ""),
    (Tile(50257, 2, 64), (50257 // 29, 29), "T2+0 2^0 p29 P0 2^0 p29"),
    (Tile(41 * 43, 2), (41, 43), "T2+0 2^0 P0 P1 2^0 P1"),
    (Choice(4), 2, "C2"),
    (Choice(1), 0, ""),
    (Place((-2, -1, 3)), -1, "L-1"),
    (Place((-1,)), -1, ""),
]


@pytest.mark.parametrize(("step", "decision", "spelled"), SPELLED)
def test_a_decision_has_this_spelling(step, decision, spelled):
    grammar = Decisions(Fixed((step,)))
    assert grammar.write(Plan(0, (decision,))) == ["S0", *spelled.split()]
    check_grammar(grammar, [Plan(0, (decision,))])


extents = st.one_of(st.integers(1, 4096), st.sampled_from([1, 2, 12, 50257, 151936, 2**20, 3**9, 97, 97 * 97, 41 * 43]))
tiles = st.builds(Tile, extents, st.integers(2, 5), st.sampled_from([0, 1, 7, 64]))
steps = st.one_of(
    tiles,
    st.builds(Choice, st.integers(1, 8)),
    st.builds(lambda n: Place((-2, -1, *range(n))), st.integers(0, 5)),
)
spaces = st.lists(st.lists(steps, min_size=0, max_size=5).map(tuple), min_size=1, max_size=3)


@given(spaces, st.integers(0, 1000), st.booleans())
@settings(max_examples=80)
def test_the_laws_hold_for_any_spaces(spaces, seed, bound):
    grammar = Decisions(Fixed(*spaces, bound=bound))
    check_grammar(grammar, walks=10, seed=seed)
    for draft in Uniform().sample("", grammar, 5, seed):
        assert set(grammar.write(draft.answer)) <= set(PIECES)


@given(tiles)
@settings(max_examples=60)
def test_exactly_the_legal_tiles_can_be_written(tile):
    if tile.extent > 200:
        tile = Tile(tile.extent % 200 + 1, tile.parts, tile.innermost)
    grammar = Decisions(Fixed((tile,)))

    def ends(prefix):
        for piece in grammar.allowed(prefix):
            if piece == END:
                yield grammar.read(prefix).decisions[0]
            else:
                yield from ends([*prefix, piece])

    def products(left, parts):
        if parts == 1:
            yield (left,)
            return
        for factor in (f for f in range(1, left + 1) if left % f == 0):
            for rest in products(left // factor, parts - 1):
                yield (factor, *rest)

    written = list(ends(["S0"]))
    assert len(written) == len(set(written))
    assert set(written) == {t for t in products(tile.extent, tile.parts) if legal(tile, t)}


def test_what_is_not_legal_is_refused():
    grammar = Decisions(Fixed((Tile(64, 2, 16), Choice(3), Place((-1, 0)))))
    for plan in (Plan(1, ()), Plan(0, ((2, 31), 0, -1)), Plan(0, ((2, 32), 0, -1)), Plan(0, ((4, 16), 3, -1))):
        with pytest.raises(ValueError, match=r"no design space|asked is"):
            grammar.write(plan)
    with pytest.raises(ValueError, match="is missing"):
        grammar.write(Plan(0, ((4, 16), 0)))
    with pytest.raises(ValueError, match="may not follow"):
        grammar.read(["S0", "T2+0", "2^6", "2^5"])
    with pytest.raises(ValueError, match="unfinished"):
        grammar.read(["S0", "T2+0"])
    for text in ("", "T1,2", "S0 X1", "S0 T4,16 C0 L3", "S0 T64,1 C0", "S9"):
        with pytest.raises(ValueError):
            grammar.parse(text)


def test_random_decisions_are_as_good_as_any():
    tile = Tile(2**6 * 7, 4, 64)
    drawn = {draft.answer.decisions[0] for draft in Uniform().sample("", Decisions(Fixed((tile,))), 400, 0)}
    assert len(drawn) > 100
    assert all(math.prod(factors) == tile.extent and factors[-1] <= 64 for factors in drawn)
