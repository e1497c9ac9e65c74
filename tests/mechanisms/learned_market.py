"""A market whose accuracy rises round by round along a learning curve, as that of a trained model does."""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

import lefi
from lefi.messages import Offer, Receipt
from lefi.world.scaled import scaled_market


@dataclass(frozen=True, eq=False)
class LearnedMarket(lefi.Market):
    """`level` is where training stands; `worth`: what a sample of these clients counts in samples of the curve."""

    curve: lefi.Learning
    level: float
    worth: float = 1.0
    noise: float = 0.005

    def settle(self, round: int, offer: Offer, rng: Any, budget: float | None = None) -> Receipt:
        receipt = super().settle(round, offer, rng, budget)
        noise = 0.0 if rng is None else self.noise * rng.normal()
        return replace(receipt, accuracy=float(np.clip(self._risen(receipt) + noise, 0.0, 1.0)))

    def after(self, receipt: Receipt) -> Self:
        return replace(super().after(receipt), level=self._risen(receipt))

    def _risen(self, receipt: Receipt) -> float:
        return self.curve.next(self.level, self.worth * np.nan_to_num(receipt.sizes), receipt.roster.iid)


def learned_market(payment: str, total: float, seed: int = 600, data: str = "cifar10", **more: Any) -> LearnedMarket:
    """Ten clients of the scenario mixed with up to 5 thousand samples each, and a total that one round may spend."""
    market = scaled_market("mixed", "paper", 5.0, clients=10, seed=seed, budget=total, total=total)
    curve = lefi.learning(data)
    return LearnedMarket(replace(market.terms, payment=payment), market.fleet, curve, curve.floor, **more)
