"""What a checkpoint was made of, how good it was, and what it is not for: `card.json`, and `README.md` written from it.

Model cards (Mitchell et al. 2019), as far as a program can fill them in.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from forerun import plain
from forerun.errors import InputError, reason
from forerun.files import write_atomically
from forerun.models.encoder_decoder.checksums import again
from forerun.prompts import parts
from forerun.rows import Row
from forerun.splits import groups_of
from forerun.toolchains.llvm.target import LEVELS

FILE, PAGE = "card.json", "README.md"
FORMAT = 1
LIMITS = (
    "It reads text, and the input that it is given, and runs nothing. What else a program reads, and what was cut out"
    " of a long text, it cannot know.",
    "Sizes that stand in a program's text, or in its input, say what it takes, roughly: many are never asked for, many"
    " loops are left early, and the intervals are as wide as that. Sizes that a program works out it does not know.",
    "Its intervals were widened until they held 90% of the values of groups that it had not learned from, of the kinds"
    " listed here; how many of further ones they held stands with its results. Of other kinds of programs they promise"
    " nothing.",
    "A metric, a language or a device that is not listed was not learned.",
)
_OWN = frozenset({"input", "files", "pipeline", "emit"})
"""Lines of a prompt that belong to one program and not to a kind of question."""
_OFTEN = 10
SCORES = ("spearman", "within_spearman", "mdape", "coverage")
"""Those that people are shown with their intervals."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Rows whose prompts ask for the same in the same words, programs aside.

    `language` is the prompt's whole line: `c, gcc 12 -O2`. `notes` are its further lines by their first word.
    """

    metric: str
    unit: str
    language: str
    device: str
    notes: Mapping[str, str] = field(default_factory=dict)
    rows: int = 0
    groups: int = 0
    licences: Mapping[str, int] = field(default_factory=dict)
    """Rows of each licence that their source states, `unknown` for none."""
    levels: tuple[str, ...] = ()
    """What a compiler was told by `-O` for ten rows or more, as `z`; none where no compiler is asked about."""

    @property
    def base(self) -> str:
        """The language without the tool."""
        return self.language.partition(",")[0]

    @property
    def where(self) -> str:
        """What a user names as the device: of accuracies, which depend on none, the data."""
        return self.notes.get("data", self.device)

    def further(self, head: Mapping[str, str]) -> list[str]:
        """Further lines of a prompt that asks this of a program with such a head."""
        own = {name: text for name, text in head.items() if name in _OWN}
        return [f"{name} {text}" for name, text in {**self.notes, **own}.items()]


@dataclass(frozen=True, slots=True)
class Card:
    """A checkpoint's own description. Without kinds it is empty: of a network that was not trained to predict.

    `recipe` says how it was trained; `results` are rows as `forerun eval` prints them, of this model and of those
    beside it.
    """

    kinds: tuple[Kind, ...] = ()
    recipe: Mapping[str, Any] = field(default_factory=dict)
    results: tuple[Mapping[str, Any], ...] = ()
    limits: tuple[str, ...] = LIMITS
    format: int = FORMAT

    @classmethod
    def of(cls, rows: Sequence[Row], recipe: Mapping[str, Any]) -> Card:
        """The card of a training on rows; most frequent kinds first."""
        found: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        for row in rows:
            head = dict(parts(row.prompt).head)
            language, device = head.pop("language", ""), head.pop("device", "")
            notes = tuple((k, v) for k, v in head.items() if k not in _OWN | {"metric", "unit"})
            found[row.metric, row.unit, language, device, notes].append(row)
        kinds = [_kind(key, own) for key, own in sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))]
        return cls(tuple(kinds), recipe)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Their names, the one with most rows first."""
        counts = Counter[str]()
        for kind in self.kinds:
            counts[kind.metric] += kind.rows
        return tuple(name for name, _ in counts.most_common())

    @property
    def languages(self) -> frozenset[str]:
        """What its inputs are written in, without tools; nothing of rows that say no language."""
        return frozenset(kind.base for kind in self.kinds) - {""}

    def with_results(self, results: Sequence[Mapping[str, Any]]) -> Card:
        """With these instead of the results of the same metrics."""
        new = {result["metric"] for result in results}
        kept = [result for result in self.results if result["metric"] not in new]
        return replace(self, results=(*kept, *results))

    def save(self, folder: Path) -> None:
        """Writes `card.json` and `README.md`; nothing where it is empty."""
        if self.kinds:
            write_atomically(folder / FILE, (json.dumps(asdict(self), indent=1) + "\n").encode())
            write_atomically(folder / PAGE, self.page().encode())

    @classmethod
    def load(cls, folder: Path) -> Card:
        """Reads what `save` wrote; an empty card where there is no such file. Raises InputError."""
        path = folder / FILE
        if not path.is_file():
            return cls()
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            if values["format"] != FORMAT:
                why = f"it has format {values['format']}, this version reads {FORMAT}"
                todo = "install the version of forerun that wrote it, or train it again"
                raise InputError(f"{path} is of another version", why, todo)
            return plain.value(values, cls, "it")  # type: ignore[no-any-return]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} cannot be read", reason(error), again(folder, FILE)) from error

    def page(self) -> str:
        """The card for people, in Markdown."""
        sections = [
            "# A checkpoint of forerun: encoder_decoder",
            "Reads code, says what it costs as a distribution: `forerun predict --model DIR FILE`. Written by the"
            " training and by `forerun eval --card`.",
            "## Data", _rows(("metric", "unit", "language", "where", "rows", "groups"), map(_data, self.kinds)),
            _licences(self.kinds),
            "## Recipe", "\n".join(f"- {name}: {_shown(value)}" for name, value in self.recipe.items()),
            "## Results", self._results(),
            "## Limits", "\n".join(f"- {line}" for line in self.limits),
        ]  # fmt: skip
        return "\n\n".join(section for section in sections if section) + "\n"

    def _results(self) -> str:
        if not self.results:
            return "None were written down: `forerun eval ROWS --checkpoint DIR --card`."
        what = "On groups that nothing was learned from, with 95% bootstrap intervals over groups."
        return f"{what}\n\n" + _rows(("metric", "model", "n", "groups", *SCORES), map(_scored, self.results))


