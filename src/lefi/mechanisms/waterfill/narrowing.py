"""What is believed about a client: points on the curves that its answers leave, weighed by prior and likelihood.

Every answer narrows the interval of a family's location, newest first, until one contradicts. Points across the
interval are weighed by the fleet's prior and by the likelihood. The likeliest of all families are the belief.
"""

from math import exp, inf, log, sqrt

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.compiler import allocating, compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    CAP,
    CHANCE,
    COLUMNS,
    EXPONENT,
    FIXED,
    FIXED_COST,
    HINGES,
    IDLE,
    KIND,
    RISING,
    ROUNDING,
    STAIRS,
    STEP,
    B,
    least_fixed,
    money,
)
from lefi.mechanisms.waterfill.likelihood import NEGLIGIBLE, normal, weigh
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, SLOTS, WHEN, Answers, X, Y
from lefi.mechanisms.waterfill.points import (
    COSTS,
    EXPONENTS,
    GOLDEN,
    GROUP,
    JUMP,
    KEPT,
    MONEY,
    POINTS,
    SLACK,
    WIDE,
    Client,
    Shared,
)
from lefi.mechanisms.waterfill.staircase import climb

LEAST_POINTS = 3  # points of a family whose location is known: a middle and two sides
APART = 0.02  # log money between two points that are worth telling apart


@allocating
def fit_all(answers: Answers, rate: FloatArray, shared: Shared, skip: BoolArray, beliefs: FloatArray) -> None:
    """Fill the beliefs about clients with these answers (n, 4, SLOTS), but for some to skip."""
    room, s = np.empty((MONEY + 1, SLOTS)), np.zeros(COLUMNS)
    for i in range(rate.size):
        if skip[i]:
            continue
        count, seen, refused, cut = recall(answers[i], shared, room)
        client = Client(room, count, rate[i], seen, refused, cut)
        points = beliefs[i]
        points[:, CHANCE] = -inf
        for kind in range(STAIRS):
            spread(kind, client, shared, points, s)
        climb(client, shared, points, s)
        if seen == 0:
            s[KIND], s[B], s[FIXED], s[EXPONENT], s[CAP] = IDLE, 0.0, 0.0, 1.0, shared.high
            s[CHANCE] = log(shared.chances[IDLE])
            weigh(s, client, shared, points)
        normalise(points)


@inlined
def recall(mine: Answers, shared: Shared, room: FloatArray) -> tuple[int, float, bool, bool]:
    """Copy answers, with what their locations may have moved since. Returns heard, seen, refused, cut of a Client."""
    nothing = shared.floor + EXACT * shared.high
    count, seen, refused, cut = 0, nothing, False, False
    while count < SLOTS and not np.isnan(mine[Y, count]):
        x, limit, y = float(mine[X, count]), float(mine[LIMIT, count]), float(mine[Y, count])
        moved = shared.drift * (shared.now - mine[WHEN, count])
        slack = sqrt(moved + (JUMP * JUMP if mine[WHEN, count] < shared.jumped else 0.0))
        room[X, count], room[LIMIT, count], room[Y, count], room[SLACK, count] = x, limit, y, slack
        refused = refused or y <= nothing
        if y > seen:
            seen, cut = y, limit * (1 - SAME) <= y < shared.high * (1 - SAME)
        count += 1
    return count, seen if seen > nothing else 0.0, refused, cut


@compiled
def spread(kind: int, client: Client, shared: Shared, points: FloatArray, s: FloatArray) -> None:
    """Weigh points of one family. A cap that has not shown is one of the fleet's."""
    whole = kind % 2 == 0 and kind < RISING
    known = whole or (client.seen > 0 and not client.cut)
    s[KIND], s[FIXED], s[EXPONENT] = kind, 0.0, 1.0
    s[CAP] = client.seen if known and not whole else shared.high
    powers = HINGES <= kind < RISING
    mean = shared.mean[GROUP[kind]] - (log(client.rate) if kind < HINGES else 0.0)
    for e in range(EXPONENTS.size if powers else 1):
        start = log(shared.chances[kind]) + (log(EXACT) if known and not whole else 0.0)
        if powers:
            s[EXPONENT] = EXPONENTS[e]
            start += log(shared.exponents[e])
        low, top = interval(s, client, shared)
        n = POINTS if FIXED_COST <= kind < HINGES else min(POINTS, LEAST_POINTS + int((top - low) / APART))
        start += log((top - low) / n)
        for i in range(n):
            s[B] = low + (top - low) * (i + (1.0 if kind == STEP else 0.5)) / n
            s[CAP] = s[CAP] if known else max(shared.caps[i * 5 % POINTS], client.seen)
            s[CHANCE] = start + normal(s[B], mean, shared.var[GROUP[kind]])
            if FIXED_COST <= kind < HINGES:
                s[CHANCE] += place_fixed(s, client, shared, (i * GOLDEN) % 1.0 * (1 - 1 / n) + 1 / n)
            weigh(s, client, shared, points)


