"""What one client gains that looks ahead, or lies about itself, and what the server loses by it.

The money is such that it is short: 0.06 USD for 10 clients, or 5 USD where the paper's curve pays.
"""

from collections.abc import Callable
from pathlib import Path

import polars as pl

from lefi.game.tasks import Task, measure
from lefi.mechanisms.catalogue import mechanism_of
from lefi.world.scenarios import scenario

SHORT = ("price", "auction", "posted", "contract", "pool", "flat")  # 0.06 USD, scenario paper
CURVE = ("waterfill", "lefi", "uniform")  # 5 USD, scenario mixed
KINDS = ("reply", "group", "sybils", "reentry", "iid")
PLAYERS = 2  # clients of a fleet, one at a time, or as one group
FLEETS = 1
ROUNDS = 40


def tasks() -> list[Task]:
    """Lies cost one game each and come first, replies cost 42."""
    markets = [(name, "paper", 0.06) for name in SHORT] + [(name, "mixed", 5.0) for name in CURVE]
    found = [
        Task(kind, name, world, 10, money, ROUNDS, seed, PLAYERS, search=False)
        for kind in KINDS
        for name, world, money in markets
        for seed in range(FLEETS)
    ]
    return sorted(found, key=lambda task: task.kind in ("reply", "group"))


def sweep(folder: Path, progress: Callable[[int, int], None] | None = None) -> pl.DataFrame:
    """The table of all games. Each task is kept in a file of its own: what is there is not played again."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = tasks()
    for place, task in enumerate(wanted, 1):
        if not _file(folder, task).is_file():
            market = scenario(task.scenario, clients=task.clients, budget=task.budget, seed=task.seed)
            market = market.taking(mechanism_of(task.mechanism).payment)
            hidden = folder / ".new.csv"
            pl.DataFrame(list(measure(task, market))).write_csv(hidden)
            hidden.replace(_file(folder, task))
        if progress is not None:
            progress(place, len(wanted))
    text = {"who": pl.String}
    return pl.concat([pl.read_csv(_file(folder, task), schema_overrides=text) for task in wanted])


def _file(folder: Path, task: Task) -> Path:
    return folder / f"{task.kind}-{task.mechanism}-{task.seed}.csv"
