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
_KIND = {opcode: kind for kind, opcodes in _KINDS.items() for opcode in opcodes}
_FLOAT = frozenset("fadd fsub fmul fdiv frem fneg fcmp sitofp uitofp fptosi fptoui fpext fptrunc".split())
_NAME = r'(?:"[^"\n]*+"|[-\w$.]++)'
_ACCESS = re.compile(rf"(?:load|store) .*?, ptr (%{_NAME}|@)", re.ASCII)
"""A load or store, and what it goes through."""
_BASE = re.compile(rf", ptr (%{_NAME})", re.ASCII)
_STORED = re.compile(rf"store (?:volatile )?[^%,]*+(%{_NAME}),", re.ASCII)
_CALLED = re.compile(rf"([@%]{_NAME})\(", re.ASCII)
_LOCAL, _GLOBAL = re.compile(f"%{_NAME}", re.ASCII), re.compile(f"@{_NAME}", re.ASCII)
_CASE = re.compile(r"    i[0-9]+ -?[0-9]+, label ", re.ASCII)
_LABEL = re.compile(rf"label (%{_NAME})", re.ASCII)
_BLOCK = re.compile(rf"({_NAME}):", re.ASCII)
_GROUP = re.compile(r" #([0-9]++)", re.ASCII)
_CONSTANT = re.compile(r"\bi[0-9]+ (?:[a-z]+ )*+(?:-?[1-9]|true)", re.ASCII)
_WIDE = re.compile(r" -?[0-9]{10,40}+(?![0-9.])| i128 ", re.ASCII)
_NO_CODE = ("@llvm.lifetime.", "@llvm.dbg.", "@llvm.assume", "@llvm.experimental.noalias")
_COPIES = ("@llvm.memcpy.", "@llvm.memset.", "@llvm.memmove.")
_NEW = tuple(
    "conditions loops switches runs calls inner constants assembly copies fields writes assigned indexed references"
    " escapes floats vectors wide".split()
)
_OTHERS = ("intrinsics", "arguments", "cases", "memory")
_DEEPEST = 40
"""Types nested deeper than this are counted as empty: no program has them."""


_LARGEST = 1 << 62


def counts(text: str) -> dict[str, float]:
    """By name, always in the same order; 0 everywhere for a text that is no IR. Never raises.

    `functions` that are defined, `local` ones among them that nobody else sees, `kept` ones that are neither always
    inlined nor local with one caller or none; bytes of `globals`, the variables that are defined, padding aside.

    All else is of what is left to compile: blocks that nothing reaches are left out, and a function that is not kept
    counts wherever it is called. `blocks`, `instructions` and how many of each kind; calls of `intrinsics` that are
    code, `copies` of memory among them, `calls` of all else, `inner` ones of functions that are here, their
    `arguments`, `assembly` written inline; `conditions` of branches, `loops`: branches back, `switches`, their `cases`
    and `runs` of cases that go the same way; `constants` but zero that are stored, passed or returned; `memory`: loads
    and stores through anything but a function's own variables, which become registers, `writes`: stores among them,
    `fields`: loads and stores of parts of own variables, `assigned`: stores into own variables that are no parameter's;
    `escapes`: own variables that are handed on by address; `references` to global names; addresses that are `indexed`
    by a variable; `floats` and `vectors`: instructions on them, and `wide` ones on 128 bits or with literals of ten
    digits. Functions that are `available_externally` are no code of this module and count nothing.
    """
    reader = _Reader()
    for line in text.split("\n"):
        reader.push(line)
    reader.end()
    sizes, found = _Sizes(reader.types), reader.total()
    return {
        "functions": float(len(reader.functions)),
        "local": float(sum(f.local for f in reader.functions.values())),
        **{name: float(found[name]) for name in ("blocks", "instructions", *_KINDS, *_OTHERS)},
        "globals": float(sum(map(sizes.of, reader.variables))),
        "kept": float(reader.kept()),
        **{name: float(max(0, found[name])) for name in _NEW},
    }


