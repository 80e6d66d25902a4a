"""`libLLVM` through its C API: found by itself, bound with ctypes, versions 18 to 22.

The API is described in LLVM's `include/llvm-c`. Everything here can abort the process (LLVM asserts and fatal errors do
that by design), so it is called in the workers of `forerun.sandbox` only; `find` and `version` alone are safe anywhere.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from forerun import settings
from forerun.errors import ToolMissing

SUPPORTED = range(22, 17, -1)
"""Major versions, preferred first."""

INSTALL = "install it with: apt-get install clang-22 llvm-22   (or clang and llvm of any version from 18 to 22)"

_FOLDERS = (
    "/usr/lib/llvm-{v}/lib",
    "/usr/lib/*-linux-gnu",
    "/usr/lib64/llvm{v}/lib64",
    "/usr/lib64/llvm{v}/lib",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/opt/llvm-{v}/lib",
)
_NAMES = ("libLLVM.so.{v}.*", "libLLVM-{v}.so*", "libLLVM.so.{v}")


@dataclass(frozen=True, slots=True)
class Location:
    """A `libLLVM` on this machine."""

    path: str
    major: int
    how: str
    """Where the path came from: a setting, llvm-config, or the usual folders."""


def locations() -> Iterator[Location]:
    """Every libLLVM of a supported version, preferred first; a setting comes before everything else."""
    wanted = settings.get("llvm")
    if wanted and not wanted.isdigit():
        yield _named(wanted)
        return
    versions = [int(wanted)] if wanted else SUPPORTED
    for major in versions:
        yield from _in_folders(major)
        yield from _by_config(major)


def find(major: int | None = None) -> Location:
    """The preferred libLLVM, or the one of that major version. Raises ToolMissing with the install line."""
    seen = []
    for location in locations():
        if major in (None, location.major) and location.major in SUPPORTED:
            return location
        seen.append(f"LLVM {location.major} at {location.path}")
    what = "LLVM's library was not found" if major is None else f"the library of LLVM {major} was not found"
    why = f"found instead: {', '.join(seen)}" if seen else f"looked for libLLVM of the versions {_span()}"
    todo = INSTALL if major is None else f"install it with: apt-get install llvm-{major}"
    if wanted := settings.get("llvm"):
        todo += f"\nor change the setting `llvm`, which is {wanted!r}"
    raise ToolMissing(what, why, todo)


def _span() -> str:
    return f"{min(SUPPORTED)} to {max(SUPPORTED)}"


def _named(setting: str) -> Location:
    path = Path(setting).expanduser()
    if path.name.startswith("llvm-config"):
        return _from_config(str(path), "setting")
    files = [path] if path.is_file() else [f for v in SUPPORTED for n in _NAMES for f in path.glob(n.format(v=v))]
    for file in files:
        major = _major(file)
        if major:
            return Location(str(file), major, "setting")
    raise ToolMissing(
        f"the setting `llvm` names no libLLVM: {setting}",
        "expected the library itself, its folder, an llvm-config, or a major version",
        INSTALL,
    )


def _in_folders(major: int) -> Iterator[Location]:
    for folder in _FOLDERS:
        base = folder.format(v=major)
        for name in _NAMES:
            files = sorted(Path("/").glob(f"{base[1:]}/{name.format(v=major)}"), key=lambda f: (len(f.name), f.name))
            yield from (Location(str(f), major, "the usual folders") for f in files[:1] if _major(f) == major)


def _by_config(major: int) -> Iterator[Location]:
    for name in (f"llvm-config-{major}", "llvm-config"):
        try:
            location = _from_config(name, name)
        except ToolMissing:
            continue
        if location.major == major:
            yield location


def _from_config(program: str, how: str) -> Location:
    try:
        command = [program, "--libdir", "--version"]
        run = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=10, check=False, errors="replace")
    except (OSError, subprocess.SubprocessError) as error:
        raise ToolMissing(f"{program} does not run", str(error), INSTALL) from error
    match = re.fullmatch(r"(\S+)\s+(\d+)\.\S*\s*", run.stdout)
    if run.returncode == 0 and match:
        for name in _NAMES:
            for file in sorted(Path(match[1]).glob(name.format(v=match[2]))):
                return Location(str(file), int(match[2]), how)
    raise ToolMissing(f"{program} names no libLLVM", run.stderr.strip(), INSTALL)


def _major(file: Path) -> int:
    match = re.search(r"libLLVM(?:-|\.so\.)(\d+)", file.resolve().name) or re.search(r"(\d+)", file.resolve().name)
    return int(match[1]) if match else 0


class LLVMFailure(Exception):
    """LLVM said no: a parse error, a verifier's complaint, an emission it cannot do."""


