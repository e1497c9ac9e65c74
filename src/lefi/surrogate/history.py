"""What every client has answered, in blocks of LANES clients.

n clients in rows; row i is lane i % LANES of block i // LANES; blocks are full, spare rows hold nothing.
x, y    (blocks, slots, LANES)  inputs in increasing order and observations; empty slot: BIG, NONE
w       the same                how many observations a slot stands for; only where the history is capped
px, py  (rows,)                 the pending observation: the next sweep slips it in on its way
count   (rows,) slots in use, without the pending one          seen, mean  (rows,) observations ever, and their mean
"""

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray
from lefi.surrogate.layout import BIG, FINITE, LANES, NONE

Stored = NDArray[np.floating]
GROWTH = 16  # slots at a time
MERGED = 8  # a full history is merged down by this share


class History:
    """Observations of clients that come, go and miss rounds."""

    def __init__(self, cap: int | None = None, storage: str = "float64") -> None:
        self.cap, self.storage = cap, np.dtype(storage)
        self.x, self.y = (np.empty((0, 0, LANES), self.storage) for _ in range(2))
        self.w: FloatArray = np.ones((1, 1, LANES))
        self.px, self.py, self.mean = (np.empty(0) for _ in range(3))
        self.count, self.seen = (np.empty(0, dtype=np.int64) for _ in range(2))
        self.pending = False
        self.weighted = False  # once pairs were merged

    @property
    def blocks(self) -> int:
        return self.x.shape[0]

    @property
    def slots(self) -> int:
        return self.x.shape[1]

    @property
    def nbytes(self) -> int:
        held = (self.x, self.y, self.w, self.px, self.py, self.mean, self.count, self.seen)
        return sum(a.nbytes for a in held)

    def admit(self, rows: int) -> None:
        """Room for that many clients; where there are clients already, for an eighth more than asked."""
        need = -(-rows // LANES)
        if need > self.blocks:
            have = need if self.blocks == 0 else max(need, self.blocks + self.blocks // 8)
            self._resize(have, self.slots)

    def reserve(self, slots: int) -> None:
        """Room for that many observations of each client."""
        if slots > self.slots:
            self._resize(self.blocks, -(-slots // GROWTH) * GROWTH)

    def note(self, rows: IntArray, x: FloatArray, y: FloatArray) -> None:
        """Make an observation of each row pending; there is none pending yet."""
        if self.cap is not None and (full := rows[self.count[rows] >= self.cap]).size:
            self.merge(full)
        # Over all rows, not those alone: the sweep goes one slot beyond the longest of a block, answered or not.
        self.reserve(int(self.count.max(initial=0)) + 1)
        self.px[rows], self.py[rows] = x, y
        self.seen[rows] += 1
        self.mean[rows] += (y - self.mean[rows]) / self.seen[rows]
        self.pending = self.pending or rows.size > 0

    def taken(self, blocks: IntArray) -> None:
        """The pending observations of these blocks have been slipped in."""
        px, count = self.px.reshape(-1, LANES), self.count.reshape(-1, LANES)
        if blocks.size == self.blocks:
            count += px < BIG
            px[:] = BIG
        else:
            count[blocks] += px[blocks] < BIG
            px[blocks] = BIG
        self.pending = blocks.size < self.blocks and bool((px < BIG).any())

    def append(self) -> None:
        """Take pending observations over in the order in which they came, for a kernel that does not sort."""
        if self.pending:
            rows = np.flatnonzero(self.px < BIG)
            at = rows // LANES, self.count[rows], rows % LANES
            self.x[at], self.y[at] = self.px[rows], self.py[rows]
            self.taken(np.arange(self.blocks))

    def merge(self, rows: IntArray) -> None:
        """Replace neighbouring pairs by their weighted mean: the cap / 8 pairs that lose least, none overlapping.

        What a pair loses is w1 w2 / (w1 + w2) (x2 - x1)^2 (Ward); the mean of w observations has noise / w.
        """
        if not self.weighted:  # until then every slot stands for one, and takes no room
            self.w, self.weighted = np.ones(self.x.shape), True
        at = rows // LANES, slice(None), rows % LANES
        order = np.argsort(self.x[at], axis=1, kind="stable")
        x, y, w = (np.take_along_axis(a[at].astype(np.float64), order, axis=1) for a in (self.x, self.y, self.w))
        with np.errstate(over="ignore"):
            loss = w[:, 1:] * w[:, :-1] / (w[:, 1:] + w[:, :-1]) * np.diff(x) ** 2
        loss[np.arange(loss.shape[1]) >= self.count[rows, None] - 1] = np.inf
        n, pairs = np.arange(rows.size), max(1, (self.cap or 0) // MERGED)
        for _ in range(pairs):
            j = loss.argmin(axis=1)
            both = w[n, j] + w[n, j + 1]
            for a in (x, y):
                a[n, j] = (w[n, j] * a[n, j] + w[n, j + 1] * a[n, j + 1]) / both
            w[n, j], x[n, j + 1], y[n, j + 1], w[n, j + 1] = both, BIG, NONE, 1.0
            for beside in (-1, 0, 1):
                loss[n, np.clip(j + beside, 0, loss.shape[1] - 1)] = np.inf
        order = np.argsort(x, axis=1, kind="stable")
        for a, new in ((self.x, x), (self.y, y), (self.w, w)):
            a[at] = np.take_along_axis(new, order, axis=1)
        self.count[rows] -= pairs

    def columns(self, rows: IntArray, slots: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Inputs, observations, weights of some clients, (clients, slots)."""
        at = rows // LANES, slice(slots), rows % LANES
        x, y = (a[at].astype(np.float64, copy=False) for a in (self.x, self.y))
        return x, y, self.w[at] if self.w.size > LANES else np.ones(x.shape)

    def sample(self, rows: IntArray) -> "History":
        """The history of some clients, in rows of their own; nothing is pending."""
        some = type(self)(self.cap, str(self.storage))
        some.weighted = self.weighted
        some.fill(rows.size, *self.columns(rows))
        for name in ("count", "seen", "mean"):
            getattr(some, name)[: rows.size] = getattr(self, name)[rows]
        return some

    def fill(self, clients: int, *columns: FloatArray) -> None:
        """Put inputs, observations (and weights), each (clients, slots), into the rows of an empty history."""
        self.admit(clients)
        self.reserve(columns[0].shape[1])
        rows = np.arange(clients)
        for mine, theirs in zip((self.x, self.y, self.w), columns, strict=False):
            if mine.size > LANES:
                mine[rows // LANES, : theirs.shape[1], rows % LANES] = theirs

    def map_inputs(self, f: Callable[[FloatArray], FloatArray]) -> None:
        """Replace the inputs by an increasing function of theirs, sorted."""
        for b in range(self.blocks):
            x = self.x[b].astype(np.float64)
            order = np.argsort(x, axis=0, kind="stable")
            x, used = np.take_along_axis(x, order, axis=0), np.sort(x, axis=0) < FINITE
            x[used] = f(x[used])
            self.x[b], self.y[b] = x, np.take_along_axis(self.y[b], order, axis=0)
            if self.w.size > LANES:
                self.w[b] = np.take_along_axis(self.w[b], order, axis=0)

    def copy(self) -> Self:
        twin = type(self)(self.cap, str(self.storage))
        for name in ("x", "y", "w", "px", "py", "mean", "count", "seen"):
            setattr(twin, name, getattr(self, name).copy())
        twin.pending, twin.weighted = self.pending, self.weighted
        return twin

    def _resize(self, blocks: int, slots: int) -> None:
        old = self.x.shape
        for name, nothing in (("x", BIG), ("y", NONE), ("w", 1.0))[: 3 if self.weighted else 2]:
            grown = aligned((blocks, slots, LANES), self.storage if name != "w" else np.dtype(np.float64))
            grown[old[0] :] = nothing
            grown[: old[0], old[1] :] = nothing
            if old[0]:
                grown[: old[0], : old[1]] = getattr(self, name)
            setattr(self, name, grown)
        self._widen(blocks * LANES)

    def _widen(self, rows: int) -> None:
        more = rows - self.count.size
        if more:
            for name, nothing in (("px", BIG), ("py", NONE), ("mean", 0.0), ("count", 0), ("seen", 0)):
                a = getattr(self, name)
                setattr(self, name, np.concatenate([a, np.full(more, nothing, a.dtype)]))


def aligned(shape: tuple[int, ...], dtype: np.dtype[np.floating]) -> Stored:
    """An empty array that starts on a cache line: vectors that cross one cost twice."""
    size = int(np.prod(shape))
    line = 64 // dtype.itemsize
    loose = np.empty(size + line, dtype)
    start = -(loose.ctypes.data // dtype.itemsize) % line
    return loose[start : start + size].reshape(shape)
