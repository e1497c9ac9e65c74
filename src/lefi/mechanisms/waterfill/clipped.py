"""A noisy client whose cap cuts the noise off: exact posterior of its location on a grid, kept as a few windows.

Above its kink such a client answers its very cap every other time, below it less often: neither mean nor spread of
its answers is that of a normal, so the likelihood is integrated instead. Answer i, with D the curve at location b and
d(D) the deviation of the noise, is at the cap c or at its limit L with chance Phi((D - min(c, L)) / d), else normal
around D. The families are weighed by these integrals. The posterior of the most probable one is cut into windows, the
finer the higher the location, and each becomes a track; the others are kept as a track of the same mean and variance.
"""

from math import exp, inf, log, sqrt

import numpy as np

from lefi.compiler import allocating
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    COLUMNS,
    CV,
    FAMILY,
    HIGH,
    HINGE,
    KIND,
    LOW,
    POWERS,
    STEP,
    TRACKS,
    TRIFLE,
    C,
    M,
    Phi,
    V,
    deviation,
    h,
)

CELLS = 48
DEEP = 10.0  # log density this far below the best is out of range
RARELY = 1e-3  # chance of an answer that nothing explains
REFUSAL = 0.1  # chance that a client takes no part for reasons of its own
TAIL = 0.003  # probability left out at either end
KEPT = 2  # other tracks that stay beside the windows, at most
FAR = 9.0  # no bound: locations this far from the mean, in log money


@allocating
def curve(kind, b, x, k, rate, floor, cap):  # type: ignore[no-untyped-def]
    """D: the answer without noise at log weight x, log money k."""
    size = (x - b) / rate if FAMILY[kind] == HINGE else exp(min(POWERS[kind] * (k - b), 50.0))
    return min(max(size, floor), cap)


@allocating
def log_density(kind, b, prior, seen, rate, rho, floor, high, cap):  # type: ignore[no-untyped-def]
    """Log of prior times likelihood of a location, but for what no location changes."""
    answers, count = seen
    total = -0.5 * (b - prior[0]) ** 2 / prior[1]
    for i in range(count):
        x, limit, y, a = answers[0, i], answers[1, i], answers[2, i], answers[3, i]
        D = curve(kind, b, x, answers[4, i], rate, floor, cap)
        d, top = deviation(D, rho, high), min(cap, limit)
        if y >= top * (1 - 1e-7):
            total += a * log(max(Phi((D - top) / d), RARELY))
        elif y <= floor + TRIFLE * high:
            total += a * log(max(Phi((floor - D) / d), REFUSAL))
        else:
            u = (y - D) / d
            total += a * max(-0.5 * u * u - log(d / deviation(y, rho, high)), log(RARELY))
    return total


@allocating
def integrate(density, kind, prior, seen, rate, rho, floor, high, cap):  # type: ignore[no-untyped-def]
    """Fill density with the posterior on a grid; returns its lowest end, its spacing and the log evidence."""
    answers, count = seen
    low, end = prior[0] - 3 * sqrt(prior[1]), prior[0] + 3 * sqrt(prior[1])
    for i in range(count):  # as far as an answer can place it
        y = answers[2, i]
        d, at = 2 * deviation(y, rho, high), answers[0, i] if FAMILY[kind] == HINGE else answers[4, i]
        low = min(low, at - h(kind, y + d, rate))
        end = max(end, at - h(kind, max(y - d, 0.01 * high), rate))
    best = -inf
    for _ in range(3):
        width, best = (end - low) / CELLS, -inf
        for c in range(CELLS):
            density[c] = log_density(kind, low + (c + 0.5) * width, prior, seen, rate, rho, floor, high, cap)
            best = max(best, density[c])
        first, last = CELLS, 0
        for c in range(CELLS):
            if density[c] > best - DEEP:
                first, last = min(first, c), max(last, c)
        if last - first > CELLS // 2:
            break
        low, end = low + max(first - 1, 0) * width, low + min(last + 2, CELLS) * width
    total = 0.0
    for c in range(CELLS):
        density[c] = exp(density[c] - best)
        total += density[c]
    density /= total
    return low, width, best + log(total * width / sqrt(prior[1]))


