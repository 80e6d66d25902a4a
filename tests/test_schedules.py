"""From measured kernels to a model that proposes: the task, its tables, training, and what is proposed."""

import math
from dataclasses import replace

import numpy as np
import pytest

from forerun import plain
from forerun.core import Draft, Measurement, Source, Trial
from forerun.corpora import workloads
from forerun.corpora.workloads import Use, Workload
from forerun.errors import InputError
from forerun.grammars.decisions import Choice, Decisions, Place, Plan, Tile, legal
from forerun.models.uniform import Uniform
from forerun.tables import schedules
from forerun.tables.schedules import Recorded, Sentence, Sentences
from tests.test_decisions import Fixed

SPACES = Fixed((Tile(64, 2, more=1), Tile(32, 2, 16), Choice(4)), (Tile(64, 2), Choice(4), Place((-1, 0))))
GRAMMAR = Decisions(SPACES)
TARGET = '{"kind":"cuda"}'


def seconds(plan: Plan) -> float:
    """Fast where the first tile's inner part is 16 and nothing is unrolled much."""
    tile = plan.decisions[0]
    assert isinstance(tile, tuple)
    return 1e-3 * (1 + abs(math.log2(tile[1]) - 4) + (plan.space == 1) + 0.2 * int(plan.decisions[2 - plan.space]))


def sentence(plan: Plan) -> Sentence:
    asked = [SPACES.step(plan.space, plan.decisions[:i]) for i in range(len(plan))]
    spelled = GRAMMAR.text(plan).split()[1:]
    return Sentence(plan.space, tuple(map(schedules._asked, asked)), tuple(spelled), seconds(plan), True, "uniform")


def programs(count: int, family: str) -> list[Sentences]:
    plans = [draft.answer for draft in Uniform(1).sample("", GRAMMAR, 40, seed=3)]
    prompt = "schedule latency, s\nspace 0\nspace 1"
    return [
        Sentences(f"{family}{i}", (family,), "…", TARGET, f"{prompt} {i}", 2, 1.0, tuple(map(sentence, plans)))
        for i in range(count)
    ]


def test_sentences_keep_what_was_asked(tmp_path):
    found = programs(2, "a")
    for name in ("x.jsonl", "x.jsonl.gz"):
        schedules.write(tmp_path / name, found)
        assert schedules.read(tmp_path / name) == found
    for each in found[0].sentences:
        grammar = Decisions(Recorded(2, each))
        assert grammar.read(grammar.write(each.plan)) == each.plan
        assert grammar.write(each.plan) == GRAMMAR.write(each.plan)
    assert found[0].best == min(seconds(each.plan) for each in found[0].sentences)


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"name": 1}\n')
    (tmp_path / "x.jsonl.gz").write_bytes(b"\x1f\x8b no")
    for path in (tmp_path / "x.jsonl", tmp_path / "x.jsonl.gz", tmp_path / "absent"):
        with pytest.raises(InputError, match="holds no schedules"):
            schedules.read(path)
        with pytest.raises(InputError, match="holds no tensor programs"):
            workloads.read(path)


def test_workloads_belong_to_every_family_that_uses_them(tmp_path):
    uses = (Use("resnet18", "resnet", 1, 2), Use("unet", "unet", 4, 1))
    each = Workload("resnet18/matmul", "…", 1e6, uses)
    workloads.write(tmp_path / "w.jsonl.gz", [each])
    assert workloads.read(tmp_path / "w.jsonl.gz") == [each]
    assert each.families == {"resnet", "unet"} and each.family == "resnet"
    assert each.source("{}") == Source("…", "tensorir", "resnet18/matmul", "{}")
    assert plain.read('{"network": "a", "family": "b", "batch": 1, "weight": 2}', Use) == Use("a", "b", 1, 2)


def test_a_model_learns_to_propose_what_is_fast(tmp_path):
    pytest.importorskip("torch")
    from forerun.models.scheduler import CARD, Scheduler, kinds
    from forerun.train import recipes
    from forerun.train.schedules import fit

    training = recipes.named("schedule", depth=1, context=64, steps=80, rows=2, row_tokens=64, run=1, evaluate_every=40)
    training = replace(training, decoder=2, tokens=300, export=False)
    found = [*programs(3, "a"), *programs(1, "b")]
    assert fit(found, {"b"}, tmp_path, training)
    model, prompt = Scheduler(tmp_path, device="cpu"), found[-1].prompt
    drafts = model.sample(prompt, GRAMMAR, 4, seed=1)
    assert drafts == model.sample(prompt, GRAMMAR, 4, seed=1)
    plans = [draft.answer for draft in drafts]
    assert len(set(plans)) == 4
    for plan in plans:
        steps = (SPACES.step(plan.space, plan.decisions[:i]) for i in range(len(plan)))
        assert all(map(legal, steps, plan.decisions))
    random = [draft.answer for draft in Uniform(1).sample("", GRAMMAR, 200, seed=9)]
    assert np.mean([seconds(p) for p in plans]) < 0.75 * np.mean([seconds(p) for p in random])

    # It judges: fast plans are thought to be nearer to the best than slow ones.
    shares = model.graded(prompt, GRAMMAR, random)
    order = np.argsort([seconds(p) for p in random])
    assert shares.shape == (200,) and ((shares >= 0) & (shares <= 1)).all()
    assert shares[order[:40]].mean() > shares[order[-40:]].mean() + 0.05

    # It says for what kind of hardware it writes: one that says nothing, for processors.
    assert kinds(tmp_path) == {"cuda"} and kinds(tmp_path / "absent") == {"llvm"}
    (tmp_path / CARD).write_text("[")
    with pytest.raises(InputError, match="cannot be read"):
        kinds(tmp_path)

    # What was tried is not proposed again.
    source = Source("", "tensorir")
    history = [Trial("schedule/2", source, Draft(plan), Measurement({"latency": 1.0}, True)) for plan in plans]
    assert not {draft.answer for draft in model.sample(prompt, GRAMMAR, 4, 1, history)} & set(plans)


def test_too_little_is_refused(tmp_path):
    pytest.importorskip("torch")
    from forerun.train import recipes
    from forerun.train.schedules import fit

    with pytest.raises(InputError, match="too little to learn from"):
        fit(programs(2, "a"), {"a"}, tmp_path, recipes.named("schedule"))
    with pytest.raises(InputError, match="no program is of the family 'b'"):
        fit(programs(2, "a"), {"b"}, tmp_path, recipes.named("schedule"))