class _Function:
    """What one function holds.

    Keys of `found` are names of counters, of functions that are called, and with a parenthesis in front those of all
    their calls' arguments.
    """

    def __init__(self, line: str) -> None:
        self.local = line.startswith(("define internal ", "define private "))
        group = _GROUP.search(line)
        self.group = group[1] if group else ""
        names = _CALLED.search(line)
        self.name = names[1] if names else line
        self.parameters = frozenset(_LOCAL.findall(line, names.end() if names else 0))
        self.own: set[str] = set()
        """Variables."""
        self.parts: set[str] = set()
        """Addresses in variables."""
        self.way = ""
        """Where the last case of a switch went."""
        self.blocks: dict[str, tuple[Counter[str], list[str]]] = {}
        """What each holds, and where it goes."""
        self.entered = False
        self.found: Counter[str] = Counter()
        self.begin("")

    def begin(self, label: str) -> None:
        """A block begins."""
        self.block: Counter[str] = Counter(blocks=1)
        self.targets: list[str] = []
        self.blocks[label] = (self.block, self.targets)

    def end(self) -> None:
        """Adds up the blocks that are reached."""
        reached, waiting = {""}, [""]
        while waiting:
            block, targets = self.blocks[waiting.pop()]
            self.found.update(block)
            for label in targets:
                if label not in reached and label in self.blocks:
                    reached.add(label)
                    waiting.append(label)
        self.blocks, self.own, self.parts = {}, set(), set()


class _Reader:
    """What the lines so far hold."""

    def __init__(self) -> None:
        self.functions: dict[str, _Function] = {}
        self.types: dict[str, str] = {}
        self.variables: list[str] = []
        """The types of variables, and what follows them."""
        self._inside: _Function | None = None
        self._named: Counter[str] = Counter()
        """How often each global name stands in code and in what variables hold."""
        self._called: Counter[str] = Counter()
        """How often as what is called."""
        self._inlined: set[str] = set()
        """Groups of attributes."""

    def push(self, line: str) -> None:
        """One line, without its end."""
        if self._inside:
            self._body(self._inside, line)
        elif line.startswith("define ") and not line.startswith("define available_externally "):
            self._inside = _Function(line)
        elif line.startswith("@") and (found := _VARIABLE.match(line[:1000])):
            self.variables.append(line[found.end() :])
            self._named.update(_GLOBAL.findall(line, found.end()))
        elif line.startswith("%") and (found := _TYPE_NAME.match(line)):
            self.types[found[1]] = found[2]
        elif line.startswith("attributes #") and " alwaysinline " in line:
            self._inlined.add(line[12:40].partition(" ")[0])

    def end(self) -> None:
        """The text, and what was read of its last function."""
        if self._inside:
            self._inside.end()
            self.functions[self._inside.name] = self._inside
            self._inside = None

    def total(self) -> Counter[str]:
        """What is left of all functions."""
        total: Counter[str] = Counter()
        known: dict[str, Counter[str]] = {}
        for function in self.functions.values():
            if not self._vanishes(function):
                total.update(self._whole(function, known, 0))
        return total

    def _whole(self, function: _Function, known: dict[str, Counter[str]], deep: int) -> Counter[str]:
        """What a function holds with all that is inlined into it; what calls itself is not."""
        if function.name in known:
            return known[function.name]
        whole = known[function.name] = Counter()
        for name, count in function.found.items():
            called = self.functions.get(name)
            if name[0] not in "@(":
                whole[name] += count
            elif name[0] == "@" and called and deep < _DEEPEST and self._vanishes(called):
                for inner, times in self._whole(called, known, deep + 1).items():
                    whole[inner] = min(whole[inner] + count * times, _LARGEST)
            elif name[0] == "@":
                whole["calls"] += count
                whole["inner"] += count * (called is not None)
                whole["arguments"] += function.found[f"({name}"]
        return whole

    def _vanishes(self, function: _Function) -> bool:
        once = self._named[function.name] == self._called[function.name] < 2
        return function.group in self._inlined or (function.local and once)

    def kept(self) -> int:
        """Functions with code of their own."""
        return sum(not self._vanishes(function) for function in self.functions.values())

    def _body(self, inside: _Function, line: str) -> None:
        if line.startswith("}"):
            self.end()
        elif line.startswith("  "):
            self._instruction(inside, line)
        elif line and not line.startswith((";", " ")) and (label := _BLOCK.match(line)):
            if inside.entered:
                inside.begin(f"%{label[1]}")
            inside.entered = True

    def _instruction(self, inside: _Function, line: str) -> None:
        if found := _OPCODE.match(line[2:400]):
            inside.entered = True
            opcode, block = found[1], inside.block
            block["instructions"] += 1
            if kind := _KIND.get(opcode):
                block[kind] += 1
            if "@" in line:
                self._names(block, line)
            if opcode == "alloca":
                inside.own.add(line[2:400].partition(" ")[0])
            elif opcode in ("load", "store"):
                if _through(inside, line, opcode):
                    _kinds(block, line, opcode)
            elif opcode in _KINDS["call"]:
                if called := _call(inside, line):
                    self._called[called] += 1
            elif opcode == "br":
                _branch(inside, line)
                return
            elif opcode == "getelementptr":
                _address(inside, line)
            else:
                block["switches"] += opcode == "switch"
                block["constants"] += opcode == "ret" and _CONSTANT.search(line) is not None
                _kinds(block, line, opcode)
        elif case := _CASE.match(line):
            inside.block["cases"] += 1
            inside.block["runs"] += line[case.end() :] != inside.way
            inside.way = line[case.end() :]
        if "label %" in line:
            inside.targets += _LABEL.findall(line)

    def _names(self, block: Counter[str], line: str) -> None:
        names = [name for name in _GLOBAL.findall(line[:4000]) if not name.startswith("@llvm.")]
        self._named.update(names)
        block["references"] += len(names)


