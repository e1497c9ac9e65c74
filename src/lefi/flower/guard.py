"""The budget is the job's, not the mechanism's: what is asked is cut to it before it is written or sent."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import OfferError
from lefi.messages import CurveOffer, Roster, Terms
from lefi.offers import cut


def admit(asked: object, roster: Roster, who: str) -> CurveOffer:
    """The offer as numbers of our own: nothing that the mechanism does later can change them."""
    if type(asked) is not CurveOffer or not np.array_equal(asked.rate, roster.rate):
        raise OfferError(f"{who} offers another payment class than the job's curve")
    return CurveOffer(asked.weight, asked.rate, asked.limit)


def keep(offer: CurveOffer, terms: Terms, budget: float, caps: FloatArray) -> CurveOffer:
    """The offer within the sizes of the job, the caps of single clients [thousand samples] and the budget [USD].

    The offer itself where it keeps all of them.
    """
    most = np.minimum(terms.size_high, caps)
    limited = offer if (offer.limit <= most).all() else replace(offer, limit=np.minimum(offer.limit, most))
    return cut(limited, budget)


def changes(asked: CurveOffer, kept: CurveOffer, budget: float) -> Iterator[str]:
    """What was cut, in words."""
    if kept is asked:
        return
    if lower := int((kept.limit < asked.limit).sum()):
        yield f"{lower} limits are lowered"
    if (kept.weight < asked.weight).any():
        with np.errstate(over="ignore"):
            worst = asked.worst_case()
        yield f"weights are scaled down: they could cost {worst:.6g} USD, the budget is {budget:.6g} USD"
