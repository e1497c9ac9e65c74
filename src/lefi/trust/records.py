"""What a job heard, round by round, on the disk: a restart goes on with it, and an honest job is a reference."""

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError, LefiError
from lefi.trust.reference import Record
from lefi.trust.scores import Features

CHANGES = 10  # rounds whose changes are kept: more than PAST, for in some the model may stay as it is


class Kept(NamedTuple):
    """One round: who was weighed and what was seen of them (nobody where nothing was), who was accused, the change."""

    ids: list[int]
    features: Features
    accused: list[int]
    change: FloatArray | None


class Records:
    """One `trust-N.npz` per round in a folder; changes of the model only of the last rounds, for they are large.

    >>> from tempfile import mkdtemp
    >>> from lefi.trust import Records
    >>> from lefi.trust.records import Kept
    >>> records = Records(mkdtemp())
    >>> records.save(1, Kept([0, 1], {"claim": np.zeros(2)}, accused=[], change=np.zeros(3)))
    >>> records.weights(), records.record().ids
    (3, [array([0, 1])])
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)

    def save(self, round: int, kept: Kept) -> None:
        """On the disk before the round is settled."""
        names = np.array(list(kept.features), dtype=str)
        values = np.array(list(kept.features.values()), dtype=np.float64).reshape(len(names), len(kept.ids))
        change = np.zeros(0) if kept.change is None else kept.change
        arrays = {"ids": np.array(kept.ids, np.int64), "names": names, "values": values}
        scratch = self.folder / ".trust"
        for path, found in (
            (self._path(round), arrays | {"accused": np.array(kept.accused, np.int64)}),
            (self._change(round), {"change": change}),
        ):
            with scratch.open("wb") as file:
                np.savez(file, allow_pickle=False, **found)
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(path)
        self._change(round - CHANGES).unlink(missing_ok=True)

    def load(self, rounds: int) -> list[Kept]:
        """The first rounds, in order."""
        return [self._load(round) for round in range(1, rounds + 1)]

    def record(self) -> Record:
        """The job as one of a reference: only if all its clients are known to be honest."""
        paths = sorted(self.folder.glob("trust-*.npz"), key=lambda path: int(path.stem.split("-")[1]))
        heard = [kept for kept in (self._load(int(path.stem.split("-")[1])) for path in paths) if kept.ids]
        if not heard:
            raise InputError("folder", str(self.folder), "one that a job with trust has kept its rounds in")
        return Record([np.array(kept.ids) for kept in heard], [kept.features for kept in heard])

    def weights(self) -> int:
        """The size of the model, from the last change that is there."""
        paths = sorted(self.folder.glob("change-*.npz"), key=lambda path: int(path.stem.split("-")[1]))
        return max((len(_read(path)["change"]) for path in paths), default=0)

    def _load(self, round: int) -> Kept:
        found = _read(self._path(round))
        features = dict(zip(found["names"].tolist(), found["values"], strict=True))
        later = self._change(round)
        change = _read(later)["change"] if later.exists() else np.zeros(0)
        return Kept(found["ids"].tolist(), features, found["accused"].tolist(), change if len(change) else None)

    def _path(self, round: int) -> Path:
        return self.folder / f"trust-{round}.npz"

    def _change(self, round: int) -> Path:
        return self.folder / f"change-{round}.npz"


def _read(path: Path) -> dict[str, Any]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError) as error:
        raise LefiError(f"what the job heard is not in {path} ({type(error).__name__}): restore it") from None
