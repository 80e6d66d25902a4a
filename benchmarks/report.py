"""Writes the tables of README.md and docs/results.md from the result files; `--check` only compares.

    python benchmarks/report.py

A block between `<!-- table NAME -->` and `<!-- end -->` is replaced by the table of that name.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
WEIGHTS = ROOT / "src" / "forerun" / "weights"
PAGES = (ROOT / "README.md", ROOT / "docs" / "results.md", WEIGHTS / "README.md")
_BLOCK = re.compile(r"(<!-- table ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


def load(name: str) -> dict[str, Any] | None:
    """A result file's content; None where it was never measured."""
    path = RESULTS / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table, the first column to the left."""
    lines = [list(head), *map(list, rows)]
    rule = ["---", *["---:"] * (len(lines[0]) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [lines[0], rule, *lines[1:]]) + "\n"


def passes(name: str, metric: str) -> str:
    """Reduction over the compiler's own object by model and number of compilations."""
    found = load(name)
    if not found:
        return "Not measured.\n"
    lines = [row for row in found["table"] if row["metric"] == metric]
    at = sorted({row["compilations"] for row in lines})
    rows = []
    for model in dict.fromkeys(row["model"] for row in lines):
        own = {row["compilations"]: row for row in lines if row["model"] == model}
        last = own[at[-1]]
        cells = [f"{own[n]['reduction']:.2%} [{own[n]['low']:.2%}, {own[n]['high']:.2%}]" for n in at]
        rows.append([model, *cells, f"{last['total']:.2%}", f"{last['improved']}", f"{last['larger']}"])
    head = ["model", *map(str, at), f"total at {at[-1]}", "improved", "larger"]
    about = (
        f"{found['modules']} modules of {len(found['projects'])} projects, {found['instructions']:,} instructions"
        f" before any pass; {found['target']}, {found['tool']}. Geometric mean reduction of "
        f"{'text' if metric == 'text' else 'text + data'} with 95% bootstrap intervals over projects.\n"
    )
    return f"{about}\n{table(head, rows)}"


def projects() -> str:
    """Libraries before and after, and what the build costs."""
    found = load("projects")
    if not found:
        return "Not measured.\n"
    rows = []
    for p in found["projects"]:
        before, after = p["library"]["before"], p["library"]["after"]
        rows.append(
            [
                p["project"],
                f"{p['modules']}",
                f"{before['text']:,}",
                f"{after['text']:,}",
                f"{1 - after['text'] / before['text']:.2%}",
                f"{1 - after['size'] / before['size']:.2%}",
                p["tests"],
                f"{p['cold_ratio']:.1f}×",
                f"{p['warm_ratio']:.2f}×",
            ]
        )
    head = "project, modules, text before, text after, text, text + data, own tests, first build, second build"
    return table(head.split(", "), rows)


def correctness() -> str:
    """Programs that check themselves, built with random pipelines."""
    found = load("correctness")
    if not found:
        return "Not measured.\n"
    keys = ("runs", "right", "unchanged", "wrong", "program hangs", "compilations", "compiler crashes", "refused")
    programs = ", ".join(p["program"] for p in found["programs"])
    cells = [str(len(found["programs"])), *(f"{found[key]:,}" for key in keys)]
    return f"{table(['programs', *keys], [cells])}\nThe programs: {programs}.\n"


def speed() -> str:
    """Evaluations per second in a worker against processes."""
    found = load("speed")
    if not found:
        return "Not measured.\n"
    rows = []
    for m in found["modules"]:
        ways = [m["one core"][name] for name in ("opt and llc", "worker without memory", "worker")]
        cells = [f"{way['per second']:.1f}" for way in ways]
        ratio = f"{ways[2]['times as fast']:.1f}× [{ways[2]['low']:.1f}, {ways[2]['high']:.1f}]"
        rows.append(
            [m["module"], f"{m['instructions']:,}", *cells, ratio, f"{ways[2]['by cpu']['times as fast']:.1f}×"]
        )
    head = "module, instructions, opt + llc, one worker that forgets, one worker, ratio, ratio by CPU time"
    return f"Evaluations per second.\n\n{table(head.split(', '), rows)}"


