"""`waterfill` in partitions: answers stay where their clients are, as in `large` who is plain is served there too.

Shared are the belief that the fleet has in common, how many follow the formula, what the three groups cost, what those
answer that tell the price, and the answers of about WORK clients at most, about whom one worker thinks.
"""

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.cells import in_cells, total
from lefi.mechanisms.division import Division, Draft, Lesson, Outcome, Round, divides
from lefi.mechanisms.waterfill import large, mechanism
from lefi.mechanisms.waterfill.commons import Fleet, Votes
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.mechanism import Waterfill, cut
from lefi.mechanisms.waterfill.memory import Answers
from lefi.mechanisms.waterfill.plain import Offers, Plain, corrected, price_by, serve, survey, telling
from lefi.mechanisms.waterfill.solver import RAISE
from lefi.messages import CurveOffer, Receipt, Roster, spendable


class Rows(NamedTuple):
    """Clients about whom one worker thinks."""

    ids: IntArray
    iid: FloatArray
    rate: FloatArray
    answers: Answers


class Groups(NamedTuple):
    """A partition: what answers say, and who is served by the formula, thought about, or keeps an offer."""

    plain: Plain
    followed: IntArray
    thought: IntArray
    kept: IntArray


class Look(NamedTuple):
    """What a partition tells of its groups; costs by cell [USD]."""

    thought: Rows
    roster: Rows  # of those who tell the price; without answers
    plain: Plain
    costs: tuple[FloatArray, FloatArray, FloatArray]
    kept: int


class Plan(NamedTuple):
    """What is decided for all, so far."""

    follows: int  # clients that the formula serves
    ids: IntArray | None = None  # of those that were thought about, with their offers
    x: FloatArray = np.empty(0)
    limit: FloatArray = np.empty(0)
    less: float = 0.0  # log of what those keep of their offers who wait
    rest: float = 0.0  # what all can cost whom the formula does not serve [USD]
    left: float = 0.0  # for the others
    price: float = 0.0  # at which they are served, and the power of it that they follow
    power: float = 0.0


def rows(of: Waterfill, roster: Roster, at: IntArray, answers: bool = True) -> Rows:
    known = of.memory.read(roster.ids[at] if answers else roster.ids[:0])
    return Rows(roster.ids[at], roster.iid[at], roster.rate[at], known)


