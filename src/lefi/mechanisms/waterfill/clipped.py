"""A noisy client whose cap cuts the noise off: exact posterior of its location on a grid, kept as a few windows.

Above its kink such a client answers its very cap every other time, below it less often: neither mean nor spread of
its answers is that of a normal, so the likelihood is integrated instead. Answer i, with D the curve at location b and
d(D) the deviation of the noise, is at the cap c or at its limit L with chance Phi((D - min(c, L)) / d), else normal
around D. The families are weighed by these integrals. The posterior of the most probable one is cut into windows, the
finer the higher the location, and each becomes a track; the others are kept as a track of the same mean and variance.
"""

from math import exp, inf, log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import allocating, compiled
from lefi.mechanisms.waterfill.facts import Client, Family, Fleet
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    COLUMNS,
    CV,
    FAMILY,
    HIGH,
    HINGE,
    KIND,
    LOW,
    PATIENCE,
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

CELLS = 48  # of the grid of locations: about ten to a window
DEEP = 10.0  # log density this far below the best is out of range
RARELY = 1e-3  # chance of an answer that nothing explains
REFUSAL = 0.1  # chance that a client takes no part for reasons of its own
TAIL = 0.003  # probability left out at either end
KEPT = 2  # other tracks that stay beside the windows, at most
FAR = 9.0  # no bound: locations this far from the mean, in log money


class Grid(NamedTuple):
    """A posterior: probabilities of cells, the lowest end, their width."""

    density: FloatArray
    low: float
    width: float


@compiled
def curve(kind: int, b: float, x: float, k: float, client: Client) -> float:
    """D: the answer without noise at log weight x, log money k."""
    size = (x - b) / client.rate if FAMILY[kind] == HINGE else exp(min(POWERS[kind] * (k - b), 50.0))
    return min(max(size, client.floor), client.full)


@compiled
def log_density(family: Family, b: float, answers: FloatArray, client: Client) -> float:
    """Log of prior times likelihood of a location, but for what no location changes."""
    _, rho, cap, floor, high = client
    total = -0.5 * (b - family.mean) ** 2 / family.variance
    for i in range(answers.shape[1]):
        x, limit, y, a = answers[0, i], answers[1, i], answers[2, i], answers[3, i]
        D = curve(family.kind, b, x, answers[4, i], client)
        d, top = deviation(D, rho, high), min(cap, limit)
        if y >= top * (1 - 1e-7):
            total += a * log(max(Phi((D - top) / d), RARELY))
        elif y <= floor + TRIFLE * high:
            total += a * log(max(Phi((floor - D) / d), REFUSAL))
        else:
            u = (y - D) / d
            total += a * max(-0.5 * u * u - log(d / deviation(y, rho, high)), log(RARELY))
    return total


@compiled
def integrate(density: FloatArray, family: Family, answers: FloatArray, client: Client) -> tuple[float, float, float]:
    """Fill density with the posterior on a grid; returns its lowest end, its spacing and the log evidence."""
    kind, mean, deep = family.kind, family.mean, 3 * sqrt(family.variance)
    rate, rho, _, _, high = client
    low, end = mean - deep, mean + deep
    for i in range(answers.shape[1]):  # as far as an answer can place it
        y = answers[2, i]
        d, at = 2 * deviation(y, rho, high), answers[0, i] if FAMILY[kind] == HINGE else answers[4, i]
        low = min(low, at - h(kind, y + d, rate))
        end = max(end, at - h(kind, max(y - d, 0.01 * high), rate))
    best, width = -inf, 0.0
    for _ in range(3):
        width, best = (end - low) / CELLS, -inf
        for c in range(CELLS):
            density[c] = log_density(family, low + (c + 0.5) * width, answers, client)
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
    for c in range(CELLS):
        density[c] /= total
    return low, width, best + log(total * width / sqrt(family.variance))