def predictor_speed(part: str) -> str:
    """How fast a model answers: alone, in batches, from a cold start, and beside regress-lm."""
    found = load("predictor-speed")
    if not found or part not in found:
        return "Not measured.\n"
    if part == "regress-lm":
        return against_regress_lm(found[part])
    names = {"answers": ["depth", "threads"], "batches": ["programs", "programs_per_s"], "starts": ["start"]}[part]
    rows = []
    for row in found[part]:
        spread = f"{row['seconds']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
        cells = [f"{row[name]:.1f}" if isinstance(row[name], float) else f"{row[name]}" for name in names]
        rows.append([*cells, spread, f"{row['processor_s']:.3f}"])
    return table([*(name.replace("_per_s", " a second") for name in names), "seconds", "processor seconds"], rows)


def against_regress_lm(found: dict[str, Any]) -> str:
    """Both ways of decoding with the same weights."""
    rows = []
    for name in ("regress-lm", "forerun"):
        own = found[name]
        spread = f"{own['seconds']:.2f} [{own['low']:.2f}, {own['high']:.2f}]"
        times = found["regress-lm"]["processor_s"] / own["processor_s"]
        rows.append([name, spread, f"{own['processor_s']:.2f}", f"{times:.1f}×"])
    about = (
        f"{found['weights']:,} weights, 8 inputs of {found['tokens']:,} tokens, 64 draws each, one thread; without the"
        f" encoder, which is the same for both ({found['encoder']['processor_s']:.2f} processor seconds).\n"
    )
    return f"{about}\n{table(['decoded by', 'seconds', 'processor seconds', 'times as fast by these'], rows)}"


SCORES = {
    "spearman": "Spearman",
    "kendall": "Kendall",
    "within_spearman": "Spearman within groups",
    "within_pairs": "pairs within groups",
    "mdape": "MdAPE",
    "mape": "MAPE",
    "coverage": "90% coverage",
    "width": "width",
    "log_crps": "log CRPS",
}


def predict() -> str:
    """Predictors of numbers: a table for each experiment, a row for each model."""
    found = load("predict")
    if not found:
        return "Not measured.\n"
    experiments: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in found["table"]:
        experiments.setdefault((row["experiment"], row["by"]), []).append(row)
    return "\n".join(f"{_about(rows)}\n{_judged(rows)}" for rows in experiments.values())


def unseen() -> str:
    """A device of which little is known, judged on what nobody measured: a row for each, and the mean of all."""
    found = load("unseen")
    if not found:
        return "Not measured.\n"
    names = ("spearman", "mdape", "coverage")
    of_devices: dict[str, dict[str, list[float]]] = {}
    for row in found["table"]:
        device = row["experiment"].split(" of ")[2].split()[0]
        of_devices.setdefault(device, {})[row["model"]] = [row["scores"][name][0] for name in names]
    models = list(dict.fromkeys(row["model"] for row in found["table"]))
    rows = {device: [value for model in models for value in own[model]] for device, own in of_devices.items()}
    rows[f"mean of {len(rows)}"] = [sum(column) / len(rows) for column in zip(*rows.values(), strict=True)]
    head = ["device", *(f"{model}: {SCORES[name]}" for model in models for name in names)]
    return table(head, [[device, *map(_short, values)] for device, values in rows.items()])


def shipped() -> str:
    """The weights that ship beside the rivals: from their card, a table for each experiment, the best first."""
    path = WEIGHTS / "encoder_decoder" / "card.json"
    if not path.is_file():
        return "Not measured.\n"
    experiments: dict[str, list[dict[str, Any]]] = {}
    for line in json.loads(path.read_text(encoding="utf-8"))["results"]:
        experiments.setdefault(line["metric"], []).append(line)
    return "\n".join(_experiment(name, lines) for name, lines in experiments.items())


