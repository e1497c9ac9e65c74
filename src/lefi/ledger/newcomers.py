"""Who is new to a job is paid little at first: who was excluded and comes back under another name begins again."""

from collections import Counter
from collections.abc import Iterable, Sequence


class Newcomers:
    """New is who was not among the clients of the first round, and has delivered in fewer than `rounds` rounds."""

    def __init__(self, share: float, rounds: int) -> None:
        self.share, self.rounds = share, rounds
        self.first: set[str] | None = None
        self.delivered: Counter[str] = Counter()

    def note(self, names: Iterable[str], delivered: Iterable[str]) -> None:
        """A settled round: who had an offer, and whose answer counted for more than nothing."""
        if self.first is None:
            self.first = set(names)
        self.delivered.update(delivered)

    def limits(self, names: Sequence[str], most: int) -> dict[int, int]:
        """The most units that each newcomer is paid, by position, in a round that may pay `most`."""
        if self.first is None or not names:
            return {}
        limit = int(self.share * most) // len(names)
        return {
            at: limit for at, name in enumerate(names) if name not in self.first and self.delivered[name] < self.rounds
        }
