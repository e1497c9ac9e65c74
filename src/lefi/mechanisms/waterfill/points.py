"""What a belief is made of: the fleet's part, the answers of one client, and the points that they leave."""

from typing import NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.curves import COLUMNS
from lefi.mechanisms.waterfill.memory import PARTS, WHEN

POINTS = 17  # per family at most: where little is known, they lie a tenth of the doubt apart
KEPT = 40  # points of a client that are kept, of all families: fewer lose those that are rare
RARE = 0.005  # chance of a curve that does not count
WIDE = 3.0  # deviations of noise, drift and prior within which a location is sought, and an answer fits
SURE = 2.0  # deviations of noise that an answer may be off: room for it in a limit, and what tells two curves apart
ROUGH = 0.03  # of a size: noise below it is none to speak of, and by so much a curve of another shape may be off
JUMP = 0.5  # deviation of log prices where all of them change at once
EXPONENTS = np.array([0.5, 0.7, 1.0, 1.5, 2.0, 3.0])  # of power clients
GROUP = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])  # kinds that share a prior of locations: log price, or log money
COSTS, GAPS = 2, 3  # groups of log fixed costs, and of log money between two levels of stairs, the last one
GOLDEN = 0.618034  # share by which one point follows another where several unknowns are spread: it never repeats
MONEY = PARTS  # row of an answer as stairs see it: log of what full delivery would earn
SLACK = WHEN  # row of an answer as it is weighed: by how much its location may have moved since, instead of its round


class Shared(NamedTuple):
    """What the fleet has taught."""

    floor: float  # size_low
    high: float  # size_high
    rho: float  # relative deviation of an answer: noise
    drift: float  # variance of a location per round
    jumped: float  # round before which answers are of another regime
    now: float  # round
    mean: FloatArray  # of locations, by group; of hinges, with the log of the rate added
    var: FloatArray
    chances: FloatArray  # of the kinds
    exponents: FloatArray  # chances of the exponents
    caps: FloatArray  # quantiles of the caps that have shown


class Client(NamedTuple):
    """What one client has answered."""

    answers: FloatArray  # (5, .), newest first: log weight, limit, size, SLACK, MONEY
    heard: int
    rate: float
    seen: float  # the largest answer, 0 where nothing was delivered
    refused: bool  # at least once
    cut: bool  # the largest answer was cut by its limit: the client may be able to deliver more


def blank(n: int) -> FloatArray:
    """Room for what is believed about n clients: points of each, likeliest first."""
    return np.zeros((n, KEPT, COLUMNS))
