"""What the fleet has taught, which goes into every client's belief, and what counts as doubt in it."""

from typing import NamedTuple

from lefi.arrays import FloatArray

WIDE = 3.0  # deviations of noise, drift and prior within which a location is sought, and an answer fits
ROUGH = 0.03  # of a size: noise below it is none to speak of, and by so much a curve of another shape may be off
BROAD = 0.3  # variance of a location: by which a jump may move it, and from which a client teaches nothing of others
PRICES, SUMS = range(2)  # what has a prior: b of hinges, and b of others in log money


class Shared(NamedTuple):
    """What the fleet has taught."""

    floor: float  # size_low
    high: float  # size_high
    exact: float  # least deviation of any answer; one this close to the floor is a refusal
    rho: float  # relative deviation of an answer: noise
    drift: float  # variance of a location per round
    jumped: float  # round before which answers are of another regime
    now: float  # round
    mean: FloatArray  # of PRICES (with the log of the rate added) and SUMS
    doubt: FloatArray  # deviations
    chances: FloatArray  # of the kinds
    unknown: float  # share of clients whose location is not known
