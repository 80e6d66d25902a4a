"""`GroupQueryAttention` of onnxruntime's own operators: several heads of queries share one of keys and values, which
are kept in a buffer, each text with a length of its own.

https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.GroupQueryAttention
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from forerun.toolchains.onnx.attended import LEAST, by_heads, hidden
from forerun.toolchains.onnx.facts import Given
from forerun.toolchains.onnx.fused import OPEN, widened
from forerun.toolchains.onnx.written import Written

_PAST, _LENGTHS, _TOTAL, _COSINES, _SINES, _PLACES, _ADDED, _SINK = 3, 5, 6, 7, 8, 9, 10, 11
"""Where its inputs are: behind queries, keys and values come those of the past, then lengths of texts less one."""


def _grouped(given: Given, written: Written) -> bool | str:
    """All of it, written."""
    told, shape, total = given.told, given.shape(0), given.constant(_TOTAL)
    if given.output(3) or given.input(12) or given.input(13):
        return "scores as outputs, and past values in few bits, are not known: export it without"
    if given.dtype(0) != np.float32:
        return OPEN if given.dtype(0) is None else "it is known for float32 and float16"
    past = given.shape(_PAST) if given.input(_PAST) else [0] * 4
    if shape is None or past is None or (given.input(_COSINES) and given.shape(_COSINES) is None):
        return OPEN
    if total is None:
        return "its total_sequence_length is known only when it runs: give sizes to all inputs, or make it a constant"
    heads, fewer = told["num_heads"], told["kv_num_heads"]
    size = shape[2] // (heads if given.input(1) else heads + 2 * fewer)
    made = _Grouped(given, written, shape[0], shape[1], past[2], int(total.reshape(())), heads, fewer, size)
    if made.steps not in (1, made.total) and made.batch > 1:
        return "several steps behind what is past are known for one text alone"
    made.write()
    return True


@dataclass(frozen=True)
class _Grouped:
    """Its sizes: texts, steps of queries, those of the past's buffer, all there are with the new ones, heads of
    queries and of keys, and the size of a head."""

    given: Given
    written: Written
    batch: int
    steps: int
    before: int
    total: int
    heads: int
    fewer: int
    size: int

    @property
    def room(self) -> int:
        """Steps of the buffer that it gives."""
        return max(self.total, self.before)

    @cached_property
    def past(self) -> str:
        """How many steps of each text's buffer are filled, `[batch, 1, 1, 1]`; none where all steps are new."""
        if self.steps == self.total:
            return self._number(np.zeros((1, 1, 1, 1), np.int64))
        return self.written.node("Add", self.last, self._number(1 - self.steps))

    @cached_property
    def last(self) -> str:
        """The place of each text's last step, `[batch, 1, 1, 1]`."""
        lengths = self.written.node("Cast", self.given.input(_LENGTHS), to=7)
        return self.written.shaped(lengths, [self.batch, 1, 1, 1])

    def write(self) -> None:
        """The result, and the buffers."""
        written, told = self.written, self.given.told
        query, key, value = self._parts()
        if told.get("do_rotary"):
            query, key = (self._turned(each) for each in (query, key))
        key, value = (self._kept(each, place) for each, place in ((key, 0), (value, 1)))
        rows = [self.batch, self.fewer, -1, self.size]
        keys = written.node("Transpose", key, perm=[0, 1, 3, 2])
        scores = written.node("MatMul", written.shaped(query, rows), keys)
        scale = told.get("scale", 0.0) or 1 / math.sqrt(self.size)
        scores = written.node("Mul", scores, written.constant(np.float32(scale)))
        lying = written.shaped(scores, [self.batch, self.heads, self.steps, self.room])
        shares = written.shaped(self._shares(lying), [self.batch, self.fewer, -1, self.room])
        found = written.shaped(written.node("MatMul", shares, value), [self.batch, self.heads, self.steps, self.size])
        found = written.node("Transpose", found, perm=[0, 2, 1, 3])
        written.shaped(found, [self.batch, self.steps, -1], output=self.given.output(0))

    def _number(self, value: Any) -> str:
        return self.written.constant(np.asarray(value, np.int64))

    def _parts(self) -> Sequence[str]:
        """Queries, keys and values by heads, which may lie in one input."""
        written, given = self.written, self.given
        if given.input(1):
            heads = (self.heads, self.fewer, self.fewer)
            return [by_heads(written, given.input(place), each) for place, each in enumerate(heads)]
        whole, ends = by_heads(written, given.input(0), self.heads + 2 * self.fewer), [0, self.heads]
        ends += [self.heads + self.fewer, self.heads + 2 * self.fewer]
        return [written.slice(whole, 1, *ends[place : place + 2]) for place in range(3)]

    def _turned(self, value: str) -> str:
        """Rotated by the places of its steps."""
        given, written = self.given, self.written
        where = given.input(_PLACES)
        if not where:
            steps = written.shaped(self.past, [-1, 1])
            where = written.node("Add", steps, self._number(np.arange(self.steps)[None]))
            if self.steps == self.total:
                where = written.node("Expand", where, self._number([self.batch, self.steps]))
        told = {"interleaved": given.told.get("rotary_interleaved", 0)}
        turned = 2 * (given.shape(_COSINES) or ())[1]
        told |= {"rotary_embedding_dim": turned} if turned < self.size else {}
        angles = (given.input(_COSINES), given.input(_SINES))
        return written.node("RotaryEmbedding", value, where, *angles, domain="com.microsoft", **told)

    def _kept(self, new: str, place: int) -> str:
        """The buffer with new keys or values behind those of the past; zeros are where nothing is yet."""
        written, past, output = self.written, self.given.input(_PAST + place), self.given.output(1 + place)
        if self.steps == self.total:
            made = self._padded(new, self.steps)
        elif self.steps == 1:
            at = self._number(np.arange(self.room).reshape(-1, 1))
            nothing, old = written.constant(np.float32(0)), self._padded(past, self.before)
            made = written.node("Where", written.node("Equal", at, self.past), new, nothing)
            made = written.node("Where", written.node("Less", at, self.past), old, made)
        else:
            made = self._behind(past, new)
        return written.node("Identity", made, output=output) if output else made

    def _behind(self, past: str, new: str) -> str:
        """Of one text: several steps behind as many as are filled."""
        written = self.written
        at, filled = self._number(np.arange(self.room)), written.shaped(self.past, [1])
        there, whole = (written.node("Add", filled, self._number(each)) for each in (-self.before, self.steps))
        source = written.node("Where", written.node("Less", at, filled), at, written.node("Sub", at, there))
        source = written.node("Min", source, self._number(self.before + self.steps - 1))
        joined = written.node("Concat", past, new, axis=2) if past else new
        found = written.node("Gather", joined, source, axis=2)
        inside = written.shaped(written.node("Less", at, whole), [-1, 1])
        return written.node("Where", inside, found, written.constant(np.float32(0)))

    def _padded(self, value: str, steps: int) -> str:
        """With zeros up to the end of the buffer."""
        if not steps:
            return self.written.constant(np.float32(0))
        if steps == self.room:
            return value
        zeros = np.zeros((self.batch, self.fewer, self.room - steps, self.size), np.float32)
        return self.written.node("Concat", value, self.written.constant(zeros), axis=2)

    def _shares(self, scores: str) -> str:
        """What each step takes of each value that it may see: none of those behind it, or of those too far before."""
        given, written, told = self.given, self.written, self.given.told
        if cap := told.get("softcap", 0.0):
            bent = written.node("Tanh", written.node("Mul", scores, written.constant(np.float32(1 / cap))))
            scores = written.node("Mul", bent, written.constant(np.float32(cap)))
        if added := given.input(_ADDED):
            wide = [(0, 0)] * 3 + [(0, self.room - self.total)]
            ends = self._number(np.array(wide).T.ravel())
            scores = written.node("Add", scores, written.node("Pad", added, ends) if self.room > self.total else added)
        seen = self._seen()
        scores = written.node("Add", scores, hidden(written, seen, LEAST))
        if given.input(_SINK) or told.get("smooth_softmax"):
            return self._beside(scores)
        shares = written.node("Softmax", scores, axis=-1)
        if self.steps < self.total or told.get("local_window_size", -1) <= 0:
            return shares
        return written.node("Mul", shares, written.node("Cast", seen, to=1))  # behind its end a text may see nothing

    def _seen(self) -> str:
        """Which steps of the buffer each step may see."""
        written, window = self.written, self.given.told.get("local_window_size", -1)
        own = written.node("Add", self.past, self._number(np.arange(self.steps).reshape(-1, 1)))
        place = self._number(np.arange(self.room))
        end = written.node("Min", own, self.last) if self.steps == self.total else own
        seen = written.node("Not", written.node("Greater", place, end))
        if window <= 0:
            return seen
        first = written.node("Sub", own, self._number(window))
        return written.node("And", seen, written.node("Greater", place, first))

    def _beside(self, scores: str) -> str:
        """Shares beside that of nothing, whose score is of each head."""
        given, written = self.given, self.written
        sink = given.input(_SINK) or written.constant(np.zeros(self.heads, np.float32))
        lying = written.shaped(sink, [1, self.heads, 1, 1])
        column = written.node("Expand", lying, self._number([self.batch, self.heads, self.steps, 1]))
        shares = written.node("Softmax", written.node("Concat", scores, column, axis=3), axis=-1)
        return written.slice(shares, 3, 0, self.room)


RULES: Mapping[str, Any] = {"com.microsoft.GroupQueryAttention": widened(_grouped)}
