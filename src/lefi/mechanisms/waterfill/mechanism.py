"""`waterfill`: learn every client's whole response curve, solve the allocation exactly, never owe more than the budget.

The cost of an offer is what it can cost at worst, weight (1 - exp(-rate limit)). The chosen costs sum to at most the
budget, so no behaviour of the clients can overspend. docs/waterfill.md has the mathematics.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.commons import VOTERS, Fleet, Votes
from lefi.mechanisms.waterfill.explain import explain
from lefi.mechanisms.waterfill.memory import EXACT, FORGET, LIMIT, Memory, X, Y
from lefi.mechanisms.waterfill.solver import Read, Solver
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable

SHIFT = 0.2  # log weight: the first two offers to a client lie apart by twice this, to tell a plateau from a slope
WORK = 20_000  # clients that a round thinks about, at most: the others keep their offers
TRIFLE = 1e-9  # of an equal share: whoever is offered less, or is paid for no size, was not asked


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all.

    `forget`: rounds without a client after which its answers go.
    """

    payment = "curve"
    learns = "own"
    tier = "sizes"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        explore: bool = True,
        forget: Annotated[int, Field(ge=1)] = FORGET,
    ) -> None:
        self.terms, self.seed, self.explore = terms, seed, explore
        self.memory = Memory(forget)
        self.fleet: Fleet | None = None

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        order, ordered = by_id(roster)  # so that not even rounding depends on how the roster is ordered
        money = self.terms.in_force(budget)
        x, limit = self._plan(ordered, spendable(money))
        offer = self.offer(ordered, x, limit)
        offer = cut(offer, offer.worst_case(), spendable(money))
        back = np.argsort(order, kind="stable")
        return offer if ordered is roster else CurveOffer(offer.weight[back], roster.rate, offer.limit[back])

    def offer(self, roster: Roster, x: FloatArray, limit: FloatArray) -> CurveOffer:
        """The offer of these log weights and limits."""
        weight = np.where(x > NOTHING / 2, np.exp(x), 0.0)
        sound = np.isfinite(weight) & np.isfinite(limit)  # a belief gone wrong costs its client a round, nobody else
        return CurveOffer(np.where(sound, weight, 0.0), roster.rate, np.where(sound, limit, self.terms.size_low))

    def tell(self, receipt: Receipt[CurveOffer]) -> None:
        each = self.terms.in_force(receipt.budget) / len(receipt.roster)
        self.fleet = self.fleet or self.first_fleet(each)
        self.fleet.hear(self.note(receipt, each, len(receipt.roster)), self.memory.round)

    def first_fleet(self, each: float) -> Fleet:
        """What is believed of a fleet at first; an equal share of the budget is `each` USD."""
        return Fleet(self.terms.size_low, self.terms.size_high, float(np.log(each)))

    def note(self, receipt: Receipt[CurveOffer], each: float, clients: int) -> Votes:
        """Remember what came back. Of a fleet of so many clients, those vote whose ids hash low."""
        offer = receipt.offer
        order, roster = by_id(receipt.roster)
        weight, limit = offer.weight[order], offer.limit[order]
        asked = (weight > TRIFLE * each) & (limit > EXACT * self.terms.size_high)
        y = np.where(asked, np.minimum(receipt.sizes[order], limit), np.nan)
        voters = np.flatnonzero(uniform(key(self.seed, "voters"), roster.ids) < VOTERS / clients)
        ids, rate = roster.ids[voters], roster.rate[voters]
        before = self.memory.read(ids)
        self.memory.note(roster, np.log(np.maximum(weight, 1e-300)), limit, y)
        return Votes(ids, rate, before, self.memory.read(ids))

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; the rate of each is the one it was last seen with."""
        return explain(self.terms, self.fleet, self.memory, ids)

    def _plan(self, roster: Roster, budget: float) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of each client."""
        n = len(roster)
        if self.fleet is None:
            return self.first(roster, budget / n)
        x, limit, cost = self.keep(roster, n)
        at = np.flatnonzero(x == NOTHING)
        held, less = kept_share(float(cost.sum()), budget, n)
        some = roster if at.size == n else roster.take(at)
        x += less
        if at.size:
            x[at], limit[at] = self.think(some, lambda i: self.memory.read(some.ids[i]), budget, held, n)
        return self.shifted(roster, x), limit

    def first(self, roster: Roster, each: float) -> tuple[FloatArray, FloatArray]:
        """Nothing is known: equal shares, half of them shifted up and half down."""
        n = len(roster)
        return np.log(each) + SHIFT * self._sign(roster), np.full(n, self.terms.size_high)

    def shifted(self, roster: Roster, x: FloatArray) -> FloatArray:
        """Log weights, in the second round shifted the other way."""
        return x - SHIFT * self._sign(roster) if self.memory.round == 1 else x

    def _sign(self, roster: Roster) -> FloatArray:
        return np.where(uniform(key(self.seed, "mechanism"), roster.ids) < 0.5, 1.0, -1.0)

    def think(
        self, some: Roster, read: Read, budget: float, held: float, clients: int
    ) -> tuple[FloatArray, FloatArray]:
        """Log weight and limit of those whose turn it is; the others hold so much of the budget."""
        assert self.fleet is not None
        solver = Solver(self.terms, self.fleet.shared, self.explore, self.memory.leaving, budget / clients, budget)
        return solver.solve(some, read, budget - held)

    def keep(self, roster: Roster, clients: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """In a fleet of more than WORK clients, offers of those whose turn it is not, and what each can cost.

        Turns are drawn anew in every round, so that one price of money comes to rule all. NOTHING: it is their turn.
        """
        n = len(roster)
        x, limit, cost = np.full(n, NOTHING), np.full(n, self.terms.size_low), np.zeros(n)
        if clients <= WORK:
            return x, limit, cost
        turn = uniform(key(self.seed, "mechanism", self.memory.round), roster.ids) < WORK / clients
        last = self.memory.newest(roster.ids)
        kept = np.flatnonzero(~turn & ~np.isnan(last[:, Y]))
        x[kept], limit[kept] = last[kept, X], np.minimum(last[kept, LIMIT], self.terms.size_high)
        cost[kept] = -np.exp(x[kept]) * np.expm1(-roster.rate[kept] * limit[kept])
        return x, limit, cost


def by_id(roster: Roster) -> tuple[IntArray, Roster]:
    """Where the clients stand in a roster, by id, and the roster in this order."""
    order = np.argsort(roster.ids, kind="stable")
    return order, roster if (np.diff(roster.ids) > 0).all() else roster.take(order)


def kept_share(held: float, budget: float, clients: int) -> tuple[float, float]:
    """What those hold whose turn it is not, and the log of what they keep of their offers.

    Whose turn it is gets some money whatever the others hold.
    """
    if held <= 0:
        return 0.0, 0.0
    most = budget * (1 - WORK / clients / 2)
    return min(held, most), min(float(np.log(most / held)), 0.0)


def cut(offer: CurveOffer, worst: float, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that a worst case of so much stays within the budget."""
    least = budget * (1 - 1e-12)  # sums in another order differ by less
    return offer if worst <= least else CurveOffer(offer.weight * (least / worst), offer.rate, offer.limit)
