"""How much of the work is done, in time: what a run of each mechanism takes is learned from those that are finished."""

from collections import defaultdict
from collections.abc import Iterable

from lefi.studies.plan.one_run import Run


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
            self.all[run.mechanism] += run.work

    def add(self, run: Run, seconds: float | None = None) -> None:
        """One more is done; without seconds, it was done before."""
        self.runs += 1
        self.done[run.mechanism] += run.work
        if seconds is not None:
            self.timed[run.mechanism] += run.work
            self.seconds[run.mechanism] += seconds

    def share(self) -> float:
        """From 0 to 1, never less than before."""
        pace = {name: self._pace(name) for name in self.all}
        total = sum(pace[name] * work for name, work in self.all.items())
        done = sum(pace[name] * work for name, work in self.done.items())
        self.most = 1.0 if self.runs == self.total else max(self.most, done / total)
        return self.most

    def _pace(self, mechanism: str) -> float:
        """Seconds per unit of work; a mechanism of which little is known counts as the others."""
        work, seconds = sum(self.timed.values()), sum(self.seconds.values())
        if not work or not seconds:
            return 1.0
        little = self.all[mechanism] / 20  # a twentieth of its runs says as much as all the others do
        return (self.seconds[mechanism] + little * seconds / work) / (self.timed[mechanism] + little)
