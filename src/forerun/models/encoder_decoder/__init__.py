"""One small encoder–decoder: reads a prompt, writes an answer of any grammar, one legal piece after another.

A checkpoint is a folder: `config.json`, `tokenizer.json`, `pieces.json`, `model.safetensors` for PyTorch, and
`encoder.onnx` and `decoder.onnx` for everybody else. Either of the two is enough to answer, and both answer alike;
PyTorch takes seconds to start, so the commands tell where graphs that were saved are gone. `calibration.json` says how
wide its intervals must be, and what it knows; `ensemble.safetensors`, where it is there, has trees beside the network,
`imports.json` what importing Python's packages takes;
`checksums.json` says which of these files belong together; `card.json` says what it was trained on, for people in
`README.md`; `learned.json` says which rows it must not be judged by.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

from forerun.core import Draft, Grammar, Trial
from forerun.distribution import Distribution
from forerun.errors import InputError, ToolMissing, UsageError, reason
from forerun.files import make_folder, write_atomically
from forerun.grammars.floats import Floats
from forerun.models import _decode
from forerun.models._calibrated import LEVEL
from forerun.models._predictor import Predictor
from forerun.models._taught import Outside, beyond
from forerun.models.encoder_decoder import calibration, carried, checksums, ensemble, imports
from forerun.models.encoder_decoder._onnx import OnnxNetwork
from forerun.models.encoder_decoder.calibration import Calibration
from forerun.models.encoder_decoder.card import FILE as CARD
from forerun.models.encoder_decoder.card import PAGE, Card
from forerun.models.encoder_decoder.carried import Carried
from forerun.models.encoder_decoder.checksums import DECODER, ENCODER, WEIGHTS
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.ensemble import Ensemble
from forerun.models.encoder_decoder.imports import Imports, Part
from forerun.models.encoder_decoder.learned import FILE as LEARNED
from forerun.models.encoder_decoder.learned import Learned
from forerun.models.encoder_decoder.tokenizer import PIECES, TOKENIZER, Encoded, Tokenizer
from forerun.prompts import parts, without
from forerun.rows import Row

A = TypeVar("A")

CONFIG = "config.json"
BESIDE = (CONFIG, TOKENIZER, PIECES, calibration.FILE, ensemble.FILE, carried.FILE, imports.FILE, LEARNED)
"""What is read whatever runs the network."""
PARTS = (*BESIDE, WEIGHTS, ENCODER, DECODER)
BEGUN = "training.json"
"""What a training into this folder was begun with; the others are written at its end."""
_OURS = (checksums.FILE, PIECES, BEGUN)
"""What no other folder has."""
SHIPPED = Path(__file__).parents[2] / "weights" / "encoder_decoder"

WITHOUT = "without trees"
"""Behind the name of a checkpoint, where its network is judged alone."""
ANSWER = Floats(digits=4)
"""One number, as networks are trained to write it."""
FLOOR = 3e-3
"""The probability from which on the beginning of an answer is gone on from.

A third of it takes twice the time, and moved no median by more than .001 decades and no end of an interval by more than
.034 (40 prompts).
"""
USUAL = 0.05
"""The familiarity from which on a prompt is no unusual one."""
UNSURE = USUAL / 2
"""That of a program which does what its text does not tell, at most."""
BATCH_TOKENS = 8192
"""Tokens that are encoded at once, at most: prompts are padded to the longest beside them."""
BATCH = 32
"""Prompts that are answered at once, at most: each has up to a hundred answers begun, and each of them a logit of every
token. 1,200 small programs took 1.62 GB in batches of up to 80, and take .95 GB in the same time; in batches of 16 they
take .59 GB and 8% more time."""


class Reader(_decode.Network, Protocol):
    """A network that also says what it made of sources."""

    def summaries(self, memory: Any) -> Any:
        """An array `[B, F]`: the mean over its tokens of what the last layer of the decoder is shown of a source."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the network believes after reading one prompt.

    `familiarity` is the share of validation programs that lie at least as far from what it was trained on (None where
    nobody measured it), `cut` how many of the prompt's `tokens` did not fit. Sizes in the text ask for `beyond` times
    as much as about the `most` that was measured, at least once. `parts` make up the number as far as what the text
    imports, holds and does tells it, in part by lines of what happens nobody knows how often: `guessed`. Numbers
    that lie `outside` of what was learned from widen the distribution, the farthest first.
    """

    distribution: Distribution
    familiarity: float | None
    cut: int
    tokens: int
    beyond: float = 1.0
    most: float = 0.0
    parts: tuple[Part, ...] = ()
    guessed: tuple[int, ...] = ()
    outside: tuple[Outside, ...] = ()


def claim(folder: Path) -> None:
    """Makes the folder of a checkpoint. Raises UsageError where the place is a file, or where files that are no
    checkpoint's would be overwritten; ForerunError where no folder can be made."""
    make_folder(folder, "a checkpoint is a folder")
    if any((folder / name).is_file() for name in _OURS):
        return
    if lost := next((name for name in (*PARTS, CARD, PAGE) if (folder / name).exists()), ""):
        why = f"its {lost} is no checkpoint's, and would be overwritten"
        raise UsageError(f"{folder} holds something else", why, "name a folder of its own for the checkpoint")


