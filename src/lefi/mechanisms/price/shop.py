"""How much to buy from whom, at known unit costs: the most accuracy for a budget.

x  unit cost [USD / thousand samples]     l  size to buy [thousand samples], from `low` up to `cap`
rho  fixed cost, counted in thousand samples: buying l > low costs x (l + rho)      lambda  accuracy per USD
max sum A(l_n)  s.t.  sum x_n (l_n + rho) <= budget:  A'(l_n) = lambda x_n, where that is worth its cost, else low.
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import BoolArray, FloatArray
from lefi.models import AccuracyModel
from lefi.offers import PriceOffer

HALVINGS = 50  # of the interval of log lambda
SECANTS = 4  # steps towards A'(l) = lambda x; exact after one for a quadratic A
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
        low, high = np.full(self.cap.size, self.low), self.cap
        target = price * self.unit
        above = self.accuracy.slope(low, self.iid) - target
        below = self.accuracy.slope(high, self.iid) - target
        sizes = np.where(below >= 0, high, low)
        inside = (above > 0) & (below < 0)
        for _ in range(SECANTS):
            with np.errstate(invalid="ignore", divide="ignore"):
                guess = low + (high - low) * above / (above - below)
            sizes = np.where(inside, guess, sizes)
            slope = self.accuracy.slope(sizes, self.iid) - target
            if np.abs(slope[inside]).max(initial=0.0) <= 1e-12:
                break
            rises = slope > 0
            low, above = np.where(rises, sizes, low), np.where(rises, slope, above)
            high, below = np.where(rises, high, sizes), np.where(rises, below, slope)
        sizes = np.where(self.whole, self.cap, sizes)
        return np.where(self.gain(sizes) > price * self.cost(sizes), sizes, self.low)


def buy(shop: Shop, budget: float) -> tuple[FloatArray, float]:
    """Sizes that keep to the budget, and lambda; lambda 0 where the budget is enough for everything worth having."""
    everything = shop.wanted(0.0)
    if shop.cost(everything).sum() <= budget:
        return everything, 0.0
    slope = shop.accuracy.slope(np.full(shop.cap.size, shop.low), shop.iid)
    high = float(np.log(np.max(slope / shop.unit))) + 1
    low = high - 1
    while shop.cost(shop.wanted(np.exp(low))).sum() <= budget:
        low -= 2
    for _ in range(HALVINGS):
        mid = (low + high) / 2
        low, high = (mid, high) if shop.cost(shop.wanted(np.exp(mid))).sum() > budget else (low, mid)
    return fill(shop, shop.wanted(np.exp(high)), budget), float(np.exp(high))


def fill(shop: Shop, sizes: FloatArray, budget: float) -> FloatArray:
    """Spend what a jump leaves over on the client that makes the most of it, a few times."""
    for _ in range(FILLS):
        left = budget - float(shop.cost(sizes).sum())
        more = np.minimum((shop.cost(sizes) + left) / shop.unit - shop.fixed, shop.cap)
        more = np.where((more > sizes) & (~shop.whole | (more >= shop.cap)), more, sizes)
        gain = shop.gain(more) - shop.gain(sizes)
        best = int(gain.argmax())
        if gain[best] <= 0:
            break
        sizes = sizes.copy()
        sizes[best] = more[best]
    return sizes
