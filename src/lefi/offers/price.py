"""A price per thousand samples, paid up to a limit.

r  price  [USD / thousand samples]     l  limit  [thousand samples]     payment r min(D, l)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np

from lefi.arrays import FloatArray, Floats, floats, vector
from lefi.errors import InputError
from lefi.messages import in_short
from lefi.payments import pays


@pays("price")
@dataclass(frozen=True, eq=False)
class PriceOffer:
    """Each client is paid its price for every thousand samples up to its limit.

    >>> offer = lefi.PriceOffer(price=[0.1, 0.2], limit=[4.0, 5.0])
    >>> offer.payment(np.array([6.0, 1.0]))
    array([0.4, 0.2])
    """

    price: FloatArray
    limit: FloatArray

    def __post_init__(self) -> None:
        price = vector("price", np.atleast_1d(floats("price", self.price)), low=0)
        if price.size == 0:
            raise InputError("clients", 0, "at least 1")
        object.__setattr__(self, "price", price)
        object.__setattr__(self, "limit", vector("limit", self.limit, clients=price.size, low=0))

    def __len__(self) -> int:
        return self.price.size

    def __repr__(self) -> str:
        return in_short(self)

    def payment(self, sizes: Floats) -> FloatArray:
        return np.where(np.isnan(sizes), 0.0, self.price * np.fmin(sizes, self.limit))

    def worst_case(self) -> float:
        return float(self.payment(self.limit).sum())

    def best_size(self, marginal_cost: Floats, low: Floats, high: Floats) -> FloatArray:
        """All or nothing: the most that is paid for where the price beats the marginal cost, else low."""
        most = np.maximum(low, np.minimum(high, self.limit))
        return np.where(self.price > marginal_cost, most, low)

    def to_columns(self) -> dict[str, FloatArray]:
        return {"price": self.price, "limit": self.limit}

    @classmethod
    def from_columns(cls, columns: Mapping[str, FloatArray], rate: FloatArray) -> Self:
        return cls(columns["price"], columns["limit"])
