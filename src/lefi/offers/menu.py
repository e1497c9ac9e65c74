"""A menu: a few pairs (size, payment) per client, of which it takes one.

D  (n, m)  sizes that are paid for [thousand samples]      R  (n, m)  payments [USD]
Who delivers D is paid the best pair that D covers: max R_nj over D_nj <= D, and 0 where it covers none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from lefi.arrays import FloatArray, Floats, floats
from lefi.errors import InputError
from lefi.messages import in_short
from lefi.payments import pays

ROUNDING = 1e-12  # relative: a delivery this little short of a pair has been rounded on the way


@pays("menu")
@dataclass(frozen=True, eq=False)
class MenuOffer:
    """Each client chooses one of its pairs, or none.

    >>> offer = lefi.MenuOffer(sizes=[[2.0, 5.0]], payments=[[0.1, 0.3]])
    >>> offer.payment(np.array([4.0]))
    array([0.1])
    >>> offer.best_size(marginal_cost=0.04, low=0.0, high=10.0)
    array([5.])
    """

    sizes: FloatArray
    payments: FloatArray

    def __post_init__(self) -> None:
        for name in ("sizes", "payments"):
            object.__setattr__(self, name, _table(name, getattr(self, name)))
        if self.sizes.shape != self.payments.shape:
            raise InputError("shape of payments", self.payments.shape, str(self.sizes.shape))

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        return in_short(self)

    @property
    def limit(self) -> FloatArray:
        """The largest size on each client's menu."""
        return self.sizes.max(axis=1)

    def payment(self, sizes: Floats) -> FloatArray:
        delivered = np.broadcast_to(np.asarray(sizes, dtype=np.float64), (len(self),))[:, None]
        covered = delivered >= self.sizes * (1 - ROUNDING)
        return np.where(covered, self.payments, 0.0).max(axis=1)

    def worst_case(self) -> float:
        return float(self.payments.max(axis=1).sum())

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """The pair that leaves the most money, or low; of equals the largest."""
        choices = self.choices(low, high)
        cost = choices * np.broadcast_to(marginal_cost, (len(self),))
        money = np.stack([self.payment(row) for row in choices]) - cost
        return take_best(choices, money)

    def choices(self, low: Floats, high: Floats) -> FloatArray:
        """The sizes worth thinking about, (m + 1, n): low, and each pair that lies within [low, high], else low."""
        least = np.broadcast_to(np.asarray(low, dtype=np.float64), (len(self),))
        inside = np.where(self.sizes.T <= high, np.maximum(self.sizes.T, least), least)
        return np.concatenate([least[None], inside])

    def to_columns(self) -> dict[str, FloatArray]:
        pairs = range(self.sizes.shape[1])
        sizes, paid = ({f"{part}_{pair}": table[:, pair] for pair in pairs} for part, table in self._tables())
        return {"limit": self.limit} | sizes | paid

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        pairs = [name.removeprefix("size_") for name in columns if name.startswith("size_")]
        return cls(*(np.stack([columns[f"{part}_{pair}"] for pair in pairs], axis=1) for part in ("size", "paid")))

    def _tables(self) -> tuple[tuple[str, FloatArray], ...]:
        return ("size", self.sizes), ("paid", self.payments)


def take_best(choices: FloatArray, money: FloatArray) -> FloatArray:
    """Of each column of choices the one with the most money; of equals the largest."""
    best = money >= money.max(axis=0) - 1e-15
    return np.asarray(np.where(best, choices, -np.inf).max(axis=0))


def _table(name: str, values: FloatArray) -> FloatArray:
    table = floats(name, values)
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(f"shape of {name}", table.shape, "(clients, pairs), at least one of each")
    if not (np.isfinite(table).all() and (table >= 0).all()):
        raise InputError(name, values, "finite and >= 0")
    table.flags.writeable = False
    return table
