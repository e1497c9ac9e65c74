"""The outer bound: everything about the clients is known, and each is paid just what its delivery costs it.

D  (m, n)  sizes     P  (m, n)  expense of delivering them over what the client delivers for nothing [USD]
max sum A(D_n)  s.t.  sum P_n(D_n) <= budget.  No way of paying reaches more, as long as clients do not work at a loss.
"""

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.messages import Receipt, spendable
from lefi.offers import PriceOffer
from lefi.optimum.receipt import OptimumReceipt
from lefi.optimum.tabulated import allocate, between, dual, merge
from lefi.world.abilities import Costed, able
from lefi.world.client import Means, expense
from lefi.world.market import Market

ROWS = 65
REFINEMENTS = (4,) * 7  # intervals of each client that are cut in three, around its best size


def first_best(market: Market) -> OptimumReceipt[PriceOffer]:
    """The most accuracy that the budget can buy at cost; `bound` is the dual value (they differ by one jump at most).

    The receipt is not settled by the market: a client that is paid just its cost has no reason to say yes or no.

    >>> market = lefi.scenario("paper", clients=4, budget=0.1, payment="price")
    >>> best = lefi.first_best(market)
    >>> f"{best.paid:.3f} USD buy accuracy {best.accuracy:.3f}"
    '0.028 USD buy accuracy 0.226'
    """
    fleet, roster = market.fleet, market.fleet.roster
    if not able(fleet, Costed):
        raise InputError("fleet", fleet, "one whose costs can be looked up, for first_best")

    def answer(D: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        P = np.stack([expense(fleet, row) for row in D])
        return D, P, np.asarray(market.terms.accuracy(np.stack([market.truth(row) for row in D]), roster.iid))

    D, P, A = answer(first_sizes(market, fleet.means))
    for intervals in REFINEMENTS:
        price, _ = dual(P, A, market.terms.budget)
        more, *values = answer(between(D, A - price * P, intervals))
        D, P, A = merge((D, P, A), (more, *values))
    _, bound = dual(P, A, market.terms.budget)
    rows, columns = allocate(P, A, spendable(market.terms.budget)), np.arange(len(roster))
    return _receipt(market, D[rows, columns], np.maximum(P[rows, columns], 0.0), bound / len(roster))


def first_sizes(market: Market, means: Means) -> FloatArray:
    """What is delivered for nothing, then a grid from size_low up to the cap."""
    clients = len(market.fleet.roster)
    nothing = PriceOffer(np.zeros(clients), np.full(clients, market.terms.size_high))
    stay = np.nan_to_num(market.fleet.respond(nothing, None))
    cap = np.where(means.sits_out, stay, means.cap)
    low = np.where(means.sits_out, stay, means.size_low)
    return np.concatenate([stay[None], low + (cap - low) * np.linspace(0, 1, ROWS)[:, None]])


def _receipt(market: Market, sizes: FloatArray, payments: FloatArray, bound: float) -> OptimumReceipt[PriceOffer]:
    with np.errstate(invalid="ignore", divide="ignore"):
        price = np.where(sizes > 0, payments / sizes, 0.0)
    accuracy = market.accuracy_of(sizes)
    receipt = Receipt(1, market.fleet.roster, PriceOffer(price, sizes), sizes, payments, accuracy, market.terms.budget)
    return OptimumReceipt.of(receipt, bound)
