"""What the text of a loop tells of how often it goes round: nothing is known of values here."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from forerun.tasks._objects import MANY

TAKING = frozenset("pop popleft popitem heappop remove clear".split())
_ONE = frozenset("pop popleft".split())
"""What takes one out of a list."""
HOPS, HALVINGS = 3.0, 10.0
"""Rounds of loops that go to a parent that is kept in a list, or on to the end of a word, and of those that halve what
is left."""
OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
"""What holds where another comparison does not."""
_HALF = (1, 2, 10)
"""What is shifted by, divided by and multiplied by where a loop goes through digits, or up and down a tree."""
_WAYS = 6
"""Things that a machine can do one of in each step, at least."""


def pair(target: ast.expr) -> bool:
    """Whether it is two names."""
    return isinstance(target, ast.Tuple) and len(target.elts) == 2


def ends_at_blank(node: ast.For | ast.AsyncFor) -> bool:
    """`for line in lines: if not line.strip(): break; …`."""
    tests = [ast.unparse(each.test) for each in node.body if isinstance(each, ast.If) and breaks(each)]
    named = ast.unparse(node.target)
    blank = (named, f"{named}.strip()", f"{named}.rstrip()")
    return any(test in (f"not {each}", f"{each} == ''", f"len({each}) == 0") for test in tests for each in blank)


def anew(body: Sequence[ast.stmt]) -> set[int]:
    """Lists that begin anew when something happens, by their identity: `if full: rows.append(row); row = []`."""
    ifs = [one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.If)]
    values = [one.value for each in ifs for one in ast.walk(each) if isinstance(one, ast.Assign)]
    inside = [part for one in values for part in (one.elts if isinstance(one, ast.Tuple) else [one])]
    return {id(one) for one in inside if isinstance(one, ast.List) and not one.elts}


def dispatches(body: Sequence[ast.stmt]) -> bool:
    """Whether each round does one of many things, as a machine does whose program nobody knows, which leaves nothing
    on its stack in the long run."""
    for one in body:
        ways, branch = len(one.cases) if isinstance(one, ast.Match) else 0, [one]
        while len(branch) == 1 and isinstance(each := branch[0], ast.If):
            ways, branch = ways + 1, each.orelse
        if ways >= _WAYS:
            return True
    return False


def scans(node: ast.While) -> bool:
    """`while keys[i] < pivot: i += 1`, which goes on where it was left the next time."""
    step = node.body[0]
    if len(node.body) > 1 or not (isinstance(step, ast.AugAssign) and isinstance(step.target, ast.Name)):
        return False
    places = [one.slice for one in ast.walk(node.test) if isinstance(one, ast.Subscript)]
    named = step.target.id
    return isinstance(step.value, ast.Constant) and any(uses(one, named) for each in places for one in ast.walk(each))


def orbits(test: ast.expr, body: Sequence[ast.stmt]) -> bool:
    """`x * x + y * y <= 4`, or of names that have the squares, where the body moves both."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant)):
        return False
    given = {target.id: one.value for one in body if isinstance(one, ast.Assign)
             for target in one.targets if isinstance(target, ast.Name)}  # fmt: skip
    sides = [test.left.left, test.left.right] if isinstance(test.left, ast.BinOp) else []
    squares = [given.get(one.id) if isinstance(one, ast.Name) else one for one in sides]
    plain = isinstance(test.left, ast.BinOp) and isinstance(test.left.op, ast.Add)
    own = [one.left.id for one in squares if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult)
           and isinstance(one.left, ast.Name) and ast.unparse(one.left) == ast.unparse(one.right)]  # fmt: skip
    return plain and len({*own} & stored(body)) == 2


def stored(body: Sequence[ast.AST]) -> set[str]:
    """Names that a block gives something, or a part of one."""
    inside = (one for stmt in body for one in ast.walk(stmt))
    return {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}


def escapes(node: ast.For | ast.AsyncFor) -> bool:
    """`for i in range(most): …; if x * x + y * y > 4: break; …`, where what is asked for follows from each round."""
    names = stored(node.body)
    ends = [each.test for each in node.body if leaves(each)]
    named = [{one.id for one in ast.walk(test) if isinstance(one, ast.Name)} for test in ends if ordered(test)]
    return any(names & each for each in named)


