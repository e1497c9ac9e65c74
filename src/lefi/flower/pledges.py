"""Re-scaling between pledge and commitment: no round costs more than the budget, whatever the mechanism asked.

w  weight asked    D  pledges    s  factor <= 1
A commitment pays at most s w (1 - exp(-rate D)); s = budget / (their sum at s = 1) makes the budget the worst case.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer, spendable


def rescaled(offer: CurveOffer, pledges: FloatArray, budget: float) -> FloatArray:
    """Weights to commit to; a client that pledged nothing keeps what it was asked at, for that is what it answered."""
    owed = float(offer.payment(pledges).sum())
    s = min(1.0, spendable(budget) / owed) if owed > 0 else 1.0
    return np.where(pledges > 0, s * offer.weight, offer.weight)
