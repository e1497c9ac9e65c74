"""A million rows: exported in bounded memory and summed exactly. Run: python -m tests.ledger.many --rows 1000000

Rows are put in past the ledger, without signatures: what is measured is reading and writing tables.
"""

import argparse
import resource
import sqlite3
import tempfile
import time
from pathlib import Path

import polars as pl

from lefi.ledger import Ledger
from lefi.ledger.exports import export
from lefi.ledger.schema import COLUMNS
from lefi.ledger.statements import statement, total
from lefi.ledger.views import frames

CLIENTS = 1000
UNITS = 100_000_001  # of each payment: floats would lose the last digit of the sum


def fill(path: Path, rows: int) -> None:
    """A job with so many payments."""
    with Ledger(path) as ledger:
        ledger.begin({"budget": 1e6})
    empty = dict.fromkeys(COLUMNS) | {"job": "job", "version": 2, "at": "2026-11-16", "leaf": "0" * 64}

    def payment(number: int) -> tuple[object, ...]:
        round, client = divmod(number, CLIENTS)
        row = empty | {"seq": number + 2, "round": round + 1, "kind": "payment", "payment": UNITS}
        return tuple((row | {"client": f"{client:040x}"}).values())

    with sqlite3.connect(path) as database:
        holes = ", ".join("?" for _ in COLUMNS)
        database.executemany(f"INSERT INTO log VALUES ({holes})", map(payment, range(rows)))
    database.close()


def memory() -> float:
    """The most that this process has held so far [MB]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(folder: Path, rows: int) -> float:
    """Export both ways; the memory that it took on top [MB]."""
    fill(folder / "ledger.db", rows)
    before = memory()
    with Ledger(folder / "ledger.db", reading=True) as ledger:
        for name in ("rows.csv", "rows.parquet"):
            began = time.perf_counter()
            assert export(frames(ledger.rows()), folder / name) == rows + 1
            print(f"{name}: {time.perf_counter() - began:.1f} s, {memory() - before:.0f} MB on top of {before:.0f} MB")
    took = memory() - before
    sums = pl.scan_parquet(folder / "rows.parquet").select(pl.col("payment").sum()).collect().item()
    assert sums == rows * UNITS
    with Ledger(folder / "ledger.db", reading=True) as ledger:
        mine = statement(ledger.rows(), ledger.money, f"{7:040x}")
    assert total(mine) == mine.height * UNITS
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        took = measure(Path(folder), chosen.rows)
    assert took < 600, f"{took:.0f} MB for {chosen.rows} rows"


if __name__ == "__main__":
    main()
