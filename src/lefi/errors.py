"""What lefi raises: one short line that names the field, the value and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches


class LefiError(Exception):
    """Base of every error that lefi raises on purpose.

    >>> try:
    ...     lefi.make("waterfal", lefi.scenario("paper").terms)
    ... except lefi.LefiError as error:
    ...     print(str(error).partition("?")[0])
    unknown mechanism 'waterfal': did you mean 'waterfill'
    """


class InputError(LefiError, ValueError):
    """A value from outside that cannot be used.

    >>> lefi.Terms(budget=-1, accuracy=lefi.accuracy("paper"))
    Traceback (most recent call last):
    ...
    lefi.errors.InputError: budget is -1: it must be finite and > 0
    """

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(f"{field} is {_short(value)}: it must be {allowed}")
        self.field, self.value, self.allowed = field, _short(value), allowed


class UnknownName(LefiError, KeyError):
    """A name that is not in a list of names; the message carries the near match and the list.

    >>> try:
    ...     lefi.scenario("mixd")
    ... except lefi.UnknownName as error:
    ...     print(str(error).partition("?")[0])
    unknown scenario 'mixd': did you mean 'mixed'
    """

    def __init__(self, kind: str, name: object, known: Iterable[str]) -> None:
        self.kind = kind
        names = sorted(known)
        near = get_close_matches(str(name), names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        listed = f"known: {', '.join(names)}" if names else "there are none"
        self.message = f"unknown {kind} {name!r}: {hint}{listed}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


class OfferError(LefiError):
    """An offer outside the terms or the payment class of the market.

    >>> market = lefi.scenario("paper", clients=2)
    >>> market.check(lefi.PriceOffer([0.1, 0.1], [5.0, 5.0]))
    Traceback (most recent call last):
    ...
    lefi.errors.OfferError: offer pays by 'price': this market takes 'curve'
    """


class ContractError(LefiError, AssertionError):
    """A mechanism or a fleet that does not keep its contract (see `lefi.testing`).

    >>> from lefi.testing import check_accuracy
    >>> class Constant:
    ...     def __call__(self, sizes, iid):
    ...         return 0.5
    ...     def slope(self, sizes, iid):
    ...         return 0.0
    ...
    >>> check_accuracy(Constant())
    Traceback (most recent call last):
    ...
    lefi.errors.ContractError: it works client by client: 33 sizes and 5 iid give shape ()
    """


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
