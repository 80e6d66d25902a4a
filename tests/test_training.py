"""Training: it learns, it resumes exactly, and its batches hold what they say."""

from __future__ import annotations

import json
import math
import multiprocessing
import os
import random
import shutil
import signal
import socket
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

torch = pytest.importorskip("torch")

from safetensors import safe_open  # noqa: E402
from safetensors.torch import load_file, save_file  # noqa: E402

from forerun.errors import ForerunError, InputError, UsageError  # noqa: E402
from forerun.files import alone  # noqa: E402
from forerun.grammars.floats import Floats  # noqa: E402
from forerun.models._decode import expand  # noqa: E402
from forerun.models.encoder_decoder._torch import TorchNetwork  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.head import Head  # noqa: E402
from forerun.models.encoder_decoder.network import Network  # noqa: E402
from forerun.models.encoder_decoder.tokenizer import Tokenizer, learn  # noqa: E402
from forerun.prompts import number  # noqa: E402
from forerun.train import lora, losses  # noqa: E402
from forerun.train.batches import Position, Sampler, batches  # noqa: E402
from forerun.train.examples import Dataset, Example, Labelled, Legal, places, tokenised  # noqa: E402
from forerun.train.head import SquaredError  # noqa: E402
from forerun.train.loop import BEST, LAST, Objective, Progress, Recipe, moved, optimisers, train  # noqa: E402
from tests import torchrun  # noqa: E402

torch.set_num_threads(1)
GRAMMARS = {"loops": Floats(digits=2), "lines": Floats(digits=2)}
RECIPE = Recipe(steps=60, rows=4, row_tokens=128, learning_rate=3e-3, dropout=0.05, evaluate_every=20, bf16=False)
OF_TWO = Recipe(steps=8, rows=2, row_tokens=128, learning_rate=3e-3, evaluate_every=4, bf16=False)
"""What `tests.torchrun` trains by."""


def rows(n: int, seed: int) -> list[Labelled]:
    """Programs whose cost is ten to the number of their nested loops."""
    draw, found = random.Random(seed), []
    for i in range(n):
        depth = draw.randint(0, 4)
        task = "loops" if i % 3 else "lines"
        text = f"{task}\n{number(depth)}\n" + "for " * depth + "x" * draw.randint(1, 30)
        value = 10.0**depth * (3 if task == "lines" else 1)
        found.append(Labelled(task, text, (value,), math.log10(value), group=f"g{i % 9}"))
    return found


class World:
    """Everything that a small training needs."""

    def __init__(self, n: int = 300) -> None:
        texts = [row.prompt for row in rows(200, 5)]
        self.tokenizer: Tokenizer = learn(texts, 300)
        self.legal = Legal(self.tokenizer.size)
        self.examples = tokenised(rows(n, 0), GRAMMARS, self.tokenizer, self.legal, 512)
        self.validation = tokenised(rows(60, 1), GRAMMARS, self.tokenizer, self.legal, 512)
        self.data = Dataset(self.examples, self.validation, self.legal, places(self.legal, self.tokenizer))

    def network(self) -> Network:
        torch.manual_seed(3)
        return Network(
            Config(
                self.tokenizer.size, width=64, layers=2, decoder_layers=1, heads=2, head_width=32, hidden=128, window=32
            )
        )

    def train(self, folder: Path, recipe: Recipe = RECIPE, **more: Any) -> Network:
        network = self.network()
        folder.mkdir(exist_ok=True)
        train(network, self.data, recipe, folder, **more)
        return network


@pytest.fixture(scope="module")
def world() -> World:
    return World()


def test_it_learns_and_says_so(world: World, tmp_path: Path) -> None:
    network = world.train(tmp_path / "run")
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == list(range(1, 61))
    found = [line["validation"] for line in lines if line["validation"] is not None]
    assert len(found) == 3 and found[-1] < 0.5 * lines[0]["parts"]["nll"]
    runner, right = TorchNetwork(network), 0
    for row in rows(30, 9):
        ids = world.tokenizer.encode(row.prompt).ids
        (leaves,) = expand(runner, world.tokenizer.vocabulary, runner.encode([ids]), [GRAMMARS[row.task]])
        right += Floats(digits=2).read(leaves[0].pieces) == row.answer if leaves[0].complete else 0
    assert right >= 20


