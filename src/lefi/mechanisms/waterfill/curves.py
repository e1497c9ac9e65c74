"""Believed response curves at candidate weights: the size to expect, and the limit to set.

The size is the mean over the tracks. The limit lies two standard deviations of belief and of noise above what any
credible track says: it rarely binds, and closes in on the size as the belief sharpens.
"""

from math import exp, log

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.facts import Client, Found, Known
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    COLUMNS,
    FAMILY,
    HIGH,
    HINGE,
    IDLE,
    KIND,
    LOW,
    POWER,
    STAIR,
    STEP,
    TRACKS,
    C,
    M,
    V,
    bounded_exp,
    deviation,
    earned,
    expected_size,
    h,
    is_cut,
    log_money,
    upper_cap,
    upper_size,
    window,
)

NOTHING = -700.0  # log weight of no offer
CREDIBLE = 0.05  # tracks above this share of the tracks that deliver have a say in the limit
ERRATIC = 20.0  # more deviations of noise, the noisier a client is: it may not be noise around a curve at all
ABOVE = 1.01  # limit over the cap of an odd client, so that it is not cut
SCAN = 12  # candidates over the range in which a client responds
CANDIDATES = 1 + SCAN + 2 * TRACKS  # and nothing, and two per track: its kink as expected, and where it is sure
NEARBY = 0.06  # first spacing of candidates around the last offer of a client that is well known
HINGED = 0.95  # probability of a hinge that makes a client well known
DOUBTED, SURE = 0.05, 0.05  # tracks above that probability and below that deviation need not be fitted anew
OFF, ROUGH = 4.0, 0.02  # deviations, and share of size_high beside them, by which an answer is off that surprises
NEITHER, SURPRISES, FITS, SILENT = range(4)  # what an answer is, against what was expected
MOST, UP, PAID, DEAR = range(COLUMNS, COLUMNS + 4)  # further columns of a view
VIEW = COLUMNS + 4


@inlined
def survey(tracks: FloatArray, full: float, rate: float, high: float, view: FloatArray) -> int:
    """Fill view (TRACKS, VIEW) with what all candidates of a client need; returns how many tracks there are.

    It holds the tracks, with their bounds narrowed to the window, and further MOST: largest cap, or -1 where a track
    has no say in the limit; UP: how far above its location the kink lies; of a step PAID: the share of the weight that
    its cap earns, DEAR: the weight at which it surely takes the offer.
    """
    alive, count = 0.0, 0
    for t in range(TRACKS):
        if tracks[t, CHANCE] == 0:
            break
        count += 1
        alive += tracks[t, CHANCE] if FAMILY[int(tracks[t, KIND])] != IDLE else 0.0
    for t in range(count):
        kind = int(tracks[t, KIND])
        for column in range(COLUMNS):
            view[t, column] = tracks[t, column]
        view[t, LOW], view[t, HIGH] = window(tracks[t])
        view[t, MOST], view[t, UP] = -1.0, 0.0
        if FAMILY[kind] != IDLE:
            view[t, MOST] = upper_cap(tracks[t], high) if tracks[t, CHANCE] >= CREDIBLE * alive else -1.0
            view[t, UP] = kink_above(kind, tracks[t, C], full, rate) if tracks[t, C] > 0 else 0.0
        if FAMILY[kind] == STEP:
            view[t, PAID], view[t, DEAR] = earned(rate * tracks[t, C]), bounded_exp(view[t, HIGH] + view[t, UP])
    return count


def blank_view() -> FloatArray:
    """Room for the view of a client: kernels that make none themselves need not count references."""
    return np.empty((TRACKS, VIEW))


@compiled
def propose(
    known: Known, high: float, reach: tuple[float, float], x: FloatArray, spacing: FloatArray, view: FloatArray
) -> None:
    """Fill x (n, CANDIDATES) with log weights worth a look, and their spacing (n,)."""
    for i in range(x.shape[0]):
        count = survey(known.tracks[i], known.full[i], known.rate[i], high, view)
        spacing[i], _ = propose_one(view, count, known.last[i], reach, x[i])


