"""Questions asked on the side: would those who are not bought sell for less, and is there a fixed cost?

A look offers a client that the plan leaves out a price at which it would be worth buying. Where there is no fixed
cost a small size will do, and looks cost next to nothing; otherwise only a large size tells, and looks take turns.
A test offers one client whose price is known that price for a part: it shows the fixed cost rho.
"""

from dataclasses import dataclass, replace

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.mechanisms.overhead import Overhead
from lefi.mechanisms.purchase import Shop, buy
from lefi.offers import PriceOffer

SMALL, HALF = 0.05, 0.5  # shares of the cap that are asked for, without and with a fixed cost
SPARE = 0.1  # share of the budget that looks may take from the plan in every round
EARLY = 24  # with a fixed cost they may take half of it in every second of so many rounds


@dataclass(frozen=True, eq=False)
class Looks:
    """What is known when the questions are chosen; `turn` is drawn anew each round."""

    shop: Shop
    overhead: Overhead
    low: FloatArray
    high: FloatArray
    turn: FloatArray
    tolerance: float
    round: int

    def offer(self, limit: FloatArray, worth: float, budget: float) -> PriceOffer:
        """The plan `limit`, with the money for the questions taken out of it."""
        if worth == 0:
            return self.shop.post(limit)
        shop, size, asked = self._questions(limit, worth, budget)
        if asked.size == 0:
            return shop.post(limit)
        closed = shop.cap.copy()
        closed[asked] = shop.low
        plan, _ = buy(replace(shop, cap=closed), budget - float(shop.cost(size)[asked].sum()))
        plan[asked] = size[asked]
        return shop.post(plan)

    def _questions(self, limit: FloatArray, worth: float, budget: float) -> tuple[Shop, FloatArray, IntArray]:
        """The shop at the prices of the questions, their sizes, and who is asked."""
        shop, some = self.shop, self.overhead.some
        money = self._money(budget - float(shop.cost(limit).sum()), budget)
        room, whole = shop.cap - shop.low, shop.cap / (shop.cap + shop.fixed)
        least = shop.low + room * (SMALL if not some else HALF if self.overhead.settled else 1.0)
        worthy = (1 - self.tolerance) * shop.gain(shop.cap) / (worth * shop.cap)
        price = np.minimum(np.minimum(shop.unit / whole, worthy), money / (whole * (least + shop.fixed)))
        curious = (limit <= shop.low) & ((1 + self.tolerance) * self.low < price) & (room > 0)
        tests = self._tests(HALF * budget)
        curious[tests] = False
        unit = np.where(curious, price * whole, shop.unit)
        unit[tests] = (self.high * whole)[tests]
        size = np.clip(money / unit - shop.fixed, least, shop.cap if some else least)
        size[tests] = (shop.low + room * (HALF if some else SMALL))[tests]
        shop = replace(shop, unit=unit)
        order = self._order(curious)
        fits = shop.cost(size)[order].cumsum() <= money * (1 + 1e-9)
        return shop, size, np.concatenate([tests, order[fits]])

    def _money(self, left: float, budget: float) -> float:
        """What may be spent on looks. Money that the plan leaves over costs nothing to ask with."""
        if not self.overhead.some:
            return SPARE * budget
        early = self.round < EARLY and self.round % 2 == 1
        return max(SPARE * budget, left, HALF * budget if early else 0.0)

    def _order(self, wanted: BoolArray) -> IntArray:
        return np.argsort(np.where(wanted, self.turn, np.inf))[: int(wanted.sum())]

    def _tests(self, money: float) -> IntArray:
        """The client whose price is known best, if it is known well enough, money suffices and rho is not known."""
        some = self.overhead.some
        if self.overhead.settled or (self.overhead.tested and not some):
            return np.empty(0, dtype=np.int64)
        with np.errstate(invalid="ignore"):
            width = np.where(np.isfinite(self.high), 1 - self.low / self.high, np.inf)
        width = np.where(self.high * self.shop.cap * (1.0 if some else SMALL) <= money, width, np.inf)
        best = np.lexsort((self.turn, width))[:1]
        return best[width[best] <= (2 * self.tolerance if some else HALF)]