@compiled
def interval(s: FloatArray, client: Client, shared: Shared) -> tuple[float, float]:
    """Where a location may lie: what the answers leave, within what the fleet makes likely."""
    kind, cap, rate, delta = int(s[KIND]), s[CAP], client.rate, EXACT * shared.high
    noise = WIDE * shared.rho
    low, top = -inf, inf
    for j in range(client.heard):
        x, limit, y = client.answers[X, j], client.answers[LIMIT, j], client.answers[Y, j]
        u = x if kind < HINGES else x + money(rate, min(limit, cap))
        room, least, most = WIDE * client.answers[SLACK, j] + (EXACT if kind != STEP else 0.0), -inf, inf
        if y <= shared.floor + delta:
            if FIXED_COST <= kind < HINGES:
                continue  # a refusal tells nothing about the location
            least = u - above(s, max(y, delta), rate) - room
        else:
            most = u - above(s, y / (1 + noise), rate) + room
            if y < limit * (1 - SAME) and y < cap * (1 - noise - EXACT) and kind != STEP:
                least = u - above(s, y * (1 + noise), rate) - room
        if max(low, least) >= min(top, most):
            break
        low, top = max(low, least), min(top, most)
    mean = shared.mean[GROUP[kind]] - (log(rate) if kind < HINGES else 0.0)
    reach = WIDE * sqrt(shared.var[GROUP[kind]])
    left, right = max(low, mean - reach), min(top, mean + reach)
    if left >= right:  # the fleet is wrong about this one
        left, right = low if low > -inf else top - 1, top if top < inf else low + 1
    return left, max(right, left + ROUNDING)


@inlined
def above(s: FloatArray, y: float, rate: float) -> float:
    """How far above its location a client is paid that delivers y."""
    kind = int(s[KIND])
    return rate * y if kind < HINGES else log(y / s[CAP]) / s[EXPONENT] if kind < RISING else 0.0


@compiled
def place_fixed(s: FloatArray, client: Client, shared: Shared, share: float) -> float:
    """Set a fixed cost that explains what was refused and what was not, given the location. Returns its log density."""
    mean, var = shared.mean[COSTS], shared.var[COSTS]
    low, top = mean - WIDE * sqrt(var), mean + WIDE * sqrt(var)
    for j in range(client.heard):
        u = client.answers[X, j] - s[B]
        size = min(max(u / client.rate, 0.0), min(s[CAP], client.answers[LIMIT, j]))
        edge = log(max(least_fixed(u, size, client.rate), SAME))
        if client.answers[Y, j] > shared.floor + EXACT * shared.high:
            top = min(top, edge)
        elif u > 0:
            low = max(low, edge)
    top = max(top, low + EXACT)
    place = low + (top - low) * share
    s[FIXED] = exp(place)
    return normal(place, mean, var) + log(top - low)


@compiled
def normalise(points: FloatArray) -> None:
    """Log evidences become chances, and what is negligible is dropped."""
    best, total = points[0, CHANCE], 0.0
    for p in range(KEPT):
        points[p, CHANCE] = exp(points[p, CHANCE] - best) if points[p, CHANCE] > best - NEGLIGIBLE else 0.0
        if points[p, CHANCE] == 0:
            points[p, KIND], points[p, B], points[p, FIXED], points[p, CAP] = IDLE, 0.0, 0.0, 0.0
        total += points[p, CHANCE]
    for p in range(KEPT):
        points[p, CHANCE] /= total
