"""Where on its curve a client has answered: every way to split its answers into those on the rise and those on the cap.

Answers sorted by weight: i = 0 .. n-1, each with log weight x, answer y, standard deviation d = rho (y + y0), and a
weight a that fades with age. On a rising curve z_i = x_i - h(y_i) shows the location, with precision
p_i = a / (h'(y_i) d)^2; on the cap y_i shows the cap, with precision g_i = a / d^2.
A split j says: the first j answers lie on the rise, the others on the cap. Then location and cap are weighted means,
and all n + 1 splits of a family follow from running sums. Evidence of a split: the Gaussian integral over location
(prior N(mu, tau^2) of the fleet) and cap (uniform on [0, size_high]), where the kink lies between its two answers.
"""

from math import exp, inf, log, pi, sqrt

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.facts import Cap, Client, Family, Place, Sorted
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
X, K, Y, A, D, REFUSED = range(6)  # rows of the work space: log weight, log money, y, a, d; refused log weights


@compiled
def fit_rise(
    tracks: FloatArray, family: Family, seen: Sorted, chances: FloatArray, cap: Cap, client: Client
) -> tuple[float, float]:
    """All splits of one family: its kind is the open one, kind + 1 the capped one. Returns best evidence, scatter."""
    kind, work, n, rate, high, repeated = family.kind, seen.work, seen.n, client.rate, client.high, cap.repeated
    axis, mu, precision = axis_of(kind), family.mean, 1 / family.variance
    G, Gy, Gyy = cap_sums(work, n)
    all_G, P, Pz, Pzz = G, precision, 0.0, 0.0
    best, scatter = -inf, 0.0
    for j in range(1 + rise_at_most(kind, seen, rate, repeated)):
        if j > 0:
            i = j - 1
            y, g = work[Y, i], work[A, i] / (work[D, i] * work[D, i])
            if not at_cap(y, repeated):  # else it would have been more, but for the cap
                p, z = g / h_slope(kind, y, rate) ** 2, work[axis, i] - h(kind, y, rate) - mu
                P, Pz, Pzz = P + p, Pz + p * z, Pzz + p * z * z
            G, Gy, Gyy = G - g, Gy - g * y, Gyy - g * y * y
        if j < n and G < 1e-12 * all_G:
            continue
        squares = max(Pzz - Pz * Pz / P, 0.0)
        volume, evidence = chances[kind + (j < n)] ** 2 * precision / P, 0.0  # one log for all of it: they cost most
        c, cv = high, 0.0
        if j < n:
            c, cv = (repeated, 0.0) if repeated > 0 else (Gy / G, 1 / G)
            squares += max(Gyy - 2 * c * Gy + c * c * G, 0.0)
            volume *= 2 * pi / (G * high * high)
            evidence += cap_evidence(seen, n - j, c, cv, cap)
        elif 0 < repeated < high * (1 - EXACT):
            evidence += log(NEVER)
        evidence += 0.5 * (log(volume) - squares)
        if evidence < tracks[TRACKS - 1, CHANCE] or evidence < tracks[0, CHANCE] - HOPELESS:
            continue  # what follows only lowers it
        more, place = place_kink(family, j, seen, (mu + Pz / P, 1 / P, c, cv), repeated, client)
        keep(tracks, evidence + more, kind + (j < n), place)
        if evidence + more > best:
            unusual = precision * (Pz / P) ** 2 if cap.quiet else 0.0  # is no noise
            best, scatter = evidence + more, max(squares - unusual, 0.0)
    return best, scatter


@inlined
def axis_of(kind: int) -> int:
    """The axis along which a family lies: a rational client sees the weight, all others see the money."""
    return X if FAMILY[kind] == HINGE else K


@inlined
def at_cap(y: float, cap: float) -> bool:
    """Whether an answer is the very cap; 0: no cap is known."""
    return cap > 0 and y >= cap * (1 - EXACT)


@inlined
def rise_at_most(kind: int, seen: Sorted, rate: float, repeated: float) -> int:
    """How many answers may lie on the rise: noise lifts none to the very cap that is far above the first one there."""
    work, n, axis = seen.work, seen.n, axis_of(kind)
    first = n
    while first > 0 and at_cap(work[Y, first - 1], repeated):
        first -= 1
    last = first
    while last < n:
        if work[axis, last] - work[axis, first] > LIFT * work[D, last] * h_slope(kind, work[Y, last], rate):
            break
        last += 1
    return last


@inlined
def cap_sums(work: FloatArray, n: int) -> tuple[float, float, float]:
    """Sums of g, g y and g y^2 over all answers."""
    G = Gy = Gyy = 0.0
    for i in range(n):
        y, g = work[Y, i], work[A, i] / (work[D, i] * work[D, i])
        G, Gy, Gyy = G + g, Gy + g * y, Gyy + g * y * y
    return G, Gy, Gyy