def coverage() -> str:
    """Whether 90% intervals hold 90%, in the mean over ways of dealing groups that nothing was learned from."""
    found = load("coverage")
    if not found:
        return "Not measured.\n"
    rows = []
    for line in found["table"]:
        parts = (line[name] for name in ("test", "shipped"))
        tests = ["–" if part is None else f"{part:.3f}" for part in parts]
        held = f"{_score([line[name] for name in ('coverage', 'low', 'high')])} ± {line['spread']:.3f}"
        counts = [f"{line[name]:,}" for name in ("rows", "groups", "told")]
        rows.append([line["metric"], *counts, held, *tests, _short(line["width"]), f"{line['log_crps']:.4f}"])
    head = ["", "rows", "groups", "told by the text", "90% coverage", "of the test's rows", "of these as it ships"]
    return f"{found['dealings']} dealings.\n\n{table([*head, 'width', 'log CRPS'], rows)}"


PLAIN = {
    "whole": ", with functions and classes", "text": ", texts that grow", "stranger": ", whole, by a stranger",
    "another": ", whole, by another stranger",
}  # fmt: skip
"""What the folders of `plain.txt` hold."""


def plain() -> str:
    """Small programs that ask for much: how far the answers are off, and whether their intervals hold."""
    found = load("plain")
    if not found:
        return "Not measured.\n"
    rows = []
    for row in found["rows"]:
        kept = PLAIN.get(row["name"].partition("/")[0], "")
        row["kind"] = row["metric"] + (", sizes that are read" if row["reads"] else kept)
    kinds = dict.fromkeys(row["kind"] for row in found["rows"])
    for kind in sorted(kinds, key=lambda kind: kind.partition(",")[2]):
        own = [row for row in found["rows"] if row["kind"] == kind]
        off = sorted((max(row["value"] / row["measured"], row["measured"] / row["value"]), row["name"]) for row in own)
        held = sum(row["low"] <= row["measured"] <= row["high"] for row in own)
        far = [f"{name} {times:.0f}×" for times, name in off[:-4:-1]]
        twice = sum(times < 2 for times, _ in off)
        rows.append([kind, str(len(own)), f"{off[len(off) // 2][0]:.1f}×", str(twice), str(held), ", ".join(far)])
    return table(["", "programs", "off by (median)", "within twice", "in the 90% interval", "farthest off"], rows)


KINDS = {"numpy": "NumPy alone", "others": "others"}
"""Of programs with packages."""


def packages(results: str = "packages") -> str:
    """Whole programs in Python: how far the answers are off, by what their text tells and without that."""
    found = load(results)
    if not found:
        return "Not measured.\n"
    rows, columns = [], ["", "programs", "off by (median)", "within twice", "in the 90% interval"]
    found["rows"] = [row | {"kind": _kind(row)} for row in found["rows"]]
    places = dict.fromkeys((row["metric"], row["set"], row["kind"]) for row in found["rows"])
    sets = [*dict.fromkeys(row["set"] for row in found["rows"])]
    order = {place: ("memory traced runtime".find(place[0]), sets.index(place[1]), place[2]) for place in places}
    for metric, name, kind in sorted(places, key=order.__getitem__):
        own = [row for row in found["rows"] if (row["metric"], row["set"], row["kind"]) == (metric, name, kind)]
        of, _, when = name.partition(", ")
        cells = [f"{metric}, {of} set{when and ' '}{when}, {kind}", str(len(own))]
        told = {when: [_off(row, when) for row in own] for when in ("now", "before")}
        cells.append(" (".join(f"{median(each):.2f}×" for each in told.values()) + ")")
        cells.append(" (".join(str(sum(one < 2 for one in each)) for each in told.values()) + ")")
        held = (sum(row[f"low {when}"] <= row["measured"] <= row[f"high {when}"] for row in own) for when in told)
        rows.append([*cells, " (".join(map(str, held)) + ")"])
    return table(columns, rows)


