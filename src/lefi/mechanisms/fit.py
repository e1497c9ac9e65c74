"""The tracks of one client from its last answers: exact least squares of broken curves, weighed by evidence.

Answers sorted by weight: i = 0 .. n-1, each with log weight x, answer y, standard deviation d = rho (y + y0), and a
weight a that fades with age. On a rising curve z_i = x_i - h(y_i) shows the location, with precision
p_i = a / (h'(y_i) d)^2; on the cap y_i shows the cap, with precision g_i = a / d^2.
A split j says: the first j answers lie on the rise, the others on the cap. Then location and cap are weighted means,
and all n + 1 splits of a family follow from running sums. Evidence of a split: the Gaussian integral over location
(prior N(mu, tau^2) of the fleet) and cap (uniform on [0, size_high]).
Answers of nothing bound the location from below, answers cut by a limit bound it from above.
"""

from math import exp, inf, log, pi, sqrt

from lefi.mechanisms.compiled import compiled
from lefi.mechanisms.tracks import (
    CHANCE,
    COLUMNS,
    CV,
    FAMILY,
    HIGH,
    HINGE,
    IDLE_KIND,
    KIND,
    LOW,
    POWERS,
    STEP_KIND,
    TRACKS,
    C,
    M,
    Phi,
    V,
    h,
    h_slope,
    log_money,
    truncate,
)

UNLIKELY = 0.01  # chance of an answer that a track rules out
NEGLIGIBLE = 0.003  # tracks below this probability are forgotten
ALIKE = 0.01  # tracks with location and cap this close say the same
HOPELESS = 12.0  # evidence this far behind the best is not worth the rest of the sum
NEVER = 1e-12  # chance of what is ruled out, but for rounding
QUIET_SIZE = 0.02  # y0 as a share of size_high
EXACT = 1e-9  # answers this close are the same number
REPEAT = 2e-3  # noise does not repeat a number: a repeated one counts as if known to this relative precision


@compiled
def deviation(y, rho, high):  # type: ignore[no-untyped-def]
    """Standard deviation of the noise of an answer y."""
    return rho * (y + QUIET_SIZE * high)


@compiled
def keep(tracks, evidence, kind, m, v, low, high, c, cv):  # type: ignore[no-untyped-def]
    """Put a track in its place among the most probable ones (evidence in column CHANCE for now)."""
    if not evidence > tracks[TRACKS - 1, CHANCE]:
        return
    at = TRACKS - 1
    while at > 0 and tracks[at - 1, CHANCE] < evidence:
        for column in range(COLUMNS):
            tracks[at, column] = tracks[at - 1, column]
        at -= 1
    s = tracks[at]
    s[KIND], s[M], s[V], s[LOW], s[HIGH], s[C], s[CV], s[CHANCE] = kind, m, v, low, high, c, cv, evidence


@compiled
def squeeze(kink, variance, low, high):  # type: ignore[no-untyped-def]
    """A split holds where the kink lies between its two answers: that probability, and what it does to the kink.

    Returns the probability, the shift of the mean, and the share of the variance that goes.
    """
    s = sqrt(variance)
    mass = Phi((high - kink) / s) - Phi((low - kink) / s)
    m, v = truncate(kink, variance, low, high)
    return max(mass, NEVER), m - kink, 1 - v / variance