def check_unfinished(folder: Path) -> None:
    """Raises UsageError for the folder of a training that has not come to its end: a checkpoint there would lose it."""
    if (folder / BEGUN).is_file() and not (folder / CONFIG).is_file():
        why = "it has not come to its end, and would be lost"
        raise UsageError(f"{folder} holds a training", why, "name another folder, or let it come to its end first")


class EncoderDecoder(Predictor):
    """A language model of numbers and other answers, small enough for a laptop."""

    name: ClassVar[str] = "encoder_decoder"
    where: str = ""
    """The folder that it was read from, if any."""
    taught: ClassVar[Grammar[tuple[float, ...]]] = ANSWER
    """What it learns to write: for each place of an answer the pieces that it learns to choose from."""
    atoms: ClassVar[tuple[str, ...]] = ()
    """Pieces of answers that need tokens, beside those of numbers in prompts."""
    calibration: Calibration = Calibration()
    card: Card = Card()
    ensemble: Ensemble = Ensemble({})
    """The trees beside the network: without any it answers alone."""
    imports: Imports = Imports()
    """What it knows of programs that use packages, which neither network nor trees have read of."""
    carried: Carried = Carried({})
    """Of metrics and devices that it was told a few numbers of."""
    learned: Learned = Learned()
    """Rows that it must not be judged by."""

    def __init__(self, place: str | Path | None = None, *, device: str = "", threads: int = 0) -> None:
        """A checkpoint from a folder, the one that ships where none is named.

        Runs in onnxruntime where no device is named and the graphs are there. Raises InputError for a folder that holds
        no checkpoint of ours, ToolMissing for a runtime that is absent.
        """
        if place is not None and not isinstance(place, str | os.PathLike):
            raise UsageError(f"{place!r:.60} is no folder", "a checkpoint is one", 'for example: "checkpoint"')
        folder = SHIPPED if place is None else located(place)
        self.config = configuration(folder)
        self.tokenizer = Tokenizer.load(folder)
        if self.tokenizer.size != self.config.vocabulary:
            sizes = f"the tokenizer has {self.tokenizer.size} tokens, the network {self.config.vocabulary}"
            raise InputError(f"{folder} mixes two checkpoints", sizes, checksums.again(folder, TOKENIZER))
        network = _network(folder, self.config, device, threads)
        self.where, self._sums = str(folder), checksums.check(folder, (*BESIDE, *network.files))
        self.network: Reader = network
        self.calibration, self.card = Calibration.load(folder), Card.load(folder)
        self.ensemble, self.imports = Ensemble.load(folder), Imports.load(folder)
        self.carried = Carried.load(folder, self.medians, self.card.kinds)
        self.learned = Learned.load(folder)

    @classmethod
    def from_pretrained(cls, place: str | Path, *, device: str = "", threads: int = 0) -> EncoderDecoder:
        """The constructor, under the name that the field knows."""
        return cls(place, device=device, threads=threads)

    @classmethod
    def of(cls, network: Reader, tokenizer: Tokenizer, config: Config) -> EncoderDecoder:
        """From its parts, as training has them."""
        made = cls.__new__(cls)
        made.network, made.tokenizer, made.config = network, tokenizer, config
        return made

    def save_pretrained(self, place: str | Path, *, int8: bool = False, onnx: bool = True) -> None:
        """Writes the whole checkpoint into a folder; no part of another one stays.

        `int8` and `onnx` say whether graphs are written, and how small: none of 2 GiB and more. Of a network that
        onnxruntime runs the files are copied that it was read from. Raises InputError where one of them has changed,
        UsageError where it is to become another one (that needs PyTorch), or as `check_unfinished` and `claim` do.
        """
        check_unfinished(Path(place))
        self.write(Path(place), int8=int8, onnx=onnx)

    def write(self, folder: Path, *, int8: bool = False, onnx: bool = True) -> None:
        """As `save_pretrained`, also into the folder of the training that ends with it."""
        copied = isinstance(self.network, OnnxNetwork)
        if copied and (int8 or not onnx):
            why = "this one is run by onnxruntime: its graphs can only be copied"
            raise UsageError("only a network in PyTorch can be saved as another one", why, "load it with device='cpu'")
        network = self._files() if copied else self._tensors()
        claim(folder)
        checksums.begin(folder)
        write_atomically(folder / CONFIG, self.config.to_json().encode())
        for name in (WEIGHTS, ENCODER, DECODER):
            if name in network:
                write_atomically(folder / name, network[name])
            else:
                (folder / name).unlink(missing_ok=True)
        self.tokenizer.save(folder)
        self.calibration.save(folder)
        self.card.save(folder)
        if self.ensemble.members:
            self.ensemble.save(folder)
        else:
            (folder / ensemble.FILE).unlink(missing_ok=True)
        self.imports.save(folder)
        self.carried.save(folder)
        self.learned.save(folder)
        if onnx and not copied:
            from forerun.models.encoder_decoder.export import export

            export(self.network.network, folder, int8=int8)  # type: ignore[attr-defined]
        checksums.record(folder, PARTS)

    def _tensors(self) -> dict[str, bytes]:
        """The weights, of a network in PyTorch."""
        from safetensors.torch import save

        state = self.network.network.state_dict()  # type: ignore[attr-defined]
        return {WEIGHTS: save({name: tensor.detach().cpu().contiguous() for name, tensor in state.items()})}

    def _files(self) -> dict[str, bytes]:
        """What a network that onnxruntime runs was read from, and its weights where they lie beside it."""
        folder = Path(self.where)
        names = [name for name in (WEIGHTS, ENCODER, DECODER) if name != WEIGHTS or (folder / name).is_file()]
        try:
            same = checksums.check(folder, names) == self._sums
            found = {name: (folder / name).read_bytes() for name in names}
        except OSError as error:
            raise InputError(f"{folder} has changed", reason(error), "load a checkpoint again") from error
        if not same:
            why = "since it was loaded another checkpoint was saved there"
            raise InputError(f"{folder} has changed", why, "load it again")
        return found

    def encode(self, prompt: str) -> Encoded:
        """The prompt's tokens, and how many did not fit."""
        return self.tokenizer.encode(self.seen(prompt), self.config.context)

    def seen(self, prompt: str) -> str:
        """What the network is shown of a prompt: neither its input nor files, of which it has learned nothing beyond
        counters."""
        return without(without(prompt, "input"), "files")

    def tokens(self, prompt: str) -> list[int]:
        """Those of `encode`, sooner where the text is long."""
        return self.tokenizer.ends(self.seen(prompt), self.config.context)

    def sample(
        self, prompt: str, grammar: Grammar[A], n: int, seed: int, history: Sequence[Trial[A]] = ()
    ) -> list[Draft[A]]:
        """`n` draws from what may be written; those that do not end are left out."""
        memory = self.network.encode([self.tokens(prompt)])
        found = _decode.sample(self.network, self.tokenizer.vocabulary, memory, [grammar], n=n, seed=seed)[0]
        return [Draft(grammar.read(p.pieces), p.logprob, self.name) for p in found if p.complete]

    def fit(self, rows: Sequence[Row], seed: int = 0) -> None:
        """Nothing: it is taken as `forerun.train.fit` left it. Raises InputError without rows."""
        if not rows:
            raise InputError("there is nothing to learn from", "no rows were given", "give the rows of one metric")

    def predict(self, prompts: Sequence[str]) -> list[Distribution]:
        """What it believes of each, with the width that it was calibrated to."""
        return [reading.distribution for reading in self.read(prompts)]

    def read(self, prompts: Sequence[str], grammar: Floats | None = None) -> list[Reading]:
        """What it makes of each prompt: the whole tree of likely answers, no sampling."""
        asked, prompts = prompts, [self.carried.known(prompt) for prompt in prompts]
        encoded = [self.encode(prompt) for prompt in prompts]
        found: dict[int, Reading] = {}
        for places in _batches([len(one.ids) for one in encoded]):
            memory = self.network.encode([encoded[i].ids for i in places])
            grammars = [grammar or ANSWER] * len(places)
            trees = _decode.expand(self.network, self.tokenizer.vocabulary, memory, grammars, floor=FLOOR)
            known = self._familiarity([prompts[i] for i in places], memory)
            for i, leaves, one, familiarity in zip(places, trees, grammars, known, strict=True):
                found[i] = Reading(distribution(leaves, one), familiarity, encoded[i].cut, encoded[i].tokens)
        alone = [found[i].distribution for i in range(len(prompts))]
        settled = self.settled(prompts, self.ensemble.moved(prompts, alone))
        read = [replace(found[i], distribution=one) for i, one in enumerate(settled)]
        for i, prompt in enumerate(prompts):
            asks = prompt, not found[i].cut, settled[i].median
            if belief := self.imports.belief(*asks):
                told = self.imports.parts(*asks[:2], belief.median)
                guessed = self.imports.guessed(prompt) if told else ()
                if self.imports.unsure(prompt) and (near := read[i].familiarity) is not None:
                    read[i] = replace(read[i], familiarity=min(near, UNSURE))
                read[i] = replace(read[i], distribution=belief, parts=told, guessed=guessed)
        made = [self._wary(prompt, self._seen(prompt, one)) for prompt, one in zip(prompts, read, strict=True)]
        for i, (belief, near) in self.carried.read(asked).items():
            before = made[i].familiarity
            near = near if before is None else min(near, before)
            belief = belief if near >= USUAL else _as_unsure(belief, made[i].distribution)
            made[i] = replace(made[i], distribution=belief, familiarity=near, parts=(), guessed=())
        return made

    def without_trees(self) -> EncoderDecoder:
        """The network alone, with the same factors."""
        made = copy(self)
        made.ensemble = Ensemble({})
        return made

    def medians(self, prompts: Sequence[str]) -> list[float]:
        """What it believes of each, in short: the trees' median where a metric has some, which takes milliseconds."""
        found = self.ensemble.medians(prompts)
        for i, prompt in enumerate(prompts):
            trust = {read: self.imports.trust(prompt, read) for read in (True, False)}
            read = trust[True] == trust[False] or not self.encode(prompt).cut  # long texts take long to encode
            other = found[i] if trust[read][1] < 1 else 1.0
            if not math.isnan(other) and (belief := self.imports.belief(prompt, read, other)):
                found[i] = belief.median
        rest = [i for i, median in enumerate(found) if math.isnan(median)]
        for i, one in zip(rest, self.predict([prompts[i] for i in rest]) if rest else (), strict=True):
            found[i] = one.median
        return found

    def _seen(self, prompt: str, reading: Reading) -> Reading:
        """Nothing is familiar of an answer beyond all that was learned from, of sizes or work that ask for it, and of
        what a compiler makes by other pipelines than it was learned from."""
        told = reading.parts and self.imports.timed(prompt)  # what it does is known better than by counters
        beyond, most, far = (1.0, 0.0, False) if told else self.ensemble.beyond(prompt)
        strange = far or self.calibration.unseen(parts(prompt), reading.distribution.median)
        strange = (strange or self.ensemble.other_pipeline(prompt)) and reading.familiarity is not None
        return replace(reading, familiarity=0.0 if strange else reading.familiarity, beyond=beyond, most=most)

    def _wary(self, prompt: str, reading: Reading) -> Reading:
        """As wide as what is unlike the rows has to be: numbers beyond theirs, and what nothing near was learned from.
        Nothing of what ships, which is told of sizes otherwise."""
        asked, belief, near = parts(prompt), reading.distribution, reading.familiarity
        if (taught := self.calibration.rows(asked)) is None:
            return reading
        doubt = taught.doubt(asked)
        if doubt.far:
            near = 0.0
        elif doubt.outside and near is not None:
            near = min(near, UNSURE)
        low, high = taught.among(belief, LEVEL) if near == 0.0 else belief.interval(LEVEL)
        belief = belief.spanning(beyond(low, -1, doubt.below), beyond(high, 1, doubt.above), LEVEL)
        return replace(reading, distribution=belief, familiarity=near, outside=doubt.outside)

    def unknown(self, prompt: str) -> list[str]:
        """Packages that a program uses, and of which neither its rows nor what was measured tell anything."""
        taught = self.calibration.rows(parts(prompt))
        seen = taught.packages if taught else frozenset[str]()
        return [name for name in self.imports.unknown(prompt) if name not in seen]

    def settled(self, prompts: Sequence[str], beliefs: Sequence[Distribution]) -> list[Distribution]:
        """As wide as beliefs of such prompts have to be, their ends not far beyond what was learned from, and not
        below what can be."""
        heads = [parts(prompt) for prompt in prompts]
        wide = [one.widened(self.calibration.factor(head)) for head, one in zip(heads, beliefs, strict=True)]
        near = [one.within(*self.calibration.bounds(head, one.median)) for head, one in zip(heads, wide, strict=True)]
        return [self.calibration.possible(head, one) for head, one in zip(heads, near, strict=True)]

    def summaries(self, prompts: Sequence[str]) -> Any:
        """`[N, F]`, an array: where each prompt lies in what the network has learned (`Reader`)."""
        import numpy as np

        tokens = [self.tokens(prompt) for prompt in prompts]
        found: dict[int, Any] = {}
        for places in _batches([len(ids) for ids in tokens]):
            memory = self.network.encode([tokens[i] for i in places])
            found |= zip(places, self.network.summaries(memory), strict=True)
        return np.stack([found[i] for i in range(len(prompts))])

    def _familiarity(self, prompts: Sequence[str], memory: Any) -> list[float | None]:
        known = self.calibration.known or self.calibration.kinds
        return self.calibration.familiarity(prompts, self.network.summaries(memory)) if known else [None] * len(prompts)


