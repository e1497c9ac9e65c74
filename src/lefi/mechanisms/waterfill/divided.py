"""`waterfill` in partitions: answers stay where their clients are, and whom the formula serves is served there too.

Shared are the belief that the fleet has in common, how many are plain, what those answer that tell the price, what some
keep and the formula spends, and the answers of about WORK clients at most, about whom one worker thinks.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.cells import in_cells, total
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides
from lefi.mechanisms.waterfill.candidates import Offers
from lefi.mechanisms.waterfill.commons import Fleet, Votes
from lefi.mechanisms.waterfill.formula import Formula, corrected, serve, telling
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.memory import Answers
from lefi.mechanisms.waterfill.plain import Plain, survey
from lefi.mechanisms.waterfill.turns import (
    Count,
    Groups,
    Plan,
    Seen,
    counted,
    cut,
    decide,
    kept_cost,
    some,
    split,
    written,
)
from lefi.messages import CurveOffer, Receipt, Roster, spendable


class Own(NamedTuple):
    """What a partition keeps between two looks."""

    plain: Plain
    groups: Groups


class Rows(NamedTuple):
    """Clients about whom one worker thinks."""

    ids: IntArray
    iid: FloatArray
    rate: FloatArray
    answers: Answers


class Look(NamedTuple):
    """What a partition tells of its groups."""

    thought: Rows
    telling: tuple[Any, ...]  # ids, iid and rate of those who tell the price, and the columns of Plain
    followed: int
    kept: int
    cost: FloatArray  # of what those keep, by cell [USD]


class Course(NamedTuple):
    """What is decided for all, so far."""

    counts: Count
    ids: IntArray = np.empty(0, dtype=np.int64)  # of those that were thought about
    plan: Plan | None = None
    price: float = 0.0  # at which the formula serves, 0 where it serves nobody
    power: float = 0.0  # of the price that those follow whom it serves


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
        """How many are plain; then who is in which group; then what the formula spends."""
        if of.fleet is None:
            return Lesson()
        if course is None or own is None:
            plain, nobody = survey(of.memory, roster, of.fleet.shared), np.empty(0, dtype=np.int64)
            return Lesson(counted(plain), Own(plain, Groups(nobody, nobody, nobody)))
        if course.plan is None:
            return self._grouped(of, roster, course.counts, own.plain)
        cost, offers = np.zeros(len(roster)), self._served(of, roster, course, own)
        if offers is not None:
            cost[own.groups.followed] = offers.cost
        return Lesson(in_cells(roster.ids, cost), own)

    def _grouped(self, of: Waterfill, roster: Roster, count: Count, plain: Plain) -> Lesson:
        groups = split(plain, of.drawn(roster), count)
        few = groups.followed[telling(roster.ids[groups.followed], count.followed)]
        told = roster.ids[few], roster.iid[few], roster.rate[few], *plain.take(few)
        at = groups.thought
        thought = Rows(roster.ids[at], roster.iid[at], roster.rate[at], of.memory.read(roster.ids[at]))
        cost = in_cells(roster.ids[groups.kept], kept_cost(roster, plain, groups.kept))
        return Lesson(Look(thought, told, groups.followed.size, groups.kept.size, cost), Own(plain, groups))

    def _served(self, of: Waterfill, roster: Roster, course: Course, own: Own) -> Offers | None:
        easy = some(roster, own.groups.followed)
        return serve(of.terms, easy, own.plain.take(own.groups.followed), course.price) if easy is not None else None

    def decide(
        self, of: Waterfill, head: Fleet | None, looks: Sequence[Any], course: Course | None, round: Round
    ) -> Course | None:
        if head is None:
            return None
        if course is None:
            return Course(Count(*np.sum(looks, axis=0).tolist()))
        if course.plan is None:
            of.fleet = head
            return self._planned(of, looks, course.counts, round)
        spent = total(looks)
        factor = corrected(spent, course.plan.left, course.power) if course.price > 0 else 1.0
        return course._replace(price=course.price * factor)

    def _planned(self, of: Waterfill, looks: Sequence[Look], count: Count, round: Round) -> Course:
        """As `turns.plan` does, from sums and samples."""
        rows, formula = Rows(*joined([look.thought for look in looks])), None
        followed, kept = sum(look.followed for look in looks), sum(look.kept for look in looks)
        if followed:
            ids, iid, rate, *columns = joined([look.telling for look in looks])
            formula = Formula(of.terms, iid, rate, Plain(*columns), followed / ids.size)
        thought = Roster(rows.ids, rows.iid, rows.rate) if rows.ids.size else None
        cost = total([look.cost for look in looks])
        seen = Seen(kept / round.clients, cost, thought, rows.answers, formula)
        plan = decide(of.solver(), seen, spendable(round.money))
        return Course(count, rows.ids, plan, *(formula.price(plan.left) if formula else (0.0, 0.0)))

    def draft(self, of: Waterfill, roster: Roster, course: Course | None, own: Own | None, round: Round) -> Draft:
        """The offers; the cost is that of those whom the formula serves, once something is known."""
        if course is None or course.plan is None or own is None:
            offer = of.first(roster, spendable(round.money) / round.clients)
            return Draft(offer, offer.payment(offer.limit))
        at = np.searchsorted(course.ids, roster.ids[own.groups.thought])
        found = written(own.plain, own.groups, course.plan, at, self._served(of, roster, course, own))
        return Draft(of.offer(roster, found.x, found.limit), found.cost)

    def scaled(self, of: Waterfill, draft: Draft, cost: float, course: Course | None, round: Round) -> CurveOffer:
        if course is None or course.plan is None:
            return cut(draft.offer, cost, spendable(round.money))
        return cut(draft.offer, cost + course.plan.spent, spendable(round.money))

    def tell(self, of: Waterfill, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        of.fleet = None  # it is the head's: a partition need not save it
        return Lesson(of.note(receipt, round.money / round.clients, round.clients))

    def learn(self, of: Waterfill, head: Fleet | None, lessons: Sequence[Votes], round: Round, _: Outcome) -> Fleet:
        fleet = copy(head) if head is not None else of.first_fleet(round.money / round.clients)
        fleet.hear(Votes(*joined(lessons)), round.number)
        return fleet
