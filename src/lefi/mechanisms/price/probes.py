"""Questions asked on the side: would those who are not bought sell for less, and is there a fixed cost?

A look offers a client that the plan leaves out a price at which it would be worth buying. Where there is no fixed
cost a small size will do, and looks cost next to nothing; otherwise the whole cap is asked for, and only of those who
promise to repay it. Money that the plan leaves over is free to ask with.
A test offers one client whose price is known that price for a part: it shows the fixed cost rho.
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.price.fixed_cost import FixedCost
from lefi.mechanisms.price.shop import Shop, buy
from lefi.offers import PriceOffer

SMALL, PART = 0.05, 0.3  # shares of the cap that are asked for, without and with a fixed cost
ROUNDING = 1e-12  # of the money: a price made to use it up may pass it so far, a thousandth of the budget's margin
SPARE, HALF = 0.1, 0.5  # shares of the budget that looks may take from the plan, without and with a fixed cost


@dataclass(frozen=True, eq=False)
class Probes:
    """What is known when the questions are chosen; `turn` is drawn anew each round."""

    shop: Shop
    fixed_cost: FixedCost
    low: FloatArray
    high: FloatArray
    aside: BoolArray
    sure: BoolArray
    turn: FloatArray
    tolerance: float

    def offer(self, limit: FloatArray, worth: float, budget: float) -> PriceOffer:
        """The plan `limit`, with the money for the questions taken out of it."""
        shop, size, asked = self._questions(limit, worth, budget)
        if asked.size == 0:
            return shop.post(limit)
        closed = self.aside.copy()
        closed[asked] = True
        plan, _ = buy(shop.without(closed), budget - float(shop.cost(size)[asked].sum()))
        plan[asked] = size[asked]
        return shop.post(plan)

    def _questions(self, limit: FloatArray, worth: float, budget: float) -> tuple[Shop, FloatArray, IntArray]:
        """The shop at the prices of the questions, their sizes, and who is asked."""
        shop, some = self.shop, self.fixed_cost.some
        room, whole = shop.cap - shop.low, shop.cap / (shop.cap + shop.fixed)
        tests = self._tests(HALF * budget) if worth > 0 else np.empty(0, dtype=np.int64)
        out = (limit <= shop.low) & (room > 0)
        out[tests] = False
        money, price, size = self._looks(worth, budget)
        hope = np.where(out, self._hope(price), 0.0) * shop.gain(size)
        if not hope.any():
            money = min(budget - float(shop.cost(limit).sum()), budget * (HALF if tests.size else 1.0))
            price, size = self._free(money)
            hope = np.where(out & ((1 + self.tolerance) * self.low * some < price), self.turn, 0.0)
        unit = np.where(hope > 0, price * whole, shop.unit)
        unit[tests] = (self.high * whole)[tests]
        size[tests] = (shop.low + room * (PART if some else SMALL))[tests]
        shop = replace(shop, unit=unit)
        order = np.lexsort((self.turn, -hope))[: np.count_nonzero(hope)]
        fits = shop.cost(size)[order].cumsum() <= money * (1 + ROUNDING)
        return shop, size, np.concatenate([tests, order[fits]])

    def _looks(self, worth: float, budget: float) -> tuple[float, FloatArray, FloatArray]:
        """What looks may take from the plan, and with it the price for the whole cap, and the size, that each asks for.

        A little money without a fixed cost; half of it if only the whole cap tells.
        """
        shop, some = self.shop, self.fixed_cost.some
        money = 0.0 if worth == 0 else SPARE * budget if not some else HALF * budget
        size = shop.cap if some else shop.low + SMALL * (shop.cap - shop.low)
        whole = shop.cap / (shop.cap + shop.fixed)
        with np.errstate(divide="ignore", invalid="ignore"):
            worthy = (1 - self.tolerance) * shop.gain(shop.cap) / (worth * shop.cap)
            most = money / (whole * (size + shop.fixed))
        return money, np.minimum(worthy, most if some else np.minimum(shop.unit / whole, most)), size.copy()

    def _free(self, money: float) -> tuple[FloatArray, FloatArray]:
        """Price and size for money that the plan leaves over: between what was refused and what a bit could be paid."""
        shop, some = self.shop, self.fixed_cost.some
        whole, room = shop.cap / (shop.cap + shop.fixed), shop.cap - shop.low
        least = shop.cap if some and not self.fixed_cost.settled else shop.low + SMALL * room
        with np.errstate(divide="ignore", invalid="ignore"):
            most = money / (whole * (least + shop.fixed))
            inside = (self.low > 0) & (self.low < most)
            price = np.minimum(shop.unit / whole, np.where(inside, np.sqrt(self.low * most), most))
            size = np.clip(money / (price * whole) - shop.fixed, least, shop.cap)
        return price, size

    def _hope(self, price: FloatArray) -> FloatArray:
        """The chance that a client takes this price, 0 where it would not repay what it loses in 1 / tolerance rounds.

        With p spread evenly over [low, top], price is taken with chance P and then p is (price - low) / 2 below it on
        average, of which the search keeps all but half of one round's data.
        """
        top = np.where(np.isfinite(self.high), self.high, 2 * price)
        with np.errstate(divide="ignore", invalid="ignore"):
            gap, chance = 1 - self.low / price, np.minimum((price - self.low) / (top - self.low), 1)
        if self.fixed_cost.some:
            return np.where((gap > 0) & (chance * (gap / (2 * self.tolerance) - 0.5) > 1), chance, 0.0)
        return np.where((1 + self.tolerance) * self.low < price, chance, 0.0)

    def _tests(self, money: float) -> IntArray:
        """The client whose price is known best, if it is known well enough, money suffices and rho is not known."""
        some, shop = self.fixed_cost.some, self.shop
        if self.fixed_cost.settled or (self.fixed_cost.tested and not some):
            return np.empty(0, dtype=np.int64)
        with np.errstate(invalid="ignore"):
            width = np.where(np.isfinite(self.high), 1 - self.low / self.high, np.inf)
        size = shop.low + (shop.cap - shop.low) * (PART if some else SMALL)
        tells = self.fixed_cost.tells(shop.cap, size, width) & self.sure if some else width <= HALF
        width = np.where(tells & (self.high * shop.cap * (1.0 if some else SMALL) <= money), width, np.inf)
        best = np.lexsort((self.turn, width))[:1]
        return best[width[best] < np.inf]
