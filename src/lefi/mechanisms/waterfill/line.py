"""The search for the best offer to one client, along the line of its log weights, at a given price of money.

levels (n, LEVELS)  accuracy of a client at sizes that lie evenly between the smallest and the largest; between them a
                    parabola through three of them, so that any accuracy model will do and the paper's is met exactly
client              what all looks at a client share, see value_at
"""

from math import exp, isnan, log

import numpy as np

from lefi.compiler import allocating, inlined
from lefi.mechanisms.waterfill.curves import (
    CANDIDATES,
    NEARBY,
    NOTHING,
    SCAN,
    UP,
    VIEW,
    limit_at,
    propose_one,
    size_at,
    survey,
)
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    FAMILY,
    HIGH,
    HINGE,
    IDLE,
    KIND,
    LOW,
    STEP,
    TRACKS,
    C,
    M,
    earned,
    log_money,
)
from lefi.mechanisms.waterfill.tries import hopes, is_tried_low, saving_at

LEVELS = 17
UNLIKELY = 0.2  # tracks below this probability need no candidates of their own
CLOSER = 0.2  # each step along the line against the one before
FINE, ROUGH = 0.05, 0.3  # of the spacing of candidates ends the steps, for clients that are well known and for others
NEWTON = 2  # steps towards equal slopes; the first one lands close by


@allocating
def best_offers(tracks, rho, full, last, patience, low, rate, levels, price, sober, bounds, looks, x, limit, cost):  # type: ignore[no-untyped-def]
    """Fill log weight, limit and cost (n,) of the offers that are worth most at this price of money.

    bounds = (lowest, highest log weight; smallest, largest size); looks: steps beyond the candidates, at most.
    """
    _, _, floor, high = bounds
    view, candidates, memo = np.empty((TRACKS, VIEW)), np.empty(CANDIDATES), np.empty(3)
    for i in range(x.size):
        kept = survey(tracks[i], full[i], rate[i], high, view)
        worth = (levels[i, LEVELS - 1] - levels[i, 0]) / (high - floor) / max(sober, 1e-300)
        hope = hopes(view, kept, rho[i], rate[i], floor, high, patience[i], low[i], worth)
        memo[0] = -1.0
        client = (memo, kept, hope, rho[i], full[i], rate[i], floor, high, price, sober, worth)
        best, at, step, spacing = best_candidate(view, levels, i, client, last[i], bounds, candidates)
        if looks > 0 and at > NOTHING:
            close = (ROUGH if isnan(last[i]) else FINE) * spacing
            best, at = climb(best, at, step, close, looks, view, levels, i, client)
        x[i], limit[i], cost[i] = NOTHING, floor, 0.0
        if best > levels[i, 0]:
            x[i], limit[i] = at, limit_at(at, view, kept, rho[i], rate[i], floor, high)
            cost[i] = exp(at) * earned(rate[i] * limit[i])


