"""Where on its curve a client has answered: every way to split its answers into those on the rise and those on the cap.

Answers sorted by weight: i = 0 .. n-1, each with log weight x, answer y, standard deviation d = rho (y + y0), and a
weight a that fades with age. On a rising curve z_i = x_i - h(y_i) shows the location, with precision
p_i = a / (h'(y_i) d)^2; on the cap y_i shows the cap, with precision g_i = a / d^2.
A split j says: the first j answers lie on the rise, the others on the cap. Then location and cap are weighted means,
and all n + 1 splits of a family follow from running sums. Evidence of a split: the Gaussian integral over location
(prior N(mu, tau^2) of the fleet) and cap (uniform on [0, size_high]), where the kink lies between its two answers.
"""

from math import exp, inf, log, pi, sqrt

from lefi.mechanisms.compiled import compiled, inlined
from lefi.mechanisms.tracks import (
    CHANCE,
    COLUMNS,
    CV,
    FAMILY,
    HIGH,
    HINGE,
    KIND,
    LOW,
    POWERS,
    TRACKS,
    TRIFLE,
    C,
    M,
    Phi,
    V,
    h,
    h_slope,
    truncate,
)

UNLIKELY = 0.01  # chance of an answer that a track rules out
RARE = 1e-6  # chance of a location far from those of the fleet, at least
NEVER = 1e-12  # chance of what is ruled out, but for rounding
HOPELESS = 12.0  # evidence this far behind the best is not worth the rest of the sum
LIFT = 6.0  # deviations of noise that may lift an answer to the cap, at most
EXACT = 1e-9  # answers this close are the same number
REPEAT = 2e-3  # noise does not repeat a number: a repeated one counts as if known to this relative precision


@compiled
def fit_rise(tracks, kind, answers, n, bounds, no, prior, chances, rate, high, cap):  # type: ignore[no-untyped-def]
    """All splits of one family: `kind` is its open kind, kind + 1 its capped one. Returns best evidence, scatter.

    bounds = (location at least, at most, cap at least); no = refused offers; cap = (repeated answer, hits, hard,
    quiet).
    """
    (x, y, a, d), repeated = answers, cap[0]
    mu, precision = prior[0], 1 / prior[1]
    G, Gy, Gyy = cap_sums(y, a, d, n)
    all_G, P, Pz, Pzz = G, precision, 0.0, 0.0
    best, scatter = -inf, 0.0
    for j in range(1 + rise_at_most(kind, x, y, d, n, rate, repeated)):
        if j > 0:
            i = j - 1
            g = a[i] / (d[i] * d[i])
            if not at_cap(y[i], repeated):  # else it would have been more, but for the cap
                p, z = g / h_slope(kind, y[i], rate) ** 2, x[i] - h(kind, y[i], rate) - mu
                P, Pz, Pzz = P + p, Pz + p * z, Pzz + p * z * z
            G, Gy, Gyy = G - g, Gy - g * y[i], Gyy - g * y[i] * y[i]
        if j < n and G < 1e-12 * all_G:
            continue
        squares = max(Pzz - Pz * Pz / P, 0.0)
        evidence = 0.5 * log(precision / P) + log(chances[kind + (j < n)])
        c, cv = high, 0.0
        if j < n:
            c, cv = (repeated, 0.0) if repeated > 0 else (Gy / G, 1 / G)
            squares += max(Gyy - 2 * c * Gy + c * c * G, 0.0)
            evidence += cap_evidence(y, d, n, n - j, G, c, cv, bounds[2], high, cap)
        elif 0 < repeated < high * (1 - EXACT):
            evidence += log(NEVER)
        evidence -= 0.5 * squares
        if evidence < tracks[TRACKS - 1, CHANCE] or evidence < tracks[0, CHANCE] - HOPELESS:
            continue  # what follows only lowers it
        more, m, v, low, end, c, cv = place_kink(
            kind, j, answers, n, mu + Pz / P, 1 / P, c, cv, bounds, no, rate, high, cap
        )
        keep(tracks, evidence + more, kind + (j < n), m, v, low, end, c, cv)
        if evidence + more > best:
            unusual = precision * (Pz / P) ** 2 if cap[3] else 0.0  # is no noise
            best, scatter = evidence + more, max(squares - unusual, 0.0)
    return best, scatter


@inlined
def at_cap(y, cap):  # type: ignore[no-untyped-def]
    """Whether an answer is the very cap; 0: no cap is known."""
    return cap > 0 and y >= cap * (1 - EXACT)


