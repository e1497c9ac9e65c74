"""Believed response curves at candidate weights: the size to expect, and the limit to set.

The size is the mean over the tracks. The limit lies two standard deviations of belief and of noise above what any
credible track says: it rarely binds, and closes in on the size as the belief sharpens.
"""

from math import exp, expm1, log

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.fit import deviation
from lefi.mechanisms.tracks import (
    CAPPED,
    CHANCE,
    FAMILY,
    HINGE,
    IDLE,
    KIND,
    STEP,
    TRACKS,
    C,
    M,
    V,
    chance_of_step,
    expected_size,
    h,
    h_slope,
    log_money,
    upper_size,
    window,
)

NEGLIGIBLE = 0.002  # tracks below this probability are left out of the mean
CREDIBLE = 0.05  # tracks above this probability have a say in the limit
KINKS = 3  # candidates per track: where it reaches its cap, and one and two standard deviations above
KINK_COLUMNS = KINKS * TRACKS


@compiled
def evaluate(x, tracks, rho, full, rate, floor, high, worth, size, limit, saving):  # type: ignore[no-untyped-def]
    """Fill size, limit and saving (n, g) for the log weights x (n, g)."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            limit[i, j] = limit_at(x[i, j], tracks[i], rho[i], rate[i], floor, high)
            k = log_money(x[i, j], rate[i], min(full[i], limit[i, j]))
            mean = total = saved = 0.0
            for t in range(TRACKS):
                s = tracks[i, t]
                if s[CHANCE] > NEGLIGIBLE:
                    total += s[CHANCE]
                    mean += s[CHANCE] * min(expected_size(s, x[i, j], k, rate[i], floor), limit[i, j])
                    saved += s[CHANCE] * saving_of(s, x[i, j], rho[i], full[i], rate[i], floor, high, worth[i])
            size[i, j] = mean / total
            saving[i, j] = saved


@compiled
def limit_at(x, tracks, rho, rate, floor, high):  # type: ignore[no-untyped-def]
    top, alive = floor, 0.0
    for t in range(TRACKS):
        alive += tracks[t, CHANCE] if FAMILY[int(tracks[t, KIND])] != IDLE else 0.0
    for t in range(TRACKS):
        if tracks[t, CHANCE] >= CREDIBLE * alive and FAMILY[int(tracks[t, KIND])] != IDLE:
            top = max(top, upper_size(tracks[t], x, rate, floor, high))
    return min(top + 2 * deviation(top, rho, high), high)


@compiled
def saving_of(s, x, rho, full, rate, floor, high, worth):  # type: ignore[no-untyped-def]
    """What trying log weight x is expected to save in every later round, in USD, should the client be on this track.

    A client at its cap is overpaid by the distance to its kink, where it just reaches the cap. An offer below the
    kink shows it (and costs some data), one above it bounds it; but a step client shows nothing when it refuses.
    Nothing is saved on what would not be bought: `worth` is what a thousand samples are worth, in USD.
    """
    kind, cap = int(s[KIND]), s[C]
    if FAMILY[kind] == IDLE or cap <= 0:
        return 0.0
    up = kink_above(kind, cap, full, rate)
    low, sure = window(s)
    low, sure = low + up, sure + up
    if x >= sure:
        return 0.0
    paid = -expm1(-rate * cap)
    most = min(exp(sure), worth * (cap - floor) / paid)
    if FAMILY[kind] == STEP:
        return max(paid * (most - exp(x)), 0.0) * chance_of_step(s, x - up)
    q = (deviation(cap, rho, high) * h_slope(kind, cap, rate)) ** 2
    tried = max(x, low)
    known = (exp(tried) * (tried - low) + exp(sure) - exp(tried)) / (sure - low)
    return max(paid * s[V] / (s[V] + q) * (most - known), 0.0)


@compiled
def kink_above(kind, cap, full, rate):  # type: ignore[no-untyped-def]
    """How far above its location the log weight must be for a client to deliver its cap."""
    return h(kind, cap, rate) - (0.0 if FAMILY[kind] == HINGE else log(-expm1(-rate * min(cap, full))))


@compiled
def fill_kinks(tracks, full, rate, x, first):  # type: ignore[no-untyped-def]
    """Put the log weights at which tracks reach their cap into the columns of x from `first` on."""
    for i in range(x.shape[0]):
        for t in range(TRACKS):
            s = tracks[i, t]
            kind = int(s[KIND])
            if s[CHANCE] > NEGLIGIBLE and FAMILY[kind] != IDLE and s[C] > 0:
                kink = window(s)[1] if CAPPED[kind] else s[M]
                for j in range(KINKS):
                    at = (s[M], 0.5 * (s[M] + kink), kink)[j]
                    x[i, first + KINKS * t + j] = at + kink_above(kind, s[C], full[i], rate[i])


def worst_cost(x: FloatArray, rate: FloatArray, limit: FloatArray) -> FloatArray:
    """The most that an offer can cost: weight (1 - exp(-rate limit))."""
    return np.asarray(-np.exp(x) * np.expm1(-rate * limit))