def _kind(row: dict[str, Any]) -> str:
    others = row["set"].startswith(("languages", "tongues"))
    return KINDS.get(row["kind"], "other languages" if others else "no packages")


def _off(row: dict[str, Any], when: str) -> float:
    times = row[f"value {when}"] / row["measured"]
    return float(max(times, 1 / times))


def _experiment(name: str, lines: list[dict[str, Any]]) -> str:
    scores = {score: title for score, title in SCORES.items() if score in lines[0]}
    ordered = sorted(lines, key=lambda line: -(line["spearman"] or -1))
    ours = next(line for line in lines if line["model"] == "ours")

    def judged(line: dict[str, Any]) -> str:
        same = line["n"] == ours["n"]
        return line["model"] if same else f"{line['model']}, on {line['n']:,} rows of {line['groups']:,}"

    cells = [
        [judged(line), *(_score([line[f"{score}{end}"] for end in ("", "_low", "_high")]) for score in scores)]
        for line in ordered
    ]
    about = f"**{name}**: {ours['n']:,} rows of {ours['groups']:,} groups.\n"
    return f"{about}\n{table(['model', *scores.values()], cells)}"


def _about(rows: list[dict[str, Any]]) -> str:
    """What was asked, of how many rows, and which budget networks had."""
    first = rows[0]
    networks = {
        f"{row['budget']['network']} {row['parameters'] / 1e6:.2f} million parameters, {row['budget']['steps']:,} steps"
        for row in rows
        if row["budget"].get("network") == row["model"]
    }
    counts = {name: f"{sum(first[name]) / len(first[name]):,.0f}" for name in ("learned", "calibrated", "n", "groups")}
    return (
        f"**{first['experiment']}**, held out by {first['by']}: {counts['n']} rows of {counts['groups']} groups judge,"
        f" {counts['learned']} teach, {counts['calibrated']} calibrate; seeds {', '.join(map(str, first['seeds']))}."
        f" Networks: {'; '.join(sorted(networks)) or 'none trained here'}.\n"
    )


def _judged(rows: list[dict[str, Any]]) -> str:
    """The best Spearman first; a score that the rows do not tell is a dash."""
    ordered = sorted(rows, key=lambda row: -(row["scores"]["spearman"][0] or -1))
    cells = [
        [row["model"], *(_score(row["scores"][name]) for name in SCORES), str(len(row["seeds"]))] for row in ordered
    ]
    return table(["model", *SCORES.values(), "seeds"], cells)


def _score(values: Sequence[float | None]) -> str:
    value, low, high = values[:3]
    if value is None:
        return "–"
    return _short(value) if low is None or high is None else f"{_short(value)} [{_short(low)}, {_short(high)}]"


def _short(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1e}"


def tuning(name: str) -> str:
    """How near kernels come to the best that is known, by who proposes and how many candidates."""
    found = load(name)
    if not found:
        return "Not measured.\n"
    parts = []
    for threads in sorted({row["threads"] for row in found["table"]}):
        # Longer searches are of few programs: they stand beside ours on the same ones.
        lines = [row for row in found["table"] if row["threads"] == threads and row["candidates"] <= 64]
        at = sorted({row["candidates"] for row in lines})
        rows = []
        for method in dict.fromkeys(row["method"] for row in lines):
            own = {row["candidates"]: row for row in lines if row["method"] == method}
            cells = [_share(own[n]) if n in own else "" for n in at]
            most = own[max(own)]
            seeds = max(row["seeds"] for row in own.values())
            rows.append([method, *cells, f"{most['won']}", f"{most['programs']}", f"{seeds}"])
        about = f"{threads} thread{'s' * (threads != 1)}:\n" if threads else "On the GPU:\n"
        parts.append(f"{about}\n{table(['candidates', *map(str, at), 'won', 'programs', 'seeds, at most'], rows)}")
        if beside := [row for row in found["beside"] if row["threads"] == threads]:
            parts.append(table(["scheduler after", *_rivals(beside)], _beside(beside)))
    return "\n".join(parts)


