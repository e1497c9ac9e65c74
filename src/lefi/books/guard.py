"""The budget is the job's, not the mechanism's: what is asked is cut to it before it is written or sent."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.books.samples import SAMPLES
from lefi.errors import LefiError, OfferError
from lefi.messages import CurveOffer, Offer, Roster, Terms
from lefi.offers import AuctionCall, MenuOffer, cut, limited
from lefi.offers.columns import kind_of
from lefi.offers.cut import SCALED
from lefi.payments import payment_of


def admit(asked: Any, roster: Roster, payment: str, who: str) -> Offer:
    """The offer as numbers of our own: nothing that the mechanism does later can change them."""
    try:
        kind_of(asked)  # the class itself, not a cousin of it
        known = payment_of(type(asked)) == payment and len(asked) == len(roster)
    except (LefiError, TypeError):
        known = False
    if not known or (isinstance(asked, CurveOffer) and not np.array_equal(asked.rate, roster.rate)):
        raise OfferError(f"{who} offers another payment class than the job's {payment}")
    if isinstance(asked, AuctionCall):  # ids break ties, and are too long for a column of floats
        rule = type(asked) if type(asked) in SCALED else AuctionCall
        return rule(asked.budget, asked.value, asked.limit, roster.ids)
    columns = {name: np.array(values, dtype=np.float64) for name, values in asked.to_columns().items()}
    own: Offer = type(asked).from_columns(columns, roster.rate)
    if isinstance(own, MenuOffer):  # clients count in whole samples, and must be able to deliver just what a pair asks
        own = replace(own, sizes=np.floor(own.sizes * SAMPLES + 1e-6) / SAMPLES)
    if len(own) != len(roster) or not (np.asarray(own.limit) >= 0).all():
        raise OfferError(f"{who} offers something else than it says")
    return own


def keep(offer: Offer, terms: Terms, budget: float, caps: FloatArray) -> Offer:
    """The offer within the sizes of the job, the caps of single clients [thousand samples] and the budget [USD].

    The offer itself where it keeps all of them. A kind from outside cannot be scaled: it must keep the budget itself.
    """
    least = limited(offer, np.minimum(terms.size_high, caps))
    if type(least) in SCALED:
        return cut(least, budget)
    if not least.worst_case() <= budget:
        raise OfferError(f"a {type(least).__name__} could cost {least.worst_case():.6g}, the budget is {budget:.6g}")
    return least


def changes(asked: Offer, kept: Offer, budget: float) -> Iterator[str]:
    """What was cut, in words."""
    if kept is asked:
        return
    if lower := int((np.asarray(kept.limit) < np.asarray(asked.limit)).sum()):
        yield f"{lower} limits are lowered"
    part = SCALED.get(type(asked))
    if part and np.less(getattr(kept, part), getattr(asked, part)).any():
        with np.errstate(over="ignore"):
            worst = asked.worst_case()
        what = part if part.endswith("s") else f"{part}s"
        yield f"{what} are scaled down: they could cost {worst:.6g} USD, the budget is {budget:.6g} USD"
