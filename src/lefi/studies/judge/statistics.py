"""What is said about many seeds: a middle with its 95% interval, paired differences, chances, settling.

values   (seeds,) or (seeds, ...)   one number per seed; NaN = this seed has none
weights  (rounds, clients)          what one mechanism offered, round by round [USD]
The interval of a median runs from the k-th smallest to the k-th largest value, k as large as the binomial law allows:
it holds the true median in at least 95 of 100 cases whatever the values look like (10 seeds: 97.9; a bootstrap: 92).
With fewer than 6 seeds no such interval exists; what is given is the range, and `coverage` says how often that holds.
"""

import warnings
from collections.abc import Callable, Sequence
from functools import cache
from math import comb
from typing import NamedTuple

import numpy as np
import scipy

from lefi.arrays import FloatArray

RESAMPLES = 2000
CONFIDENCE = 0.95

Statistic = Callable[..., FloatArray]  # (values, axis) -> values without that axis


class Interval(NamedTuple):
    """A middle and the interval around it; arrays where the values had more than one column."""

    middle: FloatArray
    low: FloatArray
    high: FloatArray


def median(values: FloatArray) -> Interval:
    """Median over the first axis, NaN left out, with its interval."""
    table = np.asarray(values, dtype=np.float64)
    ordered = np.sort(table.reshape(len(table), -1), axis=0)  # NaN last
    count = np.isfinite(ordered).sum(axis=0)
    there = np.flatnonzero(count)
    ranks = np.array([rank(int(n)) for n in count[there]], dtype=np.int64)
    result = np.full((3, ordered.shape[1]), np.nan)
    result[0, there] = (ordered[(count[there] - 1) // 2, there] + ordered[count[there] // 2, there]) / 2
    result[1, there], result[2, there] = ordered[ranks - 1, there], ordered[count[there] - ranks, there]
    return Interval(*result.reshape(3, *table.shape[1:]))


@cache
def rank(seeds: int) -> int:
    """k: the interval runs from the k-th smallest to the k-th largest value; 1, the range, with fewer than 6 seeds."""
    k = 1
    while 2 * _at_most(k, seeds) <= 1 - CONFIDENCE:
        k += 1
    return k


def coverage(seeds: int) -> float:
    """How often the interval of a median over so many seeds holds the true one."""
    return 1 - 2 * _at_most(rank(seeds) - 1, seeds)


def chance(values: FloatArray, above: float = 0.0) -> float:
    """How likely so many values lie above that mark, or so few, if half of all seeds did: the sign test, two-sided.

    At most 0.05 where the interval of the median lies above the mark. A value at the mark counts as not above it.
    """
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    beyond = int((known > above).sum())
    return min(1.0, 2 * _at_most(known.size - beyond, known.size)) if known.size else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """The chances corrected for how many there are (Holm): what is below 0.05 then is so in all of them together."""
    order = np.argsort(chances, kind="stable")
    result, least = [0.0] * len(chances), 0.0
    for place, index in enumerate(order):
        least = max(least, min(1.0, (len(chances) - place) * chances[index]))
        result[index] = least
    return result


def _at_most(k: int, seeds: int) -> float:
    """P(X <= k) of X ~ Binomial(seeds, 1/2)."""
    return sum(comb(seeds, i) for i in range(min(k, seeds) + 1)) / 2**seeds


def difference(ours: FloatArray, theirs: FloatArray) -> Interval:
    """Paired difference: the median of ours - theirs, seed by seed."""
    return median(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64))


def improvement(ours: FloatArray, theirs: FloatArray) -> Interval:
    """Probability that ours beats theirs on the same seed; a tie counts half. Clopper and Pearson's exact interval."""
    gap = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    wins = 0.5 + 0.5 * np.sign(gap[~np.isnan(gap)])
    n, x = wins.size, float(wins.sum())
    if n == 0:
        return Interval(*np.full(3, np.nan))
    least, most = np.floor(x), np.ceil(x)
    quantile = scipy.special.betaincinv  # of the beta distribution, which scipy.stats has too: a second to import
    low = quantile(least, n - least + 1, (1 - CONFIDENCE) / 2) if least > 0 else 0.0
    high = quantile(most + 1, n - most, (1 + CONFIDENCE) / 2) if most < n else 1.0
    return Interval(np.asarray(x / n), np.asarray(low), np.asarray(high))


def settled(weights: FloatArray, tolerance: float = 0.05, window: int = 20) -> int | None:
    """The round from which every weight stays within `tolerance` of its mean over the last `window` rounds."""
    weights = np.asarray(weights, dtype=np.float64)
    goal = weights[-window:].mean(axis=0)
    inside = (np.abs(weights - goal) <= tolerance * np.abs(goal)).all(axis=1)
    outside = np.flatnonzero(~inside)
    first = int(outside[-1]) + 2 if outside.size else 1
    return first if first <= len(weights) else None


def bootstrap(values: FloatArray, statistic: Statistic, seed: int = 0) -> Interval:
    """Any statistic over the first axis, NaN left out, with its bootstrap interval (for means of many values).

    BCa, or percentile where that fails; its own generator, so that the same numbers give the same interval.
    """
    table = np.asarray(values, dtype=np.float64)
    columns = table.reshape(len(table), -1)
    result = np.full((3, columns.shape[1]), np.nan)
    whole = ~np.isnan(columns).any(axis=0)
    if whole.any():
        result[:, whole] = _interval(columns[:, whole], statistic, seed)
    for column in np.flatnonzero(~whole):
        present = columns[~np.isnan(columns[:, column]), column]
        if present.size:
            result[:, [column]] = _interval(present[:, None], statistic, seed)
    return Interval(*result.reshape(3, *table.shape[1:]))


def _interval(columns: FloatArray, statistic: Statistic, seed: int) -> FloatArray:
    """Middle, low, high per column. Columns whose values are all equal have an interval of no width."""
    middle = np.asarray(statistic(columns, axis=0))
    result = np.stack([middle, middle, middle])
    varied = np.flatnonzero(np.ptp(columns, axis=0) > 0)
    if varied.size:
        low, high = _resampled(columns[:, varied], statistic, "BCa", seed)
        failed = np.isnan(low) | np.isnan(high)
        if failed.any():
            again = _resampled(columns[:, varied[failed]], statistic, "percentile", seed)
            low[failed], high[failed] = again
        # Two quantiles of almost equal values can come out the wrong way round by their last bit.
        result[1, varied], result[2, varied] = np.minimum(low, high), np.maximum(low, high)
    return result


def _resampled(columns: FloatArray, statistic: Statistic, method: str, seed: int) -> tuple[FloatArray, FloatArray]:
    from scipy import stats  # a second to import; only those who ask for intervals pay for it

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # scipy warns where BCa is not defined; the caller looks for NaN
        found = stats.bootstrap(
            (columns,),
            statistic,
            axis=0,
            n_resamples=RESAMPLES,
            confidence_level=CONFIDENCE,
            method=method,
            vectorized=True,
            rng=np.random.default_rng(seed),
        ).confidence_interval
    return np.array(found.low, dtype=np.float64), np.array(found.high, dtype=np.float64)


def told(found: Interval, digits: int = 3, scale: float = 1.0) -> str:
    """Middle and interval in words: 0.998 [0.997, 0.999]."""
    middle, low, high = (round(float(value) * scale, digits) + 0.0 for value in found)  # + 0.0: no minus zero
    return f"{middle:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