def ends_at_free(node: ast.While) -> bool:
    """`while owner[place] != 0: …; place = best`, which ends at the first place that nobody has."""
    test = node.test
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.NotEq) and len(test.ops) == 1):
        return False
    left, free = test.left, test.comparators[0]
    if not (isinstance(left, ast.Subscript) and isinstance(left.slice, ast.Name) and isinstance(free, ast.Constant)):
        return False
    return any(isinstance(one, ast.Assign) and left.slice.id in map(ast.unparse, one.targets) for one in node.body)


def prunes(node: ast.While) -> bool:
    """`while stack: cell = stack.pop(); if cell.width > near * far: stack.extend(cell.parts)`, which goes on where one
    size is more than another, and keeps no account of where it was."""
    inside = [one for stmt in node.body for one in ast.walk(stmt)]
    goes_on = [
        one for one in inside if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute)
        and one.func.attr in ("append", "extend") and ast.unparse(one.func.value) in ast.unparse(node.test)
    ]  # fmt: skip
    marks = any(
        isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) and not isinstance(one.slice, ast.Constant)
        for one in inside
    ) or any(called(one) == "add" for one in inside if isinstance(one, ast.Call))
    below = [
        one for each in inside if isinstance(each, ast.If) and any(map(_of_sizes, ast.walk(each.test)))
        for stmt in each.body for one in ast.walk(stmt)
    ]  # fmt: skip
    return bool(goes_on) and not marks and all(one in below for one in goes_on)


def _of_sizes(test: ast.AST) -> bool:
    """Whether it asks which of two numbers is larger neither of which is written out."""
    orders = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], orders)):
        return False
    return all(measured(side) is None and not isinstance(side, ast.Constant) for side in (test.left, *test.comparators))


def rows_gone_through(inside: Sequence[ast.AST]) -> set[int]:
    """Rows that a round goes through from one end to the other, by their identity: `row = rows[i]; for j in range(n): …
    row[j] …`."""
    loops = [one for one in inside if isinstance(one, ast.For)]
    asked = {
        one.value.id for loop in loops for stmt in loop.body for one in ast.walk(stmt)
        if isinstance(one, ast.Subscript) and isinstance(one.value, ast.Name)
    }  # fmt: skip
    return {
        id(one.value) for one in inside if isinstance(one, ast.Assign)
        for target in one.targets if isinstance(target, ast.Name) and target.id in asked
    }  # fmt: skip


def letters_asked(test: ast.expr, place: str) -> float:
    """Rounds at most of `while i < n and text[i] == '+'`, which goes on as long as a letter is the one that is asked
    for, and of `while i < n and text[i].isdigit()`, which goes through a word."""
    most = MANY
    for one in test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else []:
        either = one.values if isinstance(one, ast.BoolOp) and isinstance(one.op, ast.Or) else [one]
        same = [
            isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq)
            and isinstance(each.comparators[0], ast.Constant) and at_place(each.left, place)
            for each in either
        ]  # fmt: skip
        of_a_kind = [
            isinstance(each, ast.BinOp) and isinstance(each.right, ast.Constant) and at_place(each.left, place)
            for each in either
        ]  # fmt: skip
        if all(each or kind for each, kind in zip(same, of_a_kind, strict=True)):
            most = min(most, HALVINGS if any(of_a_kind) else HOPS)
    return most


def at_place(node: ast.expr, place: str) -> bool:
    """`text[place]`."""
    return isinstance(node, ast.Subscript) and ast.unparse(node.slice) == place


def breaks(node: ast.If) -> bool:
    """`if …: break`."""
    return isinstance(node.body[-1], ast.Break)


def leaves(node: ast.AST) -> TypeGuard[ast.If]:
    """`if …: break`, or `return`."""
    return isinstance(node, ast.If) and isinstance(node.body[-1], (ast.Break, ast.Return))


def plain(node: ast.expr, sized: bool = False) -> bool:
    """Whether it only reckons with names and numbers, or with how many something has."""
    kinds = (ast.BinOp, ast.UnaryOp, ast.Name, ast.Constant, ast.operator, ast.unaryop, ast.expr_context)
    return all(
        isinstance(one, kinds) or (sized and isinstance(one, ast.Call) and called(one) == "len")
        for one in ast.walk(node)
    )


