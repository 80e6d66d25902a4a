"""The kernels of a network, with what they are launched on: Inductor writes them, nothing is compiled or computed.

Inductor's module for a graph calls its kernels one after another. It is called with tensors that have shapes and no
values (PyTorch's device `meta`), kernels replaced by recorders, so even a large network costs only the compiler's time.
What the rest of the program gets are zeros of the right shapes.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch._dynamo.exc import TorchRuntimeError
from torch._dynamo.utils import counters
from torch._inductor.exc import InductorError

from forerun.errors import InputError, ToolMissing
from forerun.toolchains.inductor import absent
from forerun.toolchains.inductor.kernel import CPP, DTYPES, TRITON, Argument, Kernel, Tensor
from forerun.toolchains.inductor.presence import Gpu, instead

_NATIVE = "kernel"
"""What Inductor calls every C++ kernel."""

Inputs = Mapping[str, torch.Tensor] | Sequence[torch.Tensor]


def capture(
    module: torch.nn.Module,
    inputs: Sequence[Inputs],
    train: bool = False,
    vectors: int = 0,
    gpu: Gpu | None = None,
) -> list[Kernel]:
    """The distinct kernels of a module's forward pass, and in training of the backward pass, in their order.

    The module runs on each of the inputs, by name or in order; where they differ in shape, sizes become arguments of
    the kernels. C++ is for vector registers of 256 or 512 bits of x86-64, whatever is here, or for those that are here
    (0). With a GPU the module and its inputs are taken for being there, and the kernels are Triton. Raises whatever
    PyTorch raises of a network that it cannot compile.
    """
    return [kernel for _, kernel in named(module, inputs, train, vectors, gpu)]


def named(
    module: torch.nn.Module,
    inputs: Sequence[Inputs],
    train: bool = False,
    vectors: int = 0,
    gpu: Gpu | None = None,
) -> list[tuple[str, Kernel]]:
    """As `capture`, with what Inductor calls each: `cpp_fused_add_relu_0`. What PyTorch would log is not."""
    found: dict[bytes, tuple[str, Kernel]] = {}
    torch._dynamo.reset()
    counters.clear()
    compiled = torch.compile(module.train(train), dynamic=len(inputs) > 1)
    recording = _recording(lambda label, kernel: found.setdefault(kernel.serialised(), (label, kernel)), vectors)
    placed = absent.placed(gpu, module, inputs) if gpu else nullcontext(inputs)
    with _quiet(), _reasons(), recording, placed as placed_inputs, torch.set_grad_enabled(train):
        for each in placed_inputs:
            outputs = _tensors(compiled(**each) if isinstance(each, Mapping) else compiled(*each))
            if train:
                torch.stack([o.float().sum() for o in outputs if o.requires_grad]).sum().backward()  # type: ignore[no-untyped-call]
                module.zero_grad()
    return list(found.values())


def materialised(module: torch.nn.Module, inputs: Sequence[torch.Tensor]) -> tuple[torch.nn.Module, tuple[Any, ...]]:
    """A module and its inputs that are made on PyTorch's device `meta`, to take no memory, on the processor."""
    if any(each.is_meta for each in (*module.parameters(), *module.buffers())):
        module = module.to_empty(device="cpu")
    return module, tuple(torch.zeros_like(each, device="cpu") if _is_meta(each) else each for each in inputs)


