"""How one answer changes the tracks of a client: Bayes' rule on each, in closed form.

p  where the offer stands on the track's axis       z = p - h(y)  the location that explains the answer
q  variance of z from the noise of the answer       S = V + q     variance of z as predicted
An answer of a capped track lies between the plateaus or on the cap; both readings are updated and merged with their
posterior weights (a filter with two branches). Likelihoods are densities of y, or chances where the answer is nothing
or a limit; an outlier has a small share of every likelihood, so that no answer is impossible on any track.
"""

from math import inf, log, sqrt

from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.tracks import (
    CAPPED,
    CV,
    EVIDENCE,
    FAMILY,
    HIGH,
    IDLE,
    LOW,
    POWER,
    SEEN,
    STEP,
    TRACKS,
    C,
    M,
    Phi,
    V,
    bound_location,
    chance_below,
    chance_of_step,
    density,
    h,
    h_slope,
    log_money,
    place,
    truncate,
)

OUTLIER = 0.01  # share of answers that follow no track
JUMP = 0.04  # variance of a location that has just been read off an answer which did not fit
WORST = -8.0  # no track falls further behind the best one, so that a change is noticed within an answer or two
DECAY = 0.98  # of the evidence a round: what was learned long ago weighs less
ORDER = (1, 0, 3, 2, 5, 4, 6, 7)  # capped tracks first: they may start from the open one as it was before the answer


@compiled
def learn_answer(tracks, x, y, limit, rate, rho, floor, high):  # type: ignore[no-untyped-def]
    """Update all tracks of one client; returns three numbers of the best one: squared and signed standardised
    surprise, and how much of it is noise (0: the answer says nothing about the noise).
    """
    censored = y >= min(limit, high) * (1 - 1e-7)
    nothing = y <= floor + 1e-9 * high
    chi, u, says, best = 0.0, 0.0, 0.0, -inf
    for t in ORDER:
        s = tracks[t]
        cap = s[C] if CAPPED[t] and s[C] > 0 else high
        p = place(t, x, log_money(x, rate, min(cap, limit)))
        a, b, c = 0.0, 0.0, 0.0
        if FAMILY[t] == IDLE:
            gain = 0.0 if nothing else log(OUTLIER) if censored else log(OUTLIER / high)
        elif nothing:
            gain = log(learn_nothing(t, s, p))
        elif censored:
            gain = log(learn_limit(t, s, p, min(limit, high), rate, rho, high))
        elif FAMILY[t] == STEP:
            gain, a, c = learn_step(s, p, y, rho, high)
            gain = log(gain)
        elif CAPPED[t]:
            gain, a, b, c = learn_capped(t, s, tracks[t - 1], p, y, rate, rho, high)
        else:
            gain, a, b, c = learn_open(t, s, p, y, rate, rho, high)
        s[EVIDENCE] += gain
        if s[EVIDENCE] > best and not (CAPPED[t] and s[C] == 0):
            best, chi, u, says = s[EVIDENCE], a, b, c
    for t in range(TRACKS):
        tracks[t, EVIDENCE] = max(DECAY * (tracks[t, EVIDENCE] - best), WORST)
    return chi, u, says


@compiled
def deviation(y, rho, high):  # type: ignore[no-untyped-def]
    """Standard deviation of the noise of an answer y."""
    return rho * (y + 0.02 * high)


@compiled
def learn_open(t, s, p, y, rate, rho, high):  # type: ignore[no-untyped-def]
    slope = h_slope(t, y, rate)
    z, q = p - h(t, y, rate), (deviation(y, rho, high) * slope) ** 2
    e, S = z - s[M], s[V] + q
    likelihood = density(e, S) * slope
    if likelihood < OUTLIER / high:
        s[M], s[V] = z, q + JUMP
    else:
        s[M], s[V] = s[M] + s[V] / S * e, s[V] * q / S
    fresh = s[SEEN] == 0
    s[SEEN] += 1
    s[LOW], s[HIGH] = -inf, inf
    gain = log(likelihood + OUTLIER / high)
    return (gain, 0.0, 0.0, 0.0) if fresh else (gain, e * e / S, e / sqrt(S), q / S)