@inlined
def cap_evidence(seen: Sorted, on_cap: int, c: float, cv: float, cap: Cap) -> float:
    """What repeated or missing exact answers, and answers cut by their limits, say about the cap."""
    evidence, work = 0.0, seen.work
    if cap.repeated > 0:
        for i in range(seen.n):
            if at_cap(work[Y, i], cap.repeated):
                evidence += max(cap.hits * log(work[D, i] / (REPEAT * work[Y, i])), 0.0)
                break
    elif cap.hard > 0:  # at a hard cap noise leaves every other answer at the very cap
        evidence += cap.hard * (log(1.0 + on_cap) - on_cap * log(2.0))
    if c < cap.least:
        evidence += log(max(Phi((c - cap.least) / sqrt(cv + work[D, seen.n - 1] ** 2)), UNLIKELY))
    return evidence


@inlined
def place_kink(
    family: Family, j: int, seen: Sorted, guess: tuple[float, float, float, float], repeated: float, client: Client
) -> tuple[float, Place]:
    """Evidence from where the kink may lie, and location and cap given that it lies there.

    guess: mean and variance of the location, and of the cap, without that.
    """
    m, v, c, cv = guess
    kind, work, n, rate, axis = family.kind, seen.work, seen.n, client.rate, axis_of(family.kind)
    if j == 0:
        end = min(family.end, work[axis, 0] - h(kind, c, rate)) if n > 0 else family.end
        low = family.low if family.low < end else -inf
        m, v, mass = truncate(m, v, low, end)
        more = log(max(mass, RARE))
        if low == -inf:  # no bound from the refusals, or one that the deliveries contradict
            more += refusal_evidence(kind, seen, m, sqrt(v), client.high)
        return more, Place(m, v, low, end, c, cv)
    doubt = sqrt(v + (work[D, j - 1] * h_slope(kind, work[Y, j - 1], rate)) ** 2)
    more = log(max(Phi((family.end - m) / doubt), UNLIKELY)) if family.end < inf else 0.0
    more += refusal_evidence(kind, seen, m, doubt, client.high)
    lean = h_slope(kind, c, rate)
    wide = v + lean * lean * cv
    mass, shift, shrink = squeeze(m + h(kind, c, rate), wide, work[axis, j - 1], work[axis, j] if j < n else inf)
    m, c = m + v / wide * shift, c + lean * cv / wide * shift
    v, cv = v - v * v / wide * shrink, cv - (lean * cv) ** 2 / wide * shrink
    if repeated > 0:
        more += lifted_evidence(kind, seen, j, m, rate, repeated)
    return more + log(mass), Place(m, v, -inf, inf, c, cv)


@inlined
def squeeze(kink: float, variance: float, low: float, high: float) -> tuple[float, float, float]:
    """A split holds where the kink lies between its two answers: that probability, and what it does to the kink.

    Returns the probability, the shift of the mean, and the share of the variance that goes.
    """
    m, v, mass = truncate(kink, variance, low, high)
    return max(mass, NEVER), m - kink, 1 - v / variance


@compiled
def lifted_evidence(kind: int, seen: Sorted, j: int, m: float, rate: float, cap: float) -> float:
    """Log chance, against that on the cap (1/2), that noise lifted answers on the rise up to the very cap."""
    result, work, axis = 0.0, seen.work, axis_of(kind)
    for i in range(j):
        if at_cap(work[Y, i], cap):
            up = work[axis, i] - m
            size = up / rate if FAMILY[kind] == HINGE else exp(min(POWERS[kind] * up, 50.0))
            if size < cap:
                result += log(2 * max(Phi((size - cap) / work[D, i]), NEVER))
                if result < -HOPELESS:
                    break
    return result


@inlined
def refusal_evidence(kind: int, seen: Sorted, m: float, doubt: float, high: float) -> float:
    """Log chance of the refusals: a hinge refuses below its location, a power delivers something for any money."""
    result = 0.0
    for i in range(seen.refusals):
        if FAMILY[kind] == HINGE:
            result += log(max(Phi((m - seen.work[REFUSED, i]) / doubt), UNLIKELY))
        elif POWERS[kind] * (seen.work[REFUSED, i] - m) > log(TRIFLE * high):
            result += log(UNLIKELY)
    return result


@inlined
def keep(tracks: FloatArray, evidence: float, kind: int, place: Place) -> None:
    """Put a track in its place among the most probable ones (evidence in column CHANCE for now)."""
    if not evidence > tracks[TRACKS - 1, CHANCE]:
        return
    at = TRACKS - 1
    while at > 0 and tracks[at - 1, CHANCE] < evidence:
        for column in range(COLUMNS):
            tracks[at, column] = tracks[at - 1, column]
        at -= 1
    s = tracks[at]
    s[KIND], s[M], s[V], s[LOW], s[HIGH] = kind, place.mean, place.variance, place.low, place.high
    s[C], s[CV], s[CHANCE] = place.cap, place.cap_variance, evidence
