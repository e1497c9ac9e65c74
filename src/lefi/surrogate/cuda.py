"""The bank's data and the sweep on a GPU, by CuPy: same contract, same results to rounding (extra `gpu`).

X, Y (slots, rows) live on the device; what is small, and what a call brings and takes, stays in numpy.
"""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.errors import LefiError
from lefi.surrogate.history import GROWTH, History
from lefi.surrogate.layout import BIG, LANES, NONE

THREADS = 128  # of a CUDA block


def cupy() -> Any:
    """CuPy with a device behind it, or a plain error."""
    try:
        import cupy

        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy raises its own errors where there is no driver
        raise LefiError(f"device 'cuda' needs CuPy and an NVIDIA GPU (pip install 'lefi-fl[gpu]'): {error}") from None
    return cupy


@cache
def compiled(real: str, kernel: int, queries: int, fresh: bool, weighing: bool) -> Any:
    source = Path(__file__).with_name("sweep.cu").read_text(encoding="utf-8")
    macros = {"REAL": real, "KERNEL": kernel, "NQ": queries, "FRESH": int(fresh), "WEIGH": int(weighing)}
    options = ("-std=c++14", *(f"-D{name}={value}" for name, value in macros.items()))
    return cupy().RawKernel(source, "sweep", options=options)


class DeviceHistory(History):
    """Observations on the GPU; there is no cap, device memory is the limit."""

    def __init__(self, storage: str = "float64") -> None:
        super().__init__(None, storage)
        xp = cupy()
        self.X, self.Y = (xp.empty((0, 0), self.storage) for _ in range(2))
        self.size = 0, 0  # blocks, slots

    @property
    def blocks(self) -> int:
        return self.size[0]

    @property
    def slots(self) -> int:
        return self.size[1]

    @property
    def nbytes(self) -> int:
        return super().nbytes + int(self.X.nbytes + self.Y.nbytes)

    def columns(self, rows: IntArray, slots: int | None = None) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Inputs, observations, weights of some clients, (clients, slots), brought to the host."""
        xp = cupy()
        at = xp.asarray(rows)
        x, y = (xp.asnumpy(a[:slots][:, at].T).astype(np.float64) for a in (self.X, self.Y))
        return x, y, np.ones(x.shape)

    def sample(self, rows: IntArray) -> History:
        """The history of some clients on the host."""
        some = History(None, str(self.storage))
        some.fill(rows.size, *self.columns(rows)[:2])
        for name in ("count", "seen", "mean"):
            getattr(some, name)[: rows.size] = getattr(self, name)[rows]
        return some

    def copy(self) -> "DeviceHistory":
        twin = type(self)(str(self.storage))
        for name in ("X", "Y", "px", "py", "mean", "count", "seen"):
            setattr(twin, name, getattr(self, name).copy())
        twin.size, twin.pending = self.size, self.pending
        return twin

    def map_inputs(self, f: Callable[[FloatArray], FloatArray]) -> None:
        raise LefiError("a bank on a GPU keeps its kernel and warp: choose them on the CPU first")

    def _resize(self, blocks: int, slots: int) -> None:
        xp = cupy()
        old_blocks, old_slots = self.size
        slots = max(slots, GROWTH)
        for name, nothing in (("X", BIG), ("Y", NONE)):
            grown = xp.full((slots, blocks * LANES), nothing, self.storage)
            if old_blocks:
                grown[:old_slots, : old_blocks * LANES] = getattr(self, name)
            setattr(self, name, grown)
        self.size = blocks, slots
        self._widen(blocks * LANES)


def run(
    kernel: int,
    history: DeviceHistory,
    scale: FloatArray,
    noise: FloatArray,
    Q: FloatArray,
    slope: FloatArray,
    weighing: bool,
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sweep all clients; F, C, G as in sweep.py, on the host."""
    xp = cupy()
    h, size = history, history.count.size
    F, C, G = xp.empty(Q.shape), xp.zeros((6, size)), xp.empty((2 if weighing else 0, size))
    small = (h.count, h.px, h.py, scale, noise, h.mean, Q, slope)
    launch(kernel, h.pending, h.X, h.Y, *(xp.asarray(a) for a in small), F, C, G)
    return xp.asnumpy(F), xp.asnumpy(C), xp.asnumpy(G)


def launch(kernel: int, fresh: bool, X: Any, Y: Any, *rest: Any) -> None:
    """The kernel on arrays that are on the device already."""
    *_, Q, _slope, _F, _C, G = rest
    real = "double" if X.dtype.itemsize == 8 else "float"
    n = X.shape[1]
    function = compiled(real, kernel, Q.shape[0], fresh, G.shape[0] > 0)
    function((-(-n // THREADS),), (THREADS,), (X, Y, *rest, np.int64(n), np.int64(n)))
