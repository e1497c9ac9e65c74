"""The model after each round, so that a restarted server goes on with it."""

import os
from pathlib import Path

import numpy as np
from flwr.app import Array, ArrayRecord

from lefi.errors import LefiError

KEPT = 2  # the round being settled, and the last settled one


class Checkpoints:
    """One `round-N.npz` per round in a folder, the newest two.

    >>> from tempfile import mkdtemp
    >>> from flwr.app import Array, ArrayRecord
    >>> from lefi.flower import Checkpoints
    >>> checkpoints = Checkpoints(mkdtemp())
    >>> checkpoints.save(1, ArrayRecord({"w": Array(np.array([1.0, 2.0]))}))
    >>> checkpoints.load(1)["w"].numpy()
    array([1., 2.])
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def save(self, round: int, arrays: ArrayRecord) -> None:
        """Written before the round is settled, so the model of every settled round is on the disk."""
        scratch = self.folder / ".writing"
        with scratch.open("wb") as file:
            np.savez(file, allow_pickle=False, **{name: array.numpy() for name, array in arrays.items()})
            file.flush()
            os.fsync(file.fileno())
        scratch.replace(self._path(round))
        self._sync_folder()
        for old in range(round - KEPT, 0, -1):
            if not self._path(old).exists():
                break
            self._path(old).unlink()

    def load(self, round: int) -> ArrayRecord:
        path = self._path(round)
        if not path.exists():
            raise LefiError(f"the ledger is at round {round}, but {path} is missing: restore it or begin another job")
        with np.load(path, allow_pickle=False) as file:
            return ArrayRecord({name: Array(file[name]) for name in file.files})

    def _path(self, round: int) -> Path:
        return self.folder / f"round-{round}.npz"

    def _sync_folder(self) -> None:
        handle = os.open(self.folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
