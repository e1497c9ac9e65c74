"""What `lefi` believes of some clients: the mean of each process against money, with the spread of single answers."""

from typing import TYPE_CHECKING

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.explanation import ONE_IN_TWENTY, Explanation
from lefi.surrogate.posterior import hypers

if TYPE_CHECKING:
    from lefi.mechanisms.lefi.mechanism import Lefi

POINTS = 33  # of each curve: smooth on a page, a few kB a client
TYPICAL = 1.0  # rate of a client that was never seen [1 / thousand samples]: only the scale of its axis hangs on it


def explain(of: "Lefi", ids: IntArray) -> Explanation:
    """Up to twice the last weight of each client, or an equal part of the budget where that is more."""
    terms = of.terms
    rate, weight = of.rates.read(ids, default=TYPICAL), of.weights.read(ids, default=np.nan)
    full = -np.expm1(-rate * terms.size_high)  # what a weight of 1 USD pays for the largest size
    top = np.maximum(2 * np.nan_to_num(weight), of.unit or terms.budget)
    grid = top[:, None] * np.arange(1, POINTS + 1) / POINTS
    mean, std = of.bank.predict(ids, of.input(grid))
    std = np.sqrt(std**2 + _noise(of, ids)[:, None])
    spread = ONE_IN_TWENTY * std
    expected, low, high = (
        np.clip(curve * terms.size_high, terms.size_low, terms.size_high)
        for curve in (mean, mean - spread, mean + spread)
    )
    learned, why = _told(of, ids, weight)
    return Explanation(ids, grid * full[:, None], expected, low, high, weight * full, learned, why)


def _noise(of: "Lefi", ids: IntArray) -> FloatArray:
    """Variance of an answer around its process; that of newcomers for who was never seen."""
    rows = of.bank.rows.find(ids)
    known = rows >= 0
    result = np.full(ids.size, of.bank.hyper.signal * of.bank.hyper.noise)
    if known.any():
        _, signal, noise = hypers(of.bank, rows[known])
        result[known] = signal * noise
    return result


def _told(of: "Lefi", ids: IntArray, weight: FloatArray) -> tuple[tuple[dict[str, float], ...], tuple[str, ...]]:
    answers = of.answers.read(ids, default=0.0).tolist()
    size = of.sizes.read(ids, default=np.nan).tolist()
    slope, unsure = (part * of.terms.size_high / (of.unit or 1.0) for part in _slopes(of, ids, weight))
    learned, why = [], []
    for heard, last, w, rise, spread in zip(
        answers, size, weight.tolist(), slope.tolist(), unsure.tolist(), strict=True
    ):
        learned.append(
            {
                "answers": heard,
                "last size [thousand samples]": last,
                "last weight [USD]": w,
                "slope [thousand samples / USD of weight]": rise,
            }
        )
        if heard < of.warm_start:
            why.append(f"{heard:.0f} of {of.warm_start} answers so far: until then the weight is small and drawn anew.")
        else:
            why.append(
                f"Around its weight of {w:.3g} USD more money brings {rise:.3g} thousand samples per USD, give or take "
                f"{spread:.2g}: the weight moves along that slope, and all weights are then cut to the budget."
            )
    return tuple(learned), tuple(why)


def _slopes(of: "Lefi", ids: IntArray, weight: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Rise of each process per unit of weight at the last weight, and its deviation; NaN where there was none."""
    known = weight > 0
    rise, unsure = np.full(ids.size, np.nan), np.full(ids.size, np.nan)
    if known.any():
        x = of.input(weight[known])
        rise[known], unsure[known] = of.bank.slope(ids[known], x)
        if of.inputs == "log":  # the process sees the logarithm: d log x / dx = 1 / x
            steep = (of.unit or 1.0) / weight[known]
            rise[known], unsure[known] = rise[known] * steep, unsure[known] * steep
    return rise, unsure
