"""`waterfill`: learn every client's whole response curve, solve the allocation exactly, never owe more than the budget.

The cost of an offer is what it can cost at worst, weight (1 - exp(-rate limit)). The chosen costs sum to at most the
budget, so no behaviour of the clients can overspend. docs/waterfill.md has the mathematics.
"""

from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.cells import summed
from lefi.draws import key, uniform
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.waterfill.commons import VOTERS, Fleet, Votes
from lefi.mechanisms.waterfill.curves import NOTHING, TINY
from lefi.mechanisms.waterfill.explain import explain
from lefi.mechanisms.waterfill.memory import EXACT, FORGET, SAME, Memory
from lefi.mechanisms.waterfill.solver import Solver
from lefi.mechanisms.waterfill.turns import cut, plan
from lefi.messages import CurveOffer, Receipt, Roster, Terms, spendable

SHIFT = 0.2  # log weight: the first two offers to a client lie apart by twice this, to tell a plateau from a slope


@register("waterfill")
class Waterfill:
    """One belief per client, one price of money for all.

    `forget`: rounds without a client after which its answers go.

    >>> market = lefi.scenario("mixed", clients=4)
    >>> mechanism = lefi.make("waterfill", market.terms)
    >>> [bool(receipt.paid <= market.terms.budget) for receipt in lefi.play(mechanism, market, rounds=4)]
    [True, True, True, True]
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
        money = spendable(self.terms.in_force(budget))
        offer = self._offer(ordered, money)
        while (worst := offer.worst_case()) > money:  # never, but for a belief gone wrong
            offer = cut(offer, worst, money)
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
        asked = (weight > SAME * each) & (limit > EXACT * self.terms.size_high)
        y = np.where(asked, np.minimum(receipt.sizes[order], limit), np.nan)
        self.memory.note(roster, np.log(np.maximum(weight, TINY)), limit, y)
        voters = np.flatnonzero(uniform(key(self.seed, "voters"), roster.ids) < VOTERS / clients)
        return Votes(roster.ids[voters], roster.rate[voters], self.memory.read(roster.ids[voters]))

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; the rate of each is the one it was last seen with."""
        fleet = self.fleet or self.first_fleet(self.terms.budget / max(ids.size, 1))
        return explain(self.terms, fleet, self.memory, ids)

    def _offer(self, roster: Roster, budget: float) -> CurveOffer:
        """To clients in the order of their ids."""
        if self.fleet is None:
            offer = self.first(roster, budget / len(roster))
            return cut(offer, summed(roster.ids, offer.payment(offer.limit)), budget)
        chosen, decided = plan(self.solver(), self.memory, roster, self.drawn(roster), budget)
        offer = self.offer(roster, chosen.x, chosen.limit)
        return cut(offer, summed(roster.ids, chosen.cost) + decided.spent, budget)

    def first(self, roster: Roster, each: float) -> CurveOffer:
        """Nothing is known: equal shares of `each` USD, half of them shifted up and half down."""
        shift = np.where(uniform(key(self.seed, "mechanism"), roster.ids) < 0.5, SHIFT, -SHIFT)
        return CurveOffer(each * np.exp(shift), roster.rate, np.full(len(roster), self.terms.size_high))

    def solver(self) -> Solver:
        assert self.fleet is not None
        return Solver(self.terms, self.fleet.shared, self.explore)

    def drawn(self, roster: Roster) -> FloatArray:
        """Whose turn it is; drawn anew in every round."""
        return uniform(key(self.seed, "mechanism", self.memory.round), roster.ids)


def by_id(roster: Roster) -> tuple[IntArray, Roster]:
    """Where the clients stand in a roster, by id, and the roster in this order."""
    order = np.argsort(roster.ids, kind="stable")
    return order, roster if (np.diff(roster.ids) > 0).all() else roster.take(order)
