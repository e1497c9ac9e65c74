"""What a belief is made of: the fleet's part, the answers of one client, and the points that they leave."""

from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.curves import IDLE, POINT, Points

POINTS = 17  # per family at most: where little is known, they lie a tenth of the doubt apart
KEPT = 40  # points of a client that are kept, of all families: fewer lose those that are rare
RARE = 0.005  # chance of a curve that does not count
WIDE = 3.0  # deviations of noise, drift and prior within which a location is sought, and an answer fits
SURE = 2.0  # deviations of noise that an answer may be off: room for it in a limit, and what tells two curves apart
ROUGH = 0.03  # of a size: noise below it is none to speak of, and by so much a curve of another shape may be off
BROAD = 0.3  # variance of a location: by which a jump may move it, and from which a client teaches nothing of others
EXPONENTS = np.array([0.5, 0.7, 1.0, 1.5, 2.0, 3.0])  # of power clients
PRICES, SUMS, GAPS = range(3)  # what has a prior: b of hinges, b of others in log money, log money between two levels

# An answer as it is weighed. slack: by how much its location may have moved since; money: log of what it would earn
HEARD = np.dtype([(name, float) for name in ("x", "limit", "y", "slack", "money")])


class Shared(NamedTuple):
    """What the fleet has taught."""

    floor: float  # size_low
    high: float  # size_high
    rho: float  # relative deviation of an answer: noise
    drift: float  # variance of a location per round
    jumped: float  # round before which answers are of another regime
    now: float  # round
    mean: FloatArray  # of PRICES (with the log of the rate added), SUMS and GAPS
    var: FloatArray
    chances: FloatArray  # of the kinds
    exponents: FloatArray  # chances of the exponents
    caps: FloatArray  # quantiles of the caps that have shown


class Client(NamedTuple):
    """What one client has answered."""

    answers: Any  # of HEARD, newest first
    heard: int
    rate: float
    seen: float  # the largest answer, 0 where nothing was delivered
    cut: bool  # the largest answer was cut by its limit: the client may be able to deliver more


def blank(n: int) -> Points:
    """Room for what is believed about n clients: points of each, likeliest first."""
    beliefs = np.zeros((n, KEPT), dtype=POINT).view(np.recarray)
    beliefs.kind, beliefs.exponent = IDLE, 1.0
    return beliefs
