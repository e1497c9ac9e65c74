"""One price of money: what every mechanism that shares a budget between clients solves its problem with.

n clients, g candidate offers each; candidate 0 offers nothing and costs nothing.
gain (n, g)  accuracy that an offer is expected to bring      cost (n, g)  the most it can cost   [USD]
max sum gain s.t. sum cost <= budget: for a price lambda every client takes the candidate with the largest
gain - lambda cost, and lambda is bisected until the budget is met.
"""

import math
from collections.abc import Callable

import numpy as np

from lefi.arrays import FloatArray, Floats, IntArray
from lefi.compiler import compiled
from lefi.models import AccuracyModel

HALVINGS = 48  # steps towards a price, at most
SECANTS = 40  # steps towards a size, at most; a quadratic accuracy needs one


def allocate(
    gain: FloatArray, cost: FloatArray, budget: float, price: float = 0.0, attempts: int = 1, enough: float = 1e-6
) -> tuple[IntArray, float]:
    """The candidate of each client, and the price of money; total cost <= budget. `price` is a first guess.

    Where a client jumps between two candidates at the price that would meet the budget, money is left over. Those who
    cannot make their jump choose among what they can reach, and the price falls for all: as often as `attempts`
    allows, or until only a share `enough` of the budget is left.
    """
    clients, free = np.arange(gain.shape[0]), gain
    steep = float(gain.max() - gain.min()) / budget
    for attempt in range(attempts):
        guess = price or steep * clients.size
        lean, rich, found = at_one_price(free, cost, budget, guess, 1e-9 * steep + 1e-300, enough)
        price = found if attempt == 0 else price
        chosen = fill(gain, cost, lean, rich, budget)
        left = budget - float(cost[clients, chosen].sum())
        stuck = ((chosen != rich) & (cost[clients, rich] > cost[clients, chosen] + left)).nonzero()[0]
        if stuck.size == 0 or left < max(enough, 1e-3) * budget:
            break
        free = free.copy()
        reach = cost[stuck, chosen[stuck]] + left
        free[stuck] = np.where(cost[stuck] <= reach[:, None], free[stuck], -np.inf)
    return chosen, price


def at_one_price(
    gain: FloatArray, cost: FloatArray, budget: float, guess: float, least: float, enough: float
) -> tuple[IntArray, IntArray, float]:
    """Candidates just within the budget and just beyond it, and the price between them (0: all is affordable)."""
    lean = np.empty(gain.shape[0], dtype=np.int64)
    rich = np.empty_like(lean)
    if best_response(gain, cost, least, rich) <= budget:
        return rich, rich, 0.0
    hunt = begin(guess, least)
    search_candidates(gain, cost, budget, hunt, enough, lean)
    best_response(gain, cost, hunt[HIGH], lean)
    best_response(gain, cost, hunt[LOW], rich)
    return lean, rich, float(hunt[HIGH])


def search(
    spend: Callable[[float], float], budget: float, guess: float, least: float, enough: float
) -> tuple[float, float]:
    """Two prices close to each other: at the first one the budget does not suffice, at the second one it does.

    The second one is close enough where a share `enough` of the budget is left. Both are `least` where that suffices.
    """
    hunt = begin(guess, least)
    while narrow(hunt, spend(float(hunt[PRICE])), budget, enough):
        pass
    return float(hunt[LOW]), float(hunt[HIGH])


@compiled
def search_candidates(gain, cost, budget, hunt, enough, pick):  # type: ignore[no-untyped-def]
    """The same search, where every client chooses among its candidates."""
    while narrow(hunt, best_response(gain, cost, hunt[PRICE], pick), budget, enough):
        pass


# A hunt for the price: the one to try next; two that it lies between (NaN: not known yet), each with what is spent
# there; the least price; the factor of the next stride; how often it was halved.
PRICE, LOW, MOST, HIGH, LEAST_SPENT, LEAST, FACTOR, TURN = range(8)


