"""Files about money are made so that only their owner can read them."""

import os
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


def write_private(path: Path, data: bytes) -> None:
    """A new file for its owner alone, on the disk when this returns."""
    with refusals(path):
        handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, MODE)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
