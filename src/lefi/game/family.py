"""The family of policies that is searched: 42 of them on the grid, and three more where clients bid.

times  how many times as dear a client pretends to be     share  of what it would deliver, or was once offered
"""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lefi.arrays import FloatArray
from lefi.game.policies import Policy, register_policy
from lefi.game.view import View
from lefi.messages import Offer
from lefi.offers import AuctionCall

Ranges = Mapping[str, tuple[float, float]]
Grid = Mapping[str, tuple[float, ...]]
TIMES = (1.001, 1000.0)
SHARE = (0.01, 0.999)


class Pretence(Policy):
    """A client that answers as if it were `now` times as dear, which may hang on the round."""

    @abstractmethod
    def now(self, round: int) -> float: ...

    def respond(self, view: View, offer: Offer) -> FloatArray:
        return view.as_if(self.now(view.round), offer)

    def bid(self, view: View, call: AuctionCall) -> FloatArray:
        return view.bid(call, self.now(view.round))


@register_policy("holdout")
@dataclass(frozen=True)
class Holdout(Pretence):
    """Hold out: always answer as one that is so many times as dear.

    >>> from lefi.game import Holdout
    >>> str(Holdout(times=3.0))
    'holdout(times=3)'
    """

    times: float = 30.0
    ranges: ClassVar[Ranges] = {"times": TIMES}
    grid: ClassVar[Grid] = {"times": (1.05, 1.1, 1.2, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0)}

    def now(self, round: int) -> float:
        return self.times


@register_policy("bait")
@dataclass(frozen=True)
class Bait(Pretence):
    """Bait and switch: honest for some rounds, then dear."""

    times: float = 10.0
    rounds: float = 5.0
    ranges: ClassVar[Ranges] = {"times": TIMES, "rounds": (1.0, 100.0)}
    grid: ClassVar[Grid] = {"times": (2.0, 10.0, 30.0), "rounds": (5.0, 20.0)}

    def now(self, round: int) -> float:
        return 1.0 if round <= self.rounds else self.times


@register_policy("ratchet")
@dataclass(frozen=True)
class Ratchet(Pretence):
    """A little dearer every round, up to a top."""

    step: float = 0.1
    times: float = 30.0
    ranges: ClassVar[Ranges] = {"step": (0.001, 2.0), "times": TIMES}
    grid: ClassVar[Grid] = {"step": (0.02, 0.1, 0.5), "times": (3.0, 30.0)}

    def now(self, round: int) -> float:
        return float(min(np.exp((round - 1) * np.log1p(self.step)), self.times))


@register_policy("cycle")
@dataclass(frozen=True)
class Cycle(Pretence):
    """Dear for a while, honest for a while, in turn."""

    times: float = 30.0
    period: float = 10.0
    ranges: ClassVar[Ranges] = {"times": TIMES, "period": (1.0, 50.0)}
    grid: ClassVar[Grid] = {"times": (3.0, 30.0), "period": (2.0, 10.0)}

    def now(self, round: int) -> float:
        return self.times if (round - 1) // round_half(self.period) % 2 == 0 else 1.0


@register_policy("demand")
@dataclass(frozen=True)
class Demand(Policy):
    """Refuse whatever does not leave a margin over the cost; bid with that margin."""

    margin: float = 0.5
    ranges: ClassVar[Ranges] = {"margin": (0.001, 100.0)}
    grid: ClassVar[Grid] = {"margin": (0.1, 0.5, 2.0, 10.0)}

    def respond(self, view: View, offer: Offer) -> FloatArray:
        sizes = view.honest(offer)
        enough = offer.payment(sizes) >= (1 + self.margin) * view.costs(sizes)
        return np.where(enough, sizes, np.minimum(sizes, view.nothing()))

    def bid(self, view: View, call: AuctionCall) -> FloatArray:
        return (1 + self.margin) * view.bid(call)


@register_policy("shave")
@dataclass(frozen=True)
class Shave(Policy):
    """Deliver only a share of what would be best now."""

    share: float = 0.8
    ranges: ClassVar[Ranges] = {"share": SHARE}
    grid: ClassVar[Grid] = {"share": (0.5, 0.8, 0.95)}

    def respond(self, view: View, offer: Offer) -> FloatArray:
        return np.maximum(self.share * view.honest(offer), view.nothing())


@register_policy("hide")
@dataclass(frozen=True)
class Hide(Policy):
    """Hide capacity: never deliver, nor claim to be able to deliver, more than a share of it."""

    share: float = 0.5
    ranges: ClassVar[Ranges] = {"share": SHARE}
    grid: ClassVar[Grid] = {"share": (0.3, 0.5, 0.7, 0.9)}

    def respond(self, view: View, offer: Offer) -> FloatArray:
        most = np.maximum(self.share * view.cap(), view.nothing())
        return np.minimum(view.honest(offer), most)

    def capacity(self, view: View, call: AuctionCall) -> FloatArray:
        return self.share * view.cap()


@register_policy("aspiration")
@dataclass(frozen=True)
class Aspiration(Policy):
    """Refuse whatever leaves less than a share of the best that was ever on offer."""

    share: float = 0.7
    ranges: ClassVar[Ranges] = {"share": SHARE}
    grid: ClassVar[Grid] = {"share": (0.3, 0.5, 0.7, 0.9, 0.99)}

    def respond(self, view: View, offer: Offer) -> FloatArray:
        sizes = view.honest(offer)
        enough = view.keeps(offer, sizes) >= self.share * view.note
        return np.where(enough, sizes, np.minimum(sizes, view.nothing()))

    def note(self, view: View, offer: Offer) -> FloatArray:
        return np.fmax(view.note, view.keeps(offer, view.honest(offer)))


@register_policy("undercut")
@dataclass(frozen=True)
class Undercut(Policy):
    """Bid a share of the cost, and deliver only what pays."""

    share: float = 0.8
    ranges: ClassVar[Ranges] = {"share": SHARE}
    grid: ClassVar[Grid] = {"share": (0.5, 0.8, 0.95)}
    only: ClassVar[str | None] = "auction"

    def bid(self, view: View, call: AuctionCall) -> FloatArray:
        return self.share * view.bid(call)


def round_half(value: float) -> int:
    """A whole number of rounds, at least one: periods are searched as real numbers."""
    return max(1, round(value))
