"""Who is served by the formula, who is thought about, and who waits for that in a large fleet."""

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.waterfill.formula import Formula
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import Plain, survey
from lefi.mechanisms.waterfill.solver import Solver
from lefi.messages import Roster

WORK = 2_000  # clients that a round thinks about, at most


def plan(
    solver: Solver, memory: Memory, roster: Roster, drawn: FloatArray, budget: float
) -> tuple[FloatArray, FloatArray]:
    """Log weight and limit of each client; `drawn`, a number from 0 to 1 per client, tells whose turn it is.

    Whatever some keep, half of an equal share is left for each of the others.
    """
    plain = survey(memory, roster, solver.shared)
    x, limit = plain.x.copy(), plain.limit.copy()
    followed, thought, kept = split(plain, drawn)
    cost = float((-np.exp(x[kept]) * np.expm1(-roster.rate[kept] * limit[kept])).sum())
    left = budget - lowered(x, kept, cost, budget * (1 - (1 - kept.size / x.size) / 2))
    formula = Formula(solver.terms, roster.take(followed), plain.take(followed)) if followed.size else None
    if thought.size:
        some = roster.take(thought)
        served = solver.solve(some, memory.read(some.ids), left, formula.spend if formula else None)
        x[thought], limit[thought] = served.x, served.limit
        left -= float(served.cost.sum())
    if formula:
        x[followed], limit[followed], *_ = formula.share(left)
    return x, limit


def split(plain: Plain, drawn: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Who is served by the formula, who is thought about, and who keeps the last offer that brought something.

    Whose location is known is served, and who could be plain until its turn comes.
    """
    turn = ~plain.rises & (drawn < WORK / max(drawn.size - int(plain.rises.sum()), 1))
    return np.flatnonzero(plain.follows & ~turn), np.flatnonzero(turn), np.flatnonzero(~plain.follows & ~turn)


def lowered(x: FloatArray, at: IntArray, cost: float, most: float) -> float:
    """What offers cost once they are lowered, where they cost more than the most; x changes in place."""
    if cost > most:
        x[at] += np.log(most / cost)
    return min(cost, most)