@pytest.mark.parametrize("optimiser", ["adamw", "muon"])
def test_a_training_that_was_stopped_goes_on_as_if_it_had_not_been(
    optimiser: str, world: World, tmp_path: Path
) -> None:
    recipe = Recipe(**{**as_dict(RECIPE), "steps": 25, "evaluate_every": 7, "optimiser": optimiser})
    whole = world.train(tmp_path / "whole", recipe)
    calls = 0
    while not calls or len(losses_of(tmp_path / "parts")) < 25:
        parts = world.train(tmp_path / "parts", recipe, seconds=0.0)  # a step at a time
        calls += 1
    assert calls == 25
    for (name, one), (_, other) in zip(whole.named_parameters(), parts.named_parameters(), strict=True):
        assert torch.equal(one, other), name
    curve = losses_of(tmp_path / "whole")
    assert curve == losses_of(tmp_path / "parts") and sum(curve[-5:]) < 0.8 * sum(curve[:5])
    one, other = (load_file(tmp_path / name / BEST) for name in ("whole", "parts"))
    assert all(torch.equal(one[name], other[name]) for name in one if name.startswith("network."))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_loses_no_step(number: signal.Signals, world: World, tmp_path: Path) -> None:
    recipe = Recipe(**{**as_dict(RECIPE), "steps": 12})
    whole, before = world.train(tmp_path / "whole", recipe), signal.getsignal(number)

    def interrupt(report: Progress) -> None:
        if report.step == 5:
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt):
        world.train(tmp_path / "parts", recipe, on_step=interrupt)
    assert len(losses_of(tmp_path / "parts")) == 5 and signal.getsignal(number) == before
    with (tmp_path / "parts" / "metrics.jsonl").open("a") as log:
        log.write('{"step": 6, "lo')  # as a kill in the middle of a line leaves it
    parts = world.train(tmp_path / "parts", recipe)
    for one, other in zip(whole.parameters(), parts.parameters(), strict=True):
        assert torch.equal(one, other)
    assert losses_of(tmp_path / "whole") == losses_of(tmp_path / "parts")


def test_what_was_killed_before_it_saved_anything_is_begun_anew(world: World, tmp_path: Path) -> None:
    run = tmp_path / "run"
    world.train(run, seconds=0.0)
    (run / "last.safetensors").unlink()
    (run / "best.safetensors").write_bytes(b"of another attempt")
    (run / "metrics.jsonl").write_text((run / "metrics.jsonl").read_text() * 3)
    world.train(run, seconds=0.0)
    assert steps_of(run) == [1] and not (run / "best.safetensors").exists()
    lines = (run / "metrics.jsonl").read_text()
    (run / "metrics.jsonl").write_text(lines.replace('"step": 1', '"step": 2') + lines * 2)
    world.train(run, seconds=0.0)
    assert steps_of(run) == [1, 2]


def test_a_second_signal_ends_at_once(world: World, tmp_path: Path) -> None:
    seen: list[int] = []

    def interrupt(report: Progress) -> None:
        seen.append(report.step)
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        world.train(tmp_path / "run", on_step=interrupt)
    assert seen == [1] and not (tmp_path / "run" / "last.safetensors").exists()


def steps_of(folder: Path) -> list[int]:
    return [json.loads(line)["step"] for line in (folder / "metrics.jsonl").read_text().splitlines()]


