"""How much of the work is done, in time: what a run of each mechanism takes is learned from those that are finished."""

from collections import defaultdict
from collections.abc import Iterable

from lefi.studies.plan.one_run import Run

# Milliseconds of a round, and of each client in it, on a core of 2024: only their ratios matter.
COST = {
    "auction": (1, 0.003),
    "bara": (4, 0.07),
    "bara_published": (3, 0.01),
    "chiron": (1.5, 0.003),
    "contest": (6, 0.01),
    "contract": (4, 0.01),
    "drl": (1.5, 0.003),
    "flat": (0.7, 0.001),
    "knapsacks": (8, 0.02),
    "lefi": (1.5, 0.002),
    "pool": (3, 0.01),
    "posted": (1, 0.003),
    "price": (6, 0.01),
    "principals": (6, 0.01),
    "random": (0.6, 0.001),
    "uniform": (0.6, 0.001),
    "waterfill": (3, 0.2),
}
OTHER = (1.5, 0.002)  # a mechanism of the user's, before one of its runs is finished


def work(run: Run) -> float:
    """A guess at how long it takes: longest runs go first, and time left is reckoned with it."""
    round, client = COST.get(run.spec, OTHER)
    return run.rounds * (round + client * run.clients)


class Effort:
    """Runs of which some are done. A share of the runs would mislead: some take a hundred times as long as others."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self.all: defaultdict[str, float] = defaultdict(float)  # work, by mechanism
        self.done: defaultdict[str, float] = defaultdict(float)
        self.timed: defaultdict[str, float] = defaultdict(float)  # work of those whose seconds are known
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.runs, self.total = 0, 0
        self.most = 0.0
        for run in runs:
            self.total += 1
            self.all[run.mechanism] += work(run)

    def add(self, run: Run, seconds: float | None = None) -> None:
        """One more is done; without seconds, it was done before."""
        self.runs += 1
        self.done[run.mechanism] += work(run)
        if seconds is not None:
            self.timed[run.mechanism] += work(run)
            self.seconds[run.mechanism] += seconds

    def share(self) -> float:
        """From 0 to 1, never less than before."""
        pace = {name: self._pace(name) for name in self.all}
        total = sum(pace[name] * work for name, work in self.all.items())
        done = sum(pace[name] * work for name, work in self.done.items())
        self.most = 1.0 if self.runs == self.total else max(self.most, done / total)
        return self.most

    def left(self) -> float | None:
        """Seconds that the other runs will take, one after the other; None before the first is timed."""
        if not self.timed:
            return None
        return sum(self._pace(name) * (work - self.done[name]) for name, work in self.all.items())

    def _pace(self, mechanism: str) -> float:
        """Seconds per unit of work; a mechanism of which little is known counts as the others."""
        work, seconds = sum(self.timed.values()), sum(self.seconds.values())
        if not work or not seconds:
            return 1.0
        little = self.all[mechanism] / 20  # a twentieth of its runs says as much as all the others do
        return (self.seconds[mechanism] + little * seconds / work) / (self.timed[mechanism] + little)
