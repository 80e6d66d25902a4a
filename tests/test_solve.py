from __future__ import annotations

from pathlib import Path

import pytest

from forerun.core import Trial
from forerun.errors import InputError
from forerun.models._chain import Chain, model
from forerun.models.coreset import Coreset
from forerun.models.search import Search
from forerun.models.uniform import Uniform
from forerun.sandbox import Limits, Pool
from forerun.solve import Budget, solve
from forerun.store import Store
from tests.toy import Fixed, Guess, Nothing, Slow, Unmeasured, source


@pytest.fixture(scope="module")
def two():  # type: ignore[no-untyped-def]
    with Pool(2, Limits(timeout_s=2, memory_bytes=2 << 30)) as pool:
        yield pool


def test_the_best_checked_answer_wins(two: Pool) -> None:
    result = solve(Guess(), Fixed("a", "ab", "abca", "b"), source(), pool=two)
    assert (result.best.draft.answer, result.before, result.after, result.gain) == ("abca", 3, 0, 1)
    assert [t.draft.answer for t in result.trials] == ["a", "ab", "abca", "b"]


def test_a_tie_goes_to_the_baseline_and_worse_never_wins(two: Pool) -> None:
    result = solve(Guess(), Fixed("ccca", "bbb"), source("cccb"), pool=two)
    assert result.best is result.baseline and result.gain == 0


def test_an_unchecked_candidate_never_wins(two: Pool) -> None:
    assert solve(Guess(), Fixed("aac", "a"), source("aac"), pool=two).best.draft.answer == "a"


def test_failing_candidates_do_not_end_the_search(two: Pool) -> None:
    result = solve(Guess(), Fixed("aaaa", "abab", "bbbb", "ab"), source(), pool=two)
    assert [bool(t.measurement.error) for t in result.trials] == [True, True, True, False]
    assert result.best.draft.answer == "ab"


def test_a_failing_baseline_is_the_users_error(two: Pool) -> None:
    with pytest.raises(InputError, match="the baseline is broken"):
        solve(Guess(), Fixed("a"), source("broken"), pool=two)


def test_the_budget_counts_distinct_candidates(two: Pool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    result = solve(Guess(str(log)), Uniform(longest=4), source(), pool=two, budget=Budget(9))
    measured = log.read_text().split()
    assert len(result.trials) == 9 and len(measured) == len(set(measured)) == 10  # with the baseline


def test_a_model_that_repeats_itself_ends(two: Pool) -> None:
    class Stuck(Fixed):
        def sample(self, prompt, grammar, n, seed, history=()):  # type: ignore[no-untyped-def]
            return super().sample(prompt, grammar, n, seed)

    assert len(solve(Guess(), Stuck("a", "b"), source(), pool=two, budget=Budget(50)).trials) == 2


def test_known_answers_are_not_measured_again(two: Pool, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with Store(tmp_path / "t.sqlite") as store:
        first = solve(Guess(str(log)), Fixed("a", "ab"), source(), pool=two, store=store)
        second = solve(Guess(str(log)), Fixed("a", "ab", "abc"), source(), pool=two, store=store)
    assert sorted(log.read_text().split()) == ["None", "None", "a", "ab", "abc"]
    assert second.trials[:2] == first.trials


def test_the_baseline_is_kept_beside_the_answers(two: Pool, tmp_path: Path) -> None:
    with Store(tmp_path / "t.sqlite") as store:
        for _ in range(2):
            result = solve(Guess(), Fixed("a"), source(), pool=two, store=store)
        rows = {row.answer: row.measurement.values["distance"] for row in store.trials()}
    assert rows == {None: result.before, "a": result.after} and len(rows) == 2


def test_interrupted_work_goes_on_where_it_stopped(two: Pool, tmp_path: Path) -> None:
    class Interrupt(Exception):
        pass

    def stop(trial: Trial[str]) -> None:
        if trial.draft.answer == "aab":
            raise Interrupt

    words = [a + b + c for a in "ab" for b in "ab" for c in "abc"]
    log = tmp_path / "log"
    with Store(tmp_path / "t.sqlite") as store, pytest.raises(Interrupt):
        solve(Guess(str(log)), Fixed(*words), source(), pool=two, store=store, on_trial=stop, budget=Budget(100))
    with Store(tmp_path / "t.sqlite") as store:
        result = solve(Guess(str(log)), Fixed(*words), source(), pool=two, store=store, budget=Budget(100))
    assert len(result.trials) == 12
    measured = [w for w in log.read_text().split() if w != "None"]
    # The other worker's candidate was under way.
    assert set(measured) == set(words) and len(measured) <= len(words) + 1


@pytest.mark.parametrize("spelled", ["uniform", "search"])
def test_the_answer_does_not_depend_on_the_workers_nor_on_the_store(spelled: str, two: Pool, tmp_path: Path) -> None:
    def answers(pool: Pool, store: Store | None) -> list[str | None]:
        result = solve(Guess(), model(spelled), source("abc"), pool=pool, budget=Budget(40), seed=3, store=store)
        return [t.draft.answer for t in result.trials]

    with Pool(1, Limits(timeout_s=2, memory_bytes=2 << 30)) as one, Store(tmp_path / "t.sqlite") as store:
        expected = answers(one, None)
        assert answers(two, store) == expected
        assert answers(two, store) == expected


def test_a_search_beats_chance_on_a_task_that_can_be_climbed(two: Pool) -> None:
    found = [
        [solve(Guess(), m, source("cabc"), pool=two, budget=Budget(50), seed=s).after for s in range(4)]
        for m in (Search(first=8), Uniform(longest=4))
    ]
    assert sum(found[0]) <= sum(found[1])


def test_models_fill_what_the_one_before_leaves_open(two: Pool) -> None:
    chain = Chain(Coreset(["a b", "no such", "a b c a"]), Uniform(longest=2))
    result = solve(Guess(), chain, source(), pool=two, budget=Budget(8))
    assert [t.draft.origin for t in result.trials] == ["coreset"] * 2 + ["uniform"] * 6


def test_seconds_are_a_budget_too(two: Pool) -> None:
    assert solve(Guess(), Uniform(), source(), pool=two, budget=Budget(10, seconds=0.0)).trials == ()


def test_a_store_that_fails_in_the_middle_does_not_cost_the_answer(
    two: Pool, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Store(tmp_path / "t.sqlite") as store:
        store._db.execute("CREATE TRIGGER t BEFORE INSERT ON trials BEGIN SELECT RAISE(FAIL, 'disk is full'); END")
        result = solve(Guess(), Fixed("a", "abca"), source(), pool=two, store=store)
        solve(Guess(), Fixed("a", "ab"), source("abcb"), pool=two, store=store)
    assert result.best.draft.answer == "abca"
    assert caplog.text.count("disk is full; what is measured from here on is not kept") == 1


def test_time_ends_a_round(two: Pool) -> None:
    words = [a + b for a in "ab" for b in "abcdefgh"]
    result = solve(Slow(), Fixed(*words), source(), pool=two, budget=Budget(100, seconds=0.5))
    assert 1 <= len(result.trials) < 12


def test_what_a_task_must_not_do_is_said_clearly(two: Pool) -> None:
    with pytest.raises(InputError, match="baseline") as raised:
        solve(Nothing(), Fixed("a"), source(), pool=two)
    assert "not a Measurement" in raised.value.why
    with pytest.raises(InputError, match="baseline"):
        solve(Unmeasured(), Fixed("a"), source(), pool=two)
