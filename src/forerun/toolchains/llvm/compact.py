"""LLVM IR with what decides its code and little else, for whoever has room for few characters.

What goes: metadata, debug information, attributes, alignment, layout and triple, declarations, comments, marks of
lifetimes, indentation, and the values of long tables. Local names are numbered anew. The result is to be read, not to
be parsed. Time is linear in the text.
"""

from __future__ import annotations

import re

_DROPPED = re.compile(
    r"target |source_filename|attributes #|!|declare |;|\^\d|module asm|\s*$"
    r"|  +#dbg_|  (?:tail )?call void @llvm\.(?:dbg|lifetime)\.|\$"
)
_TAIL = re.compile(r"(?:,? ![\w.]++(?: !\d++|\([^()\n]*+\))?| #\d++|, align \d++| *+;[^\"\n]*+$)", re.ASCII)
_WORDS = re.compile(
    r" (?:dso_local|local_unnamed_addr|unnamed_addr|noundef|nonnull|nocapture|captures\(none\)|readonly|writeonly"
    r"|readnone|noalias|nocallback|immarg|returned|nofree|signext|zeroext|align \d++"
    r"|dereferenceable(?:_or_null)?\(\d++\)|uwtable|range\([^()\n]*+\))(?=[ ,)])",
    re.ASCII,
)
_NAME = re.compile(r'%(?:"[^"\n]*+"|[-\w$.]++)|"[^"\n]*+"', re.ASCII)
_LABEL = re.compile(r'((?:"[^"\n]*+"|[-\w$.]++)):', re.ASCII)
_TYPE = re.compile(r'(%(?:"[^"\n]*+"|[-\w$.]++)) = type ', re.ASCII)
_LONGEST = 80
"""Characters of a variable's line: what follows is the values of a table, which is data and no code."""


def compact(text: str) -> str:
    """The shorter text. Never raises; a text that is no IR loses what looks like metadata, and blank lines."""
    writer = _Writer(frozenset(found[1] for found in map(_TYPE.match, text.split("\n")) if found))
    return "\n".join(short for line in text.split("\n") for short in writer.write(line))


class _Writer:
    def __init__(self, types: frozenset[str]) -> None:
        self._types = types
        self._names: dict[str, str] | None = None
        """The new names of a function's values and blocks; None outside of functions."""
        self._entered = False
        """Whether the function's first block has begun: nothing branches to it, so its label can go."""

    def write(self, line: str) -> list[str]:
        """The line as it stays, or nothing."""
        if _DROPPED.match(line):
            return []
        if line.startswith("@"):
            return [_variable(line)]
        if line.startswith("define "):
            self._names, self._entered = {}, False
            return [self._renamed(_bare(line))]
        if line.startswith("}"):
            self._names = None
            return ["}"]
        first, self._entered = not self._entered, True
        if self._names is not None and not line.startswith(" ") and (label := _LABEL.match(line)):
            return [] if first else [f"{self._new('%' + label[1])[1:]}:"]
        return [self._renamed(_bare(line).strip())]

    def _renamed(self, line: str) -> str:
        return line if self._names is None else _NAME.sub(lambda found: self._new(found[0]), line)

    def _new(self, name: str) -> str:
        """Strings, which the pattern finds too, stay; so do types."""
        if self._names is None or name[0] == '"' or name in self._types:
            return name
        return self._names.setdefault(name, f"%{len(self._names)}")


def _bare(line: str) -> str:
    """Without metadata, attributes and comments; strings are left alone."""
    parts = re.split(r'("[^"\n]*+")', line) if '"' in line else [line]
    parts[::2] = [_WORDS.sub("", _TAIL.sub("", part)) for part in parts[::2]]
    return "".join(parts).rstrip()


def _variable(line: str) -> str:
    short = _bare(line)
    return short if len(short) <= _LONGEST else short[:_LONGEST] + "…"
