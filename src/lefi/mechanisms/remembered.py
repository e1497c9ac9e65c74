"""What the agent keeps of each client (`lefi.agent.sight`), under the client's id."""

from lefi.agent.sight import Seen
from lefi.arrays import IntArray
from lefi.mechanisms.table import LastValue


class Remembered:
    """Clients that come back are known again."""

    def __init__(self) -> None:
        self.kept = [LastValue() for _ in Seen._fields]

    def read(self, ids: IntArray) -> Seen:
        """What is known of these clients; NaN of those that never answered."""
        return Seen(*(values.read(ids, default=float("nan")) for values in self.kept))

    def write(self, ids: IntArray, seen: Seen) -> None:
        """Keep this of these clients."""
        for values, new in zip(self.kept, seen, strict=True):
            values.write(ids, new)