def _kinds(block: Counter[str], line: str, opcode: str) -> None:
    """On what an instruction works."""
    if opcode in _FLOAT or " double " in line or " float " in line:
        block["floats"] += 1
    if " x " in line and " <" in line:
        block["vectors"] += 1
    if _WIDE.search(line, 0, 2000):
        block["wide"] += 1


def _through(inside: _Function, line: str, opcode: str) -> bool:
    """Whether a load or store goes through memory."""
    block, found = inside.block, _ACCESS.search(line[:2000])
    part = found is not None and found[1] in inside.parts
    memory = not (found and found[1] in inside.own) and not part
    block["memory"] += memory
    block["fields"] += part
    if opcode == "store":
        if memory:
            block["writes"] += 1
            block["constants"] += _CONSTANT.match(line, line.find("store") + 6) is not None
        else:
            value = _STORED.search(line[:400])
            block["assigned"] += not (value and value[1] in inside.parameters)
    return memory


def _branch(inside: _Function, line: str) -> None:
    """Of a condition that is a constant one side is dead."""
    labels = _LABEL.findall(line)
    if line.startswith("  br i1 true,"):
        labels = labels[:1]
    elif line.startswith("  br i1 false,"):
        labels = labels[1:]
    else:
        inside.block["conditions"] += len(labels) > 1
    inside.block["loops"] += any(label in inside.blocks for label in labels)
    inside.targets += labels


def _address(inside: _Function, line: str) -> None:
    if ", i64 %" in line or ", i32 %" in line:
        inside.block["indexed"] += 1
    elif (base := _BASE.search(line[:2000])) and (base[1] in inside.own or base[1] in inside.parts):
        inside.parts.add(line[2:400].partition(" ")[0])


def _call(inside: _Function, line: str) -> str:
    """The function that is called, where it is named and no intrinsic."""
    block = inside.block
    if "@llvm." in line:
        if not any(name in line for name in _NO_CODE):
            block["intrinsics"] += 1
            block["copies"] += any(name in line for name in _COPIES)
            _kinds(block, line, "call")
            block["escapes"] += sum(name in inside.own for name in _LOCAL.findall(line[:4000]))
        return ""
    if " asm " in line:
        block["assembly"] += 1
    if found := _CALLED.search(line[:2000]):
        arguments = line[found.end() :].rpartition(")")[0]
        count = arguments.count(", ") + bool(arguments)
        block["escapes"] += sum(name in inside.own for name in _LOCAL.findall(arguments[:4000]))
        block["constants"] += len(_CONSTANT.findall(arguments[:4000]))
        if found[1][0] == "@":
            block[found[1]] += 1
            block["references"] -= 1
            block[f"({found[1]}"] += count
            return found[1]
        block["calls"] += 1
        block["arguments"] += count
    return ""


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
