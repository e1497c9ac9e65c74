"""What is said about many seeds: a middle with its 95% bootstrap interval, paired differences, settling.

values   (seeds,) or (seeds, ...)   one number per seed; NaN = this seed has none
weights  (rounds, clients)          what one mechanism offered, round by round [USD]
Every interval comes from its own generator, so that the same numbers give the same interval.
"""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray

RESAMPLES = 2000
CONFIDENCE = 0.95

Statistic = Callable[..., FloatArray]  # (values, axis) -> values without that axis


class Interval(NamedTuple):
    """A middle and the interval around it; arrays where the values had more than one column."""

    middle: FloatArray
    low: FloatArray
    high: FloatArray


def median(values: FloatArray, seed: int = 0) -> Interval:
    """Median over the first axis."""
    return bootstrap(values, np.median, seed)


def iqm(values: FloatArray, seed: int = 0) -> Interval:
    """Interquartile mean over the first axis: the mean of the middle half."""
    return bootstrap(values, interquartile_mean, seed)


def interquartile_mean(values: FloatArray, axis: int = -1) -> FloatArray:
    """Mean without the lowest and the highest quarter (rounded down) of the values."""
    ordered = np.sort(np.moveaxis(values, axis, -1), axis=-1)
    cut = ordered.shape[-1] // 4
    return np.asarray(ordered[..., cut : ordered.shape[-1] - cut].mean(axis=-1))


def difference(ours: FloatArray, theirs: FloatArray, statistic: Statistic = np.median, seed: int = 0) -> Interval:
    """Paired difference: the statistic of ours - theirs, seed by seed."""
    return bootstrap(np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64), statistic, seed)


def improvement(ours: FloatArray, theirs: FloatArray, seed: int = 0) -> Interval:
    """Probability that ours beats theirs on the same seed; a tie counts half."""
    gap = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    return bootstrap(np.where(np.isnan(gap), np.nan, 0.5 + 0.5 * np.sign(gap)), np.mean, seed)


def settled(weights: FloatArray, tolerance: float = 0.05, window: int = 20) -> int | None:
    """The round from which every weight stays within `tolerance` of its mean over the last `window` rounds."""
    weights = np.asarray(weights, dtype=np.float64)
    goal = weights[-window:].mean(axis=0)
    inside = (np.abs(weights - goal) <= tolerance * np.abs(goal)).all(axis=1)
    outside = np.flatnonzero(~inside)
    first = int(outside[-1]) + 2 if outside.size else 1
    return first if first <= len(weights) else None


def bootstrap(values: FloatArray, statistic: Statistic, seed: int = 0) -> Interval:
    """The statistic over the first axis, NaN left out, with its interval: BCa, or percentile where that fails."""
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