def joined(parts: Sequence[Any], length: int) -> list[Any]:
    """Columns of several partitions, in the order of ids, which are the first."""
    columns = [np.concatenate([part[place] for part in parts]) for place in range(length)]
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

    def look(self, of: Waterfill, roster: Roster, plan: Plan | None, own: Groups | None, round: Round) -> Lesson:
        """How many follow the formula; then who is in which group; then what the formula spends."""
        if of.fleet is None or (round.clients <= mechanism.MANY and plan is not None):
            return Lesson()
        if round.clients <= mechanism.MANY:
            return Lesson(rows(of, roster, np.arange(len(roster))))
        if plan is None or own is None:
            plain, none = survey(of.memory, roster, of.fleet.shared), np.empty(0, dtype=np.int64)
            return Lesson(int(plain.follows.sum()), Groups(plain, none, none, none))
        if plan.ids is None:
            return self._grouped(of, roster, plan, own.plain, round)
        offers = self._served(of, roster, plan, own)
        cost, last = np.zeros(len(roster)), own.plain.last.copy()
        if offers is not None:
            cost[own.followed], last[own.followed] = offers.cost, offers.size
        return Lesson(in_cells(roster.ids, cost), own._replace(plain=own.plain._replace(last=last)))

    def _grouped(self, of: Waterfill, roster: Roster, plan: Plan, plain: Plain, round: Round) -> Lesson:
        follows = plain.follows & (plan.follows > 0)
        turn = ~follows & (of.drawn(roster) < large.WORK / max(round.clients - plan.follows, 1))
        groups = Groups(plain, *(np.flatnonzero(mask) for mask in (follows, turn, ~follows & ~turn)))
        cost = TINY - np.exp(plain.x) * np.expm1(-roster.rate * plain.limit)  # as in `large.plan`
        costs = [in_cells(roster.ids[at], cost[at]) for at in groups[1:]]
        some = groups.followed
        if some.size:
            some = some[telling(roster.ids[some], plan.follows)]
        told = rows(of, roster, some, answers=False)
        thought = rows(of, roster, groups.thought)
        return Lesson(Look(thought, told, plain.take(some), (costs[0], costs[1], costs[2]), groups.kept.size), groups)

    def _served(self, of: Waterfill, roster: Roster, plan: Plan, own: Groups) -> Offers | None:
        if own.followed.size == 0 or plan.price == 0:
            return None
        return serve(of.terms, roster.take(own.followed), own.plain.take(own.followed), plan.price)

    def decide(
        self, of: Waterfill, head: Fleet | None, looks: Sequence[Any], plan: Plan | None, round: Round
    ) -> Plan | None:
        of.fleet, budget = head, spendable(round.money)
        if head is None or (round.clients <= mechanism.MANY and plan is not None):
            return plan
        if round.clients <= mechanism.MANY:
            ids, *others = joined(looks, 4)
            return Plan(0, ids, *self._solved(of, Rows(ids, *others), budget, round))
        if plan is None:
            follows = sum(looks)
            return Plan(follows if 2 * follows > round.clients else 0)
        if plan.ids is None:
            return self._priced(of, looks, plan, budget, round)
        if plan.price == 0:
            return plan
        return plan._replace(price=plan.price * corrected(total(looks), plan.left, plan.power))

    def _solved(self, of: Waterfill, some: Rows, budget: float, round: Round) -> tuple[FloatArray, FloatArray]:
        roster = Roster(some.ids, some.iid, some.rate)
        return of.solver(spendable(round.money), round.clients).solve(roster, lambda i: some.answers[i], budget)

    def _priced(self, of: Waterfill, looks: Sequence[Look], plan: Plan, budget: float, round: Round) -> Plan:
        """As `large.plan` does, from sums and samples."""
        clients, kept = round.clients, sum(look.kept for look in looks)
        followed, thought, waiting = (total([look.costs[group] for look in looks]) for group in range(3))
        less = np.zeros(1)
        held = large.lowered(less, np.arange(1), waiting, budget * (1 - (1 - kept / clients) / 2))
        left, some = budget - held, Rows(*joined([look.thought for look in looks], 4))
        plan = plan._replace(ids=some.ids, less=float(less[0]), rest=held, left=left)
        if plan.follows == 0:
            x, limit = self._solved(of, some, left, round) if some.ids.size else (np.empty(0), np.empty(0))
            return plan._replace(x=x, limit=limit)
        telling = [(*look.roster[:3], *look.plain) for look in looks]
        ids, iid, rate, *columns = joined(telling, 3 + len(Plain._fields))
        few, which, share = Roster(ids, iid, rate), Plain(*columns), ids.size / plan.follows
        if some.ids.size:
            price, _ = price_by(of.terms, few, which, left * (followed / (followed + thought)) * share)
            roster = Roster(some.ids, some.iid, some.rate)
            solver = of.solver(budget, clients)
            x, limit, spent, _ = solver.serve(roster, lambda i: some.answers[i], price)
            most = left * (1 - plan.follows / clients / 2)
            used = large.lowered(x, np.arange(x.size), float(spent.sum()), most)
            plan = plan._replace(x=x, limit=limit, rest=held + used, left=left - used)
        price, power = price_by(of.terms, few, which, plan.left * share)
        return plan._replace(price=price, power=power)

    def draft(self, of: Waterfill, roster: Roster, plan: Plan | None, own: Groups | None, round: Round) -> Draft:
        if plan is None or plan.ids is None:
            each = spendable(round.money) / round.clients
            x, limit = np.log(each) + of.shift(roster), np.full(len(roster), of.terms.size_high)
        elif own is None:
            at = np.searchsorted(plan.ids, roster.ids)
            x, limit = plan.x[at] - of.shift(roster), plan.limit[at]
        else:
            x, limit = own.plain.x.copy(), own.plain.limit.copy()
            x[own.kept] += plan.less
            at = np.searchsorted(plan.ids, roster.ids[own.thought])
            x[own.thought], limit[own.thought] = plan.x[at], plan.limit[at]
            offers, cost = self._served(of, roster, plan, own), np.zeros(len(roster))
            if plan.price > 0:
                if offers is not None:
                    x[own.followed], limit[own.followed], cost[own.followed], _ = offers
                return Draft(of.offer(roster, x, limit), cost)
        offer = of.offer(roster, x, limit)
        return Draft(offer, offer.payment(offer.limit))

    def scaled(self, of: Waterfill, draft: Draft, cost: float, plan: Plan | None, round: Round) -> CurveOffer:
        """Whom the formula serves gets what is left, if it is little."""
        offer: CurveOffer = draft.offer
        if plan is None or plan.price == 0:
            return cut(offer, cost, spendable(round.money))
        factor = min(plan.left / cost, RAISE) if min(plan.left, cost) > 0 else 1.0
        raised: BoolArray = draft.cost > 0
        weight = np.where(raised, factor * offer.weight, offer.weight)
        return cut(CurveOffer(weight, offer.rate, offer.limit), factor * cost + plan.rest, spendable(round.money))

    def tell(self, of: Waterfill, receipt: Receipt[CurveOffer], round: Round) -> Lesson:
        return Lesson(of.note(receipt, round.money / round.clients, round.clients))

    def learn(self, of: Waterfill, head: Fleet | None, lessons: Sequence[Votes], round: Round, _: Outcome) -> Fleet:
        fleet = copy(head) if head is not None else of.first_fleet(round.money / round.clients)
        fleet.hear(Votes(*joined(lessons, 4)), round.number)
        return fleet
