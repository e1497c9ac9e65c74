"""How the searching mechanisms write a weight vector: weights = z budget (a point of the simplex), z >= 1.

A client is rarely paid its whole weight, so z is raised while the observed spend stays under the budget.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer, Receipt, Roster, Terms

GROWTH = 1.25  # most that z grows in a round
AIM = 0.999  # aim a little under the budget: a round that overspends by a hair does not count as a find
MOST = 1e6  # and in all: clients that give nothing for a million budgets will not give anything for two


class Scale:
    """The factor z between the simplex and the weights, learned from what was really paid."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.z = 1.0

    def offer(self, roster: Roster, shares: FloatArray, budget: float | None) -> CurveOffer:
        """Weights in proportion to `shares`."""
        weight = self.z * self.terms.in_force(budget) * shares / shares.sum()
        return CurveOffer(weight, roster.rate, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        if receipt.answered.any():
            room = AIM * self.terms.in_force(receipt.budget) / receipt.paid if receipt.paid > 0 else GROWTH
            self.z = min(max(1.0, self.z * min(room, GROWTH)), MOST)
