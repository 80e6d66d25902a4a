"""What stands in the text of LLVM IR, counted without LLVM: what decides how much code comes of it.

The LLVM Language Reference Manual has the syntax: https://llvm.org/docs/LangRef.html. One pass over the lines; time is
linear in the text, a few seconds for 10 MB.
"""

from __future__ import annotations

import re
from collections import Counter

_OPCODE = re.compile(r'^(?:%(?:"[^"\n]*+"|[-\w$.]++) = )?(?:(?:tail|musttail|notail) )?([a-z][a-z0-9]*+)', re.ASCII)
_TYPE_NAME = re.compile(r'(%(?:"[^"\n]*+"|[-\w$.]++)) = type (.*+)', re.ASCII)
_VARIABLE = re.compile(
    r'@(?:"[^"\n]*+"|[-\w$.]++) = (?:(?!global |constant |extern)[^\s"]++ )*(?:global|constant) ', re.ASCII
)
_TOKEN = re.compile(r' *+(<\{|\}>|[\[\]<>{},]|[0-9]{1,18}+ x|%(?:"[^"\n]*+"|[-\w$.]++)|[a-z]\w*+)', re.ASCII)
_SCALARS = {"ptr": 8, "half": 2, "bfloat": 2, "float": 4, "double": 8, "x86_fp80": 16, "fp128": 16}
_KINDS = {
    "load": ("load",),
    "store": ("store",),
    "call": ("call", "invoke", "callbr"),
    "branch": ("br", "switch", "indirectbr"),
    "phi": ("phi",),
    "alloca": ("alloca",),
    "address": ("getelementptr",),
    "compare": ("icmp", "fcmp"),
    "cast": tuple("zext sext trunc bitcast ptrtoint inttoptr sitofp uitofp fptosi fptoui fpext fptrunc".split()),
    "arithmetic": tuple("add sub mul shl lshr ashr and or xor fadd fsub fmul fneg".split()),
    "division": tuple("udiv sdiv urem srem fdiv frem".split()),
}
_ACCESS = re.compile(r'(?:load|store) .*?, ptr (%(?:"[^"\n]*+"|[-\w$.]++)|@)', re.ASCII)
"""A load or store, and what it goes through."""
_CALLED = re.compile(r'[@%](?:"[^"\n]*+"|[-\w$.]++)\(', re.ASCII)
_CASE = re.compile(r"    i[0-9]+ -?[0-9]+, label ", re.ASCII)
_DEEPEST = 40
"""Types nested deeper than this are counted as empty: no program has them."""


_LARGEST = 1 << 62


def counts(text: str) -> dict[str, float]:
    """By name, always in the same order; 0 everywhere for a text that is no IR. Never raises.

    `functions` that are defined, `local` ones among them that nobody else sees, `blocks`, `instructions` and how many
    of each kind; calls of `intrinsics`, `arguments` of all other calls, `cases` of switches; `memory`: loads and stores
    through anything but a function's own variables, which become registers; `globals`: bytes of the variables that are
    defined, padding aside. Functions that are `available_externally` are no code of this module and count nothing.
    """
    reader = _Reader()
    for line in text.split("\n"):
        reader.push(line)
    sizes = _Sizes(reader.types)
    return {
        "functions": float(reader.functions),
        "local": float(reader.local),
        "blocks": float(reader.blocks),
        "instructions": float(sum(reader.opcodes.values())),
        **{name: float(sum(reader.opcodes[o] for o in kinds)) for name, kinds in _KINDS.items()},
        **{name: float(reader.others[name]) for name in ("intrinsics", "arguments", "cases", "memory")},
        "globals": float(sum(map(sizes.of, reader.variables))),
    }


