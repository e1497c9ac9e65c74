"""What a client may be: eight hypotheses about its whole response curve, each a track of a few numbers.

x  log weight offered; k = x + log(1 - exp(-rate min(cap, limit))), the log of what full delivery would earn
y  size answered, cap the most the client delivers, b its location on the axis of log money
hinge       y = (x - b) / rate                 a rational client between its two plateaus
power e     y = exp(e (k - b)), e = 1 or 1/2   proportional to the money, or to its root
step        y = cap where k >= b, else nothing
idle        y = nothing, ever
The curves end at the cap. `open` tracks have seen no cap yet, `capped` ones believe that they have.
On every track an answer between the plateaus is a location: z = x - h(y), with noise rho y h'(y). An answer at the
cap, at a limit or at nothing only bounds the location.

A track is a row of numbers: M, V mean and variance of the location; C, CV mean and variance of the cap (C = 0: none
seen); LOW, HIGH bounds of the location; EVIDENCE log likelihood, relative; SEEN answers between the plateaus.
"""

from math import erf, exp, expm1, inf, log, pi, sqrt

from lefi.mechanisms.compiled import compiled

HINGE, POWER, STEP, IDLE = range(4)
FAMILY = (HINGE, HINGE, POWER, POWER, POWER, POWER, STEP, IDLE)
POWERS = (0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0)
CAPPED = (False, True, False, True, False, True, True, False)
TRACKS = len(FAMILY)
STEP_TRACK, IDLE_TRACK = 6, 7
M, V, C, CV, LOW, HIGH, EVIDENCE, SEEN = range(8)
COLUMNS = 8


@compiled
def phi(u: float) -> float:
    """Density of the standard normal."""
    return exp(-0.5 * u * u) / sqrt(2 * pi)


@compiled
def Phi(u: float) -> float:
    """Distribution of the standard normal."""
    return 0.5 * (1 + erf(u / sqrt(2.0)))


@compiled
def density(e: float, variance: float) -> float:
    """Of a normal with mean 0."""
    return exp(-0.5 * e * e / variance) / sqrt(2 * pi * variance)


@compiled
def truncate(mean: float, variance: float, low: float, high: float) -> tuple[float, float]:
    """Mean and variance of a normal that is known to lie in [low, high]."""
    s = sqrt(variance)
    a, b = (low - mean) / s, (high - mean) / s
    mass = Phi(b) - Phi(a)
    if mass < 1e-6:  # far out: all of it lies within a few lengths s / |a| of the nearer bound
        near, far = (low, high) if a > 0 else (high, low)
        length = min(0.5 * abs(far - near), s / max(abs(near - mean) / s, 1.0))
        return (near + length if a > 0 else near - length), length * length / 3
    pa = phi(a) if a > -8 else 0.0
    pb = phi(b) if b < 8 else 0.0
    shift = (pa - pb) / mass
    spread = 1 + ((a * pa if a > -8 else 0.0) - (b * pb if b < 8 else 0.0)) / mass - shift * shift
    return mean + s * shift, variance * min(max(spread, 1e-6), 1.0)


@compiled
def log_money(x: float, rate: float, size: float) -> float:
    """k: the log of what delivering `size` earns at log weight x."""
    return x + log(-expm1(-rate * max(size, 1e-6)))


@compiled
def place(track: int, x: float, k: float) -> float:
    """Where the offer stands on the axis of the track's location."""
    return x if FAMILY[track] == HINGE else k


@compiled
def h(track: int, y: float, rate: float) -> float:
    """How far above its location a client must be paid to deliver y."""
    if FAMILY[track] == HINGE:
        return rate * y
    return log(y) / POWERS[track] if FAMILY[track] == POWER else 0.0


@compiled
def h_slope(track: int, y: float, rate: float) -> float:
    return rate if FAMILY[track] == HINGE else 1 / (POWERS[track] * y)


@compiled
def chance_below(s, bound: float) -> float:  # type: ignore[no-untyped-def]
    """Probability that the location lies below a bound, given the bounds that are known already."""
    if bound >= s[HIGH]:
        return 1.0
    deviation = sqrt(s[V])
    return Phi((bound - s[M]) / deviation) / max(Phi((s[HIGH] - s[M]) / deviation), 1e-9)


@compiled
def window(s) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """The location as a uniform variable of the same mean and variance, within the bounds that are known."""
    half = sqrt(3 * s[V]) + 1e-9
    if s[SEEN] > 0:
        return s[M] - half, s[M] + half
    low = max(s[LOW], s[M] - half)
    return low, max(min(s[HIGH], s[M] + half), low + 1e-9)


@compiled
def chance_of_step(s, k: float) -> float:  # type: ignore[no-untyped-def]
    """Probability that a step client takes an offer."""
    low, high = window(s)
    return min(max((k - low) / (high - low), 0.0), 1.0)


@compiled
def ramp_integral(u: float, low: float, high: float) -> float:
    """Integral from 0 to u of clip(v, low, high) dv, with 0 <= low < high."""
    if u <= low:
        return low * u
    if u <= high:
        return 0.5 * (low * low + u * u)
    return 0.5 * (low * low + high * high) + high * (u - high)


@compiled
def expected_size(track: int, s, x: float, rate: float, floor: float, high: float, limit: float) -> float:  # type: ignore[no-untyped-def]
    """Mean answer of a track at log weight x."""
    family = FAMILY[track]
    cap = s[C] if CAPPED[track] and s[C] > 0 else high
    if family == IDLE or cap <= floor:
        return floor
    low, top = window(s)
    if family == HINGE:
        u, v = (x - low) / rate, (x - top) / rate
        return (ramp_integral(u, floor, cap) - ramp_integral(v, floor, cap)) / (u - v)
    k = log_money(x, rate, min(cap, limit))
    if family == STEP:
        return floor + ((0.5 * high if s[C] == 0 else cap) - floor) * chance_of_step(s, k)
    e = POWERS[track]
    kink = min(max(k - log(cap) / e, low), top)  # locations below it reach the cap
    between = (exp(e * (k - kink)) - exp(e * (k - top))) / e
    return (cap * (kink - low) + between) / (top - low)


@compiled
def upper_size(track: int, s, x: float, rate: float, floor: float, high: float) -> float:  # type: ignore[no-untyped-def]
    """The largest answer that a track takes for possible at log weight x, but for noise."""
    family = FAMILY[track]
    if family == IDLE:
        return floor
    cap = min(s[C] + 2 * sqrt(s[CV]), high) if CAPPED[track] and s[C] > 0 else high
    if family == STEP:
        return cap
    reach = x - window(s)[0]
    if family == HINGE:
        return max(min(reach / rate, cap), floor)
    return max(min(exp(min(POWERS[track] * reach, 50.0)), cap), floor)


@compiled
def bound_location(s, low: float, high: float) -> None:  # type: ignore[no-untyped-def]
    """Take note that the location lies in [low, high]; a bound that contradicts an older one replaces it."""
    if high < inf:
        s[HIGH] = min(s[HIGH], high)
        if s[LOW] >= s[HIGH]:
            s[LOW] = -inf
    if low > -inf:
        s[LOW] = max(s[LOW], low)
        if s[HIGH] <= s[LOW]:
            s[HIGH] = inf