@allocating
def fit_clipped(
    tracks: FloatArray, answers: FloatArray, client: Client, fleet: Fleet, brief: bool
) -> tuple[int, float]:
    """Replace the tracks that rise by windows of their exact posterior; returns kind and location on average.

    answers: rows of log weight, limit, size, weight of the answer, log money.
    """
    others, kept, rising = np.empty((KEPT, COLUMNS)), 0, 0.0
    for t in range(TRACKS):
        if tracks[t, CHANCE] > 0 and FAMILY[int(tracks[t, KIND])] < STEP:
            rising += tracks[t, CHANCE]
        elif tracks[t, CHANCE] > 0 and kept < KEPT:
            others[kept] = tracks[t]
            kept += 1
    densities, evidence, mean, variance = np.empty((3, CELLS)), np.full(3, -inf), np.zeros(3), np.zeros(3)
    best = Grid(densities[0], 0.0, 0.0)
    for f in range(1 if brief else 3):
        kind = 2 * f + 1
        centre = fleet.centre[kind] - (log(client.rate) if FAMILY[kind] == HINGE else 0.0)
        family = Family(kind, -inf, inf, centre, fleet.spread[kind])
        low, width, e = integrate(densities[f], family, answers, client)
        grid, evidence[f] = Grid(densities[f], low, width), e + log(fleet.chances[kind - 1] + fleet.chances[kind])
        mean[f], variance[f] = moments(grid)
        if evidence[f] >= evidence.max():
            best = grid
    chance = np.exp(evidence - evidence.max())
    chance *= rising / chance.sum()
    f = int(np.argmax(evidence))
    for g in range(3):
        if g != f and chance[g] > 0.01 * rising and kept < KEPT:
            put(others[kept], 2 * g + 1, (mean[g] - FAR, mean[g] + FAR), client.full, chance[g])
            others[kept, M], others[kept, V] = mean[g], variance[g]
            kept += 1
    cut_windows(tracks[: TRACKS - kept], 2 * f + 1, chance[f], best, client.full)
    tracks[TRACKS - kept :] = others[:kept]
    return 2 * f + 1, mean[f]


@allocating
def moments(grid: Grid) -> tuple[float, float]:
    """Mean and variance."""
    at = grid.low + (np.arange(CELLS) + 0.5) * grid.width
    mean = (grid.density * at).sum()
    return mean, (grid.density * (at - mean) ** 2).sum() + grid.width * grid.width / 12


@compiled
def put(s: FloatArray, kind: int, bounds: tuple[float, float], cap: float, chance: float) -> None:
    """A track between two locations."""
    low, high = bounds
    s[KIND], s[LOW], s[HIGH], s[M], s[V] = kind, low, high, 0.5 * (low + high), (high - low) ** 2 / 12
    s[C], s[CV], s[CHANCE], s[PATIENCE] = cap, 0.0, chance, 0.0


@compiled
def cut_windows(tracks: FloatArray, kind: int, chance: float, grid: Grid, cap: float) -> None:
    """The posterior as windows, one per track, of falling probability from the lowest location up."""
    windows, density = tracks.shape[0], grid.density
    c, below, edge, share = 0, 0.0, grid.low, 0.0  # `below`: probability of the cells before c
    for w in range(windows + 1):
        until = 1 - (1 - w / windows) ** 1.5
        wanted = min(max(until, TAIL), 1 - TAIL)
        while c < CELLS - 1 and below + density[c] < wanted:
            below += density[c]
            c += 1
        here = grid.low + (c + min((wanted - below) / max(density[c], 1e-300), 1.0)) * grid.width
        if w > 0:
            put(tracks[w - 1], kind, (edge, here), cap, chance * (until - share))
            if FAMILY[kind] == HINGE:  # else it may be a curve of its own, best left in doubt
                settle(tracks[w - 1], grid)
        edge, share = here, until


@compiled
def settle(s: FloatArray, grid: Grid) -> None:
    """Mean and variance of the posterior within the bounds of a window."""
    mass = mean = square = 0.0
    for c in range(CELLS):
        a, b = max(grid.low + c * grid.width, s[LOW]), min(grid.low + (c + 1) * grid.width, s[HIGH])
        if b > a:
            p, at = grid.density[c] * (b - a), 0.5 * (a + b) - s[LOW]
            mass, mean, square = mass + p, mean + p * at, square + p * (at * at + (b - a) ** 2 / 12)
    if mass > 0:
        mean = mean / mass
        s[M], s[V] = s[LOW] + mean, max(square / mass - mean * mean, 1e-12)
