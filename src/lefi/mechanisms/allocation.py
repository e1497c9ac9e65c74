"""The server's problem, solved for all clients at once by one number, the price of money.

n clients, g candidate offers each.
gain (n, g)  accuracy that an offer is expected to bring      cost (n, g)  the most it can cost   [USD]
max sum gain s.t. sum cost <= budget: for a price lambda every client takes the candidate with the largest
gain - lambda cost, and lambda is bisected until the budget is met.
"""

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.compiled import compiled

HALVINGS = 48


def allocate(gain: FloatArray, cost: FloatArray, budget: float, price: float = 0.0) -> tuple[IntArray, float]:
    """The candidate of each client, and the price of money; total cost <= budget. Candidate 0 must cost nothing."""
    clients = np.arange(gain.shape[0])
    lean = np.empty(gain.shape[0], dtype=np.int64)
    rich = np.empty_like(lean)
    least = 1e-9 * float(np.ptp(gain)) / budget + 1e-300
    if best_response(gain, cost, least, rich) <= budget:
        return rich, 0.0
    low, high = bracket(gain, cost, budget, price, least, lean)
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        if best_response(gain, cost, middle, lean) > budget:
            low = middle
        else:
            high = middle
        if high <= low * (1 + 1e-10):
            break
    best_response(gain, cost, high, lean)
    best_response(gain, cost, low, rich)
    return fill(gain[clients, lean], cost[clients, lean], gain[clients, rich], cost[clients, rich], lean, rich, budget), high


def bracket(
    gain: FloatArray, cost: FloatArray, budget: float, price: float, least: float, pick: IntArray
) -> tuple[float, float]:
    """Two prices between which the budget is met, found from a first guess."""
    low = high = price if price > 0 else float(np.ptp(gain)) * gain.shape[0] / budget
    factor = 1.2 if price > 0 else 16.0
    if best_response(gain, cost, high, pick) > budget:
        while best_response(gain, cost, high, pick) > budget:
            low, high, factor = high, high * factor, factor * factor
        return low, high
    while best_response(gain, cost, low, pick) <= budget and low > least:
        low, high, factor = max(low / factor, least), low, factor * factor
    return low, high


def fill(
    gain: FloatArray,
    cost: FloatArray,
    more_gain: FloatArray,
    more_cost: FloatArray,
    lean: IntArray,
    rich: IntArray,
    budget: float,
) -> IntArray:
    """Spend what the price leaves: move clients from `lean` to `rich`, the best bargain first, while it fits."""
    extra, left = more_cost - cost, budget - float(cost.sum())
    result = lean.copy()
    open_ = np.flatnonzero((more_gain > gain) & (extra > 0) & (extra <= left))
    for client in open_[np.argsort(-(more_gain - gain)[open_] / extra[open_], kind="stable")]:
        if extra[client] <= left:
            result[client] = rich[client]
            left -= float(extra[client])
    return result


@compiled
def best_response(gain, cost, price, pick):  # type: ignore[no-untyped-def]
    """Every client's best candidate at a price of money, the cheaper one of equals; returns the total cost."""
    total = 0.0
    for i in range(gain.shape[0]):
        best, chosen = gain[i, 0] - price * cost[i, 0], 0
        for j in range(1, gain.shape[1]):
            value = gain[i, j] - price * cost[i, j]
            if value > best or (value == best and cost[i, j] < cost[i, chosen]):
                best, chosen = value, j
        pick[i] = chosen
        total += cost[i, chosen]
    return total
