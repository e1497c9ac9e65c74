"""Stairs: curves of the levels that a client has shown, and of one more above them that it may have."""

from math import inf, log, sqrt

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    AT,
    CAP,
    CHANCE,
    EXPONENT,
    FIXED,
    KIND,
    LEVEL,
    LEVELS,
    ROUNDING,
    STAIRS,
    B,
    money,
)
from lefi.mechanisms.waterfill.likelihood import NEGLIGIBLE, normal, weigh
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, X, Y
from lefi.mechanisms.waterfill.points import GAPS, GOLDEN, GROUP, MONEY, POINTS, ROUGH, WIDE, Client, Shared


@compiled
def climb(client: Client, shared: Shared, points: FloatArray, s: FloatArray) -> None:
    """Weigh stairs of the levels that have shown, and stairs with one more. Where answers are noisy none show."""
    n, apart = POINTS // 2 + 1, ROUGH * shared.high
    room = shared.high - client.seen - apart
    s[KIND], s[FIXED], s[EXPONENT] = STAIRS, 0.0, 1.0
    for more in range(2 if shared.rho <= ROUGH else 0):
        count = levels(client, more, shared, s)
        start = log(shared.chances[STAIRS] / n) + (count - more) * log(EXACT)
        if count < 2 or start < points[0, CHANCE] - NEGLIGIBLE or (room <= 0 if more else client.cut):
            continue
        for i in range(n):
            s[LEVEL] = shared.high - room * (i * 5 % n) / n if more else s[LEVEL]
            s[CAP], s[CHANCE] = s[LEVEL], start
            for j in range(client.heard if more or i == 0 else 0):
                full = money(client.rate, min(client.answers[LIMIT, j], s[CAP]))
                client.answers[MONEY, j] = client.answers[X, j] + full
            for level in range(count - 1, -1, -1):
                share = 1 - (i / n if level == 0 else (i * level * GOLDEN) % 1.0)
                s[CHANCE] += place(level, level == count - 1, client, shared, share, s)
            s[B] = s[AT + count - 1]
            weigh(s, client, shared, points)
            if s[CHANCE] < points[0, CHANCE] - 2 * NEGLIGIBLE:
                break  # the first point explains all that stairs of these levels can


@inlined
def levels(client: Client, count: int, shared: Shared, s: FloatArray) -> int:
    """Fill in the levels that have shown, from the largest, after so many others. Returns how many there are."""
    s[LEVEL:AT] = 0.0
    below, nothing = inf, shared.floor + EXACT * shared.high
    while count < LEVELS and below > nothing:
        size = 0.0
        for j in range(client.heard):
            if client.answers[Y, j] < min(below, client.answers[LIMIT, j] * (1 - SAME)):
                size = max(size, client.answers[Y, j])
        if size > nothing:
            s[LEVEL + count] = size
            count += 1
        below = size - ROUGH * shared.high
    return count


@inlined
def place(level: int, lowest: bool, client: Client, shared: Shared, share: float, s: FloatArray) -> float:
    """Set the threshold of a level between what was paid below it and at it. Returns the log density."""
    under, base, group = (0.0, -inf, GROUP[STAIRS]) if lowest else (s[LEVEL + level + 1], s[AT + level + 1], GAPS)
    low, top = base, inf
    for j in range(client.heard):
        k, y = client.answers[MONEY, j], client.answers[Y, j]
        cut = y >= client.answers[LIMIT, j] * (1 - SAME)
        if y > s[LEVEL + level] - ROUGH * shared.high or (cut and y > under * (1 + EXACT)):
            top = min(top, k)
        elif not cut:
            low = max(low, k)
    mean, reach = shared.mean[group] + (0.0 if lowest else base), WIDE * sqrt(shared.var[group])
    left, right = max(low, mean - reach), min(top, mean + reach)
    if left >= right:  # the fleet is wrong about this one
        left, right = low if low > -inf else top - 1, top if top < inf else low + 1
    right = max(right, left + ROUNDING)
    s[AT + level] = left + (right - left) * share
    return log(right - left) + normal(s[AT + level], mean, shared.var[group])
