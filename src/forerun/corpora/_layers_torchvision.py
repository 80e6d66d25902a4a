"""Layers of the library torchvision: one block a stage, or all of it where its blocks cannot be told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forerun.corpora.inductor import Network

Draw = Random
Config = dict[str, Any]
"""What its classes are called with."""
LICENCE = "BSD-3-Clause"

_FRAMES = 8


def ready(network: Network, device: str) -> tuple[Any, list[tuple[Any, ...]]]:
    """The module, and what it reads."""
    import torch

    _load()
    side, like = network.sizes[0][1], {"device": device, "dtype": getattr(torch, network.dtype)}
    module = _MAKERS[network.family](dict(network.config), side).to(**like)
    shape = (3, _FRAMES) if network.kind == "video" else (3,)
    return module, [(torch.zeros(batch, *shape, side, side, **like),) for batch, _ in network.sizes]


def _load() -> None:
    """Makes it importable where it was built for a PyTorch with CUDA and this one has none: the operators that it
    compiles are then absent, and it asks for their names when it is loaded. No network here uses one."""
    import torch

    try:
        import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::nms" not in str(error):
            raise
        for name in ("nms", "qnms"):
            torch.library.define(f"torchvision::{name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        import_module("torchvision")


def _called(name: str, module: str = "torchvision.models") -> Callable[[Config, int], Any]:
    """What is made by calling that name of a module with the settings."""
    return lambda config, side: getattr(import_module(module), name)(**config)


def _vgg(config: Config, side: int) -> Any:
    from torchvision.models.vgg import make_layers

    return make_layers(config["layers"], batch_norm=config["batch_norm"])


def _alexnet(config: Config, side: int) -> Any:
    from torchvision.models import AlexNet

    return AlexNet().features


def _inception(config: Config, side: int) -> Any:
    from torch.nn import Conv2d, Sequential
    from torchvision.models import inception

    width = config["width"]
    blocks = [inception.InceptionA(width, 32), inception.InceptionB(256), inception.InceptionC(736, config["inner"])]
    return Sequential(Conv2d(3, width, 3, stride=2), *blocks)


def _shufflenet(config: Config, side: int) -> Any:
    from torchvision.models import ShuffleNetV2

    return ShuffleNetV2([2, 2, 2], config["widths"])


def _efficientnet(config: Config, side: int) -> Any:
    from torchvision.models import EfficientNet
    from torchvision.models.efficientnet import FusedMBConvConfig, MBConvConfig

    width, ratio = config["width"], config["ratio"]
    fused = [FusedMBConvConfig(1, 3, 1, width, width, 1), FusedMBConvConfig(ratio, 3, 2, width, 2 * width, 1)]
    squeezed = [MBConvConfig(ratio, config["kernel"], 2, 2 * width, 4 * width, 2)]
    return EfficientNet([*fused, *squeezed], dropout=0.2, last_channel=640)


def _resnet(config: Config, side: int) -> Any:
    from torchvision.models import ResNet
    from torchvision.models.resnet import Bottleneck

    return ResNet(Bottleneck, [1, 1, 1, 1], **config)


def _maxvit(config: Config, side: int) -> Any:
    from torchvision.models import MaxVit

    width = config["width"]
    shape = {"stem_channels": width, "block_channels": [width, 2 * width], "block_layers": [1, 1], "head_dim": width}
    return MaxVit((side, side), partition_size=config["window"], stochastic_depth_prob=0.0, **shape)


def _video(config: Config, side: int) -> Any:
    from torchvision.models.video import resnet

    convolution = getattr(resnet, config["convolution"])
    return resnet.VideoResNet(resnet.BasicBlock, [convolution] * 4, [1, 1, 1, 1], resnet.BasicStem)


def _deeplab(config: Config, side: int) -> Any:
    from torch.nn import Conv2d, Sequential, Upsample
    from torchvision.models.segmentation.deeplabv3 import DeepLabHead

    stem = Conv2d(3, config["width"], 7, stride=8, padding=3)
    head = DeepLabHead(config["width"], 21, config["rates"])
    return Sequential(stem, head, Upsample(scale_factor=8, mode="bilinear", align_corners=False))


def _lraspp(config: Config, side: int) -> Any:
    from torchvision.models.segmentation import lraspp_mobilenet_v3_large

    return lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)


_MAKERS: Mapping[str, Callable[[Config, int], Any]] = {
    "vgg": _vgg,
    "densenet": _called("DenseNet"),
    "squeezenet": _called("SqueezeNet"),
    "shufflenet_v2": _shufflenet,
    "resnet": _resnet,
    "video_resnet": _video,
    "googlenet": _called("Inception", "torchvision.models.googlenet"),
    "mobilenet_v3": _called("mobilenet_v3_small"),
    "deeplabv3": _deeplab,
    "mnasnet": _called("MNASNet"),
    "alexnet": _alexnet,
    "efficientnet": _efficientnet,
    "maxvit": _maxvit,
    "inception_v3": _inception,
    "lraspp": _lraspp,
}


def _layers(draw: Draw) -> Config:
    width = draw.choice((16, 32, 48, 64))
    layers = [width, "M", 2 * width, "M", 4 * width, 4 * width, "M", 8 * width]
    return {"layers": layers, "batch_norm": draw.random() < 0.5}


def _dense(draw: Draw) -> Config:
    sizes = {"growth_rate": draw.choice((12, 16, 24, 32)), "num_init_features": draw.choice((16, 32, 64))}
    return {"block_config": (2, 2, 2, 2), "bn_size": draw.choice((2, 4))} | sizes


def _branches(draw: Draw) -> Config:
    """One block of four branches, which reads the image."""
    width = draw.choice((16, 32, 48, 64))
    inner = {"ch3x3red": width, "ch3x3": 2 * width, "ch5x5red": width // 4, "ch5x5": width // 2}
    return {"in_channels": 3, "ch1x1": width, "pool_proj": width // 2} | inner


def _shuffled(draw: Draw) -> Config:
    first = draw.choice((24, 48, 116))
    return {"widths": [24, first, 2 * first, 4 * first, 1024]}


def _grouped(draw: Draw) -> Config:
    groups, width = draw.choice(((32, 4), (32, 8), (1, 128), (16, 8)))
    return {"groups": groups, "width_per_group": width}


FAMILIES: Mapping[str, tuple[str, Callable[[Draw], Config]]] = {
    "vgg": ("image", _layers),
    "densenet": ("image", _dense),
    "squeezenet": ("image", lambda draw: {"version": draw.choice(("1_0", "1_1"))}),
    "shufflenet_v2": ("image", _shuffled),
    "resnet": ("image", _grouped),
    "video_resnet": (
        "video",
        lambda draw: {"convolution": draw.choice(("Conv3DSimple", "Conv3DNoTemporal", "Conv2Plus1D"))},
    ),
    "googlenet": ("image", _branches),
    "mobilenet_v3": ("image", lambda draw: {"width_mult": draw.choice((0.5, 0.75, 1.0))}),
    "deeplabv3": (
        "image",
        lambda draw: {"width": draw.choice((64, 128, 256)), "rates": draw.choice(((6, 12, 18), (12, 24, 36)))},
    ),
    "mnasnet": ("image", lambda draw: {"alpha": draw.choice((0.35, 0.5, 0.75, 1.0))}),
    "alexnet": ("image", lambda draw: {}),
    "efficientnet": (
        "image",
        lambda draw: {"width": draw.choice((16, 24, 32)), "ratio": draw.choice((4, 6)), "kernel": draw.choice((3, 5))},
    ),
    "maxvit": ("image", lambda draw: {"width": draw.choice((32, 64)), "window": draw.choice((2, 4))}),
    "inception_v3": ("image", lambda draw: {"width": draw.choice((32, 64)), "inner": draw.choice((64, 128))}),
    "lraspp": ("image", lambda draw: {}),
}
"""The architecture, by the name that transformers has of it where it has one; what it reads; what is drawn of it."""
