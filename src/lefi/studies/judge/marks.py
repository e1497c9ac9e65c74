"""What an offer is worth, without luck: noise-free accuracy, and the marks between which a mechanism is judged.

clean      accuracy of the noise-free answers to the offer
fair       clean, but weights that overspend are scaled once by budget / spend first; NaN for another way of paying
           that overspends
arbitrary  mean of 32 offers with weights U(0, 2 budget / N), scaled once where they overspend
first_best what paying just the cost would reach: no way of paying reaches more
surplus    what a client keeps: payment - expense, over what it keeps when it delivers nothing
share      (judged - arbitrary) / (optimum - arbitrary), the optimum of the way of paying: the oracle for the paper's
           curve, first_best for the others, as long as no client works at a loss: that bound holds for no other
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import FloatArray
from lefi.draws import key, uniform
from lefi.messages import CurveOffer, Offer, Receipt
from lefi.optimum import first_best, oracle
from lefi.world.abilities import Costed, able
from lefi.world.client import Unpaid, expense, unpaid
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market

DRAWS = 32
LEAST_GAIN = 5e-4  # below this the oracle gains nothing worth a share

LOSS = 1e-9  # USD: a client that keeps less than nothing by more than rounding works at a loss


@dataclass(frozen=True)
class Marks:
    """What a market allows: the exact optimum, its dual bound, and what arbitrary weights reach."""

    oracle: float
    bound: float
    arbitrary: float
    first_best: float = np.nan

    def share(self, accuracy: float, curve: bool = True) -> float:
        gain = (self.oracle if curve else self.first_best) - self.arbitrary
        return (accuracy - self.arbitrary) / gain if gain >= LEAST_GAIN else np.nan


def marks(market: Market, seed: int, outer: bool = False, known: Marks | None = None) -> Marks:
    """The marks of the market's current fleet; `outer`: with first_best, where the fleet's costs can be looked up.

    `known` are marks of the same fleet and seed: only what they lack is worked out.
    """
    if known is None:
        best = oracle(market)
        known = Marks(oracle=best.accuracy, bound=best.bound, arbitrary=arbitrary(market, seed))
    if not outer:
        return replace(known, first_best=np.nan)
    if np.isnan(known.first_best) and able(market.fleet, Costed):
        return replace(known, first_best=first_best(market).accuracy)
    return known


def surplus(market: Market, receipt: Receipt, nothing: Unpaid | None = None) -> FloatArray:
    """What each client keeps of its payment; 0 where it did not answer, NaN where its cost cannot be looked up.

    `nothing` is `idle` of this market, for who asks often.
    """
    if not able(market.fleet, Costed):
        return np.full(len(receipt.roster), np.nan)
    kept = receipt.payments - expense(market.fleet, receipt.sizes, nothing)
    return np.where(receipt.answered, kept, 0.0)


def idle(market: Market) -> Unpaid | None:
    """What the clients do for nothing, where their cost can be looked up."""
    return unpaid(market.fleet) if able(market.fleet, Costed) else None


def arbitrary(market: Market, seed: int) -> float:
    roster, terms = market.fleet.roster, market.terms
    weights = uniform(key(seed, "arbitrary"), roster.ids, DRAWS) * 2 * terms.budget / len(roster)
    limit = np.full(len(roster), terms.size_high)
    return float(np.mean([judge(market, CurveOffer(weight, roster.rate, limit))[1] for weight in weights]))


def judge(market: Market, offer: Offer, budget: float | None = None) -> tuple[float, float]:
    """`clean` and `fair` of an offer under a budget (None: the terms' own)."""
    money = market.terms.in_force(budget)
    sizes = market.admit(market.fleet.respond(offer, None))
    paid = offer.payment(sizes)
    clean, spend = market.accuracy_of(sizes), float(paid.sum())
    if not isinstance(offer, CurveOffer):
        loses = able(market.fleet, Costed) and (paid - expense(market.fleet, np.nan_to_num(sizes))).min() < -LOSS
        return clean, np.nan if spend > money or loses else clean
    return clean, clean if spend <= money else _scaled(market, offer, money / spend)


def judge_round(market: Market, receipt: Receipt) -> tuple[float, float]:
    """`judge` of a settled offer. Rational clients answer without luck: what they would do is what they did."""
    if type(market) is not Market or type(market.fleet) is not RationalFleet or type(receipt.offer) is not CurveOffer:
        return judge(market, receipt.offer, receipt.budget)
    money, clean, spend = market.terms.in_force(receipt.budget), receipt.accuracy, receipt.paid
    return clean, clean if spend <= money else _scaled(market, receipt.offer, money / spend)


def _scaled(market: Market, offer: CurveOffer, factor: float) -> float:
    scaled = CurveOffer(offer.weight * factor, offer.rate, offer.limit)
    return market.accuracy_of(market.admit(market.fleet.respond(scaled, None)))
