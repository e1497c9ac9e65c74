"""The tracks of one client from its last answers, weighed by evidence.

Answers of nothing bound the location from below, answers cut by a limit bound it from above; the others, sorted by
weight, are split between the rise and the cap of each family (splits.py). A step has no rise: all lie on its cap.
"""

from math import exp, inf, log, pi

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.clipped import curve, fit_clipped
from lefi.mechanisms.waterfill.facts import Answers, Bounds, Cap, Client, Family, Fleet, Place, Sorted
from lefi.mechanisms.waterfill.splits import (
    EXACT,
    HOPELESS,
    RARE,
    REFUSED,
    UNLIKELY,
    A,
    D,
    K,
    X,
    Y,
    at_cap,
    cap_evidence,
    cap_sums,
    fit_rise,
    keep,
)
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    COLUMNS,
    CUT,
    CV,
    FAMILY,
    HIGH,
    IDLE_KIND,
    KIND,
    LOW,
    NOISY,
    STEP,
    STEP_KIND,
    TRACKS,
    TRIFLE,
    C,
    M,
    V,
    deviation,
    expected_size,
    h,
    is_cut,
    log_money,
    truncate,
    window,
)

NEGLIGIBLE = 0.003  # tracks below this probability are forgotten
ALIKE = 0.01  # tracks with location and cap this close say the same
CLEARLY, STRAIGHT = 10.0, 0.05  # deviations between answers that are clearly apart; squared, of those on one rise
APART = 0.01  # log weights this far apart are clearly different


@inlined
def fit_step(
    tracks: FloatArray, family: Family, seen: Sorted, fleet: Fleet, cap: Cap, client: Client
) -> tuple[float, float]:
    """A step: every answer lies on the cap, the location between the refused offers and the taken ones."""
    below, above, n = family.low, family.end, seen.n
    G, Gy, Gyy = cap_sums(seen.work, n)
    volume, evidence, squares = fleet.chances[STEP_KIND] ** 2, 0.0, 0.0
    c, cv = fleet.caps[0], fleet.caps[1]  # no cap seen: one like others
    if n == 0 and cap.least > 0:
        c = 0.75 * client.high + 0.25 * cap.least
        cv = 0.25 * (client.high - c) ** 2
    if n > 0:
        c, cv = (cap.repeated, 0.0) if cap.repeated > 0 else (Gy / G, 1 / G)
        squares = max(Gyy - 2 * c * Gy + c * c * G, 0.0)
        if cap.repeated == 0 and -0.5 * squares < tracks[0, CHANCE] - HOPELESS:
            return -inf, squares  # what follows only lowers it
        volume *= 2 * pi / (G * client.high * client.high)
        evidence += cap_evidence(seen, n, c, cv, cap)
    if below >= above:
        evidence += log(UNLIKELY)
        below = above - 0.5
    m, v, mass = truncate(family.mean, family.variance, below, above)
    evidence += 0.5 * (log(volume * max(mass, RARE) ** 2) - squares)
    keep(tracks, evidence, STEP_KIND, Place(m, v, below, above, c, cv))
    return evidence, squares


@inlined
def sort_answers(answers: Answers, fade: float, client: Client, work: FloatArray) -> tuple[Sorted, Bounds]:
    """Answers that show something between nothing and a limit, by weight; of the others, the bounds they set."""
    x, limit, y, count = answers
    rate, rho, cap, floor, high = client
    least, n, refusals, most = inf, 0, 0, 0.0
    low = money_low = -inf
    end = money_end = inf
    for i in range(count):
        if y[i] > floor + TRIFLE * high and not is_cut(y[i], limit[i], high):
            least = min(least, x[i] - rate * y[i])
    for i in range(count):
        k = log_money(x[i], rate, min(limit[i], cap))
        if y[i] <= floor + TRIFLE * high:
            low, money_low = max(low, x[i]), max(money_low, k)
            work[REFUSED, refusals] = x[i]
            refusals += 1
            continue
        if is_cut(y[i], limit[i], high):
            sure = max(limit[i] - 2 * deviation(limit[i], rho, high), 0.5 * limit[i])  # noise may have lifted it
            end, money_end, most = min(end, x[i] - rate * sure), min(money_end, k), max(most, sure)
            if least == inf or x[i] - rate * limit[i] >= least:
                continue  # else the client has become cheaper than it ever was: read the limit as its answer
        at = n
        while at > 0 and work[X, at - 1] > x[i]:
            for row in (X, K, Y, A, D):
                work[row, at] = work[row, at - 1]
            at -= 1
        work[X, at], work[K, at], work[Y, at] = x[i], k, y[i]
        work[A, at], work[D, at] = fade ** (count - 1 - i), deviation(y[i], rho, high)
        n += 1
    return Sorted(work, n, refusals, count - refusals - n), Bounds(low, end, money_low, money_end, most)


