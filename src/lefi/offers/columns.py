"""Which class of offers a table holds: by the name that is noted, or, in tables of older versions, by the columns."""

from collections.abc import Collection
from typing import Any

from lefi.errors import LefiError
from lefi.messages import Offer
from lefi.payments import OFFERS


def name_of(offer: Offer) -> str:
    """How the class of an offer is written, so that another process finds it."""
    name = next((name for name, kind in OFFERS.things.items() if kind is type(offer)), None)
    if name is None:
        raise LefiError(f"a {type(offer).__name__} cannot be written: its class is not decorated by lefi.pays")
    return OFFERS.spec_of(name)


def class_of(name: str | None, columns: Collection[str]) -> Any:
    """The class of that name, or the one that has these columns."""
    return OFFERS.get(_told_by(columns) if name is None else name)


def _told_by(columns: Collection[str]) -> str:
    told = {"bid": "auction", "price": "price", "size_0": "menu", "prizes": "rank", "total": "pool"}
    return next((name for column, name in told.items() if column in columns), "curve")