@inlined
def rise_at_most(kind, x, y, d, n, rate, repeated):  # type: ignore[no-untyped-def]
    """How many answers may lie on the rise: noise lifts none to the very cap that is far above the first one there."""
    first = n
    while first > 0 and at_cap(y[first - 1], repeated):
        first -= 1
    last = first
    while last < n and x[last] - x[first] <= LIFT * d[last] * h_slope(kind, y[last], rate):
        last += 1
    return last


@inlined
def cap_sums(y, a, d, n):  # type: ignore[no-untyped-def]
    """Sums of g, g y and g y^2 over all answers."""
    G = Gy = Gyy = 0.0
    for i in range(n):
        g = a[i] / (d[i] * d[i])
        G, Gy, Gyy = G + g, Gy + g * y[i], Gyy + g * y[i] * y[i]
    return G, Gy, Gyy


@inlined
def cap_evidence(y, d, n, on_cap, G, c, cv, most, high, cap):  # type: ignore[no-untyped-def]
    """Log of the integral over the cap, and what repeated or missing exact answers say about it."""
    repeated, hits, hard, _ = cap
    evidence = 0.5 * log(2 * pi / G) - log(high)
    if repeated > 0:
        for i in range(n):
            if at_cap(y[i], repeated):
                evidence += max(hits * log(d[i] / (REPEAT * y[i])), 0.0)
                break
    elif hard > 0:  # at a hard cap noise leaves every other answer at the very cap
        evidence += hard * (log(1.0 + on_cap) - on_cap * log(2.0))
    if c < most:
        evidence += log(max(Phi((c - most) / sqrt(cv + d[n - 1] * d[n - 1])), UNLIKELY))
    return evidence


@inlined
def place_kink(kind, j, answers, n, m, v, c, cv, bounds, no, rate, high, cap):  # type: ignore[no-untyped-def]
    """Evidence from where the kink may lie, and location and cap given that it lies there."""
    x, y, _, d = answers
    below, above, _ = bounds
    if j == 0:
        end = min(above, x[0] - h(kind, c, rate)) if n > 0 else above
        low = below if below < end else -inf
        more = log(max(Phi((end - m) / sqrt(v)) - Phi((low - m) / sqrt(v)), RARE))
        m, v = truncate(m, v, low, end)
        if low == -inf:  # no bound from the refusals, or one that the deliveries contradict
            more += refusal_evidence(kind, no, m, sqrt(v), high)
        return more, m, v, low, end, c, cv
    doubt = sqrt(v + (d[j - 1] * h_slope(kind, y[j - 1], rate)) ** 2)
    more = log(max(Phi((above - m) / doubt), UNLIKELY)) + refusal_evidence(kind, no, m, doubt, high)
    lean = h_slope(kind, c, rate)
    wide = v + lean * lean * cv
    mass, shift, shrink = squeeze(m + h(kind, c, rate), wide, x[j - 1], x[j] if j < n else inf)
    m, c = m + v / wide * shift, c + lean * cv / wide * shift
    v, cv = v - v * v / wide * shrink, cv - (lean * cv) ** 2 / wide * shrink
    if cap[0] > 0:
        more += lifted_evidence(kind, x, y, d, j, m, rate, cap[0])
    return more + log(mass), m, v, -inf, inf, c, cv


@inlined
def squeeze(kink, variance, low, high):  # type: ignore[no-untyped-def]
    """A split holds where the kink lies between its two answers: that probability, and what it does to the kink.

    Returns the probability, the shift of the mean, and the share of the variance that goes.
    """
    s = sqrt(variance)
    mass = Phi((high - kink) / s) - Phi((low - kink) / s)
    m, v = truncate(kink, variance, low, high)
    return max(mass, NEVER), m - kink, 1 - v / variance


@compiled
def lifted_evidence(kind, x, y, d, j, m, rate, cap):  # type: ignore[no-untyped-def]
    """Log chance, against that on the cap (1/2), that noise lifted answers on the rise up to the very cap."""
    result = 0.0
    for i in range(j):
        if at_cap(y[i], cap):
            size = (x[i] - m) / rate if FAMILY[kind] == HINGE else exp(min(POWERS[kind] * (x[i] - m), 50.0))
            if size < cap:
                result += log(2 * max(Phi((size - cap) / d[i]), NEVER))
                if result < -HOPELESS:
                    break
    return result


@inlined
def refusal_evidence(kind, no, m, doubt, high):  # type: ignore[no-untyped-def]
    """Log chance of the refusals: a hinge refuses below its location, a power delivers something for any money."""
    refused, refusals = no
    result = 0.0
    for i in range(refusals):
        if FAMILY[kind] == HINGE:
            result += log(max(Phi((m - refused[i]) / doubt), UNLIKELY))
        elif POWERS[kind] * (refused[i] - m) > log(TRIFLE * high):
            result += log(UNLIKELY)
    return result


@inlined
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
