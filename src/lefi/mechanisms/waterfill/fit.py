"""The tracks of one client from its last answers, weighed by evidence.

Answers of nothing bound the location from below, answers cut by a limit bound it from above; the others, sorted by
weight, are split between the rise and the cap of each family (splits.py). A step has no rise: all lie on its cap.
"""

from math import exp, inf, log, pi

from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.clipped import curve, fit_clipped
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
def fit_step(tracks, work, n, bounds, prior, chances, high, cap):  # type: ignore[no-untyped-def]
    """A step: every answer lies on the cap, the location between the refused offers and the taken ones."""
    below, above, most = bounds
    G, Gy, Gyy = cap_sums(work, n)
    volume, evidence, squares = chances[STEP_KIND] ** 2, 0.0, 0.0
    c, cv = prior[2], prior[3]  # no cap seen: one like others
    if n == 0 and most > 0:
        c = 0.75 * high + 0.25 * most
        cv = 0.25 * (high - c) ** 2
    if n > 0:
        c, cv = (cap[0], 0.0) if cap[0] > 0 else (Gy / G, 1 / G)
        squares = max(Gyy - 2 * c * Gy + c * c * G, 0.0)
        if cap[0] == 0 and -0.5 * squares < tracks[0, CHANCE] - HOPELESS:
            return -inf, squares  # what follows only lowers it
        volume *= 2 * pi / (G * high * high)
        evidence += cap_evidence(work, n, n, c, cv, most, cap)
    if below >= above:
        evidence += log(UNLIKELY)
        below = above - 0.5
    m, v, mass = truncate(prior[0], prior[1], below, above)
    evidence += 0.5 * (log(volume * max(mass, RARE) ** 2) - squares)
    keep(tracks, evidence, STEP_KIND, m, v, below, above, c, cv)
    return evidence, squares


@inlined
def sort_answers(x, limit, y, count, rate, rho, fade, floor, high, cap, work):  # type: ignore[no-untyped-def]
    """Answers that show something between nothing and a limit, by weight; of the others, the bounds they set.

    `cap` is full delivery. Returns the numbers of answers, of refusals, of answers cut by a limit, and the bounds:
    location on the axis of x at least and at most, the same on the axis of k, cap at least.
    """
    least, answers, refusals, most = inf, 0, 0, 0.0
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
        at = answers
        while at > 0 and work[X, at - 1] > x[i]:
            for row in (X, K, Y, A, D):
                work[row, at] = work[row, at - 1]
            at -= 1
        work[X, at], work[K, at], work[Y, at] = x[i], k, y[i]
        work[A, at], work[D, at] = fade ** (count - 1 - i), deviation(y[i], rho, high)
        answers += 1
    return answers, refusals, count - refusals - answers, (low, end, money_low, money_end, most)


@compiled
def fit_families(tracks, seen, bounds, rate, floor, high, fleet, cap, brief, work):  # type: ignore[no-untyped-def]
    """All tracks, by evidence, from sorted answers; returns the scatter of the best one in units of rho^2."""
    centre, spread, chances, _, _, caps = fleet
    n, refusals, cut = seen
    low, end, money_low, money_end, most = bounds
    tracks[:] = 0.0
    tracks[:, CHANCE], tracks[:, KIND] = -inf, IDLE_KIND
    best, scatter = -inf, 0.0
    for kind in range(0, 2 if brief else 6, 2):
        prior, limits = (centre[kind] - log(rate), spread[kind]), (low, end, most)
        if kind > 0:
            edge = money_end - h(kind, most, rate) if most > 0 else inf
            prior, limits = (centre[kind], spread[kind]), (-inf, edge, most)
        e, s = fit_rise(tracks, kind, work, n, limits, refusals, prior, chances, rate, high, cap)
        best, scatter = (e, s) if e > best else (best, scatter)
    money_end = min(money_end, work[K, 0]) if n > 0 else money_end
    step = (centre[STEP_KIND], spread[STEP_KIND], caps[0], caps[1])
    e, s = fit_step(tracks, work, n, (money_low, money_end, most), step, chances, high, cap)
    scatter = s if e > best else scatter
    if n + cut == 0:
        keep(tracks, log(chances[IDLE_KIND]), IDLE_KIND, 0.0, 1.0, -inf, inf, floor, 0.0)
    return scatter


