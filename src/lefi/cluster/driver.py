"""The driver of a run: hands out the stages of each round, and holds sums and one row per round."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lefi.arrays import whole
from lefi.cells import total
from lefi.cluster import stages
from lefi.cluster.engines import Engine
from lefi.cluster.folder import Folder
from lefi.cluster.spec import Spec
from lefi.errors import LefiError
from lefi.mechanisms.division import Outcome, Round

EVERY = 10  # rounds between two saves: what a dead worker knew is told again from receipts of at most so many


def play_parts(
    spec: Spec, out: Path | str, engine: Engine, *, rounds: int = 100, every: int = EVERY
) -> Iterator[dict[str, Any]]:
    """Play rounds and yield the row of each; `out` is its folder. A run that was stopped goes on where it was.

    >>> from lefi.cluster import Spec, opened, play_parts
    >>> spec = Spec("uniform", scenario="mixed", clients=10, budget=5.0, deadline=60.0, seed=0, partitions=2)
    >>> with opened("here") as engine:
    ...     [row["answered"] for row in play_parts(spec, "run", engine, rounds=2)]
    [10, 10]
    """
    whole("rounds", rounds, low=1)
    whole("every", every, low=1)
    return Driver(spec, Path(out), engine, every).rounds(rounds)


class Driver:
    """One run. `states` are futures, one per partition: no client's numbers are ever here.

    `head` is a future too: it goes from worker to worker, and not from here to each partition.
    """

    def __init__(self, spec: Spec, out: Path, engine: Engine, every: int) -> None:
        self.spec, self.engine, self.every = spec, engine, every
        self.folder = Folder(out.resolve())
        self.parts = range(spec.partitions)
        self.states: list[Any] = []
        self.head: Any = None

    def rounds(self, rounds: int) -> Iterator[dict[str, Any]]:
        self.folder.claim(self.spec.told())
        rows = self.folder.rounds()
        if [row["round"] for row in rows] != list(range(1, len(rows) + 1)):
            raise LefiError(f"{self.folder.root} is damaged: rounds are missing from rounds.parquet")
        yield from rows[:rounds]
        if len(rows) >= rounds:
            return
        told = self._start(len(rows))
        for number in range(told + 1, rounds + 1):
            round = self.spec.round(number)
            if number > len(rows):
                rows.append(self._settle(round))
                self.folder.settle(rows)
                yield rows[-1]
            if number < rounds:
                self._tell(round, Outcome(rows[number - 1]["paid"], rows[number - 1]["answered"]))

    def _start(self, settled: int) -> int:
        """States to go on from; the last round that they know."""
        saved, head = self.folder.saved()
        if saved > settled:
            raise LefiError(f"{self.folder.root} is damaged: states of round {saved}, receipts up to round {settled}")
        self.head = self.engine.submit(stages.same, head if saved else self.spec.division.begin(self.spec.made()))
        if saved:
            self.states = self._loaded(saved)
        else:
            self.states = [self.engine.submit(stages.begin, self.spec, part, self.folder) for part in self.parts]
        return saved

    def _settle(self, round: Round) -> dict[str, Any]:
        """Offers to all, and the row of the round."""
        spec, engine = self.spec, self.engine
        looks = [engine.submit(stages.look, spec, state, self.head, round) for state in self.states]
        told = [engine.submit(stages.shared, look) for look in looks]
        plan = engine.submit(stages.decide, spec, self.head, told, round)
        drafts = [
            engine.submit(stages.draft, spec, state, self.head, plan, last, round)
            for state, last in zip(self.states, looks, strict=True)
        ]
        costs = [engine.submit(stages.cost, *pair) for pair in zip(self.states, drafts, strict=True)]
        spent = total(engine.gather(costs))
        parts: list[stages.Part] = engine.gather(
            [
                engine.submit(stages.settle, spec, part, self.folder, state, drafted, spent, plan, round)
                for part, state, drafted in zip(self.parts, self.states, drafts, strict=True)
            ]
        )
        return {
            "round": round.number,
            "clients": round.clients,
            "answered": sum(part.answered for part in parts),
            "paid": total([part.paid for part in parts]),
            "accuracy": total([part.accuracy for part in parts]) / round.clients,
            "budget": round.money,
            "offer": parts[0].offer,
        }

    def _tell(self, round: Round, outcome: Outcome) -> None:
        """All partitions learn, then the head; now and then what they know is saved."""
        spec, engine = self.spec, self.engine
        self.states = [
            engine.submit(stages.tell, spec, part, self.folder, state, self.head, round)
            for part, state in zip(self.parts, self.states, strict=True)
        ]
        lessons = [engine.submit(stages.shared, engine.submit(stages.lesson, state)) for state in self.states]
        self.head = engine.submit(stages.learn, spec, self.head, lessons, round, outcome)
        if round.number % self.every == 0:
            paths = [self.folder.state(round.number, part) for part in self.parts]
            saves = zip(self.states, paths, strict=True)
            engine.gather([engine.submit(stages.save_state, state, path) for state, path in saves])
            (head,) = engine.gather([self.head])
            self.folder.finish_save(round.number, head)
            self.states = []  # from here on a dead worker costs the rounds since this save
            self.states, self.head = self._loaded(round.number), engine.submit(stages.same, head)

    def _loaded(self, round: int) -> list[Any]:
        return [self.engine.submit(stages.load_state, self.folder.state(round, part)) for part in self.parts]
