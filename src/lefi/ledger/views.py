"""The ledger as tables: all entries, and totals per client and per round."""

from collections.abc import Callable, Iterable
from pathlib import Path

import polars as pl

from lefi.errors import InputError, LefiError
from lefi.files import save
from lefi.ledger.entries import Row
from lefi.ledger.schema import CLOCK, FLOATS, entries

SCHEMA = {
    column.name: pl.Float64 if column.name in FLOATS else pl.Int64 if column.name in ("seq", "round") else pl.String
    for column in entries.columns
}


def frame(rows: Iterable[Row], clock: bool = True) -> pl.DataFrame:
    """All entries; without the clock, runs that did the same give the same table."""
    table = pl.DataFrame(list(rows), schema=SCHEMA, orient="row")
    return table if clock else table.drop(CLOCK)


def by_round(table: pl.DataFrame) -> pl.DataFrame:
    """One row per settled round: offers, answers, paid, accuracy."""
    kind = pl.col("kind")
    return (
        table.filter(pl.col("round") > 0)
        .group_by("round", maintain_order=True)
        .agg(
            offers=(kind == "offer").sum(),
            answers=((kind == "answer") & pl.col("size").is_not_null()).sum(),
            paid=pl.col("payment").filter(kind == "payment").sum(),
            accuracy=pl.col("accuracy").filter(kind == "round").first(),
            settled=(kind == "round").any(),
        )
    )


def by_client(table: pl.DataFrame) -> pl.DataFrame:
    """One row per client: offers, answers that counted, refused ones, samples paid for, USD."""
    kind, size = pl.col("kind"), pl.col("size")
    refused = (kind == "answer") & size.is_null() & (pl.col("verdict") != "no answer")
    return (
        table.filter(pl.col("client") != "")
        .group_by("client")
        .agg(
            offers=(kind == "offer").sum(),
            answers=((kind == "answer") & size.is_not_null()).sum(),
            refused=refused.sum(),
            size=size.filter(kind == "answer").sum(),
            paid=pl.col("payment").filter(kind == "payment").sum(),
        )
        .sort("client")
    )


def export(table: pl.DataFrame, path: Path) -> None:
    """Write Parquet or CSV, by the suffix; the file appears when it is complete."""
    writers: dict[str, Callable[[pl.DataFrame, Path], None]] = {".parquet": save, ".csv": _save_csv}
    if path.suffix not in writers:
        raise InputError("output", str(path), "a .parquet or .csv file")
    scratch = path.with_name(f".{path.name}.writing")
    try:
        writers[path.suffix](table, scratch)
        scratch.replace(path)
    except OSError as error:
        raise LefiError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        scratch.unlink(missing_ok=True)


def _save_csv(table: pl.DataFrame, path: Path) -> None:
    table.write_csv(path)
