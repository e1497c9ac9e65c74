"""How much to buy from whom, at known unit costs: the most accuracy for a budget.

x  unit cost [USD / thousand samples]     l  size to buy [thousand samples], from `low` up to `cap`
rho  fixed cost, counted in thousand samples: buying l > low costs x (l + rho)      lambda  accuracy per USD
max sum A(l_n)  s.t.  sum x_n (l_n + rho) <= budget:  A'(l_n) = lambda x_n, where that is worth its cost, else low.
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.allocation import fill, search, sizes_at_slope
from lefi.arrays import BoolArray, FloatArray
from lefi.models import AccuracyModel
from lefi.offers import PriceOffer

LEAST = 1e-300  # accuracy per USD: a price of next to nothing, at which all is bought that adds anything
EXACT = 1e-12  # share of the budget that may be left where the price meets it
FILLS = 8  # times that money left over is offered to the client that makes the most of it


@dataclass(frozen=True, eq=False)
class Shop:
    """What is for sale: arrays over clients."""

    accuracy: AccuracyModel
    iid: FloatArray
    unit: FloatArray
    cap: FloatArray
    low: float
    fixed: float
    whole: BoolArray  # who is bought whole or not at all

    def cost(self, sizes: FloatArray) -> FloatArray:
        return np.where(sizes > self.low, self.unit * (sizes + self.fixed), 0.0)

    def gain(self, sizes: FloatArray) -> FloatArray:
        return self.accuracy(sizes, self.iid) - self.accuracy(np.full(sizes.size, self.low), self.iid)

    def without(self, closed: BoolArray) -> "Shop":
        """The same shop, where these clients sell nothing."""
        return replace(self, cap=np.where(closed, self.low, self.cap))

    def post(self, sizes: FloatArray) -> PriceOffer:
        """The offer that buys these sizes at cost."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return PriceOffer(np.where(sizes > self.low, self.unit * (1 + self.fixed / sizes), 0.0), sizes)

    def wanted(self, price: float) -> FloatArray:
        """The size that is best for each client when a USD is worth `price` in accuracy."""
        sizes = sizes_at_slope(self.accuracy, self.iid, price * self.unit, self.low, self.cap)
        sizes = np.where(self.whole, self.cap, sizes)
        return np.where(self.gain(sizes) > price * self.cost(sizes), sizes, self.low)


def buy(shop: Shop, budget: float) -> tuple[FloatArray, float]:
    """Sizes that keep to the budget, and lambda; lambda 0 where the budget is enough for everything worth having."""
    everything = shop.wanted(0.0)
    if shop.cost(everything).sum() <= budget:
        return everything, 0.0
    slope = shop.accuracy.slope(np.full(shop.cap.size, shop.low), shop.iid)
    dearest = float(np.max(slope / shop.unit))  # at which nobody is bought
    if budget <= 0:
        return np.full(shop.cap.size, shop.low), dearest
    _, worth = search(lambda price: float(shop.cost(shop.wanted(price)).sum()), budget, dearest, LEAST, EXACT)
    return spend_the_rest(shop, shop.wanted(worth), budget), worth


def spend_the_rest(shop: Shop, sizes: FloatArray, budget: float) -> FloatArray:
    """Offer what a jump leaves over to the client that makes the most of it, a few times."""
    for _ in range(FILLS):
        cost = shop.cost(sizes)
        more = np.minimum((cost + budget - cost.sum()) / shop.unit - shop.fixed, shop.cap)
        more = np.where((more > sizes) & (~shop.whole | (more >= shop.cap)), more, sizes)
        pair = np.stack([sizes, more], axis=1)
        gain, price = (np.stack([of(sizes), of(more)], axis=1) for of in (shop.gain, shop.cost))
        taken = fill(gain, price, np.zeros(sizes.size, dtype=np.int64), np.ones(sizes.size, dtype=np.int64), budget)
        if not taken.any():
            break
        sizes = pair[np.arange(sizes.size), taken]
    return sizes
