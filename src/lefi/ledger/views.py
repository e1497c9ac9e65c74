"""The ledger as tables: all entries, and totals per client and per round."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import polars as pl

from lefi.errors import InputError, LefiError
from lefi.files import refusals, save
from lefi.ledger.entries import Row
from lefi.ledger.schema import CLOCK, FLOATS, entries
from lefi.ledger.terms import Purse, read

ROUNDING = 1e-12  # relative: payments are summed here in another order than when they were made

SCHEMA = {
    column.name: pl.Float64 if column.name in FLOATS else pl.Int64 if column.name in ("seq", "round") else pl.String
    for column in entries.columns
}


def frame(rows: Iterable[Row], clock: bool = True) -> pl.DataFrame:
    """All entries; without the clock, runs that did the same give the same table."""
    try:
        table = pl.DataFrame(list(rows), schema=SCHEMA, orient="row")
    except (TypeError, OverflowError, pl.exceptions.PolarsError) as error:
        raise LefiError(f"the rows are not as they were written: {str(error).splitlines()[0]}") from None
    return table if clock else table.drop(CLOCK)


def by_round(table: pl.DataFrame) -> pl.DataFrame:
    """One row per settled round: offers, answers, paid, the budget in force, accuracy."""
    kind = pl.col("kind")
    rounds = (
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
    budgets = pl.Series("budget", list(_budgets(table, rounds)), dtype=pl.Float64)
    return rounds.insert_column(rounds.columns.index("paid") + 1, budgets)


def _budgets(table: pl.DataFrame, rounds: pl.DataFrame) -> Iterator[float | None]:
    """The budget in force in each round, from the terms and what was paid before."""
    texts = table.filter(pl.col("kind") == "job")["terms"]
    purse = Purse.of(read(texts[0])) if texts.len() else None
    for paid in rounds["paid"]:
        yield purse.next() if purse else None
        if purse:
            purse.pay(paid)


def overspent(table: pl.DataFrame) -> list[str]:
    """One line for each round, and for the job, that paid more than it had."""
    rounds = by_round(table).filter(pl.col("paid") > pl.col("budget") * (1 + ROUNDING))
    lines = [f"round {row['round']} paid {row['paid']:.6g} of {row['budget']:.6g} USD" for row in rounds.to_dicts()]
    texts = table.filter(pl.col("kind") == "job")["terms"]
    total = read(texts[0]).get("total") if texts.len() else None
    paid = table.filter(pl.col("kind") == "payment")["payment"].sum()
    if total is not None and paid > total * (1 + ROUNDING):
        lines.append(f"the job paid {paid:.6g} of {total:.6g} USD in all")
    return lines


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
        with refusals(path):
            writers[path.suffix](table, scratch)
            scratch.replace(path)
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)


def _save_csv(table: pl.DataFrame, path: Path) -> None:
    table.write_csv(path)
