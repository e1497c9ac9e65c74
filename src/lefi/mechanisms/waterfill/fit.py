"""Beliefs about many clients: every family is weighed for each, unless its answers tell all without a belief."""

from math import inf, log
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import compiled
from lefi.mechanisms.waterfill.belief import HEARD, normalise, recall, spread, weigh
from lefi.mechanisms.waterfill.curves import EXPONENTS, IDLE, KEPT, STAIRS, STEP, Points, Shared, blank, money
from lefi.mechanisms.waterfill.memory import SLOTS, Answers
from lefi.mechanisms.waterfill.plain import Plain
from lefi.mechanisms.waterfill.staircase import climb


def believe(answers: Answers, rate: FloatArray, shared: Shared, plain: Plain) -> Points:
    """What is believed of clients with these answers; of a plain one whose location is known, one curve."""
    beliefs = blank(rate.size)
    fit_all(answers, rate, shared, plain, beliefs, np.recarray(SLOTS, HEARD), blank(1)[0])
    return beliefs


@compiled
def fit_all(
    answers: Answers, rate: FloatArray, shared: Shared, plain: Plain, beliefs: Points, room: Any, one: Points
) -> None:
    """Fill the beliefs; with room for the answers of a client and for one point."""
    for i in range(rate.size):
        points, said = beliefs[i], plain[i]
        if said.rises:
            s = points[0]
            s.kind, s.b, s.cap, s.chance = 0 if said.cap == shared.high else 1, said.b, said.cap, 1.0
            if not said.follows:
                s.kind, s.exponent, s.full, s.cap = STEP, EXPONENTS[-1], money(rate[i], s.cap), s.cap * said.part
                s.b += rate[i] * said.cap + s.full
            continue
        s, client = one[0], recall(answers[i], rate[i], shared, room)
        for p in range(KEPT):
            points[p].chance = -inf
        for kind in range(STAIRS):
            spread(kind, client, shared, points, s)
        climb(client, shared, points, s)
        if client.seen == 0:
            s.kind, s.b, s.exponent, s.cap, s.chance = IDLE, 0.0, 0.0, 0.0, log(shared.chances[IDLE])
            weigh(s, client, shared, points)
        normalise(points)
