"""The one training loop: any mix of tasks, resumable to the bit, on a CPU, a GPU, or several under `torchrun`.

folder/last.safetensors     weights, optimisers, data positions, random states: written every half minute
folder/best.safetensors     weights with the lowest validation loss so far
folder/metrics.jsonl        one line for each step, cut back to the checkpoint when training goes on
"""

from __future__ import annotations

import atexit
import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from forerun.errors import ForerunError, InputError, reason
from forerun.files import alone, write_atomically
from forerun.models.encoder_decoder.network import Network
from forerun.train import checkpoint, leads, losses
from forerun.train.batches import Batch, Position, Sampler, batches, once
from forerun.train.curves import LOG
from forerun.train.examples import Dataset

T = TypeVar("T")

LAST, BEST = "last.safetensors", "best.safetensors"


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; every field but the limits shapes the result.

    A step sees `rows` rows of `row_tokens` tokens; `run` examples of a task are drawn one after the other, which is the
    cheaper the more of them answer one source. `mixture` is the temperature that tasks are mixed with, `dropout` the
    share of states that is left out. Stops after `steps`, or when the validation loss has not fallen for `patience`
    evaluations, or (to be resumed) after `seconds`. `optimiser` is `adamw` or `muon`.
    """

    steps: int = 2000
    rows: int = 8
    row_tokens: int = 2048
    learning_rate: float = 1e-3
    warmup: float = 0.05
    weight_decay: float = 0.01
    dropout: float = 0.0
    clip: float = 1.0
    optimiser: str = "adamw"
    mixture: float = 2.0
    run: int = 1
    ordinal: float = 0.3
    ranking: float = 0.1
    evaluate_every: int = 100
    patience: int = 10
    save_every_s: float = 30.0
    """What a kill loses at most. To save the network that ships, 19 MB with its optimiser's state, takes .3 s."""
    bf16: bool = True
    compile: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Where training stands after a step: what the live line shows and `metrics.jsonl` keeps."""

    step: int
    steps: int
    loss: float
    parts: dict[str, float]
    learning_rate: float
    tokens_per_s: float
    validation: float | None = None


class Objective(nn.Module):
    """The network and its loss in one forward pass, so that several devices can share it."""

    legal_table: Tensor
    places_table: Tensor
    order_table: Tensor
    written: Tensor
    columns: Tensor

    def __init__(self, network: Network, data: Dataset, recipe: Recipe) -> None:
        super().__init__()
        self.network, self.recipe = network, recipe
        # Only tokens that are legal somewhere have logits: a tenth of all, and they are half of a small network's work.
        legal = data.legal.table()
        written = legal.any(0)
        tables = {
            "legal_table": legal[:, written],
            "places_table": data.places[:, written],
            "written": np.flatnonzero(written),
            "columns": np.cumsum(written) - 1,
        }
        if recipe.ordinal:
            tables["order_table"] = tables["places_table"].argsort(axis=1)  # NaN comes last
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def forward(self, batch: Batch[Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
        """The loss, and its parts."""
        network = self.network
        states = network.encode(batch.ids_BS, batch.segments_BS, batch.positions_BS)
        memory = network.memory(states, batch.segments_BS)
        rows, answers = batch.segments_BR.shape
        empty = network.empty(rows, answers, states)
        hidden, _ = network.decode(batch.inputs_BRT, batch.segments_BR, memory, empty)
        chosen = batch.weights_BRT > 0
        targets, choices = self.columns[batch.targets_BRT[chosen]], batch.choices_BRT[chosen]
        logprobs = losses.legal_logprobs(network.logits(hidden[chosen], self.written), self.legal_table[choices])
        nll = losses.likelihood(logprobs, targets)
        parts = {"nll": nll.sum() / (batch.segments_BR > 0).sum()}
        loss = nll.mean()
        places = self.places_table[choices]
        if self.recipe.ordinal:
            parts["ordinal"] = losses.ordinal(logprobs, targets, places, self.order_table[choices]).mean()
            loss = loss + self.recipe.ordinal * parts["ordinal"]
        if self.recipe.ranking:
            scores = hidden.new_zeros(chosen.shape, dtype=torch.float32)
            scores = scores.masked_scatter(chosen, losses.expected_places(logprobs, places)).sum(-1)
            real = batch.segments_BR > 0
            parts["ranking"] = losses.ranking(scores[real], batch.values_BR[real], batch.groups_BR[real])
            loss = loss + self.recipe.ranking * parts["ranking"]
        return loss, parts


def train(
    network: Network,
    data: Dataset,
    recipe: Recipe,
    folder: Path,
    *,
    device: str = "cpu",
    seconds: float = math.inf,
    on_step: Callable[[Progress], None] = lambda _: None,
    objective: Callable[[Network, Dataset, Recipe], nn.Module] = Objective,
) -> bool:
    """Trains in place, from the folder's checkpoint where there is one; whether it came to its end.

    Another `objective` gives, as `Objective` does, a batch's loss and its parts; `nll` decides which weights are best.
    All weights that are trained have a share in each loss: of several processes each awaits the gradients of all.
    Under `torchrun` each process draws examples of its own and the gradients are averaged; the first one writes and
    reads for all, so that they go on from one step, with the position and the random state that each had there. Their
    number shapes the result: a training that has not ended goes on with as many.
    Ctrl-C and SIGTERM end it after the step in hand: its state is saved, and KeyboardInterrupt is raised. A second one
    ends it at once. Raises UsageError where another training runs in the folder, InputError for a checkpoint that is
    damaged or of another number of processes, ForerunError where a loss or its gradient is not finite: what was saved
    before it stays, and where another process ended.
    """
    with alone(folder, "trains in") if leads() else nullcontext(), _together(folder):
        return _Run(network, objective(network, data, recipe), data, recipe, folder, device).run(seconds, on_step)


@contextmanager
def _together(folder: Path) -> Iterator[None]:
    """Raises ForerunError where what the others have to say does not come; then SIGTERM is ignored: this one ends."""
    try:
        yield
    except RuntimeError as error:  # gloo has no class of its own for it, and names itself
        if not (isinstance(error, torch.distributed.DistError) or "gloo" in str(error)):
            raise
        if threading.current_thread() is threading.main_thread():  # torchrun sends it now, and nothing would be said
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        kept = f"goes on from {folder / LAST}" if (folder / LAST).exists() else "begins anew: nothing was saved yet"
        todo = f"look at what that one said, then start all of them again: the training {kept}"
        raise ForerunError("another process of this training ended", reason(error), todo) from error


def _part() -> None:
    """Before the interpreter ends: threads of a group that is still there can keep its process from ending."""
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


class _Run:
    def __init__(
        self, network: Network, objective: nn.Module, data: Dataset, recipe: Recipe, folder: Path, device: str
    ) -> None:
        self.data, self.recipe, self.folder = data, recipe, folder
        self.rank, self.world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        self.device = torch.device(f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if device == "cuda" else device)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
        if self.world > 1 and not torch.distributed.is_initialized():
            torch.distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
            atexit.register(_part)
        torch.manual_seed(recipe.seed + self.rank)
        self.network = network.to(self.device)
        network.drop(recipe.dropout)
        self.objective = objective.to(self.device)
        self.optimisers = optimisers(network, recipe)
        self.step, self.best, self.waited = 0, math.inf, 0
        self.position = Position(recipe.seed * 1009 + self.rank)
        self.path = folder / LAST
        if loaded := self._loaded():
            self._resume(loaded)
        elif self.rank == 0:  # what an attempt left that was killed before it saved anything
            for name in (LOG, BEST):
                (folder / name).unlink(missing_ok=True)
        self.sampler = Sampler(data.examples, self.position, recipe.mixture, recipe.run)
        forward: nn.Module = self.objective
        if self.world > 1:
            forward = DistributedDataParallel(forward)
        self.forward = torch.compile(forward, dynamic=True) if recipe.compile else forward

    def run(self, seconds: float, on_step: Callable[[Progress], None]) -> bool:
        recipe, began, saved = self.recipe, time.monotonic(), time.monotonic()
        source = batches(self.sampler, recipe.rows, recipe.row_tokens)
        with _signals() as came:
            while not self.done:
                report = self._one(next(source))
                if self.step % recipe.evaluate_every == 0 or self.step == recipe.steps:
                    report = replace(report, validation=self._validate())
                self._log(report)
                on_step(report)
                now = time.monotonic()
                said = bool(came), now - began >= seconds, now - saved >= recipe.save_every_s
                stopped, ends, due = self._agreed(said)
                if due or self.done or ends or stopped:
                    self._save()
                    saved = now
                if stopped:
                    raise KeyboardInterrupt
                if ends and not self.done:
                    return False
        return True

    @property
    def done(self) -> bool:
        return self.step >= self.recipe.steps or self.waited >= self.recipe.patience

    def _one(self, batch: Batch[Any]) -> Progress:
        recipe, start = self.recipe, time.monotonic()
        rate = learning_rate(self.step, recipe)
        for optimiser in self.optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate * group["scale"]
            optimiser.zero_grad(set_to_none=True)
        self.network.train()
        with self._precision():
            loss, parts = self.forward(moved(batch, self.device))
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), recipe.clip)
        if not math.isfinite(float(loss.detach())) or not math.isfinite(float(norm)):
            raise self._diverged(float(loss.detach()), float(norm), rate)
        for optimiser in self.optimisers:
            optimiser.step()
        self.step += 1
        values = {name: float(value.detach()) for name, value in parts.items()}
        tokens = int((batch.segments_BS > 0).sum()) / max(time.monotonic() - start, 1e-9)
        return Progress(self.step, recipe.steps, float(loss.detach()), values, rate, tokens)

    def _diverged(self, loss: float, norm: float, rate: float) -> ForerunError:
        """Before the step is taken: the weights are still good, and so is whatever was saved."""
        what = f"the training diverged at step {self.step + 1:,}"
        why = f"the loss is {loss:g}, the norm of its gradient {norm:g}, at a learning rate of {rate:.2g}"
        usual = min(self.recipe.learning_rate / 3, Recipe().learning_rate)
        less = f"a smaller learning rate, as --learning-rate {usual:.2g}"
        kept = f"; {self.folder} keeps what was saved before" if self.path.exists() else ""
        return ForerunError(what, why, f"train into another folder with {less}{kept}")

    @torch.no_grad()
    def _validate(self) -> float:
        """Nats an answer; keeps the weights where it is the lowest so far."""
        self.network.eval()
        total, count = 0.0, 0
        for batch in once(self.data.validation, self.recipe.rows, self.recipe.row_tokens):
            with self._precision():
                _, parts = self.objective(moved(batch, self.device))
            answers = int((batch.segments_BR > 0).sum())
            total, count = total + float(parts["nll"]) * answers, count + answers
        loss = self._agreed(total / max(count, 1))
        if loss < self.best:
            self.best, self.waited = loss, 0
            if self.rank == 0:
                checkpoint.write(self.folder / BEST, self.network, [], {"step": self.step, "loss": loss})
        else:
            self.waited += 1
        return loss

    def _precision(self) -> AbstractContextManager[Any]:
        return torch.autocast(self.device.type, torch.bfloat16) if self.recipe.bf16 else nullcontext()

    def _agreed(self, own: T) -> T:
        """What the first process has, for all of them: clocks and last digits differ."""
        said = [own]
        if self.world > 1:
            torch.distributed.broadcast_object_list(said, 0)
        return said[0]

    def _log(self, report: Progress) -> None:
        if self.rank == 0:
            with (self.folder / LOG).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(report)) + "\n")

    def _save(self) -> None:
        every = [(self.position.to_json(), checkpoint.random_state())]
        if self.world > 1:
            own, every = every[0], every * self.world
            torch.distributed.gather_object(own, every if self.rank == 0 else None)
        if self.rank:
            return
        facts = {
            "step": self.step, "best": self.best if math.isfinite(self.best) else None, "waited": self.waited,
            "position": every[0][0], "others": [position for position, _ in every[1:]],
            "recipe": asdict(self.recipe), "config": asdict(self.network.config),
        }  # fmt: skip
        checkpoint.write(self.path, self.network, self.optimisers, facts, [random for _, random in every[1:]])

    def _loaded(self) -> checkpoint.Loaded | None:
        """What the first process finds in its folder, whose error is that of all. Raises InputError, and where another
        process alone finds something."""
        found: checkpoint.Loaded | ForerunError | None = None
        there = [self.path.exists()] * self.world
        if self.world > 1:
            torch.distributed.all_gather_object(there, there[0])
        if any(there) and not there[0]:
            why = f"process {there.index(True)} has one: its machine was the first then"
            raise InputError(f"no {LAST} where the first process is", why, f"copy {self.folder} there, or share it")
        if self.rank == 0 and there[0]:
            try:
                found = checkpoint.load(self.path)
            except InputError as error:
                found = error
        found = self._agreed(found)
        if isinstance(found, ForerunError):
            raise found
        return found

    def _resume(self, loaded: checkpoint.Loaded) -> None:
        checkpoint.restore(self.path, loaded, self.network, self.optimisers)
        facts = loaded[0]
        self.step, self.waited = facts["step"], facts["waited"]
        self.best = math.inf if facts["best"] is None else facts["best"]
        positions = [facts["position"], *facts.get("others", ())]
        if len(positions) != self.world and not self.done:
            before, now = ("one process" if n == 1 else f"{n} processes" for n in (len(positions), self.world))
            todo = "start as many again, as torchrun's --nproc-per-node and --nnodes say, or name another folder"
            raise InputError(f"{self.folder} holds a training of {before}", f"{now} cannot go on exactly", todo)
        if self.rank < len(positions):
            self.position = Position(**positions[self.rank])
            checkpoint.set_random_state(checkpoint.random_of(loaded, self.rank))
        log = self.folder / LOG
        if self.rank == 0 and log.exists():
            steps = _steps(log.read_text(encoding="utf-8"))
            write_atomically(log, "".join(f"{steps[i]}\n" for i in sorted(steps) if i <= self.step).encode())


def _steps(log: str) -> dict[int, str]:
    """The line of each step; a kill may have cut the last one."""
    found = {}
    for line in log.splitlines():
        with suppress(ValueError):
            found[json.loads(line)["step"]] = line
    return found


@contextmanager
def _signals() -> Iterator[list[int]]:
    """Collects Ctrl-C and SIGTERM, which only the main thread can; the second one has its usual effect."""
    came: list[int] = []
    before: dict[int, Any] = {}

    def note(number: int, _: object) -> None:
        came.append(number)
        restore()

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:  # as in the background of a shell
                before[number] = signal.signal(number, note)
    try:
        yield came
    finally:
        restore()


def learning_rate(step: int, recipe: Recipe) -> float:
    """Linear warm-up, then a cosine to a tenth."""
    warm = max(1, int(recipe.warmup * recipe.steps))
    if step < warm:
        return recipe.learning_rate * (step + 1) / warm
    done = (step - warm) / max(1, recipe.steps - warm)
    return recipe.learning_rate * (0.1 + 0.45 * (1 + math.cos(math.pi * min(done, 1.0))))


def optimisers(network: Network, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """AdamW (Loshchilov and Hutter 2019); with `muon` (Jordan et al. 2024) for the matrices between the embeddings."""
    matrices = [p for name, p in network.named_parameters() if p.ndim == 2 and "embed" not in name]
    others = [p for name, p in network.named_parameters() if p.ndim != 2 or "embed" in name]
    decay = recipe.weight_decay
    if recipe.optimiser == "muon":
        muon = torch.optim.Muon([{"params": matrices, "scale": 20.0}], lr=recipe.learning_rate, weight_decay=decay)
        adam = torch.optim.AdamW([{"params": others, "scale": 1.0}], lr=recipe.learning_rate, weight_decay=0.0)
        return [muon, adam]
    decayed = {"params": matrices, "scale": 1.0, "weight_decay": decay}
    kept = {"params": others, "scale": 1.0, "weight_decay": 0.0}
    return [torch.optim.AdamW([decayed, kept], lr=recipe.learning_rate, betas=(0.9, 0.98))]


def moved(batch: Batch[Any], device: torch.device) -> Batch[Tensor]:
    """A batch's arrays as tensors."""
    values = {f.name: torch.from_numpy(getattr(batch, f.name)).to(device, non_blocking=True) for f in fields(batch)}
    return Batch(**values)
