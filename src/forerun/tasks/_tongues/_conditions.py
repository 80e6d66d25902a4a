"""Parts of C and C++ that a preprocessor leaves out: `#if 0`, `#ifdef DEBUG`, and what is for another compiler."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

_DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(ifdef|ifndef|if|elif|else|endif|define|undef)\b((?:[^\\\n]|\\(?:.|\n))*)")
_ASKED = re.compile(r"\bdefined\s*(?:\(\s*(\w+)\s*\)|(\w+))")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b(\s*\()?")
_COMMENT = re.compile(r"/\*.*?(?:\*/|$)|//.*", re.DOTALL)
_DEEPEST, _LONGEST = 3, 1000
_THERE = {
    "__GNUC__": "12", "__GNUC_MINOR__": "2", "__STDC__": "1", "__STDC_VERSION__": "201710", "__linux__": "1",
    "__linux": "1", "linux": "1", "__unix__": "1", "unix": "1", "__x86_64__": "1", "__LP64__": "1", "_LP64": "1",
    "__OPTIMIZE__": "1", "__CHAR_BIT__": "8", "INT_MAX": "2147483647", "EOF": "-1", "NULL": "0", "M_PI": "3",
    "RAND_MAX": "2147483647", "CLOCKS_PER_SEC": "1000000", "CLOCK_MONOTONIC": "1", "CLOCK_REALTIME": "0",
}  # fmt: skip
"""What is defined before a text begins, or by headers."""
_OPERATORS: Mapping[type, Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
}  # fmt: skip


@dataclass
class _Part:
    told: bool
    """Whether it is known which part of it stays."""
    stays: bool
    had: bool
    """Whether one of its parts stayed."""


def kept(text: str, language: str = "c") -> str:
    """The text without what a preprocessor leaves out as far as that is told, its lines where they are."""
    if "#" not in text or not re.search(r"^[ \t]*#[ \t]*if", text, re.MULTILINE):
        return text
    defined = {**_THERE, "__cplusplus": "201703"} if language == "c++" else dict(_THERE)
    made, open_, at = list[str](), list[_Part](), 0
    while at < len(text):
        found = _DIRECTIVE.match(text, at)
        end = text.find("\n", found.end() if found else at)
        end = end + 1 if end >= 0 else len(text)
        line, at = text[at:end], end
        stays = all(one.stays for one in open_)
        if found is not None:
            word, rest = found[1], _COMMENT.sub(" ", found[2]).replace("\\\n", " ").strip()
            if word in ("define", "undef"):
                if stays:
                    _remember(word, rest, defined)
            elif word.startswith("if"):
                holds = _holds(word, rest, defined) if stays else False
                open_.append(_Part(holds is not None or not stays, holds is not False, holds is not False or not stays))
                stays = holds is None
            elif not open_:
                return text
            else:
                stays = not open_[-1].told
                _go_on(word, rest, open_, defined)
        made.append(line if stays else "\n" * line.count("\n"))
    return "".join(made) if not open_ else text


def _go_on(word: str, rest: str, open_: list[_Part], defined: Mapping[str, str]) -> None:
    """To the next part, or behind all of them."""
    part = open_[-1]
    if word == "endif":
        open_.pop()
    elif part.told:
        part.stays = not part.had and (word == "else" or _holds("if", rest, defined) is not False)
        part.had = part.had or part.stays


def _remember(word: str, rest: str, defined: dict[str, str]) -> None:
    named = re.match(r"\w+", rest)
    if named is not None and word == "undef":
        defined.pop(named[0], None)
    elif named is not None:
        defined[named[0]] = rest[named.end() :].strip()


def _holds(word: str, rest: str, defined: Mapping[str, str]) -> bool | None:
    """Whether a condition holds; None of those of which nobody knows."""
    if word != "if":
        return (rest in defined) == (word == "ifdef")
    text = _ASKED.sub(lambda found: str(int((found[1] or found[2]) in defined)), rest)
    for _ in range(_DEEPEST):
        text = _WORD.sub(lambda found: f"({defined.get(found[0], '0')})" if found[1] is None else found[0], text)
    if len(text) > _LONGEST:
        return None
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text).replace("&&", " and ").replace("||", " or ")
    try:
        return bool(_number(ast.parse(re.sub(r"!(?!=)", " not ", text).strip(), mode="eval").body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _number(node: ast.expr) -> int:
    """What it is; a ValueError for what is no number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.BoolOp):
        every = isinstance(node.op, ast.And)
        return int(all(map(_number, node.values)) if every else any(map(_number, node.values)))
    if isinstance(node, ast.UnaryOp):
        value = _number(node.operand)
        return int(not value) if isinstance(node.op, ast.Not) else -value
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPERATORS:
        return int(_OPERATORS[type(node.ops[0])](_number(node.left), _number(node.comparators[0])))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_number(node.left), _number(node.right))
    raise ValueError(ast.unparse(node))