@compiled
def fit_rise(tracks, kind, x, y, a, d, n, bounds, no, prior, chances, rate, high, cap):  # type: ignore[no-untyped-def]
    """All splits of one family: `kind` is its open kind, kind + 1 its capped one. Returns scatter of the best."""
    mu, precision = prior[0], 1 / prior[1]
    below, above, most = bounds
    repeated, hits, hard = cap
    G = Gy = Gyy = bonus = 0.0
    for i in range(n):
        g = a[i] / (d[i] * d[i])
        G, Gy, Gyy = G + g, Gy + g * y[i], Gyy + g * y[i] * y[i]
        if y[i] >= repeated:
            bonus = max(hits * log(d[i] / (REPEAT * y[i])), 0.0)
    top_g = G
    P, Pz, Pzz = precision, 0.0, 0.0
    best, scatter = -inf, 0.0
    for j in range(n + 1):
        if j > 0:
            i = j - 1
            slope = h_slope(kind, y[i], rate)
            g = a[i] / (d[i] * d[i])
            if not (repeated > 0 and y[i] >= repeated * (1 - EXACT)):  # else it would have been more, but for the cap
                p, z = g / (slope * slope), x[i] - h(kind, y[i], rate) - mu
                P, Pz, Pzz = P + p, Pz + p * z, Pzz + p * z * z
            G, Gy, Gyy = G - g, Gy - g * y[i], Gyy - g * y[i] * y[i]
        capped = j < n
        m, v, squares = mu + Pz / P, 1 / P, max(Pzz - Pz * Pz / P, 0.0)
        evidence = 0.5 * log(precision / P)
        c, cv, edge = high, 0.0, above
        if capped:
            if G < 1e-12 * top_g:
                continue
            c, cv = (repeated, 0.0) if repeated > 0 else (Gy / G, 1 / G)
            squares += max(Gyy - 2 * c * Gy + c * c * G, 0.0)
            evidence += 0.5 * log(2 * pi / G) - log(high) + bonus
            if hard > 0 and repeated == 0:  # at a hard cap noise leaves every other answer at the very cap
                evidence += hard * (log(1.0 + n - j) - (n - j) * log(2.0))
            if c < most:
                evidence += log(max(Phi((c - most) / sqrt(cv + d[n - 1] * d[n - 1])), UNLIKELY))
        evidence += log(chances[kind + 1] if capped else chances[kind]) - 0.5 * squares
        if not capped and 0 < repeated < high * (1 - EXACT):
            evidence += log(NEVER)
        if evidence < tracks[TRACKS - 1, CHANCE] or evidence < tracks[0, CHANCE] - HOPELESS:
            continue  # what follows only lowers it
        low, end = -inf, inf
        if j == 0:
            end = min(edge, x[0] - h(kind, c, rate)) if capped else edge
            low = below if below < end else -inf
            evidence += log(max(Phi((end - m) / sqrt(v)), UNLIKELY)) + refusal_evidence(kind, no, m, sqrt(v), high)
            m, v = truncate(m, v, low, end)
        else:
            doubt = sqrt(v + (d[j - 1] * h_slope(kind, y[j - 1], rate)) ** 2)
            evidence += log(max(Phi((edge - m) / doubt), UNLIKELY)) + refusal_evidence(kind, no, m, doubt, high)
            lean = h_slope(kind, c, rate)
            kink, wide = m + h(kind, c, rate), v + lean * lean * cv
            mass, shift, shrink = squeeze(kink, wide, x[j - 1], x[j] if capped else inf)
            evidence += log(mass)
            m, c = m + v / wide * shift, c + lean * cv / wide * shift
            v, cv = v - v * v / wide * shrink, cv - (lean * cv) ** 2 / wide * shrink
            if repeated > 0:
                evidence += lifted_evidence(kind, x, y, d, j, m, rate, repeated)
        keep(tracks, evidence, kind + 1 if capped else kind, m, v, low, end, c, cv)
        if evidence > best:
            best, scatter = evidence, squares
    return best, scatter


@compiled
def fit_step(tracks, y, a, d, n, bounds, prior, chances, high):  # type: ignore[no-untyped-def]
    """A step: every answer lies on the cap, the location between the refused offers and the taken ones."""
    below, above, most = bounds
    G = Gy = Gyy = 0.0
    for i in range(n):
        g = a[i] / (d[i] * d[i])
        G, Gy, Gyy = G + g, Gy + g * y[i], Gyy + g * y[i] * y[i]
    evidence, c, squares = log(chances[STEP_KIND]), 0.75 * high + 0.25 * most, 0.0  # no cap seen: a guess
    cv = 0.25 * (high - c) ** 2
    if n > 0:
        c, cv = Gy / G, 1 / G
        squares = max(Gyy - c * Gy, 0.0)
        evidence += -0.5 * squares + 0.5 * log(2 * pi / G) - log(high)
        if c < most:
            evidence += log(max(Phi((c - most) / sqrt(cv + d[n - 1] * d[n - 1])), UNLIKELY))
    if below >= above:
        evidence += log(UNLIKELY)
        below = above - 0.5
    s = sqrt(prior[1])
    evidence += log(max(Phi((above - prior[0]) / s) - Phi((below - prior[0]) / s), 1e-6))
    m, v = truncate(prior[0], prior[1], below, above)
    keep(tracks, evidence, STEP_KIND, m, v, below, above, c, cv)
    return evidence, squares


