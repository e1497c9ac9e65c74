"""Everything of one's own in one file: a mechanism, a scenario, a behaviour, a way of paying, models."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

import lefi

Array = NDArray[np.float64]


class Fixed:
    """A mechanism: the same share of budget / N for ever."""

    def __init__(self, terms: lefi.Terms, *, seed: int = 0, part: float = 1.0) -> None:
        self.terms, self.part = terms, part

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        clients, money = len(roster), self.terms.in_force(budget)
        return lefi.CurveOffer(
            np.full(clients, self.part * money / clients), roster.rate, np.full(clients, self.terms.size_high)
        )

    def tell(self, receipt: lefi.Receipt) -> None:
        """Nothing is learned."""


def city(*, clients: int, seed: int, dear: float = 2.0) -> lefi.RationalFleet:
    """A scenario: clients of two districts, one of which is dear."""
    ids = np.arange(clients)
    district = lefi.draws.uniform(lefi.draws.key(seed, "district"), ids)
    roster = lefi.Roster(ids, iid=np.full(clients, 0.8), rate=np.full(clients, 0.75))
    price = 8.65e-6 * np.where(district < 0.5, 1.0, dear)
    return lefi.RationalFleet(roster, price=price, speed=np.full(clients, 20.0), cost=lefi.cost("paper"))


@dataclass(frozen=True, eq=False)
class Sleepy(lefi.Behaviour):
    """A behaviour: a share of the clients delivers half of what it would."""

    key: int = 0
    share: float = 0.5

    def respond(self, offer: lefi.Offer, rng: np.random.Generator | None) -> Array:
        sizes = self.fleet.respond(offer, rng)
        return np.where(lefi.draws.uniform(self.key, self.roster.ids) < self.share, sizes / 2, sizes)


@lefi.pays("tiers")
@dataclass(frozen=True, eq=False)
class TierOffer:
    """A way of paying: a lump sum for everybody who delivers at least the bar."""

    bar: Array
    sum: Array
    limit: Array

    def __len__(self) -> int:
        return self.bar.size

    def payment(self, sizes: Any) -> Array:
        return np.where(np.nan_to_num(sizes) >= self.bar * (1 - 1e-12), self.sum, 0.0)

    def worst_case(self) -> float:
        return float(self.sum.sum())

    def best_size(self, marginal_cost: Any, low: Any, high: Any) -> Array:
        bar = np.maximum(self.bar, low)
        return np.where((bar <= high) & (self.sum > marginal_cost * bar), bar, low)

    def to_columns(self) -> dict[str, Array]:
        return {"bar": self.bar, "sum": self.sum, "limit": self.limit}

    @classmethod
    def from_columns(cls, columns: Mapping[str, Array], rate: Array) -> Self:
        return cls(columns["bar"], columns["sum"], columns["limit"])


class Tiers:
    """A mechanism that pays in this way: the same bar and the same sum for all."""

    payment = "tiers"
    tier = "sizes"

    def __init__(self, terms: lefi.Terms, *, seed: int = 0, bar: float = 3.0) -> None:
        self.terms, self.bar = terms, bar

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> TierOffer:
        clients, money = len(roster), lefi.spendable(self.terms.in_force(budget))
        return TierOffer(
            np.full(clients, self.bar), np.full(clients, money / clients), np.full(clients, self.terms.size_high)
        )

    def tell(self, receipt: lefi.Receipt) -> None:
        """Nothing is learned."""


class Root:
    """An accuracy model: it grows with the root of the size."""

    def __call__(self, sizes: Any, iid: Any) -> Array:
        return np.asarray(0.05 * np.sqrt(np.asarray(sizes, dtype=float) + 0.1) + 0.1 * np.asarray(iid))

    def slope(self, sizes: Any, iid: Any) -> Array:
        return np.asarray(0.025 / np.sqrt(np.asarray(sizes, dtype=float) + 0.1) + 0.0 * np.asarray(iid))


cheap = lefi.LinearCost(40.0, 5.0)  # a cost model: TFLOP per thousand samples, and fixed
