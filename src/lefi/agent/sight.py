"""What the agent sees of each client: fourteen numbers, most of them near 1. Arrays (..., clients), any markets.

weight, size  of the last round that a client answered                          [USD], [thousand samples]
usual         its sizes, newer ones counting more                               [thousand samples]
most          the most that it delivered                                        [thousand samples]
cheapest      the least weight for which it delivered about that                [USD]
cost          least weight exp(-rate size): a rational client's cost / rate     [USD]
"""

from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray, Floats
from lefi.models import AccuracyModel

CLOSE = 0.05  # of the most: sizes that differ by less count as the same, since answers may be noisy
FRESH = 0.3  # weight of the newest size in the usual one: about the last three count
FAR = 5.0  # what is seen lies within this: a network that was taught near 1 knows nothing of what lies further away
NAMES = (
    "known",
    "last weight",
    "last size, by rate",
    "last size",
    "usual size",
    "most",
    "cheapest weight",
    "cost",
    "iid",
    "rate",
    "worth",
    "budget per client",
    "round",
    "scale",
)


class Seen(NamedTuple):
    """What is kept of each client; NaN where it never answered, or never delivered."""

    weight: FloatArray
    size: FloatArray
    usual: FloatArray
    most: FloatArray
    cheapest: FloatArray
    cost: FloatArray


class Standing(NamedTuple):
    """What holds for all clients of a market: budget in force [USD], rounds played, factor between budget and weights.

    One number each, or one for each market.
    """

    budget: Floats
    round: Floats
    scale: Floats


class Job(NamedTuple):
    """What the server knows of the job."""

    accuracy: AccuracyModel
    size_low: float
    size_high: float


def unseen(shape: tuple[int, ...]) -> Seen:
    """Clients of whom nothing is known."""
    return Seen(*(np.full(shape, np.nan) for _ in Seen._fields))


def noted(seen: Seen, weight: FloatArray, sizes: FloatArray, rate: FloatArray, low: float) -> Seen:
    """What is known after these weights were answered with these sizes; NaN: no answer, nothing new."""
    size, first = np.nan_to_num(sizes), np.isnan(seen.size)
    most = np.where(first, 0.0, seen.most)
    more = size > most * (1 + CLOSE)
    again = (size > 0) & (size >= most * (1 - CLOSE))
    cheapest = np.where(more, weight, np.where(again, np.fmin(seen.cheapest, weight), seen.cheapest))
    # Who delivers the least shows only that data costs it more than this.
    cost = np.where(size > low, weight * np.exp(-rate * size), np.nan)
    usual = np.where(first, size, seen.usual + FRESH * (size - seen.usual))
    now = Seen(weight, size, usual, np.maximum(most, size), cheapest, np.fmin(seen.cost, cost))
    heard = ~np.isnan(sizes)
    return Seen(*(np.where(heard, new, old) for new, old in zip(now, seen, strict=True)))


def sight(seen: Seen, iid: FloatArray, rate: FloatArray, standing: Standing, job: Job) -> FloatArray:
    """(..., clients, numbers) in the order of NAMES; 0 where nothing is known."""
    each = _column(standing.budget) / iid.shape[-1]
    round = _column(standing.round)
    size, high = np.nan_to_num(seen.size), job.size_high
    worth = np.log(np.maximum(job.accuracy.slope(size, iid), 1e-9) / rate)
    with np.errstate(divide="ignore"):
        columns = (
            np.where(np.isnan(seen.size), 0.0, 1.0),
            np.log(seen.weight / each),
            rate * size / 5,
            size / high,
            seen.usual / high,
            seen.most / high,
            np.log(seen.cheapest / each),
            np.log(seen.cost / each) / 3,
            2 * iid - 1,
            np.log(rate * high / 7.5),
            worth - worth.mean(axis=-1, keepdims=True),
            np.log(each / 0.1) / 3,
            round / (round + 5),
            np.log(_column(standing.scale)),
        )
    shown = np.empty((*iid.shape, len(NAMES)))
    for place, column in enumerate(columns):
        shown[..., place] = column
    return np.clip(np.nan_to_num(shown, posinf=FAR, neginf=-FAR), -FAR, FAR)


def _column(values: Floats) -> FloatArray:
    """One number for each market, beside its clients."""
    return np.asarray(values, dtype=np.float64)[..., None]
