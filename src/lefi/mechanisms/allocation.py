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
ENOUGH = 1e-3  # of the budget left over is not worth another attempt


def allocate(
    gain: FloatArray, cost: FloatArray, budget: float, price: float = 0.0, attempts: int = 1
) -> tuple[IntArray, float]:
    """The candidate of each client, and the price of money; total cost <= budget. Candidate 0 must cost nothing.

    Where a client jumps between two candidates at the price that would meet the budget, money is left over. Those who
    cannot make their jump stay where they are, and the price falls for the others: as often as `attempts` allows.
    """
    clients, free = np.arange(gain.shape[0]), gain
    steep = float(gain.max() - gain.min()) / budget
    for _ in range(attempts):
        lean, rich, price = at_one_price(free, cost, budget, price or steep * clients.size, 1e-9 * steep + 1e-300)
        chosen = fill(gain, cost, lean, rich, budget)
        left = budget - float(cost[clients, chosen].sum())
        stuck = np.flatnonzero((chosen != rich) & (cost[clients, rich] > cost[clients, chosen] + left))
        if stuck.size == 0 or left < ENOUGH * budget:
            break
        free = free.copy()
        kept = free[stuck, chosen[stuck]]
        free[stuck] = -np.inf
        free[stuck, chosen[stuck]] = kept
    return chosen, price


def at_one_price(
    gain: FloatArray, cost: FloatArray, budget: float, guess: float, least: float
) -> tuple[IntArray, IntArray, float]:
    """Candidates just within the budget and just beyond it, and the price between them (0: all is affordable)."""
    lean = np.empty(gain.shape[0], dtype=np.int64)
    rich = np.empty_like(lean)
    if best_response(gain, cost, least, rich) <= budget:
        return rich, rich, 0.0
    low, high = bracket(gain, cost, budget, guess, least, lean)
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
    return lean, rich, high


def bracket(
    gain: FloatArray, cost: FloatArray, budget: float, guess: float, least: float, pick: IntArray
) -> tuple[float, float]:
    """Two prices between which the budget is met."""
    low = high = max(guess, least)
    factor = 1.2
    if best_response(gain, cost, high, pick) > budget:
        while best_response(gain, cost, high, pick) > budget:
            low, high, factor = high, high * factor, factor * factor
        return low, high
    while low > least and best_response(gain, cost, low, pick) <= budget:
        low, high, factor = max(low / factor, least), low, factor * factor
    return low, high


def fill(gain: FloatArray, cost: FloatArray, lean: IntArray, rich: IntArray, budget: float) -> IntArray:
    """Spend what the price leaves: move clients from `lean` to `rich`, the best bargain first, while it fits."""
    clients = np.arange(lean.size)
    extra = cost[clients, rich] - cost[clients, lean]
    more = gain[clients, rich] - gain[clients, lean]
    left = budget - float(cost[clients, lean].sum())
    result = lean.copy()
    able = np.flatnonzero((more > 0) & (extra > 0) & (extra <= left))
    for client in able[np.argsort(-more[able] / extra[able], kind="stable")]:
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
