"""How fast a cost model answers: alone, in batches, from a cold start, and beside regress-lm with the same weights.

    python benchmarks/predictor_speed.py --regress-lm DIR

Random weights throughout: the work is the same, and the distributions are as wide as they get. `DIR` is a checkout of
google-deepmind/regress-lm with what it needs installed; without it that part is left out. There both sides decode with
one and the same network, regress-lm's, on one thread: its own way, and ours with keys and values that are kept, and
shared by all draws of a source. Seconds of the clock, and of the processor, which other work on the machine stretches
less.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from forerun import clock
from forerun.files import write_atomically
from forerun.grammars.ieee import IEEE
from forerun.models import _decode
from forerun.models.encoder_decoder import EncoderDecoder
from forerun.models.encoder_decoder._torch import TorchNetwork
from forerun.models.encoder_decoder.config import Config
from forerun.models.encoder_decoder.network import Network
from forerun.models.encoder_decoder.tokenizer import learn
from forerun.stats import median, quantile

RESULTS = Path(__file__).parent / "results"
PROGRAM = "".join(
    f"for (int i{n} = 0; i{n} < {n * 37 % 91}; i{n}++) x[i{n}] = y[{n}] * {n % 7}.5;\n" for n in range(400)
)
TOKENS = 4096
RUNTIME = "import numpy, onnxruntime, tokenizers"
STARTS = {
    "the runtime alone": ["-c", RUNTIME],
    "the runtime, import forerun": ["-c", f"{RUNTIME}; import forerun"],
    "the runtime and a model that is ready": [
        "-c",
        f"{RUNTIME}, sys; from forerun.models.encoder_decoder import EncoderDecoder; EncoderDecoder(sys.argv[1])",
    ],
    "Python alone": ["-c", ""],
    "import forerun": ["-c", "import forerun"],
    "forerun --help": ["-m", "forerun", "--help"],
}
"""Programs that start, each with the folder of a model as its argument."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--regress-lm", type=Path, metavar="DIR", help="a checkout, to be compared with")
    parser.add_argument("--repeats", type=int, default=5, help="turns of each (5)")
    parser.add_argument("--depths", type=int, nargs="+", default=[3, 4, 6], help="of the networks (3 4 6)")
    parser.add_argument("--tokens", type=int, default=2048, help="of the inputs of regress-lm (2048)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    found: dict[str, Any] = {"repeats": options.repeats}
    if options.regress_lm:
        found["regress-lm"] = against_regress_lm(options.regress_lm, options.tokens, options.repeats)
        print(json.dumps(found["regress-lm"]), flush=True)
    with tempfile.TemporaryDirectory(prefix="forerun-") as place:
        folders = {depth: checkpoint(Path(place) / str(depth), depth) for depth in options.depths}
        found["answers"] = answers(folders, options.repeats)
        found["batches"] = batches(folders[options.depths[0]], options.repeats)
        found["starts"] = starts(folders[options.depths[0]], options.repeats)
    found["load"] = os.getloadavg()[0]
    print(json.dumps(found, indent=1))
    write_atomically(RESULTS / "predictor-speed.json", (json.dumps(found, indent=1) + "\n").encode())


def checkpoint(folder: Path, depth: int) -> Path:
    """A network of this depth with random weights, exported."""
    tokenizer = learn([PROGRAM], TOKENS)
    missing = TOKENS - tokenizer.bytes.get_vocab_size()  # so many more as another text would have taught
    tokenizer.bytes.add_tokens([f"⟨{i}⟩" for i in range(missing)])
    torch.manual_seed(depth)
    config = Config.of_depth(depth, tokenizer.size, 2048)
    EncoderDecoder.of(TorchNetwork(Network(config)), tokenizer, config).save_pretrained(folder)
    return folder


def answers(folders: Mapping[int, Path], repeats: int) -> list[dict[str, Any]]:
    """One prompt of 2,048 tokens to the whole distribution, text in and numbers out, on one core and on two."""
    runs, sizes = {}, {}
    for depth, folder in folders.items():
        for threads in (1, 2):
            model = EncoderDecoder(folder, threads=threads)
            assert len(model.encode(PROGRAM).ids) == 2048
            sizes[depth] = (folder / "encoder.onnx").stat().st_size
            runs[f"{depth} {threads}"] = partial(model.read, [PROGRAM])
    timed = timings(runs, repeats)
    return [{"depth": int(name[0]), "threads": int(name[2]), "encoder_bytes": sizes[int(name[0])]} | row
            for name, row in timed.items()]  # fmt: skip


def batches(folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Prompts of 512 tokens to distributions, two threads, so many at once."""
    model = EncoderDecoder(folder, threads=2)
    words = PROGRAM.splitlines(keepends=True)
    prompts = []
    for start in range(32):
        text = "".join(words[start:])
        prompts.append(model.tokenizer.decode(model.tokenizer.encode(text).ids[:512]))
    runs = {str(n): partial(model.read, prompts[:n]) for n in (1, 8, 32)}
    return [{"programs": int(name), "programs_per_s": int(name) / row["seconds"]} | row
            for name, row in timings(runs, repeats).items()]  # fmt: skip


def starts(folder: Path, repeats: int) -> list[dict[str, Any]]:
    """Processes from their start to their end."""
    runs = {name: partial(started, [sys.executable, *command, str(folder)]) for name, command in STARTS.items()}
    return [{"start": name} | row for name, row in timings(runs, repeats).items()]


def started(command: Sequence[str]) -> None:
    """Raises CalledProcessError where it fails."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def timings(runs: Mapping[str, Callable[[], object]], repeats: int, warm_up: int = 1) -> dict[str, dict[str, float]]:
    """Each in turn: the median of the clock's seconds with quartiles, and of the processor's."""
    used: dict[str, list[float]] = {name: [] for name in runs}

    def counted(name: str) -> None:
        before = processor_s()
        runs[name]()
        used[name].append(processor_s() - before)

    found = clock.interleaved({name: partial(counted, name) for name in runs}, repeats, warm_up)
    return {
        name: {
            "seconds": timing.median_s,
            "low": quantile(timing.seconds, 0.25),
            "high": quantile(timing.seconds, 0.75),
            "processor_s": median(used[name][-repeats:]),
        }
        for name, timing in found.items()
    }


def processor_s() -> float:
    """Of this process and of those that it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def against_regress_lm(place: Path, tokens: int, repeats: int) -> dict[str, Any]:
    """Eight inputs, 64 draws of a number for each, by regress-lm and by us, with its weights, after the encoder."""
    sys.path.insert(0, str(place))
    from regress_lm import tokenizers, vocabs
    from regress_lm.pytorch import model as theirs

    config = theirs.PyTorchModelConfig(
        encoder_vocab=vocabs.BasicEnglishVocab([f"w{i}" for i in range(2046)]),
        decoder_vocab=vocabs.DecoderVocab(tokenizers.IEEEFloatTokenizer()),
        max_input_len=tokens,
        architecture_kwargs={"d_model": 256, "num_encoder_layers": 2, "num_decoder_layers": 2},
        num_workers=0,
    )
    torch.manual_seed(0)
    model = config.make_model().eval()
    ids = torch.randint(2, 2048, (8, tokens))
    cached = Cached(model.encoder_decoder)
    difference = same_logits(model.encoder_decoder, cached, ids[:2])
    encode = partial(torch.no_grad()(model.encoder_decoder.encode), ids)
    encoder, encoded = timings({"encoder": encode}, 1)["encoder"], encode()
    model.encoder_decoder.encode = lambda _: encoded  # the same for both: decoding is what is compared
    vocabulary = _decode.Vocabulary(config.decoder_vocab.stoi, 0, 0, 0, lambda text: [])

    def ours() -> list[list[_decode.Prefix]]:
        memory = cached.encode(ids.tolist())
        return _decode.sample(cached, vocabulary, memory, [IEEE()] * 8, n=64, seed=0)

    rival = partial(model.decode, {"encoder_input": ids}, 64)
    runs: dict[str, Callable[[], object]] = {"regress-lm": rival, "forerun": ours}
    rows = timings(runs, repeats, warm_up=0)
    ratio = {key: rows["regress-lm"][key] / rows["forerun"][key] for key in ("seconds", "processor_s")}
    weights = sum(parameter.numel() for parameter in model.parameters())
    about = {"tokens": tokens, "weights": weights, "largest_difference_of_logits": difference}
    return about | {"ratio": ratio, "encoder": encoder, **rows}


class Cached:
    """`forerun.models._decode.Network` with the weights of regress-lm's encoder-decoder."""

    def __init__(self, network: Any) -> None:
        self.network, self.layers = network, network.decoder.layers

    @torch.no_grad()
    def encode(self, prompts: Sequence[Sequence[int]]) -> Any:
        """For each layer of the decoder keys and values `[B, H, S, C]`, then the mask."""
        memory, padding = self.network.encode(torch.tensor(prompts))
        pairs = []
        for layer in self.layers:
            weight, bias = layer.multihead_attn.in_proj_weight, layer.multihead_attn.in_proj_bias
            width = memory.shape[-1]
            pairs.append(tuple(heads(x) for x in functional.linear(memory, weight[width:], bias[width:]).chunk(2, -1)))
        return pairs, ~padding[:, None, None, :]

    def begin(self, memory: Any) -> Any:
        """For each layer keys and values `[B, R, H, T, C]` of no tokens."""
        batch, count, _, width = memory[0][0][0].shape
        return [(torch.zeros(batch, 1, count, 0, width),) * 2 for _ in self.layers]

    @torch.no_grad()
    def step(self, memory: Any, cache: Any, parents: Any, tokens: Any) -> tuple[Any, Any]:
        """One more token for each row."""
        network, rows, new = self.network, torch.from_numpy(parents), []
        written = cache[0][0].shape[3]
        x = network.tgt_tok_emb(torch.from_numpy(tokens)) + network.decoder_positional_encoding.pe[:, written]
        for layer, past, (keys, values) in zip(self.layers, cache, memory[0], strict=True):
            own = layer.self_attn
            parts = functional.linear(layer.norm1(x), own.in_proj_weight, own.in_proj_bias).chunk(3, -1)
            query, key, value = (heads(part.flatten(0, 1)[:, None]) for part in parts)
            kept = [
                torch.cat((chosen(before, rows), after.view(*rows.shape, *after.shape[1:])), 3)
                for before, after in zip(past, (key, value), strict=True)
            ]
            before, after = (part.flatten(0, 1) for part in kept)
            found = functional.scaled_dot_product_attention(query, before, after)
            x = x + own.out_proj(found.transpose(1, 2).reshape(x.shape))
            other, width = layer.multihead_attn, x.shape[-1]
            query = heads(functional.linear(layer.norm2(x), other.in_proj_weight[:width], other.in_proj_bias[:width]))
            found = functional.scaled_dot_product_attention(query, keys, values, memory[1])
            x = x + other.out_proj(found.transpose(1, 2).flatten(2))
            x = x + layer.linear2(functional.relu(layer.linear1(layer.norm3(x))))
            new.append(tuple(kept))
        return network.generator(x).numpy(), new


def heads(x: torch.Tensor) -> torch.Tensor:
    """`[B, H, T, C]`; regress-lm's decoder has eight."""
    return x.view(*x.shape[:-1], 8, -1).transpose(1, 2)


def chosen(x: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    """The rows `[B, R]` of `[B, R, H, T, C]` that go on."""
    index = rows[:, :, None, None, None].expand(-1, -1, *x.shape[2:])
    return torch.gather(x, 1, index)


@torch.no_grad()
def same_logits(network: Any, cached: Cached, ids: torch.Tensor) -> float:
    """The largest difference between its logits and ours after four tokens. Raises AssertionError above 1e-3."""
    written = torch.tensor([[0, 1, 2, 5], [0, 2, 1, 7]])
    memory = cached.encode(ids.tolist())
    cache, logits = cached.begin(memory), np.zeros(0)
    for t in range(4):
        logits, cache = cached.step(memory, cache, np.zeros((2, 1), np.int64), written[:, t : t + 1].numpy())
    expected = network.next_token_logits(written, *network.encode(ids))
    difference = float(np.abs(expected.numpy() - logits[:, 0]).max())
    assert difference < 1e-3, difference
    return difference


if __name__ == "__main__":
    main()