def losses_of(folder: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_each_optimiser_has_its_own_parameters(world: World) -> None:
    network = world.network()
    muon, adam = optimisers(network, Recipe(optimiser="muon"))
    (adamw,) = optimisers(network, Recipe())
    of_muon, of_adam, of_adamw = (
        [p for group in optimiser.param_groups for p in group["params"]] for optimiser in (muon, adam, adamw)
    )
    everything = set(network.parameters())
    assert set(of_adamw) == everything == set(of_muon) | set(of_adam)
    assert len(of_adamw) == len(everything) == len(of_muon) + len(of_adam)
    assert all(p.ndim == 2 for p in of_muon) and network.embed_tokens.weight in set(of_adam)


def of_two(places: Sequence[Path], command: Sequence[str]) -> list[str]:
    """What `torchrun` of two processes prints, of one machine, or of each of two that meet at an address and share no
    folder."""
    count = len(places)
    where = ["--standalone"] if count == 1 else ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"127.0.0.1:{free()}"]
    launch = ["-m", "torch.distributed.run", *where, "--nnodes", f"{count}", "--nproc-per-node", f"{2 // count}"]
    path = os.pathsep.join([str(Path(__file__).parents[1]), *sys.path])
    variables = os.environ | {"PYTHONPATH": path, "GLOO_SOCKET_IFNAME": "lo", "PYTHONFAULTHANDLER": "1"}
    running, said, ends = [], [], time.monotonic() + 300
    try:
        for place in places:
            place.mkdir(exist_ok=True)
            words = [sys.executable, *launch, "-m", *command, str(place)]
            said.append((place.with_suffix(".out"), place.with_suffix(".err")))
            with said[-1][0].open("w") as out, said[-1][1].open("w") as err:
                running.append(psutil.Popen(words, env=variables, stdout=out, stderr=err))
        for one in running:
            one.wait(max(0.0, ends - time.monotonic()))
    except psutil.TimeoutExpired:
        told = [f"{one.args[-1]}: {one.poll()}" for one in running]
        stopped(running)
        pytest.fail("\n".join([*told, *(line for paths in said for path in paths for line in stacks(path))]), False)
    finally:
        stopped(running)
    for one, (_, err) in zip(running, said, strict=True):
        assert one.returncode == 0, err.read_text()
    return [out.read_text() for out, _ in said]


def free() -> int:
    """A port."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def forked(places: Sequence[Path]) -> None:
    """Two processes as `torchrun` starts them, of a server that has imported torch: eight seconds of a core less."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.torchrun"])
    port, running = free(), []
    for rank in (0, 1):
        place = places[rank % len(places)]
        place.mkdir(exist_ok=True)
        running.append(context.Process(target=torchrun.ranked, args=(rank, port, place), daemon=True))
    for one in running:
        one.start()
    ends = time.monotonic() + 300
    for one in running:
        one.join(max(0.0, ends - time.monotonic()))
    failed = [one.exitcode for one in running if one.exitcode != 0]
    for one in running:
        one.kill()
    said = [torchrun.errors(places[rank % len(places)], rank).read_text() for rank in (0, 1)]
    assert not failed, "\n".join([f"ended with {failed}", *said])


def stacks(path: Path) -> list[str]:
    """Where the threads of processes were that were aborted, the ten innermost calls of each; and the last words."""
    lines = path.read_text().splitlines()
    starts = [i for i, line in enumerate(lines) if line.startswith(("Thread 0x", "Current thread 0x"))]
    ends = [min(i + 11, *(j for j in (*starts, len(lines)) if j > i)) for i in starts]
    found = [line for i, j in zip(starts, ends, strict=True) for line in lines[i:j]]
    return [f"{path.name}:", *found, *(lines[: starts[0]] if starts else lines)[-10:]]


def stopped(running: Sequence[psutil.Popen]) -> None:
    """Ends all that still runs of them, the last begun first, each with its stacks."""
    for one in running:
        if one.poll() is None:
            for each in [*reversed(one.children(recursive=True)), one]:
                with suppress(psutil.NoSuchProcess):
                    each.send_signal(signal.SIGABRT)
                    each.wait(10)


