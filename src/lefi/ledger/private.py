"""Files about money are made so that only their owner can read them."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from lefi.files import refusals

MODE = 0o600


def touch_private(path: Path) -> None:
    """An empty file for its owner alone, unless something is there."""
    with refusals(path):
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE))
        except FileExistsError:
            return


def write_private(path: Path, data: bytes, sync: bool = True, first: bool = False) -> None:
    """A file for its owner alone, which appears when it is complete and, with `sync`, on the disk.

    `first`: a file that is there stays as it is, whoever else writes one at this moment.
    """
    with refusals(path):
        handle, scratch = tempfile.mkstemp(prefix=".", dir=path.parent)  # 0600
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                if sync:
                    os.fsync(file.fileno())
            if not first:
                Path(scratch).replace(path)
            else:
                with suppress(FileExistsError):
                    path.hardlink_to(scratch)
        finally:
            Path(scratch).unlink(missing_ok=True)
