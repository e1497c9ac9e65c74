"""What mechanisms give the server when clients think ahead, each at its own equilibrium, at equal money.

price is played by all clients at the policy at which iterated best replies settle. Under the others honest answers are
the best reply (lefi.game proves it by tests), so clients are honest. Fleets are the same for all mechanisms.
share  mean over rounds of what the server gains over unpaid clients, as a part of what first_best gains
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lefi.game import Equilibrium, Holdout, Policy, Side, equilibrium, match
from lefi.game.family import Demand
from lefi.mechanisms.catalogue import mechanism_of
from lefi.optimum import first_best
from lefi.spelling import spelled
from lefi.studies.judge.statistics import Interval, difference
from lefi.world.market import Market
from lefi.world.scenarios import scenario

SCENARIOS = ("paper", "mixed")
CLIENTS = (10, 100)
BUDGETS = (0.03, 0.06, 0.1)  # USD per round and 10 clients
PLAYED = ("price",)  # where clients gain by playing
HONEST = ("auction", "posted", "posted(learn=false)", "flat")
TRIES = (
    *map(Holdout, (1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.5, 5.0, 8.0)),
    Demand(0.25),
    Demand(1.0),
)  # price settles there
FIRST = 900  # seed of the first fleet that replies are sought on; judged are fleets from seed 0
ROUNDS = 40
FLEETS = {10: 12, 100: 6}  # that a cell is judged by: six are the least for an interval of 95%
SOUGHT = {10: 2, 100: 1}  # fleets that replies are sought on, two clients of each


@dataclass(frozen=True)
class Cell:
    """One mechanism in one market; `budget` is per 10 clients."""

    mechanism: str
    scenario: str
    clients: int
    budget: float

    @property
    def name(self) -> str:
        return f"{self.mechanism}-{self.scenario}-{self.clients}-{self.budget:g}"

    def market(self, seed: int) -> Market:
        payment = mechanism_of(spelled(self.mechanism).spec).payment
        money = self.budget * self.clients / 10
        return scenario(self.scenario, clients=self.clients, budget=money, seed=seed, payment=payment)


def cells() -> list[Cell]:
    """All of them, the cheap ones first."""
    found = product(HONEST + PLAYED, SCENARIOS, CLIENTS, BUDGETS)
    return sorted((Cell(*one) for one in found), key=lambda cell: (cell.mechanism in PLAYED, cell.clients))


def sweep(folder: Path, progress: Callable[[int, int], None] | None = None) -> pl.DataFrame:
    """The table of all cells. Each is kept in a file of its own in the folder: what is there is not played again."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = cells()
    for place, cell in enumerate(wanted, 1):
        path = folder / f"{cell.name}.csv"
        if not path.is_file():
            hidden = path.with_name(f".{path.name}")
            pl.DataFrame(list(rows(cell))).write_csv(hidden)
            hidden.replace(path)
        if progress is not None:
            progress(place, len(wanted))
    return pl.concat([pl.read_csv(folder / f"{cell.name}.csv") for cell in wanted])


def rows(cell: Cell, rounds: int = ROUNDS) -> Iterator[dict[str, Any]]:
    """One row per fleet."""
    found = settled(cell, rounds)
    for seed in range(FLEETS[cell.clients]):
        market = cell.market(seed)
        played = match(cell.mechanism, market, rounds, seed, [Side(found.policy)])
        yield {
            "mechanism": cell.mechanism,
            "scenario": cell.scenario,
            "clients": cell.clients,
            "budget": cell.budget,
            "seed": seed,
            "policy": str(found.policy),
            "reply_adds": float(found.adds),
            "share": played.gain / gain_of_first_best(market),
            "kept": float(played.kept.mean()),
            "paid": played.paid,
        }


def settled(cell: Cell, rounds: int) -> Equilibrium:
    """Where the clients of a cell settle: honest answers where nothing else pays."""
    if cell.mechanism not in PLAYED:
        return Equilibrium(Policy(), 0.0, True, ())
    markets = [cell.market(FIRST + place) for place in range(SOUGHT[cell.clients])]
    start = Holdout(1.5)
    return equilibrium(cell.mechanism, markets, rounds, players=2, start=start, tries=TRIES, search=False)


def gain_of_first_best(market: Market) -> float:
    low = np.full(len(market.fleet.roster), market.terms.size_low)
    return first_best(market).accuracy - market.accuracy_of(low)


def lead(table: pl.DataFrame, ours: str, theirs: str) -> Interval:
    """Paired difference of shares, fleet by fleet: `ours` over `theirs`."""
    keys = ["scenario", "clients", "budget", "seed"]
    both = table.filter(mechanism=ours).join(table.filter(mechanism=theirs), on=keys, suffix="_theirs")
    return difference(both["share"].to_numpy(), both["share_theirs"].to_numpy())
