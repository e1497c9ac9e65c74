"""Who is served by the formula, who is thought about, and who waits for that in a large fleet.

What is decided follows from counts, sums and some of the clients, so a fleet in partitions is planned in the same way.
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.cells import summed
from lefi.mechanisms.waterfill.candidates import Offers
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.formula import Formula, share, telling
from lefi.mechanisms.waterfill.memory import Answers, Memory
from lefi.mechanisms.waterfill.plain import Plain, survey
from lefi.mechanisms.waterfill.solver import Solver
from lefi.messages import CurveOffer, Roster

WORK = 2_000  # clients that a round thinks about, at most


class Count(NamedTuple):
    """Of a fleet."""

    clients: int
    follows: int  # who could be plain
    rises: int  # whose location is known

    @property
    def turn(self) -> float:
        """The chance that a client whose location is not known has its turn to be thought about."""
        return min(WORK / max(self.clients - self.rises, 1), 1.0)

    @property
    def followed(self) -> float:
        """Clients that the formula serves, about."""
        return self.rises + (self.follows - self.rises) * (1 - self.turn)


class Groups(NamedTuple):
    """Where clients stand."""

    followed: IntArray  # served by the formula
    thought: IntArray  # thought about
    kept: IntArray  # keep the last offer that brought something


class Seen(NamedTuple):
    """What is known of a fleet before anything is decided."""

    waits: float  # share of the clients that keep their offers
    cost: float  # of these offers, USD
    thought: Roster | None  # about whom is thought
    answers: Answers  # theirs
    formula: Formula | None  # None where it serves nobody


class Plan(NamedTuple):
    """What is decided for all."""

    offers: Offers | None  # to those who are thought about
    less: float  # to add to the log weight of those who keep their offers
    spent: float  # by both, USD
    left: float  # for those whom the formula serves, USD


class Chosen(NamedTuple):
    """Log weight and limit of each client, and the cost of those whom the formula serves [USD, 0 for others]."""

    x: FloatArray
    limit: FloatArray
    cost: FloatArray


def plan(solver: Solver, memory: Memory, roster: Roster, drawn: FloatArray, budget: float) -> tuple[Chosen, Plan]:
    """What to offer; `drawn`, a number from 0 to 1 per client, tells whose turn it is."""
    plain = survey(memory, roster, solver.shared)
    count = counted(plain)
    groups = split(plain, drawn, count)
    known, easy, formula, offers = plain.take(groups.followed), some(roster, groups.followed), None, None
    if easy is not None:
        few = telling(easy.ids, count.followed)
        formula = Formula(solver.terms, easy.iid[few], easy.rate[few], known.take(few), len(easy) / few.size)
    cost, ids = summed(roster.ids[groups.kept], kept_cost(roster, plain, groups.kept)), roster.ids[groups.thought]
    waits = groups.kept.size / len(roster)
    decided = decide(solver, Seen(waits, cost, some(roster, groups.thought), memory.read(ids), formula), budget)
    if easy is not None and formula is not None:
        offers = share(solver.terms, easy, known, formula, decided.left)
    return written(plain, groups, decided, np.arange(ids.size), offers), decided


def some(roster: Roster, at: IntArray) -> Roster | None:
    """The clients at these positions; None where there are none."""
    return roster.take(at) if at.size else None


def counted(plain: Plain) -> Count:
    return Count(plain.follows.size, int(plain.follows.sum()), int(plain.rises.sum()))


def split(plain: Plain, drawn: FloatArray, count: Count) -> Groups:
    """Whose location is known is served by the formula, and who could be plain until its turn comes."""
    turn = ~plain.rises & (drawn < count.turn)
    return Groups(*(np.flatnonzero(mask) for mask in (plain.follows & ~turn, turn, ~plain.follows & ~turn)))


def kept_cost(roster: Roster, plain: Plain, kept: IntArray) -> FloatArray:
    """What the offers cost that some keep [USD]."""
    return -np.exp(plain.x[kept]) * np.expm1(-roster.rate[kept] * plain.limit[kept])


def decide(solver: Solver, seen: Seen, budget: float) -> Plan:
    """Offers to those who are thought about, and what is left for the others.

    Whatever some keep, half of an equal share is left for each of the others.
    """
    held = min(seen.cost, budget * (1 + seen.waits) / 2)
    less, left = float(np.log(held / seen.cost)) if seen.cost > held else 0.0, budget - held
    if seen.thought is None:
        return Plan(None, less, held, left)
    offers = solver.solve(seen.thought, seen.answers, left, seen.formula.spend if seen.formula else None)
    spent = float(np.nan_to_num(offers.cost).sum())  # a belief gone wrong is offered nothing
    return Plan(offers, less, held + spent, max(left - spent, TINY))


def written(plain: Plain, groups: Groups, decided: Plan, at: IntArray, offers: Offers | None) -> Chosen:
    """What is decided, client by client; `at`: where those who are thought about stand in the plan."""
    x, limit, cost = plain.x.copy(), plain.limit.copy(), np.zeros(plain.x.size)
    x[groups.kept] += decided.less
    if decided.offers is not None:
        x[groups.thought], limit[groups.thought] = decided.offers.x[at], decided.offers.limit[at]
    if offers is not None:
        x[groups.followed], limit[groups.followed] = offers.x, offers.limit
        cost[groups.followed] = np.nan_to_num(offers.cost)
    return Chosen(x, limit, cost)


def cut(offer: CurveOffer, worst: float, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that a worst case of so much stays within the budget."""
    least = budget * (1 - 1e-12)  # sums in another order differ by less
    return offer if worst <= least else CurveOffer(offer.weight * (least / worst), offer.rate, offer.limit)
