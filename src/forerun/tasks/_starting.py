"""Where programs start other programs, of which nobody can tell what they take, by their text: `forerun.tasks._system`
sees which lines of a plain Python program come to it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from forerun.tasks._counters import skipped

_C = r"(?<![\w.>])(?:system|popen|fork|vfork|exec[lv]p?e?|posix_spawnp?)\s*\("
_STARTS: Mapping[str, str] = {
    "c": _C,
    "c++": _C,
    "javascript": r"\b(?:exec(?:File)?Sync|spawnSync|execFile|spawn|fork)\s*\("
    r"|(?:(?<![\w.])|\b(?:cp|child_process)\.)exec\s*\(",
    "php": r"(?<![\w>:$])(?:exec|system|shell_exec|passthru|proc_open|popen|pcntl_fork)\s*\(|`",
    "perl": r"(?<![\w$@%>:&{-])(?:system|exec|fork)\b(?!\s*(?:=|\}))|\bqx\b|`",
    "ruby": r"""(?<![\w.:@])(?<!def )(?:system|spawn|exec|fork)(?:\s*\(|[ \t]+["'\[]|\s+do\b|\s*\{)"""
    r"|\bIO\.popen\b|\bOpen3\.|\bProcess\.(?:spawn|fork)\b|`",
    "lua": r"\b(?:os\.execute|io\.popen)\b",
    "go": r"\bexec\.Command",
    "rust": r"\bCommand\s*::\s*new\b",
    "java": r"\bnew\s+ProcessBuilder\b|\bgetRuntime\s*\(\s*\)\s*\.\s*exec\b",
}
_NAMED: Mapping[str, str] = {"javascript": "child_process", "rust": "process", "go": "os/exec"}
"""What stands in a text that has such functions."""
_PYTHON = (
    r"\b(?:subprocess\.(?:run|call|check_\w+|getoutput|getstatusoutput|Popen)|os\.(?:system|popen|exec[lv]\w*"
    r"|spawn[lv]\w*|posix_spawnp?)|pty\.spawn)\s*\("
)
_LITTLE = re.compile(
    r"""[(\[`"'\s{]*(?:clear|cls|color|chcp|title|pause|stty|tput|reset|date|ls|dir|echo|sleep|uname|hostname|pwd|whoami"""
    r"""|true|false|mkdir|rm|touch|nproc|which)\b"""
)
"""What takes next to nothing."""
_FORK = re.compile(r"\b(?:v?fork|pcntl_fork)\b")
"""What goes on with the same program."""


def others(language: str, text: str, lines: Iterable[int]) -> list[int]:
    """Of lines that start programs those of others that may take much."""
    pattern = re.compile(_STARTS.get(language, _PYTHON))
    there = text.split("\n")
    return [line for line in sorted(lines) if line <= len(there) and _much(language, pattern, there[line - 1])]


def _much(language: str, pattern: re.Pattern[str], line: str) -> bool:
    """Whether what a line starts is another program, and none of those that take little."""
    found = [*pattern.finditer(line)]
    if not found:
        return language not in _STARTS or not _FORK.search(line)
    found = [one for one in found if language == "javascript" or not _FORK.search(one[0])]
    return any(not _LITTLE.match(line, one.end()) for one in found)


def starting(language: str, text: str) -> frozenset[int]:
    """Lines that start other programs. Never raises."""
    pattern = _PYTHON if language == "python" else _STARTS.get(language)
    if pattern is None or _NAMED.get(language, "") not in text or not re.search(pattern, text):
        return frozenset()
    plain = re.sub(skipped(language), lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    return frozenset(plain.count("\n", 0, found.start()) + 1 for found in re.finditer(pattern, plain))