def _as_unsure(belief: Distribution, other: Distribution) -> Distribution:
    """A belief, as wide as the other one where that is less sure of itself: a few rows say nothing of what is unlike
    them."""
    middle = belief.median
    if not (middle > 0 and other.quantile(0.0) > 0):
        return belief
    moved = other.scaled(middle / other.median)
    return max((belief, moved), key=lambda one: one.quantile(0.95) / max(one.quantile(0.05), 1e-300))


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Places in order of length, so many together as padding allows."""
    found: list[list[int]] = []
    for i in sorted(range(len(lengths)), key=lengths.__getitem__):
        if found and len(found[-1]) < BATCH and (len(found[-1]) + 1) * lengths[i] <= BATCH_TOKENS:
            found[-1].append(i)
        else:
            found.append([i])
    return found


def distribution(leaves: Sequence[_decode.Prefix], grammar: Floats) -> Distribution:
    """The leaves of a tree of answers as intervals of numbers."""
    return Distribution.of((*grammar.interval(leaf.pieces), math.exp(leaf.logprob)) for leaf in leaves)


def configuration(folder: Path) -> Config:
    """The sizes of a checkpoint's network. Raises InputError for a folder that holds none, and says what is there."""
    try:
        return Config.from_json((folder / CONFIG).read_text(encoding="utf-8"), str(folder))
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if folder.is_dir() else "there is no such folder"
        if folder.is_file():
            why = "it is a file, and a checkpoint is a folder"
        todo = "name the folder that a training wrote"
        if folder == SHIPPED:
            todo = "install forerun again, or train one (forerun train --help) and name its folder"
        elif (folder / WEIGHTS).is_file():
            todo = "copy the whole folder again, or train it again"
        elif (folder / BEGUN).is_file():
            why = "a training was begun there and has not come to its end"
            todo = f"go on with the command that began it: forerun train … -o {folder}"
        raise InputError(f"{folder} holds no checkpoint", why, todo) from error