def ordered(test: ast.expr, sized: bool = False) -> bool:
    """Whether it asks which of two numbers is larger."""
    orders = (ast.Gt, ast.GtE, ast.Lt, ast.LtE)
    return (
        isinstance(test, ast.Compare)
        and all(plain(each, sized) for each in (test.left, *test.comparators))
        and (len(test.ops) == 1 and isinstance(test.ops[0], orders))
    )


def rests(test: ast.expr, name: str) -> bool:
    """`i % 97 == 3`, of what the name counts."""
    if not (isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq) and len(test.ops) == 1):
        return False
    left = test.left
    if not (isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and isinstance(left.left, ast.Name)):
        return False
    return left.left.id == name and isinstance(left.right, ast.Constant)


def measured(node: ast.expr) -> ast.expr | None:
    """What is asked how many it has: `rows` of `len(rows)`; None of what asks for something else."""
    return node.args[0] if isinstance(node, ast.Call) and called(node) == "len" and node.args else None


def asks_behind(node: ast.While) -> bool:
    """Whether a loop asks behind each round whether there is another one: `do { … } while (…)`."""
    return bool(getattr(node, "behind", False))


def reckons(function: ast.FunctionDef) -> bool:
    """Whether a function only reckons with numbers, and calls nothing."""
    kinds = (ast.Call, ast.Global, ast.Subscript, ast.Attribute, ast.While)
    return not any(isinstance(one, kinds) and not (isinstance(one, ast.Call) and called(one) == "range")
                   for one in ast.walk(function))  # fmt: skip


def unrolled(body: Sequence[ast.stmt], name: str) -> float:
    """How far a counter goes each round that goes on several times: `i += 1; …; i += 1; …`; 0 of others."""
    steps = [one for one in body if isinstance(one, ast.AugAssign) and ast.unparse(one.target) == name]
    by = [
        (-1 if isinstance(one.op, ast.Sub) else 1) * one.value.value for one in steps
        if isinstance(one.op, (ast.Add, ast.Sub)) and isinstance(one.value, ast.Constant)
        and isinstance(one.value.value, (int, float))
    ]  # fmt: skip
    return float(sum(by)) if len(by) == len(steps) > 1 else 0.0


def gives(node: ast.stmt, name: ast.expr) -> TypeGuard[ast.Assign]:
    """Whether a name is given a value there."""
    return isinstance(node, ast.Assign) and isinstance(name, ast.Name) and ast.unparse(node.targets[0]) == name.id


def follows(value: ast.expr, name: str) -> bool:
    """Whether something is reckoned with a name, and with numbers: `max(x / 1000, 1)`."""
    if isinstance(value, ast.Call) and called(value) in ("max", "min") and isinstance(value.func, ast.Name):
        return any(follows(one, name) for one in value.args) and all(plain(one) for one in value.args)
    return plain(value) and uses(value, name)


