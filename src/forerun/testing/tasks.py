"""The laws of a task."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import TypeVar

from forerun.core import Draft, Measurement, Source, Task, Trial
from forerun.sandbox import Pool

A = TypeVar("A")


def check_task(task: Task[A], source: Source, answers: Sequence[A], pool: Pool, *, predicts: bool = False) -> None:
    """Picklable; measures the baseline and answers, twice alike; ties and unchecked trials go to the baseline.

    A task that `predicts` chooses in another way: by what was answered, whatever was measured.
    """
    assert pickle.loads(pickle.dumps(task)) == task, f"{task.name}: does not survive pickling, or has no __eq__"
    assert source.lang in task.reads, f"{task.name}: does not read {source.lang}"
    assert task.metric.name in task.metrics, f"{task.name}: its objective is not among its metrics"
    assert task.prompt(source) == task.prompt(source), f"{task.name}: two prompts of one source"
    baseline = next(m for _, m in pool.measure(task, source, [None]))
    assert baseline.ok, f"{task.name}: the baseline fails: {baseline.error}"
    assert task.metric.name in baseline.values, f"{task.name}: the baseline lacks the objective"
    grammar = task.grammar(source)
    for answer in answers:
        assert grammar.read(grammar.write(answer)) == answer, f"{task.name}: its grammar cannot spell {answer}"
    first, again = (dict(pool.measure(task, source, answers)) for _ in range(2))
    assert first == again, f"{task.name}: measured twice, differently"
    assert all(m.tool for m in first.values()), f"{task.name}: a measurement without its tool"
    if predicts:
        _guessing(task, source, baseline, answers)
    else:
        _choosing(task, source, baseline, answers[0])


def _choosing(task: Task[A], source: Source, baseline: Measurement, answer: A) -> None:
    origin: Draft[A] = Draft(None, origin="baseline")
    held = Trial(task.id, source, origin, baseline)

    def trial(measurement: Measurement) -> Trial[A]:
        return Trial(task.id, source, Draft(answer), measurement)

    name, value = task.metric.name, baseline.values[task.metric.name]
    better = value - 1 if task.metric.lower_is_better else value + 1
    assert task.choose(held, [trial(baseline)]) is held, f"{task.name}: a tie does not go to the baseline"
    unchecked = Measurement({**baseline.values, name: better})
    assert task.choose(held, [trial(unchecked)]) is held, f"{task.name}: an unchecked candidate wins"
    failed = Measurement({**baseline.values, name: better}, checked=True, error="no")
    assert task.choose(held, [trial(failed)]) is held, f"{task.name}: a failed candidate wins"
    good = trial(Measurement({**baseline.values, name: better}, checked=True))
    assert task.choose(held, [trial(baseline), good]) is good, f"{task.name}: the best checked candidate does not win"


def _guessing(task: Task[A], source: Source, baseline: Measurement, answers: Sequence[A]) -> None:
    origin: Draft[A] = Draft(None, origin="baseline")
    held = Trial(task.id, source, origin, baseline)
    assert task.choose(held, []) is held, f"{task.name}: without an answer the baseline does not stay"
    name, value = task.metric.name, baseline.values[task.metric.name]
    for lucky in range(len(answers)):
        trials = [
            Trial(task.id, source, Draft(answer), Measurement({name: value if i == lucky else 2 * value}, checked=True))
            for i, answer in enumerate(answers)
        ]
        chosen = task.choose(held, trials).draft.answer
        blind = task.choose(held, [Trial(t.task, source, t.draft, Measurement()) for t in trials]).draft.answer
        assert chosen is not None and chosen == blind, f"{task.name}: it looks at what was measured"
