"""`price`: learn what each client wants for a thousand samples, buy where accuracy per dollar is best.

p  lowest price that a client takes for all it can deliver, known to lie in [low, high]     [USD / thousand samples]
cap  what it can deliver     rho  fixed cost of taking part, in thousand samples; for a part l <= cap the client
     then wants  x (l + rho)  with  x = p cap / (cap + rho)
Every offer is a price per thousand samples up to a limit, and sum price limit <= budget before it is posted.
"""

from dataclasses import replace
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from lefi.arrays import BoolArray, FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.mechanisms.capacity import Capacity
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.explanation import Explanation
from lefi.mechanisms.presence import AWAY, Presence
from lefi.mechanisms.price import takers
from lefi.mechanisms.price.brackets import Brackets
from lefi.mechanisms.price.fixed_cost import FixedCost, bounds
from lefi.mechanisms.price.probes import Probes
from lefi.mechanisms.price.shop import Shop, buy
from lefi.mechanisms.table import LastValue
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import PriceOffer

WHOLE = 0.99  # a size from here on counts as the whole cap
CLOSE = 0.05  # a bracket this narrow tells the price well enough to buy a part
FAR = 4.0  # who refuses so many times the usual price is asked with money left over only


class Known(NamedTuple):
    """What is known of clients when an offer is planned: arrays over clients, and the price that is usual."""

    ids: IntArray
    iid: FloatArray
    low: FloatArray
    high: FloatArray
    next: FloatArray  # to try where all was refused so far
    cap: FloatArray
    sure: BoolArray  # of the cap
    usual: float


class Heard(NamedTuple):
    """What clients that were asked have answered, and the bounds on the fixed cost in it (see `bounds`)."""

    ids: IntArray
    price: FloatArray
    size: FloatArray
    cap: FloatArray
    part: BoolArray  # who was asked for less than the whole cap
    took: BoolArray
    refused: FloatArray
    taken: FloatArray


