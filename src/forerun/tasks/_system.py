"""What single calls of Python's modules do that take long, or ask the system for much, and what nobody can tell of,
for `forerun.tasks._walked`.

Measured once (CPython 3.11, one core of an AMD EPYC, Zen 4).
"""

from __future__ import annotations

import ast
import json
import math
import re
from abc import abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, TypeVar

from forerun.tasks._digits import DIGIT_BITS
from forerun.tasks._formats import Formats
from forerun.tasks._objects import MANY, Boxes, Module, Number, Written

_ROUND_NS: dict[str, float] = {"sha1": 170.0, "md5": 250.0, "sha256": 190.0, "sha512": 400.0}
"""Nanoseconds of a round of PBKDF2."""
_SCRYPT_NS, _SCRYPT_BYTES = 267.0, 128.0
"""Nanoseconds, and bytes, of a block of scrypt."""
_DRAWN_NS, _SET_NS, _SPELT_NS = 2.0, 0.05, 1.6
"""Nanoseconds of a byte that the system draws, that is set, and that is spelt."""
_KARATSUBA = math.log2(3)
_POWER_NS, _FACTORIAL_NS = 1.6, 2.8
"""Nanoseconds of a power, and of a factorial, of so many digits of so many bits to Karatsuba's exponent."""
_MODULAR_NS = 50.0, 20.0, 2.0
"""Nanoseconds of each bit of an exponent, by the modulus's digits: besides, for each of them, for each two."""
_LARGE_BITS = 1e5
"""Bits of a number from which on reckoning with it takes long."""
_COMPILED_NS = 3_300.0
"""Nanoseconds of an expression that is compiled, besides."""
_MODULAR = 3
"""Arguments of a power of which the rest is asked for."""
_TOLD = 1 << 14
"""Letters of a text that is read as JSON, or run, at most."""
_NESTED = re.compile(r"\((?:\?:)?(?:\\?[^()\\]|\[[^\]]+\])[+*]\)(?:[+*]|\{\d+,)")
"""A pattern that repeats what repeats itself: some texts take for ever."""
_OTHERS = frozenset("subprocess pty".split())
_STARTING = frozenset("os.system os.popen os.fork os.execv os.execvp os.spawnl os.posix_spawn".split())
"""What lets other programs work."""

Tree = TypeVar("Tree", ast.Module, ast.Expression)