@allocating
def fit_clipped(tracks, seen, rate, rho, floor, high, cap, fleet, brief):  # type: ignore[no-untyped-def]
    """Replace the tracks that rise by windows of their exact posterior; returns kind and location on average."""
    others, kept, rising = np.empty((KEPT, COLUMNS)), 0, 0.0
    for t in range(TRACKS):
        if tracks[t, CHANCE] > 0 and FAMILY[int(tracks[t, KIND])] < STEP:
            rising += tracks[t, CHANCE]
        elif tracks[t, CHANCE] > 0 and kept < KEPT:
            others[kept] = tracks[t]
            kept += 1
    density, best = np.empty(CELLS), np.empty(CELLS)
    evidence, places = np.full(3, -inf), np.zeros((3, 4))
    for f in range(1 if brief else 3):
        kind = 2 * f + 1
        prior = (fleet[0][kind] - (log(rate) if FAMILY[kind] == HINGE else 0.0), fleet[1][kind])
        low, width, e = integrate(density, kind, prior, seen, rate, rho, floor, high, cap)
        evidence[f] = e + log(fleet[2][kind - 1] + fleet[2][kind])
        places[f] = moments(density, low, width)
        if evidence[f] >= evidence.max():
            best[:] = density
    chance = np.exp(evidence - evidence.max())
    chance *= rising / chance.sum()
    f = int(np.argmax(evidence))
    for g in range(3):
        if g != f and chance[g] > 0.01 * rising and kept < KEPT:
            put(others[kept], 2 * g + 1, places[g, 0] - FAR, places[g, 0] + FAR, cap, chance[g])
            others[kept, M], others[kept, V] = places[g, 0], places[g, 1]
            kept += 1
    cut_windows(tracks, TRACKS - kept, 2 * f + 1, chance[f], best, places[f, 2], places[f, 3], cap)
    tracks[TRACKS - kept :] = others[:kept]
    return 2 * f + 1, places[f, 0]


@allocating
def moments(density, low, width):  # type: ignore[no-untyped-def]
    """Mean, variance, and the grid again."""
    at = low + (np.arange(CELLS) + 0.5) * width
    mean = (density * at).sum()
    return np.array([mean, (density * (at - mean) ** 2).sum() + width * width / 12, low, width])


@allocating
def put(s, kind, low, high, cap, chance):  # type: ignore[no-untyped-def]
    """A track between two locations."""
    s[KIND], s[LOW], s[HIGH], s[M], s[V] = kind, low, high, 0.5 * (low + high), (high - low) ** 2 / 12
    s[C], s[CV], s[CHANCE] = cap, 0.0, chance


@allocating
def cut_windows(tracks, windows, kind, chance, density, low, width, cap):  # type: ignore[no-untyped-def]
    """The posterior as windows, of falling probability from the lowest location up."""
    c, below, edge, share = 0, 0.0, low, 0.0  # `below`: probability of the cells before c
    for w in range(windows + 1):
        until = 1 - (1 - w / windows) ** 1.5
        wanted = min(max(until, TAIL), 1 - TAIL)
        while c < CELLS - 1 and below + density[c] < wanted:
            below += density[c]
            c += 1
        here = low + (c + min((wanted - below) / max(density[c], 1e-300), 1.0)) * width
        if w > 0:
            put(tracks[w - 1], kind, edge, here, cap, chance * (until - share))
            if FAMILY[kind] == HINGE:  # else it may be a curve of its own, best left in doubt
                settle(tracks[w - 1], density, low, width)
        edge, share = here, until


@allocating
def settle(s, density, low, width):  # type: ignore[no-untyped-def]
    """Mean and variance of the posterior within the bounds of a window."""
    mass = mean = square = 0.0
    for c in range(CELLS):
        a, b = max(low + c * width, s[LOW]), min(low + (c + 1) * width, s[HIGH])
        if b > a:
            p, at = density[c] * (b - a), 0.5 * (a + b) - s[LOW]
            mass, mean, square = mass + p, mean + p * at, square + p * (at * at + (b - a) ** 2 / 12)
    if mass > 0:
        mean = mean / mass
        s[M], s[V] = s[LOW] + mean, max(square / mass - mean * mean, 1e-12)
