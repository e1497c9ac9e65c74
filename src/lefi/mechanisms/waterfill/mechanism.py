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
from lefi.mechanisms.waterfill.explain import explain
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, Memory, X, Y
from lefi.mechanisms.waterfill.solver import Solver
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable

SHIFT = 0.2  # log weight: the first two offers to a client lie apart by twice this, to tell a plateau from a slope
WORK = 20_000  # clients that a round thinks about, at most: the others keep their offers
TRIFLE = 1e-9  # of an equal share: whoever is offered less, or is paid for no size, was not asked


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all."""

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
        asked = (weight > TRIFLE * each) & (limit > EXACT * self.terms.size_high)
        y = np.where(asked, np.minimum(receipt.sizes[order], limit), np.nan)
        voters = np.arange(0, len(roster), 1 + len(roster) // VOTERS)
        ids, rate = roster.ids[voters], roster.rate[voters]
        before = self.memory.read(ids)
        self.memory.note(roster, np.log(np.maximum(weight, 1e-300)), limit, y)
        after = self.memory.read(ids)
        self.fleet.watch(before, after, rate, self.memory.round)
        self.fleet.learn(after, rate)

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; the rate of each is the one it was last seen with."""
        return explain(self.terms, self.fleet, self.memory, ids)

    def _plan(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client."""
        n = len(roster)
        sign = np.where(uniform(key(self.seed, "mechanism"), roster.ids) < 0.5, 1.0, -1.0)
        if self.fleet is None:  # nothing is known: equal shares, half of them shifted up and half down
            return np.log(budget / n) + SHIFT * sign, np.full(n, self.terms.size_high)
        x, limit, held = self._keep(roster, budget)
        at = np.flatnonzero(x == NOTHING)
        some = roster if at.size == n else roster.take(at)
        if at.size:
            solver = Solver(self.terms, self.fleet.shared, self.explore, self.memory.leaving, budget / n, budget)
            x[at], limit[at] = solver.solve(some, lambda i: self.memory.read(some.ids[i]), budget - held)
        return x - (SHIFT * sign if self.memory.round == 1 else 0.0), limit

    def _keep(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray, float]:
        """In a fleet of more than WORK clients, offers of those whose turn it is not, and what these can cost.

        Turns are drawn anew in every round, so that one price of money comes to rule all. NOTHING: it is their turn.
        """
        n = len(roster)
        x, limit = np.full(n, NOTHING), np.full(n, self.terms.size_low)
        if n <= WORK:
            return x, limit, 0.0
        turn = uniform(key(self.seed, "mechanism", self.memory.round), roster.ids) < WORK / n
        last = self.memory.newest(roster.ids)
        kept = np.flatnonzero(~turn & ~np.isnan(last[:, Y]))
        x[kept], limit[kept] = last[kept, X], np.minimum(last[kept, LIMIT], self.terms.size_high)
        held = -float((np.exp(x[kept]) * np.expm1(-roster.rate[kept] * limit[kept])).sum())
        most = budget * (1 - WORK / n / 2)  # whose turn it is gets some money whatever the others hold
        x[kept] += min(float(np.log(most / held)), 0.0) if held > 0 else 0.0
        return x, limit, min(held, most)


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
