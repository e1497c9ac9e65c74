"""The optimum for rational clients, in closed form up to one multiplier.

D  size    beta  rate    kappa = theta p  marginal cost [USD / thousand samples]    lambda  accuracy per USD
A client that is to deliver D must be paid P(D) = (kappa / beta) (exp(beta D) - 1): convex. With A concave,
max sum A(D_n)  s.t.  sum P(D_n) <= budget  is solved by  A'(D_n) = lambda kappa_n exp(beta_n D_n),
pushed into [0, top_n], where top_n is the client's cap or the size at which accuracy stops rising.
"""

from collections.abc import Callable

import numpy as np
import scipy

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer
from lefi.models import AccuracyModel
from lefi.optimum.roots import roots
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market


def rational_optimum(market: Market, fleet: RationalFleet, budget: float) -> tuple[CurveOffer, float]:
    """The best offer that spends at most `budget`, and the dual bound at the whole budget of the terms."""
    A, iid, beta = market.terms.accuracy, fleet.roster.iid, fleet.roster.rate
    kappa = fleet.means.marginal_cost
    top = _last_useful_size(A, iid, np.nan_to_num(fleet.means.cap))

    def payments(D: FloatArray) -> FloatArray:
        with np.errstate(over="ignore"):  # an unpayable size costs infinitely much
            return np.asarray(kappa / beta * np.expm1(beta * D))

    D, price = top, 0.0
    if payments(top).sum() > budget:
        sizes = _Sizes(A, iid, beta, np.log(kappa), top)
        log_price = _root(lambda x: float(payments(sizes(x)).sum()) - budget, sizes.highest)
        D, price = sizes(log_price), float(np.exp(log_price))
    weight = np.where(D > 0, kappa / beta * np.exp(beta * D), 0.0)
    unspent = market.terms.budget - float(payments(D).sum())
    bound = float(A(D, iid).mean()) + price * unspent / D.size
    return CurveOffer(weight, beta, np.full(D.size, market.terms.size_high)), bound


class _Sizes:
    """D_n(lambda): where log A'(D) - log kappa - beta D, which falls with D, meets log lambda."""

    def __init__(
        self, A: AccuracyModel, iid: FloatArray, beta: FloatArray, log_kappa: FloatArray, top: FloatArray
    ) -> None:
        self.slope, self.top, self.client = A.slope, top, (iid, beta, log_kappa)
        self.at_0, self.at_top = self._bargain(np.zeros_like(top), *self.client), self._bargain(top, *self.client)
        self.highest = float(self.at_0[top > 0].max())

    def __call__(self, log_price: float) -> FloatArray:
        D = np.where(self.at_top >= log_price, self.top, 0.0)
        inside = (self.at_top < log_price) & (log_price < self.at_0) & (self.top > 0)
        if inside.any():
            client = tuple(values[inside] for values in self.client)
            low, high = np.zeros(int(inside.sum())), self.top[inside]
            D[inside] = roots(lambda D, *client: self._bargain(D, *client) - log_price, low, high, *client)
        return D

    def _bargain(self, D: FloatArray, iid: FloatArray, beta: FloatArray, log_kappa: FloatArray) -> FloatArray:
        """Log of the accuracy that the next USD buys, log (A' / P')."""
        return np.asarray(np.log(np.maximum(self.slope(D, iid), 1e-300)) - log_kappa - beta * D)


def _root(overspend: Callable[[float], float], highest: float) -> float:
    """The log price at which the budget is spent: nobody sells at the highest, so walk down until it is overspent."""
    step = 1.0
    while overspend(highest - step) <= 0:
        step *= 2
    low = highest - step
    return float(scipy.optimize.brentq(lambda x: min(overspend(x), 1e300), low, highest, xtol=1e-14))


def _last_useful_size(A: AccuracyModel, iid: FloatArray, cap: FloatArray) -> FloatArray:
    """The cap, or where accuracy stops rising before it."""
    low, high = np.zeros_like(cap), cap
    falls = A.slope(cap, iid) < 0
    if falls.any():
        for _ in range(60):
            mid = (low + high) / 2
            rising = A.slope(mid, iid) > 0
            low, high = np.where(rising, mid, low), np.where(rising, high, mid)
    return np.where(falls, low, cap)
