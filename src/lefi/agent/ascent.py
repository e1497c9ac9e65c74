"""Steps uphill: Adam (Kingma and Ba 2015), which needs no scale of the reward."""

from typing import NamedTuple

import numpy as np

from lefi.agent.network import Layers

SLOW, SLOWER = 0.9, 0.999  # how much of the mean of gradients, and of their squares, is kept
LEAST = 1e-6  # added to the spread: a gradient that is rounding moves nothing


class Climb(NamedTuple):
    """Where the climb stands: the network, means of its gradients and of their squares, and how many steps."""

    layers: Layers
    mean: Layers
    square: Layers
    steps: int


def begin(layers: Layers) -> Climb:
    """Before the first step."""
    return Climb(layers, Layers(*map(np.zeros_like, layers)), Layers(*map(np.zeros_like, layers)), 0)


def climb(state: Climb, gradient: Layers, rate: float) -> Climb:
    """One step."""
    steps = state.steps + 1
    mean = Layers(*(SLOW * m + (1 - SLOW) * g for m, g in zip(state.mean, gradient, strict=True)))
    square = Layers(*(SLOWER * s + (1 - SLOWER) * g * g for s, g in zip(state.square, gradient, strict=True)))
    up, wide = 1 - SLOW**steps, 1 - SLOWER**steps
    moved = (
        p + rate * (m / up) / (np.sqrt(s / wide) + LEAST) for p, m, s in zip(state.layers, mean, square, strict=True)
    )
    return Climb(Layers(*moved), mean, square, steps)
