"""The contract of a mechanism."""

from typing import Protocol, runtime_checkable

from lefi.messages import Offer, Receipt, Roster


@runtime_checkable
class Mechanism(Protocol):
    """Decides what to offer. Restored by telling it its receipts again."""

    def ask(self, roster: Roster) -> Offer:
        """The offer to these clients. Pure: asking twice gives the same offer."""
        ...

    def tell(self, receipt: Receipt) -> None:
        """Learn from a settled round: the only place where state changes."""
        ...
