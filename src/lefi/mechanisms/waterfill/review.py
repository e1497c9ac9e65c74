"""What was answered, against what was believed: for the fleet to learn its noise from, and to notice a jump by."""

from math import sqrt

from lefi.arrays import FloatArray
from lefi.compiler import allocating
from lefi.mechanisms.waterfill.curves import CAP, CHANCE, HINGES, KIND, Levels, wish
from lefi.mechanisms.waterfill.memory import LIMIT, SLOTS, Answers, X, Y
from lefi.mechanisms.waterfill.points import KEPT, RARE, ROUGH, Beliefs, Shared

OFF = 4.0  # deviations that an answer may be off its explanation, and ROUGH of size_high: no other shape is a jump


@allocating
def explain_all(answers: Answers, rate: FloatArray, beliefs: Beliefs, size: FloatArray, top: FloatArray) -> None:
    """Fill what each client should have answered on its likeliest curve, and the most it could have (n, SLOTS)."""
    for i in range(rate.size):
        levels = Levels(beliefs.steps[i], beliefs.levels[i], beliefs.power[i])
        s = beliefs.points[i, 0]
        for j in range(SLOTS):
            limit = float(answers[i, LIMIT, j])
            top[i, j] = min(limit, s[CAP])
            size[i, j] = min(wish(s, levels, float(answers[i, X, j]), limit, rate[i]), limit)


@allocating
def surprises(answers: Answers, rate: FloatArray, shared: Shared, beliefs: Beliefs) -> int:
    """How many of the newest answers no likely curve explains, under beliefs from before them."""
    found = 0
    for i in range(rate.size):
        levels = Levels(beliefs.steps[i], beliefs.levels[i], beliefs.power[i])
        x, limit, y = float(answers[i, X, 0]), float(answers[i, LIMIT, 0]), float(answers[i, Y, 0])
        explained = False
        for p in range(KEPT):
            s = beliefs.points[i, p]
            if s[CHANCE] > RARE and not explained:
                size = wish(s, levels, x, limit, rate[i])
                moved = sqrt(shared.drift) * (1 / rate[i] if int(s[KIND]) < HINGES else size)
                off = OFF * sqrt((shared.rho * size) ** 2 + moved * moved) + ROUGH * shared.high
                explained = abs(y - size) <= off
        found += 0 if explained else 1
    return found
