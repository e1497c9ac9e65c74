"""The search for the best offer to one client, along the line of its log weights, at a given price of money.

levels (n, LEVELS)  accuracy of a client at sizes that lie evenly between the smallest and the largest; between them a
                    parabola through three of them, so that any accuracy model will do and the paper's is met exactly
"""

from math import exp, isnan, log
from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import compiled, inlined
from lefi.mechanisms.waterfill.curves import (
    CANDIDATES,
    NEARBY,
    NOTHING,
    SCAN,
    UP,
    blank_view,
    limit_at,
    propose_one,
    size_at,
    survey,
)
from lefi.mechanisms.waterfill.facts import Client, Known
from lefi.mechanisms.waterfill.tracks import (
    CHANCE,
    FAMILY,
    HIGH,
    HINGE,
    IDLE,
    KIND,
    LOW,
    STEP,
    C,
    M,
    earned,
    log_money,
)
from lefi.mechanisms.waterfill.tries import Hope, hopes, is_tried_low, saving_at

LEVELS = 17  # sizes at which accuracy is tabulated: any smooth model is met to a thousandth
UNLIKELY = 0.2  # tracks below this probability need no candidates of their own
CLOSER = 0.2  # each step along the line against the one before
FINE, ROUGH = 0.05, 0.3  # of the spacing of candidates ends the steps, for clients that are well known and for others
NEWTON = 2  # steps towards equal slopes; the first one lands close by


class Search(NamedTuple):
    """What is the same for all clients."""

    price: float  # of money
    sober: float  # price at which tries are valued; 0: none are made
    reach: tuple[float, float]  # lowest, highest log weight
    floor: float  # size_low
    high: float  # size_high
    looks: int  # steps beyond the candidates, at most


class Looked(NamedTuple):
    """What all looks at a client share."""

    client: Client
    tracks: FloatArray  # a view, see curves.py
    alive: int  # how many
    hope: Hope
    levels: FloatArray  # (LEVELS,)
    memo: FloatArray  # limit of the last look, what it earns at weight 1, the log of that of full delivery
    price: float
    sober: float


class Offers(NamedTuple):
    """Log weight, limit and cost (n,)."""

    x: FloatArray
    limit: FloatArray
    cost: FloatArray

    def part(self, p: slice) -> "Offers":
        return Offers(self.x[p], self.limit[p], self.cost[p])


class Room(NamedTuple):
    """Room for one client."""

    tracks: FloatArray  # its view
    candidates: FloatArray
    memo: FloatArray


def blank_room() -> Room:
    return Room(blank_view(), np.empty(CANDIDATES), np.empty(3))


@compiled
def best_offers(known: Known, levels: FloatArray, search: Search, offers: Offers, room: Room) -> None:
    """Fill in the offers that are worth most at this price of money."""
    price, sober, reach, floor, high, looks = search
    view, candidates, memo = room
    for i in range(offers.x.size):
        client = Client(known.rate[i], known.rho[i], known.full[i], floor, high)
        count, last = survey(known.tracks[i], client.full, client.rate, high, view), known.last[i]
        worth = (levels[i, LEVELS - 1] - levels[i, 0]) / (high - floor) / max(sober, 1e-300)
        hope = hopes(view, count, client, known.patience[i], known.low[i], worth)
        memo[0] = -1.0
        looked = Looked(client, view, count, hope, levels[i], memo, price, sober)
        best, at, step, spacing = best_candidate(looked, last, reach, candidates)
        if looks > 0 and at > NOTHING:
            best, at = climb((best, at), step, (ROUGH if isnan(last) else FINE) * spacing, looks, looked)
        offers.x[i], offers.limit[i], offers.cost[i] = NOTHING, floor, 0.0
        if best > levels[i, 0]:
            offers.x[i], offers.limit[i] = at, limit_at(at, view, count, client)
            offers.cost[i] = exp(at) * earned(client.rate * offers.limit[i])