def test_two_machines_train_by_the_command(tmp_path: Path) -> None:
    table, places = tmp_path / "t.csv", [tmp_path / name for name in ("a", "b")]
    lines = [f"for i in range({n * 37 % 1000}): x += {n},{n * 37 % 1000 / 1e3},p{n % 20}" for n in range(1, 101)]
    table.write_text("\n".join(["code,latency_s,project", *lines]))
    of_table = ["--text", "code", "--target", "latency_s", "--group", "project", "--language", "python"]
    small = ["--steps", "2", "--depth", "1", "--context", "64"]
    said = of_two(places, ["forerun", "train", "--data", str(table), *of_table, *small, "-o"])
    (first,) = (place for place in places if (place / "model.safetensors").exists())
    other = places[1 - places.index(first)]
    assert not list(other.glob("last*")) and not (other / "metrics.jsonl").exists()  # the first one writes for all
    assert "yes" in said[places.index(first)] and said[places.index(other)] == ""


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What two processes of one machine leave."""
    place = tmp_path_factory.mktemp("torchrun") / "run"
    forked([place])
    return place


def test_each_loss_has_a_share_of_all_weights(world: World) -> None:
    """Without that processes of one training would wait for one another."""
    plain, updated, headed = world.network(), world.network(), Head(world.network().config)
    lora.add(updated, 4)
    for network, objective in ((plain, Objective), (updated, Objective), (headed, SquaredError)):
        batch = next(batches(Sampler(world.data.examples, Position(0), 2.0, 1), 2, 128))
        loss, _ = objective(network, world.data, RECIPE)(moved(batch, torch.device("cpu")))
        loss.backward()
        assert all(own.grad is not None for own in network.parameters() if own.requires_grad)


@pytest.mark.parametrize("machines", [1, 2])
def test_two_processes_train_one_network_and_resume(machines: int, ended: Path, tmp_path: Path) -> None:
    places = [ended] if machines == 1 else [tmp_path / f"machine-{i}" for i in range(machines)]
    if machines > 1:
        forked(places)
    (first,) = (place for place in places if (place / "0.json").exists())
    whole, parts = (losses_of(first / name) for name in ("whole", "parts"))
    assert len(whole) == 8 and whole == parts and sum(whole[-3:]) < sum(whole[:3])
    weights = {path.name: path.read_bytes() for place in places for path in place.glob("*.weights")}
    assert sorted(weights) == [f"{name}-{rank}.weights" for name in ("parts", "whole") for rank in (0, 1)]
    assert len(set(weights.values())) == 1  # both processes hold the same network, stopped or not
    facts = json.loads((first / "0.json").read_text())
    (other,) = facts["others"]
    assert facts["position"]["seed"] != other["seed"]  # each draws examples of its own
    assert not any(torchrun.errors(places[rank % machines], rank).read_text() for rank in (0, 1))  # no warning


def test_another_number_of_processes_goes_on_with_nothing_but_what_has_ended(ended: Path, tmp_path: Path) -> None:
    place = shutil.copytree(ended, tmp_path / "run")
    small, recipe = World(120), OF_TWO
    small.train(place / "parts", recipe)
    with safe_open(place / "parts" / LAST, framework="pt") as file:
        kept, facts = {n: file.get_tensor(n) for n in file.keys()}, json.loads(file.metadata()["forerun"])  # noqa: SIM118
    save_file(kept, place / "parts" / LAST, metadata={"forerun": json.dumps(facts | {"step": 4})})
    with pytest.raises(InputError, match="holds a training of 2 processes") as caught:
        small.train(place / "parts", recipe)
    assert caught.value.why == "one process cannot go on exactly" and "--nproc-per-node" in caught.value.todo


def test_a_checkpoint_that_the_first_process_has_not_is_told(tmp_path: Path) -> None:
    for name in ("machine-0", "machine-1"):
        (tmp_path / "run" / name).mkdir(parents=True)
    World(120).train(tmp_path / "run" / "machine-1" / "whole", OF_TWO, seconds=0.0)
    with pytest.raises(AssertionError, match=r"no last\.safetensors where the first process is"):
        forked([tmp_path / "run"])


def test_processes_go_on_from_the_step_that_the_first_one_saved(ended: Path, tmp_path: Path) -> None:
    """Whatever another machine's folder holds, and a damaged checkpoint ends all of them with its error."""
    place = shutil.copytree(ended, tmp_path / "run")
    World(120).train(place / "alone", OF_TWO, seconds=0.0)
    (place / "parts" / "last-1.safetensors").write_bytes((place / "alone" / LAST).read_bytes())
    forked([place])
    assert len({path.read_bytes() for path in place.glob("*.weights")}) == 1
    (place / "parts" / LAST).write_bytes(b"noise")
    with pytest.raises(AssertionError, match="cannot be read") as caught:
        forked([place])
    assert "Connection closed" not in str(caught.value) and str(caught.value).count("InputError: ") >= 2


def test_a_process_that_is_killed_ends_the_others_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="another process of this training ended") as caught:
        of_two([tmp_path / "run"], ["tests.torchrun"])
    assert f"goes on from {tmp_path / 'run' / LAST}" in str(caught.value)
    with safe_open(tmp_path / "run" / LAST, framework="pt") as file:
        assert json.loads(file.metadata()["forerun"])["step"] in (2, 3)


def as_dict(recipe: Recipe) -> dict[str, Any]:
    return {name: getattr(recipe, name) for name in recipe.__slots__}


