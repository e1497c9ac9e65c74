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
    CHANCE,
    FAMILY,
    HINGE,
    IDLE,
    KIND,
    POWER,
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

NOTHING = -700.0  # log weight of no offer
CREDIBLE = 0.05  # tracks above this share of the tracks that deliver have a say in the limit
SHARP = 0.02  # a location known this well has nothing left to be tried for
SCAN = 12  # candidates over the range in which a client responds
CANDIDATES = 1 + SCAN + 2 * TRACKS  # and nothing, and two per track: its kink as expected, and where it is sure


@compiled
def propose(tracks, full, rate, lowest, highest, x, spacing):  # type: ignore[no-untyped-def]
    """Fill x (n, CANDIDATES) with log weights worth a look, and the spacing of the scan (n,)."""
    for i in range(x.shape[0]):
        start, end = highest, lowest
        x[i, 0] = NOTHING
        for t in range(TRACKS):
            s = tracks[i, t]
            kind = int(s[KIND])
            x[i, 1 + SCAN + 2 * t] = x[i, 2 + SCAN + 2 * t] = lowest
            if s[CHANCE] > 0 and FAMILY[kind] != IDLE and s[C] > 0:
                up = kink_above(kind, s[C], full[i], rate[i])
                low, sure = window(s)
                x[i, 1 + SCAN + 2 * t] = min(max(s[M] + up, lowest), highest)
                x[i, 2 + SCAN + 2 * t] = min(max(sure + up, lowest), highest)
                start = min(start, low + (up - 5.0 if FAMILY[kind] == POWER else 0.0))
                end = max(end, sure + up)
        start = min(max(start, lowest), highest - 1.0)
        end = min(max(end, start + 1.0), highest)
        spacing[i] = (end - start) / (SCAN - 1)
        for j in range(SCAN):
            x[i, 1 + j] = start + j * spacing[i]


@compiled
def evaluate(x, tracks, rho, full, rate, floor, high, worth, size, limit, saving):  # type: ignore[no-untyped-def]
    """Fill size, limit and saving (n, g) for the log weights x (n, g); column 0 offers nothing."""
    for i in range(x.shape[0]):
        size[i, 0], limit[i, 0], saving[i, 0] = floor, floor, 0.0
        for j in range(1, x.shape[1]):
            limit[i, j] = limit_at(x[i, j], tracks[i], rho[i], rate[i], floor, high)
            k = log_money(x[i, j], rate[i], min(full[i], limit[i, j]))
            mean = saved = 0.0
            for t in range(TRACKS):
                s = tracks[i, t]
                if s[CHANCE] == 0:
                    break
                mean += s[CHANCE] * min(expected_size(s, x[i, j], k, rate[i], floor), limit[i, j])
                if worth[i] > 0:
                    saved += s[CHANCE] * saving_of(s, x[i, j], rho[i], full[i], rate[i], floor, high, worth[i])
            size[i, j], saving[i, j] = mean, saved


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
    low, sure = window(s)
    if FAMILY[kind] == IDLE or cap <= 0 or sure - low < SHARP:
        return 0.0
    up = kink_above(kind, cap, full, rate)
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


def worst_cost(x: FloatArray, rate: FloatArray, limit: FloatArray) -> FloatArray:
    """The most that an offer can cost: weight (1 - exp(-rate limit))."""
    return np.asarray(-np.exp(x) * np.expm1(-rate * limit))
