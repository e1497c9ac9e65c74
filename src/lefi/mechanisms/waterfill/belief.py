"""What is believed about a client: points on the curves that its answers leave, weighed by prior and likelihood.

Every answer narrows the interval of a family's location, newest first, until one contradicts. Points across the
interval are weighed by the fleet's prior and by the likelihood. The likeliest of all families are the belief.
An answer at its limit, or at the cap, is censored: it bounds the location, and says no more.
"""

from math import erfc, exp, inf, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    BROAD,
    EXPONENTS,
    KEPT,
    POINTS,
    PRICES,
    ROUGH,
    STAIRS,
    SUMS,
    TINY,
    WIDE,
    Points,
    Shared,
    money,
    moved,
    wish,
)
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers

APART = 0.02  # log money between two points of a family that are worth telling apart
ODD = 200.0  # log evidence that an answer off its level costs stairs: who is off a curve by a hundredth is not odd
NEGLIGIBLE = 7.0  # log evidence behind the best from which a point is dropped: a thousandth

# An answer as it is weighed. slack: by how much its location may have moved since; money: log of what it would earn
HEARD = np.dtype([(name, float) for name in ("x", "limit", "y", "slack", "money")])


class Client(NamedTuple):
    """What one client has answered."""

    answers: Any  # of HEARD, newest first
    heard: int
    rate: float
    seen: float  # the largest answer, 0 where nothing was delivered
    cut: bool  # the largest answer was cut by its limit: the client may be able to deliver more


@inlined
def recall(mine: Answers, rate: float, shared: Shared, room: Any) -> Client:
    """Copy answers, with what their locations may have moved since."""
    nothing = shared.floor + EXACT * shared.high
    count, seen, cut = 0, nothing, False
    while count < SLOTS and not np.isnan(mine[count].y):
        answer, heard = mine[count], room[count]
        heard.x, heard.limit, heard.y = answer.x, answer.limit, answer.y
        since = shared.drift * (shared.now - float(answer.when))
        heard.slack = sqrt(since + (BROAD if answer.when < shared.jumped else 0.0))
        if heard.y > seen:
            seen, cut = heard.y, heard.limit * (1 - SAME) <= heard.y < shared.high * (1 - SAME)
        count += 1
    return Client(room, count, rate, seen if seen > nothing else 0.0, cut)


@compiled
def spread(kind: int, client: Client, shared: Shared, points: Points, s: np.record) -> None:
    """Weigh points of one family. A cap that has not shown may have any size."""
    capped = kind % 2 == 1
    known = not capped or (client.seen > 0 and not client.cut)
    s.kind, s.exponent = kind, EXPONENTS[kind // 2]
    s.cap = client.seen if capped and known else shared.high
    mean, var = prior(s, client.rate, shared)
    low, top = interval(s, client, shared)
    n = min(POINTS, 2 + int((top - low) / APART))
    start = log(shared.chances[kind] * (EXACT if capped and known else 1.0) * (top - low) / n)
    for i in range(n):
        s.b = low + (top - low) * (i + 1) / n  # the last one is where the client is known to deliver
        s.cap = s.cap if known else max(shared.high * (1 - (i * 5 % n) / n), client.seen)
        s.chance = start + normal(s.b, mean, var)
        weigh(s, client, shared, points)


@inlined
def prior(s: np.record, rate: float, shared: Shared) -> tuple[float, float]:
    """Mean and variance of locations of this kind."""
    if s.exponent == 0:
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
        u = answer.x if s.exponent == 0 else answer.x + money(rate, min(limit, s.cap))
        room, least, most = WIDE * answer.slack, -inf, inf
        if y <= shared.floor + delta:
            least = u - above(s, max(y, delta), rate) - room
        else:
            most = u - above(s, y / (1 + noise), rate) + room
            if y < limit * (1 - SAME) and y < s.cap * (1 - noise - EXACT):
                least = u - above(s, y * (1 + noise), rate) - room
        if max(low, least) >= min(top, most):
            break
        low, top = max(low, least), min(top, most)
    mean, var = prior(s, rate, shared)
    return within(low, top, mean, WIDE * sqrt(var))


@inlined
def above(s: np.record, y: float, rate: float) -> float:
    """How far above its location a client is paid that delivers y."""
    return rate * y if s.exponent == 0 else log(y / s.cap) / s.exponent


@inlined
def within(low: float, top: float, mean: float, reach: float) -> tuple[float, float]:
    """What lies between the two and within reach of the mean; what lies between them where the mean is wrong."""
    left, right = max(low, mean - reach), min(top, mean + reach)
    if left >= right:
        left, right = low if low > -inf else top - 1, top if top < inf else low + 1
    return left, max(right, left + 1e-9)


@inlined
def normal(z: float, mean: float, var: float) -> float:
    """Log density."""
    return -((z - mean) * (z - mean) / var + log(2 * pi * var)) / 2


@compiled
def weigh(s: np.record, client: Client, shared: Shared, points: Points) -> None:
    """Add the log likelihood of the answers, and keep the point in its place if it is among the likeliest."""
    s.full = money(client.rate, s.cap)
    for j in range(client.heard):
        if s.chance < max(points[KEPT - 1].chance, points[0].chance - NEGLIGIBLE):
            return  # no answer makes it likelier
        s.chance += likelihood(s, client, shared, j)
    at = KEPT
    while at > 0 and points[at - 1].chance < s.chance:
        if at < KEPT:
            points[at] = points[at - 1]
        at -= 1
    if at < KEPT:
        points[at] = s


@inlined
def likelihood(s: np.record, client: Client, shared: Shared, j: int) -> float:
    """Log likelihood of answer j, at most 0: that of an exact answer is 0."""
    answer, delta = client.answers[j], EXACT * shared.high
    limit, y, top = answer.limit, answer.y, min(answer.limit, s.cap)
    refused = y <= shared.floor + delta
    size = max(wish(s, answer.x, limit, client.rate), shared.floor)
    if abs(y - size) <= SAME * size and not refused:
        return 0.0
    off = max(shared.rho * size, delta)
    if answer.slack > 0:
        off = sqrt(off * off + moved(s, answer.x, limit, client.rate, answer.slack) ** 2)
    if y >= top * (1 - SAME) and not refused:
        found = log(max(erfc((top - size) / off / sqrt(2.0)), TINY))
    else:
        found = gauss(y, size, off, delta)
    if s.kind == STAIRS and not refused:
        found = max(found, gauss(y, size, ROUGH * shared.high, delta) - ODD)
    return found


@inlined
def gauss(y: float, mean: float, deviation: float, delta: float) -> float:
    """Log density against that of an exact answer."""
    return -(((y - mean) / deviation) ** 2) / 2 - log(deviation / delta)


@compiled
def normalise(points: Points) -> None:
    """Log evidences become chances, and what is negligible is dropped."""
    best, total = points[0].chance, 0.0
    for p in range(KEPT):
        s = points[p]
        s.chance = exp(s.chance - best) if s.chance > best - NEGLIGIBLE else 0.0
        s.cap = s.cap if s.chance > 0 else 0.0
        total += s.chance
    for p in range(KEPT):
        points[p].chance /= total