@compiled
def learn_capped(t, s, origin, p, y, rate, rho, high):  # type: ignore[no-untyped-def]
    """An answer below the cap, on the cap, or on a cap that is seen for the first time."""
    d = deviation(y, rho, high) ** 2
    slope = h_slope(t, y, rate)
    z, q = p - h(t, y, rate), d * slope * slope
    e, S, e_cap, S_cap = z - s[M], s[V] + q, y - s[C], s[CV] + d
    between = on_cap = 0.0
    if s[C] > 0:
        between = density(e, S) * slope * Phi(-e_cap / sqrt(S_cap))
        exact = abs(e_cap) <= 1e-7 * s[C]  # noise never repeats a number: this is the cap itself
        sharp = min(S_cap, (2e-3 * s[C]) ** 2) if exact else S_cap
        on_cap = density(e_cap, sharp) * chance_below(s, p - h(t, s[C], rate))
    total = between + on_cap
    born = chance_below(origin, z) / high + 1e-3 * OUTLIER / high
    own = log(total + OUTLIER / high)
    if s[C] == 0 or origin[EVIDENCE] + log(born) > s[EVIDENCE] + own:
        begin_cap(s, origin, y, d, z)
        return origin[EVIDENCE] + log(born) - s[EVIDENCE], 0.0, 0.0, 0.0
    if total < OUTLIER / high:
        s[M], s[V], s[SEEN], s[LOW], s[HIGH] = z, q + JUMP, 1.0, -inf, inf
        if e_cap > 0:
            s[C], s[CV] = y, d
        return own, min(e * e / S, e_cap * e_cap / S_cap), 0.0, q / S
    share = between / total
    fresh = s[SEEN] == 0
    merge(t, s, share, s[M] + s[V] / S * e, s[V] * q / S, p, rate)
    gain = (1 - share) * s[CV] / S_cap
    s[C] += gain * e_cap
    s[CV] *= 1 - gain
    if fresh and share > 0.5:
        return own, 0.0, 0.0, 0.0
    chi = share * e * e / S + (1 - share) * e_cap * e_cap / S_cap
    return own, chi, (0.0 if fresh else share * e / sqrt(S)), share * q / S + (1 - share) * d / S_cap


@compiled
def begin_cap(s, origin, y, d, z):  # type: ignore[no-untyped-def]
    """Believe that y is the cap; what the open track knew of the location stays true."""
    s[M], s[V], s[SEEN], s[LOW], s[HIGH] = origin[M], origin[V], origin[SEEN], origin[LOW], origin[HIGH]
    s[C], s[CV] = y, d
    bound_location(s, -inf, z)
    if s[SEEN] > 0:
        s[M], s[V] = truncate(s[M], s[V], -inf, z)


@compiled
def merge(t, s, share, mean, variance, p, rate):  # type: ignore[no-untyped-def]
    """Location after an answer that lay between the plateaus with this probability, and else on the cap."""
    bound = p - h(t, s[C], rate)
    if s[SEEN] == 0:
        if share > 0.5:
            s[M], s[V], s[SEEN], s[LOW], s[HIGH] = mean, variance, 1.0, -inf, inf
        else:
            bound_location(s, -inf, bound)
        return
    m, v = truncate(s[M], s[V], -inf, bound)
    both = share * mean + (1 - share) * m
    s[V] = share * (variance + (mean - both) ** 2) + (1 - share) * (v + (m - both) ** 2)
    s[M] = both
    s[SEEN] += share


@compiled
def learn_step(s, k, y, rho, high):  # type: ignore[no-untyped-def]
    d = deviation(y, rho, high) ** 2
    chance = max(chance_of_step(s, k), OUTLIER)
    if s[C] == 0:
        s[C], s[CV] = y, d
        bound_location(s, -inf, k)
        return chance / high, 0.0, 0.0
    e, S = y - s[C], s[CV] + d
    likelihood = density(e, S) * chance
    if likelihood > OUTLIER / high:
        s[C] += s[CV] / S * e
        s[CV] *= d / S
        bound_location(s, -inf, k)
    elif e > 0:
        s[C], s[CV] = y, d
        bound_location(s, -inf, k)
    return likelihood + OUTLIER / high, e * e / S, d / S


@compiled
def learn_limit(t, s, p, limit, rate, rho, high):  # type: ignore[no-untyped-def]
    """The client would have delivered at least the limit."""
    bound = p - h(t, limit, rate)
    chance = chance_of_step(s, p) if FAMILY[t] == STEP else chance_below(s, bound)
    if CAPPED[t] and s[C] < limit * (1 - 1e-7):
        if s[C] > 0:
            chance *= Phi((s[C] - limit) / sqrt(s[CV] + deviation(limit, rho, high) ** 2))
        if s[C] > 0 or FAMILY[t] == STEP:
            s[C], s[CV] = limit, max(s[CV], (limit - s[C]) ** 2 if s[C] > 0 else 0.0, (0.1 * limit) ** 2)
    bound_location(s, -inf, bound)
    if s[SEEN] > 0:
        gap = max(s[M] - bound, 0.0)
        m, v = truncate(s[M], s[V], -inf, bound)
        s[M], s[V] = m, v + gap * gap  # a surprise widens the belief: else limits just above it would creep
    return max(chance, OUTLIER)


@compiled
def learn_nothing(t, s, p):  # type: ignore[no-untyped-def]
    """The client was not paid enough to start."""
    if FAMILY[t] == POWER:
        return OUTLIER
    if FAMILY[t] == STEP:
        chance = 1 - chance_of_step(s, p)
        bound_location(s, p, inf)
        return max(chance, OUTLIER)
    chance = 1.0 if p <= s[LOW] else Phi((s[M] - p) / sqrt(s[V]))
    if chance > OUTLIER:
        bound_location(s, p, inf)
        if s[SEEN] > 0:
            s[M], s[V] = truncate(s[M], s[V], p, inf)
    return max(chance, OUTLIER)
