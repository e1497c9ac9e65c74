"""A market whose accuracy rises round by round, along a measured learning curve: a trained job without training."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lefi.messages import Offer, Receipt
from lefi.models import Learning
from lefi.world.market import Market


@dataclass(frozen=True, eq=False)
class LearningMarket(Market):
    """`reached` is the accuracy that this round starts from.

    With rng None (the oracle, noise-free judgement) nothing is trained: there the accuracy model of the terms speaks.
    """

    learning: Learning
    reached: float

    def settle(self, round: int, offer: Offer, rng: np.random.Generator | None, budget: float | None = None) -> Receipt:
        """Ask the clients, pay them, and go on along the curve with what they delivered."""
        receipt = super().settle(round, offer, rng, budget)
        return receipt if rng is None else replace(receipt, accuracy=self._risen(receipt))

    def after(self, receipt: Receipt) -> Self:
        """The market that goes on from what this round has reached."""
        return replace(super().after(receipt), reached=self._risen(receipt))

    def _risen(self, receipt: Receipt) -> float:
        sizes = np.nan_to_num(self.truth(receipt.sizes))
        return self.learning.next(self.reached, sizes, receipt.roster.iid)


def learning_market(market: Market, learning: Learning) -> LearningMarket:
    """The same fleet and terms; training starts from nothing."""
    return LearningMarket(market.terms, market.fleet, learning, learning.floor)
