"""What is played on a cluster: all that a worker must know of the run, and what makes two runs the same."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from lefi.arrays import IntArray, whole
from lefi.cells import CELLS, ids_of
from lefi.compiler import digest
from lefi.errors import InputError
from lefi.mechanisms import Mechanism, make
from lefi.mechanisms.catalogue import mechanism_of
from lefi.mechanisms.division import Division, Round, division_of
from lefi.world.market import Market
from lefi.world.scenarios import scenario_part

MOST = 1_000_000_000_000  # clients: ids are 64-bit numbers, and beyond that nothing was ever tried
LARGE = 500_000  # clients of a partition, about: some 200 MB, an eighth of what a small worker has
FEW = 8  # partitions of a small fleet: enough to keep a few workers busy


@dataclass(frozen=True)
class Spec:
    """One mechanism in one market. Budget in USD per round, deadline in seconds.

    >>> from lefi.cluster import Spec
    >>> spec = Spec("uniform", scenario="mixed", clients=10, budget=5.0, deadline=60.0, seed=0, partitions=2)
    >>> [len(spec.part(partition).fleet.roster) for partition in range(2)]
    [5, 5]
    """

    mechanism: str
    scenario: str
    clients: int
    budget: float
    deadline: float
    seed: int
    partitions: int
    settings: dict[str, Any] = field(default_factory=dict)
    mechanism_settings: dict[str, Any] = field(default_factory=dict)
    code: str = field(default_factory=lambda: code())

    def __post_init__(self) -> None:
        """Refuses what cannot be played before anything is started."""
        whole("clients", self.clients, low=1, high=MOST)
        whole("partitions", self.partitions, low=1, high=CELLS)
        whole("seed", self.seed, low=0)
        if self.partitions > self.clients:
            raise InputError("partitions", self.partitions, f"at most one per client, {self.clients}")
        refused = self.division.refusal(self.made())
        if refused is not None:
            raise InputError("mechanism", self.mechanism, f"one that can be divided: {refused}")

    @property
    def division(self) -> Division:
        return division_of(self.mechanism)

    def made(self) -> Mechanism:
        """A mechanism that knows nobody yet."""
        terms = self.market(ids_of(0, CELLS, 1)).terms
        return make(self.mechanism, terms, seed=self.seed, **self.mechanism_settings)

    def market(self, ids: IntArray) -> Market:
        """The clients with these ids."""
        given = {name: getattr(self, name) for name in ("clients", "budget", "deadline", "seed")}
        payment = mechanism_of(self.mechanism).payment
        return scenario_part(self.scenario, ids, payment=payment, **given, **self.settings)

    def round(self, number: int) -> Round:
        return Round(number, self.budget, self.clients)

    def part(self, partition: int) -> Market:
        """The clients of a partition."""
        return self.market(ids_of(partition, self.partitions, self.clients))

    def told(self) -> dict[str, Any]:
        """What a run must have in common with another one to go on where that stopped."""
        return asdict(self)


def usual_partitions(clients: int) -> int:
    """How many partitions a fleet gets, whatever the number of workers: then a run can go on with more of them.

    >>> from lefi.cluster import usual_partitions
    >>> usual_partitions(10**7)
    20
    """
    return min(max(FEW, -(-clients // LARGE)), clients, CELLS)


def code() -> str:
    """A digest of the sources behind a run: workers with other ones would make other offers."""
    return digest(Path(__file__))
