"""Loop nests of TensorIR: loops around one block, and what it stores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from forerun.toolchains.tvm._nodes import kind, unsupported


@dataclass
class Nest:
    """Loops around one block, and what the block does."""

    block: Any = None
    loops: list[Any] = field(default_factory=list)
    conditions: list[Any] = field(default_factory=list)
    """What must hold for the block to run: of `T.where` and of ifs."""
    bindings: list[tuple[Any, Any]] = field(default_factory=list)
    """Variables of blocks and their values, those of outer blocks first."""
    lets: list[Any] = field(default_factory=list)
    stores: list[Any] = field(default_factory=list)


def nest(statement: Any) -> Nest:
    """The loops around one block. Raises InputError where they hold more than that."""
    found = Nest()
    while kind(statement) in ("For", "SBlockRealize", "IfThenElse"):
        statement = {"For": _loop, "SBlockRealize": _block, "IfThenElse": _condition}[kind(statement)](found, statement)
    for part in statement.seq if kind(statement) == "SeqStmt" else [statement]:
        if kind(part) == "Bind" and not found.stores:
            found.lets.append(part)
        elif kind(part) == "BufferStore":
            found.stores.append(part)
        else:
            raise unsupported(f"a loop around several statements, one of the kind {kind(part)}")
    if found.block is None:
        raise unsupported("a store outside of a block")
    return found


def _loop(found: Nest, loop: Any) -> Any:
    if loop.thread_binding is not None or (loop.step is not None and int(loop.step) != 1):
        raise unsupported("a loop over threads, or with a step")
    found.loops.append(loop)
    return loop.body


def _condition(found: Nest, statement: Any) -> Any:
    if statement.else_case is not None:
        raise unsupported("an if with an else around stores")
    found.conditions.append(statement.condition)
    return statement.then_case


def _block(found: Nest, realize: Any) -> Any:
    block = realize.block
    if len(block.alloc_buffers) or len(block.match_buffers):
        raise unsupported("a buffer that lives in a loop")
    if found.block is not None and found.block.init is not None:
        raise unsupported("a reduction around another block")
    found.conditions.append(realize.predicate)
    found.bindings += [(one.var, value) for one, value in zip(block.iter_vars, realize.iter_values, strict=True)]
    found.block = block
    return block.body
