"""What an offer brings: the size to expect, the most it can cost, and what its answer is worth in later rounds."""

from math import exp, expm1

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import allocating, compiled
from lefi.mechanisms.waterfill.curves import KEPT, LEVELS, NOTHING, POINTS, Offers, Points, kink, wish
from lefi.mechanisms.waterfill.memory import EXACT, SAME
from lefi.mechanisms.waterfill.shared import Shared

GRID, TOPS = 12, 6  # candidates across the range in which a client responds, and at kinks of its likeliest curves
RARE = 0.005  # chance of a curve that does not count
SIZES = 17  # of which it is known what they are worth; between them it is taken for a line
SURE = 2.0  # deviations of noise that an answer may be off: room for it in a limit, and what tells two curves apart
DEEP = 3.0  # log size below the cap where a curve without a foot ends


@compiled
def propose(beliefs: Points, rate: FloatArray, least: float, most: float, x: FloatArray, half: FloatArray) -> None:
    """Fill x (n, 1 + GRID + TOPS): nothing, a grid over the range in which a client responds, kinks; half: spacing."""
    for i in range(rate.size):
        low, high = most, least
        x[i, :] = NOTHING
        for p in range(KEPT):
            s = beliefs[i, p]
            if s.cap * s.chance == 0:
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
    """Fill size, limit and cost of candidates. Limits leave room for every curve that counts, and for its noise."""
    for i in range(rate.size):
        for j in range(found.x.shape[1]):
            x, size, limit = found.x[i, j], 0.0, shared.floor
            for s in beliefs[i]:
                if s.chance < RARE:
                    break
                limit = max(limit, min(wish(s, x, shared.high, rate[i]) * (1 + SURE * shared.rho), s.cap))
            limit = min(limit * (1 + 4 * EXACT) + EXACT, shared.high)
            for s in beliefs[i]:
                if s.chance == 0:
                    break
                size += s.chance * max(wish(s, x, limit, rate[i]), shared.floor)
            found.size[i, j], found.limit[i, j], found.cost[i, j] = size, limit, -exp(x) * expm1(-rate[i] * limit)


@allocating
def foresee(
    beliefs: Points, rate: FloatArray, shared: Shared, found: Offers, worth: FloatArray, price: FloatArray
) -> None:
    """Add what the answer to each candidate is worth later (knowledge gradient).

    worth (n, SIZES), price (n): of sizes up to size_high, and of a USD, in accuracy over all rounds to come. With what
    is known now, the candidate with the best expected net is taken. An answer splits the curves into groups that it
    cannot tell apart, and for each group its best candidate is taken then. The difference counts.
    """
    g, now = found.x.shape[1], 0.0
    net, sums, answer = np.empty((POINTS, g)), np.empty((POINTS, g)), np.empty(POINTS)
    for i in range(rate.size):
        points, x = beliefs[i, : min((beliefs[i].chance > 0).sum(), POINTS)], found.x[i]
        if price[i] == 0 or points.size == 1:
            continue
        for j in range(g):
            weight = exp(x[j])
            for p, s in enumerate(points):
                size = wish(s, x[j], shared.high, rate[i])
                paid = -weight * expm1(-rate[i] * max(size, EXACT))
                at = min(int(size / shared.high * (SIZES - 1)), SIZES - 2)
                part = size / shared.high * (SIZES - 1) - at
                net[p, j] = s.chance * (worth[i, at] * (1 - part) + worth[i, at + 1] * part - price[i] * paid)
        for j in range(g):
            groups, later = 0, 0.0
            for p, s in enumerate(points):
                y, at = wish(s, x[j], found.limit[i, j], rate[i]), 0
                while at < groups and abs(y - answer[at]) > SURE * (shared.rho * max(y, answer[at]) + shared.exact):
                    at += 1
                if at == groups:
                    answer[at], sums[at], groups = y, 0.0, groups + 1
                for c in range(g):  # a sum of rows takes twice as long
                    sums[at, c] += net[p, c]
            for at in range(groups):
                later += sums[at].max()
            now = later if j == 0 else now  # no offer tells nothing
            found.gain[i, j] += max(later - now, 0.0)
