"""What a user should know of how an answer came about: a machine that was busy, what nobody can tell, what failed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from forerun.core import Model
from forerun.models.scheduler import Scheduler
from forerun.stats import median, quantile
from forerun.tasks.schedule import AGAIN
from forerun.toolchains.tvm import network
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.device import Place
from forerun.tuning.answers import Tuned
from forerun.tuning.dealing import Hand

BUSY = 0.15
"""Samples of one kernel on an idle machine spread by less."""
_BUSY_WHOLE = 3.0
"""Times that for runs of a whole network, which are longer and of several threads."""
_WAITED = 0.1
"""Of the time of a comparison or a kernel: on an idle machine others have the processor for less than a hundredth."""
_TOGETHER = 1.5
"""Kernels, timed one at a time, take less than this times the network that they make up."""
_BESIDE = 1.5
"""A tuned network takes less than this times its kernels, unless these are short or its weights fit into no cache."""
_NAMED = 3
"""Programs that are named, at most."""
_ANEW = "measure again when it is idle, into another store: FORERUN_CACHE=DIR"


def unsure(comparison: network.Comparison | None) -> list[str]:
    """Where the tuned network takes longer than TVM's default, though each of its kernels took less alone; or its runs
    spread so far that nobody can tell."""
    timings = comparison.timings if comparison else {}
    if network.TUNED not in timings or timings[network.TUNED] == timings[network.DEFAULT]:
        return []
    before, after = (timings[name].median_s for name in (network.DEFAULT, network.TUNED))
    spread = max(timings[name].spread for name in (network.TUNED, network.DEFAULT))
    if quantile(timings[network.TUNED].seconds, 0.75) < (1 - AGAIN) * min(timings[network.DEFAULT].seconds):
        return []  # noise only ever adds
    if abs(before - after) <= AGAIN * before and spread <= AGAIN:
        return [
            f"the tuned network is as fast as TVM's default, within {AGAIN:.0%}: it took {after / before:.2f} times as"
            f" long, and runs spread by {spread:.0%}"
        ]
    if abs(before - after) <= max(spread, AGAIN) * before:
        return [
            f"whether the tuned network is faster than TVM's default nobody can tell: it took {after / before:.2f}"
            f" times as long, and runs spread by {spread:.0%}. Tune again when the machine is idle"
        ]
    if after < before:
        return []
    return [
        f"the tuned network took {after / before:.2f} times as long as TVM's default, which had no need of tuning:"
        f" their runs spread by {spread:.0%}. Keep the default, or tune again when the machine is idle"
    ]


def beside(tuned: Tuned) -> list[str]:
    """Where much of the tuned network's time is none of its kernels', what it is."""
    together, others = tuned.after_s, tuned.left_out
    whole = tuned.comparison.timings[network.TUNED].median_s if tuned.comparison else 0.0
    if whole <= _BESIDE * together or (tuned.comparison and tuned.comparison.waited > _WAITED):
        return []
    untuned = f"programs that were not tuned ({len(others)}), " if others else ""
    return [
        f"the kernels, timed one at a time, take {together / whole:.0%} of the tuned network's time; the rest is"
        f" {untuned}data that comes from memory where a kernel alone finds it in a cache, and TVM's calls"
    ]


def untried(hands: Sequence[Hand], trials: int, proposer: Model) -> list[str]:
    """Why fewer candidates were measured than there were to be."""
    done, dry = sum(len(hand.search.trials) for hand in hands), [hand.program.name for hand in hands if hand.search.dry]
    if done >= trials or not dry:
        return []
    names = ", ".join(dry[:_NAMED]) + (f" and {len(dry) - _NAMED} more" if len(dry) > _NAMED else "")
    return [f"{done} of {trials} candidates were measured: {proposer.name} has no others for {names}"]


def on_hands(hands: Sequence[Hand], proposer: Model, place: Place, comparison: network.Comparison | None) -> list[str]:
    """What was measured on a busy machine, programs of which every candidate failed, spaces that have no more."""
    kind = str(targets.made(place.target).kind.name)
    said = []
    if isinstance(proposer, Scheduler) and not proposer.ranks(kind):
        said.append(f"{proposer.name} has no cost model for {kind}: its candidates are not ranked")
    return [*said, *_busy(hands, comparison), *(_compared(comparison) if comparison else ()), *_found(hands)]


def _busy(hands: Sequence[Hand], comparison: network.Comparison | None) -> Iterator[str]:
    measured = [hand.search.baseline.measurement.values for hand in hands]
    spreads = [values["latency_spread"] for values in measured if values.get("samples", 0) >= 3]
    if spreads and (spread := median(spreads)) > BUSY:
        yield (
            f"the machine is busy: samples of one kernel spread by {spread:.0%} of their median, over {BUSY:.0%}:"
            f" {_ANEW}"
        )
    waits = [values["waited"] for values in measured if "waited" in values]
    if waits and (waited := median(waits)) > _WAITED:
        when = " when an earlier call measured some of them" if any(hand.search.remembered for hand in hands) else ""
        yield f"the machine is busy: others had the processor for {waited:.0%} of the time of kernels{when}: {_ANEW}"
    default = comparison.timings[network.DEFAULT].median_s if comparison else math.inf
    together = sum(hand.program.weight * hand.before_s for hand in hands)
    if together <= _TOGETHER * default:
        return
    times = f"together they take {together / default:,.1f} times as long as the network that is made of them"
    if comparison and comparison.branches:
        yield (
            "the network has branches, and the run that was compared takes one of them: kernels of the others are timed"
            f" and tuned too, {times}; what they gain shows in runs that take them"
        )
    else:
        yield (
            f"the machine was busy when the defaults were measured: {times}, so the gains of kernels are too large:"
            f" {_ANEW}"
        )


def _compared(comparison: network.Comparison) -> Iterator[str]:
    spreads = {name: timing.spread for name, timing in comparison.timings.items()}
    widest = max(spreads, key=spreads.__getitem__)
    if spreads[widest] > _BUSY_WHOLE * BUSY:
        yield (
            f"the machine is busy: runs of the whole network ({widest}) spread by {spreads[widest]:.0%} of their"
            f" median, over {_BUSY_WHOLE * BUSY:.0%}: measure again when it is idle"
        )
    if comparison.waited > _WAITED:
        yield (
            f"the machine is busy: others had the processor for {comparison.waited:.0%} of the time in which whole"
            " networks were compared: measure again when it is idle"
        )
    threads = comparison.threads
    if others := [name for name, own in threads.items() if own == 1 < threads[network.TUNED]]:
        yield f"{' and '.join(others)} took less on one thread: so may this network, tuned with --target llvm:1"
    for name, why in comparison.missing.items():
        yield f"{name} is not timed beside it: {why}"
    if comparison.unknown:
        told = ", ".join(map(str, comparison.unknown))
        yield f"no finite number is in the network's output {told}: nobody could tell whether it is right"


def _found(hands: Sequence[Hand]) -> Iterator[str]:
    for hand in hands:
        if hand.search.stopped:
            told = f"its default was stopped after {hand.before_s:g} s, which stand for it: it gains more"
            yield f"{hand.program.name}: {told}"
    if found := sum(hand.search.inherited for hand in hands):
        what = "a kernel is" if found == 1 else f"{found} kernels are"
        yield f"{what} of an earlier call, which found a faster one than this one's candidates"
    for hand in hands:
        errors = [trial.measurement.error for trial in hand.search.trials if not trial.measurement.ok]
        if errors and len(errors) == len(hand.search.trials):
            yield f"{hand.program.name}: all {len(errors)} candidates failed, the first because {errors[0]}"
