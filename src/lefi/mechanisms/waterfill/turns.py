"""Who is thought about in a large fleet, and who is served at the price that these tell.

What is decided follows from counts, sums and some of the clients, so a fleet in partitions is planned in the same way.
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.cells import summed
from lefi.draws import key, uniform
from lefi.mechanisms.waterfill.curves import TINY, Offers
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import Plain, serve, survey
from lefi.mechanisms.waterfill.solver import Heard, Solver
from lefi.messages import CurveOffer, Roster, Terms

WORK = 2_000  # clients that a round thinks about, at most
SAMPLE = WORK // 2  # of those that are served, about so many tell the price
AROUND = np.exp(np.linspace(1, -1, 41))  # of the price: where it is known what is spent
SPARE = 0.004  # share of the money of those who are served that is left over: about what spending is misjudged by


class Plan(NamedTuple):
    """What is decided for all."""

    ids: IntArray  # of those who were heard
    offers: Offers  # to them
    price: float  # of money, for those who are served
    prices: FloatArray  # others around it, falling
    spends: FloatArray  # what some of those spend at each
    spent: float  # by those who are thought about, USD
    left: float  # for those who are served, USD


def plan(solver: Solver, memory: Memory, roster: Roster, drawn: FloatArray, budget: float) -> tuple[Offers, Plan]:
    """What to offer; `drawn`, a number from 0 to 1 per client, tells whose turn it is."""
    plain = survey(memory.answers, memory.rows(roster.ids), roster.rate, solver.shared)
    turn = turns(plain, drawn, plain.size, int(plain.rises.sum()))
    decided = decide(solver, hear(roster, memory, plain, turn, plain.size), plain.size, budget)
    spent = summed(roster.ids, written(solver.terms, roster, plain, turn, decided).cost)
    return written(solver.terms, roster, plain, turn, corrected(decided, spent)), decided


def turns(plain: Plain, drawn: FloatArray, clients: int, known: int) -> BoolArray:
    """Who is thought about: all of a small fleet, of a large one some of those whose location is not known."""
    return (clients <= WORK) | ~plain.rises & (drawn < WORK / max(clients - known, 1))


def hear(roster: Roster, memory: Memory, plain: Plain, turn: BoolArray, clients: int) -> Heard:
    """Those who tell the price: who is thought about, and some of those who are served."""
    at = np.flatnonzero(turn | (uniform(key(0, "telling"), roster.ids) < SAMPLE / clients))
    said, thought, ids = plain[at], turn[at], roster.ids[at]
    said.rises |= ~thought  # who is served is taken for what its answers say
    return Heard(ids, roster.iid[at], roster.rate[at], memory.read(ids), thought, said)


def decide(solver: Solver, heard: Heard, clients: int, budget: float) -> Plan:
    """Offers to those who are heard, and the price for all clients."""
    offers, price = solver.solve(heard, clients, budget)
    some = np.flatnonzero(~heard.thought)
    telling = solver.terms, heard.iid[some], heard.rate[some], heard.plain[some]
    prices = price * AROUND
    spends = np.array([serve(*telling, float(p)).cost.sum() for p in prices]) if some.size else 0 * prices
    spent = float(np.nan_to_num(offers.cost[heard.thought]).sum())  # a belief gone wrong is offered nothing
    return Plan(heard.ids, offers, price, prices, spends, spent, max(budget - spent, TINY))


def corrected(decided: Plan, spent: float) -> Plan:
    """The plan with the price of money again, now that it is known what all who are served would spend at it.

    A little is left over: to cut all offers would lose everybody who takes all or nothing.
    """
    if spent == 0:
        return decided
    share = decided.left * (1 - SPARE) / spent
    price = np.interp(share * decided.spends[AROUND.size // 2], decided.spends, decided.prices)
    return decided._replace(price=float(price))


def written(terms: Terms, roster: Roster, plain: Plain, turn: BoolArray, decided: Plan) -> Offers:
    """What is decided, client by client; the costs are those of the served."""
    found, at = Offers.at(np.zeros(len(roster))), np.searchsorted(decided.ids, roster.ids[turn])
    found.x[turn], found.limit[turn] = decided.offers.x[at], decided.offers.limit[at]
    offers = serve(terms, roster.iid[~turn], roster.rate[~turn], plain[~turn], decided.price)
    for column, theirs in zip(found, offers, strict=True):
        column[~turn] = np.nan_to_num(theirs)
    return found


def cut(offer: CurveOffer, worst: float, budget: float) -> CurveOffer:
    """The offer with its weights scaled down, where needed, so that a worst case of so much stays within the budget."""
    least = budget * (1 - 1e-12)  # sums in another order differ by less
    return offer if worst <= least else CurveOffer(offer.weight * (least / worst), offer.rate, offer.limit)
