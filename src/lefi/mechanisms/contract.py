"""`contract`: a menu of (size, payment) for clients of several cost types, such that each type picks its own pair.

kappa_i  marginal cost of type i, rising [USD / thousand samples]     p_i  share of type i     psi_i  virtual cost
psi_i = kappa_i + (P_i / p_i) (kappa_i - kappa_{i-1}),  P_i = p_1 + .. + p_{i-1}: what type i costs with the rent that
it makes the server leave to the cheaper ones; ironed (pooled with its neighbours) where it does not rise.
D_i: A'(D_i) = lambda psi_i.   R_i = R_{i+1} + kappa_i (D_i - D_{i+1}),  R_last = kappa_last D_last.
A client is shown the pairs of the types that its picks allow, k_n .. last: who is of one of them misses nothing.
lambda such that sum_n R_{k_n} meets the budget: the most that the clients can take, so no round overspends.
"""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from lefi.allocation import search, sizes_at_slope
from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError
from lefi.mechanisms.catalogue import register
from lefi.mechanisms.last_value import LastValue
from lefi.messages import Receipt, Roster, Terms, spendable
from lefi.offers import MenuOffer

CLASSES = 32  # clients with nearly the same iid get the same menu
EXACT = 1e-12  # share of the budget that may be left where the price meets it
LEAST = 1e-17  # smallest price of money, of the largest: all is bought that adds anything
AGAIN = 10  # every so many rounds a client is shown one pair more, lest it has become cheaper

Cost = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@register("contract")
class Contract:
    """The best menu for a prior over cost types, known (all alike) or learned from what the clients pick."""

    payment = "menu"
    tier = "type prior"

    def __init__(
        self,
        terms: Terms,
        *,
        seed: int = 0,
        types: Annotated[int, Field(ge=1, le=64)] = 8,
        cost_low: Cost = 3.4e-4,
        cost_high: Cost = 1.38e-3,
        prior: Literal["known", "learned"] = "learned",
    ) -> None:
        if cost_low >= cost_high:
            raise InputError("cost_low", cost_low, f"below cost_high, {cost_high:g}")
        self.terms, self.prior = terms, prior
        self.kappa = np.linspace(cost_low, cost_high, types + 1)[1:]  # rounded up, so that nobody loses
        self.lowest, self.highest = LastValue(), LastValue()  # types that a client can be, by id
        self.round = 0

    def ask(self, roster: Roster, budget: float | None = None) -> MenuOffer:
        classes, own = np.unique(np.round(roster.iid * CLASSES) / CLASSES, return_inverse=True)
        types, cheapest = self.kappa.size, self._cheapest(roster.ids)
        count = np.bincount(own * types + cheapest, minlength=classes.size * types).reshape(classes.size, types)
        sizes = self._sizes(classes, count.astype(np.float64), self._shares(), self.terms.in_force(budget))
        shown = np.maximum(np.arange(types), cheapest[:, None])
        paid = payments(self.kappa, sizes)
        return MenuOffer(np.take_along_axis(sizes[own], shown, 1), np.take_along_axis(paid[own], shown, 1))

    def tell(self, receipt: Receipt[MenuOffer]) -> None:
        answered = receipt.answered
        self.round = receipt.round
        self._note(receipt.roster.ids[answered], receipt.offer.sizes[answered], receipt.sizes[answered])

    def _cheapest(self, ids: IntArray) -> IntArray:
        """k_n: the cheapest type that a client can be, one less for those whose turn it is."""
        known = self.lowest.read(ids, default=0.0).astype(np.int64)
        return np.maximum(known - ((ids + self.round) % AGAIN == 0), 0)

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

    def _sizes(self, iid: FloatArray, count: FloatArray, share: FloatArray, budget: float) -> FloatArray:
        """D (classes, types) for the lambda that spends the budget.

        `count` (classes, types): clients of each class that are shown the pairs from this type on.
        """
        psi, A = ironed(virtual_costs(self.kappa, share), share), self.terms.accuracy
        low, high = self.terms.size_low, self.terms.size_high

        def at(price: float) -> FloatArray:
            return sizes_at_slope(A, iid[:, None], price * psi, low, high)

        def spend(price: float) -> float:
            return float((count * payments(self.kappa, at(price))).sum())

        dearest = max(float(A.slope(np.full(iid.size, low), iid).max()), 1e-300) / psi[0]  # at which nothing is bought
        return at(search(spend, spendable(budget), dearest, LEAST * dearest, EXACT)[1])


def virtual_costs(kappa: FloatArray, share: FloatArray) -> FloatArray:
    cheaper = np.cumsum(share) - share
    return kappa + cheaper / share * np.diff(kappa, prepend=kappa[0])


def ironed(values: FloatArray, weight: FloatArray) -> FloatArray:
    """The closest rising sequence: neighbours that fall are pooled at their weighted mean."""
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, w in zip(values.tolist(), weight.tolist(), strict=True):
        blocks.append((value, w, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, wa, na), (b, wb, nb) = blocks[-2:]
            blocks[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.concatenate([np.full(length, mean) for mean, _, length in blocks])


def payments(kappa: FloatArray, sizes: FloatArray) -> FloatArray:
    """R (classes, types): cost of the last type, and upwards just enough more that no type wants its neighbour's."""
    steps = sizes - np.concatenate([sizes[:, 1:], np.zeros((len(sizes), 1))], axis=1)
    return np.cumsum((kappa * steps)[:, ::-1], axis=1)[:, ::-1]
