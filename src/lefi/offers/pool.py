"""A pool: a total that is shared in proportion to what is delivered.

tau  total [USD]     X  sum of sizes     x_n size     c_n marginal cost [USD / thousand samples]
u_n = tau x_n / X - c_n x_n.  At an equilibrium  x_n = clip(X - c_n X^2 / tau, low_n, high_n)  with  sum x_n = X.
The share x_n / X falls with X, so there is one equilibrium and bisection finds it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from lefi.arrays import FloatArray, Floats, number, vector
from lefi.messages import in_short
from lefi.payments import pays

SMALL = 2.0**-500  # [thousand samples] far from denormal numbers; a power of 2, so that dividing by it is exact
HALVINGS = 200  # of the interval in which X lies: to the last bit from any start


@pays("pool")
@dataclass(frozen=True, eq=False)
class PoolOffer:
    """All clients share one total; `limit` is the most that counts of each.

    >>> offer = lefi.PoolOffer(total=6.0, limit=[10.0, 10.0, 10.0])
    >>> offer.payment(np.array([1.0, 2.0, np.nan]))
    array([2., 4., 0.])
    """

    shared: ClassVar[bool] = True  # what a client earns hangs on the others

    total: float
    limit: FloatArray

    def __post_init__(self) -> None:
        object.__setattr__(self, "total", number("total", self.total, low=0))
        object.__setattr__(self, "limit", vector("limit", self.limit, low=0))

    def __len__(self) -> int:
        return self.limit.size

    def __repr__(self) -> str:
        return in_short(self)

    def payment(self, sizes: Floats) -> FloatArray:
        counted = np.nan_to_num(np.minimum(np.broadcast_to(sizes, (len(self),)), self.limit))
        if counted.max(initial=0.0) < SMALL:
            counted = counted / SMALL  # exact; below, denormal numbers would be rounded to twice their share
        whole = counted.sum()
        return self.total * counted / whole if whole > 0 else np.zeros(len(self))

    def worst_case(self) -> float:
        return self.total

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """The equilibrium: each client's best answer to what the others deliver in it."""
        least = np.broadcast_to(np.asarray(low, dtype=np.float64), (len(self),))
        most = np.maximum(least, np.minimum(high, self.limit))
        cost = np.broadcast_to(marginal_cost, (len(self),))
        if self.total == 0 or most.max() == 0:
            return least.copy()
        return equilibrium(self.total, cost, least, most)

    def to_columns(self) -> dict[str, FloatArray]:
        return {"limit": self.limit, "total": np.full(len(self), self.total)}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        return cls(float(columns["total"][0]), columns["limit"])


def equilibrium(total: float, cost: FloatArray, low: FloatArray, high: FloatArray) -> FloatArray:
    """Sizes in [low, high] that are best answers to each other."""

    def answers(X: float) -> FloatArray:
        return np.clip(X - cost * X**2 / total, low, high)

    least, most = 0.0, float(high.sum())
    for _ in range(HALVINGS):
        X = (least + most) / 2
        least, most = (X, most) if answers(X).sum() > X else (least, X)
    return answers((least + most) / 2)
