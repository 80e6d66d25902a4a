"""What PyTorch and Triton ask a driver, answered without one, so that they take a GPU for one that is here.

Where C++ would ask, Python does what C++ does: `attention` says which one is called, `engine` goes back through what is
trained. Afterwards all is as it was before.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode

from forerun.toolchains.inductor import attention, engine

PLACE = torch.device("cuda", 0)


@dataclass(frozen=True, slots=True)
class Gpu:
    """What PyTorch and Triton ask a GPU about."""

    name: str
    """PyTorch's."""
    capability: tuple[int, int]
    multiprocessors: int
    memory_bytes: int
    l2_bytes: int
    shared_bytes: int
    """Shared memory that a block may opt in to."""
    threads_per_multiprocessor: int = 2048
    threads_per_block: int = 1024
    registers_per_multiprocessor: int = 65536
    warp: int = 32


@contextmanager
def instead(owner: Any, **values: object) -> Iterator[None]:
    """A module or a class has other attributes for a while."""
    before = {name: vars(owner)[name] for name in values if name in vars(owner)}
    for name, value in values.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name in values:
            if name in before:
                setattr(owner, name, before[name])
            else:
                delattr(owner, name)


def on_gpu(value: object) -> bool:
    """Whether it is a GPU."""
    return isinstance(value, torch.device) and value.type == PLACE.type


