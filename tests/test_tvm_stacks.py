"""Who called TVM's words for a program: told fast, and as Python tells it."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("tvm_ffi")

from forerun.toolchains.tvm import _stacks
from forerun.toolchains.tvm._load import load

CLASS = """
from tvm.script import ir as I
from tvm.script import tirx as T

SIZE = 8


def made():
    twice = 2 * SIZE

    @I.ir_module
    class Module:
        @T.prim_func(s_tir=True)
        def main(a: T.Buffer((twice,), "float32"), b: T.Buffer((twice,), "float32")):
            for i in range(twice):
                with T.sblock("copied"):
                    at = T.axis.remap("S", [i])
                    b[at] = a[at]

    return Module
"""


def test_the_stack_is_that_of_python() -> None:
    def told(stack: Any, context: int = 1) -> list[Any]:
        return [(one.frame, one.filename, one.lineno, one.function, one.code_context) for one in stack(context)][1:]

    assert told(_stacks._Inspect.stack) == told(inspect.stack)
    assert told(_stacks._Inspect.stack, 0) == told(inspect.stack, 0)


def test_parsers_ask_for_it_and_for_nothing_else() -> None:
    load()
    for name in _stacks._ASKING:
        asked = importlib.import_module(name).inspect
        assert asked.stack is _stacks._Inspect.stack and asked.isfunction is inspect.isfunction
        with pytest.raises(AttributeError):
            _ = asked.unheard_of


def test_a_module_in_a_file_sees_what_surrounds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "surrounded.py").write_text(CLASS)
    monkeypatch.syspath_prepend(tmp_path)
    load()
    made = importlib.import_module("surrounded").made()
    assert "T.Buffer((16,)" in made.script()
