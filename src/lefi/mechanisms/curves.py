"""Believed response curves at candidate weights: the size to expect, and the limit to set.

The size is the mean over the tracks. The limit lies two standard deviations of belief and of noise above what any
credible track says: it rarely binds, and closes in on the size as the belief sharpens.
"""

from math import exp, expm1, log, sqrt

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.learning import deviation
from lefi.mechanisms.tracks import (
    CAPPED,
    FAMILY,
    HINGE,
    IDLE,
    STEP,
    TRACKS,
    C,
    M,
    V,
    chance_of_step,
    expected_size,
    h,
    h_slope,
    upper_size,
    window,
)

NEGLIGIBLE = 0.002  # tracks below this probability are left out of the mean
CREDIBLE = 0.05  # tracks above this probability have a say in the limit
KINKS = 3  # candidates per capped track: where it reaches its cap, and one and two standard deviations above


@compiled
def evaluate(x, tracks, chance, rho, rate, floor, high, size, limit):  # type: ignore[no-untyped-def]
    """Fill size and limit (n, g) for the log weights x (n, g)."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            limit[i, j] = limit_at(x[i, j], tracks[i], chance[i], rho[i], rate[i], floor, high)
            mean = total = 0.0
            for t in range(TRACKS):
                if chance[i, t] > NEGLIGIBLE:
                    total += chance[i, t]
                    mean += chance[i, t] * min(
                        expected_size(t, tracks[i, t], x[i, j], rate[i], floor, high, limit[i, j]), limit[i, j]
                    )
            size[i, j] = mean / total


@compiled
def prospects(x, tracks, chance, rho, rate, high, saving):  # type: ignore[no-untyped-def]
    """Fill saving (n, g): what trying a log weight is expected to save in every later round, in USD.

    A client at its cap is overpaid by the distance to its kink s, where it just reaches the cap. An offer below the
    kink shows it (and costs some data), one above it bounds it.
    """
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            saving[i, j] = 0.0
            for t in range(TRACKS):
                if chance[i, t] > NEGLIGIBLE and FAMILY[t] != IDLE:
                    saving[i, j] += chance[i, t] * saving_of(t, tracks[i, t], x[i, j], rho[i], rate[i], high)


@compiled
def saving_of(t, s, x, rho, rate, high):  # type: ignore[no-untyped-def]
    """E[cost at the sure kink - cost at what is known after the answer]; a step client shows nothing when it refuses."""
    cap = s[C] if CAPPED[t] else high
    if cap == 0:
        return 0.0
    paid = -expm1(-rate * cap)
    up = h(t, cap, rate) - (0.0 if FAMILY[t] == HINGE else log(paid))
    low, sure = window(s)
    low, sure = low + up, sure + up
    if x >= sure:
        return 0.0
    if FAMILY[t] == STEP:
        return paid * (exp(sure) - exp(x)) * chance_of_step(s, x - up)
    q = (deviation(cap, rho, high) * h_slope(t, cap, rate)) ** 2
    tried = max(x, low)
    known = (exp(tried) * (tried - low) + exp(sure) - exp(tried)) / (sure - low)
    return paid * s[V] / (s[V] + q) * (exp(sure) - known)


@compiled
def limit_at(x, tracks, chance, rho, rate, floor, high):  # type: ignore[no-untyped-def]
    top, best = floor, 0.0
    for t in range(TRACKS):
        best = max(best, chance[t])
    for t in range(TRACKS):
        if chance[t] >= min(CREDIBLE, best):
            top = max(top, upper_size(t, tracks[t], x, rate, floor, high))
    return min(top + 2 * deviation(top, rho, high), high)


@compiled
def fill_kinks(tracks, chance, rate, x, first):  # type: ignore[no-untyped-def]
    """Put the log weights at which capped tracks reach their cap into the columns of x from `first` on."""
    for i in range(x.shape[0]):
        column = first
        for t in range(TRACKS):
            if not CAPPED[t]:
                continue
            s = tracks[i, t]
            for deviations in range(KINKS):
                if s[C] > 0 and chance[i, t] > NEGLIGIBLE:
                    at = s[M] + h(t, s[C], rate[i]) + deviations * sqrt(s[V])
                    x[i, column] = at if FAMILY[t] == HINGE else at - log(-expm1(-rate[i] * s[C]))
                column += 1


KINK_COLUMNS = KINKS * sum(CAPPED)


def worst_cost(x: FloatArray, rate: FloatArray, limit: FloatArray) -> FloatArray:
    """The most that an offer can cost: weight (1 - exp(-rate limit))."""
    return np.asarray(-np.exp(x) * np.expm1(-rate * limit))


__all__ = ["KINK_COLUMNS", "evaluate", "fill_kinks", "prospects", "worst_cost"]
