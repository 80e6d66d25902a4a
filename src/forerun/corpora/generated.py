"""Programs whose sizes are drawn: each family of `_templates` in each language of `_dialects`, and `_idioms` of each.

Real programs hardly ever ask for much: 90% of those that were measured stay within a few megabytes of what their
language takes anyway, so nobody could learn from them what a size in the text does.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from forerun.core import Source
from forerun.corpora._dialects import DIALECTS, Dialect
from forerun.corpora._idioms import IDIOMS, Idiom
from forerun.corpora._templates import TEMPLATES, Template
from forerun.corpora.programs import Program
from forerun.errors import ToolMissing
from forerun.toolchains.process.languages import named
from forerun.toolchains.process.target import Target

MOST_SECONDS, MOST_BYTES = 1.0, 6e8
"""What a program may take, as far as its template knows."""
_IDIOM = "idiom "
_WIDEST = 2e9
"""A size that an int of 32 bits holds."""
_ROOM = 2.4e9
"""Bytes that a program may take however far it reaches: time can be waited for, memory cannot."""

_NAMES = {
    "loop": ("i", "j", "k", "p", "q", "u", "idx", "pos", "row", "col", "t1", "w"),
    "array": ("a", "b", "data", "values", "xs", "cells", "buf", "arr", "items", "memo", "dp", "store", "vec1", "seq"),
    "scalar": ("acc", "total", "res", "cnt", "best", "cur", "tmp", "state", "v", "z", "g", "e", "answer", "low1"),
    "size": ("N", "LIMIT", "SIZE", "COUNT", "MAX", "TOTAL"),
    "other": ("M", "ROUNDS", "WIDTH", "STEPS", "K", "INNER"),
    "argument": ("n", "limit", "amount", "bound", "num", "top"),
    "second": ("m", "rounds", "width", "steps", "inner", "depth"),
    "function": ("f", "go1", "helper", "calc", "work", "rec"),
}
_HOLDERS = frozenset("ints longs bits floats grid list table text strings".split())
_WORDS = _HOLDERS | set("push put get has bump append append_number push_text size print real range".split())
_SIGNS: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.BitAnd: "&", ast.BitOr: "|",
    ast.BitXor: "^", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.And: "&&", ast.Or: "||",
}  # fmt: skip


def generated(
    count: int, seed: int, languages: Sequence[str] = (), device: str = "", reach: int = 1, idioms: bool = False
) -> Iterator[Program]:
    """`count` programs, in turn of every family; a larger count begins with the same ones.

    `languages` are the names to take, all eleven where it is empty. A group is a family. `reach` is how many times as
    long, and as much, they may take; `idioms` asks for what a language says in its own way in a line or two. Raises
    ToolMissing where one of them has no tool here, UsageError where a name is no language.
    """
    if not count:
        return
    names = [name for name in DIALECTS if not languages or name in map(_known, languages)]
    targets = {name: str(Target.here(named(name), device=device)) for name in names}
    seen: set[str] = set()
    number = 0
    while len(seen) < count and targets:
        number += 1
        family, language, text = numbered(seed, number, reach, idioms)
        if text and text not in seen and language in targets:
            seen.add(text)
            drawn_as = f"{seed}-{number}" if reach == 1 else f"{seed}x{reach}-{number}"
            name = f"generated/{family}/{drawn_as}{DIALECTS[language].suffix}"
            yield Program(Source(text, language, name, targets[language]), family, "Apache-2.0")


def spoken() -> tuple[list[str], list[str]]:
    """The languages in which programs can be drawn and run here, and those that have no tool here."""
    here: list[str] = []
    missing: list[str] = []
    for name in DIALECTS:
        try:
            Target.here(named(name))
            here.append(name)
        except ToolMissing:
            missing.append(name)
    return here, missing


def numbered(seed: int, number: int, reach: int = 1, idioms: bool = False) -> tuple[str, str, str]:
    """Family, language and text of one program, counted from 1; no text where the language cannot say it."""
    families: Sequence[str] = list(IDIOMS if idioms else TEMPLATES)
    family = families[(number - 1) % len(families)]
    draw = Random(f"{seed}/{number - 1}")
    if idioms:
        language = draw.choice(list(IDIOMS[family].said))
        return f"{_IDIOM}{family}", language, _said(IDIOMS[family], DIALECTS[language], draw, reach)
    language = draw.choice(list(DIALECTS))
    return family, language, drawn(family, language, draw, reach)


def again(name: str) -> tuple[str, str, str] | None:
    """Family, language and text of the generated program of this name; None where it is no such name."""
    found = re.fullmatch(r"generated/(.*)/(\d+)(?:x(\d+))?-(\d+)\.\w+", name)
    if not found:
        return None
    return numbered(int(found[2]), int(found[4]), int(found[3] or 1), found[1].startswith(_IDIOM))


def _known(name: str) -> str:
    return named(name).name


def drawn(family: str, language: str, draw: Random, reach: int = 1) -> str:
    """A program of a family in a language; nothing where the language cannot say it."""
    template, dialect = TEMPLATES[family], DIALECTS[language]
    try:
        return _Writer(dialect, draw, _sizes(template, dialect, draw, reach)).program(ast.parse(template.text))
    except KeyError:
        return ""


def _sizes(template: Template, dialect: Dialect, draw: Random, reach: int) -> dict[str, int]:
    def affordable(n: float, m: int) -> bool:
        return _affordable(template.steps(int(n), m), template.cells(int(n), m), dialect, reach)

    least = [m for m in template.others if affordable(max(m + 2, 10), m)]
    m = draw.choice(least or template.others[:1])
    n = _size(lambda size: affordable(size, m), template.most * reach, draw)
    return {"N": max(n, m + 2, 10), "M": m}


def _size(affordable: Callable[[float], bool], most: float, draw: Random) -> int:
    """Drawn evenly by its logarithm, from the three decades below what time and memory allow."""
    low, high = 1.0, math.log10(most)
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if affordable(10**middle) else (low, middle)
    return _rounded(10 ** draw.uniform(max(1.0, low - 3), low), draw)


def _affordable(steps: float, cells: float, dialect: Dialect, reach: int) -> bool:
    size = cells * dialect.cell
    seconds = steps / dialect.speed + size / 2e9
    return seconds <= MOST_SECONDS * reach and size <= min(MOST_BYTES * reach, _ROOM)


def _said(idiom: Idiom, dialect: Dialect, draw: Random, reach: int) -> str:
    """A program that does it; its size is a literal or has a name."""

    def affordable(n: float) -> bool:
        return _affordable(idiom.steps(n), idiom.cells(n), dialect, reach)

    size = _size(affordable, min(idiom.most * reach, _WIDEST), draw)
    spelled = _spelled(size, draw.choice(("plain", *dialect.literals)), draw)
    head, _, body = draw.choice(idiom.said[dialect.name]).rpartition("---\n")
    names = {"a": "array", "b": "array", "x": "scalar", "i": "loop"}
    names = {hole: draw.choice([name for name in _NAMES[pool] if len(name) > 1]) for hole, pool in names.items()}
    names["b"] += "2" * (names["a"] == names["b"])
    constants = []
    if dialect.name != "rust" and draw.random() < 0.4:  # Rust would want the type of each use
        name = draw.choice(_NAMES["size"])
        constants = [_put(draw.choice(dialect.constant), x=name, v=spelled), ""]
        spelled = _put(dialect.named, x=name)
    bare = spelled if "*" not in spelled or dialect.name != "ruby" or spelled[0] == "(" else f"({spelled})"
    statements = _put(body, n=bare, **names).rstrip("\n").split("\n")
    if dialect.name == "python" and draw.random() < 0.3:
        statements = ["def main():", *_indent(statements), "", "", "main()"]
    return _whole(dialect, [*head.split("\n"), *constants], statements)


def _whole(dialect: Dialect, before: Sequence[str], statements: Sequence[str]) -> str:
    """The text of a program: what it needs, what stands before its statements, and these."""
    if dialect.main[0]:
        statements = [dialect.main[0], *_indent(statements), dialect.main[1]]
    written = "\n".join([*before, *statements])
    heads = [dialect.head, *(line for word, line in dialect.imports.items() if word in written)]
    return "\n".join([*filter(None, heads), *_unblanked(written.split("\n"))]) + "\n"


def _rounded(value: float, draw: Random) -> int:
    """One or two digits and noughts, a power of two, or any number."""
    kind = draw.random()
    if kind < 0.2:
        return 1 << round(math.log2(value))
    if kind < 0.35:
        return int(value)
    unit = 10.0 ** math.floor(math.log10(value) - (kind > 0.7))
    return int(unit * math.floor(value / unit))


def _spelled(value: int, way: str, draw: Random) -> str:
    """A number as people write it; plain where the way does not fit."""
    zeros = len(str(value)) - len(str(value).rstrip("0"))
    head = str(value)[: len(str(value)) - zeros]
    if way == "shift" and value > 512 and value & (value - 1) == 0:
        return f"(1 << {value.bit_length() - 1})"
    if way == "product" and zeros >= 4:
        return f"({head}{'0' * (zeros - 3)} * 1000)"
    if way == "power" and zeros >= 3:
        return f"10 ** {zeros}" if head == "1" else f"({head} * 10 ** {zeros})"
    if way == "science" and zeros >= 3:
        return f"{head}e{zeros}"
    if way in ("grouped", "quoted") and value >= 10_000:
        return f"{value:,}".replace(",", "_" if way == "grouped" else "'")
    return str(value)


class _Writer:
    """One program in one language; of what can be said in several ways one is drawn."""

    def __init__(self, dialect: Dialect, draw: Random, sizes: Mapping[str, int]) -> None:
        self._dialect, self._draw, self._values = dialect, draw, sizes
        self._literals = {
            name: _spelled(value, draw.choice(("plain", *dialect.literals)), draw) for name, value in sizes.items()
        }
        self._way = draw.choice(("literal", "constant", "constant", "argument"))
        self._names: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._functions: dict[str, str] = {}
        self._scopes: list[set[str]] = [set()]
        self._used: list[str] = []

    def program(self, tree: ast.Module) -> str:
        """The whole text."""
        d = self._dialect
        self._name_all(tree)
        functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
        body = [node for node in tree.body if not isinstance(node, ast.FunctionDef)]
        used = sorted({n.id for part in body for n in ast.walk(part) if isinstance(n, ast.Name)} & set(self._values))
        blocks = [line for node in functions for line in [*self._function(node), ""]]
        constants: list[str] = []
        if self._way == "argument":
            name = self._free(self._draw.choice(("run", "solve", "compute", "simulate")))
            parameters = self._list(_put(d.parameter, x=self._names[s]) for s in used)
            back = _put(d.back, v="0")
            inner = [*self._block(body), *_indent([back])]
            blocks += [*_put(d.function, f=name, p=parameters).split("\n"), *inner, *filter(None, [d.end]), ""]
            statements = [_put(d.call, f=name, v=self._list(self._literals[s] for s in used))]
        else:
            if self._way == "constant":
                phrase = self._draw.choice(d.constant)
                constants = [_put(phrase, x=self._names[s], v=self._literals[s]) for s in used]
            self._scopes = [set()]
            statements = self._statements(body)
        return _whole(d, [*constants, *([""] if constants else []), *blocks], statements)

    def _name_all(self, tree: ast.Module) -> None:
        """A name for everything that the template names, no two alike."""
        holders = {
            t.id for n in ast.walk(tree) if isinstance(n, ast.Assign) and _holder(n.value)
            for t in n.targets if isinstance(t, ast.Name)
        }  # fmt: skip
        loops = {n.target.id for n in ast.walk(tree) if isinstance(n, ast.For) and isinstance(n.target, ast.Name)}
        functions = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
        for node in ast.walk(tree):
            name = node.id if isinstance(node, ast.Name) else node.arg if isinstance(node, ast.arg) else ""
            if isinstance(node, ast.FunctionDef):
                name = node.name
            if not name or name in self._names or name in _WORDS:
                continue
            if name in self._values:
                argument = self._way == "argument"
                pool = ("argument" if argument else "size") if name == "N" else ("second" if argument else "other")
            else:
                kinds = {"function": functions, "array": holders, "loop": loops}
                pool = next((kind for kind, names in kinds.items() if name in names), "scalar")
            self._names[name] = self._free(*_NAMES[pool])

    def _free(self, *pool: str) -> str:
        names = [name for name in pool if name not in self._used] or [f"{pool[0]}{len(self._used)}"]
        self._used.append(self._draw.choice(names))
        return self._used[-1]

    def _list(self, words: Iterator[str]) -> str:
        return ", ".join(words)

    def _function(self, node: ast.FunctionDef) -> list[str]:
        d = self._dialect
        names = [argument.arg for argument in node.args.args]
        self._scopes = [set(names)]
        parameter = "mut " + d.parameter if d.name == "rust" else d.parameter
        parameters = self._list(_put(parameter, x=self._names[n]) for n in names)
        head = _put(d.function, f=self._names[node.name], p=parameters)
        body = self._block(node.body)
        return [*head.split("\n"), *body, *filter(None, [d.end])]

    def _block(self, body: Sequence[ast.stmt]) -> list[str]:
        self._scopes.append(set())
        lines = _indent(self._statements(body))
        self._scopes.pop()
        return lines

    def _statements(self, body: Sequence[ast.stmt]) -> list[str]:
        return [line for node in body for line in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[str]:
        d = self._dialect
        if isinstance(node, ast.For):
            return self._for(node)
        if isinstance(node, ast.While):
            return [_put(d.loop, c=self._expression(node.test)), *self._block(node.body), *filter(None, [d.end])]
        if isinstance(node, ast.If):
            lines = [_put(d.test, c=self._expression(node.test)), *self._block(node.body)]
            lines += [d.otherwise, *self._block(node.orelse)] if node.orelse else []
            return [*lines, *filter(None, [d.end])]
        if isinstance(node, ast.Return) and node.value:
            return [_put(d.back, v=self._expression(node.value))]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._call(node.value).split("\n")
        assert isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign)
        return self._assignment(node).split("\n")

    def _for(self, node: ast.For) -> list[str]:
        d = self._dialect
        assert isinstance(node.iter, ast.Call) and isinstance(node.target, ast.Name)
        start, stop, *step = node.iter.args
        self._scopes.append({node.target.id})
        self._kinds[node.target.id] = "whole"
        phrase = d.step if step else self._draw.choice(d.count)
        level = int(any(sign in phrase for sign in ("..", ".upto", "- 1")))
        about = {
            "i": self._variable(node.target.id), "a": self._expression(start, level),
            "b": self._expression(stop, level), "last": self._less_one(stop),
            "s": self._expression(step[0], level) if step else "",
        }  # fmt: skip
        head = _put(phrase, **about)
        lines = [head, *self._block(node.body), *filter(None, [d.end])]
        self._scopes.pop()
        return lines

    def _less_one(self, stop: ast.expr) -> str:
        if isinstance(stop, ast.BinOp) and isinstance(stop.op, ast.Add) and ast.unparse(stop.right) == "1":
            return self._expression(stop.left, 1)
        return f"{self._expression(stop, 1)} - 1"

    def _assignment(self, node: ast.Assign | ast.AugAssign | ast.AnnAssign) -> str:
        d = self._dialect
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        value = node.value
        assert value
        if isinstance(target, ast.Subscript):
            return self._store(target, value)
        assert isinstance(target, ast.Name)
        name = self._variable(target.id)
        if isinstance(node, ast.AugAssign):
            return _put(d.add, x=name, op=_SIGNS[type(node.op)], v=self._expression(value))
        if isinstance(value, ast.Call) and _holder(value):
            return self._new(target.id, value)
        if any(target.id in scope for scope in self._scopes):
            return _put(d.assign, x=name, v=self._expression(value))
        self._scopes[-1].add(target.id)
        real = isinstance(node, ast.AnnAssign)
        self._kinds[target.id] = "real" if real else "whole"
        plain = self._names[target.id]
        return _put(d.declare_float if real else d.declare, x=plain, v=self._expression(value))

    def _new(self, name: str, value: ast.Call) -> str:
        assert isinstance(value.func, ast.Name)
        self._kinds[name] = value.func.id
        self._scopes[-1].add(name)
        sizes = dict(zip("nm", (self._expression(a) for a in value.args), strict=False))
        return _put(self._draw.choice(self._dialect.new[value.func.id]), a=self._names[name], **sizes)

    def _store(self, target: ast.Subscript, value: ast.expr) -> str:
        d, kind = self._dialect, self._kind(target)
        written = _put(d.write.get(kind, "⟨v⟩"), v=self._expression(value))
        if d.name == "java" and kind == "list":
            raise KeyError(kind)
        return _put(d.assign, x=self._place(target), v=written)

    def _kind(self, node: ast.expr) -> str:
        while isinstance(node, ast.Subscript):
            node = node.value
        return self._kinds[node.id] if isinstance(node, ast.Name) else ""

    def _place(self, node: ast.expr) -> str:
        """An element, as what is written to."""
        if isinstance(node, ast.Subscript):
            index = _put(self._dialect.index, i=self._expression(node.slice))
            if isinstance(node.value, ast.Subscript):
                return f"{self._place(node.value)}[{index}]"
            assert isinstance(node.value, ast.Name)
            return _put(self._dialect.read.get("", "⟨a⟩[⟨i⟩]"), a=self._names[node.value.id], i=index)
        raise KeyError(node)

    def _variable(self, name: str) -> str:
        return _put(self._dialect.variable, x=self._names[name])

    def _expression(self, node: ast.expr, level: int = 0) -> str:
        """`level` is 0 where no parentheses are needed."""
        d = self._dialect
        if isinstance(node, ast.Constant):
            return f'"{node.value}"' if isinstance(node.value, str) else str(node.value)
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.Subscript):
            phrase = d.read.get(self._kind(node))
            if not phrase or isinstance(node.value, ast.Subscript):
                return self._place(node)
            assert isinstance(node.value, ast.Name)
            index = _put(d.index, i=self._expression(node.slice, d.index == "⟨i⟩"))
            return _put(phrase, a=self._names[node.value.id], i=index)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            text = _put(d.divide, x=self._expression(node.left, 1), y=self._expression(node.right, 1))
        elif isinstance(node, ast.BinOp):
            text = self._joined([node.left, node.right], node.op)
        elif isinstance(node, ast.BoolOp):
            text = self._joined(node.values, node.op)
        else:
            assert isinstance(node, ast.Compare)
            text = self._joined([node.left, node.comparators[0]], node.ops[0])
        return f"({text})" if level else text

    def _joined(self, parts: Sequence[ast.expr], sign: ast.AST) -> str:
        word = _SIGNS[type(sign)]
        return f" {self._dialect.words.get(word, word)} ".join(self._expression(part, 1) for part in parts)

    def _name(self, name: str) -> str:
        if name not in self._values:
            return self._variable(name)
        if self._way == "literal":
            return self._literals[name]
        return self._variable(name) if self._way == "argument" else _put(self._dialect.named, x=self._names[name])

    def _call(self, node: ast.Call) -> str:
        """A statement or a value."""
        assert isinstance(node.func, ast.Name)
        word, say = node.func.id, self._dialect.say
        if word in self._names:
            return f"{self._names[word]}({', '.join(self._expression(a) for a in node.args)})"
        if word in ("print", "real"):
            real = word == "print" and any(
                isinstance(n, ast.Name) and self._kinds.get(n.id) in ("real", "floats") for n in ast.walk(node.args[0])
            )
            return _put(say[f"{word} float" if real else word], v=self._expression(node.args[0], 1))
        holder, *values = node.args
        assert isinstance(holder, ast.Name)
        found = [self._expression(value, 1) for value in values]
        about = {"a": self._names[holder.id], **dict(zip("kv" if len(found) == 2 else "v", found, strict=False))}
        if word in ("get", "has", "bump"):
            about["k"] = found[0]
        if word == "push_text":
            about["s"] = found[0]
        key = {"size": f"size {self._kinds[holder.id]}"}.get(word, word.replace("_", " "))
        return _put(say[key], **about)


def _holder(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _HOLDERS


def _put(phrase: str, **values: str) -> str:
    return re.sub("⟨(\\w+)⟩", lambda found: values[found[1]], phrase)


def _indent(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" if line else "" for line in lines]


def _unblanked(lines: Sequence[str]) -> list[str]:
    return [line for i, line in enumerate(lines) if line or (i and lines[i - 1])]
