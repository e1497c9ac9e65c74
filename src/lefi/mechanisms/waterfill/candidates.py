"""What an offer brings: the size to expect, the most it can cost, and what its answer is worth in later rounds.

n clients, g candidate log weights each, candidate 0 is to offer nothing.
"""

from math import exp, expm1
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import allocating, compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    KEPT,
    LEVELS,
    NOTHING,
    POINTS,
    RARE,
    SURE,
    Offers,
    Points,
    Shared,
    kink,
    wish,
)
from lefi.mechanisms.waterfill.memory import EXACT, SAME

GRID, TOPS = 12, 6  # candidates across the range in which a client responds, and at kinks of its likeliest curves
DEEP = 3.0  # log size below the cap where a curve without a foot ends


class Stakes(NamedTuple):
    """What a try is judged by."""

    worth: FloatArray  # accuracy that a thousand samples of a client bring
    price: float  # of money, in accuracy per USD
    horizon: FloatArray  # rounds for which what is found of a client counts


@compiled
def propose(beliefs: Points, rate: FloatArray, least: float, most: float, x: FloatArray, half: FloatArray) -> None:
    """Fill x (n, 1 + GRID + TOPS): nothing, a grid over the range in which a client responds, kinks; half: spacing."""
    for i in range(rate.size):
        low, high = most, least
        x[i, :] = NOTHING
        for p in range(KEPT):
            s = beliefs[i, p]
            if s.cap == 0:
                continue
            end = min(max(kink(s, rate[i], 0), least), most) + SAME  # who is all but there may deliver nothing
            if p < TOPS:
                x[i, 1 + GRID + p] = min(max(kink(s, rate[i], p % LEVELS), least), most) + SAME
            if s.chance > RARE:
                low = min(low, s.b if s.exponent == 0 else end - DEEP / s.exponent)
                high = max(high, end)
        low = min(max(low, least), most)
        high = max(high, low + EXACT) if high > least else most
        half[i] = (high - low) / (GRID - 1)
        for j in range(GRID):
            x[i, 1 + j] = low + half[i] * j


@compiled
def expect(beliefs: Points, rate: FloatArray, shared: Shared, found: Offers) -> None:
    """Fill size, limit and cost of candidates."""
    for i in range(rate.size):
        points = beliefs[i]
        for j in range(found.x.shape[1]):
            x, size, limit = found.x[i, j], shared.floor, shared.floor
            if x > NOTHING:
                limit = room(points, x, rate[i], shared)
                size = 0.0
                for p in range(KEPT):
                    if points[p].chance == 0:
                        break
                    size += points[p].chance * max(wish(points[p], x, limit, rate[i]), shared.floor)
            found.size[i, j], found.limit[i, j], found.cost[i, j] = size, limit, -exp(x) * expm1(-rate[i] * limit)


@inlined
def room(points: Points, x: float, rate: float, shared: Shared) -> float:
    """The limit of an offer: room for every curve that counts, and for its noise."""
    limit = shared.floor
    for p in range(KEPT):
        s = points[p]
        if s.chance < RARE:
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
    net, sums, answer = np.empty((POINTS, g)), np.empty((POINTS, g)), np.empty(POINTS)
    for i in range(rate.size):
        points, x = beliefs[i], found.x[i]
        if stakes.horizon[i] == 0 or points[0].chance == 1:
            continue
        for p in range(POINTS):
            for j in range(g):
                net[p, j] = 0.0
                if x[j] > NOTHING and points[p].chance > 0:
                    size = wish(points[p], x[j], shared.high, rate[i])
                    paid = -exp(x[j]) * expm1(-rate[i] * max(size, EXACT))
                    net[p, j] = points[p].chance * (stakes.worth[i] * size - stakes.price * paid)
        now = 0.0
        for j in range(g):
            if j == 0 or x[j] > NOTHING:
                later = told(points, x[j], found.limit[i, j], rate[i], shared, (net, sums, answer))
                now = later if j == 0 else now  # no offer tells nothing
                gain[i, j] += stakes.horizon[i] * max(later - now, 0.0)


@compiled
def told(
    points: Points, x: float, limit: float, rate: float, shared: Shared, view: tuple[FloatArray, FloatArray, FloatArray]
) -> float:
    """The best expected net once the answer to an offer is known; `view`: net, and room for sums and answers."""
    net, sums, answer = view
    groups, later = 0, 0.0
    for p in range(POINTS):
        if points[p].chance == 0:
            break
        y, at = wish(points[p], x, limit, rate), 0
        while at < groups and abs(y - answer[at]) > SURE * (shared.rho * max(y, answer[at]) + EXACT * shared.high):
            at += 1
        if at == groups:
            answer[at], sums[at, :] = y, 0.0
            groups += 1
        for j in range(net.shape[1]):
            sums[at, j] += net[p, j]
    for at in range(groups):
        best = 0.0
        for j in range(net.shape[1]):
            best = max(best, sums[at, j])
        later += best
    return later
