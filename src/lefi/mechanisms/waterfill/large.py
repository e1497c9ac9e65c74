"""Large fleets: a formula serves who answers as a rational client does, and a round thinks about some of the others."""

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.waterfill.curves import TINY
from lefi.mechanisms.waterfill.memory import Memory
from lefi.mechanisms.waterfill.plain import Plain, price_of, share, survey
from lefi.mechanisms.waterfill.solver import Solver
from lefi.messages import Roster

WORK = 20_000  # clients that a round thinks about, at most: the others keep the last offer that brought something


def plan(
    solver: Solver, memory: Memory, roster: Roster, drawn: FloatArray, budget: float
) -> tuple[FloatArray, FloatArray]:
    """Log weight and limit of each client; `drawn`, a number from 0 to 1 per client, tells whose turn it is.

    Whatever some hold, half of an equal share is left for each of the others.
    """
    plain = survey(memory, roster, solver.shared)
    x, limit = plain.x.copy(), plain.limit.copy()
    cost = TINY - np.exp(x) * np.expm1(-roster.rate * limit)  # so that shares exist where nobody delivered
    followed, thought, kept = split(plain, drawn)
    left = budget - lowered(x, kept, float(cost[kept].sum()), budget * (1 - (1 - kept.size / x.size) / 2))
    if followed.size == 0:
        some = roster.take(thought)
        x[thought], limit[thought] = solver.solve(some, lambda i: memory.read(some.ids[i]), left)
        return x, limit
    easy, formula = roster.take(followed), plain.take(followed)
    if thought.size:
        part = cost[followed].sum() / cost[np.append(followed, thought)].sum()  # what they cost last is theirs
        price, _ = price_of(solver.terms, easy, formula, left * float(part))
        some = roster.take(thought)
        x[thought], limit[thought], spent, _ = solver.serve(some, lambda i: memory.read(some.ids[i]), price)
        left -= lowered(x, thought, float(spent.sum()), left * (1 - followed.size / x.size / 2))
    x[followed], limit[followed], *_ = share(solver.terms, easy, formula, left)
    return x, limit


def split(plain: Plain, drawn: FloatArray) -> tuple[IntArray, IntArray, IntArray]:
    """Who is served by the formula (nobody, where that are few), who is thought about, and who keeps an offer."""
    follows = plain.follows & (2 * plain.follows.sum() > drawn.size)
    turn = ~follows & (drawn < WORK / max(drawn.size - int(follows.sum()), 1))
    return np.flatnonzero(follows), np.flatnonzero(turn), np.flatnonzero(~follows & ~turn)


def lowered(x: FloatArray, at: IntArray, cost: float, most: float) -> float:
    """What offers cost once they are lowered, where they cost more than the most; x changes in place."""
    if cost > most:
        x[at] += np.log(most / cost)
    return min(cost, most)
