"""The exact optimum of a round, when the clients' answers are known: the line that no mechanism can cross.

A rational client that is to deliver D must be paid P(D) = (kappa / beta) (exp(beta D) - 1), kappa = theta p: convex.
With A concave in D the problem max sum A(D_n) s.t. sum P(D_n) <= budget is convex, and one multiplier lambda
(accuracy per USD) solves it: A'(D_n) = lambda kappa_n exp(beta_n D_n), pushed into [0, cap_n].
Any other fleet is asked for its noise-free answers on a grid of weights, and the same multiplier picks among them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.optimize.elementwise import find_root

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.messages import CurveOffer, Receipt
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market

SAFE = 1 - 1e-9  # solve to a hair under the budget, so that rounding never overspends
GRID = 257
REFINEMENTS = 3


@dataclass(frozen=True, eq=False)
class OptimumReceipt(Receipt):
    """The optimum as a receipt. `bound` is the dual value: no offer reaches more, also where responses jump."""

    bound: float


def oracle(market: Market) -> OptimumReceipt:
    """The best offer to the current fleet under the budget, judged by noise-free answers."""
    fleet = market.fleet
    if isinstance(fleet, RationalFleet) and fleet.size_low == 0 and _concave(market):
        offer = _rational_offer(market, fleet)
        return _receipt(market, offer, bound=None)
    return _grid_optimum(market)


def _receipt(market: Market, offer: CurveOffer, bound: float | None) -> OptimumReceipt:
    receipt = market.settle(1, offer, None)
    return OptimumReceipt(
        **{name: getattr(receipt, name) for name in Receipt.__dataclass_fields__},
        bound=receipt.accuracy if bound is None else max(bound, receipt.accuracy),
    )


def _concave(market: Market) -> bool:
    sizes = np.linspace(0, market.terms.size_high, 33)
    iid = np.unique(np.quantile(market.fleet.roster.iid, np.linspace(0, 1, 9)))
    return bool((np.diff(market.terms.accuracy.slope(sizes[:, None], iid), axis=0) <= 1e-15).all())


def _rational_offer(market: Market, fleet: RationalFleet) -> CurveOffer:
    iid, beta = fleet.roster.iid, fleet.roster.rate
    kappa, cap = fleet.means.marginal_cost, np.nan_to_num(fleet.means.cap)
    slope = market.terms.accuracy.slope
    useful = _last_useful_size(slope, iid, cap)

    def gap(D: FloatArray, log_lambda: FloatArray, beta: FloatArray, kappa: FloatArray, iid: FloatArray) -> FloatArray:
        return np.log(np.maximum(slope(D, iid), 1e-300)) - log_lambda - np.log(kappa) - beta * D

    def sizes(log_lambda: float) -> FloatArray:
        args = (np.full_like(beta, log_lambda), beta, kappa, iid)
        D = np.where(gap(useful, *args) >= 0, useful, 0.0)
        inside = (D < useful) & (gap(np.zeros_like(D), *args) > 0)
        if inside.any():
            chosen = tuple(a[inside] for a in args)
            D[inside] = find_root(gap, (np.zeros(chosen[0].size), useful[inside]), args=chosen).x
        return D

    def payments(D: FloatArray) -> FloatArray:
        return np.asarray(kappa / beta * np.expm1(beta * D))

    budget = market.terms.budget * SAFE
    D = useful
    if payments(useful).sum() > budget:
        steepest = float(np.log(np.max(slope(np.zeros_like(iid), iid) / kappa)))
        least = steepest - 1.0
        while payments(sizes(least)).sum() <= budget:
            least -= 5.0
        root = brentq(lambda x: payments(sizes(x)).sum() - budget, least, steepest, xtol=1e-13)
        D = sizes(root)
        D *= _shrink(payments, D, budget)
    weight = np.where(D > 0, kappa / beta * np.exp(beta * D), 0.0)
    return CurveOffer(weight, beta, np.full(beta.size, market.terms.size_high))


def _shrink(payments, D: FloatArray, budget: float) -> float:  # type: ignore[no-untyped-def]
    """The factor, 1 but for rounding, that brings the spend under the budget."""
    factor = 1.0
    while payments(D * factor).sum() > budget / SAFE:
        factor -= 1e-12
    return factor


def _last_useful_size(slope, iid: FloatArray, cap: FloatArray) -> FloatArray:  # type: ignore[no-untyped-def]
    """Where accuracy stops rising, or the cap."""
    falls = slope(cap, iid) < 0
    if not falls.any():
        return cap
    result = cap.copy()
    low, high = np.zeros(cap.size), cap.copy()
    for _ in range(60):
        mid = (low + high) / 2
        rising = slope(mid, iid) > 0
        low, high = np.where(rising, mid, low), np.where(rising, high, mid)
    result[falls] = low[falls]
    return result


def _grid_optimum(market: Market) -> OptimumReceipt:
    """Weights on a log grid, refined around the choice; one multiplier picks for all clients at once."""
    fleet, budget = market.fleet, market.terms.budget * SAFE
    roster = fleet.roster
    n, limit = len(roster), np.full(len(roster), market.terms.size_high)
    low = np.full(n, np.log(1e-5 * budget / n))
    high = np.full(n, np.log(budget) + 5.0)
    tables: list[tuple[FloatArray, FloatArray, FloatArray]] = []
    for _ in range(REFINEMENTS):
        grid = np.exp(low + (high - low) * np.linspace(0, 1, GRID)[:, None])
        grid[0] = 0.0 if not tables else grid[0]
        sizes = np.stack([market.admit(fleet.respond(CurveOffer(w, roster.rate, limit), None)) for w in grid])
        paid = np.stack([CurveOffer(w, roster.rate, limit).payment(D) for w, D in zip(grid, sizes, strict=True)])
        gain = market.terms.accuracy(np.nan_to_num(np.stack([market.truth(D) for D in sizes])), roster.iid)
        tables.append((grid, paid, gain))
        weights, P, A = (np.concatenate(parts) for parts in zip(*tables, strict=True))
        pick, bound = _allocate(P, A, budget)
        chosen = np.log(np.maximum(weights[pick, np.arange(n)], np.exp(low)))
        width = 1.5 * (high - low) / (GRID - 1)
        low, high = chosen - width, chosen + width
    offer = CurveOffer(weights[pick, np.arange(n)], roster.rate, limit)
    return _receipt(market, offer, bound=bound / n)


def _allocate(P: FloatArray, A: FloatArray, budget: float) -> tuple[IntArray, float]:
    """Rows of (grid, n) tables of payment and gain that maximise the gain under the budget, and the dual bound."""
    n = P.shape[1]
    columns = np.arange(n)

    def pick(price: float) -> IntArray:
        return np.asarray((A - price * P).argmax(axis=0))

    free = pick(0.0)
    if P[free, columns].sum() <= budget:
        return free, float(A[free, columns].sum())
    lean, rich = 1e12, 0.0
    steep = float(np.max((A - A[P.argmin(axis=0), columns]) / np.maximum(P, 1e-300) * (P > 0)))
    low, high = np.log(max(steep, 1e-12)) - 60, np.log(max(steep, 1e-12)) + 1
    for _ in range(200):
        mid = (low + high) / 2
        chosen = pick(np.exp(mid))
        if P[chosen, columns].sum() > budget:
            low, rich = mid, np.exp(mid)
        else:
            high, lean = mid, np.exp(mid)
    base, more = pick(lean), pick(rich)
    bound = min(float((A - price * P).max(axis=0).sum() + price * budget) for price in (lean, rich))
    return _fill(P, A, base, more, budget), bound


def _fill(P: FloatArray, A: FloatArray, base: IntArray, more: IntArray, budget: float) -> IntArray:
    """Spend what the multiplier leaves: move clients from `base` to `more`, the best bargain first, while it fits."""
    columns = np.arange(base.size)
    dP = P[more, columns] - P[base, columns]
    dA = A[more, columns] - A[base, columns]
    left = budget - float(P[base, columns].sum())
    result = base.copy()
    candidates: BoolArray = (dA > 0) & (dP > 0)
    order = np.argsort(-dA / np.where(candidates, dP, 1.0))
    for client in order[candidates[order]]:
        if dP[client] <= left:
            result[client] = more[client]
            left -= float(dP[client])
    return result
