"""One module, parsed once, optimised and emitted many times in this process.

Every evaluation starts from the same bitcode in a fresh context, and the object is emitted from the optimised bitcode
read back, exactly as stock `opt` and then `llc` would: so what the search measures is what a replay builds. Reading
back costs .1 ms where an evaluation costs 5 or more, and a fork for each evaluation would cost 2 to 5.
"""

from __future__ import annotations

import ctypes
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from forerun.grammars.pipelines import Plan, merge
from forerun.toolchains.llvm.elf import ObjectFile, read_object
from forerun.toolchains.llvm.lib import _HANDLER, LibLLVM, LLVMFailure, load
from forerun.toolchains.llvm.target import Target

OBJECT, ASSEMBLY = 1, 0
_REMEMBERED = 256
_ERROR_SEVERITY = 0
_OF_FUNCTION = 0xFFFFFFFF  # LLVMAttributeFunctionIndex


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The object that a plan gives, and the instructions of the module that it was emitted from."""

    object: ObjectFile
    instructions: int


class Module:
    """Unoptimised IR and its target. Raises LLVMFailure where the text is no valid IR, or the target is unknown."""

    def __init__(self, lib: LibLLVM, text: str, target: Target) -> None:
        self.lib, self.target = lib, target
        self._always_inline = lib.LLVMGetEnumAttributeKindForName(b"alwaysinline", len(b"alwaysinline"))
        with _parsed(lib, text.encode("utf-8", "surrogateescape")) as module:
            self._verify(module)
            self.bitcode = lib.take(lib.LLVMWriteBitcodeToMemoryBuffer(module))
            self.instructions = self._count(module)
            self.functions = tuple(name for name, _ in self._defined(module))
            self._marked = next(self._marked_calls(module), None) is not None
            # Debug information changes no code, only the time that an evaluation takes.
            lib.LLVMStripModuleDebugInfo(module)
            self.bare = lib.take(lib.LLVMWriteBitcodeToMemoryBuffer(module))
        self._options = lib.LLVMCreatePassBuilderOptions()
        self._machine = self._target_machine()
        self._seen: OrderedDict[bytes, Evaluation] = OrderedDict()

    def optimise(self, plan: Plan, bitcode: bytes | None = None) -> bytes:
        """The module after a plan, as verified bitcode. Raises LLVMFailure."""
        with _parsed(self.lib, self.bitcode if bitcode is None else bitcode) as module:
            self._run(module, plan)
            self._verify(module)
            self._inlined(module)
            return self.lib.take(self.lib.LLVMWriteBitcodeToMemoryBuffer(module))

    def evaluate(self, plan: Plan) -> Evaluation:
        """Optimise without debug information, emit, and read the object. Raises LLVMFailure."""
        bitcode = self.optimise(plan, self.bare)
        key = hashlib.sha256(bitcode).digest()
        if key in self._seen:
            self._seen.move_to_end(key)
            return self._seen[key]
        with _parsed(self.lib, bitcode) as module:
            count = self._count(module)
            if self.target.function_sections:
                self._separate(module)
            result = Evaluation(read_object(self._emit(module, OBJECT)), count)
        self._seen[key] = result
        if len(self._seen) > _REMEMBERED:
            self._seen.popitem(last=False)
        return result

    def emit(self, bitcode: bytes, kind: int = OBJECT) -> bytes:
        """The object, or the assembly text, of optimised bitcode. Raises LLVMFailure."""
        with _parsed(self.lib, bitcode) as module:
            return self._emit(module, kind)

    def count(self, bitcode: bytes) -> int:
        """How many instructions the module has."""
        with _parsed(self.lib, bitcode) as module:
            return self._count(module)

    def disassemble(self, bitcode: bytes) -> str:
        """The IR text of bitcode."""
        with _parsed(self.lib, bitcode) as module:
            return self.lib.message(self.lib.LLVMPrintModuleToString(module))

    def _run(self, module: int, plan: Plan) -> None:
        lib = self.lib
        if plan.steps:
            lib.check(lib.LLVMRunPasses(module, merge(plan.steps).encode(), self._machine, self._options))
        for name, steps in plan.functions:
            function = lib.LLVMGetNamedFunction(module, name.encode())
            # The module's own steps may have removed it: then there is nothing to run on.
            if function and not lib.LLVMIsDeclaration(function):
                text = merge(step.removeprefix("function/") for step in steps)
                lib.check(lib.LLVMRunPassesOnFunction(function, text.encode(), self._machine, self._options))

    def _verify(self, module: int) -> None:
        message = ctypes.c_void_p()
        return_status = 2  # LLVMReturnStatusAction
        if self.lib.LLVMVerifyModule(module, return_status, ctypes.byref(message)):
            raise LLVMFailure(f"the verifier refuses the module: {self.lib.message(message.value)}")
        self.lib.message(message.value)

    def _inlined(self, module: int) -> None:
        """What the user marked always_inline is inlined wherever it is called: a pipeline may not save that away."""
        lib = self.lib
        for name, function in self._defined(module):
            if not lib.LLVMGetEnumAttributeAtIndex(function, _OF_FUNCTION, self._always_inline):
                continue
            use = lib.LLVMGetFirstUse(function)
            while use:
                call = self._call(lib.LLVMGetUser(use))
                if call and lib.LLVMGetCalledValue(call) == function:
                    raise LLVMFailure(f"a call of the always_inline function {name} is left")
                use = lib.LLVMGetNextUse(use)
        for name in self._marked_calls(module) if self._marked else ():
            raise LLVMFailure(f"a call in {name} that is marked always_inline is left")

    def _marked_calls(self, module: int) -> Iterator[str]:
        """Callers, one for each call that is itself marked (`[[clang::always_inline]]`, `flatten`) and has a body."""
        lib = self.lib
        for name, function in self._defined(module):
            for call in filter(None, map(self._call, self._instructions(function))):
                if lib.LLVMGetCallSiteEnumAttribute(call, _OF_FUNCTION, self._always_inline):
                    callee = lib.LLVMIsAFunction(lib.LLVMGetCalledValue(call))
                    if callee and callee != function and not lib.LLVMIsDeclaration(callee):
                        yield name

    def _call(self, value: int) -> int | None:
        """The value, where it is a call."""
        found: int | None = self.lib.LLVMIsACallInst(value) or self.lib.LLVMIsAInvokeInst(value)
        return found

    def _emit(self, module: int, kind: int) -> bytes:
        message, buffer = ctypes.c_void_p(), ctypes.c_void_p()
        emit = self.lib.LLVMTargetMachineEmitToMemoryBuffer
        if emit(self._machine, module, kind, ctypes.byref(message), ctypes.byref(buffer)):
            raise LLVMFailure(self.lib.message(message.value))
        assert buffer.value
        return self.lib.take(buffer.value)

    def _separate(self, module: int) -> None:
        # The C API cannot switch function sections on; a section's name on each function gives the same sizes.
        for name, function in self._defined(module):
            if not self.lib.LLVMGetSection(function):
                self.lib.LLVMSetSection(function, f".text.{name}".encode("utf-8", "surrogateescape"))

    def _functions(self, module: int) -> Iterator[int]:
        function = self.lib.LLVMGetFirstFunction(module)
        while function:
            yield function
            function = self.lib.LLVMGetNextFunction(function)

    def _defined(self, module: int) -> Iterator[tuple[str, int]]:
        length = ctypes.c_size_t()
        for function in self._functions(module):
            if not self.lib.LLVMIsDeclaration(function):
                pointer = self.lib.LLVMGetValueName2(function, ctypes.byref(length))
                yield ctypes.string_at(pointer, length.value).decode("utf-8", "surrogateescape"), function

    def _instructions(self, function: int) -> Iterator[int]:
        lib = self.lib
        block = lib.LLVMGetFirstBasicBlock(function)
        while block:
            instruction = lib.LLVMGetFirstInstruction(block)
            while instruction:
                yield instruction
                instruction = lib.LLVMGetNextInstruction(instruction)
            block = lib.LLVMGetNextBasicBlock(block)

    def _count(self, module: int) -> int:
        return sum(1 for function in self._functions(module) for _ in self._instructions(function))

    def _target_machine(self) -> int:
        lib, target = self.lib, self.target
        found, message = ctypes.c_void_p(), ctypes.c_void_p()
        triple = target.triple.encode()
        if lib.LLVMGetTargetFromTriple(triple, ctypes.byref(found), ctypes.byref(message)):
            lib.message(message.value)
            known = " and ".join(lib.targets)
            raise LLVMFailure(f"no code can be measured for {target.triple}, only for {known}")
        create: Callable[..., int] = lib.LLVMCreateTargetMachine
        level, relocation, model = target.codegen_level, target.relocation, target.code_model
        machine = create(found, triple, target.cpu.encode(), b"", level, relocation, model)
        lib.LLVMSetTargetMachineAsmVerbosity(machine, 1)
        return machine


@dataclass
class _Problems:
    """LLVM's default handler ends the process on an error; this one remembers it."""

    lib: LibLLVM
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.handler = _HANDLER(self._handle)

    def _handle(self, info: int, _: int) -> None:
        if self.lib.LLVMGetDiagInfoSeverity(info) == _ERROR_SEVERITY:
            self.errors.append(self.lib.message(self.lib.LLVMGetDiagInfoDescription(info)))

    def raise_any(self) -> None:
        if self.errors:
            raise LLVMFailure("; ".join(self.errors))


def named_target(library: str, data: bytes) -> str:
    """The triple that IR text or bitcode names, "" where it names none. Runs in a worker. Raises LLVMFailure."""
    lib = load(library)
    with _parsed(lib, data) as module:
        return bytes(lib.LLVMGetTarget(module) or b"").decode("utf-8", "replace")


@contextmanager
def _parsed(lib: LibLLVM, data: bytes) -> Iterator[int]:
    """The module of IR text or bitcode, in a context of its own that turns diagnostics into exceptions."""
    problems = _Problems(lib)
    context = lib.LLVMContextCreate()
    lib.LLVMContextSetDiagnosticHandler(context, problems.handler, None)
    try:
        buffer = lib.LLVMCreateMemoryBufferWithMemoryRangeCopy(data, len(data), b"module")
        module, message = ctypes.c_void_p(), ctypes.c_void_p()
        if lib.LLVMParseIRInContext(context, buffer, ctypes.byref(module), ctypes.byref(message)):
            raise LLVMFailure(lib.message(message.value))
        assert module.value
        try:
            yield module.value
            problems.raise_any()
        finally:
            lib.LLVMDisposeModule(module)
    finally:
        lib.LLVMContextDispose(context)
