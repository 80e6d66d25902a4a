import random

import pytest

from forerun.core import END
from forerun.grammars.decisions import Choice, Decisions, Place, Plan, Tile
from forerun.grammars.graded import BEST, CENTRES, GRADES, SHARES, UNKNOWN, Graded, GradedDecisions, grade, ranked
from forerun.testing import check_grammar
from forerun.testing.grammars import walk
from tests.test_decisions import Fixed

SPACES = Fixed((Tile(28, 4, 16), Choice(4), Place((-1, 0, 2))), (Choice(2),))
PLAN = Plan(0, ((7, 1, 2, 2), 3, -1))


def test_the_laws_hold_with_grades():
    grammar = GradedDecisions(Decisions(SPACES))
    answers = [Graded("Q9", PLAN), Graded("?", PLAN, "Q0"), Graded("U", Plan(1, (0,)))]
    check_grammar(grammar, answers, walks=100)
    assert grammar.write(answers[1]) == ["?", *Decisions(SPACES).write(PLAN), "Q0"]


def test_a_grade_that_is_asked_for_comes_first_and_is_the_only_one():
    grammar = GradedDecisions(Decisions(SPACES), BEST)
    for seed in range(20):
        pieces = walk(grammar, random.Random(seed))
        assert pieces[0] == BEST
        assert grammar.read(pieces).plan == Decisions(SPACES).read(pieces[1:])
        assert list(grammar.allowed(pieces)) == [END]


@pytest.mark.parametrize(
    "answer", [Graded("Q9", PLAN, "Q9"), Graded("?", PLAN), Graded("x", PLAN), Graded("U", PLAN, "Q1")]
)
def test_a_grade_in_the_wrong_place_is_refused(answer):
    with pytest.raises(ValueError, match="no grade belongs there"):
        GradedDecisions(Decisions(SPACES)).write(answer)


def test_what_spells_no_graded_decisions_is_refused():
    grammar, written = GradedDecisions(Decisions(SPACES)), Decisions(SPACES).write(PLAN)
    for pieces in ([], written, ["?", *written], ["?", *written[:-1], "Q1"], ["Q9", *written, "Q9"]):
        with pytest.raises(ValueError):
            grammar.read(pieces)
    with pytest.raises(ValueError, match="does not begin"):
        GradedDecisions(Decisions(SPACES), BEST).allowed(["Q1"])


def test_grades_are_shares_of_the_best_speed():
    assert [grade(share) for share in (0.0, 0.019, 0.02, 0.5, 0.949, 0.95, 1.0)] == [
        "Q0",
        "Q0",
        "Q1",
        "Q5",
        "Q8",
        "Q9",
        "Q9",
    ]
    assert [grade(centre) for centre in CENTRES] == list(GRADES)
    assert list(SHARES) == sorted(SHARES)


def test_what_is_believed_has_grades_by_its_rank():
    seconds = [1 + i / 100 for i in range(100)]
    grades = ranked(seconds)
    assert grades == sorted(grades, reverse=True) and set(grades) == set(GRADES)
    assert grades[:4] == [BEST] * 4 and grades[4] == "Q8" and grades[50] == "Q5"
    mixed = random.Random(0).sample(range(100), 100)
    assert ranked([seconds[i] for i in mixed]) == [grades[i] for i in mixed]
    # Where all are alike none is the best; one alone is.
    assert ranked([1.0, 1.005, 1.002]) == [UNKNOWN] * 3
    assert ranked([]) == [] and ranked([2.0]) == [UNKNOWN]
