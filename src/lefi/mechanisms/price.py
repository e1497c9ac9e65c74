"""`price`: learn what each client wants for a thousand samples, buy where accuracy per dollar is best.

x  unit cost of a client, known to lie in [low, high]     l  limit     cap  the most it was seen to deliver
rho  fixed cost of taking part, in thousand samples: a client takes price r for l when r l >= x (l + rho)
Every offer is a price per thousand samples up to a limit, and sum price limit <= budget before it is posted.
"""

from dataclasses import replace
from typing import Annotated

import numpy as np
from pydantic import Field

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.brackets import Brackets
from lefi.mechanisms.caps import Caps
from lefi.mechanisms.mechanism import register
from lefi.mechanisms.overhead import Overhead
from lefi.mechanisms.purchase import Shop, buy
from lefi.messages import Receipt, Roster, Terms
from lefi.offers import PriceOffer

SAFE = 1 - 1e-9  # solve to a hair under the budget, so that rounding never overspends
LOOK = 0.05  # share of what a client can deliver that is bought just to see whether it is cheap
LOOKS = 0.1  # most of the budget that goes into such looks
FULL = 0.99  # a size from here on counts as the whole cap
CLOSE = 0.05  # a bracket this narrow tells the price well enough to buy a part


@register("price")
class Price:
    """Bracket the price that each client takes; probe inside the bracket while it is wide and money is short."""

    payment_class = "price"
    tier = "sizes"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        tolerance: Annotated[float, Field(gt=0, lt=1)] = 0.01,
        boldness: Annotated[float, Field(gt=0, lt=1)] = 0.25,
    ) -> None:
        self.terms, self.seed, self.tolerance, self.boldness = terms, seed, tolerance, boldness
        self.brackets, self.overhead, self.caps = Brackets(), Overhead(terms), Caps(terms)
        self.round = 0

    def ask(self, roster: Roster) -> PriceOffer:
        budget = self.terms.budget * SAFE
        low, high = self.brackets.read(roster.ids, whole=self.overhead.some)
        known = np.isfinite(high)
        safe = np.where(known, high, self._guess(roster, low))
        shop = self._shop(roster, safe, ~known)
        limit, worth = buy(shop, budget)
        if worth == 0 and known.all():
            return self._post(shop, limit)
        shop = self._shop(roster, self._probe(low, high, safe), ~known | (low < (1 - CLOSE) * high))
        limit, worth = buy(shop, budget)
        return self._post(*self._look(roster, shop, limit, worth, low, high))

    def tell(self, receipt: Receipt) -> None:
        self.round = receipt.round
        ids, offer = receipt.roster.ids, receipt.offer
        assert isinstance(offer, PriceOffer)
        took, size = self.caps.tell(ids, offer.limit, receipt.sizes)
        asked = receipt.answered & (offer.price > 0) & (offer.limit > self.terms.size_low)
        ids, price, size, took = ids[asked], offer.price[asked], size[asked], took[asked]
        cap = self.caps.read(ids)
        part = size < FULL * cap
        low, high = self.brackets.read(ids, whole=True)
        self.overhead.tell((low[part], high[part]), cap[part], price[part], size[part], took[part])
        self.brackets.tell(ids, price, ~part, took)

    def _shop(self, roster: Roster, price: FloatArray, unsure: BoolArray) -> Shop:
        """Clients that cost `price` a thousand samples when they deliver all they can."""
        terms, rho, cap = self.terms, self.overhead.rho, self.caps.read(roster.ids)
        whole = unsure & self.overhead.some  # what a refusal of less would mean cannot be told
        return Shop(terms.accuracy, roster.iid, price * cap / (cap + rho), cap, terms.size_low, rho, whole)

    def _post(self, shop: Shop, limit: FloatArray) -> PriceOffer:
        with np.errstate(invalid="ignore", divide="ignore"):
            price = np.where(limit > shop.low, shop.unit * (1 + shop.fixed / limit), 0.0)
        return PriceOffer(price, limit)

    def _guess(self, roster: Roster, low: FloatArray) -> FloatArray:
        """A price for those who have taken none."""
        usual = self.brackets.typical() or self.terms.budget / (len(roster) * self.terms.size_high)
        return np.where(low > 0, self.brackets.above(roster.ids, low), usual)

    def _probe(self, low: FloatArray, high: FloatArray, safe: FloatArray) -> FloatArray:
        """A price inside the bracket, where the bracket is wide: refused with chance `boldness`."""
        wide = np.isfinite(high) & (high - low > self.tolerance * high)
        with np.errstate(invalid="ignore"):
            near = high - self.boldness * (high - low)
            inside = np.where(low == 0, high / 2, np.where(high > 2 * low, np.sqrt(low * high), near))
        return np.where(wide, inside, safe)

    def _turn(self, roster: Roster, wanted: BoolArray) -> IntArray:
        """Those who are wanted, in an order that is drawn anew each round."""
        drawn = uniform(key(self.seed, "mechanism", self.round), roster.ids)
        return np.argsort(np.where(wanted, drawn, np.inf))[: int(wanted.sum())]

    def _look(
        self, roster: Roster, shop: Shop, limit: FloatArray, worth: float, low: FloatArray, high: FloatArray
    ) -> tuple[Shop, FloatArray]:
        """Ask some of those who are not bought whether they would sell at a price that made them worth it."""
        if worth == 0:
            return shop, limit
        budget, cap, full = self.terms.budget * SAFE, shop.cap, 1 + shop.fixed / shop.cap
        left = budget - float(shop.cost(limit).sum())
        cutoff = (1 - self.tolerance) * shop.gain(cap) / (worth * cap)
        if self.overhead.some:
            cutoff = np.where(shop.unit * full * cap > left, np.minimum(cutoff, max(left, budget / 2 * (self.round % 2)) / cap), cutoff)
        curious = (limit <= shop.low) & ((1 + self.tolerance) * low < cutoff) & (cap > shop.low)
        price = np.where(curious, np.minimum(shop.unit * full, cutoff), shop.unit * full)
        size = shop.low + (1.0 if self.overhead.some else LOOK) * (cap - shop.low)
        tests = self._test(roster, low, high)
        size[tests], price[tests], curious[tests] = shop.low + LOOK * (cap[tests] - shop.low), high[tests], False
        shop = replace(shop, unit=price / full)
        order = self._turn(roster, curious)
        cost = shop.cost(size)[order].cumsum()
        one = (np.arange(order.size) == 0) & (cost <= budget / 2) & (self.round % 2 == 1)
        looks = np.concatenate([tests, order[(cost <= max(LOOKS * budget, left)) | one]])
        if looks.size == 0:
            return shop, limit
        closed = cap.copy()
        closed[looks] = shop.low
        rest, _ = buy(replace(shop, cap=closed), budget - float(shop.cost(size)[looks].sum()))
        rest[looks] = size[looks]
        return shop, rest

    def _test(self, roster: Roster, low: FloatArray, high: FloatArray) -> IntArray:
        """A client that should take its price for a small size, too, if there is no fixed cost."""
        if self.overhead.tested:
            return np.empty(0, dtype=np.int64)
        return self._turn(roster, np.isfinite(high) & (high <= 2 * low))[:1]
