"""Arithmetic that is done before the program runs, and what is simpler and the same.

The identities are those of LLVM's InstSimplify and InstCombine that code as clang emits it meets often:
https://llvm.org/docs/Passes.html#instcombine-combine-redundant-instructions. Integers are kept as signed ones of their
width, of one bit as 0 or 1.
"""

from __future__ import annotations

from forerun.toolchains.llvm._instructions import BINARY, CASTS, UNDEF
from forerun.toolchains.llvm._layout import bits
from forerun.toolchains.llvm._values import Operand, Shape, Value, is_global, is_own

COMMUTATIVE = frozenset("add mul and or xor fadd fmul".split())
SWAPPED = {
    "eq": "eq", "ne": "ne", "slt": "sgt", "sgt": "slt", "sle": "sge", "sge": "sle",
    "ult": "ugt", "ugt": "ult", "ule": "uge", "uge": "ule",
}  # fmt: skip
"""Predicates once their operands change places."""
INVERSE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle",
    "ult": "uge", "uge": "ult", "ule": "ugt", "ugt": "ule",
}  # fmt: skip
_EQUAL = frozenset(("eq", "sle", "sge", "ule", "uge"))
"""Predicates that hold of a thing and itself."""
_WIDEST = 128
"""Bits of integers that are reckoned with."""
_USUAL = frozenset((1, 8, 16, 32, 64))
_OF_UNDEF = frozenset("add sub xor fadd fsub fmul fdiv frem".split())
"""What may be anything as soon as an operand may."""


def wrapped(x: int, width: int) -> int:
    """A number as an integer of so many bits holds it; unchanged of no width."""
    if not 0 < width <= _WIDEST:
        return x
    x &= (1 << width) - 1
    return x - (1 << width) if width > 1 and x >> (width - 1) else x


def unsigned(x: int, width: int) -> int:
    """The same bits as a number that is not negative."""
    return x & ((1 << width) - 1) if 0 < width <= _WIDEST else x


def arithmetic(op: str, x: int, y: int, width: int) -> int | None:
    """What an operation on integers gives; None where it gives nothing that is known."""
    if not 0 < width <= _WIDEST:
        return None
    a, b = unsigned(x, width), unsigned(y, width)
    if op in ("shl", "lshr", "ashr") and b >= width:
        return None
    if op in ("udiv", "urem", "sdiv", "srem") and b == 0:
        return None
    match op:
        case "add":
            found = x + y
        case "sub":
            found = x - y
        case "mul":
            found = x * y
        case "and":
            found = x & y
        case "or":
            found = x | y
        case "xor":
            found = x ^ y
        case "shl":
            found = a << b
        case "lshr":
            found = a >> b
        case "ashr":
            found = x >> b
        case "udiv":
            found = a // b
        case "urem":
            found = a % b
        case "sdiv":
            found = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        case "srem":
            found = abs(x) % abs(y) * (-1 if x < 0 else 1)
        case _:
            return None
    return wrapped(found, width)


def compares(predicate: str, x: int, y: int, width: int) -> bool:
    """Whether a comparison of integers holds."""
    if predicate[:1] == "s":
        x, y = (-x, -y) if width == 1 else (wrapped(x, width), wrapped(y, width))
    else:
        x, y = unsigned(x, width), unsigned(y, width)
    match predicate.removeprefix("s").removeprefix("u"):
        case "eq":
            return x == y
        case "ne":
            return x != y
        case "lt":
            return x < y
        case "le":
            return x <= y
        case "gt":
            return x > y
        case _:
            return x >= y


def simplified(op: str, type_: str, args: tuple[Operand, ...], detail: str) -> Operand | Shape:
    """What an operation without effects gives, if that is known or there already; else the operation, perhaps in other
    words: a constant stands on the right."""
    if op in BINARY:
        return _binary(op, type_, args[0], args[1])
    if op == "icmp":
        return _comparison(type_, args[0], args[1], detail)
    if op in CASTS:
        return _cast(op, type_, args[0], detail)
    if op == "select":
        return _select(type_, args[0], args[1], args[2])
    if op == "freeze" and args:
        return args[0]
    return op, type_, args, detail


def negated(condition: Operand) -> Operand | Shape:
    """The opposite of a truth."""
    if isinstance(condition, int):
        return 1 - (condition & 1)
    if isinstance(condition, Value) and condition.op == "icmp" and condition.detail in INVERSE:
        return "icmp", condition.type, condition.args, INVERSE[condition.detail]
    return "xor", "i1", (condition, 1), ""


