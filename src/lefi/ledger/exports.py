"""Tables of a ledger as files: Parquet or CSV, some rows in memory at a time, for their owner alone."""

import shutil
import tempfile
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import polars as pl

from lefi.errors import InputError
from lefi.files import refusals, save
from lefi.ledger.private import touch_private

FORMULA = r"^[=+\-@\t\r]"  # what spreadsheets take for a formula at the start of a cell


def export(tables: pl.DataFrame | Iterable[pl.DataFrame], path: Path) -> int:
    """Write Parquet or CSV, by the suffix, and count the rows; the file appears when it is complete."""
    check(path)
    writers: dict[str, Callable[[Iterable[pl.DataFrame], Path], int]] = {".parquet": _parquet, ".csv": _csv}
    scratch = path.with_name(f".{path.name}.writing")
    try:
        with refusals(path):
            touch_private(scratch)
            count = writers[path.suffix]([tables] if isinstance(tables, pl.DataFrame) else tables, scratch)
            scratch.replace(path)
    finally:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
    return count


def check(path: Path) -> None:
    """Refuse what cannot be written before anything else is done."""
    if path.suffix not in (".parquet", ".csv"):
        raise InputError("output", str(path), "a .parquet or .csv file")


def _csv(tables: Iterable[pl.DataFrame], path: Path) -> int:
    count = 0
    with path.open("wb") as file:
        for at, table in enumerate(tables):
            harmless(table).write_csv(file, include_header=at == 0)
            count += table.height
    return count


def harmless(table: pl.DataFrame) -> pl.DataFrame:
    """Texts that a spreadsheet would run as a formula get an apostrophe in front. Numbers stay numbers."""
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    return table.with_columns(
        pl.when(pl.col(name).str.contains(FORMULA)).then("'" + pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in texts
    )


def _parquet(tables: Iterable[pl.DataFrame], path: Path) -> int:
    """Part by part into a folder of our own, then joined without holding all of it."""
    folder, parts, count = Path(tempfile.mkdtemp(prefix=".export-", dir=path.parent)), list[Path](), 0
    try:
        for table in tables:
            parts.append(folder / f"{len(parts):06d}.parquet")
            save(table, parts[-1])
            count += table.height
        if len(parts) == 1:
            path.write_bytes(parts[0].read_bytes())
        else:
            pl.scan_parquet(parts).sink_parquet(path, compression="zstd", compression_level=3, maintain_order=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return count