@register("price")
class Price:
    """Bracket the price that each client takes; probe inside the bracket while it is wide and money is short.

    `away`: clients that left and are remembered, at most; the usual price and the fixed cost stay.

    >>> market = lefi.scenario("paper", clients=4, payment="price", budget=0.5)
    >>> mechanism = lefi.make("price", market.terms)
    >>> [round(receipt.accuracy, 3) for receipt in lefi.play(mechanism, market, rounds=5)]
    [0.196, 0.226, 0.226, 0.226, 0.226]
    """

    payment = "price"
    tier = "sizes"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        tolerance: Annotated[float, Field(gt=0, lt=1)] = 0.005,
        away: Annotated[int, Field(ge=0)] = AWAY,
    ) -> None:
        self.terms, self.seed, self.tolerance = terms, seed, tolerance
        widest = 2 * terms.size_high  # a fixed cost above that of the largest size, twice, is not looked for
        self.brackets, self.capacity = Brackets(), Capacity(terms)
        self.fixed_cost = FixedCost(widest, 0.0, widest)
        self.prices, self.limits, self.presence = LastValue(), LastValue(), Presence(away)
        self.last: Receipt[PriceOffer] | None = None
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> PriceOffer:
        money = self.terms.in_force(budget)
        return self.plan(self.known(roster), money)

    def known(self, roster: Roster) -> Known:
        """What is known of these clients."""
        low, high, above, usual = self.brackets.read(roster.ids, whole=self.fixed_cost.some)
        cap, _, sure = self.capacity.read(roster.ids)
        return Known(roster.ids, roster.iid, low, high, above, cap, sure, usual)

    def plan(self, known: Known, money: float) -> PriceOffer:
        """The offer to clients of which this is known."""
        probes, limit, worth = self._plan(known, money)
        return probes.offer(limit, worth, spendable(money))

    def _plan(self, of: Known, money: float) -> tuple[Probes, FloatArray, float]:
        """What is known, the sizes to buy, and the price of money."""
        budget = spendable(money)
        low, high, cap = of.low, of.high, of.cap
        known = np.isfinite(high)
        aside = ~known & (low >= FAR * (of.usual or np.inf))
        guess = of.usual or money / (cap.size * self.terms.size_high)  # for those who have taken and refused nothing
        safe = np.where(known, high, np.where(low > 0, of.next, guess))
        shop = self._shop(of.iid, cap, safe, ~known | (low < (1 - CLOSE) * high))
        limit, worth = buy(shop.without(aside), budget)
        if worth > 0:  # otherwise the budget buys everything: nothing to gain by asking for less
            shop = replace(shop, unit=shop.unit * self._probe(shop, low, high, safe, worth) / safe)
            limit, worth = buy(shop.without(aside), budget)
        turn = uniform(key(self.seed, "mechanism", self.round), of.ids)
        return Probes(shop, self.fixed_cost, low, high, aside, of.sure, turn, self.tolerance), limit, worth

    def tell(self, receipt: Receipt[PriceOffer]) -> None:
        self.last = receipt
        heard = self.hear(receipt)
        self.conclude(heard, self.fixed_cost.told(heard.refused, heard.taken))

    def hear(self, receipt: Receipt[PriceOffer]) -> Heard:
        """Note what was delivered; what it says of prices hangs on the fixed cost."""
        self.round = receipt.round
        ids, offer = receipt.roster.ids, receipt.offer
        if (gone := self.presence.note(ids, receipt.round)).size:
            for values in (self.prices, self.limits, *self.brackets.values, *self.capacity.values):
                values.forget(gone)
        self.prices.write(ids, offer.price)
        self.limits.write(ids, offer.limit)
        before = self.capacity.read(ids).cap
        took, size = self.capacity.tell(ids, offer.limit, receipt.sizes)
        now, seen, sure = self.capacity.read(ids)
        if self.fixed_cost.some:  # a price for the whole cap is another one for another cap
            self.brackets.reopen(ids[took & (now < before)])
        cap, telling = np.minimum(now, before), sure if self.fixed_cost.some else seen | ~took
        asked = receipt.answered & (offer.price > 0) & (offer.limit > self.terms.size_low)
        ids, price, size, took, cap = ids[asked], offer.price[asked], size[asked], took[asked], cap[asked]
        part = size < WHOLE * cap
        at = part & telling[asked]
        bracket = self.brackets.read(ids[at], whole=True)
        return Heard(ids, price, size, cap, part, took, *bounds(bracket, cap[at], price[at], size[at], took[at]))

    def conclude(self, heard: Heard, fixed_cost: FixedCost) -> None:
        """Note what prices were taken and refused, now that this is the fixed cost."""
        self.fixed_cost = fixed_cost
        ids, price, size, cap, part, took, *_ = heard
        if self.fixed_cost.some and self.fixed_cost.settled:
            price = np.where(part, self.fixed_cost.whole_price(price, np.minimum(size, cap), cap, took), price)
            part = np.zeros_like(part)
        self.brackets.tell(ids, price, ~part, took)

    def explain(self, ids: IntArray) -> Explanation:
        """What is believed of these clients; asking changes nothing."""
        return takers.explain(self, ids)

    def worth(self) -> float:
        """What another USD would add to the accuracy of a round with the clients of the last one; NaN before it."""
        if self.last is None:
            return np.nan
        roster, budget = self.last.roster, self.terms.in_force(self.last.budget)
        return self._plan(self.known(roster), budget)[2] / len(roster)  # accuracy is the mean over clients

    def _shop(self, iid: FloatArray, cap: FloatArray, price: FloatArray, unsure: BoolArray) -> Shop:
        """Clients that cost `price` a thousand samples when they deliver all they can."""
        terms, rho = self.terms, self.fixed_cost.rho
        whole = unsure & self.fixed_cost.blurred  # what refusing a part would mean cannot be told
        return Shop(terms.accuracy, iid, price * cap / (cap + rho), cap, terms.size_low, rho, whole)

    def _probe(self, shop: Shop, low: FloatArray, high: FloatArray, safe: FloatArray, worth: float) -> FloatArray:
        """A price inside the bracket, at the share f from above that is best when the price is to serve H rounds.

        f is refused with chance f, which loses the gain A, and otherwise saves f w a round, w = high - low:
        f [worth w cap (1 + (1 - f) H) - A] is greatest at f = 1/2 + (1 - A / (worth w cap)) / 2H.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            dear = worth * (safe - low) * shop.cap / shop.gain(shop.cap)
            share = 0.5 + 0.5 * self.tolerance * (1 - 1 / dear)
        return np.where(np.isfinite(high) & (share > 0), safe - share * (safe - low), safe)
