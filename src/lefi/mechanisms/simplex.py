"""How the searching mechanisms write a weight vector: weights = z budget (a point of the simplex), z >= 1.

A client is rarely paid its whole weight, so z is raised while the observed spend stays under the budget.
"""

import numpy as np

from lefi.arrays import FloatArray, Floats
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
            self.z = float(rescaled(self.z, receipt.paid, self.terms.in_force(receipt.budget)))


def rescaled(z: Floats, paid: Floats, budget: Floats) -> FloatArray:
    """The factor after a round that paid this much; one number, or one for each of many markets."""
    room = AIM * np.asarray(budget) / np.maximum(paid, 1e-300)
    return np.minimum(np.maximum(1.0, z * np.minimum(room, GROWTH)), MOST)