def _is_meta(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.is_meta


def breaks() -> list[str]:
    """Why the last network that was noted is not compiled as one whole; empty where it is."""
    found = [reason for kind in ("graph_break", "unimplemented") for reason in counters[kind]]
    return list(dict.fromkeys(reason.partition("\n")[0] for reason in found))


@contextmanager
def _quiet() -> Iterator[None]:
    """Nothing is logged."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


@contextmanager
def _reasons() -> Iterator[None]:
    """Errors say what they are about. Raises ToolMissing where Inductor asks Triton itself how to write a kernel."""
    try:
        yield
    except TorchRuntimeError as error:
        found = re.search(r": got \w+\((['\"])(.*?)\1\)$", str(error), re.MULTILINE)
        if found is None:
            raise
        raise RuntimeError(found[2]) from error
    except (ModuleNotFoundError, InductorError) as error:
        if "No module named 'triton" not in str(error):
            raise
        why = "PyTorch asks Triton itself how to write one of them, and it is not installed"
        raise ToolMissing("kernels of this network", why, "install the triton that goes with your PyTorch") from error


Note = Callable[[str, Kernel], object]
"""Is told what a kernel is called, and the kernel with what it is launched on."""


@contextmanager
def _recording(note: Note, vectors: int) -> Iterator[None]:
    import torch._functorch.config as functorch
    import torch._inductor.config as config
    from torch._inductor import cpu_vec_isa
    from torch._inductor.async_compile import AsyncCompile
    from torch._inductor.codecache import PyCodeCache

    load = PyCodeCache.load_by_key_path

    def loaded(*arguments: Any, **options: Any) -> Any:
        module = load(*arguments, **options)
        if hasattr(module, "call"):
            _without_values(module)
        return module

    def cpp(_: AsyncCompile, __: Sequence[str], code: str) -> _Recorder:
        return _Recorder(CPP, _NATIVE, code, note)

    def triton(_: AsyncCompile, name: str, code: str, *__: Any, **___: Any) -> _Recorder:
        return _Recorder(TRITON, name, code, note)

    # One thread on a processor. A cache of graphs would bring modules back without asking for their kernels.
    # Whether a product is faster when it is padded would be found by timing it.
    settings = {"cpp.threads": 1, "compile_threads": 1, "fx_graph_cache": False, "fx_graph_remote_cache": False}
    settings |= {"shape_padding": False}
    with ExitStack() as stack:
        stack.enter_context(config.patch(settings))
        stack.enter_context(functorch.patch({"enable_autograd_cache": False, "enable_remote_autograd_cache": False}))
        stack.enter_context(instead(PyCodeCache, load_by_key_path=loaded))
        stack.enter_context(instead(AsyncCompile, cpp_pybinding=cpp))
        stack.enter_context(instead(AsyncCompile, triton=triton))
        if vectors:
            chosen = {256: cpu_vec_isa.VecAVX2, 512: cpu_vec_isa.VecAVX512}[vectors]()
            stack.enter_context(config.patch({"cpp.vec_isa_ok": True}))
            stack.enter_context(instead(cpu_vec_isa, valid_vec_isa_list=lambda: [chosen]))
        yield


class _Recorder:
    """Stands where a compiled kernel would, and notes what it is launched on."""

    def __init__(self, lang: str, name: str, code: str, note: Note) -> None:
        self.kernel, self.note, self.label = (lang, name, code), note, name
        self.parameters = parameters(name, code)

    def __call__(self, *arguments: Any) -> None:
        values = {name: _argument(value) for name, value in zip(self.parameters, arguments, strict=False)}
        self.note(self.label, Kernel(*self.kernel, values))

    def run(self, *arguments: Any, **_: Any) -> None:
        """As Triton's kernels are launched."""
        self(*arguments)


def parameters(name: str, code: str) -> list[str]:
    """The names of a function's parameters, in C++ or Python."""
    found = re.search(rf"\b{name}\((.*?)\)", code, re.DOTALL)
    own = (re.search(r"(\w+)\s*(?::\s*[\w.]+\s*)?$", each) for each in (found[1] if found else "").split(","))
    return [each[1] for each in own if each]


def _argument(value: Any) -> Argument:
    if not isinstance(value, torch.Tensor):
        return value  # type: ignore[no-any-return]
    width = value.element_size()
    reach = value.untyped_storage().nbytes() // width - value.storage_offset()
    used = 1 + sum((size - 1) * stride for size, stride in zip(value.shape, value.stride(), strict=True))
    dtype = str(value.dtype).removeprefix("torch.")
    if dtype not in DTYPES:
        why = f"types: {', '.join(DTYPES)}"
        raise InputError(f"a kernel has a tensor of {dtype}", why, "cast it to one of these, or leave that part out")
    return Tensor(dtype, tuple(value.shape), tuple(value.stride()), int(max(reach, used, 1)))


def _without_values(module: Any) -> None:
    """Lets an Inductor module's `call` run on shapes alone, and give zeros."""
    call, used = module.call, set[torch.device]()

    def empty(size: Sequence[int], stride: Sequence[int], dtype: torch.dtype, *_: Any) -> torch.Tensor:
        return torch.empty_strided(size, stride, dtype=dtype, device="meta")

    def on_gpu(*shape: Any) -> torch.Tensor:
        used.add(torch.device("cuda"))
        return empty(*shape)

    def unchecked(*_: Any) -> None:
        pass

    for name, value in list(vars(module).items()):
        if name.startswith("empty_strided"):
            setattr(module, name, on_gpu if name == "empty_strided_cuda" else empty)
        elif name.startswith("assert_"):
            setattr(module, name, unchecked)
        elif isinstance(value, _Recorder):
            value.label = name
        elif isinstance(value, torch.Tensor):
            setattr(module, name, _shape_of(value))

    def called(arguments: list[Any]) -> Any:
        places = {a.device for a in arguments if isinstance(a, torch.Tensor)}
        shapes = [_shape_of(a) if isinstance(a, torch.Tensor) and not _number(a) else a for a in arguments]
        arguments.clear()
        outputs = call(shapes)
        place = max(places | used, key=str, default=torch.device("cpu"))
        return tuple(_zeros(o, place) if isinstance(o, torch.Tensor) else o for o in outputs)

    module.call = called


def _number(tensor: torch.Tensor) -> bool:
    """Whether it is a number of the program: a kernel for a GPU is given its value."""
    return tensor.dim() == 0 and tensor.device.type == "cpu"


def _shape_of(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def _zeros(tensor: torch.Tensor, device: torch.device) -> torch.Tensor:
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device).zero_()


def _tensors(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    return [t for each in value for t in _tensors(each)] if isinstance(value, (list, tuple)) else []
