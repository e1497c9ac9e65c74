"""What a server can see of each client's update in one round.

D_i (P,)  the update: local model minus global model      own (P,)  the update of the server's own validation data
r_i       mean of the others' updates, weighted by claim   past      the last global changes, whose span is Q
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.errors import InputError

PAST = 3  # global changes that a replayed update may be made of; 1 misses mixtures of two, 6 caught no more
TINY = 1e-12
SKETCH = 64  # directions in which updates are compared with each other; 32 blurs copies with a tenth of noise
SAME = 3  # times how near two updates are, on the way from the usual cosine to 1, is squared: only copies are near
GAIN = 0.05  # of validation loss: gains below are told apart linearly, above by their logarithm
LARGE = 100_000  # weights of a model whose directions, 25 MB, are not kept from round to round
EMPTY = 1e-3  # of the length of the server's own update: honest ones of digits have a tenth of it or more
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
        if len({*self.ids.tolist()}) < n:
            raise InputError("ids", self.ids.tolist(), "all different")
        if not (np.isfinite(self.claims) & (self.claims > 0)).all():
            raise InputError("claims", self.claims.tolist(), "above 0: who claims nothing is not judged")

    @cached_property
    def squares(self) -> FloatArray:
        """Of the lengths of the updates."""
        D = np.asarray(self.updates, float)
        with np.errstate(invalid="ignore", over="ignore"):
            return np.asarray(np.vecdot(D, D))

    @cached_property
    def broken(self) -> BoolArray:
        """Clients whose update or what it does is no number: no honest optimiser sends that."""
        with np.errstate(invalid="ignore", over="ignore"):
            whole = self.squares.sum() + self.gains.sum()  # is no number where any part of it is none
        if np.isfinite(whole):
            return np.zeros(len(self.ids), bool)
        return np.asarray(~(np.isfinite(self.updates).all(axis=1) & np.isfinite(self.gains).all(axis=1)))

    @property
    def empty(self) -> BoolArray:
        """Clients whose update is nothing beside the server's own. Nobody else's update has a say in that."""
        length = float(np.vecdot(self.own, self.own))  # 0 where nobody learns anything in this round: nobody is empty
        return np.asarray((self.squares <= EMPTY**2 * length) & (length > 0))

    def without(self, clients: BoolArray) -> "Heard":
        left = ~clients
        return Heard(self.ids[left], self.claims[left], self.updates[left], self.gains[left], self.own)


def features(heard: Heard, past: FloatArray, layout: Layout) -> dict[str, FloatArray]:
    """Each an array (n,), on a scale on which honest clients spread evenly: sizes in logarithms, cosines as such."""
    D, w, classes = np.asarray(heard.updates, float), heard.claims, heard.gains.shape[1]
    bias = D[:, layout.bias[0] : sum(layout.bias)]
    tilt = bias / np.maximum(_deviation(bias), TINY)[:, None]
    spread = np.exp(tilt)
    total = spread.sum(axis=1)
    lengths = _lengths(D, heard.squares, w, heard.own, past[-PAST:])
    found = {"claim": np.log(w)} | lengths
    found |= {
        "gain": np.arcsinh(heard.gains.sum(axis=1) / (GAIN * classes)),
        "gain_positive": _log(np.maximum(heard.gains, 0).sum(axis=1) / classes + GAIN * 1e-3),
        "gain_most": np.arcsinh(heard.gains.max(axis=1) / GAIN),
        "unique": _log(uniqueness(D, w) + 1e-6),
        "skew": (bias.max(axis=1) - bias.min(axis=1)) / np.maximum(np.exp(lengths["norm"]), TINY),
        "entropy": np.log(total) - np.vecdot(spread, tilt) / total,  # of shares spread / total
    }
    for place, (offset, rows, columns) in enumerate(layout.matrices):
        found |= _spectrum(place, D[:, offset : offset + rows * columns].reshape(-1, rows, columns))
    return found


def _lengths(
    D: FloatArray, square: FloatArray, w: FloatArray, own: FloatArray, past: FloatArray
) -> dict[str, FloatArray]:
    """Lengths and cosines, `new` of what lies outside the last global changes. One product with each update is enough:

    r_i = (sum_j w_j D_j - w_i D_i) / (w - w_i), and the parts of x and y outside the span of P have the product
    x y - (x P') (P P')^-1 (P y).
    """
    k, seen = len(past), np.array([*past, w @ D, own])
    products, gram = D @ seen.T, seen @ seen.T
    span = gram[:k, :k] + (1e-12 * gram[:k, :k].trace() + TINY**2) * np.eye(k)  # changes may be equal
    inverse = np.linalg.inv(span)
    inside = products[:, :k]
    left = inside @ inverse
    outside = np.maximum(square - np.vecdot(left, inside), 0)
    # As such, and outside the last changes: squares (2, n), products with the total and the server's own (2, 2, n).
    squares = np.array([square, outside])
    both = np.array([products[:, k:].T, (products[:, k:] - left @ gram[:k, k:]).T])
    grams = np.array([gram[k:, k:], gram[k:, k:] - gram[k:, :k] @ inverse @ gram[:k, k:]])
    others = grams[:, 0, :1] - 2 * w * both[:, 0] + w**2 * squares
    lengths = np.sqrt(squares)
    to_others = (both[:, 0] - w * squares) / (lengths * np.sqrt(np.maximum(others, 0)) + TINY)
    to_own = both[:, 1] / (lengths * np.sqrt(np.maximum(grams[:, 1, 1:], 0)) + TINY)
    norm, new, fresh = _log(np.array([*lengths, lengths[1] / np.maximum(lengths[0], TINY)]))
    last = inside[:, -1] / (lengths[0] * np.sqrt(gram[k - 1, k - 1]) + TINY) if k else np.zeros(len(D))
    named = {"cos_others": to_others[0], "cos_new_others": to_others[1], "cos_own": to_own[0], "cos_new_own": to_own[1]}
    return {"norm": norm, "new": new, "fresh": fresh} | named | {"cos_last": last}


def uniqueness(updates: FloatArray, claims: FloatArray) -> FloatArray:
    """Smallest |u_i - u_j|^2 / (|r_i|^2 + |r_j|^2) over j: 0 for a copy, 1 for unrelated updates. In few directions.

    u_i is the direction of an update, r_i what sets it apart from the mean of the others. In that mean updates that are
    nearly the same count once: copies would make it their own, and honest clients alike in what they lack of it.
    """
    n, size = updates.shape
    if n < 2:
        return np.ones(n)
    if size > SKETCH:
        found = _directions(size) if size <= LARGE else _directions.__wrapped__(size)
        updates = (updates.astype(np.float32) @ found).astype(float)
    u = updates / np.maximum(np.sqrt(np.vecdot(updates, updates)), TINY)[:, None]
    cosines = u @ u.T
    usual = _middle(cosines[np.tri(n, k=-1, dtype=bool)])
    alike = np.minimum(np.maximum((cosines - usual) / max(1 - usual, TINY), 0), 1)
    for _ in range(SAME):
        alike *= alike
    np.fill_diagonal(alike, 1.0)
    w = claims / alike.sum(axis=1)
    apart = u - (w @ u - w[:, None] * u) / np.maximum(w.sum() - w, TINY)[:, None]
    square = np.vecdot(apart, apart)
    ratio = np.maximum(2 - 2 * cosines, 0) / (square[:, None] + square + TINY)
    np.fill_diagonal(ratio, np.inf)
    return np.asarray(ratio.min(axis=1))


def _middle(values: FloatArray) -> float:
    """The median, without the checks that cost more than it does."""
    low, high = (len(values) - 1) // 2, len(values) // 2
    found = np.partition(values, (low, high))
    return float(found[low] + found[high]) / 2


def _deviation(rows: FloatArray) -> FloatArray:
    """The standard deviation of each row, for the same reason."""
    around = rows - (rows.sum(axis=1) / rows.shape[1])[:, None]
    return np.asarray(np.sqrt(np.vecdot(around, around) / rows.shape[1]))


@lru_cache(maxsize=1)
def _directions(size: int) -> NDArray[np.float32]:
    """Random directions in which updates are compared, always the same for a model of that size."""
    drawn = np.random.default_rng(size).standard_normal((size, SKETCH)) / np.sqrt(SKETCH)
    return drawn.astype(np.float32)  # copies differ by far more than the digits that are lost


def _spectrum(place: int, update: FloatArray) -> dict[str, FloatArray]:
    """Effective rank of a layer's update, and its energy beyond the first quarter: few samples span few directions."""
    rows = update if update.shape[1] <= update.shape[2] else update.transpose(0, 2, 1)
    gram = rows @ rows.transpose(0, 2, 1)
    energy = np.maximum(np.linalg.eigvalsh(gram, "U"), 0.0)  # squared singular values, least first
    share = energy / (energy.sum(axis=1, keepdims=True) + 1e-20)
    first = max(1, share.shape[1] // 4)
    entropy = -np.vecdot(share, np.log(share + TINY))  # the log of the effective rank
    return {f"rank_{place}": entropy, f"tail_{place}": np.log(share[:, :-first].sum(axis=1) + 1e-7)}


def _log(values: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(values, TINY)))