_P = ctypes.c_void_p
_S = ctypes.c_char_p
_INT = ctypes.c_int
_OUT = ctypes.POINTER(ctypes.c_void_p)
_HANDLER = ctypes.CFUNCTYPE(None, _P, _P)

_PROTOTYPES: dict[str, tuple[object, tuple[object, ...]]] = {
    "LLVMGetVersion": (None, (ctypes.POINTER(ctypes.c_uint),) * 3),
    "LLVMContextCreate": (_P, ()),
    "LLVMContextDispose": (None, (_P,)),
    "LLVMContextSetDiagnosticHandler": (None, (_P, _HANDLER, _P)),
    "LLVMGetDiagInfoSeverity": (_INT, (_P,)),
    "LLVMGetDiagInfoDescription": (_P, (_P,)),
    "LLVMCreateMemoryBufferWithMemoryRangeCopy": (_P, (_S, ctypes.c_size_t, _S)),
    "LLVMGetBufferStart": (_P, (_P,)),
    "LLVMGetBufferSize": (ctypes.c_size_t, (_P,)),
    "LLVMDisposeMemoryBuffer": (None, (_P,)),
    "LLVMParseIRInContext": (_INT, (_P, _P, _OUT, _OUT)),
    "LLVMDisposeModule": (None, (_P,)),
    "LLVMDisposeMessage": (None, (_P,)),
    "LLVMVerifyModule": (_INT, (_P, _INT, _OUT)),
    "LLVMStripModuleDebugInfo": (_INT, (_P,)),
    "LLVMWriteBitcodeToMemoryBuffer": (_P, (_P,)),
    "LLVMPrintModuleToString": (_P, (_P,)),
    "LLVMGetTarget": (_S, (_P,)),
    "LLVMGetNamedFunction": (_P, (_P, _S)),
    "LLVMGetFirstFunction": (_P, (_P,)),
    "LLVMGetNextFunction": (_P, (_P,)),
    "LLVMGetFirstBasicBlock": (_P, (_P,)),
    "LLVMGetNextBasicBlock": (_P, (_P,)),
    "LLVMGetFirstInstruction": (_P, (_P,)),
    "LLVMGetNextInstruction": (_P, (_P,)),
    "LLVMGetValueName2": (_P, (_P, ctypes.POINTER(ctypes.c_size_t))),
    "LLVMIsDeclaration": (_INT, (_P,)),
    "LLVMGetSection": (_S, (_P,)),
    "LLVMSetSection": (None, (_P, _S)),
    "LLVMGetEnumAttributeKindForName": (ctypes.c_uint, (_S, ctypes.c_size_t)),
    "LLVMGetEnumAttributeAtIndex": (_P, (_P, ctypes.c_uint, ctypes.c_uint)),
    "LLVMGetCallSiteEnumAttribute": (_P, (_P, ctypes.c_uint, ctypes.c_uint)),
    "LLVMIsAFunction": (_P, (_P,)),
    "LLVMGetFirstUse": (_P, (_P,)),
    "LLVMGetNextUse": (_P, (_P,)),
    "LLVMGetUser": (_P, (_P,)),
    "LLVMIsACallInst": (_P, (_P,)),
    "LLVMIsAInvokeInst": (_P, (_P,)),
    "LLVMGetCalledValue": (_P, (_P,)),
    "LLVMCreatePassBuilderOptions": (_P, ()),
    "LLVMRunPasses": (_P, (_P, _S, _P, _P)),
    "LLVMRunPassesOnFunction": (_P, (_P, _S, _P, _P)),
    "LLVMGetErrorMessage": (_P, (_P,)),
    "LLVMDisposeErrorMessage": (None, (_P,)),
    "LLVMGetTargetFromTriple": (_INT, (_S, _OUT, _OUT)),
    "LLVMCreateTargetMachine": (_P, (_P, _S, _S, _S, _INT, _INT, _INT)),
    "LLVMSetTargetMachineAsmVerbosity": (None, (_P, _INT)),
    "LLVMDisposeTargetMachine": (None, (_P,)),
    "LLVMTargetMachineEmitToMemoryBuffer": (_INT, (_P, _P, _INT, _OUT, _OUT)),
}
_SINCE = {"LLVMRunPassesOnFunction": 20}
_TARGETS = ("X86", "AArch64")


