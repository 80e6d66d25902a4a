"""Names are files: `forerun.tasks.passes` is the task `passes`. Entry points let plugins in.

A module of `forerun.tasks`, `forerun.models` or `forerun.toolchains` (or an entry point of these groups) offers the
class that carries the name. Nothing is imported before it is asked for.
"""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from forerun.core import Model, Task, Toolchain
from forerun.errors import ForerunError, UsageError

_KINDS: dict[str, type] = {"tasks": Task, "models": Model, "toolchains": Toolchain}


def names(kind: str) -> list[str]:
    """Every registered name of a kind: `tasks`, `models` or `toolchains`."""
    return sorted(_places(kind))


def find(kind: str, name: str) -> type[Any]:
    """The class behind a name. Raises UsageError with the names there are."""
    places = _places(kind)
    if name not in places:
        raise UsageError(
            f"no {kind.removesuffix('s')} is called {name!r}",
            f"{kind}: {', '.join(sorted(places))}",
            "name one of them",
        )
    module_name, _, attribute = places[name].partition(":")
    try:
        module = import_module(module_name)
        if attribute:
            return getattr(module, attribute)  # type: ignore[no-any-return]
    except (ImportError, AttributeError) as error:
        todo = "install a version of it for this forerun, or uninstall it"
        raise ForerunError(f"the plugin {name!r} does not load: {places[name]}", str(error), todo) from error
    base = _KINDS[kind]
    own = [c for c in vars(module).values() if isinstance(c, type) and issubclass(c, base)]
    return next(c for c in own if getattr(c, "name", None) == name)


@cache
def _places(kind: str) -> dict[str, str]:
    """Where each name is defined: `module` for our own files, `module:class` for entry points."""
    package = import_module(f"forerun.{kind}")
    own = {m.name: f"forerun.{kind}.{m.name}" for m in pkgutil.iter_modules(package.__path__) if m.name[0] != "_"}
    plugins = {point.name: point.value for point in entry_points(group=f"forerun.{kind}")}
    return plugins | own
