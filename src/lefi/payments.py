"""Ways of paying: which class of offers belongs to which, so that a job takes offers of one of them."""

from collections.abc import Callable
from typing import Any, TypeVar

from lefi.errors import InputError
from lefi.registry import Registry

C = TypeVar("C", bound=type)


def _missing(thing: Any) -> str | None:
    if not isinstance(thing, type):
        return "it is no class"
    wanted = ("limit", "payment", "worst_case", "best_size", "to_columns", "from_columns", "__len__")
    fields = getattr(thing, "__dataclass_fields__", {})
    lacks = [name for name in wanted if not hasattr(thing, name) and name not in fields]
    if lacks:
        return f"it has no {', no '.join(lacks)}"
    return None if thing in _payments else "it is not decorated by lefi.pays"


_payments: dict[type, str] = {}
OFFERS: Registry[type] = Registry("payment", _missing)  # classes of offers by name


def pays(payment: str, name: str | None = None) -> Callable[[C], C]:
    """Class decorator: offers of this class belong to this way of paying, such as "curve" or "price".

    `name` is that of the class where several belong to one way of paying.

    >>> @lefi.pays("price", name="cents")
    ... class Cents(lefi.PriceOffer):
    ...     def payment(self, sizes):
    ...         return np.floor(100 * super().payment(sizes)) / 100
    ...
    >>> Cents([0.013], [5.0]).payment(np.array([2.0]))
    array([0.02])
    """

    def note(offer: C) -> C:
        _payments[offer] = payment
        OFFERS.add(name or payment, offer)
        return offer

    return note


def payments() -> tuple[str, ...]:
    """The known ways of paying: a job takes offers of one of them."""
    return tuple(dict.fromkeys(_payments.values()))


def payment_of(offer: Any) -> str | None:
    """The way of paying that an offer, or a class of offers, belongs to; None where it does not say (see `pays`)."""
    kind = offer if isinstance(offer, type) else type(offer)
    return next((_payments[base] for base in kind.__mro__ if base in _payments), None)


def named_payment(spec: str) -> str:
    """The way of paying that is written as its name, as the name of an offer, or as `file.py:Name`."""
    if spec in payments():
        return spec
    if not isinstance(spec, str) or not OFFERS.has(spec):
        raise InputError("payment", spec, f"one of {', '.join(payments())}, or FILE:Class of an offer")
    return str(payment_of(OFFERS.get(spec)))