@compiled
def fit_families(
    tracks: FloatArray, seen: Sorted, bounds: Bounds, client: Client, fleet: Fleet, cap: Cap, brief: bool
) -> float:
    """All tracks, by evidence, from sorted answers; returns the scatter of the best one in units of rho^2."""
    rate, centre, spread = client.rate, fleet.centre, fleet.spread
    tracks[:] = 0.0
    tracks[:, CHANCE], tracks[:, KIND] = -inf, IDLE_KIND
    best, scatter = -inf, 0.0
    for kind in range(0, 2 if brief else 6, 2):
        family = Family(kind, bounds.low, bounds.end, centre[kind] - log(rate), spread[kind])
        if kind > 0:
            edge = bounds.money_end - h(kind, bounds.most, rate) if bounds.most > 0 else inf
            family = Family(kind, -inf, edge, centre[kind], spread[kind])
        e, s = fit_rise(tracks, family, seen, fleet.chances, cap, client)
        best, scatter = (e, s) if e > best else (best, scatter)
    end = min(bounds.money_end, seen.work[K, 0]) if seen.n > 0 else bounds.money_end
    step = Family(STEP_KIND, bounds.money_low, end, centre[STEP_KIND], spread[STEP_KIND])
    e, s = fit_step(tracks, step, seen, fleet, cap, client)
    scatter = s if e > best else scatter
    if seen.n + seen.cut == 0:
        keep(tracks, log(fleet.chances[IDLE_KIND]), IDLE_KIND, Place(0.0, 1.0, -inf, inf, client.floor, 0.0))
    return scatter


@inlined
def fit_line(tracks: FloatArray, answers: Answers, fade: float, client: Client) -> tuple[float, float]:
    """The one track of a client whose answers, clearly apart, lie on one rise: nothing else will explain that.

    Returns scatter and answers behind it; 0 answers, and the tracks as they were, where it is not so.
    """
    x, limit, y, count = answers
    rate, rho, _, floor, high = client
    a, weight, P, Pz, Pzz, least, most = 1.0, 0.0, 0.0, 0.0, 0.0, inf, 0.0
    for i in range(count - 1, -1, -1):
        if y[i] <= floor + TRIFLE * high or y[i] >= high * (1 - EXACT) or is_cut(y[i], limit[i], high):
            return 0.0, 0.0
        z = x[i] - rate * y[i] - (x[count - 1] - rate * y[count - 1])
        p = a / (rate * deviation(y[i], rho, high)) ** 2
        P, Pz, Pzz = P + p, Pz + p * z, Pzz + p * z * z
        least, most, weight, a = min(least, y[i]), max(most, y[i]), weight + a, a * fade
    squares = max(Pzz - Pz * Pz / P, 0.0) if count > 0 else 0.0
    if most - least < CLEARLY * deviation(most, rho, high) or squares > STRAIGHT * weight:
        return 0.0, 0.0
    for t in range(TRACKS):
        tracks[t, KIND], tracks[t, CHANCE] = IDLE_KIND, 0.0
    s = tracks[0]
    s[KIND], s[LOW], s[HIGH], s[C], s[CV], s[CHANCE] = 0, -inf, inf, high, 0.0, 1.0
    s[M], s[V] = x[count - 1] - rate * y[count - 1] + Pz / P, 1 / P
    return squares, weight


