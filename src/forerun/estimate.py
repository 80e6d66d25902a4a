"""What will it cost? What a model believes of programs, modules and networks, without running anything.

`predict` is the library's entry. The command line calls `forerun.questions` for one file after the other, so that one
that cannot be read takes nothing from the others, and has all of them answered at once.
"""

from __future__ import annotations

import html
import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, overload

from forerun.core import Metric
from forerun.distribution import Distribution
from forerun.errors import ForerunError, InputError, UsageError, out_of_memory
from forerun.models._calibrated import LEVEL
from forerun.models.encoder_decoder import USUAL, EncoderDecoder
from forerun.models.encoder_decoder.imports import Part, lacks
from forerun.prompts import parts
from forerun.questions import Options, Question, What, check_sizes, questions
from forerun.questions.kinds import ran
from forerun.tasks._endless import may_end
from forerun.tasks._several import where
from forerun.tasks.accuracy import ACCURACY
from forerun.tasks.runtime import Runtime
from forerun.toolchains.onnx.model import MOST_SIZE

_SOME = 3
"""Packages that are named."""
MODEL = EncoderDecoder.name
"""The name of the checkpoint that ships."""
Model = str | os.PathLike[str] | EncoderDecoder
"""A checkpoint's folder, that name, or one that was loaded."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a model believes of one number. `value` is the median, `low` to `high` holds the share `level`.

    `familiarity` is the share of held-out programs that lay at least as far from what the model was trained on as this
    one, 0 on a device that it knows nothing of, None where nobody measured it; `cut` is how many of the prompt's
    `tokens` did not fit into what it reads. Bytes and instructions are whole numbers here, and fractions of them in
    `distribution`.
    """

    name: str
    metric: str
    unit: str
    value: float
    low: float
    high: float
    language: str
    device: str
    model: str
    distribution: Distribution = field(repr=False)
    familiarity: float | None = None
    cut: int = 0
    tokens: int = 0
    notes: tuple[str, ...] = ()
    """What a user should know of how the answer came about."""
    parts: tuple[Part, ...] = ()
    """What makes up the number, the largest first, where it was told by what a program imports and holds: about
    that, since such programs take somewhat more or less. Empty where the network and trees answer."""
    level: float = LEVEL
    asks: float | None = None
    """What the text asks for, in the unit, where nothing that was measured took so much: bytes; seconds where all
    loops say how often they go round; without end where nothing is seen to end a loop, bytes too if it adds to
    something. How much of it is taken nobody knows: the interval reaches as far."""

    @property
    def familiar(self) -> str:
        """The familiarity in a word: familiar, unusual (below .05), unlike anything seen (below all), or unknown.

        It is that of what was read: `cut` says how much was not.
        """
        if self.familiarity == 0:
            return "unlike anything seen"
        if self.familiarity is None:
            return "unknown"
        return "familiar" if self.familiarity >= USUAL else "unusual"

    def above(self, value: float) -> float:
        """The probability of more than `value`, in the unit. Raises UsageError for what is no number."""
        if not isinstance(value, Real) or math.isnan(value):
            unit = "a number without a unit" if self.unit in ("", "1") else f"a number of {self.unit}"
            todo = f"for example: estimate.above({self.value:g}); --fail-over of the command reads units"
            raise UsageError(f"above({value!r:.60})", f"{self.metric} is {unit}", todo)
        return self.distribution.above(float(value))

    def to_json(self) -> dict[str, Any]:
        """Everything but the distribution, as plain data; a number that is not finite becomes None."""
        names = ("name", "metric", "unit", "value", "low", "high", "level", "language", "device", "familiarity", "asks")
        row = {name: getattr(self, name) for name in names}
        row |= {"familiar": self.familiar, "cut": self.cut, "tokens": self.tokens}
        row |= {"model": self.model, "notes": list(self.notes), "parts": [asdict(one) for one in self.parts]}
        return {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()}

    def _repr_html_(self) -> str:
        show = Metric(self.metric, self.unit).show
        between = f"{show(self.low)} to {show(self.high)} ({self.level:.0%})"
        cells = [html.escape(self.name), self.metric, show(self.value), between, self.familiar]
        cells += [f"{self.cut:,} of {self.tokens:,} tokens cut"] if self.cut else []
        return f"<table><tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>"


