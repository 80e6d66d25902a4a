"""A tensor program and its design spaces as compact canonical text: what a model reads.

    schedule latency, s
    llvm cores 1 vector 512 L1 32768 L2 1048576 L3 33554432          the hardware, never its name
    arg 0 float32 1 14 14 256                                         buffers: arguments, then temporaries
    temp 3 float32 1 16 16 256
    block 0 S1 S16 S16 S256: 3[a, b, c, d] = if_then_else(…)          axes are letters, names are gone
    block 1 S1 S14 S14 S256 R3 R3 R256 from 0.0: 2[a, b, c, d] = …
    space 0                                                           a trace, an instruction or two a line
    structure b1 SSRSRS
    loops b1 7
    cut l3 4 64                                                       SamplePerfectTile, then Split
    order                                                             Reorder as the structure says
    write b1 0 global at l39                                          CacheWrite, then ReverseComputeAt
    unroll b2 0 16 64 512                                             SampleCategorical, then Annotate
    place b0                                                          SampleComputeLocation, then ComputeAt
    fuse l11 l21 as threadIdx.x                                       for a GPU: Fuse, then Bind
    read b0 1 shared at l39                                           CacheRead, then ComputeAt
    fetch b46 1 2 3 4                                                 SampleCategorical, then Annotate
    space 1 14 of 0, then 4                                           as space 0, but for the lines that follow
    write b1 0 global at l38

Sizes are marked as numbers (`forerun.prompts.number`). Outputs of instructions are not written: they are numbered as
they come, as in TVM's own traces. What has no form here is written as TVM's JSON. `traces` reads the spaces back.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from forerun.prompts import number
from forerun.toolchains.tvm import target as targets
from forerun.toolchains.tvm.space import Program

Inst = list[Any]
"""An instruction as TVM's JSON has it: kind, inputs, attributes, outputs."""

_STRUCTURE, _UNROLL = "meta_schedule.tiling_structure", "meta_schedule.unroll_explicit"
_CACHED = {"write": ("CacheWrite", "ReverseComputeAt"), "read": ("CacheRead", "ComputeAt")}
"""Two instructions that a line says: what is kept nearer, and where."""
_PLAIN = {
    "Annotate": ("note", 1), "Unannotate": ("drop", 1), "RFactor": ("rfactor", 1), "Fuse": ("fuse", 0),
    "Bind": ("bind", 1), "Split": ("split", 0), "SetScope": ("scope", 2), "ComputeAt": ("compute", 0),
    "ReverseComputeAt": ("at", 0), "ComputeInline": ("inline", 0), "ReverseComputeInline": ("into", 0),
}  # fmt: skip
"""Instructions that are told by a word, what they are about, and so many of their attributes."""
_FETCH = "meta_schedule.cooperative_fetch"
_THREADS = tuple(f"meta_schedule.thread_extent_{end}_inclusive" for end in ("low", "high"))
_LOWEST = "-340282346638528859811704183484516925440.0"
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_BUFFER = re.compile(r"(\w+): T\.Buffer\(\(([^)]*)\)(?:, \"(\w+)\")?")
_TEMPORARY = re.compile(r"(\w+) = T\.sblock_alloc_buffer\(\(([^)]*)\)(?:, \"(\w+)\")?")
_LOOP = re.compile(r"for (.+) in (?:T\.grid|T\.serial|range)\((.*)\):")
_REMAP = re.compile(r"(.+) = T\.axis\.remap\(\"([SR]+)\", \[(.*)\]\)")
_AXIS = re.compile(r"(\w+) = T\.axis\.(spatial|reduce)\((\d+), (.*)\)")
_BLOCK = re.compile(r"with T\.sblock\(\"(.*)\"\):")
_WORD = re.compile(r"[A-Za-z_]\w*")
_TYPED = re.compile(r"T\.(?:float|int|uint|bfloat|bool)\w*\(([^()]*)\)")


def prompt(program: Program) -> str:
    """What a model reads before it writes decisions."""
    blocks, workload = described(program.module.script())
    hardware = re.sub(r"\b\d+", lambda found: _marked(found[0]), targets.described(program.source.target))
    lines = ["schedule latency, s", hardware, *workload]
    return "\n".join([*lines, *_spaces([insts(space.trace) for space in program.spaces], blocks)])


