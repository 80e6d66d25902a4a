"""Schedules that nobody measured, with the seconds that the cost model believes: a network learns from them too.

Measured kernels are few, and what tells a good one from a bad one drowns in what is random about both. A cost model
that has seen the program's own measurements looks at hundreds of schedules in the time of a few runs, and finds good
ones; the network learns to write them at once, and for programs that nobody has measured.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace

from forerun.grammars.decisions import Decisions
from forerun.models._judge import REFUSED, Judge
from forerun.models.scheduler import bred
from forerun.tables.schedules import Sentence, Sentences, sentence

ORIGIN = "believed"


def drafted(found: Sentences, judge: Judge, n: int, seed: int) -> Sentences:
    """The program with further sentences: `n` random ones and what mutations make of the most promising.

    Same arguments, same sentences. Raises InputError, ToolMissing.
    """
    return replace(found, sentences=(*found.sentences, *_believed(found, judge, n, seed)))


def _believed(found: Sentences, judge: Judge, n: int, seed: int) -> Iterator[Sentence]:
    program = found.program()
    grammar = Decisions(program)
    measured = {one.plan: one.seconds or math.inf for one in found.sentences if one.measured}
    fresh = dict.fromkeys(plan for plan in program.random(n, seed) if plan not in measured)
    plans = bred(judge, program, list(fresh), n, random.Random(seed), measured)
    # The cost model speaks of shares of the best kernel's speed, and carefully: its best one is as fast as the fastest.
    thoughts = judge.believed(program, [*plans, *measured], measured).mean
    fastest = min(measured.values(), default=math.inf)
    fastest = (fastest if math.isfinite(fastest) else found.default or 1.0) * math.exp(thoughts.max(initial=REFUSED))
    for plan, thought in zip(plans, thoughts, strict=False):
        if thought > REFUSED:
            yield sentence(grammar, plan, fastest * math.exp(-thought), False, ORIGIN)
