"""How well a point explains what a client has answered. An answer at its limit, or at the cap, is censored."""

from math import erfc, log, pi, sqrt

import numpy as np

from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import POWER_OPEN, ROUNDING, STAIRS, STEP, TINY, Points, money, wish
from lefi.mechanisms.waterfill.memory import EXACT, SAME
from lefi.mechanisms.waterfill.points import KEPT, ROUGH, Client, Shared

ODD = 200.0  # log evidence that an answer off its level costs stairs: who is off a curve by a hundredth is not odd
NEGLIGIBLE = 7.0  # log evidence behind the best from which a point is dropped: a thousandth


@inlined
def normal(z: float, mean: float, var: float) -> float:
    """Log density."""
    return -((z - mean) * (z - mean) / var + log(2 * pi * var)) / 2


@inlined
def gauss(y: float, mean: float, deviation: float, delta: float) -> float:
    """Log density against that of an exact answer."""
    return -(((y - mean) / deviation) ** 2) / 2 - log(deviation / delta)


@inlined
def log_phi(z: float) -> float:
    """Log of the normal distribution function."""
    return log(max(erfc(-z / sqrt(2.0)) / 2, TINY))


@compiled
def weigh(s: np.record, client: Client, shared: Shared, points: Points) -> None:
    """Add the log likelihood of the answers, and keep the point in its place if it is among the likeliest."""
    for j in range(client.heard):
        if s.chance < max(points[KEPT - 1].chance, points[0].chance - NEGLIGIBLE):
            return  # no answer makes it likelier
        s.chance += likelihood(s, client, shared, j)
    if s.chance > points[KEPT - 1].chance:
        at = KEPT - 1
        while at > 0 and points[at - 1].chance < s.chance:
            points[at] = points[at - 1]
            at -= 1
        points[at] = s


@inlined
def likelihood(s: np.record, client: Client, shared: Shared, j: int) -> float:
    """Log likelihood of answer j, at most 0: that of an exact answer is 0."""
    answer, delta = client.answers[j], EXACT * shared.high
    top, y, slack = min(answer.limit, s.cap), answer.y, answer.slack
    refused = y <= shared.floor + delta
    size, moved, found = top, 0.0, 0.0
    if s.kind == STEP:
        z = (answer.x + money(client.rate, top) - s.b + ROUNDING) / max(slack, ROUNDING / 10)
        if refused:
            return log_phi(-z)
        found = log_phi(z)
    else:
        size = max(wish(s, answer.x, answer.limit, client.rate), shared.floor)
        if size > shared.floor and s.kind < STEP:
            moved = slack / client.rate if s.kind < POWER_OPEN else slack * size * s.exponent
    deviation = sqrt(max(shared.rho * size, delta) ** 2 + moved * moved)
    if s.kind == STAIRS:
        if not refused and abs(y - size) <= SAME * size:
            return log_phi(0.0)
        exact = gauss(y, size, deviation, delta)
        return exact if refused else max(exact, gauss(y, size, ROUGH * shared.high, delta) - ODD)  # no is no
    if y >= top * (1 - SAME) and not refused:
        return found + log_phi((size - top) / deviation)
    return found + gauss(y, size, deviation, delta)
