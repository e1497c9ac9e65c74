"""A client that no family fits: a staircase through its own answers, kept as a few windows.

A quiet client answers more money with no less: its answers, sorted by money, rise. Noise around a family would put
some of them out of order, the sooner the more it takes to explain them. A client whose answers are in order all the
same is not noisy, it is odd, and is believed to the letter: it delivers again what it has delivered, and in between
anything from the one answer to the next. Every rise becomes a window of money, a track whose chance is its share of
the cap: the mean over these tracks runs straight, in log money, from answer to answer. Their column PATIENCE holds the
patience with tries in the window, less where answers lie in it that TRACKS windows cannot show.
"""

from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import allocating, compiled
from lefi.mechanisms.waterfill.facts import Answers, Client, Fleet
from lefi.mechanisms.waterfill.fit import repeat
from lefi.mechanisms.waterfill.splits import EXACT
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    CV,
    HIGH,
    KIND,
    LOW,
    NOISY,
    PATIENCE,
    STAIR_KIND,
    STEP_KIND,
    TRACKS,
    C,
    M,
    Phi,
    V,
    deviation,
    expected_size,
    is_cut,
    log_money,
    window,
)

ENOUGH = 4  # answers before a client can be odd
NEAR, LESS = 0.05, 0.01  # log money and share of size_high by which answers may be out of order
LEAST = 1.0  # evidence that is asked for even where most of the fleet is odd
AGAIN = 4.0  # evidence of the very same answer to another offer: noise does not repeat a number
DOWN, UP = 2.0, 1.0  # log money below the least that was taken, and above the most, in which anything may happen
SHALLOW, STEEP = 0.2, 2.0  # exponent of the rise above the largest answer, at least and at most
SPAN = 0.3  # log money over which it is read
GUESSES = (1.0, 0.5, 0.0)  # full delivery, from the largest answer (0) to what may lie beyond it (1)
HOPE = 0.1  # chance of more above a plateau from which it is looked for
SMOOTH, JAGGED, HIGHER = 3.0, 15.0, 6.0  # patience with tries between answers: at least, more on steps; above them
HERE, AROUND = 4.0, 0.7  # steps this close to the last offer, in log money, matter more


class Stairs(NamedTuple):
    """Money and size of answers, by money."""

    k: FloatArray
    level: FloatArray


@allocating
def fit_odd(tracks: FloatArray, answers: Answers, client: Client, fleet: Fleet) -> float:
    """Replace the tracks by stairs if the answers, oldest first, show an odd client; returns full delivery, else 0.

    The noise of `client` is what the best track needs. A step is the first stair, where fleets are known to have more.
    """
    rate, rho, _, floor, high = client
    first = fleet.more > HOPE and tracks[0, KIND] == STEP_KIND
    if not first and (rho < NOISY or answers.n < ENOUGH):
        return 0.0
    n, last, top, end, repeated = answers.n, answers.n - 1, 0.0, beyond(answers, high), repeat(answers, high)[0]
    for i in range(n):
        top = max(top, answers.y[i])
    if repeated > 0:
        end = min(repeated * (1 + fleet.more), high) if fleet.more > HOPE else repeated
    stairs, full = Stairs(np.empty(n + 2), np.empty(n + 2)), 0.0
    for share in GUESSES:
        full = top + share * (end - top)
        if full > 0 and sort_by_money(stairs, answers, rate, high, full):
            break
        full = 0.0
    if full == 0:
        return 0.0
    if not first:
        evidence = order_evidence(tracks[0], stairs, n, Client(rate, rho, full, floor, high))
        if evidence < max(log(1 / fleet.chances[STAIR_KIND] - 1), LEAST):
            return 0.0
    build(tracks, stairs, n, log_money(answers.x[last], rate, min(answers.limit[last], full)), floor, end)
    return full


@allocating
def sort_by_money(stairs: Stairs, answers: Answers, rate: float, high: float, full: float) -> bool:
    """Fill in money and size of the answers, by money; whether no answer contradicts another."""
    x, limit, y, count = answers
    k, level = stairs
    cut = np.empty(count, dtype=np.bool_)
    for i in range(count):
        money = log_money(x[i], rate, min(limit[i], full))
        cuts = is_cut(y[i], limit[i], high)
        for j in range(i):  # more for less money, and no limit was the reason
            if k[j] > money + NEAR and level[j] < y[i] - LESS * high and not cut[j]:
                return False
            if k[j] < money - NEAR and level[j] > y[i] + LESS * high and not cuts:
                return False
        at = i
        while at > 0 and k[at - 1] > money:
            k[at], level[at], cut[at] = k[at - 1], level[at - 1], cut[at - 1]
            at -= 1
        k[at], level[at], cut[at] = money, y[i], cuts
    return True


