"""One Gaussian process per client, all side by side.

n clients of a call; rows are where the bank keeps them.
x   (n,) or (n, queries)  inputs            y   (n,)  observed values, NaN for none
The prior mean of a client is the mean of its own observations. Lengthscale, signal variance and noise come from a
table of hyper-parameters; `choice` says which entry a client follows, most often one for the whole fleet.
"""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray, whole
from lefi.errors import InputError, UnknownName
from lefi.surrogate.cuda import DeviceHistory
from lefi.surrogate.history import History
from lefi.surrogate.kernels import NAMES, Hyper
from lefi.surrogate.layout import BIG, FINITE, SOME
from lefi.surrogate.posterior import Posterior, hypers, posterior, prior
from lefi.surrogate.rows import Rows
from lefi.surrogate.warps import WARPS, warp

QUERIES = 3  # that one sweep carries
QUIET = 1e-6  # float32 storage refuses less noise: the rounding of the data would show


class Bank:
    """Gaussian processes of clients that come, go and miss rounds.

    kernel: "iwp", "matern32", "matern52" (exact, O(t)) or "rbf" (finite rank, 1e-6 within 10 lengthscales).
    warp: "none" or "log", what is done to the inputs first; origin: where kernel iwp starts, it takes no input below.
    cap: most observations kept per client; beyond, close ones are merged. storage: "float32" halves the room.
    device: "cpu", or "cuda" for the state-space kernels (extra `gpu`).

    >>> from lefi.surrogate import Bank
    >>> bank, ids = Bank("matern52"), np.array([3, 7])
    >>> bank.observe(ids, np.array([1.0, 1.0]), np.array([2.0, 4.0]))
    >>> mean, variance = bank.predict(ids, np.array([1.0, 1.0]))
    >>> mean.round(2)
    array([2., 4.])
    """

    def __init__(
        self,
        kernel: str = "rbf",
        hyper: Hyper | None = None,
        *,
        warp_name: str = "none",
        origin: float | None = None,
        cap: int | None = None,
        storage: str = "float64",
        device: str = "cpu",
    ) -> None:
        names = {"kernel": NAMES, "warp": WARPS, "storage": ("float64", "float32"), "device": ("cpu", "cuda")}
        for (field, known), value in zip(names.items(), (kernel, warp_name, storage, device), strict=True):
            if value not in known:
                raise UnknownName(field, value, known)
        if cap is not None:
            whole("cap", cap, low=8)
        if device == "cuda" and (kernel == "rbf" or cap is not None):
            raise InputError("device", device, "cpu for kernel rbf or a capped history")
        self.kernel, self.warp = kernel, warp(warp_name, origin)
        self.device = device
        self.rows = Rows()
        self.history = DeviceHistory(storage) if device == "cuda" else History(cap, storage)
        self.table: list[Hyper] = []
        self.choice: NDArray[np.uint8] = np.zeros(0, dtype=np.uint8)
        self.refit(hyper or Hyper())

    @property
    def hyper(self) -> Hyper:
        """The hyper-parameters of newcomers, and of the whole fleet unless it was told apart."""
        return self.table[0]

    @property
    def ids(self) -> IntArray:
        return self.rows.ids

    @property
    def count(self) -> IntArray:
        """Observations of each client ever made, in the order of `ids`."""
        return self.history.seen[: len(self.rows)]

    @property
    def nbytes(self) -> int:
        return self.history.nbytes + self.choice.nbytes + self.rows.nbytes

    def observe(self, ids: IntArray, x: FloatArray, y: FloatArray) -> None:
        """Add one observation per client; where y is NaN there is nothing to learn."""
        if not np.isfinite(x).all() or np.isinf(y).any() or np.nanmax(np.abs(y), initial=0.0) >= SOME:
            raise InputError("observations", (x, y), "finite, or NaN in y for none")
        inputs = self._inputs(x)
        rows = self.rows.admit(ids)
        self.history.admit(len(self.rows))
        seen = ~np.isnan(y)
        if not seen.all():
            rows, inputs, y = rows[seen], inputs[seen], y[seen]
        self.settle()
        self.history.note(rows, inputs, y)

    def predict(self, ids: IntArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of each client's process at x, which is (n,) or (n, queries)."""
        u = self._inputs(x)
        if u.ndim == 1:
            found = self._posterior(ids, u[None])
            return found.F[0], np.sqrt(np.maximum(found.C[0], 0.0))
        mean, variance = np.empty(x.shape), np.empty(x.shape)
        for first in range(0, x.shape[1], QUERIES):
            some = slice(first, first + QUERIES)
            found = self._posterior(ids, u.T[some])
            mean[:, some], variance[:, some] = found.mean, found.variance
        return mean, np.sqrt(np.maximum(variance, 0.0))

    def joint(self, ids: IntArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Means (n, queries) and covariances (n, queries, queries) at up to three inputs per client."""
        if x.ndim != 2 or x.shape[1] > QUERIES:
            raise InputError("shape of the queries", x.shape, f"(n, at most {QUERIES})")
        found = self._posterior(ids, self._inputs(x).T)
        return found.mean, found.covariance

    def slope(self, ids: IntArray, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of the derivative of each client's process at x, (n,)."""
        found = self._posterior(ids, self._inputs(x)[None], slope=True)
        steep = self.warp.slope(x)
        return found.F[0] * steep, np.sqrt(np.maximum(found.C[0], 0.0)) * steep

    def evidence(self) -> FloatArray:
        """log p(y | x) of each client under its hyper-parameters, in the order of `ids`."""
        quad, logdet = self.fit()
        _, signal, _ = hypers(self, np.arange(len(self.rows)))
        return -0.5 * (quad / signal + logdet + self.history.count[: len(self.rows)] * np.log(2 * np.pi * signal))

    def fit(self) -> tuple[FloatArray, FloatArray]:
        """quad and logdet of each client (see Posterior), of which the evidence is made."""
        rows = np.arange(len(self.rows))
        found = posterior(self, rows, np.empty((0, rows.size)), weighing=True)
        return found.quad, found.logdet

    def refit(self, hyper: Hyper | Sequence[Hyper], choice: NDArray[np.integer] | None = None) -> None:
        """Take other hyper-parameters: one for all, or a table and, per client of `ids`, the entry it follows."""
        table = [hyper] if isinstance(hyper, Hyper) else list(hyper)
        if self.history.storage.itemsize < 8 and min(h.noise for h in table) < QUIET:
            raise InputError("noise", min(h.noise for h in table), f">= {QUIET:g} with float32 storage")
        self.table = table
        self.choice = np.zeros(0, dtype=np.uint8) if choice is None else choice.astype(np.uint8)

    def settle(self) -> None:
        """Take pending observations into the history now; the next prediction would."""
        if self.history.pending:
            rows = np.flatnonzero(self.history.px[: len(self.rows)] < BIG)
            posterior(self, rows, np.empty((0, rows.size)))

    def forget(self, ids: IntArray) -> None:
        """Let the processes of these clients go; what the fleet learned stays in the hyper-parameters."""
        if self.device != "cpu":
            raise InputError("device", self.device, "cpu, to forget clients")
        self.settle()
        stay = np.flatnonzero(~np.isin(self.ids, ids))
        table, choice = self.table, self.choice[stay[stay < self.choice.size]]
        some = self.sample(stay)
        self.rows, self.history, self.table, self.choice = some.rows, some.history, table, choice

    def sample(self, rows: IntArray) -> Self:
        """A bank of a few of the clients, on the CPU, with what they have answered."""
        self.settle()
        some = self._twin(device="cpu")
        some.rows.admit(self.ids[rows])
        some.history = self.history.sample(rows)
        return some

    def adopt(self, kernel: str, warp_name: str, origin: float | None = None) -> None:
        """Go over to another kernel and warp, with all that was observed."""
        self.settle()
        old, self.kernel, self.warp = self.warp, kernel, warp(warp_name, origin)
        self.history.map_inputs(lambda u: self._inputs(old.inverse(u)))

    def copy(self) -> Self:
        twin = self._twin()
        twin.rows, twin.history = self.rows.copy(), self.history.copy()
        twin.table, twin.choice = list(self.table), self.choice.copy()
        return twin

    def _twin(self, device: str | None = None) -> Self:
        return type(self)(
            self.kernel,
            self.hyper,
            warp_name=self.warp.name,
            origin=self.warp.origin,
            cap=self.history.cap,
            storage=str(self.history.storage),
            device=device or self.device,
        )

    def _inputs(self, x: FloatArray) -> FloatArray:
        u = self.warp(x)
        if self.kernel == "iwp" and u.min(initial=0.0) < 0:
            raise InputError("inputs", float(x.min()), f">= the origin {self.warp.origin:g} (kernel iwp)")
        if np.abs(u).max(initial=0.0) >= FINITE:
            raise InputError("inputs", float(np.abs(x).max()), f"< {FINITE:g}")
        return u

    def _posterior(self, ids: IntArray, Q: FloatArray, slope: bool = False) -> Posterior:
        """Of clients that the bank knows from what they answered, of others the prior; queries Q (queries, n)."""
        rows = self.rows.find(ids)
        known = rows >= 0
        if known.all():
            return posterior(self, rows, Q, slope=slope)
        result = prior(self.kernel, self.hyper, Q, slope)
        if known.any():
            result.put(known, posterior(self, rows[known], Q[:, known], slope=slope))
        return result