class _OnProcessor(TorchFunctionMode):
    """What is asked of the GPU is computed by the processor."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """As PyTorch calls it."""
        here = [torch.device("cpu") if on_gpu(each) else each for each in args]
        named = {name: torch.device("cpu") if on_gpu(each) else each for name, each in (kwargs or {}).items()}
        found = function(*here, **named)
        return found.clone() if function is torch.ops.prims.device_put.default else found


@contextmanager
def present(gpu: Gpu) -> Iterator[None]:
    """The GPU is here, for all that Dynamo and Inductor ask."""
    from torch._dynamo import device_interface, trace_rules
    from torch._dynamo.variables.torch import TorchInGraphFunctionVariable

    # Tables that Dynamo fills once, of PyTorch's own functions.
    trace_rules.get_torch_obj_rule_map()
    TorchInGraphFunctionVariable._get_handlers()
    device_interface.init_device_reg()
    with ExitStack() as stack:
        for owner, values in _answers(gpu):
            stack.enter_context(instead(owner, **values))
        for each in (_triton(gpu), _guarded(), _constants(), attention.chosen(gpu.capability[0])):
            stack.enter_context(each)
        _forget()
        stack.callback(_forget)
        yield


def _answers(gpu: Gpu) -> Iterator[tuple[Any, dict[str, object]]]:
    """What to put where. Each has its own functions: Dynamo tells them apart."""
    from torch._dynamo import device_interface

    told = _properties(gpu)
    newer = gpu.capability >= (8, 0)
    asked: dict[str, Any] = {
        "current_device": lambda: PLACE.index,
        "device_count": lambda: 1,
        "get_device_properties": lambda *_: told,
        "is_bf16_supported": lambda *_, **__: newer,
        "synchronize": lambda *_: None,
    }
    more: dict[str, Any] = {
        "is_available": lambda: True,
        "is_tf32_supported": lambda: newer,
        "get_device_name": lambda *_: gpu.name,
        "get_device_capability": lambda *_: gpu.capability,
        "mem_get_info": lambda *_: (gpu.memory_bytes, gpu.memory_bytes),
        "get_rng_state": lambda *_: torch.get_rng_state(),
        "set_rng_state": lambda *_: None,
        "set_device": lambda *_: None,
        "_exchange_device": lambda *_: PLACE.index,
        "_maybe_exchange_device": lambda *_: PLACE.index,
    }
    yield torch.cuda, asked | more
    asked |= {name: lambda *_: PLACE.index for name in ("exchange_device", "maybe_exchange_device", "get_raw_stream")}
    yield device_interface.CudaInterface, {name: staticmethod(answer) for name, answer in asked.items()}
    known: dict[str, object] = {"caching_worker_device_properties": {PLACE.type: [told]}}
    yield device_interface, known | {"caching_worker_current_devices": {PLACE.type: PLACE.index}}
    yield torch._C, {"_cuda_getCurrentRawStream": lambda *_: 0}
    yield torch.accelerator, {"is_available": lambda: False}  # it has no streams
    yield fake_tensor, {"init_gpu_context": lambda *_: None}
    yield FakeTensorMode, {"avoid_device_init": property(lambda _: True)}
    yield torch.autograd, {"_engine_run_backward": engine.run}
    yield torch._C._autograd, {"_get_current_graph_task_keep_graph": lambda: False}


def _properties(gpu: Gpu) -> SimpleNamespace:
    """As PyTorch names them."""
    major, minor = gpu.capability
    return SimpleNamespace(
        name=gpu.name,
        major=major,
        minor=minor,
        multi_processor_count=gpu.multiprocessors,
        total_memory=gpu.memory_bytes,
        L2_cache_size=gpu.l2_bytes,
        shared_memory_per_block_optin=gpu.shared_bytes,
        max_threads_per_multi_processor=gpu.threads_per_multiprocessor,
        max_threads_per_block=gpu.threads_per_block,
        regs_per_multiprocessor=gpu.registers_per_multiprocessor,
        warp_size=gpu.warp,
        gcnArchName=gpu.name,
    )


def _forget() -> None:
    """Inductor keeps what it once heard of a GPU."""
    import torch._inductor.codegen.cuda.cuda_env as env
    import torch._inductor.utils as utils
    import torch.utils._triton as triton
    from torch._inductor.runtime.hints import DeviceProperties

    DeviceProperties.create.__func__.cache_clear()  # type: ignore[attr-defined]
    for each in (value for module in (env, utils, triton) for value in vars(module).values()):
        if hasattr(each, "cache_clear"):
            each.cache_clear()


@contextmanager
def _triton(gpu: Gpu) -> Iterator[None]:
    """Triton compiles for the GPU. Without it kernels are written as well, but lack what only it knows: its hash."""
    try:
        from triton.backends.compiler import GPUTarget
        from triton.runtime import driver
    except ImportError:
        with _no_triton():
            yield
        return
    major, minor = gpu.capability
    target = GPUTarget("cuda", 10 * major + minor, gpu.warp)
    known = {"max_shared_mem": gpu.shared_bytes, "multiprocessor_count": gpu.multiprocessors, "warpSize": gpu.warp}
    utils = SimpleNamespace(get_device_properties=lambda _: known)
    there = SimpleNamespace(get_current_target=lambda: target, get_current_device=lambda: 0, utils=utils)
    with instead(driver, _active=there):
        yield


@contextmanager
def _no_triton() -> Iterator[None]:
    import torch._inductor.scheduler as scheduler
    import torch.utils._triton as triton
    from torch._inductor.codecache import PyCodeCache

    load = PyCodeCache.load_by_key_path

    def loaded(*arguments: Any, **options: Any) -> Any:
        package, language = ModuleType("triton"), ModuleType("triton.language")
        package.language = language  # type: ignore[attr-defined]
        sys.modules |= {"triton": package, "triton.language": language}
        try:
            return load(*arguments, **options)
        finally:
            del sys.modules["triton"], sys.modules["triton.language"]

    with (
        instead(triton, triton_hash_with_backend=lambda: ""),
        instead(scheduler, has_triton=lambda: True),
        instead(PyCodeCache, load_by_key_path=loaded),
    ):
        yield


@contextmanager
def _guarded() -> Iterator[None]:
    """Shapes on the GPU are guarded as those on `meta`: without CUDA, PyTorch ends the process where one is trained."""
    if torch._C._has_cuda:
        yield
        return
    kinds: Any = torch._C._autograd.DeviceType
    place, like = int(kinds.CUDA), int(kinds.Meta)
    (path,) = (Path(torch.__file__).parent / "lib").glob("libc10.*")
    guards = (ctypes.c_void_p * (like + 1)).in_dll(ctypes.CDLL(str(path)), "_ZN3c104impl26device_guard_impl_registryE")
    before, guards[place] = guards[place], guards[like]
    try:
        yield
    finally:
        guards[place] = before


@contextmanager
def _constants() -> Iterator[None]:
    """What Inductor computes of constants while it compiles is computed by the processor."""
    import torch._inductor.config as config
    import torch._inductor.fx_passes.joint_graph as joint_graph
    import torch.fx.experimental.proxy_tensor as proxy_tensor

    unset = fake_tensor.unset_fake_temporarily

    @contextmanager
    def with_values() -> Iterator[Any]:
        with unset() as mode, _OnProcessor():
            yield mode

    class Folder(joint_graph.UniformValueConstantFolder):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            with _OnProcessor():
                super().__init__(*arguments, **options)

        def run(self, *arguments: Any, **options: Any) -> Any:
            with _OnProcessor():
                return super().run(*arguments, **options)

    with (
        config.patch(joint_custom_pre_pass=_lifted),
        instead(joint_graph, UniformValueConstantFolder=Folder),
        instead(proxy_tensor, unset_fake_temporarily=with_values),
    ):
        yield


def _lifted(graph: torch.fx.Graph) -> None:
    """A scalar that is made on the GPU is one node, as where the GPU is here: not one on the processor and a copy."""
    for node in graph.find_nodes(op="call_function", target=torch.ops.prims.device_put.default):
        made, by = node.args[0], node.meta.get("source_fn_stack")
        lifted = made.target is torch.ops.aten.lift_fresh_copy.default and made.meta.get("source_fn_stack") == by
        if lifted and node.meta["val"].numel() == 1:
            made.meta |= {name: node.meta[name] for name in ("val", "tensor_meta") if name in node.meta}
            node.replace_all_uses_with(made)
            graph.erase_node(node)