class _Reader:
    """What the lines so far hold."""

    def __init__(self) -> None:
        self.opcodes: Counter[str] = Counter()
        self.others: Counter[str] = Counter()
        self.functions = self.local = self.blocks = 0
        self.types: dict[str, str] = {}
        self.variables: list[str] = []
        """The types of variables, and what follows them."""
        self._inside = self._entered = False
        self._own: set[str] = set()
        """Variables of the function that is read."""

    def push(self, line: str) -> None:
        """One line, without its end."""
        if self._inside:
            self._body(line)
        elif line.startswith("define ") and not line.startswith("define available_externally "):
            self._inside, self._entered, self._own = True, False, set()
            self.functions += 1
            self.blocks += 1
            self.local += line.startswith(("define internal ", "define private "))
        elif line.startswith("@") and (found := _VARIABLE.match(line[:1000])):
            self.variables.append(line[found.end() :])
        elif line.startswith("%") and (found := _TYPE_NAME.match(line)):
            self.types[found[1]] = found[2]

    def _body(self, line: str) -> None:
        if line.startswith("}"):
            self._inside = False
        elif line.startswith("  "):
            self._instruction(line)
        elif line and not line.startswith((";", " ")):
            self.blocks += self._entered  # the label of the first block is counted with its function
            self._entered = True

    def _instruction(self, line: str) -> None:
        if found := _OPCODE.match(line[2:400]):
            opcode = found[1]
            self.opcodes[opcode] += 1
            self._entered = True
            if opcode == "alloca":
                self._own.add(line[2:400].partition(" ")[0])
            elif opcode in ("load", "store"):
                through = _ACCESS.search(line[:2000])
                self.others["memory"] += not (through and through[1] in self._own)
            elif opcode in _KINDS["call"]:
                self._call(line)
        else:
            self.others["cases"] += _CASE.match(line) is not None

    def _call(self, line: str) -> None:
        if "@llvm." in line:
            self.others["intrinsics"] += 1
            return
        if found := _CALLED.search(line[:2000]):
            arguments = line[found.end() :].rpartition(")")[0]
            self.others["arguments"] += arguments.count(", ") + bool(arguments)


class _Sizes:
    """Bytes of types as their text stands, a vector's or a structure's padding aside."""

    def __init__(self, types: dict[str, str]) -> None:
        self._types = types
        self._known: dict[str, int] = {}

    def of(self, text: str, deep: int = 0) -> int:
        """The bytes of the type that a text begins with; 0 where it begins with none."""
        return self._read(text, 0, deep)[0]

    def _read(self, text: str, at: int, deep: int) -> tuple[int, int]:
        """The bytes, and the place behind the type."""
        token = _TOKEN.match(text, at)
        if not token or deep > _DEEPEST:
            return 0, len(text)
        word, at = token[1], token.end()
        if word in ("{", "<{"):
            return self._fields(text, at, deep)
        if word in ("[", "<"):
            return self._repeated(text, at, deep)
        return (self._named(word, deep) if word[0] == "%" else _scalar(word)), at

    def _fields(self, text: str, at: int, deep: int) -> tuple[int, int]:
        total = 0
        while (token := _TOKEN.match(text, at)) and token[1] not in ("}", "}>"):
            if token[1] == ",":
                at = token.end()
                continue
            size, at = self._read(text, at, deep + 1)
            total += size
        return min(total, _LARGEST), token.end() if token else len(text)

    def _repeated(self, text: str, at: int, deep: int) -> tuple[int, int]:
        token = _TOKEN.match(text, at)
        if not token or not token[1].endswith(" x"):
            return 0, len(text)
        size, at = self._read(text, token.end(), deep + 1)
        end = _TOKEN.match(text, at)
        return min(size * int(token[1][:-2]), _LARGEST), end.end() if end else len(text)

    def _named(self, name: str, deep: int) -> int:
        if name not in self._known:
            self._known[name] = 0  # a type may hold itself in a text, never in a program
            self._known[name] = self.of(self._types.get(name, ""), deep + 1)
        return self._known[name]


def _scalar(word: str) -> int:
    if word[0] == "i" and word[1:].isdecimal() and len(word) < 9:
        return -(-int(word[1:]) // 8)
    return _SCALARS.get(word, 0)