def _of(operand: Operand, op: str) -> Value | None:
    """The operand, if that is what computes it."""
    return operand if isinstance(operand, Value) and operand.op == op else None


def _binary(op: str, type_: str, x: Operand, y: Operand) -> Operand | Shape:
    if UNDEF in (x, y):
        return UNDEF if op in _OF_UNDEF else 0
    width = bits(type_)
    if isinstance(x, int) and isinstance(y, int) and width:
        found = arithmetic(op, x, y, width)
        return UNDEF if found is None else found
    if op in COMMUTATIVE and _after(x, y):
        x, y = y, x
    if isinstance(y, int) and width:
        return _with_constant(op, type_, x, wrapped(y, width), width)
    if x == y and isinstance(x, Value) and op in ("sub", "xor", "and", "or"):
        return 0 if op in ("sub", "xor") else x
    if op in ("or", "add") and (rotated := _rotated(type_, x, y, width)):
        return rotated
    return op, type_, (x, y), ""


def _rotated(type_: str, x: Operand, y: Operand, width: int) -> Shape | None:
    """A value's bits shifted both ways and put together."""
    left, right = _of(x, "shl") or _of(y, "shl"), _of(x, "lshr") or _of(y, "lshr")
    if not left or not right or left.args[0] is not right.args[0]:
        return None
    by, rest = left.args[1], right.args[1]
    if isinstance(by, int) and isinstance(rest, int):
        turned = by + rest == width
    else:  # by something, and by the width without that
        turned = _rest(rest) is by or _rest(by) is rest
    return ("intrinsic", type_, (left.args[0], by), "@llvm.fshl") if turned else None


def _rest(operand: Operand) -> Operand | None:
    """Of what an operand is the difference to a number."""
    found = _of(operand, "sub")
    return found.args[1] if found and isinstance(found.args[0], int) else None


def _after(x: Operand, y: Operand) -> bool:
    """Whether one operand goes behind another: integers behind constants behind values, these as they were made."""
    if isinstance(x, Value):
        return isinstance(y, Value) and x.number > y.number
    if isinstance(x, int):
        return not isinstance(y, int)
    return isinstance(y, Value) or (isinstance(y, str) and x > y)


def _with_constant(op: str, type_: str, x: Operand, y: int, width: int) -> Operand | Shape:
    """Of a constant on the right."""
    if y == 0:
        if op in ("and", "mul"):
            return 0
        return x if op in ("add", "sub", "or", "xor", "shl", "lshr", "ashr") else UNDEF
    if y == 1 and op in ("mul", "udiv", "sdiv"):
        return x
    if y == 1 and op in ("urem", "srem"):
        return 0
    ones = unsigned(y, width) == (1 << width) - 1
    if ones and op in ("and", "or"):
        return x if op == "and" else y
    if op == "xor" and type_ == "i1":
        return negated(x)
    if op == "sub":
        op, y = "add", wrapped(-y, width)
    power = unsigned(y, width).bit_length() - 1
    if width <= _WIDEST and unsigned(y, width) == 1 << power:
        if op in ("mul", "udiv"):
            op, y = "shl" if op == "mul" else "lshr", power
        elif op == "urem":
            op, y = "and", wrapped((1 << power) - 1, width)
    if op == "and" and (wide := _of(x, "zext")):
        low = (1 << bits(wide.detail)) - 1
        if unsigned(y, width) & low == low:
            return x
    inner = _of(x, op)
    if inner and op in ("add", "and", "or", "xor") and inner.type == type_ and isinstance(inner.args[1], int):
        both = arithmetic(op, inner.args[1], y, width)
        if both is not None:
            return _with_constant(op, type_, inner.args[0], both, width)
    return op, type_, (x, y), ""


def _comparison(type_: str, x: Operand, y: Operand, predicate: str) -> Operand | Shape:
    if UNDEF in (x, y):
        return UNDEF
    width = bits(type_)
    if isinstance(x, int) and isinstance(y, int):
        return int(compares(predicate, x, y, width or 64))
    if predicate in SWAPPED and _after(x, y):
        x, y, predicate = y, x, SWAPPED[predicate]
    if x == y:
        return int(predicate in _EQUAL)
    if isinstance(y, int) and width:
        return _with_number(type_, x, wrapped(y, width), predicate, width)
    return "icmp", type_, (x, y), predicate


