"""Networks that a function of a user's Python file makes: `module.py:factory`."""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import re
import sys
import traceback
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from forerun.errors import ForerunError, InputError, meant, reason

T = TypeVar("T")

_OWN = "_factories_"
"""How the modules that users' files become are called."""
_NAMED = re.compile(r"(.+\.py):(\w+)")


def named(text: str) -> tuple[Path, str] | None:
    """The file and the function, of a text that names them."""
    found = _NAMED.fullmatch(text)
    return (Path(found[1]), found[2]) if found else None


def made(path: Path, name: str) -> tuple[Any, tuple[Any, ...]]:
    """What the function `name` of a Python file returns: a `torch.nn.Module` and its inputs, which it may name.

    The file runs in this process, which imports from its folder first from then on, as `python FILE` does: its forward
    may import too. Raises InputError.
    """
    asked, whole = f"{path}:{name}", Path(path).resolve()
    todo = f"make `{name}()` return a torch.nn.Module and a tuple of example tensors"
    own = f"{_OWN}{crc32(bytes(whole)):08x}"
    described = importlib.util.spec_from_file_location(own, whole)
    if described is None or described.loader is None or not Path(path).is_file():
        why = "it is no Python file" if Path(path).exists() else "there is no such file"
        raise InputError(f"cannot read {path}", why, "name one: module.py:factory")
    if sys.path[:1] != [str(whole.parent)]:
        sys.path.insert(0, str(whole.parent))
    module = sys.modules[own] = importlib.util.module_from_spec(described)
    try:
        guarded(f"{path} does not run", "run it with python to see where", described.loader.exec_module, module)
    except BaseException:
        del sys.modules[own]
        raise
    factory = getattr(module, name, None)
    if not callable(factory):
        there = [each for each, value in vars(module).items() if getattr(value, "__module__", "") == own]
        places = ", ".join(f"{path}:{each}" for each in there[:3])
        known = meant(name, there, 0.5, 3, lambda each: f"{path}:{each}")
        asked_for = f"name one of its own: {places}" if there else todo.replace(f"`{name}()`", f"a function {name}()")
        raise InputError(f"{path} has no function {name}", "no such name in it", known or asked_for)
    found = guarded(f"{asked} raised an error", todo, factory)
    if not isinstance(found, tuple) or len(found) != 2:
        raise InputError(f"{asked} returns no network", f"it returned {_described(found)}", todo)
    network, inputs = found
    if isinstance(inputs, Mapping):
        return network, in_order(asked, network, inputs)
    return network, tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)


def _described(found: Any) -> str:
    kind = type(found).__name__
    return f"{len(found)} values" if isinstance(found, tuple) else "nothing" if found is None else f"one value ({kind})"


def in_order(asked: str, network: Any, inputs: Mapping[str, Any]) -> tuple[Any, ...]:
    """Inputs by name as its forward takes them. Raises InputError where others would stand between them."""
    todo = "name the first arguments of its forward, or wrap it in a module whose forward takes these"
    try:
        bound = inspect.signature(getattr(network, "forward", network)).bind(**inputs)
    except (TypeError, ValueError) as error:
        raise InputError(f"{asked} gives inputs that its forward does not take", reason(error), todo) from error
    if bound.kwargs:
        why = f"its forward takes others before: {', '.join(bound.kwargs)}"
        raise InputError(f"{asked} gives inputs that cannot be put in order", why, todo)
    return bound.args


def guarded(what: str, todo: str, function: Callable[..., T], *arguments: Any) -> T:
    """What a function of others returns; an exception of theirs is an InputError. What they print is dropped."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*arguments)
    except (ForerunError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # theirs share no base
        raise InputError(what, f"{type(error).__name__}: {reason(error)[:200]}{_place(error)}", todo) from error


def _place(error: BaseException) -> str:
    """The last line of a user's file that the error came through, if it came through one."""
    frames = traceback.walk_tb(error.__traceback__)
    own = [line for frame, line in frames if frame.f_globals.get("__name__", "").startswith(_OWN)]
    return f" (line {own[-1]})" if own else ""
