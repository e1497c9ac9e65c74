"""What kernels are told, by name: about one client, its answers, its cap, and about the fleet."""

from typing import NamedTuple

from lefi.arrays import BoolArray, FloatArray, IntArray


class Client(NamedTuple):
    """One client, beside its tracks and its answers."""

    rate: float
    rho: float  # relative noise of its answers
    full: float  # size that full delivery is taken to be
    floor: float  # size_low
    high: float  # size_high


class Answers(NamedTuple):
    """What one client has answered, oldest first."""

    x: FloatArray  # log weight
    limit: FloatArray
    y: FloatArray  # size
    n: int  # how many


class Sorted(NamedTuple):
    """Answers between nothing and a limit, by weight: rows X, K, Y, A, D of `work`; refused log weights in the last."""

    work: FloatArray  # (6, .), see splits.py
    n: int
    refusals: int
    cut: int  # answers that a limit cut


class Bounds(NamedTuple):
    """What refusals and cut answers say: location at least and at most, by weight and by money; cap at least."""

    low: float
    end: float
    money_low: float
    money_end: float
    most: float


class Family(NamedTuple):
    """What the fit of one family starts from: bounds and prior of its location."""

    kind: int
    low: float
    end: float
    mean: float
    variance: float


class Place(NamedTuple):
    """Where a track lies: mean, variance and bounds of its location, mean and variance of its cap."""

    mean: float
    variance: float
    low: float
    high: float
    cap: float
    cap_variance: float


class Cap(NamedTuple):
    """What is known of a client's cap."""

    repeated: float  # the largest answer, if it came back exactly; else 0
    hits: int  # how often it did
    least: float  # what answers cut by a limit leave, at least
    hard: float  # belief that it cuts noise off
    quiet: bool  # the client is


class Fleet(NamedTuple):
    """What clients have in common."""

    centre: FloatArray  # of locations, by kind; of hinges at rate 1
    spread: FloatArray  # variance
    chances: FloatArray  # of the kinds
    hard: float  # belief that caps cut answers off, noise and all
    more: float  # belief that a plateau is not the cap
    caps: FloatArray  # mean and variance of those of steps
    noise: float  # squared relative noise of an answer
    floor: float  # size_low
    high: float  # size_high


class Book(NamedTuple):
    """Rows of all clients."""

    ids: IntArray
    tracks: FloatArray
    answers: FloatArray  # (n, 3, SLOTS): log weight, limit, size; oldest first
    kept: IntArray  # how many of them
    heard: IntArray  # answers in all
    rate: FloatArray
    noise: FloatArray  # squared relative noise by the client's own answers
    judged: FloatArray  # how many answers are behind it
    full: FloatArray  # size that full delivery is taken to be
    offer: FloatArray  # log weight that was answered last
    limit: FloatArray  # its limit
    calm: BoolArray  # quiet, bought, and its last answer was as expected


class Said(NamedTuple):
    """One round: what was offered and answered, and what that tells; one entry per client."""

    x: FloatArray  # log weight
    limit: FloatArray
    y: FloatArray  # size; NaN: silence
    told: IntArray  # FITS, SURPRISES, NEITHER or SILENT, see curves.py
    due: BoolArray  # the client is to be fitted

    def part(self, p: slice) -> "Said":
        return Said(self.x[p], self.limit[p], self.y[p], self.told[p], self.due[p])


class Known(NamedTuple):
    """What is believed about the clients of a roster; one entry per client."""

    tracks: FloatArray
    rate: FloatArray
    rho: FloatArray  # relative noise
    full: FloatArray  # size of full delivery
    last: FloatArray  # log weight offered last, NaN where the client is new, or due for a look at all weights
    paid: FloatArray  # the most that this could cost, 0 where it is new
    patience: FloatArray  # rounds for which a saving counts
    low: BoolArray  # who is tried low

    def take(self, at: IntArray | slice) -> "Known":
        return Known._make(column[at] for column in self)


class Found(NamedTuple):
    """What candidates bring: size to expect, limit, the most they can cost (n, g)."""

    size: FloatArray
    limit: FloatArray
    cost: FloatArray

    def part(self, p: slice) -> "Found":
        return Found(self.size[p], self.limit[p], self.cost[p])
