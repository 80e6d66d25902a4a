"""The text of LLVM IR, read as far as counting what is left of it needs: functions, blocks, instructions.

The LLVM Language Reference Manual has the syntax: https://llvm.org/docs/LangRef.html. What is cut short or no IR at all
is read as something; nothing raises. One pass over the lines, in time that is linear in the text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Written = int | str
"""An operand as it is written: an integer, or `%x`, `@x`, `UNDEF` or the text of any other constant."""
UNDEF = "undef"
"""What may be any value; poison is taken for it, too."""

BINARY = frozenset("add sub mul udiv sdiv urem srem shl lshr ashr and or xor fadd fsub fmul fdiv frem".split())
CASTS = frozenset(
    "zext sext trunc bitcast ptrtoint inttoptr sitofp uitofp fptosi fptoui fpext fptrunc addrspacecast".split()
)

_NAME = r"[-\w$.]++"
_QUOTED = re.compile(r'([%@]|^)"([^"\n]*+)"', re.ASCII)
_UNUSUAL = re.compile(r"[^-\w$.]", re.ASCII)
_ASSIGNED = re.compile(rf"(%{_NAME}) = ", re.ASCII)
_LABELLED = re.compile(rf"({_NAME}):", re.ASCII)
_CALLED = re.compile(rf"([@%]{_NAME})\(", re.ASCII)
_LABEL = re.compile(rf"label (%{_NAME})", re.ASCII)
_CASE = re.compile(rf"    i[0-9]+ (-?[0-9]{{1,40}}), label (%{_NAME})", re.ASCII)
_LOCAL, _GLOBAL = re.compile(rf"%{_NAME}", re.ASCII), re.compile(rf"@{_NAME}", re.ASCII)
_NAMED = re.compile(rf"[%@]{_NAME}", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,40}", re.ASCII)
_GROUP = re.compile(r" #([0-9]++)", re.ASCII)
_VARIABLE = re.compile(rf'(@{_NAME}) = (?:(?!global |constant |extern)[^\s"]++ )*+(?:global|constant) ', re.ASCII)
_TYPE_NAME = re.compile(rf"(%{_NAME}) = type (.*+)", re.ASCII)
_DECLARED = re.compile(rf"declare [^@\n]*+(@{_NAME})\(", re.ASCII)
_FLAGS = re.compile(
    r"(?:(?:nuw|nsw|exact|disjoint|nneg|samesign|fast|nnan|ninf|nsz|arcp|contract|afn|reassoc|inbounds|nusw"
    r"|inrange\([^()\n]*+\)|atomic|volatile) )*+"
)
_STRING = re.compile(r'"([^"\n]*+)"')
_MARK = re.compile(r'"[^"\n]*+"|[\[\](){}<>,]')
_OPENING, _CLOSING = frozenset("[({<"), frozenset("])}>")
_CONSTANTS: dict[str, Written] = {
    "true": 1, "false": 0, "null": 0, "zeroinitializer": 0, "none": 0, "undef": UNDEF, "poison": UNDEF, "": UNDEF,
}  # fmt: skip
_LOCALS = ("define internal ", "define private ")
_NONE: frozenset[str] = frozenset()
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


@dataclass(slots=True)
class Function:
    """A function that is defined."""

    name: str
    local: bool
    """Nobody else sees it."""
    optional: bool
    """It is left out where nothing here uses it."""
    parameters: list[str]
    varargs: bool
    group: str
    """Its attributes."""
    blocks: dict[str, list[Instruction]] = field(default_factory=dict)
    """By label, the first one first."""
    instructions: int = 0
    named: Counter[str] = field(default_factory=Counter)
    """How often each global name stands in it."""
    called: Counter[str] = field(default_factory=Counter)
    """How often as what is called."""


@dataclass(slots=True)
class Module:
    """What a text holds."""

    functions: dict[str, Function] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    variables: list[str] = field(default_factory=list)
    """The types of global variables that are defined."""
    named: set[str] = field(default_factory=set)
    """The global names that stand in what variables hold."""
    groups: dict[str, frozenset[str]] = field(default_factory=dict)
    """The attributes of each group, without spaces."""
    declared: dict[str, str] = field(default_factory=dict)
    """The group of each function that is declared."""

    def attributes_of(self, call: Instruction) -> frozenset[str]:
        """Those of a call and of the function that is called."""
        function = self.functions.get(call.detail)
        group = function.group if function else self.declared.get(call.detail, "")
        return self.groups.get(call.group, _NONE) | self.groups.get(group, _NONE)


def read(text: str) -> Module:
    """The module that a text is. Functions that are `available_externally` are no code of it and left out."""
    module = Module()
    lines = iter(text.split("\n"))
    for line in lines:
        if line.startswith("define "):
            function = _header(_unquoted(line))
            _body(function, lines)
            if not line.startswith("define available_externally "):
                module.functions[function.name] = function
        elif line.startswith("@"):
            line = _unquoted(line)
            if found := _VARIABLE.match(line):
                module.variables.append(line[found.end() : type_end(line, found.end())])
                module.named.update(_GLOBAL.findall(line, found.end()))
        elif line.startswith("%"):
            if named := _TYPE_NAME.match(_unquoted(line)):
                module.types[named[1]] = named[2].strip()
        elif line.startswith("declare "):
            if declared := _DECLARED.match(_unquoted(line)):
                module.declared[declared[1]] = _group(line, 0)
        elif line.startswith("attributes #"):
            number, _, rest = line[12:].partition(" ")
            module.groups[number] = frozenset(rest.replace(": ", ":").replace(", ", ",").split(" "))
    return module


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
    if not any(mark in text for mark in '[({<"'):
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


def locals_of(operand: Written) -> list[str]:
    """The local names in an operand."""
    return _LOCAL.findall(operand) if isinstance(operand, str) else []


def globals_of(text: str) -> list[str]:
    """The global names in a text."""
    return _GLOBAL.findall(text)


def _unquoted(line: str) -> str:
    """With plain names for those in quotes."""
    if '"' not in line:
        return line
    return _QUOTED.sub(lambda found: found[1] + _UNUSUAL.sub(lambda mark: f".{ord(mark[0]):x}.", found[2]), line)


def _group(line: str, start: int) -> str:
    found = _GROUP.search(line, start)
    return found[1] if found else ""


def _header(line: str) -> Function:
    """The function that a line begins."""
    called = _CALLED.search(line)
    start = called.end() if called else len(line)
    end = _closing(line, start)
    names = [piece.rpartition(" ")[2] for piece in pieces(line[start:end])]
    return Function(
        name=called[1] if called else line,
        local=line.startswith(_LOCALS),
        optional=line.startswith((*_LOCALS, "define linkonce")),
        parameters=[name for name in names if name != "..."],
        varargs="..." in names,
        group=_group(line, end),
    )


def _closing(text: str, start: int) -> int:
    """Where the parenthesis closes that stands in front of `start`."""
    deep = 1
    for found in _MARK.finditer(text, start):
        deep += (found[0] == "(") - (found[0] == ")")
        if deep == 0:
            return found.start()
    return len(text)


def _body(function: Function, lines: Iterator[str]) -> None:
    """All lines of a function up to its end."""
    unnamed = sum(name[1:].isdecimal() for name in function.parameters)
    block: list[Instruction] | None = None
    for line in lines:
        if line.startswith("}"):
            return
        line = _unquoted(line)
        if line.startswith(("    ", "  ]")):
            if block:
                _continued(block[-1], line)
        elif line.startswith("  "):
            if line.startswith("  #"):
                continue
            if block is None:  # a label that is not written is the number behind the parameters
                block = function.blocks.setdefault(f"%{unnamed}", [])
            found = _instruction(line.strip())
            block.append(found)
            function.instructions += 1
            if "@" in line:
                function.named.update(_GLOBAL.findall(line))
                if found.op == "call" and found.detail[:1] == "@":
                    function.called[found.detail] += 1
        elif label := _LABELLED.match(line):
            block = function.blocks.setdefault(f"%{label[1]}", [])


def _continued(last: Instruction, line: str) -> None:
    """A switch's case, or where an invoke goes."""
    if last.op == "switch":
        if case := _CASE.match(line):
            last.cases.append(int(case[1]))
            last.labels.append(case[2])
    elif last.op == "call":
        last.labels += _LABEL.findall(line)


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
    called = None if " asm " in f" {rest}" else _CALLED.search(rest)
    if not called:
        labels = _LABEL.findall(rest) if op != "call" else []
        code = _STRING.search(rest)
        return Instruction("", "call", code[1] if code else "", tuple(_LOCAL.findall(rest)), "asm", labels)
    end = _closing(rest, called.end())
    args = tuple(_operand(piece) for piece in pieces(rest[called.end() : end]) if not piece.startswith("metadata"))
    labels = _LABEL.findall(rest, end) if op != "call" else []
    callee = called[1]
    if callee[0] == "%":
        callee, args = "%", (*args, callee)
    return Instruction("", "call", rest[: called.start()].strip(), args, callee, labels, group=_group(rest, end))


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