def _rivals(beside: list[dict[str, Any]]) -> list[str]:
    at = {row["at"]: row["programs"] for row in beside}
    return [f"evolutionary after {count:,} ({programs} programs)" for count, programs in at.items()]


def _beside(beside: list[dict[str, Any]]) -> list[list[str]]:
    """How many times as fast, and on how many programs at least as fast within 2%."""
    return [
        [f"{n}", *(f"{_ratio(row)}, {row['won']}" for row in rows)]
        for n, rows in groupby(beside, key=lambda row: row["candidates"])
    ]


def tuning_beside(name: str) -> str:
    """How many times as fast ours is after so many candidates as the evolutionary search after more of them."""
    rows = (load(name) or {"beside": []})["beside"]
    runs = {(row["threads"], row["at"]): row["programs"] for row in rows}
    head = [f"{at:,} of its, {n} thread{'s' * (n != 1)} ({programs} programs)" for (n, at), programs in runs.items()]
    lines = []
    for count in sorted({row["candidates"] for row in rows}):
        own = {(row["threads"], row["at"]): row for row in rows if row["candidates"] == count}
        found = (own.get(run) for run in runs)
        lines.append([f"{count}", *(_ratio(row) if row else "" for row in found)])
    return table(["candidates of ours", *head], lines) if rows else "Not measured.\n"


OTHERS = ("onnxruntime", "PyTorch", "Inductor")
RUNS = ("default", "dlight", "metaschedule", "ours", "PyTorch", "Inductor", "onnxruntime")


def larger() -> str:
    """Attention and layers as they are, and computed larger."""
    found = load("larger")
    if not found:
        return "Not measured.\n"
    rows = []
    for line in found["networks"]:
        before, after = (sum(line[way].values()) for way in ("given", "larger"))
        off = line["larger off"] / line["given off"]
        shape = " x ".join(line["shape"].split("x"))
        seconds = [f"{before * 1e6:,.0f}", f"{after * 1e6:,.0f}"]
        rows.append([f"{line['kind']}, {shape}", *seconds, f"{before / after:.2f}×", f"{off:.1f}×"])
    told = ", ".join(
        f"{kind} {mean['mean']:.2f} [{mean['low']:.2f}, {mean['high']:.2f}]" for kind, mean in found["faster"].items()
    )
    head = ["sizes", "as it is, µs", "larger, µs", "faster", "error, of that as it is"]
    return f"{table(head, rows)}\nGeometric means, times as fast: {told}.\n"


def onnx_operators() -> str:
    """How many of onnx's own cases are computed as onnx says."""
    found = load("onnx-operators")
    if not found:
        return "Not measured.\n"
    kinds = [key for key, value in found.items() if isinstance(value, dict) and "right" in value]
    rows = [[kind, *(f"{count:,}" for count in found[kind].values())] for kind in kinds]
    return table(["cases", *found[kinds[0]]], rows)


def measuring() -> str:
    """Candidates a minute, of our workers and of MetaSchedule's."""
    found = load("measuring")
    if not found:
        return "Not measured.\n"
    ways = ("forerun", *found["ratio"])
    rows = []
    for row in found["programs"]:
        minute = (f"{row[way]['a_minute']:.0f}" for way in ways)
        rows.append([row["program"], f"{row['candidates']}", *minute, f"{row['wrong_but_accepted']['stock']}"])
    head = ["program", "candidates", *(f"{way}, a minute" for way in ways), "wrong, accepted by stock"]
    told = "; ".join(
        f"{ratio['value']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}] times {way}'s"
        for way, ratio in found["ratio"].items()
    )
    return f"{table(head, rows)}\nGeometric means over programs: {told}, on {found['cores']} cores.\n"


