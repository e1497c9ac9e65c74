"""Cut an offer to a budget: the same kind of offer, scaled until its worst case fits.

s  factor < 1      s = budget / worst_case, and a hair less
Every kind has one part that its payments are proportional to; that part is scaled, limits and sizes stay.
"""

from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from lefi.arrays import number
from lefi.errors import OfferError
from lefi.messages import CurveOffer, Offer
from lefi.offers.auction import AuctionAward, AuctionCall
from lefi.offers.menu import MenuOffer
from lefi.offers.pool import PoolOffer
from lefi.offers.price import PriceOffer
from lefi.offers.principals import PrincipalCall
from lefi.offers.prizes import PrizeOffer
from lefi.offers.rank import RankOffer
from lefi.offers.reverse_auction import ReverseCall
from lefi.offers.served import ServedCurve, ServedMenu, ServedPrice
from lefi.offers.votes import VoteOffer

O = TypeVar("O", bound=Offer)

HAIR = 1e-9  # of the budget: sums in another order differ in the last digits, and must not pass it

SCALED: dict[type, str] = {
    CurveOffer: "weight",
    PriceOffer: "price",
    AuctionAward: "price",
    MenuOffer: "payments",
    PoolOffer: "total",
    RankOffer: "total",
    PrizeOffer: "total",
    VoteOffer: "total",
    AuctionCall: "budget",
    PrincipalCall: "budget",
    ServedCurve: "weight",
    ServedPrice: "price",
    ServedMenu: "payments",
    ReverseCall: "budget",
}


def cut(offer: O, budget: float) -> O:
    """An offer of the same kind that cannot cost more than the budget; the offer itself where it keeps it already.

    Only the kinds of lefi are taken: a class of somebody else's may say one worst case and pay another.

    >>> from lefi.offers import cut
    >>> offer = lefi.PriceOffer(price=[1.0, 1.0], limit=[4.0, 6.0])
    >>> cut(offer, budget=5.0)
    PriceOffer(2 clients, at most 5 USD)
    """
    number("budget", budget, low=0)
    if type(offer) not in SCALED:
        raise OfferError(f"a {type(offer).__name__} cannot be cut to a budget")
    with np.errstate(over="ignore"):  # an infinite worst case is cut as well
        if offer.worst_case() <= budget:
            return offer
        part = SCALED[type(offer)]
        result = _finite(offer, part)
    while (worst := result.worst_case()) > budget:
        factor = budget / worst * (1 - HAIR)
        result = replace(result, **{part: getattr(result, part) * factor})  # type: ignore[type-var]
    return result


def _finite(offer: O, part: str) -> O:
    """The offer, its largest part brought to 1 where the worst case is too large for a number."""
    if np.isfinite(offer.worst_case()):
        return offer
    values: Any = getattr(offer, part)
    return replace(offer, **{part: values / np.max(values)})  # type: ignore[type-var]