def _with_number(type_: str, x: Operand, y: int, predicate: str, width: int) -> Operand | Shape:
    """A comparison with a number."""
    if width > 1 and (known := _at_the_end(predicate, y, width)) is not None:
        return known
    if predicate in ("eq", "ne"):
        if type_ == "i1":
            return x if (predicate == "ne") == (y == 0) else negated(x)
        if y == 0 and type_ == "ptr" and (is_own(x) or (is_global(x) and str(x)[:1] == "@")):
            return int(predicate == "ne")
        if isinstance(x, Value):
            return _equality(type_, x, y, predicate, width)
    return "icmp", type_, (x, y), predicate


def _at_the_end(predicate: str, y: int, width: int) -> int | None:
    """What a comparison with the least or the largest number gives, which all numbers are above or below."""
    signed = predicate[:1] == "s"
    least = -(1 << width - 1) if signed else 0
    most = (1 << width - 1) - 1 if signed else (1 << width) - 1
    y = y if signed else unsigned(y, width)
    order = predicate[1:]
    if (order == "lt" and y == least) or (order == "gt" and y == most):
        return 0
    if (order == "ge" and y == least) or (order == "le" and y == most):
        return 1
    return None


def _equality(type_: str, x: Value, y: int, predicate: str, width: int) -> Operand | Shape:
    """Whether a value is a number: asked of what it is made of."""
    narrow = bits(x.detail)
    if x.op in ("zext", "sext") and narrow in _USUAL:
        low = unsigned(y, narrow) if x.op == "zext" else wrapped(y, narrow)
        if x.op == "sext" and narrow == 1:
            low = -low
        if low != (unsigned(y, width) if x.op == "zext" else y):
            return int(predicate == "ne")
        return _comparison(x.detail, x.args[0], wrapped(low, narrow), predicate)
    if x.type == type_ and x.op in ("add", "xor") and isinstance(x.args[1], int):
        other = y - x.args[1] if x.op == "add" else y ^ x.args[1]
        return _comparison(type_, x.args[0], wrapped(other, width), predicate)
    if y == 0 and x.type == type_ and x.op in ("sub", "xor"):
        return _comparison(type_, x.args[0], x.args[1], predicate)
    return "icmp", type_, (x, y), predicate


def _cast(op: str, type_: str, x: Operand, source: str) -> Operand | Shape:
    if x == UNDEF:
        return x
    if isinstance(x, int):
        return _cast_number(op, type_, x, source)
    if source == type_:
        return x
    if isinstance(x, Value) and x.op in CASTS and x.type == source:
        first, inner, width = x.args[0], bits(x.detail), bits(type_)
        if op in ("ptrtoint", "inttoptr", "bitcast") and x.detail == type_:
            return first
        if op == "trunc" and x.op in ("zext", "sext") and inner and width:
            if inner == width:
                return first
            return _cast(x.op if inner < width else "trunc", type_, first, x.detail)
        if (op == x.op and op in ("zext", "sext", "trunc")) or (op == "sext" and x.op == "zext"):
            return _cast(x.op, type_, first, x.detail)
    return op, type_, (x,), source


def _cast_number(op: str, type_: str, x: int, source: str) -> Operand | Shape:
    narrow, width = bits(source), bits(type_)
    if op == "zext" and narrow:
        return wrapped(unsigned(x, narrow), width)
    if op == "sext" and narrow == 1:
        return wrapped(-x, width)
    if op == "trunc" and width:
        return wrapped(x, width)
    if op in ("sext", "bitcast", "ptrtoint", "inttoptr", "addrspacecast"):
        return x
    return op, type_, (x,), source


def _select(type_: str, condition: Operand, x: Operand, y: Operand) -> Operand | Shape:
    if isinstance(condition, int):
        return x if condition & 1 else y
    if condition == UNDEF or x == y or y == UNDEF:
        return x
    if x == UNDEF:
        return y
    if x == 1 and y == 0 and (width := bits(type_)) and type_ != "ptr":
        return condition if width == 1 else ("zext", type_, (condition,), "i1")
    if type_ == "i1" and x == 0 and y == 1:
        return negated(condition)
    if type_ == "i1" and (x == 1 or y == 0):
        return _binary("or", "i1", condition, y) if x == 1 else _binary("and", "i1", condition, x)
    return "select", type_, (condition, x, y), ""
