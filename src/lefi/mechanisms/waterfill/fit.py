"""Beliefs about many clients: every family is weighed for each, unless its answers tell all without a belief."""

from math import inf, log
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.compiler import compiled
from lefi.mechanisms.waterfill.belief import HEARD, Client, normalise, recall, spread, weigh
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
    s = one[0]
    for i in range(rate.size):
        points = beliefs[i]
        if plain.rises[i]:
            points[0].b, points[0].cap, points[0].chance = plain.b[i], plain.cap[i], 1.0
            points[0].kind = 0 if plain.cap[i] == shared.high else 1
            if not plain.follows[i]:
                points[0].kind, points[0].exponent = STEP, EXPONENTS[-1]
                points[0].b += rate[i] * plain.cap[i] + money(rate[i], plain.cap[i])
                points[0].cap *= plain.part[i]
            continue
        count, seen, cut = recall(answers[i], shared, room)
        client = Client(room, count, rate[i], seen, cut)
        for p in range(KEPT):
            points[p].chance = -inf
        for kind in range(STAIRS):
            spread(kind, client, shared, points, s)
        climb(client, shared, points, s)
        if seen == 0:
            s.kind, s.b, s.exponent, s.cap, s.chance = IDLE, 0.0, 0.0, 0.0, log(shared.chances[IDLE])
            weigh(s, client, shared, points)
        normalise(points)
