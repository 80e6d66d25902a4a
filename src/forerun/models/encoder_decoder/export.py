"""From PyTorch to two ONNX graphs: the encoder with the decoder's keys and values, and one step of the decoder.

The second keeps the embeddings once more, so that each graph stands alone. Weights become 8-bit where that is asked
for: matrices by channel, activations as they come (dynamic quantisation).
"""

from __future__ import annotations

import contextlib
import copy
import logging
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.export import Dim

from forerun.errors import ToolMissing
from forerun.files import write_atomically
from forerun.models.encoder_decoder.checksums import DECODER, ENCODER
from forerun.models.encoder_decoder.network import Cache, Memory, Network


class _Encoder(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, ids: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        positions = torch.arange(ids.shape[1])[None].expand_as(ids)
        memory = self.network.memory(self.network.encode(ids, segments, positions), segments)
        return memory.keys_LBKSC, memory.values_LBKSC


class _Step(nn.Module):
    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = copy.copy(network)
        self.network._modules = {name: part for name, part in network._modules.items() if name != "encoder"}
        if known := network.config.answer_tokens:  # what the decoder cannot write is left out of its graph
            rows = network.embed_tokens.weight[:known].detach()
            self.network.embed_tokens = nn.Embedding(known, rows.shape[1], _weight=rows)

    def forward(
        self, ids: Tensor, keys: Tensor, values: Tensor, segments: Tensor, past_keys: Tensor, past_values: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        memory, cache = Memory(keys, values, segments), Cache(past_keys, past_values)
        states, cache = self.network.decode(ids[:, :, None], torch.ones_like(ids), memory, cache)
        return self.network.logits(states[:, :, 0]), *cache


def export(network: Network, folder: Path, *, int8: bool = False) -> None:
    """Writes both graphs into a folder. Raises ToolMissing without onnx and onnxscript."""
    network = network.to("cpu").float().folded().eval()
    window, layers = network.config.window, network.config.decoder_layers
    kv, width = network.config.kv_heads, network.config.head_width
    rows, blocks, answers = Dim("rows"), Dim("blocks", min=1, max=1024), Dim("answers")
    tokens, written = Dim("tokens"), Dim("written", min=0)
    # One tensor for two inputs would become one input: the graph would read segments in the place of tokens.
    ids, segments = (torch.ones((2, 2 * window), dtype=torch.int64) for _ in range(2))
    source = {0: rows, 1: blocks * window}
    _write(_Encoder(network), (ids, segments), [source, source], ["keys", "values"], folder / ENCODER, int8)
    keys, values = (torch.zeros((layers, 2, kv, 2 * window, width)) for _ in range(2))
    past_keys, past_values = (torch.zeros((layers, 2, 3, kv, 2, width)) for _ in range(2))
    of_memory, of_past = {1: rows, 3: tokens}, {1: rows, 2: answers, 4: written}
    _write(
        _Step(network),
        (torch.ones((2, 3), dtype=torch.int64), keys, values, segments, past_keys, past_values),
        [{0: rows, 1: answers}, of_memory, of_memory, {0: rows, 1: tokens}, of_past, of_past],
        ["logits", "new_keys", "new_values"],
        folder / DECODER,
        int8,
    )


def _write(
    module: nn.Module,
    inputs: tuple[Tensor, ...],
    shapes: list[dict[int, Dim]],
    outputs: list[str],
    path: Path,
    int8: bool,
) -> None:
    try:
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ToolMissing("exporting needs onnx and onnxscript", str(error), "pip install 'forerun[train]'") from error
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings(), _without_torchvision(), torch.no_grad():
        warnings.simplefilter("ignore")
        plain = Path(place) / "plain.onnx"
        program = torch.onnx.export(
            module, inputs, dynamo=True, dynamic_shapes=tuple(shapes), output_names=outputs, verbose=False
        )
        assert program is not None
        program.save(str(plain))
        write_atomically(path, (quantised(plain) if int8 else plain).read_bytes())


@contextlib.contextmanager
def _without_torchvision() -> Iterator[None]:
    """The exporter logs each operator of torchvision that is not there, which none of these networks has."""
    logger = logging.getLogger("torch.onnx._internal.exporter._registration")

    def wanted(record: logging.LogRecord) -> bool:
        return "torchvision is not installed" not in record.getMessage()

    logger.addFilter(wanted)
    try:
        yield
    finally:
        logger.removeFilter(wanted)


def quantised(path: Path) -> Path:
    """A graph with 8-bit matrices, as `int8.onnx` beside the one given."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from onnxruntime.quantization.shape_inference import quant_pre_process

    prepared, small = path.with_name("prepared.onnx"), path.with_name("int8.onnx")
    quant_pre_process(str(path), str(prepared), skip_symbolic_shape=True)
    quantize_dynamic(str(prepared), str(small), weight_type=QuantType.QInt8, per_channel=True)
    return small
