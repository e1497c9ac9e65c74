"""What an offer brings: the size to expect, the most it can cost, and what its answer is worth in later rounds.

n clients, g candidate log weights each, candidate 0 is to offer nothing.
"""

from math import exp, expm1
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import allocating, compiled, inlined
from lefi.mechanisms.waterfill.curves import IDLE, LEVELS, POWER_OPEN, Points, kink, wish
from lefi.mechanisms.waterfill.memory import EXACT, SAME
from lefi.mechanisms.waterfill.points import KEPT, POINTS, RARE, SURE, Shared

NOTHING = -700.0  # log weight that offers nothing
GRID, TOPS = 12, 6  # candidates across the range in which a client responds, and at kinks of its likeliest curves
DEEP = 3.0  # log size below the cap where a curve without a foot ends


class Offers(NamedTuple):
    """Log weights, and what they bring: one per client (n), or several to choose from (n, g)."""

    x: FloatArray
    size: FloatArray  # to expect
    limit: FloatArray
    cost: FloatArray  # USD, at most

    def part(self, p: slice) -> "Offers":
        return Offers._make(column[p] for column in self)


class Stakes(NamedTuple):
    """What a try is judged by."""

    worth: FloatArray  # accuracy that a thousand samples of a client bring
    price: float  # of money, in accuracy per USD
    horizon: FloatArray  # rounds for which what is found of a client counts


class View(NamedTuple):
    """Room for one client: what curves are worth at candidates, their chances, groups that an answer leaves."""

    net: FloatArray  # (POINTS, g)
    chance: FloatArray
    sums: FloatArray  # (POINTS, g), of net by chance
    answer: FloatArray


@allocating
def propose(beliefs: Points, rate: FloatArray, reach: tuple[float, float], x: FloatArray, half: FloatArray) -> None:
    """Fill x (n, 1 + GRID + TOPS): nothing, a grid over the range in which a client responds, kinks; half: spacing."""
    for i in range(rate.size):
        low, high = reach[1], reach[0]
        x[i, :] = NOTHING
        for p in range(KEPT):
            s = beliefs[i, p]
            if s.kind == IDLE:
                continue
            end = min(max(kink(s, rate[i], 0), reach[0]), reach[1]) + SAME  # who is all but there may deliver nothing
            if p < TOPS:
                x[i, 1 + GRID + p] = min(max(kink(s, rate[i], p % LEVELS), reach[0]), reach[1]) + SAME
            if s.chance > RARE:
                low = min(low, s.b if s.kind < POWER_OPEN else end - DEEP / s.exponent)
                high = max(high, end)
        low = min(max(low, reach[0]), reach[1])
        high = max(high, low + EXACT) if high > reach[0] else reach[1]
        half[i] = (high - low) / (GRID - 1)
        for j in range(GRID):
            x[i, 1 + j] = low + half[i] * j if j < GRID - 1 else high


@compiled
def expect(beliefs: Points, rate: FloatArray, shared: Shared, found: Offers) -> None:
    """Fill size, limit and cost of candidates."""
    for i in range(rate.size):
        points, alive = beliefs[i], 0.0
        for p in range(KEPT):
            alive += points[p].chance if points[p].kind != IDLE else 0.0
        for j in range(found.x.shape[1]):
            x, size, limit = found.x[i, j], shared.floor, shared.floor
            if x > NOTHING:
                limit = room(points, x, rate[i], shared, RARE * alive)
                size = 0.0
                for p in range(KEPT):
                    if points[p].chance == 0:
                        break
                    size += points[p].chance * max(wish(points[p], x, limit, rate[i]), shared.floor)
            found.size[i, j], found.limit[i, j], found.cost[i, j] = size, limit, -exp(x) * expm1(-rate[i] * limit)


@inlined
def room(points: Points, x: float, rate: float, shared: Shared, least: float) -> float:
    """The limit of an offer: room for every curve of at least this chance, and for its noise."""
    limit = shared.floor
    for p in range(KEPT):
        s = points[p]
        if s.chance < least:
            break
        limit = max(limit, min(wish(s, x, shared.high, rate) * (1 + SURE * shared.rho), s.cap))
    return min(limit * (1 + 4 * EXACT) + EXACT, shared.high)


@allocating
def foresee(beliefs: Points, rate: FloatArray, shared: Shared, found: Offers, stakes: Stakes, gain: FloatArray) -> None:
    """Add to gain what the answer to each candidate is worth later (knowledge gradient).

    With what is known now, the candidate with the best expected net is taken. An answer splits the curves into groups
    that it cannot tell apart, and for each group its best candidate is taken then. The difference counts for all
    rounds of the horizon.
    """
    g = found.x.shape[1]
    view = View(np.empty((POINTS, g)), np.empty(POINTS), np.empty((POINTS, g)), np.empty(POINTS))
    for i in range(rate.size):
        if stakes.horizon[i] == 0:
            continue
        points, x, limit = beliefs[i], found.x[i], found.limit[i]
        now, perfect = look(points, x, rate[i], shared.high, (stakes.worth[i], stakes.price), view)
        for j in range(1, g if perfect > now else 0):
            if x[j] > NOTHING:
                later = told(points, (x[j], limit[j]), rate[i], shared, view)
                gain[i, j] += stakes.horizon[i] * max(later - now, 0.0)


@compiled
def look(
    points: Points, x: FloatArray, rate: float, high: float, worth: tuple[float, float], view: View
) -> tuple[float, float]:
    """Fill net and chances. Returns the best expected net, and what it would be if all were known."""
    total, perfect, now = 0.0, 0.0, 0.0
    for p in range(POINTS):
        total += points[p].chance
    for p in range(POINTS):
        view.chance[p], best = points[p].chance / total, 0.0
        for j in range(x.size):
            view.net[p, j] = 0.0
            if x[j] > NOTHING and view.chance[p] > 0:
                size = wish(points[p], x[j], high, rate)
                paid = -exp(x[j]) * expm1(-rate * max(size, EXACT))
                view.net[p, j] = worth[0] * size - worth[1] * paid
                best = max(best, view.net[p, j])
        perfect += view.chance[p] * best
    for j in range(x.size):
        mean = 0.0
        for p in range(POINTS):
            mean += view.chance[p] * view.net[p, j]
        now = max(now, mean)
    return now, perfect


@compiled
def told(points: Points, offer: tuple[float, float], rate: float, shared: Shared, view: View) -> float:
    """The best expected net once the answer to an offer (log weight, limit) is known."""
    groups, g = 0, view.net.shape[1]
    for p in range(POINTS):
        if view.chance[p] == 0:
            break
        y, at = wish(points[p], offer[0], offer[1], rate), 0
        while at < groups:
            if abs(y - view.answer[at]) <= SURE * (shared.rho * max(y, view.answer[at]) + EXACT * shared.high):
                break
            at += 1
        if at == groups:
            view.answer[at] = y
            view.sums[at, :] = 0.0
            groups += 1
        for j in range(g):
            view.sums[at, j] += view.chance[p] * view.net[p, j]
    later = 0.0
    for at in range(groups):
        best = 0.0
        for j in range(g):
            best = max(best, view.sums[at, j])
        later += best
    return later