class Diverging(Objective):
    """Whose third loss is not finite."""

    calls = 0

    def forward(self, batch: Any) -> Any:
        loss, parts = super().forward(batch)
        if self.network.training:
            self.calls += 1
        return (loss * math.nan if self.calls == 3 else loss), parts


def test_a_rate_that_nothing_learns_with_is_answered_with_a_usual_one(world: World, tmp_path: Path) -> None:
    with pytest.raises(ForerunError, match="diverged") as caught:
        world.train(tmp_path / "run", Recipe(**{**as_dict(RECIPE), "learning_rate": 1e6}), objective=Diverging)
    assert "at a learning rate of" in caught.value.why and "as --learning-rate 0.001" in caught.value.todo


def test_a_loss_that_is_not_finite_ends_it_and_leaves_what_was_saved(world: World, tmp_path: Path) -> None:
    recipe = Recipe(**{**as_dict(RECIPE), "save_every_s": 0.0, "evaluate_every": 1})
    with pytest.raises(ForerunError, match="diverged at step 3") as caught:
        world.train(tmp_path / "run", recipe, objective=Diverging)
    assert "the loss is nan" in caught.value.why and "--learning-rate 0.001;" in caught.value.todo
    assert f"{tmp_path / 'run'} keeps what was saved before" in caught.value.todo
    for name in (LAST, BEST):
        with safe_open(tmp_path / "run" / name, framework="pt") as file:
            facts = json.loads(file.metadata()["forerun"])
            found = [file.get_tensor(key) for key in file.keys() if key.startswith("network.")]  # noqa: SIM118
        assert facts["step"] == 2 and all(bool(torch.isfinite(each).all()) for each in found)


@pytest.mark.parametrize("damage", ["cut", "noise", "another network"])
def test_a_damaged_checkpoint_is_refused(damage: str, world: World, tmp_path: Path) -> None:
    recipe = Recipe(**{**as_dict(RECIPE), "steps": 2})
    world.train(tmp_path / "run", recipe)
    path = tmp_path / "run" / "last.safetensors"
    if damage == "cut":
        path.write_bytes(path.read_bytes()[:-1000])
    elif damage == "noise":
        path.write_bytes(b"\xff" * 5000)
    else:
        torch.manual_seed(0)
        other = Network(
            Config(world.tokenizer.size, width=32, layers=1, decoder_layers=1, heads=1, head_width=32, hidden=64)
        )
        with pytest.raises(InputError, match="cannot be read"):
            train(other, world.data, recipe, tmp_path / "run")
        return
    with pytest.raises(InputError, match="cannot be read"):
        world.train(tmp_path / "run", recipe)


def test_an_epoch_holds_every_example_once_and_resumes_anywhere(world: World) -> None:
    only = [example for example in world.examples if example.task == 0]
    sampler = Sampler(only, Position(4))
    first, second = (list(islice(sampler, len(only))) for _ in range(2))
    assert ids(first) != ids(second) and sorted(ids(first)) == sorted(ids(second)) == sorted(map(id, only))
    again = Sampler(only, Position(4))
    list(islice(again, 37))
    resumed = Sampler(only, Position(**json.loads(json.dumps(again.position.to_json()))))
    assert ids(list(islice(resumed, 50))) == ids([*first, *second][37:87])


def ids(examples: list[Example]) -> list[int]:
    return [id(example) for example in examples]


def test_rare_tasks_are_drawn_more_often_than_they_occur(world: World) -> None:
    few, many = (sum(e.task == task for e in world.examples) for task in (1, 0))
    drawn = list(islice(Sampler(world.examples, Position(0), temperature=2.0), 3000))
    share = sum(e.task == 1 for e in drawn) / 3000
    assert share == pytest.approx(math.sqrt(few) / (math.sqrt(few) + math.sqrt(many)), abs=0.03)


def test_examples_of_a_task_are_drawn_in_runs_that_resume(world: World) -> None:
    sampler = Sampler(world.examples, Position(0), run=5)
    drawn = list(islice(sampler, 200))
    runs = [{example.task for example in drawn[i : i + 5]} for i in range(0, 200, 5)]
    assert all(len(tasks) == 1 for tasks in runs) and len(set[int]().union(*runs)) == 2
    again = Sampler(world.examples, Position(0), run=5)
    list(islice(again, 43))
    resumed = Sampler(world.examples, Position(**json.loads(json.dumps(again.position.to_json()))), run=5)
    assert ids(list(islice(resumed, 100))) == ids(drawn[43:143])


