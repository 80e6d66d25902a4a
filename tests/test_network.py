"""The network: what it promises of packing, caches, windows and shapes."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from forerun.errors import InputError  # noqa: E402
from forerun.models.encoder_decoder._torch import TorchNetwork  # noqa: E402
from forerun.models.encoder_decoder.config import Config  # noqa: E402
from forerun.models.encoder_decoder.network import Network  # noqa: E402


@pytest.fixture(params=[(True, 0.0), (False, 50.0)], ids=["normalised", "capped"])
def network(request: pytest.FixtureRequest) -> Network:
    torch.manual_seed(0)
    norm, cap = request.param
    config = Config(200, width=64, layers=4, heads=4, kv_heads=2, head_width=16, hidden=96, window=32)
    return Network(
        Config(**{**{f: getattr(config, f) for f in config.__slots__}, "qk_norm": norm, "softcap": cap})
    ).eval()


def tokens(n: int, seed: int) -> torch.Tensor:
    return torch.randint(4, 200, (1, n), generator=torch.Generator().manual_seed(seed))


def states(network: Network, *sources: torch.Tensor) -> torch.Tensor:
    """Sources packed into one row."""
    ids = torch.cat(sources, 1)
    segments = torch.cat([torch.full_like(x, i + 1) for i, x in enumerate(sources)], 1)
    positions = torch.cat([torch.arange(x.shape[1])[None] for x in sources], 1)
    return network.encode(ids, segments, positions)


def test_states_are_dropped_while_it_is_trained_alone(network: Network) -> None:
    source = tokens(40, 1)
    with torch.no_grad():
        whole = states(network, source)
        network.drop(0.3)
        torch.testing.assert_close(states(network, source), whole, atol=0, rtol=0)
        network.train()
        dropped = states(network, source)
    left_out = float((dropped == 0).float().mean())  # of what the encoder gives, by the last of its dropouts
    assert 0.25 < left_out < 0.35 and not torch.allclose(states(network, source), dropped)


@pytest.mark.parametrize(("first", "second"), [(70, 45), (1, 200), (32, 32), (31, 33)])
def test_packed_sources_do_not_see_each_other(network: Network, first: int, second: int) -> None:
    a, b = tokens(first, 1), tokens(second, 2)
    with torch.no_grad():
        both = states(network, a, b)
        torch.testing.assert_close(both[:, :first], states(network, a), atol=2e-5, rtol=1e-4)
        torch.testing.assert_close(both[:, first:], states(network, b), atol=2e-5, rtol=1e-4)


def test_padding_changes_nothing(network: Network) -> None:
    a = tokens(50, 1)
    padded = torch.nn.functional.pad(a, (0, 90))
    segments = (torch.arange(140) < 50).long()[None]
    with torch.no_grad():
        found = network.encode(padded, segments, torch.arange(140)[None])
        torch.testing.assert_close(found[:, :50], states(network, a), atol=2e-5, rtol=1e-4)
        assert found.isfinite().all()


def test_far_tokens_reach_through_global_layers_only(network: Network) -> None:
    a = tokens(300, 1)
    b = a.clone()
    b[0, 299] = 5 if a[0, 299] != 5 else 6
    with torch.no_grad():
        assert not torch.allclose(states(network, a)[0, 0], states(network, b)[0, 0], atol=1e-6)
        for layer in network.encoder:
            layer.window = 32
        assert torch.allclose(states(network, a)[0, 0], states(network, b)[0, 0], atol=1e-6)
        assert not torch.allclose(states(network, a)[0, 270], states(network, b)[0, 270], atol=1e-6)


def test_step_by_step_is_the_same_as_all_at_once(network: Network) -> None:
    source, answers = tokens(60, 3), torch.randint(4, 200, (1, 5, 6))
    segments = torch.ones(1, 5, dtype=torch.long)
    with torch.no_grad():
        memory = network.memory(states(network, source), torch.ones_like(source))
        whole, _ = network.decode(answers, segments, memory, network.empty(1, 5, whole_like(network)))
        cache, parts = network.empty(1, 5, whole_like(network)), []
        for t in range(6):
            part, cache = network.decode(answers[:, :, t : t + 1], segments, memory, cache)
            parts.append(part)
    torch.testing.assert_close(torch.cat(parts, 2), whole, atol=2e-5, rtol=1e-4)


def whole_like(network: Network) -> torch.Tensor:
    return network.embed_tokens.weight


def test_decoding_follows_the_parents(network: Network) -> None:
    runner = TorchNetwork(network)
    memory = runner.encode([[5, 6, 7], [8, 9]])
    cache = runner.begin(memory)
    _, cache = runner.step(memory, cache, np.zeros((2, 1), int), np.full((2, 1), 1))
    _, cache = runner.step(memory, cache, np.zeros((2, 3), int), np.array([[10, 11, 12]] * 2))
    logits, _ = runner.step(memory, cache, np.array([[2, 0], [1, 1]]), np.array([[20, 21], [22, 22]]))
    for row, path in ((0, [1, 12, 20]), (1, [1, 10, 21])):
        np.testing.assert_allclose(logits[0, row], alone(runner, [5, 6, 7], path), atol=1e-4)
    np.testing.assert_allclose(logits[1, 0], alone(runner, [8, 9], [1, 11, 22]), atol=1e-4)


def alone(runner: TorchNetwork, prompt: list[int], path: list[int]) -> np.ndarray:
    memory = runner.encode([prompt])
    cache = runner.begin(memory)
    for token in path:
        logits, cache = runner.step(memory, cache, np.zeros((1, 1), int), np.array([[token]]))
    return logits[0, 0]


@pytest.mark.parametrize("depth", [2, 3, 4, 6, 8, 9, 12, 16])
def test_the_dial_gives_shapes_that_fit(depth: int) -> None:
    config = Config.of_depth(depth, 1000)
    assert config.heads % config.kv_heads == 0 and config.width == config.heads * config.head_width
    assert Config.from_json(config.to_json(), "here") == config


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 99}', '{"format": 1, "vocabulary": 9, "surprise": 1}'])
def test_what_is_no_config_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Config.from_json(text, "config.json")
