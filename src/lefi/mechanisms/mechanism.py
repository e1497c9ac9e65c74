"""The contract of a mechanism."""

from typing import Any, Protocol, runtime_checkable

from typing_extensions import TypeVar

from lefi.messages import Offer, Receipt, Roster

O = TypeVar("O", bound=Offer, default=Any)


@runtime_checkable
class Mechanism(Protocol[O]):
    """Decides what to offer. Restored by telling it its receipts again.

    >>> mechanism = lefi.make("uniform", lefi.scenario("paper").terms)
    >>> isinstance(mechanism, lefi.Mechanism)
    True
    """

    def ask(self, roster: Roster, budget: float | None = None) -> O:
        """The offer to these clients under this budget (None: the terms' own). Pure: it changes nothing."""
        ...

    def tell(self, receipt: Receipt[O]) -> None:
        """Learn from a settled round: the only place where state changes."""
        ...


def done(mechanism: Any) -> str | None:
    """Why the mechanism wants no further round, in words; None while it goes on.

    A mechanism says so by a property `done`, which most do not have. Whoever plays rounds reads it before each one, and
    pays nothing more once it speaks.
    """
    said = getattr(mechanism, "done", None)
    return said if isinstance(said, str) and said else None