def test_batches_hold_each_source_whole_with_its_answer(world: World) -> None:
    sampler = Sampler(world.examples, Position(0))
    found = list(islice(batches(sampler, rows=3, row_tokens=128), 5))
    expected = iter(list(islice(Sampler(world.examples, Position(0)), 500)))
    drawn = {example.ids.tobytes() for example in islice(expected, sampler.position.drawn)}
    for batch in found:
        assert batch.ids_BS.shape[1] <= 128
        for b in range(len(batch.ids_BS)):
            for r, segment in enumerate(batch.segments_BR[b]):
                if segment:
                    here = batch.segments_BS[b] == segment
                    assert batch.ids_BS[b][here].astype(np.int32).tobytes() in drawn
                    assert batch.positions_BS[b][here].tolist() == list(range(here.sum()))
                    n = int(batch.weights_BRT[b, r].sum())
                    assert batch.inputs_BRT[b, r, 1:n].tolist() == batch.targets_BRT[b, r, : n - 1].tolist()
    filled = np.mean([(batch.segments_BS > 0).mean() for batch in found])
    assert filled > 0.85


def test_a_source_longer_than_a_row_has_one_of_its_own(world: World) -> None:
    long = tokenised([Labelled("loops", "ab " * 400, (1.0,), 0.0)], GRAMMARS, world.tokenizer, world.legal, 4096)
    batch = next(batches(Sampler(long, Position(0)), rows=2, row_tokens=64))
    assert batch.ids_BS.shape[1] == len(long[0].ids) > 64


def test_the_ordinal_loss_is_least_at_the_truth() -> None:
    """In the mean over targets; the distance alone is least where all mass lies on the median."""
    places = torch.tensor([3.0, float("nan"), -1.0, 0.0, 7.0])
    truth = torch.tensor([0.2, 0.0, 0.3, 0.4, 0.1])
    order = places.argsort()
    drawn = torch.tensor([0, 2, 3, 4])

    def mean(mass: torch.Tensor) -> float:
        each = losses.ordinal(mass.log().expand(4, -1), drawn, places.expand(4, -1), order.expand(4, -1))
        return float((each * truth[drawn]).sum())

    generator = torch.Generator().manual_seed(0)
    for _ in range(20):
        other = truth * torch.exp(0.5 * torch.randn(5, generator=generator))
        assert mean(truth) < mean(other / other.sum())
    assert mean(truth) < mean(torch.tensor([0.0, 0.0, 0.0, 1.0, 0.0]))


def test_losses_by_hand() -> None:
    logits = torch.tensor([[0.0, 0.0, 0.0, 9.0]])
    legal = torch.tensor([[True, True, True, False]])
    found = losses.legal_logprobs(logits, legal)
    assert losses.likelihood(found, torch.tensor([1])).item() == pytest.approx(math.log(3))
    place = torch.tensor([[1.0, 2.0, 4.0, float("nan")]])
    order = place.argsort(-1)
    assert losses.ordinal(found, torch.tensor([2]), place, order).item() == pytest.approx(1 / 9 + 2 * 4 / 9)
    assert losses.ordinal(found, torch.tensor([0]), place, order).item() == pytest.approx(4 / 9 + 2 / 9)
    assert losses.expected_places(found, place).item() == pytest.approx(7 / 3)
    no_place = torch.full((1, 4), float("nan"))
    assert losses.ordinal(found, torch.tensor([2]), no_place, no_place.argsort(-1)).item() == 0
    scores, values = torch.tensor([0.0, 1.0, 5.0]), torch.tensor([1.0, 2.0, 0.0])
    right = losses.ranking(scores, values, torch.tensor([0, 0, -1]))
    wrong = losses.ranking(-scores, values, torch.tensor([0, 0, -1]))
    assert 0 < right < 0.1 < wrong and losses.ranking(scores, values, torch.tensor([0, 1, 2])) == 0


def test_one_training_at_a_time_has_a_folder(world: World, tmp_path: Path) -> None:
    with alone(tmp_path, "trains in"), pytest.raises(UsageError, match="another process trains in"):
        world.train(tmp_path)
    assert not list(tmp_path.iterdir())
