"""What the same weight for everybody has to spend for an accuracy: answers rise with the weight, so it is bisected."""

import numpy as np

from lefi.messages import CurveOffer
from lefi.world.market import Market

HALVINGS = 60  # of the bracket in log weight
MOST = 1e6  # budgets: clients that give no more for this weight will not for any


def equal_spend(market: Market, accuracy: float) -> float:
    """The least that equal weights spend to reach the accuracy [USD]; inf where no weight does.

    >>> from lefi.optimum import equal_spend
    >>> market = lefi.scenario("mixed", clients=4)
    >>> best = lefi.oracle(market)
    >>> equal_spend(market, best.accuracy) >= best.paid
    True
    """
    low, high = np.log([1e-9 * market.terms.budget, MOST * market.terms.budget])
    if _equal(market, high)[0] < accuracy:
        return np.inf
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if _equal(market, middle)[0] >= accuracy else (middle, high)
    return _equal(market, high)[1]


def _equal(market: Market, log_weight: float) -> tuple[float, float]:
    """Accuracy and spend of this weight for everybody, noise-free."""
    roster = market.fleet.roster
    everybody = np.ones(len(roster))
    offer = CurveOffer(np.exp(log_weight) * everybody, roster.rate, market.terms.size_high * everybody)
    sizes = market.admit(market.fleet.respond(offer, None))
    return market.accuracy_of(sizes), float(offer.payment(sizes).sum())