@inlined
def best_candidate(view, levels, i, client, last, bounds, candidates):  # type: ignore[no-untyped-def]
    """Value and log weight of the best candidate, the first step to take from there, and the spacing of candidates."""
    lowest, highest, _, _ = bounds
    spacing, count, scan = 0.0, 0, False
    if not is_tried_low(client[2]):
        spacing, count = propose_rational(view, levels, i, client, bounds, candidates)
    if count == 0:
        spacing, count = propose_one(view, client[1], last, lowest, highest, candidates)
        scan = count > SCAN  # every other candidate of it will do, since the steps start as long
    best, at = -1e300, NOTHING
    for j in range(1, count):
        needless = j % 2 == 0 if j <= SCAN else view[(j - 1 - SCAN) // 2, CHANCE] < UNLIKELY
        if candidates[j] == NOTHING or (scan and needless):
            continue
        value = value_at(candidates[j], view, levels, i, client)
        best, at = (value, candidates[j]) if value > best else (best, at)
    return best, at, spacing if scan else 0.5 * spacing, spacing


@inlined
def propose_rational(view, levels, i, client, bounds, x):  # type: ignore[no-untyped-def]
    """Log weights worth a look for a client that is rational or takes all or nothing, as far as can be told.

    These are where it delivers its cap, as expected and surely, and where slopes are equal. Returns their spacing, and
    one more than their number; 0 for other clients.
    """
    lowest, highest, _, _ = bounds
    count, wide = 1, 0.0
    for t in range(client[1]):
        family = FAMILY[int(view[t, KIND])]
        if view[t, CHANCE] < UNLIKELY or family == IDLE or view[t, C] <= 0:
            continue
        if family != HINGE and family != STEP:
            return 0.0, 0
        width = view[t, HIGH] - view[t, LOW]
        wide = max(wide, width)
        x[count] = view[t, M] + view[t, UP]
        count += 1
        if family == HINGE:
            x[count] = equal_slopes(view, t, levels, i, client)
            count += 1
        if width > NEARBY or family == STEP:
            x[count] = view[t, HIGH] + view[t, UP]
            count += 1
    for j in range(1, count):
        x[j] = min(max(x[j], lowest), highest)
    return min(max(NEARBY, 0.3 * wide), 0.5), count if count > 1 else 0


@inlined
def equal_slopes(view, t, levels, i, client):  # type: ignore[no-untyped-def]
    """Log weight, up to the kink, at which one more sample of a rational client costs what it is worth.

    Along its curve D = (x - b) / rate an offer costs exp(x) - exp(b), so there A'(D) = rate price exp(x).
    """
    _, _, _, _, _, rate, floor, high, price, _, _ = client
    scale, b = (LEVELS - 1) / (high - floor), view[t, M]
    x = kink = b + view[t, UP]
    for _ in range(NEWTON):
        u = ((x - b) / rate - floor) * scale
        j = piece(u)
        bend = levels[i, j - 1] - 2 * levels[i, j] + levels[i, j + 1]
        slope = max(0.5 * (levels[i, j + 1] - levels[i, j - 1]) + (u - j) * bend, 1e-300)
        x += (log(slope * scale / (rate * price)) - x) / (1 - min(bend / slope, 0.0) * scale / rate)
        x = min(max(x, b), kink)
    return x


@inlined
def climb(best, at, step, close, looks, view, levels, i, client):  # type: ignore[no-untyped-def]
    """Value and log weight where steps to either side, and parabolas through three of them, lead."""
    up, down = value_at(at + step, view, levels, i, client), value_at(at - step, view, levels, i, client)
    for _ in range(looks):
        if up > best and up >= down:
            down, best, at = best, up, at + step
            up = value_at(at + step, view, levels, i, client)
        elif down > best:
            up, best, at = best, down, at - step
            down = value_at(at - step, view, levels, i, client)
        else:  # to the top of the parabola through the three, and closer around it
            move, step = 0.5 * step * (up - down) / max(2 * best - up - down, 1e-300), CLOSER * step
            value = value_at(at + move, view, levels, i, client)
            best, at = (value, at + move) if value > best else (best, at)
            if step < close:
                break
            up, down = value_at(at + step, view, levels, i, client), value_at(at - step, view, levels, i, client)
    return best, at


@inlined
def value_at(x, view, levels, i, client):  # type: ignore[no-untyped-def]
    """What an offer is worth, less its cost at the price of money."""
    memo, kept, hope, rho, full, rate, floor, high, price, sober, worth = client
    limit = limit_at(x, view, kept, rho, rate, floor, high)
    if limit != memo[0]:  # often it is that of the last look
        memo[0], memo[1], memo[2] = limit, earned(rate * limit), log_money(0.0, rate, min(limit, full))
    weight, paid = exp(x), memo[1]
    size = size_at(x, view, kept, x + memo[2], rate, floor, limit)
    saving = sober * saving_at(x, weight, view, hope, rho, rate, floor, high, worth) if sober > 0 else 0.0
    return level(levels, i, (size - floor) / (high - floor)) + saving - price * weight * paid


@inlined
def level(levels, i, share):  # type: ignore[no-untyped-def]
    """Accuracy of client i at this share of the way from the smallest to the largest size."""
    u = share * (LEVELS - 1)
    j = piece(u)
    u -= j
    a, b, c = levels[i, j - 1], levels[i, j], levels[i, j + 1]
    return b + 0.5 * u * (c - a) + 0.5 * u * u * (a - 2 * b + c)


@inlined
def piece(u):  # type: ignore[no-untyped-def]
    """The middle one of the three levels around u."""
    return min(max(int(u + 0.5), 1), LEVELS - 2)
