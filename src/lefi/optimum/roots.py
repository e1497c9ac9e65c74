"""The root of a falling function of each client, to the last digit: Chandrupatla's method over arrays.

x1  the newest point    x2  the other end of the bracket    x3  the point before    f1, f2, f3  values there
Adv. Eng. Software 28 (1997) 145-149. The steps are those of scipy.optimize.elementwise.find_root, and so are the
roots, bit by bit. For the tens of clients of a study, its bookkeeping takes ten times as long as the arithmetic.
"""

from collections.abc import Callable

import numpy as np

from lefi.arrays import TINY, FloatArray
from lefi.compiler import compiled

EPS = float(np.finfo(np.float64).eps)
MOST = 2046  # halvings after which any bracket is empty


def roots(function: Callable[..., FloatArray], low: FloatArray, high: FloatArray, *client: FloatArray) -> FloatArray:
    """Where function(x, *client) is 0, between low and high; NaN where its signs at both ends are the same."""
    found, ahead, step = np.full(low.shape, np.nan), np.ones(low.shape, dtype=bool), np.full(low.shape, 0.5)
    x1, x2, f1, f2 = low.copy(), high.copy(), function(low, *client), function(high, *client)
    x, f, x3, f3 = x1.copy(), f1.copy(), x2.copy(), f2.copy()
    with np.errstate(divide="ignore", invalid="ignore"):  # where kernels run as plain Python
        for turn in range(MOST):
            if turn:
                x = x1 + step * (x2 - x1)
                f = function(x, *client)
            if not _narrow(turn, x, f, (x1, x2, x3), (f1, f2, f3), step, ahead, found):
                break
    return found


@compiled
def _narrow(turn, x, f, xs, fs, step, ahead, found):  # type: ignore[no-untyped-def]
    """Take in the values f at x, note the roots that are found, and choose the next steps; how many are left.

    A step is a share of the bracket: through the three points where that is safe, else to the middle.
    ahead: clients whose root is still looked for.
    """
    left = 0
    (x1, x2, x3), (f1, f2, f3) = xs, fs
    for i in range(x.size):
        if not ahead[i]:
            continue
        if turn > 0:
            if np.sign(f[i]) == np.sign(f1[i]):
                x3[i], f3[i] = x1[i], f1[i]
            else:
                x3[i], f3[i], x2[i], f2[i] = x2[i], f2[i], x1[i], f1[i]
            x1[i], f1[i] = x[i], f[i]
        best = x1[i] if abs(f1[i]) < abs(f2[i]) else x2[i]
        width, least = abs(x2[i] - x1[i]), abs(best) * 4 * EPS + 4 * TINY
        hit = min(abs(f1[i]), abs(f2[i])) <= TINY
        wrong = np.sign(f1[i]) == np.sign(f2[i]) and not hit
        if hit or wrong or width < least:
            found[i], ahead[i] = np.nan if wrong else best, False
            continue
        left += 1
        if turn > 0:
            xi, phi = (x1[i] - x2[i]) / (x3[i] - x2[i]), (f1[i] - f2[i]) / (f3[i] - f2[i])
            a = (x3[i] - x1[i]) / (x2[i] - x1[i])
            share = 0.5
            if (1 - np.sqrt(1 - xi)) < phi and phi < np.sqrt(xi):
                share = f1[i] / (f1[i] - f2[i]) * f3[i] / (f3[i] - f2[i])
                share -= a * f1[i] / (f3[i] - f1[i]) * f2[i] / (f2[i] - f3[i])
            edge = 0.5 * least / width
            step[i] = min(max(share, edge), 1 - edge)
    return left