def begin(guess: float, least: float) -> FloatArray:
    """A hunt that knows nothing but a guess."""
    return np.array([max(guess, least), np.nan, np.nan, np.nan, np.nan, least, 1.1, 0.0])


@compiled
def narrow(hunt, spent, budget, enough):  # type: ignore[no-untyped-def]
    """Take in what is spent at the price that was tried, and choose the next one; False where there is none.

    Strides that grow lead to two prices between which the budget is met. From there it goes to where log spend, taken
    as linear in log price, meets the budget, and every third time to the middle.
    """
    price, least = hunt[PRICE], hunt[LEAST]
    if spent > budget:
        hunt[LOW], hunt[MOST] = price, spent
    else:
        hunt[HIGH], hunt[LEAST_SPENT] = price, spent
    if np.isnan(hunt[LOW]) and price <= least:
        hunt[LOW] = least
        return False
    if np.isnan(hunt[LOW]) or np.isnan(hunt[HIGH]):
        hunt[PRICE] = price * hunt[FACTOR] if spent > budget else max(price / hunt[FACTOR], least)
        hunt[FACTOR] *= hunt[FACTOR]
        return True
    low, high, turn = hunt[LOW], hunt[HIGH], hunt[TURN]
    met = turn > 0 and budget * (1 - enough) < spent <= budget
    if met or turn >= HALVINGS or high <= low * (1 + 1e-10):
        return False
    share = 0.5
    if turn % 3 < 2 and hunt[LEAST_SPENT] > 0:
        rate = math.log(hunt[MOST] / hunt[LEAST_SPENT])
        share = min(max(math.log(hunt[MOST] / budget) / max(rate, 1e-12), 0.02), 0.98)
    hunt[PRICE], hunt[TURN] = low * (high / low) ** share, turn + 1
    return True


def fill(gain: FloatArray, cost: FloatArray, lean: IntArray, rich: IntArray, budget: float) -> IntArray:
    """Spend what the price leaves: move clients from `lean` to `rich`, the best bargain first, while it fits."""
    moved, result = (lean != rich).nonzero()[0], lean.copy()
    less, more = lean[moved], rich[moved]
    extra, better = cost[moved, more] - cost[moved, less], gain[moved, more] - gain[moved, less]
    left = budget - float(cost[np.arange(lean.size), lean].sum())
    able = ((better > 0) & (extra > 0) & (extra <= left)).nonzero()[0]
    if able.size:
        able = able[np.argsort(-better[able] / extra[able], kind="stable")]
        taken = able[np.cumsum(extra[able]) <= left]  # the first that does not fit ends it
        result[moved[taken]] = more[taken]
    return result


def sizes_at_slope(accuracy: AccuracyModel, iid: FloatArray, target: Floats, low: Floats, high: Floats) -> FloatArray:
    """Where the slope of accuracy, which falls with size, meets the target; pushed into [low, high].

    Secants between two ends of opposite sign; an end that stays counts half as much (Illinois), so that none stalls.
    """
    low, high, target, iid = np.broadcast_arrays(*map(np.asarray, (low, high, target, iid)))
    above, below = accuracy.slope(low, iid) - target, accuracy.slope(high, iid) - target
    sizes = np.where(below >= 0, high, low)
    inside = (above > 0) & (below < 0)
    for _ in range(SECANTS):
        with np.errstate(invalid="ignore", divide="ignore"):
            sizes = np.where(inside, low + (high - low) * above / (above - below), sizes)
        slope = accuracy.slope(sizes, iid) - target
        if np.abs(slope[inside]).max(initial=0.0) <= 1e-12:
            break
        rises = slope > 0
        low, high = np.where(rises, sizes, low), np.where(rises, high, sizes)
        above, below = np.where(rises, slope, above / 2), np.where(rises, below / 2, slope)
    return sizes


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