@inlined
def propose_one(
    view: FloatArray, count: int, last: float, reach: tuple[float, float], x: FloatArray
) -> tuple[float, int]:
    """Log weights of one client that are worth a look; returns their spacing, and how many candidates to look at.

    A well known client (`last` is its last log weight, else NaN) is looked at around its last offer only.
    """
    lowest, highest = reach
    x[:] = NOTHING
    start, end, hinged, wide = highest, lowest, 0.0, 0.0
    for t in range(count):
        family = FAMILY[int(view[t, KIND])]
        if family == IDLE or view[t, C] <= 0:
            continue
        low, sure, up = view[t, LOW], view[t, HIGH], view[t, UP]
        x[1 + SCAN + 2 * t] = min(max(view[t, M] + up, lowest), highest)
        x[2 + SCAN + 2 * t] = min(max(sure + up, lowest), highest)
        start = min(start, low + (up - 5.0 if family == POWER else 0.0))
        end = max(end, sure + up)
        if family == HINGE:
            hinged, wide = hinged + view[t, CHANCE], max(wide, sure - low)
    if hinged > HINGED and last > lowest:
        spacing = min(max(NEARBY, 0.3 * wide), 0.5)
        x[1], x[2], x[3] = last - spacing, last, last + spacing
        x[4], x[5], x[6], x[7] = last - 2.5, last - 1.0, last - 0.4, last + 0.4
        if wide < 1.0:
            x[8] = x[1 + SCAN]
            x[1 + SCAN :] = NOTHING
            return spacing, 9
        return spacing, 1 + SCAN + 2 * count
    start = min(max(start, lowest), highest - 1.0)
    end = min(max(end, start + 1.0), highest)
    spacing = (end - start) / (SCAN - 1)
    for j in range(SCAN):
        x[1 + j] = start + j * spacing
    return spacing, 1 + SCAN + 2 * count


@compiled
def evaluate(x: FloatArray, known: Known, floor: float, high: float, found: Found, view: FloatArray) -> None:
    """Fill in what the log weights x (n, g) bring."""
    for i in range(x.shape[0]):
        client = Client(known.rate[i], known.rho[i], known.full[i], floor, high)
        count = survey(known.tracks[i], client.full, client.rate, high, view)
        for j in range(x.shape[1]):
            found.size[i, j], found.limit[i, j], found.cost[i, j] = floor, floor, 0.0
            if x[i, j] > NOTHING:
                limit = limit_at(x[i, j], view, count, client)
                k = log_money(x[i, j], client.rate, min(limit, client.full))
                found.size[i, j] = size_at((x[i, j], k), view, count, client, limit)
                found.limit[i, j], found.cost[i, j] = limit, exp(x[i, j]) * earned(client.rate * limit)


@inlined
def size_at(offer: tuple[float, float], view: FloatArray, count: int, client: Client, limit: float) -> float:
    """The mean answer over the tracks to an offer (log weight, log money)."""
    mean, rate, floor = 0.0, client.rate, client.floor
    for t in range(count):
        kind = int(view[t, KIND])
        expected = expected_size(kind, view[t, LOW], view[t, HIGH], view[t, C], offer, rate, floor)
        mean += view[t, CHANCE] * min(expected, limit)
    return mean


@inlined
def limit_at(x: float, view: FloatArray, count: int, client: Client) -> float:
    """The largest answer that a track with a say takes for possible, noise included."""
    rate, rho, _, floor, high = client
    if count > 0 and FAMILY[int(view[0, KIND])] == STAIR:  # not noisy, whatever the fleet is
        return min(ABOVE * view[0, C], high)
    top = floor
    for t in range(count):
        if view[t, MOST] >= 0:
            top = max(top, upper_size(int(view[t, KIND]), view[t, LOW], view[t, MOST], x, rate, floor))
    return min(top + (2 + ERRATIC * rho) * deviation(top, rho, high), high)


@inlined
def kink_above(kind: int, cap: float, full: float, rate: float) -> float:
    """How far above its location the log weight must be for a client to deliver its cap."""
    return h(kind, cap, rate) - (0.0 if FAMILY[kind] == HINGE else log(earned(rate * min(cap, full))))


@inlined
def is_sharp(tracks: FloatArray) -> bool:
    """Whether every track with a say knows its location."""
    for t in range(TRACKS):
        if tracks[t, CHANCE] >= DOUBTED and tracks[t, V] >= SURE * SURE:
            return False
    return bool(tracks[0, CHANCE] > 0)


@compiled
def compare(tracks: FloatArray, answer: tuple[float, float, float], client: Client, view: FloatArray) -> int:
    """An answer (log weight, limit, size) against what sharp tracks expected.

    FITS: to two deviations of noise; SURPRISES: it is far off, or its limit cut it; NEITHER; or they were not sharp.
    """
    x, limit, y = answer
    rate, rho, full, _, high = client
    if not is_sharp(tracks):
        return NEITHER
    if is_cut(y, limit, high):
        return SURPRISES
    count = survey(tracks, full, rate, high, view)
    expected = size_at((x, log_money(x, rate, min(limit, full))), view, count, client, limit)
    doubt = tracks[0, V] / (rate * rate)  # in sizes, were it a hinge
    off, variance = (y - expected) ** 2, deviation(y, rho, high) ** 2 + doubt
    if off < 4 * variance:
        return FITS
    return SURPRISES if off > OFF * OFF * variance + (ROUGH * high) ** 2 else NEITHER