def insts(trace: Any) -> list[Inst]:
    """A trace's instructions as plain JSON, without post-processing."""
    found = trace.as_json(remove_postproc=True)[0]
    return json.loads(json.dumps(found, default=_plain))  # type: ignore[no-any-return]


def _plain(value: Any) -> Any:
    """TVM's numbers and strings."""
    return value.value if hasattr(value, "value") else str(value)


def traces(text: str, blocks: Sequence[str]) -> list[list[Inst]]:
    """The instructions of the design spaces of a prompt, with the program's names of blocks. Raises ValueError."""
    found: list[list[str]] = []
    ending: list[str] = []
    for line in text.split("\n"):
        if line.startswith("space "):
            if found:
                found[-1] += ending
            match = re.fullmatch(r"space \d+(?: (\d+) of (\d+), then (\d+))?", line)
            if not match:
                raise ValueError(f"not the head of a design space: {line!r}")
            kept, like, tail = (int(group or 0) for group in match.groups())
            before = found[like] if match[1] else []
            ending = before[len(before) - tail :]
            found.append(before[:kept])
        elif found:
            found[-1].append(line)
    return [_read(lines, blocks) for lines in [*found[:-1], *([[*found[-1], *ending]] if found else [])]]


def _marked(size: str) -> str:
    """A size in the numeric pieces that models read; the decisions repeat a tile's extent exactly."""
    return number(int(size))


def _spaces(spaces: Sequence[list[Inst]], blocks: Sequence[str]) -> Iterator[str]:
    """The first one in full, each other by what it has not in common with the one that it is most like."""
    earlier: list[list[str]] = []
    for place, lines in enumerate(_written(found, blocks) for found in spaces):
        common = [(*_common(lines, other), like) for like, other in enumerate(earlier)]
        kept, tail, like = max(common, key=lambda c: c[0] + c[1], default=(0, 0, 0))
        yield f"space {place} {kept} of {like}, then {tail}" if earlier else "space 0"
        yield from lines[kept : len(lines) - tail]
        earlier.append(lines)


def _common(lines: Sequence[str], others: Sequence[str]) -> tuple[int, int]:
    """How many lines two traces have in common at their beginnings, and at their ends."""
    most = min(len(lines), len(others))
    kept = next((i for i in range(most) if lines[i] != others[i]), most)
    return kept, next((i for i in range(most - kept) if lines[-1 - i] != others[-1 - i]), most - kept)


def described(script: str) -> tuple[list[str], list[str]]:
    """The names of a program's blocks in order, the root last; and its lines, from TVMScript.

    Buffers become numbers, axes letters; loops go, since axes have their extents.
    """
    reader = _Script()
    for line in script.splitlines():
        reader.read(_TYPED.sub(r"\1", line.strip()))
    return [*reader.blocks, "root"], reader.lines


@dataclass
class _Script:
    """What was read of a program, and of the block that is being read."""

    blocks: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    buffers: dict[str, str] = field(default_factory=dict)
    extents: dict[str, str] = field(default_factory=dict)
    axes: dict[str, str] = field(default_factory=dict)
    head: str = ""
    init: bool = False

    def read(self, line: str) -> None:
        """One line without indentation."""
        if loop := _LOOP.fullmatch(line):
            self.extents.update(zip(loop[1].split(", "), loop[2].split(", "), strict=False))
        elif block := _BLOCK.fullmatch(line):
            self.blocks.append(block[1])
            self.head, self.axes, self.init = f"block {len(self.blocks) - 1}", {}, False
        elif remap := _REMAP.fullmatch(line):
            for name, kind, loop_name in zip(remap[1].split(", "), remap[2], remap[3].split(", "), strict=True):
                self._axis(name, kind, self.extents[loop_name])
        elif axis := _AXIS.fullmatch(line):
            self._axis(axis[1], axis[2][0].upper(), axis[3])
        elif line == "with T.init():":
            self.init = True
        elif _BUFFER.search(line) or _TEMPORARY.search(line):
            for pattern, kind in ((_BUFFER, "arg"), (_TEMPORARY, "temp")):
                for name, shape, dtype in pattern.findall(line):
                    self.buffers[name] = str(len(self.buffers))
                    sizes = " ".join(_marked(size) for size in re.findall(r"\d+", shape))
                    self.lines.append(f"{kind} {self.buffers[name]} {dtype or 'float32'} {sizes}".strip())
        elif self.head and line and not line.startswith(("T.reads", "T.writes", "T.sblock_attr", "#")):
            self._said(_WORD.sub(self._renamed, line).replace("T.", "").replace(_LOWEST, "lowest"))

    def _axis(self, name: str, kind: str, extent: str) -> None:
        self.axes[name] = _LETTERS[len(self.axes)]
        self.head += f" {kind}{_marked(extent)}"

    def _renamed(self, word: re.Match[str]) -> str:
        return self.axes.get(word[0], self.buffers.get(word[0], word[0]))

    def _said(self, text: str) -> None:
        """A statement of the block, or of its init."""
        if self.init:
            self.head, self.init = f"{self.head} from {text.partition(' = ')[2]}", False
        else:
            self.lines.append(f"{self.head}: {text}")
            self.head = "and"


