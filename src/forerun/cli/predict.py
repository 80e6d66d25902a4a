"""`forerun predict`: what files will cost, before they run."""

from __future__ import annotations

import argparse
import gc
import glob
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forerun.cli._quantities import amount, is_amount, names, quantity, sized
from forerun.cli.render import Column, Table, add_format, counted, number, percent, say, show
from forerun.errors import ForerunError, GateFailed, InputError, UsageError

if TYPE_CHECKING:
    from forerun.estimate import Estimate
    from forerun.models.encoder_decoder import EncoderDecoder
    from forerun.models.encoder_decoder.card import Card
    from forerun.questions import File, Options, Question

_RISK = 0.5
_PARTS, _SLIGHT = 12, 0.01
"""Of a number that are shown, and the share of it from which on the rest is."""
_HEADINGS = {"memory": "peak memory", "runtime": "CPU time", "instructions": "LLVM IR instructions"}
"""Of the values of metrics whose names leave open what was measured."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Options of the verb."""
    parser.epilog = (
        "Several files are ranked, the best first. Everything after -- goes to the compiler, where the size of C or C++"
        " is asked for (default: -Oz). --fail-over exits with 4 where any file is over with a probability of more than"
        " --risk: at .5 its median is over, at .05 the upper end of the table's interval, which counts in any case for"
        " what is unlike anything seen. Files that a program"
        " is made of, or opens by a name in its text, are read where it lies. What a model knows: forerun models DIR"
    )
    what = "program, .ll, .bc or .onnx; module.py:factory, a network of PyTorch; a pattern; - reads stdin"
    parser.add_argument("files", nargs="+", metavar="FILE", help=what)
    text = (
        "memory (at its peak), runtime (CPU time), size, latency, accuracy … (default: all that the model knows of the"
        " file, accuracy only where it knows nothing else)"
    )
    parser.add_argument("--metric", action="extend", type=names, default=[], metavar="NAMES", help=text)
    parser.add_argument("--device", default="", help="where it will run (default: where most rows were measured)")
    parser.add_argument("--language", default="", help="of all files (default: by the suffix)")
    parser.add_argument("--model", default="", metavar="DIR", help="a checkpoint (default: the one that ships)")
    parser.add_argument("--stdin", type=Path, metavar="FILE", help="what the programs will read")
    sizes = "an open size, of those ONNX models that have it"
    parser.add_argument("--size", action="append", default=[], metavar="NAME=N", help=sizes)
    parser.add_argument("--fail-over", metavar="AMOUNT", help="a gate for one metric: 512MB, 3ms, 1e6")
    parser.add_argument("--risk", type=float, metavar="P", help="how probably over is too much (default: 0.5)")
    parser.add_argument(
        "--explain", action="store_true", help="and what makes the number up: lines, imports; of whole programs"
    )
    add_format(parser)


def run(options: argparse.Namespace) -> int:
    """Predicts every file; prints a row for each and metric."""
    from forerun import estimate, settings
    from forerun.models.encoder_decoder import checksums

    settings.check()
    files, asked = _expanded(options.files), _options(options)
    _check(options)
    model = options.model or estimate.MODEL
    loaded = estimate.checkpoint(model)
    gc.freeze()  # it stays: without looking through it a file of 640 kB is answered in 2.9 s instead of 3.2
    if model != estimate.MODEL and (doubt := checksums.doubt(Path(model))):
        say(f"forerun: {doubt}")
    questions, failed = _questions(files, loaded.card, asked)
    limit = options.fail_over
    if limit is not None:
        _check_limit(limit, asked.metrics, {question.kind.metric: question.kind.unit for question in questions})
    found = estimate.answers(questions, loaded, model)
    for note in dict.fromkeys(note for one in found for note in one.notes):
        say(f"forerun: {note}")
    if not options.device and (devices := dict.fromkeys(_elsewhere(found, loaded))):
        why = f"times are those of {' and '.join(devices)}, as no --device was named"
        if told := dict.fromkeys(_told(found, loaded)):
            say(f"forerun: {why}: it was told of {' and '.join(told)} (--device)")
        else:
            say(f"forerun: {why}: of this machine, `forerun train --recipe adapt` tells it in seconds")
    _show(_ranked(found), len(files) > 1, limit, options.format)
    if options.explain:
        _explain(found, options.format)
    if limit is not None:
        _gate(found, len(files), limit, _RISK if options.risk is None else options.risk)
    return InputError.exit_code if failed else 0


