"""What trying a weight may save later: the worth of an answer, for clients that are quiet and for noisy ones.

A client at its cap is overpaid by the distance to its kink, the log weight at which it just reaches the cap. A quiet
client shows the kink by one answer below it. A noisy one hides it: an answer y is off by rho y, so one small answer
tells as much as a hundred near the cap. It is therefore tried low, as soon as its noise is known, and then left alone.

worth  what a thousand samples are worth, in USD: nothing is saved on what would not be bought
"""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import DEAR, NOTHING, PAID, UP, survey
from lefi.mechanisms.waterfill.facts import Client, Known
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    CV,
    FAMILY,
    HIGH,
    HINGE,
    HINGES,
    KIND,
    LOW,
    NOISY,
    PATIENCE,
    STAIR,
    STEP,
    TINY,
    C,
    M,
    V,
    bounded_exp,
    chance_of_step,
    deviation,
    earned,
    h_slope,
    ramp_integral,
)

SHARP = 0.02  # a location known this well has nothing left to be tried for
HORIZON = 120.0  # rounds for which the threshold of a step client is expected to last, if it is one
BRIEF = (3.0, 10.0)  # rounds for which a saving on a rise counts once a quiet client is known, and more while it is new
NEW = 10  # answers up to which it is
STEADY = 3.0  # rounds more for which it counts where clients stay
TRIES = 17  # answers until no more is tried on a noisy client that is not rational
PATIENT, WARY = 32.0, 1.0  # rounds for which a saving on it counts halfway there, and at either end
LASTING = 200.0  # rounds for which a saving on a noisy rational client counts, if clients stay that long
JUDGED = 2  # answers after which noise is known: then one half of the fleet is tried, all others one answer later
DOUBT = 0.08  # less noise than this may be a wrong guess then: wait for one more answer
HALVINGS = 12  # steps towards the best offer under doubt: to a four-thousandth of the interval


def patience(
    tracks: FloatArray, later: BoolArray, heard: IntArray, rho: FloatArray, life: float
) -> tuple[FloatArray, BoolArray]:
    """Rounds for which a saving counts against what the try costs now, and who is tried low, as noisy and rational.

    later: who waits for one more answer; heard: answers so far; life: rounds that clients stay. One that is neither
    quiet nor likely to be rational may follow a curve of its own, which low answers do not tell: it is tried little
    by little.
    """
    doubtful = (heard < JUDGED) | ((heard == JUDGED) & (rho < DOUBT))
    known = BRIEF[0] + STEADY * min(life / LASTING, 1.0)
    rounds, low = known + BRIEF[1] * np.maximum(1 - heard / NEW, 0.0), (rho >= NOISY) & ~doubtful
    at = np.flatnonzero(low)
    u, turn = np.minimum(heard[at] / TRIES, 1.0), (heard[at] == JUDGED + 1) | (heard[at] == JUDGED + later[at])
    rational = (tracks[at, :, CHANCE] * HINGES[tracks[at, :, KIND].astype(np.int64)]).sum(axis=1) >= 0.5
    low[at] = rational
    rounds[at] = np.where(rational, np.where(turn, min(life, LASTING), 0.0), WARY + PATIENT * 4 * u * (1 - u))
    return rounds, low


class Rise(NamedTuple):
    """A rise that is worth a try."""

    low: float  # lowest kink
    sure: float  # highest kink
    cheap: float  # their weights
    dear: float
    most: float  # weight that is worth it
    share: float  # of the weight that is saved


class Kink(NamedTuple):
    """The kink of a noisy client, of its most probable family that rises."""

    kind: int
    chance: float  # of the family
    low: float
    sure: float
    cap: float
    worth: float  # of a unit of log weight on the rise
    regret: float  # of all doubt about the kink


class Hope(NamedTuple):
    """What all tries on a client have in common."""

    patience: float
    rise: Rise
    kink: Kink
    steps: int  # tracks up to the last step or stair
    worth: float  # USD that a thousand samples are worth


