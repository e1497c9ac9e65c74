"""Finished studies as two tables each."""

from pathlib import Path
from typing import Any

import polars as pl

from lefi.errors import LefiError
from lefi.studies.plan.one_run import RENAMED
from lefi.studies.run.store import read_manifest


def load(study: str, results: Path | str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rounds and the clients of every run of a finished study, sorted. No clients were kept: an empty table."""
    folder = Path(results) / study
    told = read_manifest(folder)
    places = [folder / key for key in told["runs"]]
    rounds = _concatenated([place / "rounds.parquet" for place in places])
    clients = _concatenated([path for place in places if (path := place / "clients.parquet").is_file()])
    swept = [name for name in swept_columns(told["study"]) if name in rounds.columns]
    point = ["scenario", "clients", "budget", "deadline", *swept]
    order = list(dict.fromkeys([*point, "mechanism", "seed", "round"]))
    return rounds.sort(order), clients.sort("mechanism", "seed", "round", "id") if clients.width else clients


def swept_columns(study: dict[str, Any]) -> list[str]:
    """The columns that hold the swept settings of a study, as its manifest says them."""
    sweep = study.get("sweep") or []
    return [RENAMED.get(one["setting"], one["setting"]) for one in (sweep if isinstance(sweep, list) else [sweep])]


def about(study: str, results: Path | str) -> dict[str, Any]:
    """The settings of a finished study, as its TOML said them, and the versions it ran under."""
    told = read_manifest(Path(results) / study)
    return {"study": told["study"], "versions": told["versions"]}


def _concatenated(paths: list[Path]) -> pl.DataFrame:
    if not paths:
        return pl.DataFrame()
    try:
        try:
            return pl.read_parquet(paths)  # in one go: a third of the time
        except pl.exceptions.PolarsError:  # runs of one study may have columns of their own
            return pl.concat([pl.read_parquet(path) for path in paths], how="diagonal")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise LefiError(f"cannot read the results in {paths[0].parents[1]}: {str(error).splitlines()[0]}") from None
