"""Money until a target is first reached: per mechanism and seed, and against the best constant plan in hindsight.

A constant plan spends the same each round, a total over so many of them: `schedule(price, rounds=20)`. The best of a
payment class is the one whose median over seeds is least. The paper's way has the same budget in each of 100 rounds and
does not stop before: of the budgets that reach the target by then, the least. Where a seed never gets there its money
is infinite.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.spelling import spelled
from lefi.studies.judge.statistics import Interval, median

PAPER = 100  # rounds
PLAN = "schedule"
NEVER = 1e200  # USD: stands for infinite money where numbers are put in order


@dataclass(frozen=True, eq=False)
class Way:
    """One mechanism: USD and rounds until the target, one per seed; infinite where it is never reached."""

    mechanism: str
    money: FloatArray
    rounds: FloatArray

    @property
    def inside(self) -> str:
        """What pays within a round: mechanisms are compared with constant plans around the same."""
        written = spelled(self.mechanism)
        return written.inside[0] if written.inside else self.mechanism

    @property
    def planned(self) -> int:
        """Rounds of a constant plan; 0 where it is none."""
        written = spelled(self.mechanism)
        constant = written.name == PLAN and written.settings.get("shape", "constant") == "constant"
        return int(written.settings.get("rounds", PAPER)) if constant else 0

    @property
    def middle(self) -> float:
        return float(np.median(self.money))


def ways(table: pl.DataFrame, target: float) -> list[Way]:
    """Rows of (mechanism, seed, round, paid, accuracy), in the order of the table."""
    rows = table.sort("mechanism", "seed", "round").with_columns(
        money=pl.col("paid").cum_sum().over("mechanism", "seed"), there=pl.col("accuracy") >= target
    )
    seeds = rows["seed"].unique().sort()
    found = []
    for name in table["mechanism"].unique(maintain_order=True):
        first = rows.filter(pl.col("mechanism") == name, pl.col("there")).group_by("seed").first()
        every = pl.DataFrame({"seed": seeds}).join(first, on="seed", how="left").sort("seed")
        money, rounds = (every[c].cast(pl.Float64).fill_null(np.inf).to_numpy() for c in ("money", "round"))
        found.append(Way(name, money, rounds))
    return found


def kept(found: list[Way], **about: Any) -> pl.DataFrame:
    """The ways as a table to keep: a row per mechanism and seed, empty where the target is never reached."""
    columns = {"mechanism": [], "seed": [], "usd": [], "rounds": []}  # type: dict[str, list[Any]]
    for way in found:
        for place, (usd, rounds) in enumerate(zip(way.money.tolist(), way.rounds.tolist(), strict=True)):
            there = np.isfinite(usd)
            row = (way.mechanism, place, usd if there else None, int(rounds) if there else None)
            for column, value in zip(columns.values(), row, strict=True):
                column.append(value)
    return pl.DataFrame(columns).select(*(pl.lit(value).alias(name) for name, value in about.items()), pl.all())


def read(table: pl.DataFrame) -> list[Way]:
    """The ways of such a table."""
    found = []
    for name in table["mechanism"].unique(maintain_order=True):
        own = table.filter(mechanism=name).sort("seed")
        usd, rounds = (own[c].cast(pl.Float64).fill_null(np.inf).to_numpy() for c in ("usd", "rounds"))
        found.append(Way(str(name), usd, rounds))
    return found


def ratio(ours: Way, theirs: Way) -> Interval:
    """Money of the one over that of the other, seed by seed: median and interval. 1 where neither gets there."""
    both = np.isinf(ours.money) & np.isinf(theirs.money)
    with np.errstate(invalid="ignore"):
        return _median(np.where(both, 1.0, ours.money / theirs.money))


def money(way: Way) -> Interval:
    return _median(way.money)


def _median(values: FloatArray) -> Interval:
    """As `median`, which leaves out what is not finite: here infinite is more than any number."""
    finite = np.where(np.isinf(values), NEVER, values)
    return Interval(*(np.where(part >= NEVER / 2, np.inf, part) for part in median(finite)))


def best(found: list[Way], inside: str) -> Way | None:
    """The cheapest constant plan around that mechanism; None where none reaches the target."""
    return min(_plans(found, inside), key=lambda way: way.middle, default=None)


def paper(found: list[Way], inside: str) -> Way | None:
    """The cheapest of the constant plans when each is paid for 100 rounds; None where none reaches the target."""
    whole = [replace(way, money=_whole(way), rounds=np.full(way.rounds.size, PAPER)) for way in _plans(found, inside)]
    return min(whole, key=lambda way: way.middle, default=None)


def _whole(way: Way) -> FloatArray:
    """What 100 rounds cost that go on as those until the target; infinite where it takes more of them, or for ever."""
    there = way.rounds <= PAPER
    return np.where(there, np.where(there, way.money, 1.0) * PAPER / np.where(there, way.rounds, 1.0), np.inf)


def _plans(found: list[Way], inside: str) -> list[Way]:
    """Constant plans that reach the target. An auction pays a price per sample: it is held against those of `price`."""
    around = {way.inside for way in found if way.planned}
    inside = inside if inside in around else "price"
    return [way for way in found if way.planned and way.inside == inside and np.isfinite(way.middle)]


def table_of(found: list[Way]) -> list[dict[str, Any]]:
    """One row per mechanism, as JSON takes it: infinite becomes None."""
    rows = []
    for way in found:
        row: dict[str, Any] = {"mechanism": way.mechanism, "reached": int(np.isfinite(way.money).sum())}
        row |= {"seeds": way.money.size, "rounds": float(np.median(way.rounds)), "usd": money(way)}
        for name, plan in (("best_constant", best(found, way.inside)), ("paper", paper(found, way.inside))):
            row |= {name: plan and plan.mechanism, f"against_{name}": ratio(way, plan) if plan else None}
        rows.append({name: _plain(value) for name, value in row.items()})
    return rows


def _plain(value: Any) -> Any:
    if isinstance(value, Interval):
        return [_plain(float(part)) for part in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value