NO_RISE = Rise(0.0, -1e300, 0.0, 0.0, 0.0, 0.0)
NO_KINK = Kink(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@compiled
def prospects(
    x: FloatArray, known: Known, floor: float, high: float, worth: FloatArray, saving: FloatArray, view: FloatArray
) -> None:
    """Fill saving (n, g): what trying a log weight is expected to save in all later rounds, in USD."""
    for i in range(x.shape[0]):
        client = Client(known.rate[i], known.rho[i], known.full[i], floor, high)
        count = survey(known.tracks[i], client.full, client.rate, high, view)
        hope = hopes(view, count, client, known.patience[i], known.low[i], worth[i])
        for j in range(x.shape[1]):
            saving[i, j] = saving_at(x[i, j], exp(x[i, j]), view, hope, client)


@inlined
def hopes(view: FloatArray, count: int, client: Client, patience: float, low: bool, worth: float) -> Hope:
    """What tries on a client are judged by; low: it is tried as noisy and rational."""
    rise, kink = NO_RISE, NO_KINK
    if low and patience > 0:
        kink = kink_in_noise(view, count, client.rate, worth)
    if not low:
        rise = rise_to_try(view, count, client, worth)
    steps = 0
    for t in range(count):
        steps = t + 1 if FAMILY[int(view[t, KIND])] in (STEP, STAIR) else steps
    return Hope(patience, rise, kink, steps, worth)


@inlined
def is_tried_low(hope: Hope) -> bool:
    """Whether it is the turn of a noisy rational client to be tried, far below what it is offered otherwise."""
    return hope.kink.chance > 0


@inlined
def saving_at(x: float, weight: float, view: FloatArray, hope: Hope, client: Client) -> float:
    """What trying log weight x is expected to save in all later rounds; weight = exp(x)."""
    if x == NOTHING:
        return 0.0
    low = is_tried_low(hope)
    saving = hope.patience * (saving_in_noise(hope.kink, x, client) if low else saving_on_rise(hope.rise, x, weight))
    for t in range(hope.steps):
        s = view[t]
        if FAMILY[int(s[KIND])] == STEP:
            saving += HORIZON * s[CHANCE] ** 2 * saving_on_step(s, x, weight, client.floor, hope.worth)
        elif FAMILY[int(s[KIND])] == STAIR:
            saving += saving_on_stair(s, x, client.floor, hope.worth)
    return saving


@inlined
def rise_to_try(view: FloatArray, count: int, client: Client, worth: float) -> Rise:
    """What is worth a try over all tracks that rise.

    A client at its cap is overpaid by the distance to its kink, where it just reaches the cap. An offer below the
    kink shows it (and costs some data), one above it bounds it.
    """
    chance = mean = square = cap = slope = 0.0
    least, most = 1e300, -1e300
    for t in range(count):
        kind, p, c = int(view[t, KIND]), view[t, CHANCE], view[t, C]
        if FAMILY[kind] >= STEP or c <= 0:
            continue
        up = view[t, UP]
        least, most = min(least, view[t, LOW] + up), max(most, view[t, HIGH] + up)
        kink = view[t, M] + up
        chance += p
        mean, square = mean + p * kink, square + p * (view[t, V] + kink * kink)
        cap, slope = cap + p * c, slope + p * h_slope(kind, c, client.rate)
    if chance == 0:
        return NO_RISE
    mean, cap, slope = mean / chance, cap / chance, slope / chance
    variance = max(square / chance - mean * mean, 1e-18)
    low, sure = max(least, mean - sqrt(3 * variance)), min(most, mean + sqrt(3 * variance))
    if sure - low < SHARP:
        return NO_RISE
    paid, dear = earned(client.rate * cap), bounded_exp(sure)
    most = min(dear, worth * (cap - client.floor) / paid)
    q = (deviation(cap, client.rho, client.high) * slope) ** 2
    return Rise(low, sure, bounded_exp(low), dear, most, chance * paid * (1 - sqrt(q / (variance + q))))


@inlined
def saving_on_rise(rise: Rise, x: float, weight: float) -> float:
    """What trying log weight x is expected to save per round should the client be on a curve that rises."""
    if x >= rise.sure:
        return 0.0
    paid = max(weight, rise.cheap)
    known = (paid * max(x - rise.low, 0.0) + rise.dear - paid) / (rise.sure - rise.low)
    return max(rise.share * (rise.most - known), 0.0)


@compiled
def kink_in_noise(view: FloatArray, count: int, rate: float, worth: float) -> Kink:
    """The kink of the most probable family that rises.

    Only the location is in doubt here. No try below the cap tells where the cap is.
    """
    kind, chance, mean, square, cap = -1, 0.0, 0.0, 0.0, 0.0
    least, most, up = 1e300, -1e300, 0.0
    for t in range(count):
        k, p, m = int(view[t, KIND]), view[t, CHANCE], view[t, M]
        if FAMILY[k] >= STEP or view[t, C] <= 0 or (kind >= 0 and k // 2 != kind // 2):
            continue
        kind, up = (k, view[t, UP]) if kind < 0 else (kind, up)
        least, most = min(least, view[t, LOW]), max(most, view[t, HIGH])
        mean, square = mean + p * m, square + p * (view[t, V] + m * m)
        chance, cap = chance + p, cap + p * view[t, C]
    if chance == 0 or worth <= 0:
        return NO_KINK
    mean, cap = mean / chance, cap / chance
    half = sqrt(3 * max(square / chance - mean * mean, 1e-18))
    low, sure = max(least, mean - half) + up, min(most, mean + half) + up
    W = worth / (h_slope(kind, cap, rate) * earned(rate * cap))
    return Kink(kind, chance, low, sure, cap, W, regret(low, sure, W))


@compiled
def regret(low: float, sure: float, W: float) -> float:
    """What it costs per round not to know a kink, uniform in [low, sure], where a log weight below it is worth W.

    Known, the client would be paid the least of its kink and log W; unknown, the x with W P(kink > x) = exp(x).
    """
    end = min(sure, log(max(W, TINY)))
    if end <= low or sure - low < 1e-6:
        return 0.0
    wide, beyond = sure - low, (sure - end) / (sure - low)
    a, b, x = low, end, low
    for _ in range(HALVINGS):
        x = 0.5 * (a + b)
        a, b = (x, b) if W * ((end - x) / wide + beyond) > exp(x) else (a, x)
    lost = W * ((end - x) ** 2 / (2 * wide) + beyond * (end - x))
    paid = (exp(end) - exp(low)) / wide + beyond * exp(end)
    return max(lost + exp(x) - paid, 0.0)


@compiled
def saving_in_noise(kink: Kink, x: float, client: Client) -> float:
    """Regret now less regret after an answer to log weight x, per round.

    A kink below x leaves the client at its cap, which bounds it but for noise; one so far above x that nothing is
    delivered is bounded too; between them the answer shows it, the better the smaller it is.
    """
    kind, chance, low, sure, cap, W, now = kink
    rate, rho, _, _, high = client
    if now == 0:
        return 0.0
    blur, after = deviation(cap, rho, high) * h_slope(kind, cap, rate), 0.0
    start = min(max(x, low), sure)
    end = min(max(x + rate * cap, low), sure) if FAMILY[kind] == HINGE else sure
    if start > low:
        after += (start - low) * regret(low, min(x + blur, sure), W)
    if end < sure:
        after += (sure - end) * regret(end, sure, W)
    if end > start:
        middle, v = 0.5 * (start + end), (end - start) ** 2 / 12
        y = min(max(cap - (middle - x) / rate, 0.0), cap) if FAMILY[kind] == HINGE else cap
        q = (deviation(y, rho, high) * h_slope(kind, y, rate)) ** 2
        half = sqrt(3 * v * q / (v + q))
        after += (end - start) * regret(middle - half, middle + half, W)
    return chance * earned(rate * cap) * max(now - after / (sure - low), 0.0)


@inlined
def saving_on_step(s: FloatArray, x: float, weight: float, floor: float, worth: float) -> float:
    """The same on a step: a client that refuses shows nothing, so only an offer that it takes saves.

    Its cap, unknown until it delivers, counts as uniform: most of the hope lies in the large ones.
    """
    low, sure, up, cap = s[LOW], s[HIGH], s[UP], s[C]
    if cap <= 0 or worth <= 0 or sure - low < SHARP or x >= sure + up:
        return 0.0
    half, per_worth = sqrt(3 * s[CV]) + 1e-6, s[PAID] / worth
    room, over = per_worth * (s[DEAR] - weight), cap - floor - per_worth * weight
    saved = (ramp_integral(over + half, 0.0, room) - ramp_integral(over - half, 0.0, room)) / (2 * half)
    return worth * saved * chance_of_step(low, sure, x - up)


@inlined
def saving_on_stair(s: FloatArray, x: float, floor: float, worth: float) -> float:
    """What is saved should all of a stair's rise come with less money than the answer that showed it."""
    low, sure, k = s[LOW], s[HIGH], x - s[UP]
    if sure - low < SHARP or k >= sure or k <= low:
        return 0.0
    most = min(bounded_exp(sure), bounded_exp(low) + worth * s[CHANCE] * (s[C] - floor))
    return max(most - bounded_exp(k), 0.0) * chance_of_step(low, sure, k) * s[PATIENCE]
