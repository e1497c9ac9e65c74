"""What waterfill believes of some clients, as numbers that a page can draw and words that a person can read."""

import numpy as np

from lefi.arrays import IntArray
from lefi.mechanisms.explanation import ONE_IN_TWENTY, Explanation
from lefi.mechanisms.waterfill.belief import believe
from lefi.mechanisms.waterfill.candidates import DEEP
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.curves import KINDS, Points, wish
from lefi.mechanisms.waterfill.memory import SAME, Memory
from lefi.messages import Terms

POWERS = KINDS - 6  # kinds; before them are two that are rational, after them two of all or nothing, stairs and idle
NAMES = ("rational", "led by a power of the money", "all or nothing", "led by steps", "idle")


def explain(terms: Terms, fleet: Fleet, memory: Memory, ids: IntArray) -> Explanation:
    """The belief about each client, against what an offer would pay for the largest size."""
    at, heard = memory.rows(ids), memory.read(ids)
    rate = np.append(memory.rates, memory.rates.mean() if memory.rates.size else 1.0)[at]  # -1: a newcomer has the mean
    last, full = heard[:, 0], -np.expm1(-rate * terms.size_high)
    offered = np.exp(last.x) * full
    middle = np.where(np.isnan(offered), terms.budget / max(memory.ids.size, 1), offered)
    money = middle[:, None] * np.exp(np.linspace(-DEEP, DEEP, 40))
    beliefs = believe(heard, rate, fleet.shared)
    curves = zip(beliefs, np.log(money / full[:, None]), rate, strict=True)
    wishes = [[[wish(s, x, terms.size_high, own) for x in xs] for s in points] for points, xs, own in curves]
    sizes, chance = np.maximum(np.reshape(wishes, (*beliefs.shape, 40)), terms.size_low), beliefs.chance[:, :, None]
    expected = (sizes * chance).sum(axis=1)
    doubt = ((chance * (sizes - expected[:, None]) ** 2).sum(axis=1) + (fleet.shared.rho * expected) ** 2) ** 0.5
    low, high = np.clip(expected + ONE_IN_TWENTY * np.multiply.outer((-1, 1), doubt), terms.size_low, terms.size_high)
    learned, why = zip(*(told(points, fleet, one) for points, one in zip(beliefs, last, strict=True)), strict=True)
    return Explanation(ids, money, expected, low, high, offered, learned, why)


def told(points: Points, fleet: Fleet, last: np.record) -> tuple[dict[str, float], str]:
    """What was learned of a client, and one sentence: what it is taken for, and what it did last."""
    groups = np.repeat(range(5), (2, POWERS, 2, 1, 1))[points.kind]
    chance = np.bincount(groups, points.chance, 5)
    found = {f"chance that it is {name}": float(its) for name, its in zip(NAMES, chance, strict=True)}
    found["cap [thousand samples]"] = float((points.cap * points.chance).sum())
    found["noise of answers [relative]"] = fleet.shared.rho
    best = int(chance.argmax())
    if np.isnan(last.y):
        return found, f"It has not answered yet; most clients like it are {NAMES[best]}."
    cut = " (all that it was paid for)" if last.y >= last.limit * (1 - SAME) else ""
    why = f"It is taken for {NAMES[best]} ({chance[best]:.0%}), and delivered {last.y:.3g} thousand samples last{cut}."
    return found, why
