"""Believed response curves at candidate weights: the size to expect, and the limit to set.

The size is the mean over the tracks. The limit lies two standard deviations of belief and of noise above what any
credible track says: it rarely binds, and closes in on the size as the belief sharpens.
"""

from math import exp, expm1, log, sqrt

from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.tracks import (
    CHANCE,
    FAMILY,
    HINGE,
    IDLE,
    KIND,
    NOISY,
    POWER,
    STEP,
    TRACKS,
    C,
    M,
    V,
    chance_of_step,
    deviation,
    expected_size,
    h,
    h_slope,
    log_money,
    upper_size,
    window,
)

NOTHING = -700.0  # log weight of no offer
CREDIBLE = 0.05  # tracks above this share of the tracks that deliver have a say in the limit
ERRATIC = 20.0  # more deviations of noise, the noisier a client is: it may not be noise around a curve at all
SHARP = 0.02  # a location known this well has nothing left to be tried for
HORIZON = 60.0  # rounds for which the threshold of a step client is expected to last
BRIEF, NEW = (3.0, 10.0), 10  # the same on a rise: once a quiet client is known, and more while it is new
TRIES, PATIENT, WARY = 17, 32.0, 1.0  # noisy ones: answers until no more is tried, patience halfway there, and after
SCAN = 12  # candidates over the range in which a client responds
CANDIDATES = 1 + SCAN + 2 * TRACKS  # and nothing, and two per track: its kink as expected, and where it is sure
NEARBY = 0.06  # first spacing of candidates around the last offer of a client that is well known
HINGED = 0.95  # probability of a hinge that makes a client well known


@compiled
def propose(tracks, last, full, rate, lowest, highest, x, spacing):  # type: ignore[no-untyped-def]
    """Fill x (n, CANDIDATES) with log weights worth a look, and their spacing (n,).

    A well known client (`last` is its last log weight, else NaN) is looked at around its last offer only.
    """
    for i in range(x.shape[0]):
        x[i] = NOTHING
        start, end, hinged, wide = highest, lowest, 0.0, 0.0
        for t in range(TRACKS):
            s = tracks[i, t]
            if s[CHANCE] == 0:
                break
            kind = int(s[KIND])
            if FAMILY[kind] == IDLE or s[C] <= 0:
                continue
            up = kink_above(kind, s[C], full[i], rate[i])
            low, sure = window(s)
            x[i, 1 + SCAN + 2 * t] = min(max(s[M] + up, lowest), highest)
            x[i, 2 + SCAN + 2 * t] = min(max(sure + up, lowest), highest)
            start = min(start, low + (up - 5.0 if FAMILY[kind] == POWER else 0.0))
            end = max(end, sure + up)
            if FAMILY[kind] == HINGE:
                hinged, wide = hinged + s[CHANCE], max(wide, sure - low)
        if hinged > HINGED and last[i] > lowest:
            spacing[i] = min(max(NEARBY, 0.3 * wide), 0.5)
            if wide < 1.0:
                x[i, 1 + SCAN :] = NOTHING
            x[i, 1], x[i, 2], x[i, 3] = last[i] - spacing[i], last[i], last[i] + spacing[i]
            x[i, 4], x[i, 5], x[i, 6], x[i, 7] = last[i] - 2.5, last[i] - 1.0, last[i] - 0.4, last[i] + 0.4
            continue
        start = min(max(start, lowest), highest - 1.0)
        end = min(max(end, start + 1.0), highest)
        spacing[i] = (end - start) / (SCAN - 1)
        for j in range(SCAN):
            x[i, 1 + j] = start + j * spacing[i]


