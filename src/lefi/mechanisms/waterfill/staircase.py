"""The family of last resort: a client of which only this is known, that more money brings no less."""

from math import log, sqrt

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import SIZE, K, money
from lefi.mechanisms.waterfill.likelihood import MISFIT, gauss
from lefi.mechanisms.waterfill.memory import EXACT, LIMIT, X, Y
from lefi.mechanisms.waterfill.points import EXPONENTS, JUMP, SLACK, Client, Shared


@compiled
def stack(client: Client, shared: Shared, steps: FloatArray) -> tuple[int, float, float]:
    """Fill the levels with the answers of this regime, by money. Returns how many, the last power, the log evidence."""
    count, evidence = 0, log(EXACT)
    for j in range(client.heard - 1 if client.seen > 0 else -1, -1, -1):
        if client.answers[SLACK, j] >= JUMP:
            evidence += log(EXACT)
            continue
        y = client.answers[Y, j]
        k = client.answers[X, j] + money(client.rate, min(client.answers[LIMIT, j], client.seen))
        at = count
        while at > 0 and steps[at - 1, K] > k:
            steps[at, K], steps[at, SIZE] = steps[at - 1, K], steps[at - 1, SIZE]
            at -= 1
        steps[at, K], steps[at, SIZE] = k, y
        count += 1
        low = steps[at - 1, SIZE] if at > 0 else 0.0
        top = steps[at + 1, SIZE] if at + 1 < count else shared.high
        evidence += max(between(y, low, top, shared), MISFIT)
    return count, last_power(steps, count, EXACT * shared.high), evidence


@inlined
def between(y: float, low: float, top: float, shared: Shared) -> float:
    """Log likelihood of an answer, given those for the next less and the next more money: one of them, or between."""
    delta = EXACT * shared.high
    if abs(y - low) <= delta or abs(y - top) <= delta:
        return -log(2.0)
    if low < y < top:
        return log(delta / (2 * (top - low)))
    near = low if y < low else top
    return gauss(y, near, sqrt((shared.rho * near) ** 2 + delta * delta), delta)


@inlined
def last_power(steps: FloatArray, count: int, delta: float) -> float:
    """The power of money between the last two levels that differ; on the way, no level is left below one before it."""
    power = 1.0
    for i in range(1, count):
        last, y = steps[i - 1, SIZE], steps[i, SIZE]
        if y > last + delta:
            run = max(steps[i, K] - steps[i - 1, K], EXACT)
            power = min(log(y / last) / run, EXPONENTS[-1]) if last > delta else 1.0
        steps[i, SIZE] = max(y, last)
    return power
