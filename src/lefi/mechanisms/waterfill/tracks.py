"""What a client may be: hypotheses about its whole response curve, each a row of a few numbers (a track).

x  log weight offered; k = x + log(1 - exp(-rate min(top, limit))), the log of what full delivery would earn
y  size answered, cap the most the client delivers, top its largest answer so far, b its location in log money
hinge       y = (x - b) / rate                 a rational client between its two plateaus
power e     y = exp(e (k - b)), e = 1 or 1/2   proportional to the money, or to its root
step        y = cap where k >= b, else nothing
idle        y = nothing, ever
The curves end at the cap. Kinds that are `open` have seen no cap yet, `capped` ones believe that they have.
On a curve that rises, an answer y at log money x shows the location: z = x - h(y).

Columns of a track: KIND; M, V mean and variance of the location; LOW, HIGH its bounds; C, CV mean and variance of the
cap; CHANCE the probability of the track; of stairs PATIENCE, the rounds for which what a try saves there counts.
"""

from math import erf, exp, expm1, log, pi, sqrt

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import inlined

HINGE, POWER, STEP, IDLE, STAIR = range(5)
FAMILY = (HINGE, HINGE, POWER, POWER, POWER, POWER, STEP, IDLE, STAIR)  # of each kind
POWERS = (0.0, 0.0, 1.0, 1.0, 0.5, 0.5, 0.0, 0.0, 0.0)
KINDS = len(FAMILY)
HINGES = np.array([family == HINGE for family in FAMILY])
STEP_KIND, IDLE_KIND, STAIR_KIND = 6, 7, 8
KIND, M, V, LOW, HIGH, C, CV, CHANCE, PATIENCE = range(9)
COLUMNS = 9
TRACKS = 5  # kept per client, the most probable ones
TRIFLE = 1e-4  # of size_high: an answer up to this is none
NOISY = 0.02  # relative noise from which a client counts as noisy
CUT = 1 - 1e-7  # an answer from this share of the limit on is cut by it
QUIET_SIZE = 0.02  # y0 as a share of size_high
HUGE = 700.0  # exp of little more is no number any more, which plain Python takes for an error
TINY = 1e-300  # the log of 0 is no number either


@inlined
def bounded_exp(u: float) -> float:
    """exp for what may lie beyond all numbers."""
    return exp(min(u, HUGE))


@inlined
def Phi(u: float) -> float:
    """Distribution of the standard normal."""
    return 0.5 * (1 + erf(u / sqrt(2.0)))


@inlined
def phi(u: float) -> float:
    """Density of the standard normal."""
    return exp(-0.5 * u * u) / sqrt(2 * pi)


@inlined
def truncate(mean: float, variance: float, low: float, high: float) -> tuple[float, float, float]:
    """Mean and variance of a normal that is known to lie in [low, high], and the chance that it would have."""
    s = sqrt(variance)
    a, b = (low - mean) / s, (high - mean) / s
    mass = Phi(b) - Phi(a)
    if mass < 1e-6:  # far out: all of it lies within a few lengths s / |a| of the nearer bound
        near, far = (low, high) if a > 0 else (high, low)
        length = min(0.5 * abs(far - near), s / max(abs(near - mean) / s, 1.0))
        return (near + length if a > 0 else near - length), length * length / 3, mass
    pa = phi(a) if a > -8 else 0.0
    pb = phi(b) if b < 8 else 0.0
    shift = (pa - pb) / mass
    spread = 1 + ((a * pa if a > -8 else 0.0) - (b * pb if b < 8 else 0.0)) / mass - shift * shift
    return mean + s * shift, variance * min(max(spread, 1e-6), 1.0), mass


@inlined
def is_cut(y: float, limit: float, high: float) -> bool:
    """Whether the limit, not the client, ended an answer; nobody may answer more than `high` anyway."""
    return y >= CUT * limit and limit < high


@inlined
def deviation(y: float, rho: float, high: float) -> float:
    """Standard deviation of the noise of an answer y."""
    return rho * (y + QUIET_SIZE * high)


@inlined
def earned(z: float) -> float:
    """1 - exp(-z): the share of the weight that a delivery of size z / rate earns."""
    return 1 - exp(-z) if z > 0.01 else -expm1(-z)  # expm1 takes five times as long


@inlined
def log_money(x: float, rate: float, size: float) -> float:
    """k: the log of what delivering `size` earns at log weight x."""
    return x + log(earned(rate * max(size, 1e-6)))


@inlined
def h(kind: int, y: float, rate: float) -> float:
    """How far above its location a client must be paid to deliver y."""
    if FAMILY[kind] == HINGE:
        return rate * y
    return log(max(y, TINY)) / POWERS[kind] if FAMILY[kind] == POWER else 0.0


@inlined
def h_slope(kind: int, y: float, rate: float) -> float:
    return rate if FAMILY[kind] == HINGE else 1 / (POWERS[kind] * max(y, TINY))


@inlined
def window(s: FloatArray) -> tuple[float, float]:
    """The location as a uniform variable of the same mean and variance, within its bounds."""
    half = sqrt(3 * s[V]) + 1e-9
    low = max(s[LOW], s[M] - half)
    return low, max(min(s[HIGH], s[M] + half), low + 1e-9)


@inlined
def chance_of_step(low: float, high: float, k: float) -> float:
    """Probability that a step client takes an offer, its location in [low, high]."""
    return min(max((k - low) / (high - low), 0.0), 1.0)


@inlined
def ramp_integral(u: float, low: float, high: float) -> float:
    """Integral from 0 to u of clip(v, low, high) dv, with 0 <= low < high."""
    if u <= low:
        return low * u
    if u <= high:
        return 0.5 * (low * low + u * u)
    return 0.5 * (low * low + high * high) + high * (u - high)


@inlined
def expected_size(
    kind: int, low: float, top: float, cap: float, offer: tuple[float, float], rate: float, floor: float
) -> float:
    """Mean answer of a client of this kind and cap, its location in [low, top], to an offer (log weight, log money)."""
    x, k = offer
    family = FAMILY[kind]
    if family == IDLE or cap <= floor:
        return floor
    if family in (STEP, STAIR):
        return floor + (cap - floor) * chance_of_step(low, top, k)
    if family == HINGE:
        u, v = (x - low) / rate, (x - top) / rate
        return (ramp_integral(u, floor, cap) - ramp_integral(v, floor, cap)) / (u - v)
    e = POWERS[kind]
    kink = k - log(cap) / e  # locations below it reach the cap
    if kink >= top:
        return cap
    most = cap if kink > low else exp(e * (k - low))
    return max((cap * max(kink - low, 0.0) + (most - exp(e * (k - top))) / e) / (top - low), floor)


@inlined
def upper_cap(s: FloatArray, high: float) -> float:
    """The largest cap that a track takes for possible."""
    return min(s[C] + 2 * sqrt(s[CV]), high)


@inlined
def upper_size(kind: int, low: float, cap: float, x: float, rate: float, floor: float) -> float:
    """The largest answer at log weight x of a client with this lowest location and this largest cap, but for noise."""
    family = FAMILY[kind]
    if family == IDLE:
        return floor
    if family in (STEP, STAIR):
        return max(cap, floor)
    reach = x - low
    if family == HINGE:
        return max(min(reach / rate, cap), floor)
    return max(min(exp(min(POWERS[kind] * reach, 50.0)), cap), floor)
