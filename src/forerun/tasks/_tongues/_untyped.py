"""Functions of C as they were written before it had prototypes: with the types that are left out, or stand behind."""

from __future__ import annotations

import re

_BEHIND = re.compile(
    r"^([\w \t*]{0,60}?)\b([A-Za-z_]\w*)[ \t]*\(\s*([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s*\)\s*"
    r"((?:[A-Za-z_][\w\s*,\[\]]*;\s*)+)(?=\{)",
    re.MULTILINE,
)
"""`f(a, b) int a; char *b; {`."""
_LEFT_OUT = re.compile(r"^([A-Za-z_]\w*)[ \t]*\(([^;{}()]*)\)(?=\s*\{)", re.MULTILINE)
"""`main() {`."""
_WORDS = frozenset("if for while switch else do return defined sizeof".split())
_NEAR = 400
"""Letters that are looked at before something."""
_NAMED = r"(?:\*\s*)*\w+\s*(?:\[\w*\]\s*)*"
_DECLARED = re.compile(rf"\s*((?:\w+\s+)*?\w+\b)\s*({_NAMED}(?:,\s*{_NAMED})*)")
_ALONE = re.compile(r"\s*(?!void\b)[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*")
"""Names of what a function is given, of which nothing is said."""


def typed(text: str) -> str:
    """The text with the types of all that functions give and are given, its lines where they are."""
    made, last = list[str](), 0
    text = _BEHIND.sub(_in_front, text)
    for found in _LEFT_OUT.finditer(text):
        if found[1] not in _WORDS and _begins(text[max(found.start() - _NEAR, 0) : found.start()]):
            given = re.sub(r"\w+", r"int \g<0>", found[2]) if _ALONE.fullmatch(found[2]) else found[2]
            made += [text[last : found.start()], f"int {found[1]}({given})"]
            last = found.end()
    return "".join([*made, text[last:]])


def _in_front(found: re.Match[str]) -> str:
    """`f(int a, char *b) {`."""
    names = [each.strip() for each in found[3].split(",")]
    kinds = dict[str, str]()
    for each in found[4].split(";")[:-1]:
        declared = _DECLARED.fullmatch(each)
        if declared is None:
            return found[0]
        kinds |= {re.sub(r"[\s*]|\[\w*\]", "", one): f"{declared[1]} {one.strip()}" for one in declared[2].split(",")}
    if found[2] in _WORDS or not kinds.keys() <= set(names):
        return found[0]
    given = ", ".join(re.sub(r"\s+", " ", kinds.get(each, f"int {each}")) for each in names)
    return f"{found[1]}{found[2]}({given})" + "\n" * found[0].count("\n")


def _begins(before: str) -> bool:
    """Whether something new may begin behind this: it is not the line with the type of what follows."""
    before = before.rstrip()
    line = before.rsplit("\n", 1)[-1].lstrip()
    return not before or before.endswith((";", "}", "*/")) or line.startswith(("#", "//"))
