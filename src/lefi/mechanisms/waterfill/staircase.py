"""Stairs: curves of the levels that a client has shown, and of one more above them that it may have."""

from math import inf, log, sqrt

import numpy as np

from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.belief import NEGLIGIBLE, Client, normal, weigh, within
from lefi.mechanisms.waterfill.curves import LEVELS, POINTS, ROUGH, STAIRS, SUMS, WIDE, Points, Shared, money
from lefi.mechanisms.waterfill.memory import EXACT, SAME

GAP = 1.0  # log money between two levels, about: mean and deviation


@compiled
def climb(client: Client, shared: Shared, points: Points, s: np.record) -> None:
    """Weigh stairs of the levels that have shown, and stairs with one more. Where answers are noisy none show."""
    n, apart = POINTS // 2 + 1, ROUGH * shared.high
    room = shared.high - client.seen - apart
    s.kind, s.exponent = STAIRS, 1.0
    for more in range(2 if shared.rho <= ROUGH else 0):
        count = levels(client, more, shared, s)
        start = log(shared.chances[STAIRS] / n) + (count - more) * log(EXACT)
        if count < 2 or start < points[0].chance - NEGLIGIBLE or (room <= 0 if more else client.cut):
            continue
        for i in range(n):
            s.level[0] = shared.high - room * (i * 5 % n) / n if more else s.level[0]
            s.cap, s.chance = s.level[0], start
            for j in range(client.heard if more or i == 0 else 0):
                answer = client.answers[j]
                answer.money = answer.x + money(client.rate, min(answer.limit, s.cap))
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
    for level in range(LEVELS):
        s.level[level] = 0.0
    below, nothing = inf, shared.floor + EXACT * shared.high
    while count < LEVELS and below > nothing:
        size = 0.0
        for j in range(client.heard):
            answer = client.answers[j]
            if answer.y < min(below, answer.limit * (1 - SAME)):
                size = max(size, answer.y)
        if size > nothing:
            s.level[count] = size
            count += 1
        below = size - ROUGH * shared.high
    return count


@inlined
def place(level: int, lowest: bool, client: Client, shared: Shared, share: float, s: np.record) -> float:
    """Set the threshold of a level between what was paid below it and at it. Returns the log density."""
    under, base, mean, var = 0.0, -inf, shared.mean[SUMS], shared.var[SUMS]
    if not lowest:
        under, base, mean, var = s.level[level + 1], s.at[level + 1], s.at[level + 1] + GAP, GAP * GAP
    low, top = base, inf
    for j in range(client.heard):
        answer = client.answers[j]
        cut = answer.y >= answer.limit * (1 - SAME)
        if answer.y > s.level[level] - ROUGH * shared.high or (cut and answer.y > under * (1 + EXACT)):
            top = min(top, answer.money)
        elif not cut:
            low = max(low, answer.money)
    low, top = within(low, top, mean, WIDE * sqrt(var))
    s.at[level] = low + (top - low) * share
    return log(top - low) + normal(s.at[level], mean, var)
