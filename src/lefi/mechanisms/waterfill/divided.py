"""`waterfill` in partitions: answers stay where their clients are, and offers at the price are made there too.

Shared are the belief that the fleet has in common, how many are known, what the served spend, and
the answers of about WORK + SAMPLE clients at most, which tell the price.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import BoolArray
from lefi.cells import in_cells, total
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides
from lefi.mechanisms.waterfill.commons import Fleet, Votes
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.plain import Plain, survey
from lefi.mechanisms.waterfill.solver import Heard
from lefi.mechanisms.waterfill.turns import Plan, corrected, cut, decide, hear, turns, written
from lefi.messages import CurveOffer, Receipt, Roster, spendable


class Own(NamedTuple):
    """What a partition keeps between two looks."""

    plain: Plain
    turn: BoolArray | None = None


class Course(NamedTuple):
    """What is decided for all, so far."""

    known: int
    plan: Plan | None = None


def joined(parts: Sequence[Any]) -> list[Any]:
    """Columns of several partitions, in the order of ids, which are the first."""
    columns = [np.concatenate(column).view(type(column[0])) for column in zip(*parts, strict=True)]  # records stay so
    order = np.argsort(columns[0])
    return [column[order] for column in columns]


@divides("waterfill")
class WaterfillDivision(Division[Waterfill]):
    """The head has the fleet's share of the belief, None before the first round."""

    looks = 3

    def at(self, mechanism: Waterfill, own: None, head: Fleet | None) -> Waterfill:
        here = copy(mechanism)
        here.fleet = head
        return here

    def look(self, of: Waterfill, roster: Roster, course: Course | None, own: Own | None, round: Round) -> Lesson:
        """How many are known; then whose turn it is; then what the served spend."""
        if of.fleet is None:
            return Lesson()
        if course is None or own is None:
            plain = survey(of.memory.answers, of.memory.rows(roster.ids), roster.rate, of.fleet.shared)
            return Lesson(int(plain.rises.sum()), Own(plain))
        if course.plan is None or own.turn is None:
            turn = turns(own.plain, of.drawn(roster), round.clients, course.known)
            return Lesson(hear(roster, of.memory, own.plain, turn, round.clients), Own(own.plain, turn))
        return Lesson(in_cells(roster.ids, written(of.terms, roster, own.plain, own.turn, course.plan).cost), own)

    def decide(
        self, of: Waterfill, head: Fleet | None, looks: Sequence[Any], course: Course | None, round: Round
    ) -> Course | None:
        if head is None:
            return None
        if course is None:
            return Course(sum(looks))
        if course.plan is not None:
            return course._replace(plan=corrected(course.plan, total(looks)))
        of.fleet = head
        return course._replace(plan=decide(of.solver(), Heard(*joined(looks)), round.clients, spendable(round.money)))

    def draft(self, of: Waterfill, roster: Roster, course: Course | None, own: Own | None, round: Round) -> Draft:
        """The offers; the cost is that of those who are served, once something is known."""
        if course is None or course.plan is None or own is None or own.turn is None:
            offer = of.first(roster, spendable(round.money) / round.clients)
            return Draft(offer, offer.payment(offer.limit))
        found = written(of.terms, roster, own.plain, own.turn, course.plan)
        return Draft(of.offer(roster, found.x, found.limit), found.cost)

    def scaled(self, of: Waterfill, draft: Draft, cost: float, course: Course | None, round: Round) -> CurveOffer:
        spent = course.plan.spent if course is not None and course.plan is not None else 0.0
        return cut(draft.offer, cost + spent, spendable(round.money))

    def tell(self, of: Waterfill, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        of.fleet = None  # it is the head's: a partition need not save it
        return Lesson(of.note(receipt, round.money / round.clients, round.clients))

    def learn(self, of: Waterfill, head: Fleet | None, lessons: Sequence[Votes], round: Round, _: Outcome) -> Fleet:
        fleet = copy(head) if head is not None else of.first_fleet(round.money / round.clients)
        fleet.hear(Votes(*joined(lessons)), round.number)
        return fleet