def _told(found: Sequence[Estimate], loaded: EncoderDecoder) -> Iterator[str]:
    """Devices of whose times the model was told by its user, of metrics that were asked for."""
    asked = {one.metric for one in found if one.unit == "s"}
    return (device for metric, _, device in loaded.carried.members if metric in asked and device)


def _elsewhere(found: Sequence[Estimate], loaded: EncoderDecoder) -> Iterator[str]:
    """Devices whose times may not be meant, but those of metrics that the model was told of by its user on no other."""
    told = {(metric, device) for metric, _, device in loaded.carried.members}
    for one in found:
        known = {kind.where for kind in loaded.card.kinds if kind.metric == one.metric}
        if one.unit == "s" and one.device and not (known == {one.device} and (one.metric, one.device) in told):
            yield one.device


def _check_limit(limit: str, named: Sequence[str], units: Mapping[str, str]) -> None:
    """Raises UsageError where the limit is none of one metric; `units` are those of the metrics that are asked for."""
    if len(named) == 1 or (not named and len(units) == 1):
        for unit in units.values():
            amount(limit, unit)
        return
    first, *_ = [metric for metric, unit in units.items() if is_amount(limit, unit)] or units
    todo = f"name one alone: --metric {first}" if named else f"add --metric {first}"
    raise UsageError("--fail-over is of one metric", f"{len(named)} are named", todo)


def _check(options: argparse.Namespace) -> None:
    if options.risk is None:
        return
    if options.fail_over is None:
        raise UsageError("--risk says when --fail-over fails", "there is no --fail-over", "add --fail-over 512MB")
    if not 0 < options.risk < 1:
        why = f"{options.risk:g} is no probability between 0 and 1"
        raise UsageError("--risk is a probability", why, "for example: --risk 0.05")


def _options(options: argparse.Namespace) -> Options:
    from forerun.questions import Options, given

    stdin = given(str(options.stdin)) if options.stdin else None
    metrics = tuple(dict.fromkeys(options.metric))
    return Options(metrics, options.device, options.language, tuple(options.compiler), stdin,
                   dict(map(sized, options.size)))  # fmt: skip


def _expanded(words: Sequence[str]) -> list[str]:
    """Names as they are, and what patterns match that no shell has expanded. Each file once, which is said."""
    found: list[str] = []
    for name in words:
        if Path(name).exists() or not glob.has_magic(name):
            found.append(name)
            continue
        matches = [match for match in sorted(glob.iglob(name, recursive=True)) if Path(match).is_file()]  # noqa: PTH207
        if not matches:
            raise InputError(f"no file matches {name}", "the pattern matches nothing here", "name a file")
        matches.sort(key=len, reverse=True)  # the shortest name stays: links may go round
        files = {os.path.realpath(match): match for match in matches}
        found += sorted(files.values())
    for name, times in Counter(found).items():
        if times > 1:
            say(f"forerun: {name} was named {times} times: it is answered once")
    return list(dict.fromkeys(found))


def _questions(files: Sequence[str], card: Card, options: Options) -> tuple[list[Question], bool]:
    """Of all files that can be read, and whether some cannot. Raises the error where none can."""
    from forerun.questions import check_sizes, questions

    found: list[Question] = []
    failures: list[ForerunError] = []
    for name in files:
        try:
            what: str | File = _standard_input(options, card) if name == "-" else name
            found += questions(what, card, options)
        except ForerunError as error:
            failures.append(error)
    for failure in failures if found else failures[:-1]:
        say(f"forerun: {failure}")
    if not found:
        raise failures[-1]
    if not failures:
        check_sizes(found, options.sizes)
    return found, bool(failures)


def _standard_input(options: Options, card: Card) -> File:
    from forerun.questions import read

    return read("-", options, sys.stdin.buffer.read(), card.languages)


def _ranked(found: Sequence[Estimate]) -> list[list[Estimate]]:
    """By metric and unit, the best first; what asks for more than was ever measured comes last, by how much."""
    from forerun.questions import lower_is_better

    kept: dict[tuple[str, str], list[Estimate]] = {}
    for one in found:
        kept.setdefault((one.metric, one.unit), []).append(one)
    for (metric, _), own in kept.items():
        own.sort(key=lambda one: (one.asks or 0.0, one.value), reverse=not lower_is_better(metric))
    return list(kept.values())


def _show(found: Sequence[Sequence[Estimate]], ranks: bool, limit: str | None, form: str) -> None:
    """One table for machines, for people one for each metric: they have units of their own."""
    tables = []
    for own in found:
        most = None if limit is None else amount(limit, own[0].unit)
        rows = []
        for rank, one in enumerate(own, 1):
            row: dict[str, Any] = ({"rank": rank} if ranks else {}) | one.to_json()
            rows.append(row if most is None else row | {"limit": most, "over": one.above(most)})
        tables.append(_table(rows, own[0].unit))
    if form not in ("table", "md"):
        tables = [Table(tables[0].columns, [row for table in tables for row in table.rows])]
    for i, table in enumerate(tables):
        print("\n" * (i > 0), end="")
        show(table, form)


