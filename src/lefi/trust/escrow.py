"""Pay that is held back for some rounds, and lost on accusation."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from lefi.arrays import whole
from lefi.errors import InputError

Client = int | str
Held = dict[tuple[int, Client], int]  # units by round and client


@dataclass(eq=False)
class Escrow:
    """Holds the pay of the last `rounds` rounds, in the money's smallest unit. What is held has been counted against
    the budget of its round; what is forfeited returns to the job's total only.

    Each round: `earn`, then `forfeit` for who is accused, then `due`.

    >>> from lefi.trust import Escrow
    >>> escrow = Escrow(rounds=1)
    >>> escrow.earn(1, {"car-0": 500, "car-1": 700})
    >>> escrow.forfeit("car-1")
    {(1, 'car-1'): 700}
    >>> escrow.due(2)
    {(1, 'car-0'): 500}
    """

    rounds: int = 3
    held: Held = field(default_factory=dict)
    forfeited: int = 0

    def __post_init__(self) -> None:
        whole("rounds", self.rounds, low=0)

    def earn(self, round: int, pay: Mapping[int, int] | Mapping[str, int]) -> None:
        """A round's pay goes in."""
        for client, units in pay.items():
            if isinstance(units, bool) or not isinstance(units, int) or units < 0:
                raise InputError("pay", units, f"whole units, 0 or more, for client {client}")
        self.held |= {(round, client): units for client, units in pay.items() if units}

    def forfeit(self, client: Client) -> Held:
        """What an accused client loses: all that is held of it."""
        lost = self._out([key for key in self.held if key[1] == client])
        self.forfeited += sum(lost.values())
        return lost

    def due(self, round: int) -> Held:
        """What comes out when this round is settled: pay that has been held for `rounds` rounds."""
        return self._out([key for key in self.held if key[0] <= round - self.rounds])

    def release(self) -> Held:
        """The job has ended: what is held goes to those who earned it."""
        return self._out(list(self.held))

    def _out(self, keys: list[tuple[int, Client]]) -> Held:
        return {key: self.held.pop(key) for key in keys}
