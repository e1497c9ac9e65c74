"""The optimum of a round, when the clients' answers are known: the only code that looks at both sides of the market."""

from typing import cast

import numpy as np

from lefi.messages import CurveOffer, spendable
from lefi.optimum.equal_weights import equal_spend
from lefi.optimum.first_best import first_best
from lefi.optimum.rational import rational_optimum
from lefi.optimum.receipt import OptimumReceipt
from lefi.optimum.single_price import flat_best
from lefi.optimum.tabulated import table_optimum
from lefi.world.behaviours import Behaviour, Churn, Drift, Dropout, Noisy
from lefi.world.fleet import Fleet, RationalFleet
from lefi.world.market import Market

__all__ = ["ORACLE", "OptimumReceipt", "equal_spend", "first_best", "flat_best", "oracle"]

ORACLE = "oracle"  # its name where it is listed beside mechanisms


def oracle(market: Market) -> OptimumReceipt[CurveOffer]:
    """The best of the paper's curves for the current fleet under the budget, judged by noise-free answers.

    Exact for rational clients with size_low = 0 and concave accuracy. For any other fleet the answers are tabulated
    over weights (no limits); accuracy is then what a feasible offer reaches, and the optimum lies in
    [accuracy, bound] as long as answers do not fall when the weight rises.

    >>> market = lefi.scenario("paper", clients=4, budget=0.2)
    >>> lefi.oracle(market)
    Receipt(round 1: 4 clients, 4 answered, paid 0.2 of 0.2 USD, accuracy 0.1704)
    """
    market = market.taking("curve")
    fleet, budget = _without_noise(market.fleet), spendable(market.terms.budget)
    if type(fleet) is RationalFleet and fleet.size_low == 0 and _concave(market):
        offer, bound = rational_optimum(market, fleet, budget)
    else:
        offer, bound = table_optimum(market, budget)
    receipt = market.settle(1, offer, None)
    return OptimumReceipt.of(receipt, bound)


def _without_noise(fleet: Fleet) -> Fleet:
    """The fleet inside behaviours that leave its noise-free answers of this round as they are."""
    while type(fleet) in (Noisy, Dropout, Drift, Churn):
        fleet = cast(Behaviour, fleet).fleet
    return fleet


def _concave(market: Market) -> bool:
    sizes = np.linspace(0, market.terms.size_high, 33)
    iid = np.unique(np.quantile(market.fleet.roster.iid, np.linspace(0, 1, 9)))
    return bool((np.diff(market.terms.accuracy.slope(sizes[:, None], iid), axis=0) <= 1e-15).all())
