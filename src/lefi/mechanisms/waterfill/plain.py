"""What answers say without a belief, where they are those of a rational client without noise: min((x - b) / r, cap)."""

from math import log
from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.compiler import compiled
from lefi.mechanisms.waterfill.belief import within
from lefi.mechanisms.waterfill.curves import NOTHING, Offers
from lefi.mechanisms.waterfill.memory import EXACT, SAME, SLOTS, Answers, Heard
from lefi.mechanisms.waterfill.shared import PRICES, ROUGH, WIDE, Shared
from lefi.messages import Roster, Terms
from lefi.threads import in_parts

HALVINGS = 10  # of the sizes that may be the best one

# What the answers of a client say.
# follows: none contradicts such a curve; else the client is offered what brought something last, or nothing
# rises: nor is its location in doubt, one lies on the rise    b: location, where it is or where it is sought
# cap: the most to pay for, 0 where nothing ever came          part: of the cap that is delivered
# turn: it is thought about in this round, and not served
SAID = np.dtype({"names": ["follows", "rises", "turn", "b", "cap", "part"], "formats": ["?"] * 3 + ["f8"] * 3})
Plain = Any  # records of SAID


def survey(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared) -> Plain:
    """What the answers in these rows say, of a client each; -1: there are none."""
    found = np.zeros(rate.size, dtype=SAID).view(np.recarray)
    in_parts(rate.size, lambda p: look(answers, at[p], rate[p], shared, found[p]))
    return found


@compiled
def look(answers: Answers, at: IntArray, rate: FloatArray, shared: Shared, found: Plain) -> None:
    """Fill what is found about the clients in these rows."""
    nothing, calm = shared.floor + shared.exact, shared.rho <= ROUGH and shared.drift <= EXACT / SLOTS
    for i in range(at.size):
        one, r, b, least, seen, heard = found[i], rate[i], np.inf, -np.inf, 0.0, 0
        while at[i] >= 0 and heard < SLOTS and answers[at[i], heard].when >= (shared.jumped if heard > 0 else 0):
            heard += 1  # where there is no answer, there is no round
        mine = answers[at[i], :heard]
        for a in mine:
            if a.y <= nothing:
                least = max(least, a.x - r * shared.floor)
                continue
            b, seen = min(b, a.x - r * a.y), max(seen, a.y)
            if one.cap == 0:
                one.b, one.cap, one.part = a.x - r * a.limit, a.limit, a.y / a.limit
        fits, rises, capped = calm and heard > 0 and (seen > 0 or heard < SLOTS // 4), False, False
        for a in mine:
            wished = min(max((a.x - b) / r, shared.floor), a.limit)
            fits &= abs(a.y - min(wished, max(seen, shared.floor))) <= shared.exact
            rises |= nothing < a.y < seen - shared.exact and a.y < a.limit * (1 - SAME)
            capped |= a.y < wished - shared.exact
        if fits:
            low, top = within(least, b, shared.mean[PRICES] - log(r), WIDE * shared.doubt[PRICES])
            one.follows, one.rises, one.b = True, rises, b if rises else (low + top) / 2
            one.cap, one.part = seen if capped else shared.high, 1.0


def serve(terms: Terms, to: Roster | Heard, plain: Plain, price: float) -> Offers:
    """The best offers at a price of money: a size is delivered for what pays the last sample of it."""
    found = Offers.at(np.empty(to.rate.size))

    @np.errstate(over="ignore", invalid="ignore")
    def fill(p: slice) -> None:
        own, r, pi, low, high = plain[p], to.rate[p], to.iid[p], np.zeros(plain[p].size), plain[p].cap.copy()
        for _ in range(HALVINGS):
            size = (low + high) / 2
            more = terms.accuracy.slope(size, pi) > price * r * np.exp(own.b + r * size)
            low, high = np.where(more, size, low), np.where(more, high, size)
        rise = np.subtract(*(terms.accuracy(own.cap * part, pi) for part in (own.part, 0.0)))
        whole = np.where(own.follows, high == own.cap, rise > price * np.exp(own.b) * np.expm1(r * own.cap))
        size = found.size[p] = np.where(whole, own.cap, np.where(own.follows, low, 0.0))
        found.x[p] = np.where(size > terms.size_low, own.b + r * size, NOTHING)
        found.limit[p] = np.clip(size * (1 + 4 * SAME), terms.size_low, terms.size_high)
        found.cost[p] = -np.exp(found.x[p]) * np.expm1(-r * found.limit[p])

    in_parts(to.rate.size, fill)
    return found
