"""What `waterfill` believes of some clients: the mean over its tracks against money, and the spread of the tracks."""

from typing import TYPE_CHECKING

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.explanation import Explanation, quantile
from lefi.mechanisms.waterfill.belief import Belief
from lefi.mechanisms.waterfill.curves import blank_view, evaluate
from lefi.mechanisms.waterfill.facts import Found, Known
from lefi.mechanisms.waterfill.tracks import CHANCE, KIND, KINDS, TRACKS, C
from lefi.messages import Terms

if TYPE_CHECKING:
    from lefi.mechanisms.waterfill.mechanism import Waterfill

POINTS = 33  # of each curve: smooth on a page, a few kB a client
AROUND = 3.0  # log money to either side of the last offer that is drawn
ONE_IN_TWENTY = 0.05  # chance below the band that is drawn, and above it
TYPICAL = 1.0  # rate of a client that was never seen [1 / thousand samples]: only the scale of its axis hangs on it
NAMES = ("rational",) * 2 + ("proportional",) * 4 + ("all or nothing", "idle", "of no known shape")  # of each kind


def explain(of: "Waterfill", ids: IntArray) -> Explanation:
    """From a twentieth to twenty times the last offer of each client, or an equal part of the budget."""
    terms, belief = of.terms, of.belief
    seen, rate, offered = _last(belief, ids)
    full = -np.expm1(-rate * terms.size_high)  # what a weight of 1 USD pays for the largest size
    middle = np.where(np.isnan(offered), terms.budget / max(1, 0 if belief is None else belief.ids.size), offered)
    x = np.log(middle)[:, None] + np.linspace(-AROUND, AROUND, POINTS)
    money = np.exp(x) * full[:, None]
    if belief is None:
        nothing, most = np.full(x.shape, terms.size_low), np.full(x.shape, terms.size_high)
        silent = ("Nothing is known before the first round.",) * ids.size
        return Explanation(ids, money, (nothing + most) / 2, nothing, most, offered * full, ({},) * ids.size, silent)
    known = belief.read(ids, rate, np.zeros(ids.size, dtype=bool))
    sizes, chance = _each_track(known, x, terms), known.tracks[:, :, CHANCE]
    expected = (sizes * chance[:, :, None]).sum(axis=1) / chance.sum(axis=1)[:, None]
    room = 2 * known.rho[:, None] * expected
    band = [quantile(sizes, chance, share) for share in (ONE_IN_TWENTY, 1 - ONE_IN_TWENTY)]
    low = np.maximum(np.minimum(band[0], expected) - room, terms.size_low)  # a rare track may pull the mean out of it
    high = np.minimum(np.maximum(band[1], expected) + room, terms.size_high)
    learned, why = _told(belief, known, ids, seen)
    return Explanation(ids, money, expected, low, high, offered * full, learned, why)


def _last(belief: Belief | None, ids: IntArray) -> tuple[BoolArray, FloatArray, FloatArray]:
    """Who was seen, at which rate, and the weight last offered (NaN where none was)."""
    seen, rate, offered = np.zeros(ids.size, dtype=bool), np.full(ids.size, TYPICAL), np.full(ids.size, np.nan)
    if belief is not None and belief.ids.size:
        at = np.minimum(np.searchsorted(belief.ids, ids), belief.ids.size - 1)
        seen = belief.ids[at] == ids
        rate[seen] = belief.rate[at[seen]]
        offered[seen] = np.exp(belief.held(ids)[0][seen])
    return seen, rate, np.where(offered > 0, offered, np.nan)


def _each_track(known: Known, x: FloatArray, terms: Terms) -> FloatArray:
    """What each track alone expects at these log weights (clients, tracks, weights)."""
    found = np.empty((x.shape[0], TRACKS, x.shape[1]))
    for track in range(TRACKS):
        alone = np.zeros_like(known.tracks)  # tracks end with the first that has no chance: the one stands first
        alone[:, 0] = known.tracks[:, track]
        alone[:, 0, CHANCE] = 1.0
        brought = Found(*(np.empty(x.shape) for _ in range(3)))
        evaluate(x, known._replace(tracks=alone), terms.size_low, terms.size_high, brought, blank_view())
        found[:, track] = brought.size
    return found


def _told(
    belief: Belief, known: Known, ids: IntArray, seen: BoolArray
) -> tuple[tuple[dict[str, float], ...], tuple[str, ...]]:
    at = np.minimum(np.searchsorted(belief.ids, ids), belief.ids.size - 1)
    heard = np.where(seen, belief.heard[at], 0)
    learned, why = [], []
    for tracks, answers, noise in zip(known.tracks, heard.tolist(), known.rho.tolist(), strict=True):
        share = np.bincount(tracks[:, KIND].astype(int), tracks[:, CHANCE], KINDS) / tracks[:, CHANCE].sum()
        kinds = {name: sum(share[k] for k in range(KINDS) if NAMES[k] == name) for name in dict.fromkeys(NAMES)}
        likely = max(kinds, key=lambda name: kinds[name])
        best = tracks[tracks[:, CHANCE].argmax()]
        learned.append(
            {"answers": float(answers), "noise of answers [relative]": noise, "cap [thousand samples]": float(best[C])}
            | {f"chance that it is {name}": float(chance) for name, chance in kinds.items() if chance > 0}
        )
        why.append(
            f"After {answers} answers it is taken for {likely} ({kinds[likely]:.0%}): the offer is where another dollar"
            " buys as much accuracy from it as from others, or a try whose answer would save more than it costs."
            if answers
            else f"It has not answered yet: like the fleet it is taken for {likely}."
        )
    return tuple(learned), tuple(why)
