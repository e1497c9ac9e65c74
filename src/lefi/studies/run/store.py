"""Where results lie: `<results>/<study>/<key>/` per run, and `study.json`, the list of the runs that belong together.

A run is written under a hidden name and renamed when it is whole: a folder that is there is complete.
"""

import json
import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

from lefi.errors import InputError, LefiError
from lefi.files import refusals, save
from lefi.receipts import Tables
from lefi.studies.plan.one_run import Run
from lefi.versions import versions

MANIFEST = "study.json"


def finished(folder: Path, run: Run) -> bool:
    return (folder / run.key / "run.json").is_file()


def write_run(folder: Path, run: Run, tables: Tables, seconds: float) -> None:
    """Write a run's folder. Whatever goes wrong leaves nothing behind."""
    place, hidden = folder / run.key, folder / f".{run.key}.{os.getpid()}"
    with refusals(folder):
        try:
            hidden.mkdir(parents=True)
            save(tables.rounds, hidden / "rounds.parquet")
            if run.keep_clients:
                save(tables.clients, hidden / "clients.parquet")
            about = {"run": asdict(run), "versions": versions(), "seconds": round(seconds, 3)}
            (hidden / "run.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
            try:
                hidden.rename(place)
            except OSError:  # somebody else has just finished the same run
                if not finished(folder, run):
                    raise
        finally:
            shutil.rmtree(hidden, ignore_errors=True)


def write_manifest(folder: Path, study: dict[str, Any], runs: list[Run]) -> None:
    """Say which runs make up the study as it was last finished."""
    hidden = folder / f".{MANIFEST}.{os.getpid()}"
    with refusals(folder):
        try:
            told = {"study": study, "versions": versions(), "runs": [run.key for run in runs]}
            hidden.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
            hidden.replace(folder / MANIFEST)
        finally:
            hidden.unlink(missing_ok=True)


def read_manifest(folder: Path) -> dict[str, Any]:
    """What `write_manifest` wrote: `study`, `versions`, `runs`."""
    path = folder / MANIFEST
    if not path.is_file():
        raise InputError("results", str(folder), f"a finished study ({MANIFEST} is missing); run it first")
    try:
        told: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LefiError(f"cannot read {path}: {error}") from None
    return told


def clear_leftovers(folder: Path) -> None:
    """Remove what killed processes left half-written; those of living ones are theirs."""
    for hidden in folder.glob(".*.*"):
        owner = hidden.name.rpartition(".")[2]
        if owner.isdigit() and not _alive(int(owner)):
            if hidden.is_dir():
                shutil.rmtree(hidden, ignore_errors=True)
            else:
                hidden.unlink(missing_ok=True)


def _alive(process: int) -> bool:
    """Whether a process may still write. One that has ended may stay listed until somebody reaps it."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:  # a system that does not tell so
        return True
