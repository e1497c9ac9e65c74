"""Receipts as two tables, and the same receipts back from them.

rounds   one row per round:             round clients answered paid accuracy budget offer
         budget NaN = the terms' own; offer: the class of the offer, see lefi.pays
clients  one row per round and client:  round id iid rate weight limit size payment   (size NaN = no answer)
         offers of another kind than the curve have weight NaN and columns of their own, see `to_columns` of their class
A mechanism is restored by telling it the receipts again: `for receipt in read(folder): m.tell(receipt)`.
"""

import math
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray
from lefi.errors import InputError, LefiError
from lefi.files import refusals, save
from lefi.messages import Receipt, Roster
from lefi.offers.columns import class_of, name_of

ROUNDS: dict[str, type[pl.DataType]] = {
    "round": pl.Int64,
    "clients": pl.Int64,
    "answered": pl.Int64,
    "paid": pl.Float64,
    "accuracy": pl.Float64,
}
LATER: dict[str, type[pl.DataType]] = {"budget": pl.Float64, "offer": pl.String}  # older versions do not have them
CLIENTS = {"round": pl.Int64, "id": pl.Int64} | dict.fromkeys(
    ("iid", "rate", "weight", "limit", "size", "payment"), pl.Float64
)
KEPT = ("round", "id", "iid", "rate", "size", "payment")  # columns of the clients table that are not the offer's
ROWS = 2_000_000  # client rows that are held in memory while they are written


class Tables(NamedTuple):
    """Receipts in memory, as tables."""

    rounds: pl.DataFrame
    clients: pl.DataFrame


def to_tables(receipts: Sequence[Receipt]) -> Tables:
    """The two tables of these receipts, in their order."""
    numbers = [receipt.round for receipt in receipts]
    counts = [len(receipt.roster) for receipt in receipts]
    rounds = {
        "round": numbers,
        "clients": counts,
        "answered": [int(receipt.answered.sum()) for receipt in receipts],
        "paid": [receipt.paid for receipt in receipts],
        "accuracy": [float(receipt.accuracy) for receipt in receipts],
        "budget": [math.nan if receipt.budget is None else receipt.budget for receipt in receipts],
        "offer": [name_of(receipt.offer) for receipt in receipts],
    }
    offers = [receipt.offer.to_columns() for receipt in receipts]
    said = list(dict.fromkeys(name for offer in offers for name in offer))
    columns: dict[str, list[FloatArray] | list[IntArray]] = {
        "id": [receipt.roster.ids for receipt in receipts],
        "iid": [receipt.roster.iid for receipt in receipts],
        "rate": [receipt.roster.rate for receipt in receipts],
        "weight": [np.full(count, np.nan) for count in counts],
        "size": [receipt.sizes for receipt in receipts],
        "payment": [receipt.payments for receipt in receipts],
        **{name: [offer[name] for offer in offers] for name in (said or ["limit"])},
    }
    clients = {"round": np.repeat(np.array(numbers, dtype=np.int64), counts)} | {
        name: np.concatenate(parts) if parts else np.empty(0) for name, parts in columns.items()
    }
    return Tables(pl.DataFrame(rounds, schema=ROUNDS | LATER), _in_order(clients))


def _in_order(clients: Mapping[str, NDArray[Any]]) -> pl.DataFrame:
    """The columns that are always there, then those of its kind of offer."""
    own = [name for name in clients if name not in CLIENTS]
    schema = CLIENTS | dict.fromkeys(own, pl.Float64)
    return pl.DataFrame({name: clients[name] for name in schema}, schema=schema)


def from_tables(tables: Tables) -> Iterator[Receipt]:
    """The receipts behind the tables, in their order."""
    return _receipts(tables.rounds, tables.clients.lazy())


def write(receipts: Iterable[Receipt], folder: Path | str) -> None:
    """Write `rounds.parquet` and `clients.parquet`. Nothing appears under these names before all receipts are in."""
    folder = Path(folder)
    with refusals(folder):
        folder.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".receipts-", dir=folder))
        try:
            rounds, parts = _write_parts(receipts, scratch)
            save(pl.concat([pl.DataFrame(schema=ROUNDS | LATER), *rounds]), scratch / "rounds.parquet")
            _join(parts, scratch / "clients.parquet")
            for name in ("clients.parquet", "rounds.parquet"):
                (scratch / name).replace(folder / name)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def read(folder: Path | str) -> Iterator[Receipt]:
    """The receipts that were written, one round in memory at a time."""
    folder = Path(folder)
    for name, schema in (("rounds", ROUNDS), ("clients", CLIENTS)):
        path = folder / f"{name}.parquet"
        if not path.is_file():
            raise InputError("receipts", str(folder), f"a folder with {path.name}")
        try:
            found = pl.read_parquet_schema(path)
        except (pl.exceptions.PolarsError, OSError) as error:
            raise LefiError(f"cannot read {path}: {str(error).splitlines()[0]}") from None
        missing = [column for column, kind in schema.items() if found.get(column) != kind]
        if missing:
            raise InputError(f"columns of {path}", sorted(found), f"complete: {', '.join(missing)} missing")
    return _receipts(pl.read_parquet(folder / "rounds.parquet"), pl.scan_parquet(folder / "clients.parquet"))


def _write_parts(receipts: Iterable[Receipt], scratch: Path) -> tuple[list[pl.DataFrame], list[Path]]:
    """The rounds, and the clients in files of about ROWS rows, so that long games need little memory."""
    rounds: list[pl.DataFrame] = []
    parts: list[Path] = []
    held: list[Receipt] = []

    def flush() -> None:
        tables = to_tables(held)
        rounds.append(tables.rounds)
        parts.append(scratch / f"part-{len(parts):06d}.parquet")
        save(tables.clients, parts[-1])
        held.clear()

    for receipt in receipts:
        held.append(receipt)
        if sum(len(receipt.roster) for receipt in held) >= ROWS:
            flush()
    if held or not parts:
        flush()
    return rounds, parts


def _join(parts: list[Path], path: Path) -> None:
    if len(parts) == 1:
        parts[0].rename(path)
    else:
        pl.scan_parquet(parts).sink_parquet(path, compression="zstd", compression_level=3, maintain_order=True)


def _receipts(rounds: pl.DataFrame, clients: pl.LazyFrame) -> Iterator[Receipt]:
    ends = np.cumsum([0, *rounds["clients"].to_list()])
    roster: Roster | None = None
    for row, (start, end) in zip(rounds.iter_rows(named=True), pairwise(ends), strict=True):
        table = clients.slice(int(start), int(end - start)).collect()
        if table.height != end - start or not (table["round"] == row["round"]).all():
            raise LefiError(f"receipts are damaged: the clients of round {row['round']} are not all there")
        column = {name: table[name].to_numpy() for name in table.columns}
        if roster is None or not _same(roster, column):
            roster = Roster(column["id"], column["iid"], column["rate"])
        yield Receipt(
            round=row["round"],
            roster=roster,
            offer=class_of(row.get("offer"), column).from_columns(
                {name: column[name] for name in column if name not in KEPT}, column["rate"]
            ),
            sizes=column["size"],
            payments=column["payment"],
            accuracy=row["accuracy"],
            budget=_stated(row.get("budget")),
        )


def _stated(budget: float | None) -> float | None:
    return None if budget is None or math.isnan(budget) else budget


def _same(roster: Roster, column: dict[str, FloatArray]) -> bool:
    """Whether the roster has not changed: rounds then share one, as they did when they were played."""
    named = {"id": roster.ids, "iid": roster.iid, "rate": roster.rate}
    return all(np.array_equal(values, column[name]) for name, values in named.items())
