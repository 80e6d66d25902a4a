"""Packages that a program uses and its language does not bring along.

No program that was learned from uses one, so nothing is known of what they take: importing PyTorch alone holds 200 MB.
Languages are left out whose own libraries cannot be told from others by a name (C, C++, Ruby, Perl, PHP).
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping

from forerun.tasks._parsing import tree

_MOST = 1 << 18
"""Characters that are looked at: what is used stands at the beginning."""
_NODE = frozenset(
    "node assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain"
    " events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl"
    " stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib".split()
)
_LUA = frozenset("bit32 coroutine debug io jit math os package string table utf8".split())
_RUST = frozenset("alloc core crate self std super test".split())
_OWN = {"javascript": _NODE, "lua": _LUA, "java": frozenset(("java", "javax", "jdk"))}
"""How names of what comes with a language begin."""
_NAMES: Mapping[str, str] = {
    "javascript": r"""(?m)^[^\n/*]*?(?:\brequire\s*\(\s*|\bfrom\s+|^\s*import\s+|\bimport\s*\(\s*)['"]([^'"\n]+)['"]""",
    "go": r"""(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([\w-]+(?:\.[\w-]+)+/[^"\n]*)"\s*$""",
    "rust": r"(?m)^\s*(?:pub\s+)?(?:use\s+(?:::)?|extern\s+crate\s+)([a-z_]\w*)\b(?!\s*!)",
    "java": r"(?m)^\s*import\s+(?:static\s+)?([a-zA-Z_][\w.]*?)(?:\.\*)?\s*;",
    "lua": r"""(?m)^[^\n-]*?\brequire\s*\(?\s*['"]([^'"\n]+)['"]""",
}


def foreign(language: str, text: str) -> list[str]:
    """Their names, each once, in the order of the text. Never raises."""
    text = text[:_MOST]
    found = _python(text) if language == "python" else _named(language, text)
    return list(dict.fromkeys(found))


def _python(text: str) -> Iterator[str]:
    try:
        found = tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # said elsewhere
        return
    for node in ast.walk(found):
        if isinstance(node, ast.Import):
            names = [each.name.partition(".")[0] for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f".{node.module or node.names[0].name}" if node.level else str(node.module).partition(".")[0]]
        else:
            continue
        yield from (name for name in names if name not in sys.stdlib_module_names)


def _named(language: str, text: str) -> Iterator[str]:
    own = set(re.findall(r"\bmod\s+(\w+)", text)) | _RUST if language == "rust" else _OWN.get(language, frozenset())
    for name in re.findall(_NAMES[language], text) if language in _NAMES else ():
        first = re.split(r"[:/.]", name, maxsplit=1)[0]
        if first not in own:
            yield name
