"""The optimum for any fleet: its noise-free answers tabulated over weights, one multiplier for all clients.

w  (m, n)  weights, rising down each column       P  (m, n)  payments [USD]
A  (m, n)  accuracy of the answers                lambda     accuracy per USD
For any lambda >= 0,  sum_n max_i (A_in - lambda P_in) + lambda budget  is at least what the tabulated offers reach.
Between two weights the client is granted the answer of the upper one at the weight of the lower one: so the bound
holds for all weights, as long as answers rise with the weight. The table is refined where this grant matters most.
"""

from collections.abc import Callable

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.messages import CurveOffer
from lefi.world.market import Market

ROWS = 193  # of the first table
FOR_BOUND = (48,) * 6  # intervals of each client that each refinement cuts in three, first where the grant matters
FOR_CHOICE = (4,) * 8  # and then around the choice
LEAST, MOST = 1e-6, 1e9  # range of weights, in budget / clients and in budgets

Answer = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]


def table_optimum(market: Market, budget: float) -> tuple[CurveOffer, float]:
    """The best tabulated offer that spends at most `budget`, and the dual bound at the whole budget of the terms."""
    roster = market.fleet.roster
    limit = np.full(len(roster), market.terms.size_high)

    def answer(w: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        offers = [CurveOffer(row, roster.rate, limit) for row in w]
        D = np.stack([np.nan_to_num(market.admit(market.fleet.respond(offer, None))) for offer in offers])
        trained = np.stack([market.truth(row) for row in D])
        return D, -w * np.expm1(-roster.rate * D), np.asarray(market.terms.accuracy(trained, roster.iid))

    w = first_weights(answer, len(roster), budget)
    D, P, A = answer(w)
    for refinement, intervals in enumerate(FOR_BOUND + FOR_CHOICE):
        cost = grant(w, D, roster.rate) if refinement < len(FOR_BOUND) else P
        price, _ = dual(cost, A, budget)
        more = between(w, A - price * cost, intervals)
        w, D, P, A = merge((w, D, P, A), (more, *answer(more)))
    _, bound = dual(grant(w, D, roster.rate), A, market.terms.budget)
    rows = allocate(P, A, budget)
    return CurveOffer(w[rows, np.arange(rows.size)], roster.rate, limit), bound / rows.size


def first_weights(answer: Answer, clients: int, budget: float) -> FloatArray:
    """0, then a geometric grid up to where one client alone would eat the budget."""
    top = np.full(clients, budget / clients)
    while (short := (answer(top[None])[1][0] < budget) & (top < MOST * budget)).any():
        top = np.where(short, 8 * top, top)
    low = np.log(LEAST * budget / clients)
    grid = np.exp(low + (np.log(top) - low) * np.linspace(0, 1, ROWS - 1)[:, None])
    return np.concatenate([np.zeros((1, clients)), grid])


def grant(w: FloatArray, D: FloatArray, rate: FloatArray) -> FloatArray:
    """What each answer would cost at the weight of the row above it."""
    above = np.concatenate([w[:1], w[:-1]])
    return np.asarray(-above * np.expm1(-rate * D))


def between(w: FloatArray, value: FloatArray, intervals: int) -> FloatArray:
    """Two new weights inside each of the intervals (row - 1, row) with the highest value."""
    lower = np.argpartition(-value[1:], intervals, axis=0)[:intervals]
    a, b = np.take_along_axis(w, lower, axis=0), np.take_along_axis(w, lower + 1, axis=0)
    return np.concatenate([a + (b - a) / 3, a + (b - a) * 2 / 3])


def merge(table: tuple[FloatArray, ...], more: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """Both tables as one, sorted by their first column block, the weights."""
    columns = [np.concatenate(pair) for pair in zip(table, more, strict=True)]
    order = np.argsort(columns[0], axis=0, kind="stable")
    return tuple(np.take_along_axis(column, order, axis=0) for column in columns)


def dual(P: FloatArray, A: FloatArray, budget: float) -> tuple[float, float]:
    """The lambda at which the dual value is lowest, and that value."""

    def value(price: float) -> float:
        return float((A - price * P).max(axis=0).sum() + price * budget)

    return min(((price, value(price)) for price in prices(P, A, budget)), key=lambda pair: pair[1])


def prices(P: FloatArray, A: FloatArray, budget: float) -> tuple[float, float]:
    """Two lambdas next to each other: the best choice at the first keeps to the budget, at the second it does not.

    Both 0 where the budget is enough for everything.
    """
    if spend(P, A, 0.0) <= budget:
        return 0.0, 0.0
    high = low = 1.0
    while spend(P, A, high) > budget:
        high *= 16
    while spend(P, A, low) <= budget:
        low /= 16
    while high - low > 1e-14 * high:
        mid = (low + high) / 2
        low, high = (mid, high) if spend(P, A, mid) > budget else (low, mid)
    return high, low


def choice(P: FloatArray, A: FloatArray, price: float) -> IntArray:
    return np.asarray((A - price * P).argmax(axis=0))


def spend(P: FloatArray, A: FloatArray, price: float) -> float:
    return float(P[choice(P, A, price), np.arange(P.shape[1])].sum())


def allocate(P: FloatArray, A: FloatArray, budget: float) -> IntArray:
    """Rows that keep to the budget with the most accuracy: those of the multiplier, then what still fits.

    Where a client's answers jump, the multiplier leaves money over that does not pay for the jump. Two ways out, the
    better one counts: the others share the money, or the client is let jump and the others share what is left.
    """
    columns = np.arange(P.shape[1])
    rows = complete(P, A, budget)
    wanted = choice(P, A, prices(P, A, budget)[1])
    missed = A[wanted, columns] - A[rows, columns]
    client = int(missed.argmax())
    jump = P[wanted[client], client]
    if missed[client] <= 0 or jump + P.min(axis=0).sum() - P[:, client].min() > budget:
        return rows
    jumped = A.copy()
    jumped[P[:, client] < jump, client] = -np.inf
    return max(rows, complete(P, jumped, budget), key=lambda rows: float(A[rows, columns].sum()))


def complete(P: FloatArray, A: FloatArray, budget: float) -> IntArray:
    """The multiplier's rows; while money is left, again without the rows that it cannot pay for."""
    columns = np.arange(P.shape[1])
    rows = np.where(np.isfinite(A), P, np.inf).argmin(axis=0)
    while True:
        spent = P[rows, columns]
        payable = np.where(P <= spent + (budget - spent.sum()), A, -np.inf)
        lean, rich = prices(P, payable, budget)
        better = fill(P, A, choice(P, payable, lean), choice(P, payable, rich), budget)
        if A[better, columns].sum() <= A[rows, columns].sum() + 1e-12:
            return rows
        rows = better


def fill(P: FloatArray, A: FloatArray, base: IntArray, more: IntArray, budget: float) -> IntArray:
    """Move clients from `base` to `more`, the best bargain first, while it fits the budget."""
    columns = np.arange(base.size)
    dP, dA = P[more, columns] - P[base, columns], A[more, columns] - A[base, columns]
    left = budget - float(P[base, columns].sum())
    rows = base.copy()
    gaining = np.flatnonzero((dA > 0) & (dP > 0))
    for client in gaining[np.argsort(-dA[gaining] / dP[gaining])]:
        if dP[client] <= left:
            rows[client] = more[client]
            left -= float(dP[client])
    return rows
