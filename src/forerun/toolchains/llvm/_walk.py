"""What is left of a function: its blocks are walked once, and what is known by then is not computed.

In reverse postorder every block comes behind those that lead to it. So constants are folded and branches that cannot be
taken are not followed, as in Wegman and Zadeck (1991), Constant Propagation with Conditional Branches, but without
their optimism about loops, and what a dominator has computed is not computed again (Briggs, Cooper and Simpson 1997,
Value Numbering).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from forerun.toolchains.llvm._addresses import Address, reckoned
from forerun.toolchains.llvm._folding import simplified, wrapped
from forerun.toolchains.llvm._graph import Block, Enter, Graph, Leave, Result, Step
from forerun.toolchains.llvm._instructions import BINARY, CASTS, UNDEF, Instruction, Written
from forerun.toolchains.llvm._ir import Module
from forerun.toolchains.llvm._layout import Layout, bits, is_aggregate
from forerun.toolchains.llvm._nodes import End, Node, Reduced, drop_single_phis
from forerun.toolchains.llvm._parts import Parts
from forerun.toolchains.llvm._values import Operand, Shape, Value
from forerun.toolchains.llvm._variables import UNUSED, Slot, Variables, returned

_FREE = (*UNUSED, "@llvm.stacksave", "@llvm.stackrestore", "@llvm.va_end")
"""Calls that are no code."""
_FIRST = ("@llvm.expect", "@llvm.launder", "@llvm.strip", "@llvm.ssa.copy", "@llvm.ptr.annotation", "@llvm.annotation")
"""Calls that give their first argument."""
_COPIES = ("@llvm.memcpy", "@llvm.memmove", "@llvm.memset")
_EFFECTS = ("@llvm.va", "@llvm.trap", "@llvm.debugtrap", "@llvm.ubsan", "@llvm.prefetch", "@llvm.eh.", "@llvm.x86")
_NOTHING = frozenset(("memory(none)", "readnone"))
"""Attributes of functions whose results depend on their arguments alone."""
_HARMLESS = _NOTHING | {"memory(read)", "memory(argmem:read)", "readonly"}
"""Attributes of functions that write no memory."""
_RETURNS = frozenset(("nounwind", "willreturn"))
_PURE = (
    BINARY
    | CASTS
    | frozenset(
        "icmp fcmp select fneg freeze extractvalue insertvalue extractelement insertelement shufflevector".split()
    )
)
_QUIET = frozenset(("landingpad", "va_arg", "resume"))
"""What writes no memory that is known of."""


def loops_of(graph: Graph) -> dict[int, int]:
    """The loops as they stand in a graph, by the block that each begins with."""
    found: dict[int, int] = {}
    for block in graph.blocks:
        for target in block.targets:
            if target.number <= block.number:
                found[target.number] = block.number
    return found


class Walk:
    """One walk over one function."""

    def __init__(
        self, module: Module, layout: Layout, graph: Graph, variables: Variables, loops: Mapping[int, int]
    ) -> None:
        self._module, self._layout, self._graph = module, layout, graph
        self._variables, self._loops = variables, loops
        self._nodes: list[Node | None] = [None] * len(graph.blocks)
        self._names: list[dict[str, Operand]] = [{} for _ in range(graph.frames)]
        self._made = 0
        self._open: list[tuple[Value, Node, Instruction]] = []
        """Phis at the beginnings of loops: what comes back there is known at the end."""
        self._reduced = Reduced([])
        self._parts = Parts(variables, loops, layout, self._reduced, lambda type_: self._new("phi", type_, ()))
        self._does: dict[str, Callable[[Node, Instruction], None]] = {
            "alloca": self._alloca,
            "load": self._load,
            "store": self._store,
            "getelementptr": self._address,
            "phi": self._phi,
            "call": self._call,
            "br": self._branch,
            "switch": self._switch,
            "ret": self._return,
            "unreachable": self._dead,
        }

    def reduced(self, parameters: list[str]) -> Reduced:
        """What is left."""
        self._names[0] = {name: self._new("parameter", "", (), name) for name in parameters}
        self._nodes[0] = Node(self._graph.blocks[0])
        for block in self._graph.blocks:
            if node := self._nodes[block.number]:
                self._reduced.nodes.append(node)
                self._enter(node)
                for step in block.steps:
                    self._step(node, step)
        self._close()
        return self._reduced

    # What stands where.

    def _new(self, op: str, type_: str, args: tuple[Operand, ...], detail: str = "", effect: bool = False) -> Value:
        self._made += 1
        return Value(op, type_, args, detail, self._made, effect)

    def _value(self, node: Node, written: Written) -> Operand:
        """An operand; what is used in front of its definition, as no program does, may be anything."""
        if isinstance(written, str) and written[:1] == "%":
            return self._names[node.block.frame].get(written, UNDEF)
        return written

    def _values(self, node: Node, step: Instruction) -> tuple[Operand, ...]:
        return tuple(self._value(node, written) for written in step.args)

    def _name(self, node: Node, step: Instruction | Result, value: Operand) -> None:
        if step.name:
            self._names[node.block.frame][step.name] = value

    def _left(self, node: Node, step: Instruction, value: Value) -> None:
        node.left.append(value)
        self._name(node, step, value)

    def _pure(self, node: Node, op: str, type_: str, args: tuple[Operand, ...], detail: str = "") -> Operand:
        """What an operation without effects gives, computed unless that is known."""
        return self._shaped(node, simplified(op, type_, args, detail))

    def _shaped(self, node: Node, shape: Operand | Shape) -> Operand:
        if not isinstance(shape, tuple):
            return shape
        found = node.lookup(shape)
        if found is None:
            made = found = node.known[shape] = self._new(*shape)
            node.left.append(made)
        return found

    # Steps.

    def _step(self, node: Node, step: Step) -> None:
        match step:
            case Instruction():
                self._does.get(step.op, self._other)(node, step)
            case Enter():
                given = [self._value(node, written) for written in step.args]
                self._names[step.frame].update(zip(step.parameters, given, strict=False))
                self._go(node, End("jump", targets=self._targets(node)))
            case Leave():
                value = UNDEF if step.value is None else self._value(node, step.value)
                self._parts.write(node, returned(step.frame), value)
                self._go(node, End("jump", targets=self._targets(node)))
            case Result():
                self._name(node, step, self._parts.read(node, returned(step.frame)))

    def _alloca(self, node: Node, step: Instruction) -> None:
        if step.args:
            self._left(node, step, self._new("alloca", step.type, self._values(node, step), "", effect=True))
        else:
            self._name(node, step, self._new("alloca", step.type, (), f"{node.block.frame}{step.name}"))

    def _load(self, node: Node, step: Instruction) -> None:
        pointer = self._value(node, step.args[0])
        slot, kept = self._parts.slot(pointer)
        if slot and kept:
            if is_aggregate(step.type):
                parts = dict.fromkeys(self._parts.read(node, part) for part in self._parts.within(slot, step.type))
                self._name(node, step, self._new("aggregate", step.type, tuple(parts)))
            else:
                value = self._parts.read(node, slot)
                self._name(node, step, wrapped(value, bits(step.type)) if isinstance(value, int) else value)
            return
        found = None if step.volatile else node.memory.get(pointer, step.type)
        if found is not None:
            self._name(node, step, found)
            return
        value = self._new("load", step.type, (pointer,), "", effect=step.volatile)
        self._left(node, step, value)
        if not step.volatile:
            node.memory.put(pointer, step.type, value, step.detail, self._layout.size(step.type))

    def _store(self, node: Node, step: Instruction) -> None:
        value, pointer = self._values(node, step)
        slot, kept = self._parts.slot(pointer)
        if slot and kept:
            self._put(node, slot, step.type, value)
            return
        if slot:
            self._parts.note(node, slot)
        detail = "volatile" if step.volatile else ""
        node.left.append(self._new("store", step.type, (value, pointer), detail, effect=True))
        size = self._layout.size(step.type)
        node.memory.overwrite(pointer, step.detail, size, self._variables.escaped)
        if not step.volatile:
            node.memory.put(pointer, step.type, value, step.detail, size)

    def _put(self, node: Node, slot: Slot, type_: str, value: Operand) -> None:
        """Into a variable that is kept as values."""
        parts = self._parts.within(slot, type_) if is_aggregate(type_) else [slot]
        if isinstance(value, Value) and parts != [slot]:
            for part in parts:
                self._parts.write(node, part, self._pure(node, "extractvalue", "", (value,), str(part[1] - slot[1])))
        else:
            for part in parts:
                self._parts.write(node, part, value)

    def _address(self, node: Node, step: Instruction) -> None:
        values = self._values(node, step)

        def widened(op: str, type_: str, narrow: Operand, source: str) -> Operand:
            return self._pure(node, op, type_, (narrow,), source)

        found = reckoned(values[0], step.type, values[1:], self._layout, widened)
        self._name(node, step, self._reckoned(node, found))

    def _reckoned(self, node: Node, found: Address) -> Operand:
        if not found.offset and not found.scales:
            return found.base
        shape: Shape = ("getelementptr", "", (found.base, *found.indices), f"{found.offset} {found.scales}")
        known = node.lookup(shape)
        if known is None:
            known = self._new("getelementptr", "ptr", shape[2])
            known.offset, known.scales = found.offset, found.scales
            node.known[shape] = known
            node.left.append(known)
        return known

    def _phi(self, node: Node, step: Instruction) -> None:
        if node.number in self._loops:
            phi = self._new("phi", step.type, ())
            self._open.append((phi, node, step))
            self._name(node, step, phi)
        else:
            self._name(node, step, self._parts.joined(node, self._coming(node, step, node.predecessors), step.type))

    def _coming(self, node: Node, step: Instruction, ways: list[Node]) -> list[Operand]:
        """What a phi takes from each of these nodes."""
        values = dict(zip(step.labels, step.args, strict=False))
        return [self._value(node, values.get(way.block.label, UNDEF)) for way in ways]

    def _call(self, node: Node, step: Instruction) -> None:
        if step.detail.startswith(_FREE):
            return
        args = self._values(node, step)
        if step.detail.startswith("@llvm.") and not step.detail.startswith(_COPIES):
            self._intrinsic(node, step, args)
        else:
            self._called(node, step, args)
        if step.labels:
            self._go(node, End("other", targets=self._targets(node)))

    def _intrinsic(self, node: Node, step: Instruction, args: tuple[Operand, ...]) -> None:
        if step.detail.startswith(_FIRST) and args:
            self._name(node, step, args[0])
        elif step.detail.startswith("@llvm.objectsize"):
            self._name(node, step, 0 if args[1:2] == (1,) else -1)
        elif step.detail.startswith("@llvm.is.constant"):
            self._name(node, step, int(bool(args) and not isinstance(args[0], Value)))
        elif step.detail.startswith(_EFFECTS) or not step.name:
            self._left(node, step, self._new("intrinsic", step.type, args, step.detail, effect=True))
        else:
            self._name(node, step, self._pure(node, "intrinsic", step.type, args, step.detail))

    def _called(self, node: Node, step: Instruction, args: tuple[Operand, ...]) -> None:
        attributes = self._module.attributes_of(step)
        harmless, returns = bool(attributes & _HARMLESS), attributes >= _RETURNS
        if returns and attributes & _NOTHING:
            self._name(node, step, self._pure(node, "call", step.type, args, step.detail))
            return
        if not harmless:
            node.memory.clear()
        self._left(node, step, self._new("call", step.type, args, step.detail, effect=not (harmless and returns)))

    def _other(self, node: Node, step: Instruction) -> None:
        args = self._values(node, step)
        if step.op in _PURE:
            self._name(node, step, self._pure(node, step.op, step.type, args, step.detail))
            return
        self._left(node, step, self._new(step.op, step.type, args, step.detail, effect=True))
        if step.op not in _QUIET:
            node.memory.clear()
        if node.block.targets and step is node.block.steps[-1]:
            self._go(node, End("other", targets=self._targets(node)))

    # Where it goes on.

    def _enter(self, node: Node) -> None:
        """What is known where a block begins."""
        looped = node.number in self._loops
        node.follow(looped)
        if len(node.predecessors) == 1 and not looped:
            end = node.predecessors[0].end
            if end.kind == "branch" and end.value is not None:
                node.learn(end.value, int(end.targets[0] is node))

    def _targets(self, node: Node) -> list[Node]:
        return [self._node(block) for block in node.block.targets]

    def _node(self, block: Block) -> Node:
        found = self._nodes[block.number]
        if found is None:
            found = self._nodes[block.number] = Node(block)
        return found

    def _go(self, node: Node, end: End) -> None:
        node.end = end
        for target in end.targets:
            ways = target.predecessors if target.number > node.number else target.latches
            if not ways or ways[-1] is not node:
                ways.append(node)

    def _branch(self, node: Node, step: Instruction) -> None:
        targets = node.block.targets
        if step.args and len(targets) == 2 and targets[0] is not targets[1]:
            condition = self._value(node, step.args[0])
            found = node.holds(condition)
            if found is None and isinstance(condition, Value):
                self._go(node, End("branch", condition, self._targets(node)))
                return
            targets = targets[:1] if found else targets[1:]
        self._go(node, End("jump", targets=[self._node(block) for block in targets[:1]]))

    def _switch(self, node: Node, step: Instruction) -> None:
        value, targets = self._value(node, step.args[0]), node.block.targets
        if len(targets) != len(step.labels):
            self._go(node, End("other", value, self._targets(node)))
        elif isinstance(value, Value):
            self._go(node, End("switch", value, self._targets(node), step.cases))
        else:
            taken = step.cases.index(value) + 1 if value in step.cases else 0
            self._go(node, End("jump", targets=[self._node(block) for block in targets[taken : taken + 1]]))

    def _return(self, node: Node, step: Instruction) -> None:
        node.end = End("return", self._value(node, step.args[0]) if step.args else None)

    def _dead(self, node: Node, step: Instruction) -> None:
        node.end = End("dead")

    # The end.

    def _close(self) -> None:
        """Fills in what loops bring back, and drops phis that join nothing."""
        for phi, node, step in self._open:
            phi.args = tuple(self._coming(node, step, [*node.predecessors, *node.latches]))
            self._reduced.phis[phi] = node
        for phi, node, slot in self._parts.open:  # grows while it is read
            phi.args = tuple(self._parts.read(way, slot) for way in (*node.predecessors, *node.latches))
            self._reduced.phis[phi] = node
        for node in self._reduced.nodes:
            if node.latches:
                self._reduced.loops[node.number] = node.latches[-1].number
        drop_single_phis(self._reduced)
