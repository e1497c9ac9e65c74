"""Which network the clients train: a small CNN by default, or any factory by import path.

A factory takes (channels, height, width, classes) and returns a torch.nn.Module that maps images to class scores.
"""

from collections.abc import Callable

import torch
from torch import nn

from lefi.errors import InputError, LefiError
from lefi.registry import load_module

SMALL_CNN = "lefi.profiling.model:small_cnn"
LEAST_PLAIN = 16  # below this height or width two unpadded 5 x 5 convolutions leave nothing

Factory = Callable[[int, int, int, int], nn.Module]


def small_cnn(channels: int, height: int, width: int, classes: int) -> nn.Module:
    """Two convolutions and three dense layers: NIID-Bench's simple CNN at 32 x 32, a smaller one for tiny images."""
    if min(height, width) < LEAST_PLAIN:
        # Strides instead of pooling: five times the samples per second on a CPU at 8 x 8.
        front: tuple[nn.Module, ...]
        front = (nn.Conv2d(channels, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        dense = (16 * _quarter(height) * _quarter(width), 32, 32)
    else:
        first, second = nn.Conv2d(channels, 6, 5), nn.Conv2d(6, 16, 5)
        front = (first, nn.ReLU(), nn.MaxPool2d(2), second, nn.ReLU(), nn.MaxPool2d(2))
        dense = (16 * (((height - 4) // 2 - 4) // 2) * (((width - 4) // 2 - 4) // 2), 120, 84)
    return nn.Sequential(
        *(*front, nn.Flatten()),
        *(nn.Linear(dense[0], dense[1]), nn.ReLU(), nn.Linear(dense[1], dense[2]), nn.ReLU()),
        nn.Linear(dense[2], classes),
    )


def small_mlp(channels: int, height: int, width: int, classes: int) -> nn.Module:
    """One hidden layer of 32: the smallest network that learns tiny images well, for many jobs on a CPU."""
    hidden = 32
    return nn.Sequential(
        nn.Flatten(), nn.Linear(channels * height * width, hidden), nn.ReLU(), nn.Linear(hidden, classes)
    )


def _quarter(length: int) -> int:
    """What two convolutions with stride 2 leave."""
    half = (length + 1) // 2
    return (half + 1) // 2


def load_factory(path: str) -> Factory:
    """The factory at `package.module:name` or `file.py:name`; the current folder counts as a place for packages."""
    module, _, name = path.partition(":")
    try:
        factory = getattr(load_module(module), name)
    except (LefiError, AttributeError) as error:
        raise InputError("model", path, f"package.module:factory that can be imported ({error})") from None
    if not callable(factory):
        raise InputError("model", path, "a factory (channels, height, width, classes) -> torch.nn.Module")
    return factory


def build(path: str, shape: tuple[int, int, int], classes: int, seed: int) -> nn.Module:
    """A freshly initialised network, the same for the same seed; the global random state is left as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            network = load_factory(path)(*shape, classes)
        except LefiError:
            raise
        except Exception as error:
            raise LefiError(f"model {path} cannot be built for {shape} and {classes} classes: {error}") from error
    for part in network.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm | nn.modules.dropout._DropoutNd):
            kind = type(part).__name__
            raise LefiError(f"model {path} has a {kind}: clients side by side need layers without state or chance, "
                            "such as GroupNorm")  # fmt: skip
    return network
