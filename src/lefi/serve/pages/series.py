"""A job over its rounds, thinned on the server: a chart has a thousand points, whatever the job has."""

from typing import Any

import numpy as np

from lefi.arrays import FloatArray, IntArray
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import numbers

MOST = 1000  # points of a chart: wider than most screens, 60 kB


def series(digest: Digest, after: int = 0, start: int = 1, end: int | None = None, most: int = MOST) -> dict[str, Any]:
    """Rounds after that one and from start to end; peaks and the last round are never thinned away."""
    rounds = digest.rounds
    number = np.array([row.round for row in rounds], dtype=np.int64)
    inside = (number > after) & (number >= start) & (number <= (end or np.iinfo(np.int64).max))
    at = np.flatnonzero(inside)
    accuracy = np.array([np.nan if rounds[i].accuracy is None else rounds[i].accuracy for i in at], dtype=np.float64)
    paid = np.array([digest.money.amount(rounds[i].units) for i in at], dtype=np.float64)
    kept = at[thinned([accuracy, paid], most)]
    counts = [digest.counts_of(rounds[i]) for i in kept]
    result = {
        "round": [rounds[i].round for i in kept],
        "accuracy": numbers(rounds[i].accuracy for i in kept),
        "paid": numbers(digest.money.amount(rounds[i].units) for i in kept),
        "budget": numbers(digest.budgets[i] for i in kept),
        "spent": numbers(digest.money.amount(digest.spent[i]) for i in kept),
        "offers": [of and of.offers for of in counts],
        "delivered": [of and of.delivered for of in counts],
        "nothing": [of and of.nothing for of in counts],
        "missing": [of and of.missing for of in counts],
        "refused": [of and sum(of.refused.values()) for of in counts],
        "size": numbers(of and of.size for of in counts),
    }
    last = rounds[-1].round if rounds else 0
    return {"series": result, "last": last, "thinned": len(kept) < len(at), "rounds": len(at), "read": digest.read}


def thinned(lines: list[FloatArray], most: int) -> IntArray:
    """Positions to keep: of each stretch the lowest and the highest of every line, and the first and last of all."""
    count = lines[0].size
    if count <= most:
        return np.arange(count)
    stretches = np.array_split(np.arange(count), max((most - 2) // (2 * len(lines)), 1))
    kept = {0, count - 1}
    for stretch in stretches:
        for line in lines:
            part = line[stretch]
            if not np.isnan(part).all():
                kept |= {int(stretch[np.nanargmin(part)]), int(stretch[np.nanargmax(part)])}
    return np.array(sorted(kept), dtype=np.int64)