@compiled
def fit_client(
    tracks: FloatArray, answers: Answers, fade: float, client: Client, fleet: Fleet, brief: bool, work: FloatArray
) -> tuple[float, float, float]:
    """Tracks of a client with these answers under what the fleet has in common.

    fade: weight of an answer against the next one. `brief` leaves out all rises but the hinge. What full delivery is
    taken to be (in `client`) is found anew. Returns scatter in units of rho^2, answers behind it, full delivery.
    """
    rate, rho, _, floor, high = client
    if brief and rho <= NOISY:
        scatter, weight = fit_line(tracks, answers, fade, client)
        if weight > 0:
            return scatter, weight, high
    repeated, hits = repeat(answers, high)
    full = repeated if repeated > 0 else high
    client = Client(rate, rho, full, floor, high)
    seen, bounds = sort_answers(answers, fade, client, work)
    cap = Cap(repeated, hits, bounds.most, fleet.hard if rho > NOISY else 0.0, rho <= NOISY)
    scatter = fit_families(tracks, seen, bounds, client, fleet, cap, brief)
    if rho > NOISY and seen.n > 1:
        low, top = window(tracks[0])
        for i in range(seen.n):  # else low answers would count more than high ones
            offer = work[X, i], work[K, i]
            size = expected_size(int(tracks[0, KIND]), low, top, tracks[0, C], offer, rate, floor)
            work[D, i] = deviation(max(size, 0.5 * work[Y, i]), rho, high)
        scatter = fit_families(tracks, seen, bounds, client, fleet, cap, brief)
    normalise(tracks)
    weight = 0.0
    for i in range(seen.n):  # the cap itself shows no noise
        weight += 0.0 if at_cap(work[Y, i], repeated) else work[A, i]
    if rho > NOISY and answers.n > 1 and repeated > 0 and rises(tracks) > 0.5:
        scatter = clip_noise(tracks, answers, fade, client, fleet, brief, work)
    return scatter, weight, full


@compiled
def rises(tracks: FloatArray) -> float:
    """Probability of a curve that rises."""
    chance = 0.0
    for t in range(TRACKS):
        chance += tracks[t, CHANCE] if FAMILY[int(tracks[t, KIND])] < STEP else 0.0
    return chance


@compiled
def clip_noise(
    tracks: FloatArray, answers: Answers, fade: float, client: Client, fleet: Fleet, brief: bool, work: FloatArray
) -> float:
    """Fit again, knowing that the cap cuts the noise; returns the scatter around what is most probable."""
    x, limit, y, count = answers
    rate, rho, cap, floor, high = client
    for i in range(count):
        work[0, i], work[1, i], work[2, i], work[3, i] = x[i], limit[i], y[i], fade ** (count - 1 - i)
        work[4, i] = log_money(x[i], rate, min(limit[i], cap))
    kind, b = fit_clipped(tracks, work[:, :count], client, fleet, brief)
    scatter = 0.0
    for i in range(count):
        if floor < y[i] < CUT * min(limit[i], cap):
            D = curve(kind, b, x[i], work[4, i], client)
            scatter += work[3, i] * ((y[i] - D) / deviation(D, rho, high)) ** 2
    return scatter


@inlined
def normalise(tracks: FloatArray) -> None:
    """Evidence to probabilities, most probable first; tracks that say the same become one, negligible ones go."""
    best, total, last, kept = tracks[0, CHANCE], 0.0, 0, 0.0
    for t in range(TRACKS):
        tracks[t, CHANCE] = exp(tracks[t, CHANCE] - best)
        total += tracks[t, CHANCE]
    for t in range(TRACKS):
        s = tracks[t]
        s[CHANCE] /= total
        twin = find_twin(tracks, s, last)
        if twin >= 0:
            o = tracks[twin]
            share = s[CHANCE] / (s[CHANCE] + o[CHANCE])
            o[V], o[CV] = o[V] + share * (s[V] - o[V]), o[CV] + share * (s[CV] - o[CV])
            o[CHANCE] += s[CHANCE]
        elif s[CHANCE] > NEGLIGIBLE:
            for column in range(COLUMNS):
                tracks[last, column] = s[column]
            last += 1
    tracks[last:, CHANCE] = 0.0
    for t in range(last):
        kept += tracks[t, CHANCE]
    for t in range(last):
        tracks[t, CHANCE] /= kept


@inlined
def find_twin(tracks: FloatArray, s: FloatArray, last: int) -> int:
    """The position of a track before `last` that says the same as s; -1 if there is none."""
    for u in range(last):
        o = tracks[u]
        if o[KIND] == s[KIND] and abs(o[M] - s[M]) < ALIKE and abs(o[C] - s[C]) < ALIKE:
            return u
    return -1


@inlined
def repeat(answers: Answers, most: float) -> tuple[float, int]:
    """The largest answer and how often it came back: exactly, uncut, at clearly different weights; else 0.

    The most that may be answered at all needs no repetition.
    """
    x, limit, y, count = answers
    top, low, high, hits = 0.0, inf, -inf, 0
    for i in range(count):
        top = max(top, y[i])
    for i in range(count):
        if y[i] >= top * (1 - EXACT) and not is_cut(y[i], limit[i], most):
            low, high, hits = min(low, x[i]), max(high, x[i]), hits + 1
    return (top, hits - 1) if high - low > APART or (hits > 0 and top >= most * (1 - EXACT)) else (0.0, 0)
