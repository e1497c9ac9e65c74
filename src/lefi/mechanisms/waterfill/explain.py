"""What waterfill believes of some clients, as numbers that a page can draw and words that a person can read."""

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.explanation import Explanation, quantile
from lefi.mechanisms.waterfill.candidates import DEEP
from lefi.mechanisms.waterfill.commons import Fleet
from lefi.mechanisms.waterfill.curves import KINDS, Points, wish
from lefi.mechanisms.waterfill.fit import believe
from lefi.mechanisms.waterfill.memory import SAME, Memory
from lefi.mechanisms.waterfill.plain import SAID
from lefi.messages import Terms

NAMES = (  # of the kinds
    *["rational"] * 2 + ["led by a power of the money"] * 12,
    *("all or nothing", "all or nothing", "led by steps", "idle"),
)


def explain(terms: Terms, fleet: Fleet, memory: Memory, ids: IntArray) -> Explanation:
    """The belief about each client, against what an offer would pay for the largest size."""
    heard, rate = memory.read(ids), memory.rate(ids)
    last = heard[:, 0]
    full = -np.expm1(-rate * terms.size_high)
    offered = np.exp(last.x) * full
    middle = np.where(np.isnan(offered), terms.budget / max(memory.ids.size, 1), offered)
    money = middle[:, None] * np.exp(np.linspace(-DEEP, DEEP, 40))
    # All that its answers leave, also of who would be taken for known.
    beliefs = believe(heard, rate, fleet.shared, np.zeros(ids.size, SAID).view(np.recarray))
    sizes, chance = answers(beliefs, np.log(money / full[:, None]), rate, terms), beliefs.chance
    expected = (sizes * chance[:, :, None]).sum(axis=1)
    band = [quantile(sizes, chance, share) for share in (0.05, 0.95)]
    room = 2 * fleet.shared.rho * expected
    low = np.maximum(np.minimum(band[0], expected) - room, terms.size_low)  # a rare curve may pull the mean out of it
    high = np.minimum(np.maximum(band[1], expected) + room, terms.size_high)
    learned = tuple(facts(points, fleet) for points in beliefs)
    why = tuple(reason(found, one) for found, one in zip(learned, last, strict=True))
    return Explanation(ids, money, expected, low, high, offered, learned, why)


def answers(beliefs: Points, x: FloatArray, rate: FloatArray, terms: Terms) -> FloatArray:
    """What each point would deliver at these log weights (clients, points, weights)."""
    found = [
        [[wish(s, at, terms.size_high, own) for at in weights] for s in points]
        for points, weights, own in zip(beliefs, x.tolist(), rate.tolist(), strict=True)
    ]
    return np.maximum(np.reshape(found, (*beliefs.shape, x.shape[1])), terms.size_low)


def facts(points: Points, fleet: Fleet) -> dict[str, float]:
    """What was learned of a client: chances of the kinds, its cap, the fleet's noise."""
    share = np.bincount(points.kind, points.chance, KINDS)
    kinds = {name: float(sum(share[k] for k in range(KINDS) if NAMES[k] == name)) for name in dict.fromkeys(NAMES)}
    cap = float((points.cap * points.chance).sum())
    return {f"chance that it is {name}": chance for name, chance in kinds.items()} | {
        "cap [thousand samples]": cap,
        "noise of answers [relative]": fleet.shared.rho,
    }


def reason(found: dict[str, float], last: np.record) -> str:
    """One sentence: what it is taken for, and what it did last."""
    best = max((name for name in found if name.startswith("chance")), key=lambda name: found[name])
    kind = best.removeprefix("chance that it is ")
    if np.isnan(last.y):
        return f"It has not answered yet; most clients like it are {kind}."
    cut = " (all that it was paid for)" if last.y >= last.limit * (1 - SAME) else ""
    return f"It is taken for {kind} ({found[best]:.0%}), and delivered {last.y:.3g} thousand samples last{cut}."
