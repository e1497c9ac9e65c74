"""`waterfill`: learn every client's whole response curve, solve the allocation exactly, never owe more than the budget.

The cost of an offer is what it can cost at worst, weight (1 - exp(-rate limit)). The chosen costs sum to at most the
budget, so no behaviour of the clients can overspend. docs/waterfill.md has the mathematics.
"""

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.commons import VOTERS, Fleet
from lefi.mechanisms.waterfill.curves import ROUNDING, TINY
from lefi.mechanisms.waterfill.explain import explain
from lefi.mechanisms.waterfill.memory import EXACT, Memory
from lefi.mechanisms.waterfill.solver import Solver
from lefi.mechanisms.waterfill.turns import plan
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable

SHIFT = 0.2  # log weight: the first two offers to a client lie apart by twice this, to tell a plateau from a slope


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("waterfill", market.terms)
    >>> [bool(receipt.paid <= market.terms.budget) for receipt in lefi.play(mechanism, market, rounds=4)]
    [True, True, True, True]
    """

    payment = "curve"
    learns = "own"
    tier = "sizes"

    def __init__(self, terms: Terms, *, seed: int = 0, explore: bool = True) -> None:
        self.terms, self.seed, self.explore = terms, seed, explore
        self.memory = Memory()
        self.fleet: Fleet | None = None

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        order, ordered = by_id(roster)  # so that not even rounding depends on how the roster is ordered
        money = self.terms.in_force(budget)
        x, limit = self._plan(ordered, spendable(money))
        weight = np.where(x > NOTHING / 2, np.exp(x), 0.0)
        sound = np.isfinite(weight) & np.isfinite(limit)  # a belief gone wrong costs its client a round, nobody else
        weight, limit = np.where(sound, weight, 0.0), np.where(sound, limit, self.terms.size_low)
        offer = within_budget(CurveOffer(weight, ordered.rate, limit), spendable(money) * (1 - 1e-12))
        back = np.argsort(order, kind="stable")
        return offer if ordered is roster else CurveOffer(offer.weight[back], roster.rate, limit[back])

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        offer, each = receipt.offer, self.terms.in_force(receipt.budget) / len(receipt.roster)
        order, roster = by_id(receipt.roster)
        self.fleet = self.fleet or Fleet(self.terms.size_low, self.terms.size_high, float(np.log(each)))
        weight, limit = offer.weight[order], offer.limit[order]
        asked = (weight > ROUNDING * each) & (limit > EXACT * self.terms.size_high)
        y = np.where(asked, np.minimum(receipt.sizes[order], limit), np.nan)
        voters = np.arange(0, len(roster), 1 + len(roster) // VOTERS)
        ids, rate = roster.ids[voters], roster.rate[voters]
        self.memory.note(roster, np.log(np.maximum(weight, TINY)), limit, y)
        answers = self.memory.read(ids)
        self.fleet.watch(ids, answers, rate, self.memory.round)
        self.fleet.learn(ids, answers, rate)

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; the rate of each is the one it was last seen with."""
        return explain(self.terms, self.fleet, self.memory, ids)

    def _plan(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client."""
        n, ids = len(roster), roster.ids
        shift = np.where(uniform(key(self.seed, "mechanism"), ids) < 0.5, SHIFT, -SHIFT) if self.memory.round < 2 else 0
        if self.fleet is None:  # nothing is known: equal shares, half of them shifted up and half down
            return np.log(budget / n) + shift, np.full(n, self.terms.size_high)
        solver = Solver(self.terms, self.fleet.shared, self.explore, budget / n, budget)
        drawn = uniform(key(self.seed, "mechanism", self.memory.round), ids)  # turns are drawn anew in every round
        return plan(solver, self.memory, roster, drawn, budget)


def by_id(roster: Roster) -> tuple[IntArray, Roster]:
    """Where the clients stand in a roster, by id, and the roster in this order."""
    order = np.argsort(roster.ids, kind="stable")
    return order, roster if (np.diff(roster.ids) > 0).all() else roster.take(order)


def within_budget(offer: CurveOffer, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that its worst case stays within the budget."""
    worst = offer.worst_case()
    while worst > budget:
        offer = CurveOffer(offer.weight * (budget / worst * (1 - 1e-12)), offer.rate, offer.limit)
        worst = offer.worst_case()
    return offer
