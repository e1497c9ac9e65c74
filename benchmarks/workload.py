"""The same inputs for everybody: weights that climb and then crowd, answers of rational clients with a little noise.

x, y  (n, t)  weights in units of budget / clients, and answers        q  (n, 2)  the last weight, and a probe above it
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray
from lefi.surrogate import Bank, Hyper

HYPER = Hyper(lengthscale=1.0, signal=1.0, noise=1e-4)
PROBE = 0.05


@dataclass(frozen=True, eq=False)
class Workload:
    """Histories of n clients after t rounds, in the order in which they came."""

    x: FloatArray
    y: FloatArray

    @property
    def q(self) -> FloatArray:
        return np.stack([self.x[:, -1], self.x[:, -1] + PROBE], axis=1)


def workload(clients: int, rounds: int, seed: int = 0) -> Workload:
    rng = np.random.default_rng(seed)
    path = np.minimum(np.linspace(0.1, 1.6, rounds), 1.0)
    x = path * (1 + 0.02 * rng.standard_normal((clients, rounds)))
    start, slope = rng.uniform(0.02, 0.08, (2, clients, 1)) * np.array([[[1.0]], [[3.0]]])
    y = np.clip(np.log(x / start) * slope, 0, 1) + 0.01 * rng.standard_normal(x.shape)
    return Workload(x, y)


def filled(kernel: str, work: Workload) -> Bank:
    """A bank that has seen all of it, without playing the rounds one by one."""
    clients, rounds = work.x.shape
    bank = Bank(kernel, HYPER)
    bank.rows.admit(np.arange(clients))
    order = np.argsort(work.x, axis=1)
    bank.history.fill(clients, *(np.take_along_axis(a, order, axis=1) for a in (work.x, work.y)))
    history = bank.history
    history.count[:clients] = history.seen[:clients] = rounds
    history.mean[:clients] = work.y.mean(axis=1)
    return bank