def goes_up(node: ast.While) -> bool:
    """Whether a loop asks whether that is small which only becomes more: what does not hold does not hold later."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.Lt, ast.LtE)):
        return False
    small, inside = ast.unparse(test.left), [one for stmt in node.body for one in ast.walk(stmt)]
    steps = [one for one in inside if isinstance(one, ast.AugAssign) and ast.unparse(one.target) == small]
    anew = any(small in map(ast.unparse, one.targets) for one in inside if isinstance(one, ast.Assign))
    return (
        bool(steps)
        and not anew
        and all(isinstance(one.op, ast.Add) and isinstance(one.value, ast.Constant) for one in steps)
    )


def takes_each(body: Sequence[ast.stmt], name: str) -> int:
    """How many are taken out of a list each round, where nothing else is done to it and the loop does not end before;
    0 of others."""
    if any(isinstance(one, (ast.Break, ast.Return)) for stmt in body for one in ast.walk(stmt)):
        return 0
    own = [one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.Attribute)]
    asked = [one.attr for one in own if isinstance(one.value, ast.Name) and one.value.id == name]
    anew = any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
               for stmt in body for one in ast.walk(stmt))  # fmt: skip
    plain = [one.value for one in body if isinstance(one, (ast.Assign, ast.Expr)) and isinstance(one.value, ast.Call)]
    taken = sum(isinstance(one.func, ast.Attribute) and ast.unparse(one.func.value) == name for one in plain)
    return taken if not anew and taken == len(asked) and all(one in _ONE for one in asked) else 0


def works_off(node: ast.While) -> bool:
    """Whether a loop takes out of the list that it puts into: `while stack: x = stack.pop(); …; stack.append(y)`."""
    taken, put = set[str](), set[str]()
    for one in (each for stmt in node.body for each in ast.walk(stmt)):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            of = put if one.func.attr in ("append", "appendleft", "extend") else taken
            if of is put or one.func.attr in ("pop", "popleft"):
                of.add(ast.unparse(one.func.value))
    return bool(taken & put)


def leaps(node: ast.While) -> bool:
    """Whether each round goes on where a loop in it has ended: `while i < n: j = i; while …: j += 1; …; i = j`."""
    inner = [one for one in node.body if isinstance(one, ast.While)]
    counted = {step for loop in inner for stmt in loop.body for one in ast.walk(stmt) for step, _ in stepping(one)}
    asked = {one.id for one in ast.walk(node.test) if isinstance(one, ast.Name)}
    for one in node.body:
        target = one.targets[0] if isinstance(one, ast.Assign) else None
        if isinstance(one, ast.Assign) and isinstance(target, ast.Name) and target.id in asked:
            value = one.value.left if isinstance(one.value, ast.BinOp) else one.value
            if isinstance(value, ast.Name) and value.id in counted:
                return True
    return False


def moves(body: Sequence[ast.stmt], place: ast.expr, to: ast.expr) -> bool:
    """Whether a place is where another one is then: `i = j`, `i = j + 1`."""
    for one in (each for stmt in body for each in ast.walk(stmt) if isinstance(each, ast.Assign)):
        value = one.value.left if isinstance(one.value, ast.BinOp) else one.value
        if ast.unparse(one.targets[0]) == ast.unparse(place) and ast.unparse(value) == ast.unparse(to):
            return True
    return False


def called(node: ast.expr) -> str:
    """The last name of what is called, or of a decorator."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def clocks(node: ast.While) -> list[ast.Compare]:
    """Tests whether what comes first is not too late: `while events and events[0].time <= end`."""
    tests = node.test.values if isinstance(node.test, ast.BoolOp) else [node.test]
    return [
        one for one in tests
        if isinstance(one, ast.Compare) and isinstance(one.ops[0], (ast.Lt, ast.LtE))
        and any(isinstance(x, ast.Subscript) and isinstance(x.slice, ast.Constant) and x.slice.value == 0
                for x in ast.walk(one.left))
    ]  # fmt: skip


def flagged(node: ast.While) -> bool:
    """`while changed: changed = False; …`."""
    if not isinstance(node.test, ast.Name):
        return False
    steps = (step for stmt in node.body for one in ast.walk(stmt) for step in stepping(one))
    return any(
        name == node.test.id and isinstance(value, ast.Constant) and isinstance(value.value, bool)
        for name, value in steps
    )


def sweeps(node: ast.While) -> bool:
    """Whether each round goes through all pairs of something."""
    loops = (one for stmt in node.body for one in ast.walk(stmt) if isinstance(one, ast.For))
    return any(isinstance(one, ast.For) for loop in loops for stmt in loop.body for one in ast.walk(stmt))


def cleared(one: ast.AST, test: ast.expr) -> ast.expr | None:
    """Whose places are cleared that a loop asks for: `while slots[hand].used: slots[hand].used = False`."""
    given = isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store) and ast.unparse(one) in ast.unparse(test)
    slot = one.value if given and isinstance(one, ast.Attribute) else None
    return slot.value if isinstance(slot, ast.Subscript) else None


def uses(value: ast.AST, name: str) -> bool:
    return any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(value))


