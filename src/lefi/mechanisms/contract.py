"""`contract`: a menu of (size, payment) for clients of several cost types, such that each type picks its own pair.

A client is shown the pairs of the types that its picks allow, k_n .. last: who is of one of them misses nothing. The
menu is the one that buys the most expected accuracy while the most that the clients can take is the budget, so no
round overspends (`screening`).
"""

from dataclasses import replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.computation import Computation
from lefi.mechanisms.screening import best_menu, payments
from lefi.mechanisms.table import LastValue
from lefi.messages import Receipt, Roster, Terms
from lefi.offers import MenuOffer

CLASSES = 32  # clients with nearly the same iid get the same menu
AGAIN = 10  # every so many rounds a client is shown one pair more, lest it has become cheaper

Cost = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@register("contract")
class Contract:
    """The best menu for a prior over cost types, known (all alike) or learned from what the clients pick.

    `cost` of a client: in proportion to its size, or to the square of it. `latency`: what the server would give, in
    accuracy, for a share of the deadline (see `computation`). `apart`: by this share of its size the first pair lies
    above the last where they would be one and the same, as long as somebody in the class may be of several types.

    >>> market = lefi.scenario("paper", clients=2, payment="menu")
    >>> menu = lefi.make("contract", market.terms, types=3).ask(market.fleet.roster)
    >>> menu.sizes[0].round(2), menu.payments[0].round(4)
    (array([10.  ,  9.93,  9.87]), array([0.0137, 0.0137, 0.0136]))
    """

    payment = "menu"
    tier = "type prior"
    learns = "own"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        types: Annotated[int, Field(ge=1, le=64)] = 8,
        cost_low: Cost = 3.4e-4,
        cost_high: Cost = 1.38e-3,
        prior: Literal["known", "learned"] = "learned",
        apart: Annotated[float, Field(ge=0, lt=1)] = 0.02,
        cost: Literal["linear", "square"] = "linear",
        latency: Annotated[float, Field(ge=0, le=1)] = 0.0,
    ) -> None:
        if cost_low >= cost_high:
            raise InputError("cost_low", cost_low, f"below cost_high, {cost_high:g}")
        self.terms, self.prior, self.apart = terms, prior, apart
        self.value = Computation(terms.accuracy, terms.size_high, cost == "square", latency)
        self.work = replace(terms, accuracy=self.value, size_low=float(self.value.work(terms.size_low)))
        self.kappa = np.linspace(cost_low, cost_high, types + 1)[1:]  # rounded up, so that nobody loses
        self.lowest, self.highest = LastValue(), LastValue()  # types that a client can be, by id
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> MenuOffer:
        classes, own = np.unique(np.round(roster.iid * CLASSES) / CLASSES, return_inverse=True)
        types, shape = self.kappa.size, (classes.size, self.kappa.size)
        low, high = self._allowed(roster.ids)
        first = np.maximum(
            low - ((roster.ids + self.round) % AGAIN == 0), 0
        )  # k_n, one less for those whose turn it is
        shown = np.bincount(own * types + first, minlength=classes.size * types).reshape(shape).astype(np.float64)
        unsure = np.bincount(own, first < high, classes.size)[:, None] > 0
        apart = np.where(unsure, self.apart, 0.0)
        work = best_menu(
            self.work,
            classes,
            self.kappa,
            self._expected(own, low, high, shape),
            shown,
            self.terms.in_force(budget),
            apart,
        )
        pairs = np.maximum(np.arange(types), first[:, None])
        paid, sizes = payments(self.kappa, work, self.work.size_low), self.value.size_of(work)
        return MenuOffer(np.take_along_axis(sizes[own], pairs, 1), np.take_along_axis(paid[own], pairs, 1))

    def tell(self, receipt: Receipt[MenuOffer]) -> None:
        answered = receipt.answered
        self.round = receipt.round
        self._note(receipt.roster.ids[answered], receipt.offer.sizes[answered], receipt.sizes[answered])

    def _allowed(self, ids: IntArray) -> tuple[IntArray, IntArray]:
        """The cheapest and the dearest type that each client can be."""
        dearest = self.kappa.size - 1
        low, high = self.lowest.read(ids, default=0.0), self.highest.read(ids, default=float(dearest))
        return low.astype(np.int64), high.astype(np.int64)

    def _note(self, ids: IntArray, menu: FloatArray, sizes: FloatArray) -> None:
        """A pick tells that the type is one of those for which this size was meant; earlier picks may tell more."""
        gap = np.abs(menu - sizes[:, None])
        meant = gap <= gap.min(axis=1, keepdims=True) + 1e-9
        first, last = meant.argmax(axis=1), self.kappa.size - 1 - meant[:, ::-1].argmax(axis=1)
        low = np.maximum(first, self.lowest.read(ids, default=0.0))
        high = np.minimum(last, self.highest.read(ids, default=self.kappa.size - 1.0))
        fits = low <= high  # otherwise the client has changed, and the newest pick stands
        self.lowest.write(ids, np.where(fits, low, first))
        self.highest.write(ids, np.where(fits, high, last))

    def _expected(self, own: IntArray, low: IntArray, high: IntArray, shape: tuple[int, int]) -> FloatArray:
        """(classes, types): how many clients of each class are expected to be of each type."""
        share = self._shares()
        below = np.concatenate([[0.0], np.cumsum(share)])
        each, width = 1 / (below[high + 1] - below[low]), shape[1] + 1
        rise = np.bincount(own * width + low, each, shape[0] * width)
        rise -= np.bincount(own * width + high + 1, each, shape[0] * width)
        return np.cumsum(rise.reshape(shape[0], width), axis=1)[:, :-1] * share

    def _shares(self) -> FloatArray:
        """p_i: all alike, or how the clients spread over the types that their picks allow, and one client over all."""
        types = self.kappa.size
        share = np.full(types, 1 / types)
        if self.prior == "learned" and self.lowest.ids.size:
            low, high = self.lowest.values.astype(np.int64), self.highest.values.astype(np.int64)
            each = 1 / (high - low + 1)
            rise = np.bincount(low, each, types + 1) - np.bincount(high + 1, each, types + 1)
            share = share + np.cumsum(rise)[:types]
        return np.maximum(share, 1e-9) / np.maximum(share, 1e-9).sum()
