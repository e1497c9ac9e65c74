"""Which class of offers a table holds: by the name that is noted, or, in tables of older versions, by the columns."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import LefiError
from lefi.messages import Offer
from lefi.payments import OFFERS
from lefi.registry import is_outside


def name_of(offer: Offer) -> str:
    """How the class of an offer is written, so that another process finds it."""
    return OFFERS.spec_of(kind_of(offer))


def class_of(name: str | None, columns: Collection[str]) -> Any:
    """The class of that name, or the one that has these columns."""
    return OFFERS.get(_told_by(columns) if name is None else name)


def kind_of(offer: Offer) -> str:
    """The name that an offer's class is registered under; other processes must have loaded its code themselves."""
    name = next((name for name, kind in OFFERS.things.items() if kind is type(offer)), None)
    if name is None:
        raise LefiError(f"a {type(offer).__name__} cannot be written: its class is not decorated by lefi.pays")
    return name


def loaded_class(name: str) -> Any:
    """The class of that name, where its code is here already: what a stranger wrote must not import anything."""
    if not isinstance(name, str) or is_outside(name):
        raise LefiError(f"{str(name)[:60]!r} is no kind of offer")
    return OFFERS.get(name)


def to_record(offer: Offer) -> list[dict[str, Any]]:
    """The offer to each client as plain values: the kind, and its columns; None stands for NaN."""
    kind = kind_of(offer)
    columns = {name: np.asarray(values, dtype=np.float64) for name, values in offer.to_columns().items()}
    names = ("kind", *columns)
    values = [[None if value != value else value for value in column.tolist()] for column in columns.values()]
    return [dict(zip(names, (kind, *row), strict=True)) for row in zip(*values, strict=True)]


def from_record(records: Sequence[Mapping[str, Any]], rate: FloatArray) -> Any:
    """The offer behind such records, all of one kind."""
    kind = records[0]["kind"]
    if any(record["kind"] != kind for record in records):
        raise LefiError("offers of one round are of several kinds")
    columns = {
        name: np.array([np.nan if record[name] is None else record[name] for record in records], dtype=np.float64)
        for name in records[0]
        if name != "kind"
    }
    return loaded_class(kind).from_columns(columns, rate)


def _told_by(columns: Collection[str]) -> str:
    kind = _told_of(columns)
    return f"served {kind}" if "honesty" in columns else kind


def _told_of(columns: Collection[str]) -> str:
    told = {"bid": "auction", "price": "price", "size_0": "menu", "juror_0": "votes", "count_0": "prizes"}
    told |= {"prizes": "rank", "total": "pool"}
    return next((name for column, name in told.items() if column in columns), "curve")
