"""`waterfill` in partitions: answers stay where their clients are, and one worker thinks about those whose turn it is.

Shared are the belief that the fleet has in common, one sum of what kept offers can cost, and one sum of all offers.
To the worker that thinks travel the answers of about WORK clients at most, and of those who never answered.
"""

from collections.abc import Sequence
from copy import copy
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.cells import in_cells, total
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides
from lefi.mechanisms.waterfill.candidates import NOTHING
from lefi.mechanisms.waterfill.commons import Fleet, Votes
from lefi.mechanisms.waterfill.mechanism import Waterfill, cut, kept_share
from lefi.mechanisms.waterfill.memory import Answers
from lefi.messages import CurveOffer, Receipt, Roster, spendable


class Turns(NamedTuple):
    """Of a partition: clients whose turn it is, and what the offers of the others can cost, by cell [USD]."""

    ids: IntArray
    iid: FloatArray
    rate: FloatArray
    answers: Answers
    held: FloatArray


class Plan(NamedTuple):
    """Offers to clients whose turn it is, by id, and the log of what the others keep of theirs."""

    ids: IntArray
    x: FloatArray
    limit: FloatArray
    less: float


@divides("waterfill")
class WaterfillDivision(Division[Waterfill]):
    """The head has the fleet's share of the belief, None before the first round."""

    def at(self, mechanism: Waterfill, own: None, head: Fleet | None) -> Waterfill:
        here = copy(mechanism)
        here.fleet = head
        return here

    def look(self, mechanism: Waterfill, roster: Roster, round: Round) -> Turns | None:
        if mechanism.fleet is None:
            return None
        x, _, cost = mechanism.keep(roster, round.clients)
        at = np.flatnonzero(x == NOTHING)
        held = in_cells(roster.ids, cost)
        return Turns(roster.ids[at], roster.iid[at], roster.rate[at], mechanism.memory.read(roster.ids[at]), held)

    def decide(
        self, mechanism: Waterfill, head: Fleet | None, looks: Sequence[Turns | None], round: Round
    ) -> Plan | None:
        turns = [one for one in looks if one is not None]
        if not turns:
            return None
        mechanism.fleet, budget = head, spendable(round.money)
        ids, iid, rate, answers = (np.concatenate([one[part] for one in turns]) for part in range(4))
        held, less = kept_share(total([one.held for one in turns]), budget, round.clients)
        if ids.size == 0:
            return Plan(ids, np.empty(0), np.empty(0), less)
        order = np.argsort(ids)
        answers, some = answers[order], Roster(ids[order], iid[order], rate[order])
        x, limit = mechanism.think(some, lambda i: answers[i], budget, held, round.clients)
        return Plan(some.ids, x, limit, less)

    def draft(self, mechanism: Waterfill, roster: Roster, plan: Plan | None, round: Round) -> Draft:
        if plan is None:
            x, limit = mechanism.first(roster, spendable(round.money) / round.clients)
        else:
            x, limit, _ = mechanism.keep(roster, round.clients)
            turn = x == NOTHING
            x[~turn] += plan.less
            at = np.searchsorted(plan.ids, roster.ids[turn])
            x[turn], limit[turn] = plan.x[at], plan.limit[at]
            x = mechanism.shifted(roster, x)
        offer = mechanism.offer(roster, x, limit)
        return Draft(offer, offer.payment(offer.limit))

    def scaled(self, mechanism: Waterfill, offer: CurveOffer, cost: float, round: Round) -> CurveOffer:
        return cut(offer, cost, spendable(round.money))

    def tell(self, mechanism: Waterfill, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        return Lesson(mechanism.note(receipt, round.money / round.clients, round.clients))

    def learn(
        self, mechanism: Waterfill, head: Fleet | None, lessons: Sequence[Votes], round: Round, outcome: Outcome
    ) -> Fleet:
        columns = [np.concatenate(column) for column in zip(*lessons, strict=True)]
        order = np.argsort(columns[0])
        mechanism.fleet = copy(head) if head is not None else mechanism.first_fleet(round.money / round.clients)
        mechanism.fleet.hear(Votes(*(column[order] for column in columns)), round.number)
        return mechanism.fleet
