"""What was answered, against what was believed: for the fleet to learn its noise from, and to notice a jump by."""

from math import sqrt

from lefi.arrays import FloatArray
from lefi.compiler import allocating
from lefi.mechanisms.waterfill.curves import CAP, CHANCE, HINGES, KIND, wish
from lefi.mechanisms.waterfill.memory import LIMIT, SLOTS, Answers, X, Y
from lefi.mechanisms.waterfill.points import KEPT, RARE, ROUGH, WIDE, Shared


@allocating
def explain_all(answers: Answers, rate: FloatArray, beliefs: FloatArray, size: FloatArray, top: FloatArray) -> None:
    """Fill what each client should have answered on its likeliest curve, and the most it could have (n, SLOTS)."""
    for i in range(rate.size):
        s = beliefs[i, 0]
        for j in range(SLOTS):
            limit = float(answers[i, LIMIT, j])
            top[i, j] = min(limit, s[CAP])
            size[i, j] = min(wish(s, float(answers[i, X, j]), limit, rate[i]), limit)


@allocating
def surprises(answers: Answers, rate: FloatArray, shared: Shared, beliefs: FloatArray) -> int:
    """How many of the newest answers no likely curve explains, under beliefs from before them."""
    found = 0
    for i in range(rate.size):
        x, limit, y = float(answers[i, X, 0]), float(answers[i, LIMIT, 0]), float(answers[i, Y, 0])
        explained = False
        for p in range(KEPT):
            s = beliefs[i, p]
            if s[CHANCE] > RARE and not explained:
                size = wish(s, x, limit, rate[i])
                moved = sqrt(shared.drift) * (1 / rate[i] if int(s[KIND]) < HINGES else size)
                off = WIDE * sqrt((shared.rho * size) ** 2 + moved * moved) + ROUGH * shared.high
                explained = abs(y - size) <= off
        found += 0 if explained else 1
    return found
