"""The best menu of (size, payment) for clients of several cost types, within a budget whatever they pick.

c classes of clients (alike in iid), i types of cost, cheapest first; a class has one menu; sizes fall with the type.
kappa_i  marginal cost of type i [USD / thousand samples]      m_ci  clients of class c expected to be of type i
n_ci     clients of class c that are shown the pairs i .. last: the dearest that they can take is pair i
R_ci = R_c,i+1 + kappa_i (D_ci - D_c,i+1),  R_c,last = kappa_last (D_c,last - size_low): just enough that no type wants
its neighbour's pair; size_low is delivered anyway, and not paid.
max sum m_ci A(D_ci)  s.t.  sum n_ci R_ci <= budget.  The spend is linear in D with slopes
g_ci = n_ci kappa_i + (n_c1 + .. + n_c,i-1) (kappa_i - kappa_i-1), so A'(D_ci) = lambda psi_ci with psi_c = g_c / m_c,
ironed (pooled with its neighbours) where it does not rise: otherwise sizes would not fall with the type.
"""

from collections.abc import Callable

import numpy as np

from lefi.allocation import search, sizes_at_slope
from lefi.arrays import FloatArray
from lefi.messages import Terms, spendable

EXACT = 1e-12  # share of the budget that may be left where the price meets it
LEAST = 1e-17  # smallest price of money, of the largest: all is bought that adds anything
NOBODY = 1e-9  # clients that a type is expected to have at least, so that its psi is finite

Sizes = Callable[[float], FloatArray]


def best_menu(
    terms: Terms,
    iid: FloatArray,
    kappa: FloatArray,
    expected: FloatArray,
    shown: FloatArray,
    budget: float,
    apart: FloatArray | float = 0.0,
) -> FloatArray:
    """D (classes, types). `expected` is m, `shown` is n; `apart` (classes, 1) sets pooled pairs apart.

    A pooled pair is the best that can be done for one round and teaches nothing about who took it. Setting the pairs
    apart by a small share of their size costs next to nothing, and every pick tells a type.
    """
    psi, low, high = slopes(kappa, expected, shown), terms.size_low, terms.size_high
    fall = 1 - apart * np.arange(kappa.size) / kappa.size

    def at(price: float) -> FloatArray:
        return low + (sizes_at_slope(terms.accuracy, iid[:, None], price * psi, low, high) - low) * fall

    def spend(price: float) -> float:
        return float((shown * payments(kappa, at(price), low)).sum())

    steepest = max(float(terms.accuracy.slope(np.full(iid.size, low), iid).max()), 1e-300)
    dearest = steepest / float(psi[psi > 0].min())  # at which nothing is bought; psi is 0 where nobody is shown a pair
    return at(search(spend, spendable(budget), dearest, LEAST * dearest, EXACT)[1])


def slopes(kappa: FloatArray, expected: FloatArray, shown: FloatArray) -> FloatArray:
    """psi (classes, types), ironed."""
    cheaper = np.cumsum(shown, axis=1) - shown
    weight = np.maximum(expected, NOBODY)
    g = shown * kappa + cheaper * np.diff(kappa, prepend=kappa[0])
    return np.stack([ironed(row, w) for row, w in zip(g / weight, weight, strict=True)])


def ironed(values: FloatArray, weight: FloatArray) -> FloatArray:
    """The closest rising sequence: neighbours that fall are pooled at their weighted mean."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, w in zip(values.tolist(), weight.tolist(), strict=True):
        blocks.append((value, w, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, wa, na), (b, wb, nb) = blocks[-2:]
            blocks[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.concatenate([np.full(length, mean) for mean, _, length in blocks])


def payments(kappa: FloatArray, sizes: FloatArray, size_low: float = 0.0) -> FloatArray:
    """R (classes, types): cost of the last type, and upwards just enough more that no type wants its neighbour's."""
    steps = sizes - np.concatenate([sizes[:, 1:], np.full((len(sizes), 1), size_low)], axis=1)
    return np.cumsum((kappa * steps)[:, ::-1], axis=1)[:, ::-1]
