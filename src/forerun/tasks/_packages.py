"""Packages that a program uses and its language does not bring along.

No program that the network and its trees learned from uses one; what importing the best known ones of Python takes was
measured (`forerun.models.encoder_decoder.imports`). Languages are left out whose own libraries cannot be told from
others by a name (C, C++, Ruby, Perl, PHP).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from forerun.tasks._python import tree
from forerun.tasks._several import file_of, own, parted

_MOST = 1 << 18
"""Characters that are looked at: what is used stands at the beginning."""
_NODE = frozenset(
    "node assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain"
    " events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl"
    " stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)
_LUA = frozenset("bit32 coroutine debug io jit math os package string table utf8".split())
_RUST = frozenset("alloc core crate self std super test".split())
_NAMING = (ast.Import, ast.ImportFrom, ast.Attribute)
_CHECKING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
"""What only holds for those who check types."""
_LACKING = re.compile(r"\b(?:ImportError|ModuleNotFoundError|Exception)\b")
"""What is raised where a module is not there."""
_LEAVING = frozenset("exit quit sys.exit os._exit os.abort".split())
"""What ends a program."""
_OWN = {"javascript": _NODE, "lua": _LUA, "java": frozenset(("java", "javax", "jdk"))}
"""How names of what comes with a language begin."""
_NAMES: Mapping[str, str] = {
    "javascript": r"""(?m)^[^\n/*]*?(?:\brequire\s*\(\s*|\bfrom\s+|^\s*import\s+|\bimport\s*\(\s*)['"]([^'"\n]+)['"]""",
    "go": r"""(?m)^[^\S\n]*(?:import\s+)?(?:[\w.]+\s+)?"([\w-]+(?:\.[\w-]+)+/[^"\n]*)"[^\S\n]*$""",
    "rust": r"(?m)^[^\S\n]*(?:pub\s+)?(?:use\s+(?:::)?|extern\s+crate\s+)([a-z_]\w*)\b(?!\s*!)",
    "java": r"(?m)^[^\S\n]*import\s+(?:static\s+)?([a-zA-Z_][\w.]*?)(?:\.\*)?\s*;",
    "lua": r"""(?m)^[^\n-]*?\brequire\s*\(?\s*['"]([^'"\n]+)['"]""",
}


def foreign(language: str, text: str) -> list[str]:
    """Their names, each once, in the order of the text. Never raises."""
    return list(_foreign(language, text[:_MOST]))


@lru_cache(maxsize=8)
def _foreign(language: str, text: str) -> tuple[str, ...]:
    """Kept, as a program is asked about for one metric after another, and more than one want to know."""
    return tuple(dict.fromkeys(_python(text) if language == "python" else _named(language, text)))


@lru_cache(maxsize=8)
def modules(text: str) -> tuple[str, ...]:
    """Whatever a Python program names of packages, with the names of what they stand in: `numpy.random.normal` of
    `np.random.normal(…)`, in the order of the text. Never raises."""
    named, found = dict[str, str](), list[str]()
    for node in _nodes(text[:_MOST]):
        if isinstance(node, ast.Import):
            for each in node.names:
                found.append(each.name)
                top = each.name.partition(".")[0]
                named[each.asname or top] = each.name if each.asname else top
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for each in node.names:
                found.append(f"{node.module}.{each.name}")
                named[each.asname or each.name] = found[-1]
    for node in _nodes(text[:_MOST]):
        path, names = node, list[str]()
        while isinstance(path, ast.Attribute):
            names.append(path.attr)
            path = path.value
        if names and isinstance(path, ast.Name) and path.id in named:
            found.append(".".join([named[path.id], *reversed(names)]))
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=1)
def _nodes(text: str) -> Sequence[ast.AST]:
    """What imports, and what stands behind a point; kept, as it is asked for again and again."""
    try:
        return [node for node in _come_to(tree(text)) if isinstance(node, _NAMING)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # said elsewhere
        return ()


def _come_to(module: ast.AST) -> Iterator[ast.AST]:
    """All that stands in it but what is never run: `if False: …`, `if TYPE_CHECKING: …`."""
    left = [module]
    while left:
        node = left.pop(0)
        yield node
        inner = [*ast.iter_child_nodes(node)]
        if isinstance(node, ast.If) and (holds := _holds(node.test)) is not None:
            inner = [*(node.body if holds else node.orelse)]
        left += inner


def _holds(test: ast.expr) -> bool | None:
    """What a test gives that asks for nothing; None of others."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(test.operand)
        return None if inner is None else not inner
    if isinstance(test, ast.Constant):
        return bool(test.value)
    return False if ast.unparse(test) in _CHECKING else None


def optional(text: str) -> frozenset[str]:
    """Modules that a Python program does without where they are not there: `try: import ujson`. Never raises."""
    found = set[str]()
    try:
        tries = [node for node in ast.walk(tree(text[:_MOST])) if isinstance(node, ast.Try)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    for node in tries:
        lacking = [one for one in node.handlers if one.type is None or _LACKING.search(ast.unparse(one.type))]
        if lacking and not any(map(_gives_up, lacking)):
            inside = [one for stmt in node.body for one in ast.walk(stmt)]
            found |= {
                each.name.partition(".")[0] for one in inside if isinstance(one, ast.Import) for each in one.names
            }
            found |= {str(one.module).partition(".")[0] for one in inside if isinstance(one, ast.ImportFrom)}
    return frozenset(found)


def _gives_up(handler: ast.ExceptHandler) -> bool:
    """Whether a program ends where a module is not there: what it does where it is says nothing of that."""
    last = handler.body[-1]
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call):
        return ast.unparse(last.value.func) in _LEAVING
    return isinstance(last, ast.Raise)


def _python(text: str) -> Iterator[str]:
    modules = own(text)
    files = {name.partition(".")[0] for name in modules}
    for node in _nodes(text):
        if isinstance(node, ast.Import):
            names = [each.name.partition(".")[0] for each in node.names]
        elif isinstance(node, ast.ImportFrom) and not (node.level and files):
            names = [f".{node.module or node.names[0].name}" if node.level else str(node.module).partition(".")[0]]
        else:
            continue
        yield from (
            name
            for name in names
            if name not in sys.stdlib_module_names
            and name.lstrip(".").partition(".")[0] not in files
            and not file_of(name, modules)[0]
        )


def _named(language: str, text: str) -> Iterator[str]:
    known = set(re.findall(r"\bmod\s+(\w+)", text)) | _RUST if language == "rust" else _OWN.get(language, frozenset())
    paths = [Path(name) for name, *_ in parted(text) if name]
    files = {one for path in paths for one in (path.stem, path.parent.name)}
    for name in re.findall(_NAMES[language], text) if language in _NAMES else ():
        first = re.split(r"[:/.]", name, maxsplit=1)[0]
        data = language == "javascript" and name.endswith(".json")  # which is read, or said to be lacking
        if first not in known and Path(name).stem not in files and not data:
            yield name
