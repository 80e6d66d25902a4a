"""How often what a plain Python program looks for is not there yet, for `forerun.tasks._walked`: each of so many
different ones is put in once.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from forerun.tasks import _chains as chains
from forerun.tasks._figures import HARDLY
from forerun.tasks._gathering import gathers, new, sought, there
from forerun.tasks._inputs import Input
from forerun.tasks._looping import Looping
from forerun.tasks._objects import MANY, Boxes, any_where_unknown, differing

_SELDOM = 0.1
"""How often something is not there yet, or less, which makes what is put in much less than it looks."""
_PLACES = 2.0
"""Of a list, from which on chains hang in them."""


class Chasing(Looping):
    """Searches in chains and lists of a program's own."""

    def __init__(self, given: Input) -> None:
        super().__init__(given)
        self.behind: Sequence[ast.stmt] = ()
        """What stands behind the statement that is gone through, in its block."""
        self.looked = dict[tuple[int, str], tuple[ast.expr, float]]()
        """Of names that say whether something was found, with their frames' identity, what was looked for, and how many
        of that differ."""
        self._seeking = dict[str, int | None]()
        """Which of what they are given functions of the program's own look for."""
        self._lacked = dict[int, float]()
        """How often something was looked for that is put in where it is not there, by the test's identity."""

    def found_anew(self, loop: ast.For | ast.While, behind: Sequence[ast.stmt]) -> float:
        """How often what stands behind a loop is come to that leaves the function with what it looks for."""
        if (what := sought(loop, behind)) is None:
            return 1.0
        different = differing(any_where_unknown(self.named(what.id)))
        if different >= MANY:
            return 1.0
        share = new(self.times, different)
        self.settled = self.settled or (self.layout is not None and share < _SELDOM)
        return share

    def gathered_anew(self, node: ast.If) -> float | None:
        """How often a test holds that asks whether something is in the list that it is put into then."""
        if self.times <= 1 or (found := gathers(node)) is None:
            return None
        box = self.value(found.into)
        with self.hardly():
            different = differing(any_where_unknown(self.value(found.what)))
        if not isinstance(box, Boxes) or box.kind != "list" or different >= MANY:
            return None
        each = max(self.times / max(box.made, 1e-12), 1.0)
        if box.amid:
            box.amid = there(each, different)
        return new(each, different) if found.holds else 1.0 - new(each, different)

    def _goes(self, node: ast.While) -> None:
        """A loop along a chain that hangs in a place of a list goes past as many as there are for each place."""
        many = self._chained(node)
        if many is None:
            super()._goes(node)
            return
        self.value(node.test)
        self._rounds(node.body, many)
        self.run(node.orelse)

    def _chained(self, node: ast.While) -> float | None:
        """Rounds of a loop along such a chain: half of it where it looks for something; None of others."""
        name = chains.along(node) if self.layout is not None else ""
        source = self.sources.get(name)
        if not isinstance(source, ast.Subscript):
            return None
        with self.hardly():
            table = self.value(source.value)
        if not isinstance(table, Boxes) or table.kind != "list" or table.entries < _PLACES:
            return None
        if (what := chains.asked_along(node)) is not None:
            many = min(self._different(what), self.times)
            return 1.0 + many / table.entries / 2 if many < MANY else None
        one = table.one
        return max(one.made / table.entries, HARDLY) if isinstance(one, Boxes) and one.kind == "object" else None

    def looks(self, node: ast.stmt) -> None:
        """Keeps what a loop looked for, or a function that a name is given the value of."""
        if self.layout is None:
            return
        if isinstance(node, (ast.While, ast.For)) and (found := chains.chased(node)) is not None:
            self._keep(found.name, found.what)
            return
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        what = self._asked_of(node.value) if isinstance(node, ast.Assign) and isinstance(target, ast.Name) else None
        if isinstance(target, ast.Name) and what is not None:
            self._keep(target.id, what)

    def _keep(self, name: str, what: ast.expr) -> None:
        if (different := self._different(what)) < MANY:
            self.looked[id(self.frames[-1]), name] = what, different

    def forget(self, frame: Mapping[str, Any]) -> None:
        """A function is left: another frame may have the place of this one."""
        for key in [one for one in self.looked if one[0] == id(frame)]:
            del self.looked[key]

    def _asked_of(self, call: ast.expr) -> ast.expr | None:
        """What a function of the program's own looks for that is called there; None of others."""
        if not isinstance(call, ast.Call):
            return None
        name = ast.unparse(call.func).rpartition(".")[2]
        if name not in self._seeking:
            function = self.own_function(name)
            self._seeking[name] = chains.seeks(function) if function is not None else None
        place = self._seeking[name]
        if place is None:
            return None
        function = self.own_function(name)
        method = function is not None and [each.arg for each in function.args.args][:1] == ["self"]
        place -= method and isinstance(call.func, ast.Attribute)
        return call.args[place] if 0 <= place < len(call.args) else None

    def _different(self, what: ast.expr) -> float:
        with self.hardly():
            value = self.value(what)
        return differing(any_where_unknown(value))

    def lacking(self, node: ast.If) -> float | None:
        """How often a test holds that asks whether something was found, where that is put in if it was not."""
        if self.layout is None or (asked := chains.absent(node.test)) is None:
            return None
        one, lacks = asked
        call = one.value if isinstance(one, ast.NamedExpr) else one
        found = self.looked.get((id(self.frames[-1]), one.id)) if isinstance(one, ast.Name) else None
        if (what := self._asked_of(call)) is not None:
            found = what, self._different(what)
        if found is None or found[1] >= MANY or not chains.inserts(node, self.behind, lacks, found[0]):
            return None
        before = self._lacked.get(id(node), 0.0)
        often = before + self.times
        self._lacked[id(node)] = often
        share = (new(often, found[1]) * often - (new(before, found[1]) * before if before else 0.0)) / self.times
        self.settled = self.settled or share < _SELDOM
        return share if lacks else 1.0 - share
