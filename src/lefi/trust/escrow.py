"""Pay that is held back for some rounds, and lost on accusation."""

from collections import deque
from dataclasses import dataclass, field

from lefi.arrays import whole
from lefi.errors import InputError


@dataclass(eq=False)
class Escrow:
    """Holds each client's pay of the last `rounds` rounds, in the money's smallest unit. What is held has been counted
    against the budget of its round; what is forfeited returns to the job's total only."""

    rounds: int = 3
    held: dict[int, deque[int]] = field(default_factory=dict)
    forfeited: int = 0

    def __post_init__(self) -> None:
        whole("rounds", self.rounds, low=0)

    def earn(self, pay: dict[int, int]) -> dict[int, int]:
        """A round's pay goes in, what is old enough comes out: what each client is to get now."""
        for client, units in pay.items():
            if isinstance(units, bool) or not isinstance(units, int) or units < 0:
                raise InputError("pay", units, f"whole units, 0 or more, for client {client}")
        for client in pay:
            self.held.setdefault(client, deque([0] * self.rounds))
        return {client: self._turned(client, pay.get(client, 0)) for client in self.held}

    def _turned(self, client: int, units: int) -> int:
        row = self.held[client]
        row.append(units)
        return row.popleft()

    def forfeit(self, client: int) -> int:
        """What an accused client loses."""
        lost = sum(self.held.pop(client, ()))
        self.forfeited += lost
        return lost

    def release(self) -> dict[int, int]:
        """The job has ended: what is held goes to those who earned it."""
        due = {client: sum(row) for client, row in self.held.items()}
        self.held.clear()
        return due
