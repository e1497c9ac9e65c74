"""Behaviours that replace the client's rule: what it delivers for the money it sees.

K    = offer.payment(private cap), what full delivery would earn                        [USD]
K_n  a client's own scale, drawn from its id                                            [USD]
cap  the most it can deliver                                                            [thousand samples]
"""

from dataclasses import dataclass

import numpy as np

from lefi.arrays import FloatArray, number
from lefi.draws import uniform
from lefi.messages import Offer
from lefi.offers import AuctionCall, MenuOffer
from lefi.offers.menu import take_best
from lefi.world.behaviours.behaviour import Behaviour, draw_key, private_cap
from lefi.world.client import best_bid

GRID = 33  # sizes between which a logit client chooses
HALVINGS = 60  # of the interval in which a size lies: to the last bit


@dataclass(frozen=True, eq=False)
class Scaled(Behaviour):
    """A behaviour with a scale of money K_n ~ U(low, high) per client, addressed by key and id."""

    key: int
    scale: tuple[float, float] = (0.05, 0.5)

    def __post_init__(self) -> None:
        number("scale", self.scale[0], above=0)
        number("scale", self.scale[1], low=self.scale[0])

    def pull(self, offer: Offer) -> FloatArray:
        """K / K_n: 1 where full delivery earns just what the client wants for it."""
        low, high = self.scale
        K_n = low + (high - low) * uniform(self.key, self.roster.ids)
        return offer.payment(np.asarray(private_cap(self.fleet))) / K_n


@dataclass(frozen=True, eq=False)
class Linear(Scaled):
    """cap min(1, K / K_n)

    >>> from lefi.world.behaviours import Linear
    >>> fleet = Linear(lefi.scenario("paper", clients=2).fleet, key=1)
    >>> fleet.respond(lefi.PriceOffer([0.01, 1.0], [5.0, 5.0]), None).round(2)
    array([1.29, 5.  ])
    """

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.minimum(private_cap(self.fleet) * np.minimum(1, self.pull(offer)), offer.limit)


@dataclass(frozen=True, eq=False)
class AllOrNothing(Scaled):
    """cap where K >= K_n, else 0

    >>> from lefi.world.behaviours import AllOrNothing
    >>> fleet = AllOrNothing(lefi.scenario("paper", clients=2).fleet, key=1)
    >>> fleet.respond(lefi.PriceOffer([0.01, 1.0], [5.0, 5.0]), None)
    array([0., 5.])
    """

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        return np.where(self.pull(offer) >= 1, np.minimum(private_cap(self.fleet), offer.limit), 0.0)


@dataclass(frozen=True, eq=False)
class Logit(Behaviour):
    """Chooses among 33 sizes with probability in proportion to exp(utility / T), T in USD; noise-free: the mean.

    >>> from lefi.world.behaviours import Logit
    >>> fleet = Logit(lefi.scenario("paper", clients=2).fleet, T=0.1)
    >>> fleet.respond(lefi.PriceOffer([0.1, 1.0], [5.0, 5.0]), None).round(2)
    array([4.1 , 4.96])
    """

    T: float

    def __post_init__(self) -> None:
        number("logit", self.T, above=0)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        cap = np.asarray(private_cap(self.fleet))
        low = np.minimum(self.size_low, cap)
        high = np.maximum(low, np.minimum(cap, offer.limit))
        sizes = low + (high - low) * np.linspace(0, 1, GRID)[:, None]
        utility = np.stack([self.fleet.utility(offer, row) for row in sizes])
        chance = np.exp((utility - utility.max(axis=0)) / self.T)
        chance /= chance.sum(axis=0)
        if rng is None:
            return (chance * sizes).sum(axis=0)
        drawn = uniform(draw_key(rng), self.roster.ids)
        row = np.minimum((chance.cumsum(axis=0) < drawn).sum(axis=0), GRID - 1)
        return sizes[row, np.arange(row.size)]


@dataclass(frozen=True, eq=False)
class ConvexCost(Behaviour):
    """Rational under the cost theta (p D + q) + c D^2: the best D is the best answer to a price theta p + 2 c D.

    >>> from lefi.world.behaviours import ConvexCost
    >>> fleet = ConvexCost(lefi.scenario("paper", clients=2).fleet, c=0.1)
    >>> fleet.respond(lefi.PriceOffer([0.5, 1.0], [9.0, 9.0]), None).round(2)
    array([2.5, 5. ])
    """

    c: float

    def __post_init__(self) -> None:
        number("convex_cost", self.c, low=0)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        means, cap = self.means, np.asarray(private_cap(self.fleet))
        low = np.full(len(self.roster), means.size_low)
        high = np.maximum(low, cap)
        if isinstance(offer, MenuOffer):  # payment jumps: no slope leads to the best pair
            choices = offer.choices(low, high)
            best = take_best(choices, np.stack([self.utility(offer, row) for row in choices]))
            return np.where(means.sits_out, 0.0, best)
        bounds = (means.size_low, high)
        least, most = low, high
        for _ in range(HALVINGS):
            D = (least + most) / 2
            wants_more = offer.best_size(means.marginal_cost + 2 * self.c * D, *bounds) > D
            least, most = np.where(wants_more, D, least), np.where(wants_more, most, D)
        return np.where(means.sits_out, 0.0, np.minimum((least + most) / 2, offer.limit))

    def bid(self, call: AuctionCall, rng: np.random.Generator | None) -> FloatArray:
        return best_bid(self, call)

    def utility(self, offer: Offer, sizes: FloatArray) -> FloatArray:
        return self.fleet.utility(offer, sizes) - self.c * sizes**2
