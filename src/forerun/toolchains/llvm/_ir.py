"""The text of LLVM IR, read as far as counting what is left of it needs: functions, their blocks, variables, types.

One pass over the lines, in time that is linear in the text; nothing raises.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from forerun.toolchains.llvm._instructions import (
    CALLED,
    NAME,
    Instruction,
    closing,
    go_on,
    group,
    instruction,
    pieces,
    type_end,
)

_QUOTED = re.compile(r'([%@]|^)"([^"\n]*+)"', re.ASCII)
_UNUSUAL = re.compile(r"[^-\w$.]", re.ASCII)
_GLOBAL = re.compile(rf"@{NAME}", re.ASCII)
_LABELLED = re.compile(rf"({NAME}):", re.ASCII)
_VARIABLE = re.compile(rf'(@{NAME}) = (?:(?!global |constant |extern)[^\s"]++ )*(?:global|constant) ', re.ASCII)
# Not `*+`: of a group that looks ahead Python 3.11.2 goes wrong with it.
_TYPE_NAME = re.compile(rf"(%{NAME}) = type (.*+)", re.ASCII)
_DECLARED = re.compile(rf"declare [^@\n]*+(@{NAME})\(", re.ASCII)
_LOCALS = ("define internal ", "define private ")
_NONE: frozenset[str] = frozenset()


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
                module.declared[declared[1]] = group(line, 0)
        elif line.startswith("attributes #"):
            number, _, rest = line[12:].partition(" ")
            module.groups[number] = frozenset(rest.replace(": ", ":").replace(", ", ",").split(" "))
    return module


def _unquoted(line: str) -> str:
    """With plain names for those in quotes."""
    if '"' not in line:
        return line
    return _QUOTED.sub(lambda found: found[1] + _UNUSUAL.sub(lambda mark: f".{ord(mark[0]):x}.", found[2]), line)


def _header(line: str) -> Function:
    """The function that a line begins."""
    called = CALLED.search(line)
    start = called.end() if called else len(line)
    end = closing(line, start)
    names = [piece.rpartition(" ")[2] for piece in pieces(line[start:end])]
    return Function(
        name=called[1] if called else line,
        local=line.startswith(_LOCALS),
        optional=line.startswith((*_LOCALS, "define linkonce")),
        parameters=[name for name in names if name != "..."],
        varargs="..." in names,
        group=group(line, end),
    )


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
                go_on(block[-1], line)
        elif line.startswith("  "):
            if line.startswith("  #"):
                continue
            if block is None:  # a label that is not written is the number behind the parameters
                block = function.blocks.setdefault(f"%{unnamed}", [])
            found = instruction(line.strip())
            block.append(found)
            function.instructions += 1
            if "@" in line:
                function.named.update(_GLOBAL.findall(line))
                if found.op == "call" and found.detail[:1] == "@":
                    function.called[found.detail] += 1
        elif label := _LABELLED.match(line):
            block = function.blocks.setdefault(f"%{label[1]}", [])
