"""Networks that no library carries, written down from their papers with the widths that those give.

A network is a function from sizes to a `torch.nn.Module`; images are `[N, C, H, W]`, signals `[N, C, T]`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import pairwise

import torch
from torch import Tensor, nn


class Added(nn.Module):
    """What its parts make, added up; `after` the sum comes an activation."""

    def __init__(self, *parts: nn.Module, after: nn.Module | None = None) -> None:
        super().__init__()
        self.parts, self.after = nn.ModuleList(parts), after or nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """The sum."""
        first, *others = (part(x) for part in self.parts)
        result: Tensor = self.after(sum(others, first))
        return result


class Joined(nn.Module):
    """What its parts make, one behind another along the channels."""

    def __init__(self, *parts: nn.Module) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)

    def forward(self, x: Tensor) -> Tensor:
        """The channels of all."""
        return torch.cat([part(x) for part in self.parts], 1)


class Scaled(nn.Module):
    """Its input times what a part makes of it."""

    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.part = part

    def forward(self, x: Tensor) -> Tensor:
        """The product, broadcast."""
        result: Tensor = x * self.part(x)
        return result


class Across(nn.Module):
    """A part applied along other axes: the last two swapped before and after."""

    def __init__(self, part: nn.Module) -> None:
        super().__init__()
        self.part = part

    def forward(self, x: Tensor) -> Tensor:
        """`[N, A, B]` as the part reads `[N, B, A]`."""
        result: Tensor = self.part(x.transpose(1, 2)).transpose(1, 2)
        return result


def conv(
    inner: int, outer: int, kernel: int = 3, stride: int = 1, groups: int = 1, act: type[nn.Module] | None = nn.ReLU
) -> nn.Sequential:
    """Convolution that keeps the size, normalisation, activation."""
    layers = [nn.Conv2d(inner, outer, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outer)]
    return nn.Sequential(*layers, *([act()] if act else []))


def up(inner: int, outer: int, kernel: int, stride: int, pad: int = 0) -> list[nn.Module]:
    """Transposed convolution, normalisation, activation."""
    larger = nn.ConvTranspose2d(inner, outer, kernel, stride, pad, bias=False)
    return [larger, nn.BatchNorm2d(outer), nn.ReLU()]


def head(inner: int, classes: int = 1000) -> list[nn.Module]:
    """The mean of each channel, and a class of it."""
    return [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inner, classes)]


def squeezenet() -> nn.Module:
    """SqueezeNet 1.1 (Iandola et al. 2016)."""

    def fire(inner: int, squeezed: int, outer: int) -> nn.Sequential:
        wide = [nn.Sequential(nn.Conv2d(squeezed, outer, k, padding=k // 2), nn.ReLU()) for k in (1, 3)]
        return nn.Sequential(nn.Conv2d(inner, squeezed, 1), nn.ReLU(), Joined(*wide))

    layers: list[nn.Module] = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(), nn.MaxPool2d(3, 2)]
    layers += [fire(64, 16, 64), fire(128, 16, 64), nn.MaxPool2d(3, 2), fire(128, 32, 128), fire(256, 32, 128)]
    layers += [nn.MaxPool2d(3, 2), fire(256, 48, 192), fire(384, 48, 192), fire(384, 64, 256), fire(512, 64, 256)]
    return nn.Sequential(*layers, nn.Conv2d(512, 1000, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())


def vgg11() -> nn.Module:
    """VGG-11 (Simonyan and Zisserman 2014), its three dense layers made narrower."""
    layers: list[nn.Module] = []
    inner = 3
    for outer in (64, 0, 128, 0, 256, 256, 0, 512, 512, 0, 512, 512, 0):
        layers += [nn.Conv2d(inner, outer, 3, padding=1), nn.ReLU()] if outer else [nn.MaxPool2d(2)]
        inner = outer or inner
    dense = [nn.Linear(512 * 4, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1000)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), *dense)


def densenet(growth: int = 32, blocks: Sequence[int] = (6, 12, 24, 16)) -> nn.Module:
    """DenseNet-121 (Huang et al. 2017)."""

    def layer(inner: int) -> nn.Module:
        narrow = [nn.BatchNorm2d(inner), nn.ReLU(), *conv(inner, 4 * growth, 1), nn.Conv2d(4 * growth, growth, 3, 1, 1)]
        return Joined(nn.Identity(), nn.Sequential(*narrow))

    width = 2 * growth
    layers: list[nn.Module] = [*conv(3, width, 7, 2), nn.MaxPool2d(3, 2, 1)]
    for number, count in enumerate(blocks):
        layers += [layer(width + growth * i) for i in range(count)]
        width += growth * count
        if number + 1 < len(blocks):
            layers += [nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width // 2, 1), nn.AvgPool2d(2)]
            width //= 2
    return nn.Sequential(*layers, nn.BatchNorm2d(width), nn.ReLU(), *head(width))


def googlenet() -> nn.Module:
    """The inception modules of GoogLeNet (Szegedy et al. 2014), two of each stage."""

    def inception(inner: int, one: int, three: tuple[int, int], five: tuple[int, int], pool: int) -> nn.Module:
        return Joined(
            conv(inner, one, 1),
            nn.Sequential(conv(inner, three[0], 1), conv(*three, 3)),
            nn.Sequential(conv(inner, five[0], 1), conv(*five, 5)),
            nn.Sequential(nn.MaxPool2d(3, 1, 1), conv(inner, pool, 1)),
        )

    layers: list[nn.Module] = [conv(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1), conv(64, 64, 1), conv(64, 192, 3)]
    layers += [nn.MaxPool2d(3, 2, 1), inception(192, 64, (96, 128), (16, 32), 32)]
    layers += [inception(256, 128, (128, 192), (32, 96), 64), nn.MaxPool2d(3, 2, 1)]
    layers += [inception(480, 192, (96, 208), (16, 48), 64), inception(512, 256, (160, 320), (32, 128), 128)]
    layers += [nn.MaxPool2d(3, 2, 1), inception(832, 384, (192, 384), (48, 128), 128), *head(1024)]
    return nn.Sequential(*layers)


def mobilenet_v3() -> nn.Module:
    """MobileNetV3-Small (Howard et al. 2019)."""

    def squeeze(width: int) -> nn.Module:
        inner = max(8, width // 4 // 8 * 8)
        down: list[nn.Module] = [nn.AdaptiveAvgPool2d(1), nn.Conv2d(width, inner, 1), nn.ReLU()]
        return Scaled(nn.Sequential(*down, nn.Conv2d(inner, width, 1), nn.Hardsigmoid()))

    def block(inner: int, wide: int, outer: int, kernel: int, stride: int, act: type[nn.Module], se: bool) -> nn.Module:
        layers = [conv(inner, wide, 1, act=act)] if wide != inner else []
        layers += [conv(wide, wide, kernel, stride, wide, act), *([squeeze(wide)] if se else [])]  # type: ignore[list-item]
        body = nn.Sequential(*layers, conv(wide, outer, 1, act=None))
        return Added(nn.Identity(), body) if stride == 1 and inner == outer else body

    r, h = nn.ReLU, nn.Hardswish
    rows: list[tuple[int, int, int, int, int, type[nn.Module], bool]] = [
        (16, 16, 16, 3, 2, r, True), (16, 72, 24, 3, 2, r, False), (24, 88, 24, 3, 1, r, False),
        (24, 96, 40, 5, 2, h, True), (40, 240, 40, 5, 1, h, True), (40, 120, 48, 5, 1, h, True),
        (48, 144, 48, 5, 1, h, True), (48, 288, 96, 5, 2, h, True), (96, 576, 96, 5, 1, h, True),
    ]  # fmt: skip
    last: list[nn.Module] = [conv(96, 576, 1, act=h), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(576, 1024), h()]
    return nn.Sequential(conv(3, 16, 3, 2, act=h), *(block(*row) for row in rows), *last, nn.Linear(1024, 1000))


def shufflenet() -> nn.Module:
    """ShuffleNet with three groups (Zhang et al. 2017), the first units of each stage."""

    def unit(inner: int, outer: int, stride: int) -> nn.Module:
        wide, made = outer // 4, outer - inner if stride == 2 else outer
        groups = 1 if inner == 24 else 3
        body = nn.Sequential(
            conv(inner, wide, 1, groups=groups), nn.ChannelShuffle(3), conv(wide, wide, 3, stride, wide, None),
            conv(wide, made, 1, groups=3, act=None),
        )  # fmt: skip
        if stride == 2:
            return nn.Sequential(Joined(nn.AvgPool2d(3, 2, 1), body), nn.ReLU())
        return Added(nn.Identity(), body, after=nn.ReLU())

    layers: list[nn.Module] = [conv(3, 24, 3, 2), nn.MaxPool2d(3, 2, 1)]
    for inner, outer in ((24, 240), (240, 480), (480, 960)):
        layers += [unit(inner, outer, 2), unit(outer, outer, 1)]
    return nn.Sequential(*layers, *head(960))


def unet(width: int = 32) -> nn.Module:
    """U-Net (Ronneberger et al. 2015), four levels, with padding."""

    def twice(inner: int, outer: int) -> nn.Sequential:
        return nn.Sequential(conv(inner, outer), conv(outer, outer))

    def level(outer: int, depth: int) -> nn.Module:
        inner = 2 * outer
        below: list[nn.Module] = [nn.MaxPool2d(2), twice(outer, inner)]
        if depth:
            below.append(level(inner, depth - 1))
        deeper = nn.Sequential(*below, nn.ConvTranspose2d(inner, outer, 2, 2))
        return nn.Sequential(Joined(nn.Identity(), deeper), twice(inner, outer))

    return nn.Sequential(twice(3, width), level(width, 3), nn.Conv2d(width, 2, 1))


def dcgan(width: int = 64) -> nn.Module:
    """The generator of DCGAN (Radford et al. 2015): transposed convolutions from 100 numbers to 64 × 64 pixels."""
    layers: list[nn.Module] = []
    for inner, outer, stride, pad in ((100, 8, 1, 0), (8, 4, 2, 1), (4, 2, 2, 1), (2, 1, 2, 1)):
        first = inner if inner == 100 else inner * width
        layers += up(first, outer * width, 4, stride, pad)
    return nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 4, 2, 1, bias=False), nn.Tanh())


def masks(classes: int = 80) -> nn.Module:
    """The end of Mask R-CNN's head for masks (He et al. 2017): a transposed convolution to twice the size, then a map
    for each class."""
    return nn.Sequential(nn.ConvTranspose2d(256, 256, 2, 2), nn.ReLU(), nn.Conv2d(256, classes, 1))


def poses(inner: int = 512, width: int = 256) -> nn.Module:
    """The head of Simple Baselines for poses (Xiao et al. 2018): transposed convolutions, then a map for each joint."""
    layers: list[nn.Module] = []
    for before in (inner, width, width):
        layers += up(before, width, 4, 2, 1)
    return nn.Sequential(*layers, nn.Conv2d(width, 17, 1))


def pillars(width: int = 64) -> nn.Module:
    """The neck of PointPillars (Lang et al. 2019): maps of three sizes, each brought to that of the first."""

    def part(inner: int, outer: int, deep: int, ratio: int) -> tuple[nn.Module, nn.Module]:
        down = nn.Sequential(conv(inner, outer, 3, deep), conv(outer, outer))
        return down, nn.Sequential(*up(outer, 2 * width, ratio, ratio))

    first, one = part(width, width, 1, 1)
    second, two = part(width, 2 * width, 2, 2)
    third, four = part(2 * width, 4 * width, 2, 4)
    return nn.Sequential(first, Joined(one, nn.Sequential(second, Joined(two, nn.Sequential(third, four)))))


def prompted(width: int = 256, side: int = 32) -> nn.Module:
    """How Segment Anything makes masks larger (Kirillov et al. 2023): two transposed convolutions, of twice the size
    each, the first one normalised over its channels."""
    normed = [nn.Flatten(2), Across(nn.LayerNorm(width // 4)), nn.Unflatten(2, (2 * side, 2 * side)), nn.GELU()]
    first, second = nn.ConvTranspose2d(width, width // 4, 2, 2), nn.ConvTranspose2d(width // 4, width // 8, 2, 2)
    return nn.Sequential(first, *normed, second, nn.GELU())


def fsrcnn(wide: int = 56, narrow: int = 12, scale: int = 2) -> nn.Module:
    """FSRCNN (Dong et al. 2016): convolutions of few channels, and a wide transposed one at the end."""
    layers: list[nn.Module] = [nn.Conv2d(1, wide, 5, padding=2), nn.PReLU(wide), nn.Conv2d(wide, narrow, 1)]
    layers += [nn.PReLU(narrow), *(nn.Conv2d(narrow, narrow, 3, padding=1) for _ in range(4)), nn.PReLU(narrow)]
    layers += [nn.Conv2d(narrow, wide, 1), nn.PReLU(wide)]
    return nn.Sequential(*layers, nn.ConvTranspose2d(wide, 1, 9, scale, 4, output_padding=scale - 1))


def autoencoder(*widths: int) -> nn.Module:
    """A convolutional autoencoder: each layer halves the sides, and one like it doubles them again."""
    down: list[nn.Module] = []
    back: list[nn.Module] = []
    for inner, outer in pairwise((3, *widths)):
        down += [nn.Conv2d(inner, outer, 3, 2, 1), nn.ReLU()]
        back = [nn.ConvTranspose2d(outer, inner, 2, 2), nn.ReLU(), *back]
    return nn.Sequential(*down, *back[:-1], nn.Sigmoid())


def mlp(*widths: int) -> nn.Module:
    """Dense layers with an activation between."""
    layers: list[nn.Module] = []
    for inner, outer in pairwise(widths):
        layers += [nn.Linear(inner, outer), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def mixer(width: int = 512, patch: int = 16, side: int = 224) -> nn.Module:
    """Two blocks of MLP-Mixer (Tolstikhin et al. 2021)."""
    patches = (side // patch) ** 2

    def dense(inner: int, outer: int) -> nn.Sequential:
        return nn.Sequential(nn.Linear(inner, outer), nn.GELU(), nn.Linear(outer, inner))

    layers: list[nn.Module] = []
    for _ in range(2):
        tokens = nn.Sequential(nn.LayerNorm(width), Across(dense(patches, width // 2)))
        layers += [Added(nn.Identity(), tokens)]
        layers += [Added(nn.Identity(), nn.Sequential(nn.LayerNorm(width), dense(width, 4 * width)))]
    embedding = [nn.Conv2d(3, width, patch, patch), nn.Flatten(2)]
    return nn.Sequential(*embedding, Across(nn.Sequential(*layers, nn.LayerNorm(width))))


def waves() -> nn.Module:
    """M5, one-dimensional convolutions over raw samples (Dai et al. 2016)."""
    layers: list[nn.Module] = []
    for inner, outer, kernel, stride in ((1, 128, 80, 4), (128, 128, 3, 1), (128, 256, 3, 1), (256, 512, 3, 1)):
        layers += [nn.Conv1d(inner, outer, kernel, stride), nn.BatchNorm1d(outer), nn.ReLU(), nn.MaxPool1d(4)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(512, 35))


def temporal(width: int = 128) -> nn.Module:
    """A temporal convolutional network with growing dilation (Bai et al. 2018), with padding on both sides."""
    layers: list[nn.Module] = [nn.Conv1d(40, width, 1)]
    for power in range(4):
        step = 2**power
        body = [nn.Conv1d(width, width, 3, padding=step, dilation=step), nn.ReLU()]
        layers += [Added(nn.Identity(), nn.Sequential(*body, nn.Conv1d(width, width, 1)), after=nn.ReLU())]
    return nn.Sequential(*layers)


def keywords() -> nn.Module:
    """A depthwise separable network for keyword spotting (Zhang et al. 2017), over 49 × 10 coefficients."""
    layers: list[nn.Module] = [nn.Conv2d(1, 64, (10, 4), (2, 2), (5, 1)), nn.BatchNorm2d(64), nn.ReLU()]
    for _ in range(4):
        layers += [conv(64, 64, 3, 1, 64), conv(64, 64, 1)]
    return nn.Sequential(*layers, *head(64, 12))


def superresolution(scale: int = 3) -> nn.Module:
    """ESPCN (Shi et al. 2016): convolutions, then pixels out of channels."""
    layers: list[nn.Module] = [nn.Conv2d(1, 64, 5, padding=2), nn.Tanh(), nn.Conv2d(64, 64, 3, padding=1), nn.Tanh()]
    layers += [nn.Conv2d(64, 32, 3, padding=1), nn.Tanh(), nn.Conv2d(32, scale**2, 3, padding=1)]
    return nn.Sequential(*layers, nn.PixelShuffle(scale))


def pyramid() -> nn.Module:
    """Atrous spatial pyramid pooling, the head of DeepLabV3 (Chen et al. 2017), over 256 channels."""
    rates = [nn.Sequential(nn.Conv2d(256, 128, 3, padding=r, dilation=r, bias=False), nn.BatchNorm2d(128), nn.ReLU())
             for r in (6, 12, 18)]  # fmt: skip
    larger = nn.Upsample(scale_factor=4, mode="bilinear", align_corners=False)
    return nn.Sequential(Joined(conv(256, 128, 1), *rates), conv(512, 128, 1), nn.Conv2d(128, 21, 1), larger)


def volumes() -> nn.Module:
    """The first layers of C3D (Tran et al. 2015): convolutions over time, height and width."""
    layers: list[nn.Module] = []
    for inner, outer, pool in ((3, 32, (1, 2, 2)), (32, 64, (2, 2, 2)), (64, 128, (2, 2, 2))):
        layers += [nn.Conv3d(inner, outer, 3, padding=1), nn.ReLU(), nn.MaxPool3d(pool)]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool3d(1), nn.Flatten(), nn.Linear(128, 101))


def styled(width: int = 32) -> nn.Module:
    """A network for style transfer (Johnson et al. 2016) with instance normalisation and two residual blocks."""

    def layer(inner: int, outer: int, kernel: int, stride: int = 1) -> list[nn.Module]:
        flat = nn.Conv2d(inner, outer, kernel, stride, kernel // 2)
        return [flat, nn.InstanceNorm2d(outer, affine=True), nn.ReLU()]

    wide = 4 * width
    layers = [*layer(3, width, 9), *layer(width, 2 * width, 3, 2), *layer(2 * width, wide, 3, 2)]
    layers += [Added(nn.Identity(), nn.Sequential(*layer(wide, wide, 3), *layer(wide, wide, 3)[:2])) for _ in range(2)]
    layers += [nn.Upsample(scale_factor=2), *layer(wide, 2 * width, 3)]
    layers += [nn.Upsample(scale_factor=2), *layer(2 * width, width, 3)]
    return nn.Sequential(*layers, nn.Conv2d(width, 3, 9, padding=4), nn.Tanh())


MADE: Mapping[str, Callable[[], nn.Module]] = {
    "squeezenet": squeezenet,
    "vgg11": vgg11,
    "densenet121": densenet,
    "googlenet": googlenet,
    "mobilenet_v3": mobilenet_v3,
    "shufflenet": shufflenet,
    "unet": unet,
    "dcgan": dcgan,
    "masks": masks,
    "poses": poses,
    "pillars": pillars,
    "prompted-32": prompted,
    "prompted-64": partial(prompted, side=64),
    "fsrcnn": fsrcnn,
    "fsrcnn-3": partial(fsrcnn, scale=3),
    "autoencoder": partial(autoencoder, 32, 64, 128, 256),
    "autoencoder-wide": partial(autoencoder, 96, 192, 384),
    "mlp-784": partial(mlp, 784, 512, 256, 10),
    "mlp-1024": partial(mlp, 1024, 1024, 4096, 1024),
    "mlp-2048": partial(mlp, 512, 2048, 2048, 1536, 1000),
    "mlp-384": partial(mlp, 384, 1536, 384, 1152),
    "mlp-640": partial(mlp, 640, 2560, 640, 1920),
    "mlp-768": partial(mlp, 768, 3072, 768, 2304),
    "mlp-1280": partial(mlp, 1280, 1280, 3840, 1280),
    "mlp-nerf": partial(mlp, 63, 256, 256, 128, 4),
    "mlp-tower": partial(mlp, 479, 1024, 512, 256, 1),
    "mixer": mixer,
    "m5": waves,
    "tcn": temporal,
    "ds-cnn": keywords,
    "espcn": superresolution,
    "aspp": pyramid,
    "c3d": volumes,
    "style": styled,
}
"""What makes each network of `_networks_sizes.WRITTEN`."""


def made(name: str, sizes: Sequence[int]) -> tuple[nn.Module, tuple[Tensor, ...]]:
    """A network with random weights, always the same, and what it reads."""
    torch.manual_seed(0)
    return MADE[name](), (torch.randn(*sizes),)