@dataclass
class _Names:
    """What is known while a trace is written or read: how many variables there are, and of the last tiling."""

    blocks: Sequence[str]
    count: int = 0
    structure: str = ""
    cuts: list[list[str]] = field(default_factory=list)

    def fresh(self, kinds: str) -> list[str]:
        """The names of an instruction's outputs, from the first letters of their kinds."""
        names = [f"{kind}{self.count + i}" for i, kind in enumerate(kinds)]
        self.count += len(kinds)
        return names

    def order(self) -> list[str]:
        """The loops of the last cuts as the structure has them."""
        spatial = self.structure.count("S")
        taken = {"S": 0, "R": 0}
        found: list[str] = []
        for kind in self.structure:
            mine = [cut for cut in self.cuts if (len(cut) == spatial) == (kind == "S")]
            found += [cut[taken[kind]] for cut in mine if taken[kind] < len(cut)]
            taken[kind] += 1
        return found


def _written(found: Sequence[Inst], blocks: Sequence[str]) -> list[str]:
    """An instruction a line, or two that belong together."""
    names, lines, at = _Names(blocks), list[str](), 0
    while at < len(found):
        for line, used in _forms(found, at, blocks):
            again = replace(names, cuts=list(names.cuts))
            with suppress(ValueError, IndexError):
                if list(_instructions(line, again)) == found[at : at + used]:
                    break
        lines.append(line)
        names, at = again, at + used
    return lines


def _forms(found: Sequence[Inst], at: int, blocks: Sequence[str]) -> Iterator[tuple[str, int]]:
    """Lines that may say what comes next, and how many instructions that is; the last one always does."""
    kind, inputs, attrs, outputs = found[at]
    then = found[at + 1] if at + 1 < len(found) else ["", [], [], []]
    words = " ".join(str(each).replace(" ", "") for each in inputs)
    if kind == "SamplePerfectTile" and then[0] == "Split":
        yield f"cut {words} {attrs[0]} {attrs[1]}", 2
    elif kind == "SampleCategorical" and then[0] == "Annotate":
        form = "fetch" if then[2] == [_FETCH] else "unroll"
        yield f"{form} {then[1][0]} {' '.join(map(str, attrs[0]))}", 2
    elif kind == "SampleCategorical":
        yield f"choose {' '.join(map(str, attrs[0]))}", 1
    elif kind == "SampleComputeLocation" and then[0] == "ComputeAt":
        yield f"place {words}", 2
    elif form := next((form for form, both in _CACHED.items() if both == (kind, then[0])), ""):
        yield f"{form} {inputs[0]} {attrs[0]} {attrs[1]} at {then[1][1]}", 2
    elif kind == "Annotate" and attrs == [_THREADS[0]] and then[0] == "Annotate":
        yield f"threads {words} {then[1][1]}", 2
    elif kind == "Fuse" and then[0] == "Bind":
        yield f"fuse {words} as {then[2][0]}", 2
    elif kind == "GetSBlock":
        yield f"block {blocks.index(attrs[0])}", 1
    elif kind == "GetLoops":
        yield f"loops {words} {len(outputs)}", 1
    elif kind == "Annotate" and attrs == [_STRUCTURE]:
        yield f"structure {inputs[0]} {str(inputs[1]).strip(chr(34))}", 1
    elif kind == "Reorder":
        yield "order", 1
    elif kind in _PLAIN:
        form, told = _PLAIN[kind]
        yield " ".join([form, words, *map(str, attrs[:told])]), 1
    elif kind in ("GetProducers", "GetConsumers"):
        yield f"{kind[3:].lower()} {words} {len(outputs)}", 1
    yield "! " + json.dumps(found[at], separators=(",", ":")), 1


