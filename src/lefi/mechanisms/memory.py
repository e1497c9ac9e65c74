"""Which answers of a client are remembered."""

from math import isnan

from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.tracks import NOISY

SLOTS = 40  # answers remembered per client
EQUAL, SAME = 1e-6, 0.02  # log weights this close are equal, and teach almost the same


@compiled
def push(answers, count, at, x, limit, y, rho):  # type: ignore[no-untyped-def]
    """Remember one more answer of each client that gave one, in place of one that is superfluous."""
    for i in range(at.size):
        if isnan(y[i]):
            continue
        rows, n = answers[at[i]], count[at[i]]
        old = superfluous(rows[0], n, x[i], rho[i] < NOISY)
        if old >= 0:
            n -= 1
            for j in range(old, n):
                rows[:, j] = rows[:, j + 1]
        rows[0, n], rows[1, n], rows[2, n] = x[i], limit[i], y[i]
        count[at[i]] = n + 1


@compiled
def superfluous(x, n, new, quiet):  # type: ignore[no-untyped-def]
    """Which answer goes; -1 if none has to. What was tried stays known.

    A quiet client answers an equal weight alike: the older answer goes. Else, where there is no more room, the oldest
    answer with a newer one to almost the same weight, or simply the oldest.
    """
    if quiet:
        for i in range(n):
            if abs(x[i] - new) < EQUAL:
                return i
    if n < SLOTS:
        return -1
    for i in range(n - 1):
        for j in range(i + 1, n):
            if abs(x[i] - x[j]) < SAME:
                return i
    return 0
