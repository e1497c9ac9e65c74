"""One price of money for all: the best offer of each client at the price at which the budget is met."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lefi.allocation import allocate, best_response, search
from lefi.arrays import FloatArray, IntArray
from lefi.cells import in_cells, total
from lefi.draws import key, uniform
from lefi.mechanisms.division import Round, joined
from lefi.mechanisms.waterfill.belief import believe
from lefi.mechanisms.waterfill.candidates import GRID, SIZES, TOPS, expect, foresee, propose
from lefi.mechanisms.waterfill.curves import NOTHING, Offers, blank
from lefi.mechanisms.waterfill.memory import SAME, SLOTS, Heard, Memory
from lefi.mechanisms.waterfill.plain import Plain, serve, survey
from lefi.mechanisms.waterfill.shared import Shared
from lefi.messages import Roster, Terms, spendable
from lefi.threads import in_parts

STAGES, CLOSER = 5, 4  # looks at candidates, each this much closer than the one before
WINDOW = np.arange(-CLOSER, CLOSER + 1) / CLOSER
DEPTH = 12.0  # log weight: how far from an equal share offers are looked for
HORIZON = 150.0  # rounds for which what a try finds counts; early on fewer, four times the squared round
TRIED = SLOTS // 2  # answers, none like the one before, after which another try would seem worth it by chance
WORK = 2_000  # clients that a round thinks about, at most
SAMPLE = WORK // 2  # of those that are served, about so many tell the price
SPARE = 0.01  # share of the money of the served that is left over where no location is known: misjudged by so much


class Look(NamedTuple):
    """What must be known of clients before anything is decided."""

    thought: Heard  # those who are thought about
    told: Heard  # some of all others, who are served; they tell the price
    cost: FloatArray  # of what all who are served were offered last, by cell, USD
    paid: FloatArray  # of it, what those were offered who tell the price


class Plan(NamedTuple):
    """What is decided for all: offers to those who are thought about, and the price of money for all others."""

    ids: IntArray
    offers: Offers
    price: float


def look(memory: Memory, roster: Roster, shared: Shared, clients: int, seed: int) -> tuple[Look, Plain]:
    """A fleet of so many clients, or a part of it: what must be known of it, and what the answers of all say.

    All of a small fleet are thought about, of a large one some of those whose location is not known, drawn anew.
    """
    at = memory.rows(roster.ids)
    plain, last = survey(memory.answers, at, roster.rate, shared), np.append(memory.costs, 0.0)[at]
    drawn = uniform(key(seed, "mechanism", memory.round), roster.ids)
    plain.turn = (clients <= WORK) | ~plain.rises & (drawn < WORK / (clients * shared.unknown))
    telling = ~plain.turn & (uniform(key(0, "telling"), roster.ids) < SAMPLE / clients)
    cost, paid = (in_cells(roster.ids, last * those) for those in (~plain.turn, telling))
    return Look(memory.hear(roster, plain.turn), memory.hear(roster, telling), cost, paid), plain


def decide(terms: Terms, shared: Shared, looks: Sequence[Look], explore: bool, round: Round) -> Plan:
    """Offers to those who are thought about, and the price of money for all others."""
    thought, tellers, cost, paid = zip(*looks, strict=True)
    (ids, iid, rate, answers), told = (Heard(*joined(heard)) for heard in (thought, tellers))
    plain, n = survey(told.answers, np.arange(told.ids.size), told.rate, shared), ids.size
    budget, each = spendable(round.money), spendable(round.money) / round.clients
    stands = total(cost) / total(paid) if total(paid) > 0 else round.clients / max(told.ids.size, 1)
    stands *= 1 + SPARE * shared.unknown  # each of them for so many others
    horizon = np.where(answers.when[:, TRIED] >= shared.jumped, 0.0, explore * min(HORIZON, (2 * shared.now) ** 2))
    worth = horizon[:, None] * terms.accuracy(np.linspace(0, shared.high, SIZES), iid[:, None])
    beliefs, rows, x, half = blank(n), np.arange(n), np.empty((n, 1 + GRID + TOPS)), np.empty(n)
    pick, price, sober = np.zeros(n, dtype=np.int64), 1 / each, 0.0

    def think(p: slice) -> None:
        part = Offers._make(column[p] for column in found)
        if sober == 0:
            beliefs[p] = believe(answers[p], rate[p], shared)
            propose(beliefs[p], rate[p], np.log(each) - DEPTH, np.log(each) + DEPTH, part.x, half[p])
        expect(beliefs[p], rate[p], shared, part)
        part.gain[:] = terms.accuracy(part.size, iid[p, None])
        if sober > 0:
            foresee(beliefs[p], rate[p], shared, part, worth[p], horizon[p] * sober)

    def served(price: float) -> float:
        return float(stands * serve(terms, told, plain, price).cost.sum())

    def spend(price: float) -> float:
        return float(best_response(found.gain, found.cost, price, pick)) + served(price)

    for stage in range(STAGES + 1):
        found = Offers.at(x)
        in_parts(n, think)
        if stage < 2:  # first the price at which nobody tries: tries bid too, and would make what they find worthless
            price = search(spend, budget, price, 1e-9 / each, SAME)[1] * (1 + SAME)  # not by rounding on its other side
            sober, left = sober or price, max(budget - served(price), SAME * budget)
        if stage > 0 and n > 0:
            pick, _ = allocate(found.gain, found.cost, left, attempts=8)
        if 0 < stage < STAGES:
            near = x[rows, np.maximum(pick, 1)][:, None] + half[:, None] * WINDOW
            x, half = np.concatenate([np.full((n, 1), NOTHING), near, x[:, -TOPS:]], axis=1), half / CLOSER
    return Plan(ids, Offers._make(column[rows, pick] for column in found), price)


def written(terms: Terms, roster: Roster, plain: Plain, plan: Plan) -> Offers:
    """What is decided, client by client."""
    found, turn = serve(terms, roster, plain, plan.price), plain.turn
    at = np.searchsorted(plan.ids, roster.ids[turn])
    for column, theirs in zip(found, plan.offers, strict=True):
        column[turn] = theirs[at]
    return found
