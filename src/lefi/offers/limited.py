"""Lower the sizes that an offer pays for, client by client; what it pays for smaller sizes stays."""

from dataclasses import fields, is_dataclass, replace
from typing import TypeVar

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.offers.menu import MenuOffer

O = TypeVar("O", bound=Offer)


def limited(offer: O, most: FloatArray) -> O:
    """An offer of the same kind that pays for at most `most` [thousand samples]; the offer itself where it does.

    A kind from outside that has no field `limit` stays as it is: what counts of an answer is cut all the same.

    >>> from lefi.offers import limited
    >>> offer = lefi.PriceOffer(price=[1.0, 1.0], limit=[4.0, 6.0])
    >>> limited(offer, most=np.array([5.0, 5.0])).limit
    array([4., 5.])
    """
    if (offer.limit <= most).all():
        return offer
    if isinstance(offer, MenuOffer):  # pairs above are struck out
        keep = offer.sizes <= most[:, None]
        return replace(offer, sizes=np.where(keep, offer.sizes, 0.0), payments=np.where(keep, offer.payments, 0.0))
    if is_dataclass(offer) and "limit" in {field.name for field in fields(offer)}:
        return replace(offer, limit=np.minimum(offer.limit, most))
    return offer
