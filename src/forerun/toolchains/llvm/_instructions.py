"""One line of LLVM IR at a time: what an instruction computes or does, and of what.

The LLVM Language Reference Manual has the syntax: https://llvm.org/docs/LangRef.html. What is cut short or no IR at all
is read as something; nothing raises, and time is linear in the line.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

Written = int | str
"""An operand as it is written: an integer, or `%x`, `@x`, `UNDEF` or the text of any other constant."""
UNDEF = "undef"
"""What may be any value; poison is taken for it, too."""

BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
CASTS = frozenset(
    "zext sext trunc bitcast ptrtoint inttoptr sitofp uitofp fptosi fptoui fpext fptrunc addrspacecast".split()
)

NAME = r"[-\w$.]++"
"""The pattern of a name, once none is in quotes."""
CALLED = re.compile(rf"([@%]{NAME})\(", re.ASCII)
"""The pattern of a function's name in front of its parameters or arguments."""
_ASSIGNED = re.compile(rf"(%{NAME}) = ", re.ASCII)
_LABEL = re.compile(rf"label (%{NAME})", re.ASCII)
_CASE = re.compile(rf"    i[0-9]+ (-?[0-9]{{1,40}}), label (%{NAME})", re.ASCII)
_LOCAL = re.compile(rf"%{NAME}", re.ASCII)
_NAMED = re.compile(rf"[%@]{NAME}", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_GROUP = re.compile(r" #([0-9]++)", re.ASCII)
_FLAGS = re.compile(
    r"(?:(?:nuw|nsw|exact|disjoint|nneg|samesign|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|inbounds|nusw"
    r"|inrange\([^()\n]*+\)|atomic|volatile) )*+"
)
_STRING = re.compile(r'"([^"\n]*+)"')
_NESTING = re.compile(r'[\[({<"]')
_MARK = re.compile(r'"[^"\n]*+"|[\[\](){}<>,]')
_OPENING, _CLOSING = frozenset("[({<"), frozenset("])}>")
_CONSTANTS: dict[str, Written] = {
    "true": 1, "false": 0, "null": 0, "zeroinitializer": 0, "none": 0, "undef": UNDEF, "poison": UNDEF, "": UNDEF,
}  # fmt: skip
_TAIL_MARKS = ("tail", "musttail", "notail")


@dataclass(slots=True)
class Instruction:
    """One instruction."""

    name: str
    """The local name that it defines; "" for none."""
    op: str
    type: str = ""
    """Of what is computed, loaded, stored, compared, switched on or returned; of a call all in front of the callee, of
    assembly its text; of an address what its first index steps over."""
    args: tuple[Written, ...] = ()
    detail: str = ""
    """A comparison's predicate, a cast's source type, a call's callee (`%` of an indirect one, whose last argument it
    is; `asm`), an access's type for alias analysis; of rarer ones the text."""
    labels: list[str] = field(default_factory=list)
    """Blocks that it goes to, a switch's default first; of a phi where each value comes from."""
    cases: list[int] = field(default_factory=list)
    """The values of a switch, one for each label but the first."""
    volatile: bool = False
    """Or atomic: it happens as often as it is written."""
    group: str = ""
    """Attributes of a call."""


def type_end(text: str, start: int = 0) -> int:
    """Where the type ends that begins at `start`."""
    deep = 0
    if text[start : start + 1] not in _OPENING:
        ends = [at for at in (text.find(" ", start), text.find(",", start)) if at >= 0]
        return min(ends, default=len(text))
    for found in _MARK.finditer(text, start):
        deep += (found[0] in _OPENING) - (found[0] in _CLOSING)
        if deep == 0:
            return found.end()
    return len(text)


def pieces(text: str) -> list[str]:
    """What stands between the commas that are in no brackets."""
    if _NESTING.search(text) is None:
        return text.split(", ") if text else []
    found, deep, start = [], 0, 0
    for mark in _MARK.finditer(text):
        if mark[0] == ",":
            if deep == 0:
                found.append(text[start : mark.start()].strip())
                start = mark.end()
        else:
            deep += (mark[0] in _OPENING) - (mark[0] in _CLOSING)
    last = text[start:].strip()
    return [*found, last] if last else found


def closing(text: str, start: int) -> int:
    """Where the parenthesis closes that stands in front of `start`."""
    deep = 1
    for found in _MARK.finditer(text, start):
        deep += (found[0] == "(") - (found[0] == ")")
        if deep == 0:
            return found.start()
    return len(text)


def group(line: str, start: int) -> str:
    """The number of the group of attributes that is named from `start` on; "" for none."""
    found = _GROUP.search(line, start)
    return found[1] if found else ""


def locals_of(operand: Written) -> list[str]:
    """The local names in an operand."""
    return _LOCAL.findall(operand) if isinstance(operand, str) else []


def go_on(last: Instruction, line: str) -> None:
    """Adds what a further line of an instruction says: a switch's case, or where an invoke goes."""
    if last.op == "switch":
        if case := _CASE.match(line):
            last.cases.append(int(case[1]))
            last.labels.append(case[2])
    elif last.op == "call":
        last.labels += _LABEL.findall(line)


def instruction(line: str) -> Instruction:
    """The instruction that stands in a line; front ends write many lines again in every function."""
    found = _instruction(line)
    return Instruction(
        found.name, found.op, found.type, found.args, found.detail, [*found.labels], [*found.cases], found.volatile,
        found.group,
    )  # fmt: skip


@lru_cache(maxsize=1 << 14)
def _instruction(line: str) -> Instruction:
    name = ""
    if assigned := _ASSIGNED.match(line):
        name, line = assigned[1], line[assigned.end() :]
    op, _, rest = line.partition(" ")
    if op in _TAIL_MARKS:
        op, _, rest = rest.partition(" ")
    rest, _, metadata = rest.partition(", !")
    if reader := _READERS.get(op):
        found = reader(op, rest)
        if op in ("load", "store") and metadata.startswith("tbaa "):
            found.detail = metadata[5:].partition(",")[0]
    else:
        found = Instruction("", op, "", tuple(_LOCAL.findall(rest)), _LOCAL.sub("%", rest), _LABEL.findall(rest))
    found.name = name
    return found


def _constant(word: str) -> Written:
    if word[:1] == "%":
        return word
    known = _CONSTANTS.get(word)
    if known is not None:
        return known
    return int(word) if _INTEGER.fullmatch(word) else word


def _operand(text: str) -> Written:
    """The value behind a type and attributes."""
    if text[-1:] in (")", "}", "]", ">", '"'):
        return text
    return _constant(text.rpartition(" ")[2])


def _typed(text: str) -> tuple[str, Written]:
    """A type and the value behind it."""
    end = type_end(text)
    return text[:end], _operand(text[end:].strip())


def _pointer(text: str, volatile: bool) -> Written:
    """Where an access goes; an atomic one has words behind it."""
    if volatile and (found := _NAMED.search(text)):
        return found[0]
    return _operand(text)


def _unflagged(rest: str) -> str:
    return _FLAGS.sub("", rest, count=1)


def _access(op: str, rest: str) -> Instruction:
    parts = pieces(_unflagged(rest))
    volatile = rest.startswith(("volatile ", "atomic "))
    pointer = _pointer(parts[1], volatile) if len(parts) > 1 else UNDEF
    if op == "load":
        return Instruction("", op, parts[0] if parts else "", (pointer,), volatile=volatile)
    type_, value = _typed(parts[0]) if parts else ("", UNDEF)
    return Instruction("", op, type_, (value, pointer), volatile=volatile)


def _address(op: str, rest: str) -> Instruction:
    parts = pieces(_unflagged(rest))
    return Instruction("", op, parts[0] if parts else "", tuple(map(_operand, parts[1:])) or (UNDEF,))


def _binary(op: str, rest: str) -> Instruction:
    parts = pieces(_unflagged(rest))
    type_, first = _typed(parts[0]) if parts else ("", UNDEF)
    return Instruction("", op, type_, (first, _operand(parts[1]) if len(parts) > 1 else UNDEF))


def _comparison(op: str, rest: str) -> Instruction:
    predicate, _, operands = _unflagged(rest).partition(" ")
    found = _binary(op, operands)
    found.detail = predicate
    return found


def _cast(op: str, rest: str) -> Instruction:
    left, _, to = _unflagged(rest).rpartition(" to ")
    source, value = _typed(left)
    return Instruction("", op, to, (value,), source)


def _select(op: str, rest: str) -> Instruction:
    parts = pieces(_unflagged(rest))
    type_ = parts[1][: type_end(parts[1])] if len(parts) > 1 else ""
    return Instruction("", op, type_, (*map(_operand, parts), UNDEF, UNDEF, UNDEF)[:3])


def _phi(op: str, rest: str) -> Instruction:
    rest = _unflagged(rest)
    start = type_end(rest)
    pairs = [piece[1:-1].strip().rpartition(", ") for piece in pieces(rest[start:].strip())]
    values = tuple(_operand(value) for value, _, _ in pairs)
    return Instruction("", op, rest[:start], values, labels=[label for _, _, label in pairs])


def _alloca(op: str, rest: str) -> Instruction:
    parts = pieces(rest)
    counts = tuple(_operand(part) for part in parts[1:2] if not part.startswith(("align ", "addrspace(")))
    return Instruction("", op, parts[0] if parts else "", tuple(count for count in counts if count != 1))


def _branch(op: str, rest: str) -> Instruction:
    condition = (_constant(rest[3:].partition(",")[0]),) if rest.startswith("i1 ") else ()
    return Instruction("", op, "", condition, labels=_LABEL.findall(rest))


def _switch(op: str, rest: str) -> Instruction:
    type_, value = _typed(rest.partition(",")[0])
    cases = [(int(case[1]), case[2]) for case in _CASE.finditer(rest.partition("[")[2])]
    labels = [*_LABEL.findall(rest)[:1], *(label for _, label in cases)]
    return Instruction("", op, type_, (value,), labels=labels, cases=[value for value, _ in cases])


def _return(op: str, rest: str) -> Instruction:
    if rest.startswith("void"):
        return Instruction("", op)
    type_, value = _typed(rest)
    return Instruction("", op, type_, (value,))


def _call(op: str, rest: str) -> Instruction:
    """Calls, and invokes, which are calls that go on in other blocks."""
    rest = _unflagged(rest)
    called = None if " asm " in f" {rest}" else CALLED.search(rest)
    if not called:
        labels = _LABEL.findall(rest) if op != "call" else []
        code = _STRING.search(rest)
        return Instruction("", "call", code[1] if code else "", tuple(_LOCAL.findall(rest)), "asm", labels)
    end = closing(rest, called.end())
    args = tuple(_operand(piece) for piece in pieces(rest[called.end() : end]) if not piece.startswith("metadata"))
    labels = _LABEL.findall(rest, end) if op != "call" else []
    callee = called[1]
    if callee[0] == "%":
        callee, args = "%", (*args, callee)
    return Instruction("", "call", rest[: called.start()].strip(), args, callee, labels, group=group(rest, end))


_READERS: dict[str, Callable[[str, str], Instruction]] = {
    "load": _access,
    "store": _access,
    "getelementptr": _address,
    **dict.fromkeys(BINARY, _binary),
    **dict.fromkeys(("icmp", "fcmp"), _comparison),
    **dict.fromkeys(CASTS, _cast),
    "select": _select,
    "phi": _phi,
    "alloca": _alloca,
    "br": _branch,
    "switch": _switch,
    "ret": _return,
    **dict.fromkeys(("call", "invoke", "callbr"), _call),
}