def counts(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether a name becomes more there."""
    inside = (one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.AugAssign))
    return any(
        isinstance(one.target, ast.Name) and one.target.id == name and isinstance(one.op, ast.Add) for one in inside
    )


def set_back(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether a counter begins anew in each round in which it does not count: `idle = 0`."""
    return any(
        isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and name in map(ast.unparse, one.targets)
        for one in body
    )


def renewed(body: Sequence[ast.stmt]) -> set[str]:
    """Names that each round reckons anew, whatever loops in it have added to them: `total = k * k`."""
    loops = [one for one in body if isinstance(one, (ast.While, ast.For))]
    added = {name for loop in loops for one in ast.walk(loop) for name, _ in stepping(one)} if loops else set()
    given = [(target, one.value) for one in body if isinstance(one, ast.Assign) for target in one.targets]
    anew = [(one.id, value) for one, value in given if isinstance(one, ast.Name)]
    others = {name for name, value in anew if not plain(value) or isinstance(value, ast.Name) or uses(value, name)}
    return ({name for name, _ in anew} & added) - others


def jumps(body: Sequence[ast.stmt], name: str) -> bool:
    """Whether a counter is given something else as well: `pc = labels[name]`."""
    assigned = [one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.Assign)]
    given = [value for one in assigned for own, value in stepping(one) if own == name]
    return any(isinstance(each, (ast.Subscript, ast.Attribute, ast.Call)) for each in given)


def reckoned(node: ast.While) -> bool:
    """Whether a loop goes on until a number that follows from itself is another one: `while n != 1`."""
    test = node.test
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and isinstance(test.ops[0], ast.NotEq)):
        return False
    steps = [step for stmt in node.body for one in ast.walk(stmt) for step in stepping(one)]
    values = [value for name, value in steps if name == test.left.id]
    return bool(values) and all(not isinstance(each, ast.Name) and arithmetic(each) for each in values)


def arithmetic(node: ast.expr) -> bool:
    """Whether it reckons with names and numbers, one way or another, or goes on to the next of a chain."""
    if isinstance(node, ast.IfExp):
        return arithmetic(node.body) and arithmetic(node.orelse)
    return plain(node) or (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript))


def takes_out(body: Iterable[ast.AST]) -> tuple[frozenset[str], frozenset[str]]:
    """Functions that take something out of what they are given, or of what is theirs, and those of them that take all
    that is behind a place."""
    taking, parting = set[str](), set[str]()
    for function in (one for each in body for one in ast.walk(each) if isinstance(one, ast.FunctionDef)):
        for one in ast.walk(function):
            if isinstance(one, ast.Delete):
                taking.add(function.name)
                if isinstance(one.targets[0], ast.Subscript) and isinstance(one.targets[0].slice, ast.Slice):
                    parting.add(function.name)
            elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in TAKING:
                taking.add(function.name)
    return frozenset(taking), frozenset(parting)


def unlinks(module: ast.AST) -> bool:
    """Whether things are taken out of a chain of them: `node.prev.next = node.next`, or by names of both."""
    plain, ends = list[tuple[str, str]](), dict[str, str]()
    for one in ast.walk(module):
        if not isinstance(one, ast.Assign):
            continue
        target, value = one.targets[0], one.value
        pairs = [(target, value)]
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
            pairs = [*zip(target.elts, value.elts, strict=True)]
        for to, of in pairs:
            if isinstance(to, ast.Name) and isinstance(of, ast.Attribute):
                ends[to.id] = ast.unparse(of.value)
            if not isinstance(to, ast.Attribute):
                continue
            beside = isinstance(to.value, ast.Attribute) and isinstance(of, ast.Attribute) and to.attr == of.attr
            if beside and ast.unparse(to.value.value) == ast.unparse(of.value):  # type: ignore[attr-defined]
                return True
            if isinstance(to.value, ast.Name) and isinstance(of, ast.Name):
                plain.append((to.value.id, of.id))
    return any(ends.get(one, "") == ends.get(other) and (other, one) in plain for one, other in plain)


def taken_from(module: ast.AST) -> frozenset[str]:
    """Names and fields of which something is taken out somewhere."""
    found = list[ast.expr]()
    for one in ast.walk(module):
        if isinstance(one, ast.Delete):
            found += [each.value for each in one.targets if isinstance(each, ast.Subscript)]
        elif isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in TAKING:
            found.append(one.func.value)
        elif isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant) and one.value.value is None:
            found += [each.value for each in one.targets if isinstance(each, ast.Subscript)]
    return frozenset(one.attr if isinstance(one, ast.Attribute) else ast.unparse(one) for one in found)