def sizes(folder: Path) -> Config | None:
    """Those of the network of a checkpoint of ours; None where there is none. Raises InputError."""
    return configuration(folder) if (folder / PIECES).is_file() and (folder / CONFIG).is_file() else None


def located(name: str | Path) -> Path:
    """The folder of a checkpoint: that of the one that ships by its name, `encoder_decoder`."""
    return SHIPPED if str(name) == EncoderDecoder.name else Path(name)


def _network(folder: Path, config: Config, device: str, threads: int) -> Any:
    if not device and (folder / ENCODER).is_file() and (folder / DECODER).is_file():
        return OnnxNetwork(folder, config.window, threads)
    if not find_spec("torch"):
        checksums.check(folder, (ENCODER, DECODER))
        raise ToolMissing(
            f"{folder} has no ONNX graphs, so it needs PyTorch",
            "torch is not installed",
            "pip install 'forerun[train]'",
        )
    return _torch_network(folder, config, device or "cpu")


def _torch_network(folder: Path, config: Config, device: str) -> Any:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from forerun.models.encoder_decoder._torch import TorchNetwork
    from forerun.models.encoder_decoder.network import Network

    try:
        network = Network(config)
        network.load_state_dict(load_file(folder / WEIGHTS))
    except (OSError, SafetensorError, RuntimeError) as error:
        todo = checksums.again(folder, WEIGHTS)
        raise InputError(f"the weights cannot be read: {folder / WEIGHTS}", reason(error), todo) from error
    return TorchNetwork(network, device)