@compiled
def evaluate(x, tracks, rho, full, rate, floor, high, size, limit, cost):  # type: ignore[no-untyped-def]
    """Fill size, limit and cost (n, g) for the log weights x (n, g)."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if x[i, j] == NOTHING:
                size[i, j], limit[i, j], cost[i, j] = floor, floor, 0.0
                continue
            limit[i, j] = limit_at(x[i, j], tracks[i], rho[i], rate[i], floor, high)
            cost[i, j] = -exp(x[i, j]) * expm1(-rate[i] * limit[i, j])
            size[i, j] = size_at(x[i, j], tracks[i], full[i], rate[i], floor, limit[i, j])


@compiled
def size_at(x, tracks, full, rate, floor, limit):  # type: ignore[no-untyped-def]
    """The mean answer over the tracks."""
    mean, k = 0.0, -1e300
    for t in range(TRACKS):
        s = tracks[t]
        if s[CHANCE] == 0:
            break
        if k == -1e300 and FAMILY[int(s[KIND])] != HINGE:
            k = log_money(x, rate, min(full, limit))
        mean += s[CHANCE] * min(expected_size(s, x, k, rate, floor), limit)
    return mean


@compiled
def prospects(x, tracks, rho, full, count, rate, floor, high, worth, saving):  # type: ignore[no-untyped-def]
    """Fill saving (n, g): what trying a log weight is expected to save in all later rounds, in USD."""
    for i in range(x.shape[0]):
        kink, patience = rising(tracks[i], full[i], rate[i]), patience_with(count[i], rho[i])
        for j in range(x.shape[1]):
            saving[i, j] = 0.0
            if x[i, j] == NOTHING:
                continue
            saving[i, j] = patience * saving_on_rise(kink, x[i, j], rho[i], rate[i], floor, high, worth[i])
            for t in range(TRACKS):
                s = tracks[i, t]
                if s[CHANCE] == 0:
                    break
                if FAMILY[int(s[KIND])] == STEP:
                    saving[i, j] += HORIZON * s[CHANCE] * saving_on_step(s, x[i, j], full[i], rate[i], floor, worth[i])


@compiled
def patience_with(count, rho):  # type: ignore[no-untyped-def]
    """Rounds for which a saving on a rise counts against what the try costs now.

    One answer of a noisy client shows little and costs as much data: it is tried when that tells most, after the
    fleet has taught noise and prior and before the client is known as well as noise allows.
    """
    if rho < NOISY:
        return BRIEF[0] + BRIEF[1] * max(1 - count / NEW, 0.0)
    u = min(count / TRIES, 1.0)
    return WARY + PATIENT * 4 * u * (1 - u)


@compiled
def rising(tracks, full, rate):  # type: ignore[no-untyped-def]
    """The kink over all tracks that rise: chance, lowest, highest, variance, cap, slope of h there."""
    chance = mean = square = cap = slope = 0.0
    least, most = 1e300, -1e300
    for t in range(TRACKS):
        s = tracks[t]
        if s[CHANCE] == 0:
            break
        kind = int(s[KIND])
        if FAMILY[kind] == IDLE or FAMILY[kind] == STEP or s[C] <= 0:
            continue
        up = kink_above(kind, s[C], full, rate)
        low, sure = window(s)
        least, most = min(least, low + up), max(most, sure + up)
        kink = s[M] + up
        chance += s[CHANCE]
        mean, square = mean + s[CHANCE] * kink, square + s[CHANCE] * (s[V] + kink * kink)
        cap, slope = cap + s[CHANCE] * s[C], slope + s[CHANCE] * h_slope(kind, s[C], rate)
    if chance == 0:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    mean = mean / chance
    variance = max(square / chance - mean * mean, 1e-18)
    half = sqrt(3 * variance)
    return chance, max(least, mean - half), min(most, mean + half), variance, cap / chance, slope / chance


@compiled
def limit_at(x, tracks, rho, rate, floor, high):  # type: ignore[no-untyped-def]
    top, alive = floor, 0.0
    for t in range(TRACKS):
        alive += tracks[t, CHANCE] if FAMILY[int(tracks[t, KIND])] != IDLE else 0.0
    for t in range(TRACKS):
        if tracks[t, CHANCE] >= CREDIBLE * alive and FAMILY[int(tracks[t, KIND])] != IDLE:
            top = max(top, upper_size(tracks[t], x, rate, floor, high))
    return min(top + (2 + ERRATIC * rho) * deviation(top, rho, high), high)


@compiled
def saving_on_rise(kink, x, rho, rate, floor, high, worth):  # type: ignore[no-untyped-def]
    """What trying log weight x is expected to save should the client be on a curve that rises.

    A client at its cap is overpaid by the distance to its kink, where it just reaches the cap. An offer below the
    kink shows it (and costs some data), one above it bounds it.
    Nothing is saved on what would not be bought: `worth` is what a thousand samples are worth, in USD.
    """
    chance, low, sure, variance, cap, slope = kink
    if chance == 0 or sure - low < SHARP or x >= sure:
        return 0.0
    paid = -expm1(-rate * cap)
    most = min(exp(sure), worth * (cap - floor) / paid)
    q = (deviation(cap, rho, high) * slope) ** 2
    tried = max(x, low)
    known = (exp(tried) * (tried - low) + exp(sure) - exp(tried)) / (sure - low)
    return chance * max(paid * (1 - sqrt(q / (variance + q))) * (most - known), 0.0)


@compiled
def saving_on_step(s, x, full, rate, floor, worth):  # type: ignore[no-untyped-def]
    """The same on a step: a client that refuses shows nothing, so only an offer that it takes saves."""
    low, sure = window(s)
    if s[C] <= 0 or sure - low < SHARP:
        return 0.0
    up = kink_above(int(s[KIND]), s[C], full, rate)
    low, sure = low + up, sure + up
    if x >= sure:
        return 0.0
    paid = -expm1(-rate * s[C])
    most = min(exp(sure), worth * (s[C] - floor) / paid)
    return max(paid * (most - exp(x)), 0.0) * chance_of_step(s, x - up)


@compiled
def kink_above(kind, cap, full, rate):  # type: ignore[no-untyped-def]
    """How far above its location the log weight must be for a client to deliver its cap."""
    return h(kind, cap, rate) - (0.0 if FAMILY[kind] == HINGE else log(-expm1(-rate * min(cap, full))))
