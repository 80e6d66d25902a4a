"""What a plain Python program's own tests do, for `forerun.tasks._walked`: the examples of docstrings, test cases, and
statements that are timed.

What runners take beside that was measured once (CPython 3.11, one core of an AMD EPYC, Zen 4).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from forerun.tasks._figures import ANEW
from forerun.tasks._inputs import Input
from forerun.tasks._machines import Machines
from forerun.tasks._objects import Boxes, Classed, Defined, Module, Number, Written

_DOCSTRINGS_S, _DOCSTRING_S, _EXAMPLE_S = 1e-3, 1e-4, 1.5e-5
"""Seconds of looking for docstrings, and of each that has examples and each of these."""
_CASES_S, _CASE_S = 4e-3, 4e-5
"""Seconds of looking for test cases, and of each."""
_TIMED, _REPEATED = 1e6, 5.0
"""How often what is timed goes round, where nothing is said."""
OWN = "__main__."
"""What a program's own names stand behind, where a text imports them."""
_HELD = (ast.Module, ast.ClassDef)
_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Tests(Machines):
    """Functions of Python's modules for tests."""

    def __init__(self, module: ast.Module, given: Input) -> None:
        """Of a program that is given this."""
        super().__init__(given)
        self.module = module
        self._parsed = list[ast.Module]()
        """What is run besides: what it makes is known by where it stands in memory."""
        self._shown = False

    def _lib___main__(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        return self.call(self.frames[0].get(name), arguments, options)

    def _lib_doctest(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name != "testmod" or self._shown:
            return NotImplemented
        self._shown = True  # an example may ask for all of them again
        from doctest import DocTestParser  # which takes 30 ms

        self.spend(self.times * _DOCSTRINGS_S)
        for docstring in _docstrings(self.module):
            examples = []
            with suppress(ValueError):  # of what looks like examples and is none
                examples = DocTestParser().get_examples(str(docstring.value))
            self.spend(self.times * (_DOCSTRING_S + _EXAMPLE_S * len(examples)) if examples else 0.0)
            self.frames.append({})
            for example in examples:
                if example.exc_msg is None:  # what fails ends soon
                    self._run_text(example.source, docstring.lineno + example.lineno)
            self.frames.pop()
        self._shown = False
        return None

    def _lib_unittest(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name != "main":
            return NotImplemented
        self.spend(self.times * _CASES_S)
        for case in [one for one in self.frames[0].values() if isinstance(one, Classed) and _tests(one)]:
            if isinstance(start := self.attribute(case, "setUpClass"), Defined):
                self.call(start, [], {})
            names = {each.name for line in case.lines() for each in line.node.body if isinstance(each, _DOCUMENTED)}
            for test in sorted(name for name in names if name.startswith("test")):
                self.spend(self.times * _CASE_S)
                own = self.call(case, [], {})
                for each in ("setUp", test, "tearDown"):
                    if isinstance(own, Boxes) and isinstance(found := self.attribute(own, each), Defined):
                        self.call(found, [], {})
        return None

    def _lib_timeit(self, name: str, arguments: list[Any], options: dict[str, Any]) -> Any:
        if name not in ("timeit", "repeat"):
            return NotImplemented
        named = ("stmt", "setup", "timer", *(["repeat"] if name == "repeat" else []), "number")
        given = dict(zip(named, arguments, strict=False)) | options
        often = _often(given.get("number"), _TIMED)
        again = _often(given.get("repeat"), _REPEATED) if name == "repeat" else 1.0
        self.frames.append({})
        times = self.times
        for what, rounds in ((given.get("setup"), again), (given.get("stmt"), again * often)):
            self.times = times * rounds
            if isinstance(what, Written) and what.distinct <= ANEW and len(what.sample) == what.length:
                self._run_text(what.sample, self.line)
            elif isinstance(what, Defined):
                self.call(what, [], {})
            elif what is not None:
                self.guessed.add(self.line)
        self.times = times
        self.frames.pop()
        return Number(None, whole=False) if name == "timeit" else None

    def _run_text(self, text: str, line: int) -> None:
        """Runs statements that stand in a text, which begins in this line of the program."""
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            parsed = ast.parse(text)
            ast.increment_lineno(parsed, line - 1)
            self._parsed.append(parsed)
            self.run(parsed.body)


def _docstrings(node: ast.AST) -> Iterator[ast.Constant]:
    """Those of a module, its functions, its classes and theirs."""
    body = getattr(node, "body", [])
    first = body[0].value if body and isinstance(body[0], ast.Expr) else None
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        yield first
    for each in body if isinstance(node, _HELD) else []:
        if isinstance(each, _DOCUMENTED):
            yield from _docstrings(each)


def _tests(case: Classed) -> bool:
    """Whether a class, or one that it inherits from, is a test case of Python's own."""
    return any(
        isinstance(base, Module) and base.last in ("TestCase", "IsolatedAsyncioTestCase")
        for line in case.lines()
        for base in line.bases
    )


def _often(value: Any, otherwise: float) -> float:
    """How often, if that is told."""
    return value.value if isinstance(value, Number) and value.value else otherwise
