"""The root of a falling function of each client, to the last digit: Chandrupatla's method over arrays.

x1  the newest point    x2  the other end of the bracket    x3  the point before    f1, f2, f3  values there
Adv. Eng. Software 28 (1997) 145-149. The steps are those of scipy.optimize.elementwise.find_root, and so are the
roots, bit by bit. For the tens of clients of a study, its bookkeeping takes ten times as long as the arithmetic.
"""

from collections.abc import Callable

import numpy as np

from lefi.arrays import FloatArray

EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).smallest_normal)
MOST = 2046  # halvings after which any bracket is empty


def roots(function: Callable[..., FloatArray], low: FloatArray, high: FloatArray, *client: FloatArray) -> FloatArray:
    """Where function(x, *client) is 0, between low and high; NaN where its signs at both ends are the same."""
    found = np.full(low.shape, np.nan)
    left = np.arange(low.size)  # clients whose root is still looked for
    x1, x2, f1, f2 = low, high, function(low, *client), function(high, *client)
    x3, f3, step = x2, f2, np.full(low.shape, 0.5)
    for turn in range(MOST):
        if turn:
            x = x1 + step * (x2 - x1)
            f = function(x, *client)
            same = np.sign(f) == np.sign(f1)
            x3, f3 = np.where(same, x1, x2), np.where(same, f1, f2)
            x2, f2 = np.where(same, x2, x1), np.where(same, f2, f1)
            x1, f1 = x, f
        best = np.where(np.abs(f1) < np.abs(f2), x1, x2)
        width, least = np.abs(x2 - x1), np.abs(best) * 4 * EPS + 4 * TINY
        hit = np.minimum(np.abs(f1), np.abs(f2)) <= TINY
        wrong = (np.sign(f1) == np.sign(f2)) & ~hit
        stop = hit | wrong | (width < least)
        if stop.any():
            found[left[stop]] = np.where(wrong, np.nan, best)[stop]
            go = ~stop
            left, width, least, client = left[go], width[go], least[go], tuple(values[go] for values in client)
            x1, x2, x3, f1, f2, f3 = (values[go] for values in (x1, x2, x3, f1, f2, f3))
            if not left.size:
                break
        step = _step(x1, x2, x3, f1, f2, f3, 0.5 * least / width) if turn else np.full(left.shape, 0.5)
    return found


def _step(
    x1: FloatArray, x2: FloatArray, x3: FloatArray, f1: FloatArray, f2: FloatArray, f3: FloatArray, edge: FloatArray
) -> FloatArray:
    """Where to look next, as a share of the bracket: through the three points where that is safe, else the middle."""
    with np.errstate(divide="ignore", invalid="ignore"):
        xi, phi, a = (x1 - x2) / (x3 - x2), (f1 - f2) / (f3 - f2), (x3 - x1) / (x2 - x1)
        through = f1 / (f1 - f2) * f3 / (f3 - f2) - a * f1 / (f3 - f1) * f2 / (f2 - f3)
        safe = ((1 - np.sqrt(1 - xi)) < phi) & (phi < np.sqrt(xi))
    return np.clip(np.where(safe, through, 0.5), edge, 1 - edge)
