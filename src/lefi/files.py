"""Files that are written whole or not at all, and the one line that says why not."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from lefi.errors import LefiError


def save(table: pl.DataFrame, path: Path) -> None:
    """Write Parquet whose bytes depend on the table alone."""
    table.write_parquet(path, compression="zstd", compression_level=3, statistics=True)


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Turn what the disk refuses into one clear line."""
    try:
        yield
    except OSError as error:
        reason = os.strerror(errno.ENOSPC) if "os error 28" in str(error) else error.strerror or str(error)
        raise LefiError(f"cannot write to {path}: {reason}") from error
    except pl.exceptions.PolarsError as error:
        raise LefiError(f"cannot write to {path}: {str(error).splitlines()[0]}") from error
