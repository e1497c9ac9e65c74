"""The time that a job still takes, and plain lines about it where stderr is no terminal."""

import time
from collections.abc import Callable

from lefi.studies.run.runner import Standing

EVERY = 5.0  # seconds between two lines: nobody waits in doubt for longer, and three minutes are no more than a page


def spelled(seconds: float) -> str:
    """As 2:05, or 1:02:05 from an hour on."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


class Pace:
    """How long a job has taken and how long it still takes: as it says itself, else as its share goes with time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.began = self.at = clock()
        self.first: float | None = None  # share that was done before this time: it says nothing about the pace
        self.standing = Standing(0, 0, 0.0)

    def tell(self, standing: Standing) -> None:
        self.first = standing.share if self.first is None else self.first
        if standing != self.standing:
            self.standing, self.at = standing, self.clock()

    def elapsed(self) -> float:
        return self.clock() - self.began

    def left(self) -> float | None:
        """Seconds; between two steps they run down. None where nothing is known yet."""
        done, left = self.standing.share - (self.first or 0.0), self.standing.left
        if left is None and done > 0:
            left = (1 - self.standing.share) * (self.at - self.began) / done
        return None if left is None else max(left - (self.clock() - self.at), 0.0)


class Lines:
    """Says how far a job is, every few seconds. A job that is over before the first line is due stays silent."""

    def __init__(self, what: str, unit: str, say: Callable[[str], None], pace: Pace) -> None:
        self.what, self.unit, self.say, self.pace = what, unit, say, pace
        self.said = 0.0
        self.told: Standing | None = None

    def step(self) -> None:
        """One more step is done: say so if a line is due."""
        if self.pace.elapsed() - self.said >= EVERY:
            self._line()

    def end(self) -> None:
        """The last line, if there was any and it said less."""
        if self.told not in (None, self.pace.standing):
            self._line()

    def _line(self) -> None:
        done, total, share = self.pace.standing.done, self.pace.standing.total, self.pace.standing.share
        left = self.pace.left()
        parts = [f"{self.what}: {done}/{total} {self.unit}", f"{share:.0%}", f"{spelled(self.pace.elapsed())} elapsed"]
        if left is not None and done < total:
            parts.append(f"about {spelled(left)} left")
        self.say(", ".join(parts))
        self.said, self.told = self.pace.elapsed(), self.pace.standing