def _kind(key: tuple[Any, ...], rows: Sequence[Row]) -> Kind:
    metric, unit, language, device, notes = key
    licences = Counter(row.licence or "unknown" for row in rows)
    groups = len(set(groups_of(rows)))
    levels = Counter(level for row in rows if (level := _level(parts(row.prompt).head.get("pipeline", ""))))
    often = tuple(level for level, count in levels.most_common() if count >= _OFTEN)
    return Kind(metric, unit, language, device, dict(notes), len(rows), groups, dict(licences.most_common()), often)


def _level(pipeline: str) -> str:
    level = pipeline.removeprefix("-O")
    return level if level != pipeline and level in LEVELS else ""


def _data(kind: Kind) -> tuple[object, ...]:
    return kind.metric, kind.unit, kind.language, kind.where, f"{kind.rows:,}", f"{kind.groups:,}"


def _licences(kinds: Sequence[Kind]) -> str:
    """What their sources state; the texts themselves are no part of a checkpoint."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for kind in kinds:
        found[kind.metric].update(kind.licences)
    lines = (f"{metric}: {', '.join(f'{n} ({k:,})' for n, k in own.most_common(8))}" for metric, own in found.items())
    return "Licences that the sources state, with rows: " + "; ".join(lines) + "."


def _shown(value: object) -> str:
    return ", ".join(f"{k} {_shown(v)}" for k, v in value.items()) if isinstance(value, Mapping) else str(value)


def _scored(result: Mapping[str, Any]) -> Iterator[object]:
    yield from (result[name] for name in ("metric", "model", "n", "groups"))
    yield from (scored(result, name) for name in SCORES)


def scored(result: Mapping[str, Any], name: str) -> str:
    """A score of a row of `forerun eval` with its interval, for people."""
    value, low, high = (result.get(f"{name}{end}") for end in ("", "_low", "_high"))
    if value is None:
        return "–"
    return short(value) + (f" [{short(low)}, {short(high)}]" if low is not None and high is not None else "")


def short(score: float) -> str:
    """A score for people: three decimals, and from a million on two digits and an exponent."""
    return f"{score:.3f}" if abs(score) < 1e6 else f"{score:.2g}"


def _rows(names: Sequence[str], lines: Iterator[Any]) -> str:
    cells = [names, ["---"] * len(names), *lines]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in cells)