def networks() -> str:
    """Whole networks: latencies of every way to run them."""
    found = load("networks")
    if not found:
        return "Not measured.\n"
    rows = [
        [_labelled(one), *(_latency(one["runs"][run]) if run in one["runs"] else "–" for run in RUNS)]
        for one in found["networks"]
    ]
    return table(["ms", *RUNS], rows)


def runtimes() -> str:
    """Whole networks beside what else runs them, tuned without a rival's search."""
    found = load("runtimes")
    if not found:
        return "Not measured.\n"
    lines = found["networks"]
    rows = []
    for one in lines:
        runs, ours = one["runs"], one["runs"]["ours"]["latency"]
        beside = [f"{runs[run]['latency'] / ours:.2f}×" for run in OTHERS]
        took = (f"{one['programs']}", f"{one['seconds']['ours']:,.0f}")
        rows.append([_labelled(one), *took, *(_latency(runs[run]) for run in ("default", "ours", *OTHERS)), *beside])
    heads = ["ms", "programs", "seconds of search", "default", "ours", *OTHERS, *(f"{run} over ours" for run in OTHERS)]
    means = [
        [
            one["run"],
            f"{one['threads']}",
            f"{one['mean']:.2f} [{one['low']:.2f}, {one['high']:.2f}]",
            *(f"{one[part]}" for part in ("networks", "ahead")),
        ]
        for one in found["beside"]
        if one["networks"]
    ]
    ahead = ["geometric mean", "threads", "its latency over ours", "networks", "ours as fast or faster"]
    return table(heads, rows) + "\n" + table(ahead, means)


def searches(name: str) -> str:
    """What the searches over whole networks took, and what they found."""
    found = load(name)
    if not found:
        return "Not measured.\n"
    rows = []
    for one in found["networks"]:
        met = "never" if one["time ratio"] is None else f"{one['time ratio']:.1f}×"
        level, near, ratio = (one[part] for part in ("time to its end", "its own near ratio", "metaschedule over ours"))
        end = "never" if level is None else f"{level:.0f} s: {one['its end ratio']:.0f}×"
        its = "–" if near is None else f"{near:.0f}×"
        seconds = (f"{one['seconds'][part]:,.0f}" for part in ("static", "ours", "metaschedule"))
        early = (f"{one[f'{part} over ours at equal time']:.2f}×" for part in ("static", "metaschedule"))
        trials = f"{one['trials']['ours']} / {one['trials']['metaschedule']}"
        final = [f"{one['static over ours']:.2f}×", "–" if ratio is None else f"{ratio:.2f}×"]
        rows.append([_labelled(one), f"{one['programs']}", trials, *seconds, met, end, its, *final, *early])
    head = "network and threads, programs, trials a program: ours / MetaSchedule, seconds: static, ours, MetaSchedule"
    more = "time to ours, ours at its end, than it itself, latency: static over ours, MetaSchedule over ours"
    equal = "at equal time: static, MetaSchedule"
    return table(f"{head}, {more}, {equal}".split(", "), rows)


def winograd() -> str:
    """Convolutions of 3 x 3 both ways."""
    found = load("winograd")
    if not found:
        return "Not measured.\n"
    head = [
        "samples x side x channels, made",
        "sums of products, µs",
        "Winograd's, µs",
        "faster",
        "taken",
        "error, of a sum's",
    ]
    rows = []
    for line in found["convolutions"]:
        *data, made = line["shape"].split("x")
        ratio, errors = line["direct"] / line["winograd"], line["winograd off"] / line["direct off"]
        seconds = [f"{line[way] * 1e6:,.0f}" for way in ("direct", "winograd")]
        told = "yes" if line["told"] else "no"
        rows.append([f"{' x '.join(data)}, {made}", *seconds, f"{ratio:.2f}×", told, f"{errors:.1f}×"])
    mean = found["faster"]
    told = f"{mean['mean']:.2f}× [{mean['low']:.2f}, {mean['high']:.2f}]"
    return f"{table(head, rows)}\nGeometric mean of those that are taken: {told} as fast.\n"