@compiled
def sort_answers(x, limit, y, count, rate, rho, fade, floor, high, cap, work):  # type: ignore[no-untyped-def]
    """Answers that show something between nothing and a limit, by weight; of the others, the bounds they set.

    `cap` is where k takes full delivery to be. Returns the number of answers, of refusals (offers refused are in the
    last row of work), of answers cut by a limit, and the bounds as (hinge low, high, money low, high, least cap).
    """
    xs, ks, ys, a, d, refused = work[0], work[1], work[2], work[3], work[4], work[5]
    least, answers, refusals, most = inf, 0, 0, 0.0
    low = money_low = -inf
    end = money_end = inf
    for i in range(count):
        if y[i] > floor + 1e-9 * high and (y[i] < limit[i] * (1 - 1e-7) or limit[i] >= high):
            least = min(least, x[i] - rate * y[i])
    for i in range(count):
        k = log_money(x[i], rate, min(limit[i], cap))
        if y[i] <= floor + 1e-9 * high:
            low, money_low = max(low, x[i]), max(money_low, k)
            refused[refusals] = x[i]
            refusals += 1
            continue
        if y[i] >= limit[i] * (1 - 1e-7) and limit[i] < high:
            sure = max(limit[i] - 2 * deviation(limit[i], rho, high), 0.5 * limit[i])  # noise may have lifted it
            end, money_end, most = min(end, x[i] - rate * sure), min(money_end, k), max(most, sure)
            if least == inf or x[i] - rate * limit[i] >= least:
                continue  # else the client has become cheaper than it ever was: read the limit as its answer
        at = answers
        while at > 0 and xs[at - 1] > x[i]:
            xs[at], ks[at], ys[at], a[at], d[at] = xs[at - 1], ks[at - 1], ys[at - 1], a[at - 1], d[at - 1]
            at -= 1
        xs[at], ks[at], ys[at], d[at] = x[i], k, y[i], deviation(y[i], rho, high)
        a[at] = fade ** (count - 1 - i)
        answers += 1
    return answers, refusals, count - refusals - answers, (low, end, money_low, money_end, most)


@compiled
def fit_client(tracks, x, limit, y, count, rate, rho, fade, floor, high, centre, spread, chances, hard, brief, work):  # type: ignore[no-untyped-def]
    """Tracks of a client with these answers, oldest first; gives scatter in units of rho^2, answers, cap for k."""
    tracks[:, CHANCE], tracks[:, KIND] = -inf, IDLE_KIND
    repeated, hits = repeat(x, y, count, high)
    full = repeated if repeated > 0 else high
    n, refusals, cut, bounds = sort_answers(x, limit, y, count, rate, rho, fade, floor, high, full, work)
    xs, ks, ys, a, d, refused = work[0], work[1], work[2], work[3], work[4], work[5]
    low, end, money_low, money_end, most = bounds
    no, cap = (refused, refusals), (repeated, hits, hard)
    prior = (centre[0] - log(rate), spread[0])
    best, scatter = fit_rise(tracks, 0, xs, ys, a, d, n, (low, end, most), no, prior, chances, rate, high, cap)
    for kind in (2, 4):
        if brief:  # a hinge that goes on answering as expected
            break
        edge = money_end - h(kind, most, rate) if most > 0 else inf
        prior = (centre[kind], spread[kind])
        e, s = fit_rise(tracks, kind, ks, ys, a, d, n, (-inf, edge, most), no, prior, chances, rate, high, cap)
        if e > best:
            best, scatter = e, s
    if n > 0:
        money_end = min(money_end, ks[0])
    prior = (centre[STEP_KIND], spread[STEP_KIND])
    e, s = fit_step(tracks, ys, a, d, n, (money_low, money_end, most), prior, chances, high)
    if e > best:
        scatter = s
    idle, weight = log(chances[IDLE_KIND]) + (log(NEVER) if n + cut > 0 else 0.0), 0.0
    for i in range(n):  # the cap itself shows no noise
        weight += 0.0 if repeated > 0 and ys[i] >= repeated * (1 - EXACT) else a[i]
    keep(tracks, idle, IDLE_KIND, 0.0, 1.0, -inf, inf, floor, 0.0)
    normalise(tracks)
    return scatter, weight, full


