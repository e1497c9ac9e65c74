"""The heavy studies: run by `lefi paper --heavy`, told in small tables, which also ship with lefi.

A table of `<results>/heavy/` stands for what this machine measured, one of `lefi/studies/shipped/` for what we did.
"""

from pathlib import Path

import polars as pl

from lefi.files import refusals
from lefi.studies.judge import best_replies, gaming, readings
from lefi.studies.plan.paper import EVERYBODY, HEAVY, paper_folder
from lefi.studies.plan.study import Study
from lefi.studies.run.everybody import everybody
from lefi.studies.run.load import load, swept_columns
from lefi.studies.run.runner import Progress, run_studies

SHIPPED = Path(__file__).parents[1] / "shipped"
EARLY = 20  # the round that is told beside the last
DIGITS = 6  # significant, of numbers in the tables
OVER = 1e-9  # overspend below this is rounding


def heavy_table(name: str, results: Path | None = None) -> pl.DataFrame:
    """A table of that name: the one measured here, or the one that ships."""
    own = None if results is None else Path(results) / "heavy" / f"{name}.csv"
    return pl.read_csv(own if own is not None and own.is_file() else SHIPPED / f"{name}.csv")


def run_heavy(out: Path, *, jobs: int = 1, progress: Progress | None = None) -> list[Path]:
    """Run what is missing of the heavy studies under `out`, and write their tables."""
    studies = [Study.read(paper_folder() / f"{name}.toml") for name in (*HEAVY, EVERYBODY)]
    run_studies(studies, out, jobs=jobs, progress=progress)
    found = readings.sweep()
    tables = {name: told(out, name) for name in HEAVY}
    tables |= {EVERYBODY: everybody(out), "readings": found, "readings_money": readings.against_money(found)}
    with refusals(out):
        games = out / "heavy" / "games"  # one file for each, so that none is played again
        tables |= {"gaming": gaming.sweep(games / "gaming"), "replies": best_replies.sweep(games / "replies")}
    return [_write(out / "heavy" / f"{name}.csv", table) for name, table in tables.items()]


def told(results: Path, study: str) -> pl.DataFrame:
    """A finished study in one row per run and told round: where it stands, and how it kept the budget until then."""
    rounds, _ = load(study, results)
    settings = Study.read(paper_folder() / f"{study}.toml").model_dump()
    point = list(dict.fromkeys(["clients", "budget", *swept_columns(settings)]))
    keys = ["mechanism", *point, "seed"]
    over = rounds.sort("round").with_columns(
        worst=pl.col("overspend").cum_max().over(keys),
        rounds_over=(pl.col("overspend") > OVER).cast(pl.Float64).cum_sum().over(keys) / pl.col("round"),
    )
    kept = over.filter(pl.col("round").is_in([EARLY, rounds["round"].max()]))
    values = ["judged", "oracle", "arbitrary", "first_best", "share", "worst", "rounds_over"]
    return kept.select(*keys, "round", *(pl.col(name).cast(pl.Float64) for name in values)).sort(*point, *keys, "round")


def _write(path: Path, table: pl.DataFrame) -> Path:
    rounded = [pl.col(name).round_sig_figs(DIGITS) for name, kind in table.schema.items() if kind == pl.Float64]
    with refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}")
        table.with_columns(rounded).write_csv(hidden)
        return hidden.replace(path)
