"""`price` in partitions: who is bought and who is asked is ranked over the whole fleet, so one worker plans for all.

To it travel seven numbers per client, and two come back. The fixed cost follows from medians of bounds.
"""

from collections.abc import Sequence
from copy import copy, deepcopy
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides, joined
from lefi.mechanisms.price.fixed_cost import FixedCost
from lefi.mechanisms.price.mechanism import Heard, Known, Price
from lefi.messages import Receipt, Roster
from lefi.offers import PriceOffer


class Planned(NamedTuple):
    """The offer to the whole fleet, in the order of ids."""

    ids: IntArray
    offer: PriceOffer


@divides("price")
class PriceDivision(Division[Price]):
    """The head has the fixed cost. Until it is known, what a partition has heard waits."""

    def begin(self, mechanism: Price) -> FixedCost:
        return mechanism.fixed_cost

    def at(self, mechanism: Price, own: Heard | None, head: FixedCost) -> Price:
        if own is None:
            return mechanism
        here = copy(mechanism)
        here.brackets = deepcopy(mechanism.brackets)
        here.conclude(own, head)
        return here

    def look(self, mechanism: Price, roster: Roster, round: Round) -> Lesson:
        return Lesson(mechanism.known(roster))

    def decide(self, mechanism: Price, head: FixedCost, looks: Sequence[Known], round: Round) -> Planned:
        """As in one process, of all clients in the order of ids."""
        mechanism.fixed_cost, mechanism.round = head, round.number - 1
        ids, iid, low, high, above, cap, sure = joined([look[:7] for look in looks])
        taken = high[np.isfinite(high)]
        known = Known(ids, iid, low, high, above, cap, sure, float(np.median(taken)) if taken.size else 0.0)
        return Planned(known.ids, mechanism.plan(known, round.money))

    def draft(self, mechanism: Price, roster: Roster, plan: Planned, own: None, round: Round) -> Draft:
        at = np.searchsorted(plan.ids, roster.ids)
        return Draft(PriceOffer(plan.offer.price[at], plan.offer.limit[at]), np.zeros(at.size))

    def tell(self, mechanism: Price, receipt: Receipt[PriceOffer], round: Round) -> Lesson:
        heard = mechanism.hear(receipt)
        return Lesson((heard.refused, heard.taken), heard)

    def learn(
        self,
        mechanism: Price,
        head: FixedCost,
        lessons: Sequence[tuple[FloatArray, FloatArray]],
        round: Round,
        outcome: Outcome,
    ) -> FixedCost:
        refused, taken = zip(*lessons, strict=True)
        return head.told(np.concatenate(refused), np.concatenate(taken))