@compiled
def lifted_evidence(kind, x, y, d, j, m, rate, cap):  # type: ignore[no-untyped-def]
    """Log chance, against that on the cap (1/2), that noise lifted answers on the rise up to the very cap."""
    result = 0.0
    for i in range(j):
        if y[i] >= cap * (1 - EXACT):
            size = (x[i] - m) / rate if FAMILY[kind] == HINGE else exp(min(POWERS[kind] * (x[i] - m), 50.0))
            if size < cap:
                result += log(2 * max(Phi((size - cap) / d[i]), NEVER))
    return result


@compiled
def refusal_evidence(kind, no, m, doubt, high):  # type: ignore[no-untyped-def]
    """Log chance of the refusals: a hinge refuses below its location, a power delivers something for any money."""
    refused, refusals = no
    result = 0.0
    for i in range(refusals):
        if FAMILY[kind] == HINGE:
            result += log(max(Phi((m - refused[i]) / doubt), UNLIKELY))
        elif POWERS[kind] * (refused[i] - m) > log(1e-5 * high):
            result += log(UNLIKELY)
    return result


@compiled
def normalise(tracks):  # type: ignore[no-untyped-def]
    """Evidence to probabilities, most probable first; tracks that say the same become one, negligible ones go."""
    best, total = tracks[0, CHANCE], 0.0
    for t in range(TRACKS):
        tracks[t, CHANCE] = exp(tracks[t, CHANCE] - best)
        total += tracks[t, CHANCE]
    last = 0
    for t in range(TRACKS):
        s = tracks[t]
        s[CHANCE] /= total
        twin = -1
        for u in range(last):
            o = tracks[u]
            if o[KIND] == s[KIND] and abs(o[M] - s[M]) < ALIKE and abs(o[C] - s[C]) < ALIKE:
                twin = u
                break
        if twin >= 0:
            o = tracks[twin]
            share = s[CHANCE] / (s[CHANCE] + o[CHANCE])
            o[V], o[CV] = o[V] + share * (s[V] - o[V]), o[CV] + share * (s[CV] - o[CV])
            o[CHANCE] += s[CHANCE]
        elif s[CHANCE] > NEGLIGIBLE:
            tracks[last] = s
            last += 1
    kept = 0.0
    for t in range(TRACKS):
        tracks[t, CHANCE] = tracks[t, CHANCE] if t < last else 0.0
        kept += tracks[t, CHANCE]
    for t in range(last):
        tracks[t, CHANCE] /= kept


@compiled
def repeat(x, y, n, most):  # type: ignore[no-untyped-def]
    """The largest answer and how often it came back, if it did so exactly at clearly different weights (or is
    the most that may be answered); else 0."""
    top, low, high, hits = 0.0, inf, -inf, 0
    for i in range(n):
        top = max(top, y[i])
    for i in range(n):
        if y[i] >= top * (1 - EXACT):
            low, high, hits = min(low, x[i]), max(high, x[i]), hits + 1
    return (top, hits - 1) if high - low > 0.01 or top >= most * (1 - EXACT) else (0.0, 0)