def _instructions(line: str, names: _Names) -> Iterator[Inst]:
    """What a line says. Raises ValueError."""
    form, *words = line.split(" ")
    fresh = names.fresh
    if form == "!":
        inst = json.loads(line[2:])
        fresh("?" * len(inst[3]))
        yield inst
    elif form == "block":
        yield ["GetSBlock", [], [names.blocks[int(words[0])], "main"], fresh("b")]
    elif form == "loops":
        names.cuts = []
        yield ["GetLoops", [words[0]], [], fresh("l" * int(words[1]))]
    elif form == "structure":
        names.structure = words[1]
        yield ["Annotate", [words[0], f'"{words[1]}"'], [_STRUCTURE], []]
    elif form == "note":
        yield ["Annotate", [words[0], _value(words[1])], [words[2]], []]
    elif form == "drop":
        yield ["Unannotate", [words[0]], [words[1]], []]
    elif form == "cut":
        parts, limit = int(words[1]), int(words[2])
        factors = fresh("v" * parts)
        yield ["SamplePerfectTile", [words[0]], [parts, limit], factors]
        loops = fresh("l" * parts)
        names.cuts.append(loops)
        yield ["Split", [words[0], *factors], [True, False], loops]
    elif form == "order":
        yield ["Reorder", names.order(), [], []]
    elif form in _CACHED:
        kind, place = _CACHED[form]
        made, read = fresh("b"), [words[0]] if form == "read" else []
        yield [kind, [words[0], read], [int(words[1]), words[2]], made]
        yield [place, [made[0], words[4]], [True, -1], []]
    elif form in ("at", "compute"):
        yield ["ComputeAt" if form == "compute" else "ReverseComputeAt", words, [True, -1], []]
    elif form in ("unroll", "fetch", "choose"):
        options = list(map(int, words[form != "choose" :]))
        chosen = fresh("v")
        yield ["SampleCategorical", [], [options, [1 / len(options)] * len(options)], chosen]
        if form != "choose":
            yield ["Annotate", [words[0], *chosen], [_UNROLL if form == "unroll" else _FETCH], []]
    elif form == "threads":
        yield from (
            ["Annotate", [words[0], int(word)], [key], []] for word, key in zip(words[1:], _THREADS, strict=True)
        )
    elif form == "bind":
        yield ["Bind", [words[0]], [words[1]], []]
    elif form == "split":
        yield ["Split", words, [True, False], fresh("l" * (len(words) - 1))]
    elif form == "scope":
        yield ["SetScope", [words[0]], [int(words[1]), words[2]], []]
    elif form == "place":
        loop = fresh("l")
        yield ["SampleComputeLocation", words, [], loop]
        yield ["ComputeAt", [*words, *loop], [True, -1], []]
    elif form == "rfactor":
        yield ["RFactor", [words[0]], [int(words[1])], fresh("b")]
    elif form == "fuse":
        bound, made = words[-1] if "as" in words else "", fresh("l")
        yield ["Fuse", words[:-2] if bound else words, [True], made]
        if bound:
            yield ["Bind", made, [bound], []]
    elif form in ("inline", "into"):
        yield ["ComputeInline" if form == "inline" else "ReverseComputeInline", words, [], []]
    elif form in ("producers", "consumers"):
        yield [f"Get{form.capitalize()}", [words[0]], [], fresh("b" * int(words[1]))]
    else:
        raise ValueError(f"not a line of a trace: {line!r}")


def _value(word: str) -> int | str | list[int]:
    if word.startswith("["):
        return list(map(int, word[1:-1].split(",")))
    return int(word) if word.lstrip("-").isdigit() else word


def _read(lines: Sequence[str], blocks: Sequence[str]) -> list[Inst]:
    names = _Names(blocks)
    return [inst for line in lines for inst in _instructions(line, names)]