def _labelled(one: dict[str, Any]) -> str:
    return f"{one['network']}, {one['threads']}"


def _latency(run: dict[str, Any]) -> str:
    ms = run["latency"] * 1e3
    return f"{ms:,.0f} ({run['spread']:.0%})" if ms >= 100 else f"{ms:.3g} ({run['spread']:.0%})"


def operators() -> str:
    """How near our kernels come to the vendor's library."""
    found = load("networks")
    if not found or not found["operators"]:
        return "Not measured.\n"
    head = ["operator", "threads", "the library's seconds over ours", "programs", "as fast or faster"]
    rows = [
        [row["operator"], f"{row['threads']}", _share(row), f"{row['programs']}", f"{row['faster']}"]
        for row in found["operators"]
    ]
    return f"{table(head, rows)}\nNot recognised: {len(found['not recognised'])} programs.\n"


def judge(name: str = "judge", counted: str = ", on each processor counted anew,") -> str:
    """What a cost model of schedules was trained on, and how it ranks."""
    card = json.loads((WEIGHTS / "scheduler" / f"{name}.json").read_text(encoding="utf-8"))
    learned, families, held = card["learned"], card["families"], card["validated with"]
    return (
        f"- Data: {card['kernels']:,} kernels of {learned} tensor programs{counted} of {len(families)} families:"
        f" {', '.join(families)}.\n"
        f"- Held out while these figures were taken: {', '.join(held)}; {card['programs']} programs whose kernels"
        f" differ.\n"
        f"- Rank correlation within a program, mean: {card['spearman']:.2f}. Share of the best kernel's speed: of the"
        f" one ranked first {card['first']:.2f}, of the mean one {card['mean']:.2f}.\n"
    )


def judge_of_processors() -> str:
    """With the operators that it has not seen."""
    unseen = json.loads((WEIGHTS / "scheduler" / "operators.json").read_text(encoding="utf-8"))["not seen"]
    return f"{judge()}- Operators of programs of `benchmarks/measured` that are not among them: {', '.join(unseen)}.\n"


def schedules() -> str:
    """What the network of schedules was trained on, and what it learned."""
    card = json.loads((WEIGHTS / "scheduler" / "network.json").read_text(encoding="utf-8"))
    return (
        f"- Trained on {'; then '.join(card.get('before', []))}; last on {card['sentences']:,} schedules of"
        f" {card['programs']} tensor programs of {len(card['families'])} families, {card['steps']:,} steps:"
        f" {', '.join(card['families'])}. All were graded by the cost model.\n"
        f"- {card['parameters'] / 1e6:.1f} million parameters.\n"
        f"- Held out: {', '.join(card['validated with'])}, {card['held programs']} programs: {card['nats']:.2f} nats a"
        f" schedule, where all that is legal is equally likely {card['uniform']:.2f}.\n"
    )


def stages() -> str:
    """What each stage of training teaches the network that writes schedules."""
    found = load("stages")
    if not found:
        return "Not measured.\n"
    head = ["network", "better than random, to the cost model", *(f"best of {at}" for at in ("1", "4", "16"))]
    rows = [
        [row["stage"], f"{row['outdone']:.0%}", *(_mean(row[at]) for at in ("1", "4", "16"))] for row in found["table"]
    ]
    return f"{table(head, rows)}\n{found['table'][0]['programs']} programs.\n"


def _mean(values: Sequence[float]) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*values)


