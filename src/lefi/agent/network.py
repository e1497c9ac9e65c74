"""The network: one small perceptron for every client, and the mean over the fleet beside it. Any number of clients.

x    (..., n, f)  what is seen of each client
h    (..., n, k)  tanh(x W + b)                  c  (..., 1, k)  mean of h over the clients
g    (..., n, k)  tanh(h V + c U + d)
out  (..., n)     g v + x s, less its mean: log shares, since a common factor changes no share
Clients in another order give log shares in that order: nothing else knows where a client stands.
"""

from typing import NamedTuple

import numpy as np

from lefi.agent.sight import NAMES
from lefi.arrays import FloatArray

WIDTH = 32  # k: half of it learns more slowly, twice of it no better
FURTHEST = 6.0  # log share: e^-6 of an equal share is as good as nothing


class Layers(NamedTuple):
    """The numbers of a network, or their gradient."""

    W: FloatArray
    b: FloatArray
    V: FloatArray
    U: FloatArray
    d: FloatArray
    v: FloatArray
    s: FloatArray


class Trace(NamedTuple):
    """What a pass forward leaves for the way back."""

    x: FloatArray
    h: FloatArray
    c: FloatArray
    g: FloatArray


SHAPES = Layers(*((len(NAMES), WIDTH), (WIDTH,), (WIDTH, WIDTH), (WIDTH, WIDTH), (WIDTH,), (WIDTH,), (len(NAMES),)))  # type: ignore[arg-type]


def fresh(rng: np.random.Generator) -> Layers:
    """An untrained network: it says nothing yet, so that all shares are equal."""
    return Layers(
        W=rng.normal(size=SHAPES.W) / np.sqrt(len(NAMES)),
        b=np.zeros(SHAPES.b),
        V=rng.normal(size=SHAPES.V) / np.sqrt(2 * WIDTH),
        U=rng.normal(size=SHAPES.U) / np.sqrt(2 * WIDTH),
        d=np.zeros(SHAPES.d),
        v=np.zeros(SHAPES.v),
        s=np.zeros(SHAPES.s),
    )


def forward(layers: Layers, x: FloatArray) -> tuple[FloatArray, Trace]:
    """Log shares, and what `backward` needs."""
    h = np.tanh(x @ layers.W + layers.b)
    c = h.mean(axis=-2, keepdims=True)
    g = np.tanh(h @ layers.V + (c @ layers.U + layers.d))
    return centred(g @ layers.v + x @ layers.s), Trace(x, h, c, g)


def backward(layers: Layers, trace: Trace, pull: FloatArray) -> Layers:
    """The gradient of sum(pull * out) in every number of the network."""
    x, h, c, g = trace
    wanted = centred(pull)[..., None]
    to_g = wanted * layers.v * (1 - g * g)
    fleet = to_g.sum(axis=-2, keepdims=True)
    to_h = (to_g @ layers.V.T + (fleet @ layers.U.T) / x.shape[-2]) * (1 - h * h)
    return Layers(
        W=_rows(x).T @ _rows(to_h),
        b=_rows(to_h).sum(axis=0),
        V=_rows(h).T @ _rows(to_g),
        U=_rows(c).T @ _rows(fleet),
        d=_rows(to_g).sum(axis=0),
        v=_rows(g * wanted).sum(axis=0),
        s=_rows(x * wanted).sum(axis=0),
    )


def shares(log_share: FloatArray) -> FloatArray:
    """Shares in proportion, none above or below a bound."""
    return np.exp(np.clip(log_share, -FURTHEST, FURTHEST))


def centred(values: FloatArray) -> FloatArray:
    """Less the mean over the clients."""
    return values - values.mean(axis=-1, keepdims=True)


def _rows(values: FloatArray) -> FloatArray:
    return values.reshape(-1, values.shape[-1])
