"""What is believed about clients: points on the curves that their answers leave, weighed by prior and likelihood.

Every answer narrows the interval of a family's location, newest first, until one contradicts. Points across the
interval are weighed by the fleet's prior and by the likelihood. The likeliest of all families are the belief.
An answer at its limit, or at the cap, is censored: it bounds the location, and says no more.
Stairs are curves of the levels that a client has shown, and of one more above them that it may have.
"""

from math import erfc, exp, inf, log, pi, sqrt
from typing import NamedTuple

import numpy as np

from lefi.arrays import TINY, FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import EXPONENTS, IDLE, KEPT, LEVELS, POINTS, STAIRS, Points, blank, money, wish
from lefi.mechanisms.waterfill.memory import EXACT, SAME, Answers
from lefi.mechanisms.waterfill.shared import BROAD, PRICES, ROUGH, SUMS, WIDE, Shared

APART = 0.02  # log money between two points of a family that are worth telling apart
ODD = 200.0  # log evidence that an answer off its level costs stairs: who is off a curve by a hundredth is not odd
NEGLIGIBLE = 7.0  # log evidence behind the best from which a point is dropped: a thousandth
GAP = 1.0  # log money between two levels, about: mean and deviation


class Client(NamedTuple):
    """What one client has answered."""

    answers: Answers  # newest first
    rate: float
    seen: float  # the largest answer, 0 where nothing was delivered
    cut: bool  # the largest answer was cut by its limit: the client may be able to deliver more


def believe(answers: Answers, rate: FloatArray, shared: Shared) -> Points:
    """What is believed of clients with these answers."""
    beliefs = blank(rate.size)
    fit(answers, rate, shared, beliefs, blank(1)[0])
    chance = np.exp(beliefs.chance - beliefs.chance[:, :1])
    chance[chance < exp(-NEGLIGIBLE)] = 0.0
    beliefs.chance = chance / chance.sum(axis=1, keepdims=True)
    return beliefs


@compiled
def fit(answers: Answers, rate: FloatArray, shared: Shared, beliefs: Points, one: Points) -> None:
    """Fill the beliefs, with log evidences for chances; with room for one point."""
    for i in range(rate.size):
        points, s, heard, seen, cut = beliefs[i], one[0], 0, 0.0, False
        for answer in answers[i]:
            heard += not np.isnan(answer.y)
            if answer.y > max(seen, shared.floor + shared.exact):
                seen, cut = answer.y, answer.limit * (1 - SAME) <= answer.y < shared.high * (1 - SAME)
        client = Client(answers[i, :heard], rate[i], seen, cut)
        points.chance[:] = -inf
        for kind in range(STAIRS):
            spread(kind, client, shared, points, s)
        climb(client, shared, points, s)
        if client.seen == 0:
            s.kind, s.b, s.exponent, s.cap, s.chance = IDLE, 0.0, 0.0, 0.0, log(shared.chances[IDLE])
            weigh(s, client, shared, points)