@overload
def predict(  # type: ignore[overload-overlap]  # a str is a sequence of str
    source: What, *, metric: str, device: str = "", language: str = "", model: str | os.PathLike[str] = MODEL,
    flags: Sequence[str] = (), stdin: bytes | None = None, sizes: Mapping[str, int] | None = None,
) -> Estimate: ...  # fmt: skip
@overload
def predict(
    source: What | Sequence[What], *, metric: str | Sequence[str] | None = None, device: str = "", language: str = "",
    model: Model = MODEL, flags: Sequence[str] = (), stdin: bytes | None = None,
    sizes: Mapping[str, int] | None = None,
) -> list[Estimate]: ...  # fmt: skip
def predict(
    source: What | Sequence[What],
    *,
    metric: str | Sequence[str] | None = None,
    device: str = "",
    language: str = "",
    model: Model = MODEL,
    flags: Sequence[str] = (),
    stdin: bytes | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Estimate | list[Estimate]:
    """What programs, modules or networks will cost, before they run: one Estimate, or a list of them.

    `predict("x.py", metric="memory")`, one source and the name of one metric, returns an Estimate; `predict("x.py")`
    returns a list, of all metrics that the model knows of such a file, and so does whatever names sources or metrics in
    a sequence: file by file. A source is a path, or a Source with the text; of its target only that of LLVM IR is read.
    Files beside a path that a program is made of, or opens by a name in its text, are read, too: a Source lies nowhere.
    Without `device` the one is meant on which most of what it learned was measured. `model` is the folder of a
    checkpoint, or one that was loaded (`EncoderDecoder.from_pretrained`). The other options are those of
    `forerun.questions.Options`. Raises InputError for a file or a checkpoint that cannot be read, UsageError for a name
    that the model does not know, ToolMissing where C or C++ has to be compiled (for `size`) and there is no LLVM.
    """
    _check(device=device, language=language, model=model, stdin=stdin, sizes=sizes or {})
    if isinstance(flags, str):
        raise UsageError(f"flags={flags!r}", "flags are a sequence of words, this is one", f"flags={flags.split()}")
    if metric is not None and not (isinstance(metric, Sequence) and all(isinstance(name, str) for name in metric)):
        raise UsageError(f"metric={metric!r}", "a metric is a name, or several in a sequence", "metric='memory'")
    if isinstance(metric, str) and "," in metric:
        several = [name.strip() for name in metric.split(",") if name.strip()]
        raise UsageError(f"metric={metric!r}", "it is one name; several are given as a list", f"metric={several}")
    many = isinstance(source, Sequence) and not isinstance(source, (str, bytes, bytearray))
    sources: Sequence[Any] = source if isinstance(source, Sequence) and many else [source]
    metrics = (metric,) if isinstance(metric, str) else tuple(metric or ())
    options = Options(metrics, device, language, tuple(flags), stdin, sizes or {})
    loaded = checkpoint(model)
    place = model.where if isinstance(model, EncoderDecoder) else str(model)
    asked = [each for one in sources for each in questions(one, loaded.card, options)]
    check_sizes(asked, options.sizes)
    found = answers(asked, loaded, place)
    return found[0] if isinstance(metric, str) and not many else found


def _check(device: object, language: object, model: object, stdin: object, sizes: object) -> None:
    """Raises UsageError for options of another type, and for sizes that no tensor has."""
    for name, text in (("device", device), ("language", language)):
        if not isinstance(text, str):
            raise UsageError(f"{name}={text!r}", f"a {name} is a name", f"name it as a string, or leave {name} out")
    if not isinstance(model, EncoderDecoder) and (not isinstance(model, (str, os.PathLike)) or not os.fspath(model)):
        why = "a model is the folder of a checkpoint, or one that was loaded"
        raise UsageError(f"model={model!r}", why, "name one, or leave model out: one ships")
    if stdin is not None and not isinstance(stdin, bytes):
        raise UsageError(f"stdin={stdin!r:.60}", "a program reads bytes", "stdin=text.encode()")
    if not isinstance(sizes, Mapping):
        raise UsageError(f"sizes={sizes!r:.60}", "sizes have names", 'for example: sizes={"batch": 1}')
    for name, size in sizes.items():
        if not isinstance(size, Integral) or not 1 <= int(size) <= MOST_SIZE:
            why = f"a size is a whole number from 1 to {MOST_SIZE}"
            raise UsageError(f"sizes={{{name!r}: {size!r}}}", why, f"for example: sizes={{{name!r}: 1}}")


def checkpoint(model: Model = MODEL) -> EncoderDecoder:
    """The model of a folder, or the one that ships; one that is loaded as it is. Raises InputError, ToolMissing."""
    if isinstance(model, EncoderDecoder):
        loaded = model
    else:
        place = None if str(model) == MODEL else Path(model).resolve()
        loaded = _loaded(place, _stamp(place) if place else ())
    if not loaded.card.kinds:
        why = "it has no card.json that says what it was trained on"
        raise InputError(f"{model} cannot be asked", why, "name the folder that `forerun train` wrote")
    return loaded


@lru_cache(maxsize=2)
def _loaded(place: Path | None, _stamp: tuple[object, ...]) -> EncoderDecoder:
    return EncoderDecoder(place)


def _stamp(folder: Path) -> tuple[object, ...]:
    """Changes when one of its files does: a training writes its folder again."""
    if not folder.is_dir():
        return ()
    found = [(entry.name, entry.stat(follow_symlinks=entry.is_file())) for entry in os.scandir(folder)]
    return tuple(sorted((name, about.st_mtime_ns, about.st_size, about.st_ino) for name, about in found))


def answers(asked: Sequence[Question], loaded: EncoderDecoder, model: str = MODEL) -> list[Estimate]:
    """An Estimate for each question, all read in few batches. Raises ForerunError where memory does not suffice."""
    try:
        readings = loaded.read([question.prompt for question in asked])
    except Exception as error:  # onnxruntime's own exceptions share no base
        if not out_of_memory(error):
            raise
        why = str(error).partition("\n")[0] or "an array did not fit"
        raise ForerunError("there is not enough memory to predict", why, "free some, or name fewer files") from error
    found = []
    for question, reading in zip(asked, readings, strict=True):
        kind, belief = question.kind, reading.distribution
        if kind.metric == ACCURACY.name:
            belief = belief.within(0.0, 1.0)
        most = min(loaded.calibration.most(parts(question.prompt)), sys.float_info.max)
        wanted = question.asks
        if reading.beyond > 1 and kind.metric == Runtime.name and question.counted:
            wanted = max(wanted, reading.beyond * reading.most)
        if (wants := loaded.imports.wants(question.prompt)) is not None and math.isfinite(wanted):
            wanted = wants
        unknown = loaded.unknown(question.prompt) if ran(kind.metric) else []
        unknown = [one for one in unknown if Path(one).stem not in question.own]
        if unknown and lacks(parts(question.prompt), unknown):
            wanted = math.inf  # it may take any time, and any memory
        asks = wanted if wanted > most else None
        belief = belief.reaching(max(asks or 0.0, question.reach), LEVEL)
        value, (low, high) = belief.median, belief.interval(LEVEL)
        if kind.unit == "B" or kind.metric == "instructions":
            value, low, high = _whole(value, round), _whole(low, math.floor), _whole(high, math.ceil)
        strange = question.strange or bool(unknown) or (asks is not None and reading.familiarity is not None)
        familiarity = 0.0 if strange else reading.familiarity
        notes = question.notes
        if unknown:
            told = _some(unknown)
            notes = (*notes, f"{question.name} uses {told}: nothing is known of what it takes, and it is not counted")
        if asks is None and (more := [str(one) for one in reading.outside if one.value > one.end]):
            notes = (*notes, f"{question.name}: {_some(more)}: the interval is wider")
        if reading.guessed:
            lines = _some([where(parts(question.prompt).text, line) for line in reading.guessed])
            notes = (*notes, f"{question.name}: how often line {lines} happens nobody can tell: it is guessed")
        if asks is not None and kind.metric == Runtime.name and math.isfinite(asks):
            found_in = parts(question.prompt)
            early = f"its loops would take {asks:.3g} s if none ended early, which the upper end counts"
            if not may_end(kind.language, found_in.text):
                early = f"its text asks for work of {asks:.3g} s, which the upper end counts"
            notes = (*notes, f"{question.name}: {early}")
        made = Estimate(question.name, kind.metric, kind.unit, value, low, high, kind.language, question.device, model,
                        belief, familiarity, reading.cut, reading.tokens, notes, reading.parts, asks=asks)  # fmt: skip
        found.append(made)
    return found


def _some(names: Sequence[str]) -> str:
    """The first ones, and how many more there are."""
    return ", ".join(names[:_SOME]) + (f" and {len(names) - _SOME} more" if len(names) > _SOME else "")


def _whole(value: float, rounded: Callable[[float], int]) -> float:
    """A count, at least one where it is above zero."""
    return max(1.0, float(rounded(value))) if 0 < value < math.inf else value
