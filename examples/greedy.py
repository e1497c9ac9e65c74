"""A mechanism of one's own: move money from the client that was paid most per sample to the one paid least."""

from typing import Annotated

import numpy as np
from pydantic import Field

import lefi


@lefi.register("greedy")
class Greedy:
    """Equal weights at first; then each round shifts the weights towards clients that gave more per dollar."""

    def __init__(self, terms: lefi.Terms, *, seed: int = 0, speed: Annotated[float, Field(gt=0, lt=1)] = 0.2) -> None:
        self.terms, self.speed = terms, speed
        self.share: dict[int, float] = {}

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        share = np.array([self.share.get(int(id), 1.0) for id in roster.ids])
        weight = self.terms.in_force(budget) * share / share.sum()
        return lefi.CurveOffer(weight, roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: lefi.Receipt) -> None:
        paid = receipt.payments > 0
        if not paid.any():  # nobody answered: nothing is learned
            return
        bargain = receipt.sizes[paid] / receipt.payments[paid]
        for id, ratio in zip(receipt.roster.ids[paid], bargain / np.mean(bargain), strict=True):
            self.share[int(id)] = self.share.get(int(id), 1.0) * float(ratio) ** self.speed