def _share(row: dict[str, Any]) -> str:
    return _mean([row[name] for name in ("share", "low", "high")])


def _ratio(row: dict[str, Any]) -> str:
    return _mean([row[name] for name in ("ratio", "low", "high")])


def coreset() -> str:
    """Data, recipe and training gain of the coreset."""
    card = json.loads((WEIGHTS / "passes-coreset.json").read_text(encoding="utf-8"))
    recipe = ", ".join(f"{name} {value}" for name, value in card["recipe"].items())
    gains = [entry["gain"] for entry in card["entries"]]
    at = [n for n in (1, 5, 10, 20, 40) if n <= len(gains)]
    rows = [[f"{n}" for n in at], [f"{gains[n - 1]:.2%}" for n in at]]
    lines = [
        f"- Data: {card['modules']} modules of {len(card['projects'])} projects: {', '.join(card['projects'])}.",
        f"- Tool: {card['tool']}. Recipe: {recipe}.",
        f"- {card['metric'].capitalize()}:\n",
    ]
    return "\n".join(lines) + "\n" + table(["entries", *rows[0]], [["gain", *rows[1]]])


TABLES: dict[str, Callable[[], str]] = {
    "passes-text": lambda: passes("passes-x86_64", "text"),
    "passes-size": lambda: passes("passes-x86_64", "size"),
    "passes-large-text": lambda: passes("passes-x86_64-large", "text"),
    "passes-large-size": lambda: passes("passes-x86_64-large", "size"),
    "passes-aarch64-text": lambda: passes("passes-aarch64", "text"),
    "passes-aarch64-size": lambda: passes("passes-aarch64", "size"),
    "coreset": coreset,
    "projects": projects,
    "correctness": correctness,
    "speed": speed,
    "predictor-answers": lambda: predictor_speed("answers"),
    "predictor-batches": lambda: predictor_speed("batches"),
    "predictor-starts": lambda: predictor_speed("starts"),
    "predictor-regress-lm": lambda: predictor_speed("regress-lm"),
    "shipped": shipped,
    "coverage": coverage,
    "plain": plain,
    "packages": packages,
    "public": partial(packages, "public"),
    "inputs": partial(packages, "inputs"),
    "languages": partial(packages, "languages"),
    "predict": predict,
    "unseen": unseen,
    "tuning": lambda: tuning("tuning"),
    "tuning-zen5": lambda: tuning("tuning-zen5"),
    "tuning-beside": lambda: tuning_beside("tuning-zen5"),
    "tuning-thousand": lambda: tuning("tuning-thousand"),
    "tuning-two-thousand": lambda: tuning("tuning-two-thousand"),
    "tuning-two": lambda: tuning("tuning-two"),
    "tuning-two-zen4": lambda: tuning("tuning-two-zen4"),
    "tuning-zen3": lambda: tuning("tuning-zen3"),
    "tuning-gpu": lambda: tuning("tuning-gpu"),
    "measuring": measuring,
    "networks": networks,
    "runtimes": runtimes,
    "searches": lambda: searches("networks"),
    "searches-long": lambda: searches("networks-long"),
    "operators": operators,
    "winograd": winograd,
    "larger": larger,
    "onnx-operators": onnx_operators,
    "stages": stages,
    "judge": judge_of_processors,
    "judge-code": lambda: judge("judge-code", ""),
    "judge-cuda": lambda: judge("judge-cuda", ""),
    "schedules": schedules,
}


def filled(text: str) -> str:
    """A page with every block written anew."""
    return _BLOCK.sub(lambda match: match[1] + TABLES[match[2]]() + match[3], text)


def main() -> int:
    """Writes the pages; with `--check` says by its exit code whether they are up to date."""
    old = {page: page.read_text(encoding="utf-8") for page in PAGES}
    new = {page: filled(text) for page, text in old.items()}
    if "--check" in sys.argv:
        return int(old != new)
    for page, text in new.items():
        page.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
