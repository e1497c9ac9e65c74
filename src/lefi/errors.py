"""What lefi raises: one short line that names the field, the value and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches


class LefiError(Exception):
    """Base of every error that lefi raises on purpose."""


class InputError(LefiError, ValueError):
    """A value from outside that cannot be used."""

    def __init__(self, field: str, value: object, allowed: str) -> None:
        super().__init__(f"{field} is {_short(value)}: it must be {allowed}")
        self.field, self.value, self.allowed = field, _short(value), allowed


class UnknownName(LefiError, KeyError):
    """A name that is not in a list of names; the message carries the near match and the list."""

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
    """An offer outside the terms or the payment class of the market."""


class ContractError(LefiError, AssertionError):
    """A mechanism or a fleet that does not keep its contract (see `lefi.testing`)."""


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
