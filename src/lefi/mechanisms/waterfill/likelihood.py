"""How well a point explains what a client has answered. An answer at its limit, or at the cap, is censored."""

from math import erfc, log, pi, sqrt

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    CAP,
    CHANCE,
    COLUMNS,
    EXPONENT,
    HINGES,
    KIND,
    RISING,
    ROUNDING,
    STAIRS,
    STEP,
    TINY,
    B,
    money,
    wish,
)
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, SAME, X, Y
from lefi.mechanisms.waterfill.points import KEPT, ROUGH, SLACK, Client, Shared

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
def weigh(s: FloatArray, client: Client, shared: Shared, points: FloatArray) -> None:
    """Add the log likelihood of the answers, and keep the point if it is among the likeliest."""
    for j in range(client.heard):
        if s[CHANCE] < max(points[KEPT - 1, CHANCE], points[0, CHANCE] - NEGLIGIBLE):
            return  # no answer makes it likelier
        s[CHANCE] += likelihood(s, client, shared, j)
    keep(s, points)


@compiled
def keep(s: FloatArray, points: FloatArray) -> None:
    """Put a point in its place among the likeliest."""
    if s[CHANCE] <= points[KEPT - 1, CHANCE]:
        return
    at = KEPT - 1
    while at > 0 and points[at - 1, CHANCE] < s[CHANCE]:
        for column in range(COLUMNS):
            points[at, column] = points[at - 1, column]
        at -= 1
    for column in range(COLUMNS):
        points[at, column] = s[column]


@inlined
def likelihood(s: FloatArray, client: Client, shared: Shared, j: int) -> float:
    """Log likelihood of answer j, at most 0: that of an exact answer is 0."""
    limit, y, slack = client.answers[LIMIT, j], client.answers[Y, j], client.answers[SLACK, j]
    kind, delta = int(s[KIND]), EXACT * shared.high
    top = min(limit, s[CAP])
    refused = y <= shared.floor + delta
    size, moved, found = top, 0.0, 0.0
    if kind == STEP:
        z = (client.answers[X, j] + money(client.rate, top) - s[B] + ROUNDING) / max(slack, ROUNDING / 10)
        if refused:
            return log_phi(-z)
        found = log_phi(z)
    else:
        size = max(wish(s, client.answers[X, j], limit, client.rate), shared.floor)
        if size > shared.floor and kind < RISING:
            moved = slack / client.rate if kind < HINGES else slack * size * s[EXPONENT]
    deviation = sqrt(max(shared.rho * size, delta) ** 2 + moved * moved)
    if kind == STAIRS:
        if not refused and abs(y - size) <= SAME * size:
            return log_phi(0.0)
        exact = gauss(y, size, deviation, delta)
        return exact if refused else max(exact, gauss(y, size, ROUGH * shared.high, delta) - ODD)  # no is no
    if y >= top * (1 - SAME) and not refused:
        return found + log_phi((size - top) / deviation)
    return found + gauss(y, size, deviation, delta)
