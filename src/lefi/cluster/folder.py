"""The folder of a run on a cluster: who plays what, the rounds that were settled, receipts and states by partition.

run.json                            what is played; a run with other settings is refused
rounds.parquet                      one row per settled round
roster/part-0003.parquet            id iid rate of the clients of partition 3
receipts/round-000012/part-0003.parquet   what they were offered, delivered and were paid: round id .. size payment
state/round-000010/part-0003.pickle       what partition 3 knows after round 10; head.pickle, written last, ends it
Workers write these files, so all of them must reach the folder under the same name.
"""

import json
import pickle
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from lefi.errors import InputError, LefiError
from lefi.files import refusals, save

HEAD = "head.pickle"
ROUNDS: dict[str, type[pl.DataType]] = {"round": pl.Int64, "clients": pl.Int64, "answered": pl.Int64} | {
    "paid": pl.Float64,
    "accuracy": pl.Float64,
    "budget": pl.Float64,
    "offer": pl.String,
}  # as `lefi.receipts` writes them


class Folder:
    """Paths, and what is read and written whole."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def receipts(self, round: int, partition: int) -> Path:
        return self.root / "receipts" / f"round-{round:06d}" / f"part-{partition:04d}.parquet"

    def roster(self, partition: int) -> Path:
        return self.root / "roster" / f"part-{partition:04d}.parquet"

    def state(self, round: int, partition: int) -> Path:
        return self._states / f"round-{round:06d}" / f"part-{partition:04d}.pickle"

    @property
    def _states(self) -> Path:
        return self.root / "state"

    def claim(self, told: Mapping[str, Any]) -> None:
        """Make the folder that of a run, or refuse where it is that of another one."""
        path = self.root / "run.json"
        text = json.dumps(told, sort_keys=True, indent=1, default=str)
        if path.exists():
            try:
                before = json.loads(path.read_text())
            except ValueError:
                raise LefiError(f"{path} is damaged: delete the folder, or choose another one") from None
            changed = sorted(name for name, value in json.loads(text).items() if before.get(name, "") != value)
            if changed:
                raise InputError("out", str(self.root), f"another folder: it holds a run with other {changed[0]}")
            return
        if self.root.is_dir() and any(self.root.iterdir()):
            raise InputError("out", str(self.root), "a new folder, or that of the same run")
        with refusals(self.root):
            self.root.mkdir(parents=True, exist_ok=True)
            write_whole(path, text.encode())

    def rounds(self) -> list[dict[str, Any]]:
        """The rows of settled rounds."""
        path = self.root / "rounds.parquet"
        if not path.exists():
            return []
        try:
            return pl.read_parquet(path).to_dicts()
        except (pl.exceptions.PolarsError, OSError) as error:
            raise LefiError(f"cannot read {path}: {str(error).splitlines()[0]}") from None

    def settle(self, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of all rounds so far."""
        write_table(self.root / "rounds.parquet", pl.DataFrame(rows, schema=ROUNDS))

    def saved(self) -> tuple[int, Any]:
        """The last round whose states are all there, and the head after it; (0, None) where there is none."""
        for path in sorted(self._states.glob(f"round-*/{HEAD}"), reverse=True):
            return int(path.parent.name.removeprefix("round-")), read_pickle(path)
        return 0, None

    def finish_save(self, round: int, head: Any) -> None:
        """All partitions have saved their states: end the save, and let older ones go."""
        path = self.state(round, 0).with_name(HEAD)
        write_whole(path, pickle.dumps(head))
        for old in self._states.glob("round-*"):
            if old != path.parent:
                shutil.rmtree(old, ignore_errors=True)


def write_whole(path: Path, content: bytes) -> None:
    """A file appears under its name when all of it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".{path.name}")
    scratch.write_bytes(content)
    scratch.replace(path)


def write_table(path: Path, table: pl.DataFrame) -> None:
    """The same for a table."""
    with refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}")
        save(table, scratch)
        scratch.replace(path)


def read_pickle(path: Path) -> Any:
    """What was saved by a run of one's own: to read a pickle is to run it."""
    try:
        with path.open("rb") as file:
            return pickle.load(file)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise LefiError(f"cannot read {path}: {error}") from None