@inlined
def fit_line(tracks, x, limit, y, count, rate, rho, fade, floor, high):  # type: ignore[no-untyped-def]
    """The one track of a client whose answers, clearly apart, lie on one rise: nothing else will explain that.

    Returns scatter and answers behind it; 0 answers, and the tracks as they were, where it is not so.
    """
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
def fit_client(tracks, x, limit, y, count, rate, rho, fade, floor, high, fleet, brief, work):  # type: ignore[no-untyped-def]
    """Tracks of a client with these answers, oldest first, under what the fleet has in common.

    `brief` leaves out all rises but the hinge. Returns scatter in units of rho^2, answers behind it, full delivery.
    """
    if brief and rho <= NOISY:
        scatter, weight = fit_line(tracks, x, limit, y, count, rate, rho, fade, floor, high)
        if weight > 0:
            return scatter, weight, high
    repeated, hits = repeat(x, limit, y, count, high)
    full = repeated if repeated > 0 else high
    n, refusals, cut, bounds = sort_answers(x, limit, y, count, rate, rho, fade, floor, high, full, work)
    seen, cap = (n, refusals, cut), (repeated, hits, fleet[3] if rho > NOISY else 0.0, rho <= NOISY)
    scatter = fit_families(tracks, seen, bounds, rate, floor, high, fleet, cap, brief, work)
    if rho > NOISY and n > 1:
        low, top = window(tracks[0])
        for i in range(n):  # else low answers would count more than high ones
            size = expected_size(int(tracks[0, KIND]), low, top, tracks[0, C], work[X, i], work[K, i], rate, floor)
            work[D, i] = deviation(max(size, 0.5 * work[Y, i]), rho, high)
        scatter = fit_families(tracks, seen, bounds, rate, floor, high, fleet, cap, brief, work)
    normalise(tracks)
    weight = 0.0
    for i in range(n):  # the cap itself shows no noise
        weight += 0.0 if at_cap(work[Y, i], repeated) else work[A, i]
    if rho > NOISY and count > 1 and repeated > 0 and rises(tracks) > 0.5:
        scatter = clip_noise(tracks, x, limit, y, count, rate, rho, fade, floor, high, fleet, repeated, brief, work)
    return scatter, weight, full


@compiled
def rises(tracks):  # type: ignore[no-untyped-def]
    """Probability of a curve that rises."""
    chance = 0.0
    for t in range(TRACKS):
        chance += tracks[t, CHANCE] if FAMILY[int(tracks[t, KIND])] < STEP else 0.0
    return chance


@compiled
def clip_noise(tracks, x, limit, y, count, rate, rho, fade, floor, high, fleet, cap, brief, work):  # type: ignore[no-untyped-def]
    """Fit again, knowing that the cap cuts the noise; returns the scatter around what is most probable."""
    for i in range(count):
        work[0, i], work[1, i], work[2, i], work[3, i] = x[i], limit[i], y[i], fade ** (count - 1 - i)
        work[4, i] = log_money(x[i], rate, min(limit[i], cap))
    kind, b = fit_clipped(tracks, (work, count), rate, rho, floor, high, cap, fleet, brief)
    scatter = 0.0
    for i in range(count):
        if floor < y[i] < CUT * min(limit[i], cap):
            D = curve(kind, b, x[i], work[4, i], rate, floor, cap)
            scatter += work[3, i] * ((y[i] - D) / deviation(D, rho, high)) ** 2
    return scatter


@inlined
def normalise(tracks):  # type: ignore[no-untyped-def]
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
def find_twin(tracks, s, last):  # type: ignore[no-untyped-def]
    """The position of a track before `last` that says the same as s; -1 if there is none."""
    for u in range(last):
        o = tracks[u]
        if o[KIND] == s[KIND] and abs(o[M] - s[M]) < ALIKE and abs(o[C] - s[C]) < ALIKE:
            return u
    return -1


@inlined
def repeat(x, limit, y, n, most):  # type: ignore[no-untyped-def]
    """The largest answer and how often it came back: exactly, uncut, at clearly different weights; else 0.

    The most that may be answered at all needs no repetition.
    """
    top, low, high, hits = 0.0, inf, -inf, 0
    for i in range(n):
        top = max(top, y[i])
    for i in range(n):
        if y[i] >= top * (1 - EXACT) and not is_cut(y[i], limit[i], most):
            low, high, hits = min(low, x[i]), max(high, x[i]), hits + 1
    return (top, hits - 1) if high - low > APART or (hits > 0 and top >= most * (1 - EXACT)) else (0.0, 0)
