"""Which answers of a client are remembered."""

from math import isnan

from lefi.mechanisms.compiled import compiled, inlined
from lefi.mechanisms.splits import EXACT
from lefi.mechanisms.tracks import NOISY, is_cut

SLOTS = 40  # answers remembered per client
EQUAL, SAME = 1e-6, 0.02  # log weights this close are equal, and teach almost the same


@compiled
def push(answers, count, at, x, limit, y, rho, high):  # type: ignore[no-untyped-def]
    """Remember one more answer of each client that gave one, in place of one that is superfluous."""
    for i in range(at.size):
        if isnan(y[i]):
            continue
        rows, n, old = answers[at[i]], count[at[i]], -1
        if rho[i] < NOISY:
            old = implied(rows, n, x[i], limit[i], y[i], high)
        if old < 0 and n == SLOTS:
            old = superfluous(rows[0])
        if old >= 0:
            n -= 1
            for j in range(old, n):
                rows[:, j] = rows[:, j + 1]
        rows[0, n], rows[1, n], rows[2, n] = x[i], limit[i], y[i]
        count[at[i]] = n + 1


@inlined
def implied(rows, n, x, limit, y, high):  # type: ignore[no-untyped-def]
    """Which answer of a quiet client the new one makes needless; -1 if none.

    One to an equal weight; and one on a plateau that now reaches from above its weight to below it.
    """
    uncut, top = y > 0 and not is_cut(y, limit, high), -1e300
    for i in range(n):
        if abs(rows[0, i] - x) < EQUAL:
            return i
        if uncut and abs(rows[2, i] - y) <= EXACT * y:
            top = max(top, rows[0, i])
    for i in range(n):
        if x < rows[0, i] < top and abs(rows[2, i] - y) <= EXACT * y:
            return i
    return -1


@compiled
def superfluous(x):  # type: ignore[no-untyped-def]
    """Which answer goes where there is no more room: the oldest with a newer one to almost the same weight, or simply
    the oldest. What was tried stays known.
    """
    for i in range(SLOTS - 1):
        for j in range(i + 1, SLOTS):
            if abs(x[i] - x[j]) < SAME:
                return i
    return 0