def stepping(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Names that are given a new value, and what they are given."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, ast.BinOp(ast.Name(node.target.id), node.op, node.value)
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                for each, value in zip(target.elts, node.value.elts, strict=False):
                    if isinstance(each, ast.Name):
                        yield each.id, value


def further(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Lists that are given one more behind the last one, which that follows from: `path.append(left[path[-1]])`."""
    adds = isinstance(node, ast.Call) and called(node) == "append" and len(node.args) == 1
    if adds and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        own = node.func.value
        last = ast.unparse(ast.Subscript(own, ast.Constant(-1)))
        if isinstance(own, ast.Name) and last in ast.unparse(node.args[0]):
            yield own.id, node.args[0]


def isolates(value: ast.expr) -> bool:
    """`left & -left`, the lowest bit."""
    return any(
        isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitAnd) and isinstance(one.right, ast.UnaryOp)
        and isinstance(one.right.op, ast.USub) and ast.unparse(one.right.operand) == ast.unparse(one.left)
        for one in ast.walk(value)
    )  # fmt: skip


def shortens(value: ast.BinOp, name: str) -> bool:
    """`a % b` for a `b`, `i & -i`, `n // p`: what is left has fewer digits."""
    left, right = (
        {one.id for one in ast.walk(side) if isinstance(one, ast.Name)} for side in (value.left, value.right)
    )
    if isinstance(value.op, ast.FloorDiv):
        return isinstance(value.left, ast.Name) and value.left.id == name and name not in right
    return name in right and (isinstance(value.op, ast.Mod) or (isinstance(value.op, ast.BitAnd) and name in left))


def grows(value: ast.expr, name: str) -> bool:
    """Whether it may be several times as much as before: `3 * n + 1`, `n * step`."""
    for one in (each for each in ast.walk(value) if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Mult)):
        sides = one.left, one.right
        own = [isinstance(side, ast.Name) and side.id == name for side in sides]
        if any(own) and not any(isinstance(side, ast.Constant) and side.value in _HALF for side in sides):
            return True
    return False


def drift(body: Sequence[ast.stmt], name: str) -> float | None:
    """How much smaller the logarithm of a number becomes in a round, in the mean, that is divided where it is even and
    becomes several times as much where it is odd, which makes it even; None of others."""
    values = [value for stmt in body for one in ast.walk(stmt) for own, value in stepping(one) if own == name]
    inside = [one for value in values for one in ast.walk(value) if isinstance(one, ast.BinOp)]
    down, up = list[float](), list[float]()
    for one in inside:
        for side, other in ((one.left, one.right), (one.right, one.left)):
            if isinstance(side, ast.Name) and side.id == name and isinstance(other, ast.Constant):
                by = float(other.value) if isinstance(other.value, (int, float)) else 0.0
                if isinstance(one.op, ast.Mult) and by > 1:
                    up.append(math.log(by))
                elif isinstance(one.op, (ast.FloorDiv, ast.Div, ast.RShift)) and side is one.left and by > 0:
                    down.append(math.log(2.0) * by if isinstance(one.op, ast.RShift) else math.log(max(by, 1.0)))
    far = (2 * max(down) - max(up)) / 3 if down and up else 0.0
    return far if far > 0 else None


def halves(value: ast.expr) -> bool:
    """`(low + high) // 2`, `n >> 1`, `n // 10`, `2 * place + 1`."""
    steps = (ast.FloorDiv, ast.RShift, ast.Mult, ast.LShift)
    found = [one for one in ast.walk(value) if isinstance(one, ast.BinOp) and isinstance(one.op, steps)]
    sides = [side for one in found for side in (one.left, one.right)]
    return any(isinstance(side, ast.Constant) and side.value in _HALF for side in sides)


def adds(body: Sequence[ast.stmt]) -> bool:
    """Whether a branch adds to a list."""
    calls = (one for stmt in body for one in ast.walk(stmt) if isinstance(one, ast.Call))
    return any(isinstance(one.func, ast.Attribute) and one.func.attr in ("append", "add") for one in calls)