@compiled
def spread(kind: int, client: Client, shared: Shared, points: Points, s: np.record) -> None:
    """Weigh points of one family. A cap that has not shown may have any size."""
    capped = kind % 2 == 1
    known = not capped or (client.seen > 0 and not client.cut)
    s.kind, s.exponent = kind, EXPONENTS[kind // 2]
    s.cap = client.seen if capped and known else shared.high
    group, shift = (PRICES, log(client.rate)) if s.exponent == 0 else (SUMS, 0.0)
    mean, doubt = shared.mean[group] - shift, shared.doubt[group]
    low, top = interval(s, client, shared, mean, WIDE * doubt)
    n = min(POINTS, 2 + int((top - low) / APART))
    start = log(shared.chances[kind] * (EXACT if capped and known else 1.0) * (top - low) / n)
    for i in range(n):
        s.b = low + (top - low) * (i + 1) / n  # the last one is where the client is known to deliver
        s.cap = s.cap if known else max(shared.high * (1 - (i * 5 % n) / n), client.seen)
        s.chance = start + density(s.b, mean, doubt)
        weigh(s, client, shared, points)


@compiled
def interval(s: np.record, client: Client, shared: Shared, mean: float, reach: float) -> tuple[float, float]:
    """Where a location may lie: what the answers leave, within reach of what the fleet makes likely."""
    rate, noise, low, top = client.rate, WIDE * shared.rho, -inf, inf
    for answer in client.answers:
        u = answer.x if s.exponent == 0 else answer.x + money(rate, min(answer.limit, s.cap))
        y, room, least, most = answer.y, WIDE * slack(answer, shared), -inf, inf
        if y <= shared.floor + shared.exact:
            least = u - above(s, max(y, shared.exact), rate) - room
        else:
            most = u - above(s, y / (1 + noise), rate) + room
            if y < answer.limit * (1 - SAME) and y < s.cap * (1 - noise - EXACT):
                least = u - above(s, y * (1 + noise), rate) - room
        if max(low, least) >= min(top, most):
            break
        low, top = max(low, least), min(top, most)
    return within(low, top, mean, reach)


@inlined
def above(s: np.record, y: float, rate: float) -> float:
    """How far above its location a client is paid that delivers y."""
    return rate * y if s.exponent == 0 else log(y / s.cap) / s.exponent


@inlined
def slack(answer: np.record, shared: Shared) -> float:
    """By how much a location may have moved since an answer."""
    return sqrt(shared.drift * (shared.now - answer.when) + (BROAD if answer.when < shared.jumped else 0.0))


@inlined
def within(low: float, top: float, mean: float, reach: float) -> tuple[float, float]:
    """What lies between the two and within reach of the mean; what lies between them where the mean is wrong."""
    left, right = max(low, mean - reach), min(top, mean + reach)
    if left >= right:
        left, right = low if low > -inf else top - 1, top if top < inf else low + 1
    return left, max(right, left + 1e-9)


@inlined
def density(z: float, mean: float, deviation: float) -> float:
    """Log of a normal density."""
    return -(((z - mean) / deviation) ** 2 + log(2 * pi * deviation**2)) / 2


@compiled
def weigh(s: np.record, client: Client, shared: Shared, points: Points) -> None:
    """Add the log likelihood of the answers, and keep the point in its place if it is among the likeliest."""
    s.full = money(client.rate, s.cap)
    for answer in client.answers:
        if s.chance < max(points[KEPT - 1].chance, points[0].chance - NEGLIGIBLE):
            return  # no answer makes it likelier
        s.chance += likelihood(s, answer, client.rate, shared)
    at = KEPT - 1
    if s.chance > points[at].chance:
        while at > 0 and points[at - 1].chance < s.chance:
            points[at] = points[at - 1]
            at -= 1
        points[at] = s


@inlined
def likelihood(s: np.record, answer: np.record, rate: float, shared: Shared) -> float:
    """Log likelihood of an answer, at most 0: that of an exact one is 0."""
    x, y, limit, apart = answer.x, answer.y, answer.limit, slack(answer, shared)
    refused, top = y <= shared.floor + shared.exact, min(limit, s.cap)
    size = max(wish(s, x, limit, rate), shared.floor)
    if abs(y - size) <= SAME * size and not refused:
        return 0.0
    off, best = max(shared.rho * size, shared.exact), density(0.0, 0.0, shared.exact)
    if apart > 0:
        off = sqrt(off**2 + (wish(s, x + apart, limit, rate) - wish(s, x - apart, limit, rate)) ** 2 / 4)
    if y >= top * (1 - SAME) and not refused:
        found = log(max(erfc((top - size) / off / sqrt(2.0)), TINY))
    else:
        found = density(y, size, off) - best
    if s.kind == STAIRS and not refused:
        found = max(found, density(y, size, ROUGH * shared.high) - best - ODD)
    return found


@compiled
def climb(client: Client, shared: Shared, points: Points, s: np.record) -> None:
    """Weigh stairs of the levels that have shown, and stairs with one more. Where answers are noisy none show."""
    n, room = POINTS // 2 + 1, shared.high * (1 - ROUGH) - client.seen
    s.kind, s.exponent = STAIRS, 1.0
    for more in range(2 if shared.rho <= ROUGH else 0):
        count = levels(client, more, shared, s)
        start = log(shared.chances[STAIRS] / n) + (count - more) * log(EXACT)
        if count < 2 or start < points[0].chance - NEGLIGIBLE or (room <= 0 if more else client.cut):
            continue
        for i in range(n):
            s.level[0] = shared.high - room * (i * 5 % n) / n if more else s.level[0]
            s.cap, s.chance = s.level[0], start
            for level in range(count - 1, -1, -1):
                share = 1 - (i * (2 * level + 1) % n) / n  # no two levels go together
                s.chance += place(level, level == count - 1, client, shared, share, s)
            s.b = s.at[count - 1]
            weigh(s, client, shared, points)
            if s.chance < points[0].chance - 2 * NEGLIGIBLE:
                break  # the first point explains all that stairs of these levels can


@inlined
def levels(client: Client, count: int, shared: Shared, s: np.record) -> int:
    """Fill in the levels that have shown, from the largest, after so many others. Returns how many there are."""
    s.level[:] = 0.0
    below, nothing = inf, shared.floor + shared.exact
    while count < LEVELS and below > nothing:
        size = 0.0
        for answer in client.answers:
            if size < answer.y < min(below, answer.limit * (1 - SAME)):
                size = answer.y
        if size > nothing:
            s.level[count] = size
            count += 1
        below = size - ROUGH * shared.high
    return count


@inlined
def place(level: int, lowest: bool, client: Client, shared: Shared, share: float, s: np.record) -> float:
    """Set the threshold of a level between what was paid below it and at it. Returns the log density."""
    low, top, mean, doubt = -inf, inf, shared.mean[SUMS], shared.doubt[SUMS]
    if not lowest:
        low, mean, doubt = s.at[level + 1], s.at[level + 1] + GAP, GAP
    for answer in client.answers:
        paid = answer.x + money(client.rate, min(answer.limit, s.cap))
        if answer.y > s.level[level] - ROUGH * shared.high:
            top = min(top, paid)
        elif answer.y < answer.limit * (1 - SAME):
            low = max(low, paid)
    low, top = within(low, top, mean, WIDE * doubt)
    s.at[level] = low + (top - low) * share
    return log(top - low) + density(s.at[level], mean, doubt)
