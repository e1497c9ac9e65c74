"""Parts of a round, for wrappers: offers to some of the clients, put together or cut, and receipts of some of them.

An offer is a dataclass. A field with one entry per client can be cut and put together; another holds for all.
"""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from lefi.arrays import IntArray
from lefi.errors import OfferError
from lefi.messages import Offer, Receipt, Roster, Terms


def part(receipt: Receipt, at: IntArray, terms: Terms, budget: float) -> Receipt:
    """The receipt of the clients at these positions, who had this budget.

    Its accuracy is what the model says of these clients: it is measured for all of them together only.
    """
    roster, sizes = receipt.roster.take(at), receipt.sizes[at]
    seen = receipt.accuracy == receipt.accuracy
    accuracy = float(terms.accuracy(np.nan_to_num(sizes), roster.iid).mean()) if seen else np.nan
    return Receipt(receipt.round, roster, taken(receipt.offer, at), sizes, receipt.payments[at], accuracy, budget)


def taken(offer: Offer, at: IntArray) -> Any:
    """The offer to the clients at these positions."""
    return replace(offer, **{name: getattr(offer, name)[at] for name in _columns(offer)})  # type: ignore[type-var]


def joined(parts: Sequence[tuple[IntArray, Any]]) -> Any:
    """One offer of several, each with the positions of its clients."""
    first = parts[0][1]
    if len(parts) == 1 and (parts[0][0] == np.arange(len(first))).all():
        return first
    names = _columns(first)
    if len(names) < len(fields(first)):
        raise OfferError(f"a {type(first).__name__} pays from one total: it cannot be put together from parts")
    order = np.argsort(np.concatenate([at for at, _ in parts]), kind="stable")
    return replace(first, **{name: np.concatenate([getattr(one, name) for _, one in parts])[order] for name in names})


def spread(offer: Any, at: IntArray, roster: Roster, low: float) -> Any:
    """The offer to the clients at these positions, and nothing to the others: they are paid for `low`, with 0 USD."""
    columns, beside = {}, {"limit": low, "sizes": low, "rate": roster.rate, "ids": roster.ids}
    for name in _columns(offer):
        own = getattr(offer, name)
        shape = (len(roster), *own.shape[1:])
        columns[name] = np.array(np.broadcast_to(np.asarray(beside.get(name, 0.0)), shape), dtype=own.dtype)
        columns[name][at] = own
    return replace(offer, **columns)


def _columns(offer: Any) -> list[str]:
    """Fields with one entry per client."""
    values = {field.name: getattr(offer, field.name) for field in fields(offer)}
    return [name for name, value in values.items() if isinstance(value, np.ndarray) and len(value) == len(offer)]
