"""`lefi train --total 20 --target 0.55`: who reaches the target for the least money."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lefi.errors import InputError

if TYPE_CHECKING:
    import polars as pl

INSIDE = ("waterfill", "price")  # the paper's curve and a price per sample, each at its best
ROUNDS = (10, 20, 40, 100)  # of the constant plans


@dataclass(frozen=True)
class Goal:
    """A total, a target, or neither."""

    total: float | None
    target: float | None

    def __post_init__(self) -> None:
        if self.target is not None and self.total is None:
            raise InputError("total", None, "USD for a whole job, where there is a target")
        if self.total == 0:
            raise InputError("total", 0, "above 0")

    @property
    def mechanisms(self) -> str | None:
        """Those that are compared unless others are named; None without a target."""
        if self.target is None:
            return None
        each = [
            (f"pace({inside})", *(f"schedule({inside}, rounds={rounds})" for rounds in ROUNDS)) for inside in INSIDE
        ]
        return ",".join([*each[0], *each[1], "bara_published"])

    def note(self) -> dict[str, float]:
        """What a manifest says of it."""
        return {name: value for name, value in vars(self).items() if value is not None}


def report(table: "pl.DataFrame", target: float, orders: dict[str, Any], place: Path, as_json: bool) -> None:
    """Write the rounds, the manifest and the figure; print money to the target."""
    from lefi.cli import show
    from lefi.files import refusals
    from lefi.profiling.measure import write_json, write_table
    from lefi.studies.figures import to_target
    from lefi.studies.figures.style import save, styled
    from lefi.studies.judge.to_target import table_of, ways

    found = ways(table, target)
    rows = table_of(found)
    write_table(table, place / "loop.parquet")
    write_json(orders, place / "manifest.json")
    write_json({"target": target, "mechanisms": rows}, place / "to_target.json")
    with styled(), refusals(place):
        save(to_target.draw([to_target.Panel(place.name, target, found)]), place, "to_target")
    if as_json:
        show.print_json({"target": target, "mechanisms": rows, "rounds": str(place / "loop.parquet")})
        return
    title = f"USD until test accuracy is {target:g}, median over seeds"
    shown = show.table(["mechanism"], ["USD", "interval", "seeds", "x best", "x paper"], title)
    for row in rows:
        shown.add_row(row["mechanism"], *_cells(row))
    console = show.console()
    show.print_table(shown)
    console.print("seeds: that reach it; x best: times the money of the cheapest schedule;")
    console.print("x paper: times that of the cheapest budget that is paid in each of 100 rounds")
    console.print(f"rounds   {place / 'loop.parquet'}\nfigure   {place / 'to_target.png'}", soft_wrap=True)


def _cells(row: dict[str, Any]) -> list[str]:
    """Numbers of a row; "never" where a seed in the middle does not get there."""
    usd, low, high = ("never" if part is None else f"{part:.2g}" for part in row["usd"])
    ratios = [row[f"against_{name}"] for name in ("best_constant", "paper")]
    against = ["-" if ratio is None or ratio[0] is None else f"{ratio[0]:.2f}" for ratio in ratios]
    return [usd, f"{low}..{high}", f"{row['reached']}/{row['seeds']}", *against]
