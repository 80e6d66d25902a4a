"""Networks that are written down from their papers, by name: known without PyTorch, which makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Sizes = tuple[int, ...]
WRITTEN: Mapping[str, tuple[str, Sequence[Sizes]]] = {
    "squeezenet": ("squeezenet", ((1, 3, 224, 224), (1, 3, 128, 128), (4, 3, 160, 160))),
    "vgg11": ("vgg", ((1, 3, 224, 224), (1, 3, 96, 96), (4, 3, 64, 64))),
    "densenet121": ("densenet", ((1, 3, 224, 224),)),
    "googlenet": ("inception", ((1, 3, 224, 224), (4, 3, 128, 128))),
    "mobilenet_v3": ("mobilenet", ((1, 3, 224, 224), (1, 3, 160, 160), (8, 3, 128, 128))),
    "shufflenet": ("shufflenet", ((1, 3, 224, 224), (4, 3, 128, 128))),
    "unet": ("unet", ((1, 3, 128, 128), (1, 3, 256, 256), (4, 3, 96, 96))),
    "dcgan": ("dcgan", ((1, 100, 1, 1), (4, 100, 1, 1), (8, 100, 1, 1))),
    "masks": ("masks", ((1, 256, 14, 14), (4, 256, 14, 14), (8, 256, 7, 7))),
    "poses": ("poses", ((1, 512, 8, 6), (4, 512, 8, 6))),
    "pillars": ("pillars", ((1, 64, 72, 56), (1, 64, 48, 40))),
    "prompted-32": ("prompted", ((1, 256, 32, 32), (2, 256, 32, 32))),
    "prompted-64": ("prompted", ((1, 256, 64, 64),)),
    "fsrcnn": ("superresolution", ((1, 1, 96, 96), (1, 1, 160, 120))),
    "fsrcnn-3": ("superresolution", ((1, 1, 64, 64),)),
    "autoencoder": ("autoencoder", ((1, 3, 128, 128), (4, 3, 96, 96))),
    "autoencoder-wide": ("autoencoder", ((1, 3, 64, 64), (2, 3, 112, 112))),
    "mlp-784": ("mlp", ((1, 784), (8, 784), (64, 784))),
    "mlp-1024": ("mlp", ((1, 1024), (16, 1024), (128, 1024))),
    "mlp-2048": ("mlp", ((48, 512), (112, 512), (320, 512))),
    "mlp-384": ("mlp", ((72, 384), (200, 384), (320, 384))),
    "mlp-640": ("mlp", ((56, 640), (144, 640), (224, 640))),
    "mlp-768": ("mlp", ((48, 768), (112, 768), (240, 768))),
    "mlp-1280": ("mlp", ((40, 1280), (88, 1280), (176, 1280))),
    "mlp-nerf": ("mlp", ((1024, 63), (4096, 63))),
    "mlp-tower": ("mlp", ((1, 479), (32, 479), (256, 479))),
    "mixer": ("mixer", ((1, 3, 224, 224), (4, 3, 224, 224))),
    "m5": ("waves", ((1, 1, 8000), (4, 1, 16000))),
    "tcn": ("temporal", ((1, 40, 100), (8, 40, 200))),
    "ds-cnn": ("keywords", ((1, 1, 49, 10), (8, 1, 49, 10))),
    "espcn": ("superresolution", ((1, 1, 96, 96), (1, 1, 224, 224))),
    "aspp": ("pyramid", ((1, 256, 28, 28), (2, 256, 16, 16))),
    "c3d": ("volumes", ((1, 3, 8, 56, 56), (1, 3, 16, 32, 32))),
    "style": ("style", ((1, 3, 128, 128), (1, 3, 192, 192))),
}
"""The family of each network, and the shapes of its input."""
