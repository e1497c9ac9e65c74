"""What is believed about a client: points on the curves that its answers leave, weighed by prior and likelihood.

Every answer narrows the interval of a family's location, newest first, until one contradicts. Points across the
interval are weighed by the fleet's prior and by the likelihood. The likeliest of all families are the belief.
"""

from math import exp, inf, log, sqrt
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import IDLE, POWER_OPEN, STAIRS, STEP, Points, money
from lefi.mechanisms.waterfill.likelihood import NEGLIGIBLE, normal, weigh
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers
from lefi.mechanisms.waterfill.points import (
    BROAD,
    EXPONENTS,
    HEARD,
    KEPT,
    POINTS,
    PRICES,
    SUMS,
    WIDE,
    Client,
    Shared,
    blank,
)
from lefi.mechanisms.waterfill.staircase import climb, within

LEAST_POINTS = 3  # points of a family whose location is known: a middle and two sides
APART = 0.02  # log money between two points that are worth telling apart


def fit(answers: Answers, rate: FloatArray, shared: Shared) -> Points:
    """Beliefs about clients with these answers (n, SLOTS)."""
    beliefs = blank(rate.size)
    fit_all(answers, rate, shared, beliefs, np.recarray(SLOTS, HEARD), blank(1)[0])
    return beliefs


@compiled
def fit_all(answers: Answers, rate: FloatArray, shared: Shared, beliefs: Points, room: Any, one: Points) -> None:
    """Fill the beliefs; with room for the answers of a client and for one point."""
    s = one[0]
    for i in range(rate.size):
        count, seen, cut = recall(answers[i], shared, room)
        client = Client(room, count, rate[i], seen, cut)
        points = beliefs[i]
        for p in range(KEPT):
            points[p].chance = -inf
        for kind in range(STAIRS):
            spread(kind, client, shared, points, s)
        climb(client, shared, points, s)
        if seen == 0:
            s.kind, s.b, s.exponent, s.cap, s.chance = IDLE, 0.0, 1.0, shared.high, log(shared.chances[IDLE])
            weigh(s, client, shared, points)
        normalise(points)


@inlined
def recall(mine: Answers, shared: Shared, room: Any) -> tuple[int, float, bool]:
    """Copy answers, with what their locations may have moved since. Returns heard, seen and cut of a Client."""
    nothing = shared.floor + EXACT * shared.high
    count, seen, cut = 0, nothing, False
    while count < SLOTS and not np.isnan(mine[count].y):
        answer, heard = mine[count], room[count]
        heard.x, heard.limit, heard.y = answer.x, answer.limit, answer.y
        moved = shared.drift * (shared.now - float(answer.when))
        heard.slack = sqrt(moved + (BROAD if answer.when < shared.jumped else 0.0))
        if heard.y > seen:
            seen, cut = heard.y, heard.limit * (1 - SAME) <= heard.y < shared.high * (1 - SAME)
        count += 1
    return count, seen if seen > nothing else 0.0, cut


@compiled
def spread(kind: int, client: Client, shared: Shared, points: Points, s: np.record) -> None:
    """Weigh points of one family. A cap that has not shown is one of the fleet's."""
    whole = kind % 2 == 0 and kind < STEP
    known = whole or (client.seen > 0 and not client.cut)
    s.kind, s.exponent = kind, 1.0
    s.cap = client.seen if known and not whole else shared.high
    powers = POWER_OPEN <= kind < STEP
    mean, var = prior(kind, client.rate, shared)
    for e in range(EXPONENTS.size if powers else 1):
        start = log(shared.chances[kind]) + (log(EXACT) if known and not whole else 0.0)
        if powers:
            s.exponent = EXPONENTS[e]
            start += log(shared.exponents[e])
        low, top = interval(s, client, shared)
        n = min(POINTS, LEAST_POINTS + int((top - low) / APART))
        start += log((top - low) / n)
        for i in range(n):
            s.b = low + (top - low) * (i + (1.0 if kind == STEP else 0.5)) / n
            s.cap = s.cap if known else max(shared.caps[i * 5 % POINTS], client.seen)
            s.chance = start + normal(s.b, mean, var)
            weigh(s, client, shared, points)


@inlined
def prior(kind: int, rate: float, shared: Shared) -> tuple[float, float]:
    """Mean and variance of locations of this kind."""
    if kind < POWER_OPEN:
        return shared.mean[PRICES] - log(rate), shared.var[PRICES]
    return shared.mean[SUMS], shared.var[SUMS]


@compiled
def interval(s: np.record, client: Client, shared: Shared) -> tuple[float, float]:
    """Where a location may lie: what the answers leave, within what the fleet makes likely."""
    rate, delta, noise = client.rate, EXACT * shared.high, WIDE * shared.rho
    low, top = -inf, inf
    for j in range(client.heard):
        answer = client.answers[j]
        limit, y = answer.limit, answer.y
        u = answer.x if s.kind < POWER_OPEN else answer.x + money(rate, min(limit, s.cap))
        room, least, most = WIDE * answer.slack + (EXACT if s.kind != STEP else 0.0), -inf, inf
        if y <= shared.floor + delta:
            least = u - above(s, max(y, delta), rate) - room
        else:
            most = u - above(s, y / (1 + noise), rate) + room
            if y < limit * (1 - SAME) and y < s.cap * (1 - noise - EXACT) and s.kind != STEP:
                least = u - above(s, y * (1 + noise), rate) - room
        if max(low, least) >= min(top, most):
            break
        low, top = max(low, least), min(top, most)
    mean, var = prior(s.kind, rate, shared)
    return within(low, top, mean, WIDE * sqrt(var))


@inlined
def above(s: np.record, y: float, rate: float) -> float:
    """How far above its location a client is paid that delivers y."""
    return rate * y if s.kind < POWER_OPEN else log(y / s.cap) / s.exponent if s.kind < STEP else 0.0


@compiled
def normalise(points: Points) -> None:
    """Log evidences become chances, and what is negligible is dropped."""
    best, total = points[0].chance, 0.0
    for p in range(KEPT):
        s = points[p]
        s.chance = exp(s.chance - best) if s.chance > best - NEGLIGIBLE else 0.0
        if s.chance == 0:
            s.kind, s.b, s.cap = IDLE, 0.0, 0.0
        total += s.chance
    for p in range(KEPT):
        points[p].chance /= total