@compiled
def beyond(answers: Answers, high: float) -> float:
    """What UP log money above the largest answer may bring, on the power of money that leads up to it."""
    x, _, y, count = answers
    top, at, e = 0.0, 0, 0.0
    for i in range(count):
        if y[i] > top:
            top, at = y[i], i
    gap = inf
    for i in range(count):
        apart = x[at] - x[i]
        if SPAN <= apart < gap and y[i] > 0:
            gap, e = apart, log(top / y[i]) / apart
    return min(top * exp(min(max(e, SHALLOW), STEEP) * UP), high)


@compiled
def order_evidence(s: FloatArray, stairs: Stairs, n: int, client: Client) -> float:
    """Minus the log chance that noise around a track, as large as the client's, would leave all answers in order."""
    k, level = stairs
    rate, rho, full, floor, high = client
    evidence = 0.0
    paid = log_money(0.0, rate, full)
    (low, top), kind = window(s), int(s[KIND])
    before = expected_size(kind, low, top, s[C], (k[0] - paid, k[0]), rate, floor)
    for i in range(1, n):
        here = expected_size(kind, low, top, s[C], (k[i] - paid, k[i]), rate, floor)
        if k[i] - k[i - 1] > NEAR:
            doubt = sqrt(2.0) * deviation(0.5 * (before + here), rho, high)
            evidence -= log(max(Phi((here - before) / doubt), 0.5))
            if floor < level[i] <= level[i - 1] * (1 + EXACT) and level[i] < level[n - 1] * (1 - EXACT):
                evidence += AGAIN
        before = here
    return evidence


@allocating
def build(tracks: FloatArray, stairs: Stairs, n: int, last: float, floor: float, end: float) -> None:
    """Stairs through n answers sorted by money, with what may lie below them and above, up to `end`, as tracks."""
    k, level = stairs
    for i in range(1, n):
        level[i] = max(level[i], level[i - 1])
    patience = SMOOTH + JAGGED * roughness(stairs, n) ** 2
    if level[0] > floor:
        for i in range(n, 0, -1):
            k[i], level[i] = k[i - 1], level[i - 1]
        k[0], level[0] = k[1] - DOWN, floor
        n += 1
    higher = end > level[n - 1] * (1 + EXACT)
    if higher:
        k[n], level[n] = k[n - 1] + UP, end
        n += 1
    area = np.zeros(n)  # between neighbours, where the curve may run
    for i in range(1, n):
        area[i] = (k[i] - k[i - 1]) * (level[i] - level[i - 1])
    while rises_in(level, n) > TRACKS:
        n = drop_least(stairs, area, n, last)
    tracks[:, CHANCE] = 0.0
    t, cap = 0, level[n - 1]
    for i in range(1, n):
        rise = level[i] - level[i - 1]
        if rise > 0:
            s = tracks[t]
            s[KIND], s[C], s[CV], s[CHANCE] = STAIR_KIND, cap, 0.0, rise / (cap - level[0])
            s[LOW], s[HIGH] = k[i - 1], max(k[i], k[i - 1] + 1e-6)
            s[M], s[V] = 0.5 * (s[LOW] + s[HIGH]), (s[HIGH] - s[LOW]) ** 2 / 12
            unknown = area[i] / (rise * (s[HIGH] - s[LOW]))
            s[PATIENCE] = (HIGHER if higher and i == n - 1 else patience) * unknown * unknown
            t += 1


@compiled
def bend(stairs: Stairs, i: int) -> float:
    """How far answer i lies from the straight line between its neighbours."""
    k, level = stairs
    share = (k[i] - k[i - 1]) / max(k[i + 1] - k[i - 1], 1e-9)
    return abs(level[i - 1] + share * (level[i + 1] - level[i - 1]) - level[i])


@compiled
def roughness(stairs: Stairs, n: int) -> float:
    """How far answers lie from the straight line between their neighbours: 0 if on it, 1 for steps."""
    missed, rise = 0.0, 1e-9
    for i in range(1, n - 1):
        missed += bend(stairs, i)
        rise += stairs.level[i + 1] - stairs.level[i - 1]
    return min(2 * missed / rise, 1.0)


@compiled
def rises_in(level: FloatArray, n: int) -> int:
    rises = 0
    for i in range(1, n):
        rises += level[i] > level[i - 1]
    return rises


@compiled
def drop_least(stairs: Stairs, area: FloatArray, n: int, last: float) -> int:
    """Leave out the answer that the straight line between its neighbours misses least; returns n - 1."""
    k, level = stairs
    least, at = inf, 1
    for i in range(1, n - 1):
        miss = bend(stairs, i) * (1 + HERE * exp(-abs(k[i] - last) / AROUND))
        if miss < least:
            least, at = miss, i
    area[at + 1] += area[at]
    for i in range(at, n - 1):
        k[i], level[i], area[i] = k[i + 1], level[i + 1], area[i + 1]
    return n - 1
