"""Exact money: an amount is a whole number of a smallest unit. Floats end here.

unit  a power of ten of the currency, one nano-dollar by default     scale  units of one dollar
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal, InvalidOperation
from functools import cached_property
from typing import Any, Self

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError, LefiError

LARGEST = 2**63 - 1  # units: the largest whole number that databases and Parquet take
FINEST = 15  # decimals of the finest unit: a float has no more


@dataclass(frozen=True)
class Money:
    """How a job counts its money: `currency`, and `unit` as a decimal number such as "0.01" or "1e-9".

    >>> from lefi.ledger import Money
    >>> euro = Money(currency="EUR", unit="0.01")
    >>> euro.units(np.array([1.239])), euro.text(123)
    ([123], '1.23')
    """

    currency: str = "USD"
    unit: str = "1e-9"

    def __post_init__(self) -> None:
        if not (isinstance(self.currency, str) and self.currency.isascii() and self.currency.isalnum()):
            raise InputError("currency", self.currency, "a short name such as USD")
        if len(self.currency) > 10 or not 0 <= self.places <= FINEST:
            raise InputError("unit", self.unit, f"a power of ten from 1e-{FINEST} to 1, such as 0.01, of a currency")

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Self:
        """The money of a job whose terms are these; jobs that do not say so count nano-dollars."""
        return cls(noted.get("currency", cls.currency), noted.get("unit", cls.unit))

    @cached_property
    def places(self) -> int:
        """Decimals of an amount; -1 where the unit is not a power of ten."""
        try:
            unit = Decimal(self.unit).normalize()
        except (InvalidOperation, TypeError, ValueError):
            return -1
        power = unit.is_finite() and unit > 0 and unit.as_tuple().digits == (1,)
        return -int(unit.as_tuple().exponent) if power else -1

    @property
    def scale(self) -> int:
        return 10**self.places

    def exact(self, amount: float | str | Decimal) -> int:
        """Units of an amount as it is written: 0.3 is 0.3, not the nearest binary number. Rounded down."""
        try:
            units = int((Decimal(str(amount)) * self.scale).to_integral_value(ROUND_FLOOR))
        except (InvalidOperation, ValueError, OverflowError):
            raise InputError("amount", amount, f"a number of {self.currency}") from None
        return _bounded(units)

    def units(self, payments: FloatArray) -> list[int]:
        """Units of each payment, rounded down."""
        with np.errstate(over="ignore"):
            counted = np.floor(payments * float(self.scale))
        if not (counted <= LARGEST).all():
            _bounded(LARGEST + 1)
        return [int(units) for units in counted.tolist()]

    def amount(self, units: int) -> float:
        """For the mathematics: the amount as the nearest float."""
        return units / self.scale

    def text(self, units: int) -> str:
        """The amount in decimals, to the unit."""
        whole, part = divmod(abs(units), self.scale)
        sign = "-" if units < 0 else ""
        return f"{sign}{whole}.{part:0{self.places}d}" if self.places else f"{sign}{whole}"


def _bounded(units: int) -> int:
    if abs(units) > LARGEST:
        raise LefiError("an amount is larger than 2^63 units: choose a larger unit")
    return units


def fitted(units: Sequence[int], most: int) -> list[int]:
    """The payments where they fit, else all of them cut by one factor: what is paid never passes `most`."""
    total = sum(units)
    return list(units) if total <= most else [part * most // total for part in units]


def payable(money: Money, owed: FloatArray, most: int, left: Mapping[int, int] | None = None) -> list[int]:
    """What is paid where the offers owe this: rounded down, within what is `left` to single clients by position."""
    units = money.units(owed)
    for position, rest in (left or {}).items():
        units[position] = min(units[position], max(rest, 0))
    return fitted(units, most)


def told(money: Money, owed: FloatArray, units: Sequence[int]) -> FloatArray:
    """Payments as the mechanism hears of them: what was owed where that was paid, else the amount that was."""
    same = np.array(money.units(owed)) == np.array(units)
    return np.where(same, owed, np.array([money.amount(part) for part in units], dtype=np.float64))
