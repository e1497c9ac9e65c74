"""What a server can see of each client's update in one round.

D_i (P,)  the update: local model minus global model      own (P,)  the update of the server's own validation data
r_i       mean of the others' updates, weighted by claim   past      the last global changes, whose span is Q
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.errors import InputError

PAST = 3  # global changes that a replayed update may be made of; 1 misses mixtures of two, 6 caught no more
TINY = 1e-12
SKETCH = 64  # directions in which updates are compared with each other; 32 blurs copies with a tenth of noise
GAIN = 0.05  # of validation loss: gains below are told apart linearly, above by their logarithm
LARGE = 100_000  # weights of a model whose directions, 50 MB, are not kept from round to round
FEWEST = 8  # clients of a round: with fewer the median of the others says too little


@dataclass(frozen=True)
class Layout:
    """Where a model's parts lie in the vector of its weights: matrices as (offset, rows, columns), the last bias.

    >>> from lefi.trust import Layout
    >>> Layout.of([(10, 64), (10,)])
    Layout(matrices=((0, 10, 64),), bias=(640, 10))
    """

    matrices: tuple[tuple[int, int, int], ...]
    bias: tuple[int, int]

    @classmethod
    def of(cls, shapes: list[tuple[int, ...]]) -> "Layout":
        """Of weights that were flattened one after the other; every part of two or more axes is a matrix."""
        matrices, bias, offset = [], (0, 0), 0
        for shape in shapes:
            size = int(np.prod(shape))
            if len(shape) > 1:
                matrices.append((offset, shape[0], size // shape[0]))
            else:
                bias = (offset, size)
            offset += size
        return cls(tuple(matrices), bias)


@dataclass(frozen=True, eq=False)
class Heard:
    """One round. `gains` (n, classes): by how much each update alone lowers the validation loss of each class.

    >>> from lefi.trust import Heard
    >>> updates = np.array([[1.0, 2.0], [np.nan, 0.0]])
    >>> heard = Heard(np.array([0, 1]), np.array([2.0, 3.0]), updates, gains=np.zeros((2, 10)), own=np.zeros(2))
    >>> heard.broken
    array([False,  True])
    """

    ids: IntArray
    claims: FloatArray
    updates: FloatArray
    gains: FloatArray
    own: FloatArray

    def __post_init__(self) -> None:
        n, size = len(self.ids), self.updates.shape[-1]
        wanted = {"claims": (n,), "updates": (n, size), "own": (size,)}
        for name, shape in wanted.items():
            found = getattr(self, name)
            if found.shape != shape:
                raise InputError(name, found.shape, f"an array of shape {shape}")
        if self.gains.ndim != 2 or len(self.gains) != n:
            raise InputError("gains", self.gains.shape, f"an array of shape ({n}, classes)")
        if len(np.unique(self.ids)) < n:
            raise InputError("ids", self.ids.tolist(), "all different")
        if not (np.isfinite(self.claims) & (self.claims > 0)).all():
            raise InputError("claims", self.claims.tolist(), "above 0: who claims nothing is not judged")

    @cached_property
    def broken(self) -> BoolArray:
        """Clients whose update or what it does is no number: no honest optimiser sends that."""
        return np.asarray(~(np.isfinite(self.updates).all(axis=1) & np.isfinite(self.gains).all(axis=1)))

    def without(self, clients: BoolArray) -> "Heard":
        left = ~clients
        return Heard(self.ids[left], self.claims[left], self.updates[left], self.gains[left], self.own)


def features(heard: Heard, past: FloatArray, layout: Layout) -> dict[str, FloatArray]:
    """Each an array (n,), on a scale on which honest clients spread evenly: sizes in logarithms, cosines as such."""
    D, w = heard.updates.astype(float), heard.claims
    total = w @ D
    others = (total - w[:, None] * D) / np.maximum(w.sum() - w, TINY)[:, None]
    Q = np.linalg.qr(past[-PAST:].T)[0] if len(past) else np.zeros((D.shape[1], 0))
    new, new_others, new_own = (part - (part @ Q) @ Q.T for part in (D, others, heard.own))
    norm, new_norm = np.linalg.norm(D, axis=1), np.linalg.norm(new, axis=1)
    bias = D[:, layout.bias[0] : sum(layout.bias)]
    spread = np.exp(bias / np.maximum(bias.std(axis=1, keepdims=True), TINY))
    share = spread / spread.sum(axis=1, keepdims=True)
    found = {
        "claim": np.log(w),
        "norm": _log(norm),
        "new": _log(new_norm),
        "fresh": _log(new_norm / np.maximum(norm, TINY)),
        "cos_others": _cosine(D, others),
        "cos_new_others": _cosine(new, new_others),
        "cos_own": _cosine(D, heard.own),
        "cos_new_own": _cosine(new, new_own),
        "cos_last": _cosine(D, past[-1]) if len(past) else np.zeros(len(D)),
        "gain": np.arcsinh(heard.gains.mean(axis=1) / GAIN),
        "gain_positive": _log(np.maximum(heard.gains, 0).mean(axis=1) + GAIN * 1e-3),
        "gain_most": np.arcsinh(heard.gains.max(axis=1) / GAIN),
        "unique": _log(uniqueness(D - others) + 1e-6),
        "skew": (bias.max(axis=1) - bias.min(axis=1)) / np.maximum(norm, TINY),
        "entropy": -(share * np.log(share)).sum(axis=1),
    }
    for place, (offset, rows, columns) in enumerate(layout.matrices):
        found |= _spectrum(place, D[:, offset : offset + rows * columns].reshape(-1, rows, columns))
    return found


def uniqueness(residuals: FloatArray) -> FloatArray:
    """Smallest |d_i - d_j|^2 / (|r_i|^2 + |r_j|^2) over j: 0 for a copy, 1 for unrelated updates. In few directions."""
    n, size = residuals.shape
    if n < 2:
        return np.ones(n)
    if size > SKETCH:
        residuals = residuals @ (_directions(size) if size <= LARGE else _directions.__wrapped__(size))
    square = (residuals**2).sum(axis=1)
    apart = square[:, None] + square - 2 * residuals @ residuals.T
    ratio = np.maximum(apart, 0) / (square[:, None] + square + TINY)
    np.fill_diagonal(ratio, np.inf)
    return np.asarray(ratio.min(axis=1))


@lru_cache(maxsize=1)
def _directions(size: int) -> FloatArray:
    """Random directions in which updates are compared, always the same for a model of that size."""
    return np.asarray(np.random.default_rng(size).standard_normal((size, SKETCH)) / np.sqrt(SKETCH))


def _spectrum(place: int, update: FloatArray) -> dict[str, FloatArray]:
    """Effective rank of a layer's update, and its energy beyond the first quarter: few samples span few directions."""
    energy = np.linalg.svd(update, compute_uv=False) ** 2
    share = energy / (energy.sum(axis=1, keepdims=True) + 1e-20)
    rank = np.exp(-(share * np.log(share + TINY)).sum(axis=1))
    tail = share[:, max(1, share.shape[1] // 4) :].sum(axis=1)
    return {f"rank_{place}": np.log(rank), f"tail_{place}": np.log(tail + 1e-7)}


def _cosine(vectors: FloatArray, other: FloatArray) -> FloatArray:
    other = np.broadcast_to(other, vectors.shape)
    product = np.einsum("ij,ij->i", vectors, other)
    return np.asarray(product / (np.linalg.norm(vectors, axis=1) * np.linalg.norm(other, axis=1) + TINY))


def _log(values: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(values, TINY)))