@inlined
def best_candidate(
    looked: Looked, last: float, reach: tuple[float, float], candidates: FloatArray
) -> tuple[float, float, float, float]:
    """Value and log weight of the best candidate, the first step to take from there, and the spacing of candidates."""
    spacing, count, scan = 0.0, 0, False
    if not is_tried_low(looked.hope):
        spacing, count = propose_rational(looked, reach, candidates)
    if count == 0:
        spacing, count = propose_one(looked.tracks, looked.alive, last, reach, candidates)
        scan = count > SCAN  # every other candidate of it will do, since the steps start as long
    best, at = -1e300, NOTHING
    for j in range(1, count):
        needless = j % 2 == 0 if j <= SCAN else looked.tracks[(j - 1 - SCAN) // 2, CHANCE] < UNLIKELY
        if candidates[j] == NOTHING or (scan and needless):
            continue
        value = value_at(candidates[j], looked)
        best, at = (value, candidates[j]) if value > best else (best, at)
    return best, at, spacing if scan else 0.5 * spacing, spacing


@inlined
def propose_rational(looked: Looked, reach: tuple[float, float], x: FloatArray) -> tuple[float, int]:
    """Log weights worth a look for a client that is rational or takes all or nothing, as far as can be told.

    These are where it delivers its cap, as expected and surely, and where slopes are equal. Returns their spacing, and
    one more than their number; 0 for other clients.
    """
    count, wide, view = 1, 0.0, looked.tracks
    for t in range(looked.alive):
        family = FAMILY[int(view[t, KIND])]
        if view[t, CHANCE] < UNLIKELY or family == IDLE or view[t, C] <= 0:
            continue
        if family != HINGE and family != STEP:
            return 0.0, 0
        width = view[t, HIGH] - view[t, LOW]
        wide = max(wide, width)
        x[count] = view[t, M] + view[t, UP]
        count += 1
        if family == HINGE:
            x[count] = equal_slopes(t, looked)
            count += 1
        if width > NEARBY or family == STEP:
            x[count] = view[t, HIGH] + view[t, UP]
            count += 1
    for j in range(1, count):
        x[j] = min(max(x[j], reach[0]), reach[1])
    return min(max(NEARBY, 0.3 * wide), 0.5), count if count > 1 else 0


@inlined
def equal_slopes(t: int, looked: Looked) -> float:
    """Log weight, up to the kink, at which one more sample of a rational client costs what it is worth.

    Along its curve D = (x - b) / rate an offer costs exp(x) - exp(b), so there A'(D) = rate price exp(x).
    """
    rate, _, _, floor, high = looked.client
    levels, scale, b = looked.levels, (LEVELS - 1) / (high - floor), looked.tracks[t, M]
    x = kink = b + looked.tracks[t, UP]
    for _ in range(NEWTON):
        u = ((x - b) / rate - floor) * scale
        j = piece(u)
        bend = levels[j - 1] - 2 * levels[j] + levels[j + 1]
        slope = max(0.5 * (levels[j + 1] - levels[j - 1]) + (u - j) * bend, 1e-300)
        x += (log(slope * scale / (rate * looked.price)) - x) / (1 - min(bend / slope, 0.0) * scale / rate)
        x = min(max(x, b), kink)
    return x


@inlined
def climb(start: tuple[float, float], step: float, close: float, looks: int, looked: Looked) -> tuple[float, float]:
    """Value and log weight where steps to either side, and parabolas through three of them, lead."""
    best, at = start
    up, down = value_at(at + step, looked), value_at(at - step, looked)
    for _ in range(looks):
        if up > best and up >= down:
            down, best, at = best, up, at + step
            up = value_at(at + step, looked)
        elif down > best:
            up, best, at = best, down, at - step
            down = value_at(at - step, looked)
        else:  # to the top of the parabola through the three, and closer around it
            move, step = 0.5 * step * (up - down) / max(2 * best - up - down, 1e-300), CLOSER * step
            value = value_at(at + move, looked)
            best, at = (value, at + move) if value > best else (best, at)
            if step < close:
                break
            up, down = value_at(at + step, looked), value_at(at - step, looked)
    return best, at


@inlined
def value_at(x: float, looked: Looked) -> float:
    """What an offer is worth, less its cost at the price of money."""
    client, view, count, hope, levels, memo, price, sober = looked
    rate, _, full, floor, high = client
    limit = limit_at(x, view, count, client)
    if limit != memo[0]:  # often it is that of the last look
        memo[0], memo[1], memo[2] = limit, earned(rate * limit), log_money(0.0, rate, min(limit, full))
    weight = exp(x)
    size = size_at((x, x + memo[2]), view, count, client, limit)
    saving = sober * saving_at(x, weight, view, hope, client) if sober > 0 else 0.0
    return level(levels, (size - floor) / (high - floor)) + saving - price * weight * memo[1]


@inlined
def level(levels: FloatArray, share: float) -> float:
    """Accuracy of a client at this share of the way from the smallest to the largest size."""
    u = share * (LEVELS - 1)
    j = piece(u)
    u -= j
    a, b, c = levels[j - 1], levels[j], levels[j + 1]
    return b + 0.5 * u * (c - a) + 0.5 * u * u * (a - 2 * b + c)


@inlined
def piece(u: float) -> int:
    """The middle one of the three levels around u."""
    return min(max(int(u + 0.5), 1), LEVELS - 2)