class System(Formats):
    """Functions of the system, of digests, and of what is run of texts."""

    @abstractmethod
    def run(self, body: Iterable[ast.stmt]) -> None: ...

    def library(self, function: Module, arguments: list[Any], options: dict[str, Any]) -> Any:
        path, first = function.path, arguments[0] if arguments else None
        if path in ("exec", "eval", "builtins.exec", "builtins.eval"):
            return self._run_of(first, path.endswith("eval"))
        pattern = first.known if path.startswith("re.") and isinstance(first, Written) else None
        if path.partition(".")[0] in _OTHERS or path in _STARTING:
            self.unknown()
            self.starts.add(self.line)
        elif pattern and _NESTED.search(pattern):
            self.unknown()
        elif path in ("math.factorial", "pow"):
            self._large(path, arguments)
        return super().library(function, arguments, options)

    def unknown(self) -> None:
        """Nobody can tell what that takes."""
        if self.times > 1e-6:
            self.unsure.add(self.line)

    def _run_of(self, text: Any, gives: bool) -> Any:
        """Runs what stands in a text."""
        told = isinstance(text, Written) and len(text.sample) == text.length and text.distinct < 2
        if not isinstance(text, Written) or not told or text.length > _TOLD:
            self.unknown()
            return None
        self.work(_COMPILED_NS)
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            if gives:
                return self.value(self._here(ast.parse(text.sample.strip(), mode="eval")).body)
            self.run(self._here(ast.parse(text.sample)).body)
        return None

    def _here(self, tree: Tree) -> Tree:
        """All of it as if it stood in this line; it is kept, as what it makes is known by where it stands in memory."""
        for one in ast.walk(tree):
            if isinstance(one, (ast.stmt, ast.expr)):
                one.lineno = self.line
        self.trees.append(tree)
        return tree

    def _large(self, path: str, arguments: list[Any]) -> None:
        """Numbers with many digits."""
        if path == "pow" and len(arguments) == _MODULAR and self.layout is None:
            exponent, modulus = (_bits(each) for each in arguments[1:])
            digits = math.ceil(modulus / DIGIT_BITS)
            self.work(exponent * sum(each * digits**power for power, each in enumerate(_MODULAR_NS)))
            return
        one, by = (getattr(each, "known", None) for each in (*arguments, None, None)[:2])
        if not isinstance(one, float) or one < 2:
            return
        if path == "pow":
            if isinstance(by, float) and len(arguments) < _MODULAR:
                self.powered(one, by)
            return
        self._reckoned(one * math.log2(one / math.e), _FACTORIAL_NS)

    def powered(self, base: float, by: float) -> None:
        """One number to the power of another one."""
        if base > 1 and by > 1 and base == int(base):
            self._reckoned(by * math.log2(base), _POWER_NS)

    def _reckoned(self, bits: float, each: float) -> None:
        if bits > _LARGE_BITS and self.layout is None:
            self.work(each * (bits / DIGIT_BITS) ** _KARATSUBA)
            self._held(bits / DIGIT_BITS * 4)

    def _held(self, size: float) -> Boxes:
        """So many bytes, as long as nothing else is said."""
        made = self.new("bytearray", None, "held")
        made.each = 1.0
        made.puts += size * self.times
        return made

    def _lib_os(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, second = (*arguments, None, None)[:2]
        if name in ("get", "getenv"):
            return second if second is not None else options.get("default")
        if name == "urandom" and isinstance(first, Number) and first.value:
            self.work(first.value * _DRAWN_NS)
            return Written("", first.value, MANY, raw=True)
        return super()._lib_os(name, arguments, options)

    def _lib_hashlib(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name == "pbkdf2_hmac":
            rounds = options.get("iterations", arguments[3] if len(arguments) > 3 else None)
            of = arguments[0].known if arguments and isinstance(arguments[0], Written) else None
            self.work((getattr(rounds, "value", None) or 0.0) * _ROUND_NS.get(of or "", 250.0))
            return Written("", 32.0, MANY, raw=True)
        if name == "scrypt":
            n, r, p = (getattr(options.get(each), "value", None) or 1.0 for each in "nrp")
            self.work(n * r * p * _SCRYPT_NS)
            self._held(n * r * _SCRYPT_BYTES)
            return Written("", 64.0, MANY, raw=True)
        return super()._lib_hashlib(name, arguments, options)

    def _lib_mmap(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        size = arguments[1] if len(arguments) > 1 else options.get("length")
        return self._held(getattr(size, "value", None) or 0.0) if name == "mmap" else None

    def _lib_ctypes(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first, third = (*arguments, None, None, None)[:3:2]
        if name in ("create_string_buffer", "create_unicode_buffer"):
            size = first.value if isinstance(first, Number) else getattr(first, "length", None)
            self.work((size or 0.0) * _SET_NS)
            return self._held(size or 0.0)
        if name in ("memset", "memmove"):
            self.work((getattr(third, "value", None) or 0.0) * _SET_NS)
        return None

    def _lib_json(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        first = arguments[0] if arguments else None
        if name == "loads" and isinstance(first, Written) and first.known and len(first.known) <= _TOLD:
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                parsed = ast.parse(repr(json.loads(first.known)), mode="eval")
                return self.value(self._here(parsed).body)
        return super()._lib_json(name, arguments, options)

    def _of_text(self, own: Written, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name == "hex" and own.raw:
            self.work(own.length * _SPELT_NS)
            return Written("", own.length * 2, own.distinct)
        return super()._of_text(own, name, arguments, options)


def _bits(value: Any) -> float:
    """Of a whole number, where one knows how large it is."""
    most = max(value.high, -value.low) if isinstance(value, Number) else 0.0
    return math.log2(most) if 1 < most < math.inf else 0.0