class LibLLVM:
    """The bound library. Functions are called by their C names, as attributes."""

    def __init__(self, path: str) -> None:
        try:
            self._dll = ctypes.CDLL(path)
        except OSError as error:
            raise ToolMissing(f"LLVM's library does not load: {path}", str(error), INSTALL) from error
        self.version = self._version(path)
        for name, (result, arguments) in _PROTOTYPES.items():
            if self.major >= _SINCE.get(name, 0):
                self._bind(name, result, arguments)
        self.targets = tuple(target for target in _TARGETS if self._initialise(target))

    @property
    def major(self) -> int:
        """The major version."""
        return int(self.version.split(".")[0])

    @property
    def per_function(self) -> bool:
        """Whether this version runs a pipeline on one function."""
        return self.major >= _SINCE["LLVMRunPassesOnFunction"]

    def __getattr__(self, name: str) -> ctypes._NamedFuncPointer:
        raise AttributeError(f"{name} is not in the bound part of LLVM's C API (LLVM {self.version})")

    def _version(self, path: str) -> str:
        try:
            function = self._dll.LLVMGetVersion
        except AttributeError:
            raise ToolMissing(f"not an LLVM library: {path}", "it has no LLVMGetVersion", INSTALL) from None
        parts = [ctypes.c_uint() for _ in range(3)]
        function(*(ctypes.byref(p) for p in parts))
        version = ".".join(str(p.value) for p in parts)
        if parts[0].value not in SUPPORTED:
            raise ToolMissing(f"LLVM {version} is not supported: {path}", f"supported: {_span()}", INSTALL)
        return version

    def _bind(self, name: str, result: object, arguments: tuple[object, ...]) -> None:
        function = getattr(self._dll, name)
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)

    def _initialise(self, target: str) -> bool:
        parts = ("TargetInfo", "Target", "TargetMC", "AsmPrinter", "AsmParser")
        functions = [getattr(self._dll, f"LLVMInitialize{target}{part}", None) for part in parts]
        if None in functions:
            return False
        for function in functions:
            assert function is not None
            function()
        return True

    def message(self, pointer: int | None) -> str:
        """Takes a message that LLVM allocated, and frees it."""
        if not pointer:
            return ""
        text = ctypes.string_at(pointer).decode("utf-8", "replace").strip()
        self.LLVMDisposeMessage(pointer)
        return text

    def check(self, error: int | None) -> None:
        """Raises LLVMFailure where an LLVMErrorRef holds an error."""
        if not error:
            return
        pointer = self.LLVMGetErrorMessage(error)
        text = ctypes.string_at(pointer).decode("utf-8", "replace")
        self.LLVMDisposeErrorMessage(pointer)
        raise LLVMFailure(text)

    def take(self, buffer: int) -> bytes:
        """The bytes of a memory buffer, which is freed."""
        data = ctypes.string_at(self.LLVMGetBufferStart(buffer), self.LLVMGetBufferSize(buffer))
        self.LLVMDisposeMemoryBuffer(buffer)
        return data


@cache
def load(path: str) -> LibLLVM:
    """The library at this path, loaded once a process."""
    return LibLLVM(path)