def _table(rows: list[dict[str, Any]], unit: str) -> Table:
    amounts = partial(quantity, unit=unit)
    columns = [Column("rank", "rank", number, True)] if "rank" in rows[0] else []
    columns += [
        Column("name", "file"),
        Column("metric", "metric"),
        Column("value", _HEADINGS.get(rows[0]["metric"], "value"), amounts, True),
        Column("low", f"{rows[0]['level']:.0%} from", amounts, True),
        Column("high", "to", amounts, True),
        Column("familiar", "it looks"),
        Column("device", "device"),
    ]
    if "over" in rows[0]:
        columns.append(Column("over", f"over {amounts(rows[0]['limit'])}", percent, True))
    if any(row["cut"] for row in rows):
        columns.append(Column("cut", "tokens cut", number, True))
    return Table(columns, rows)


def _explain(found: Sequence[Estimate], form: str) -> None:
    """For people a table of what makes up each number, where anybody knows; those for machines have it anyway."""
    for one in found if form in ("table", "md") else ():
        if not one.parts:
            say(f"forerun: {one.name}, {one.metric}: network and trees tell it, from all of the text")
            continue
        rows = [asdict(part) | {"line": part.line or None} for part in one.parts[:_PARTS]]
        rest = one.value - sum(part.value for part in one.parts[:_PARTS])
        if abs(rest) > _SLIGHT * one.value:
            rows.append({"value": rest, "line": None, "what": "others, and what such programs took beside it"})
        columns = [
            Column("value", f"{one.metric} of {one.name}", partial(quantity, unit=one.unit), True),
            Column("line", "line", number, True),
            Column("what", "what takes it"),
        ]
        print()
        show(Table(columns, rows), form)


def _gate(found: Sequence[Estimate], files: int, limit: str, risk: float) -> None:
    """Raises GateFailed where a file, or a kernel of one, is over with more than that probability, or the interval
    reaches over of one that is unlike anything seen; says of which others it knows little."""
    asking: list[Estimate] = []
    over: list[tuple[float, Estimate]] = []
    strange: list[Estimate] = []
    for one in found:
        most = amount(limit, one.unit)
        # Rounded: where the limit is the median itself, the last bit of a sum does not close the gate.
        chance = round(one.above(most), 9)
        if one.asks is not None and one.asks > most:
            asking.append(one)
        elif chance > _allowed(one, risk):
            over.append((chance, one))
        elif one.familiarity == 0:
            strange.append(one)
    if strange:
        more = f", and {len(strange) - 1} more" if strange[1:] else ""
        say(f"forerun: the gate lets through what it knows little of: {strange[0].name} is {strange[0].familiar}{more}")
    noun = "kernel" if len(found) > files else "file"
    what = f"{len(asking) + len(over)} of {counted(len(found), noun)} over {limit}"
    if asking:
        raise GateFailed(what, _asking(asking), "look at it, measure it, or raise --fail-over")
    if over:
        raise GateFailed(what, _over(over, risk), "look at it, measure it, or raise --fail-over or --risk")


def _asking(found: Sequence[Estimate]) -> str:
    """Why nothing lets through what asks for more than was ever measured: no probability tells of it."""
    most, one = max(((one.asks or 0.0, one) for one in found), key=lambda entry: entry[0])
    if math.isinf(most):
        return f"{one.name}: its text sets no limit to what it takes"
    return f"{one.name} asks for {quantity(most, one.unit)} of {one.metric}: nothing that was measured took so much"


def _allowed(one: Estimate, risk: float) -> float:
    """The probability of being over that is let through: of what is unlike anything seen that of the upper end."""
    return min(risk, round((1 - one.level) / 2, 9)) if one.familiarity == 0 else risk


def _over(found: Sequence[tuple[float, Estimate]], risk: float) -> str:
    chance, first = max(found, key=lambda entry: (entry[0], entry[1].value))
    what = f"{first.name}: {quantity(first.value, first.unit)} of {first.metric}"
    if (allowed := _allowed(first, risk)) < risk:
        what += f", up to {quantity(first.high, first.unit)}, as it is {first.familiar}"
    return f"{what}; over it with a probability of {chance:.3g}, more than {allowed:.3g} is too much"
