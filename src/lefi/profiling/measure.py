"""Measure a grid: train what is missing, keep each group of cells as soon as it is done, then the cost.

<out>/groups/<key>.parquet   rows of one group of cells; the key says what they depend on
<out>/accuracy.parquet       size iid seed round accuracy distance repeats
<out>/cost.parquet           size tflop seconds
<out>/manifest.json          data, grid, device, versions, speed
The groups are cut from the grid and not from what is missing, so a resumed measurement gives the same table.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import torch

from lefi.arrays import whole
from lefi.files import refusals, save
from lefi.profiling.costs import measure_costs
from lefi.profiling.data import Images
from lefi.profiling.device import hardware
from lefi.profiling.grid import COLUMNS, Cell, Grid, partitioners_of, samples_of, train_cells
from lefi.profiling.probe import samples_per_second
from lefi.profiling.train import Trainer

Progress = Callable[[float, float], None]  # samples visited so far, of all
Estimate = Callable[[float, float], None]  # samples that are missing, and how many are trained on in a second


class Measurement(NamedTuple):
    """What was measured."""

    accuracy: pl.DataFrame
    cost: pl.DataFrame
    manifest: dict[str, Any]


def measure(
    images: Images,
    grid: Grid,
    out: Path,
    device: torch.device,
    *,
    together: int | None = None,
    estimate: Estimate | None = None,
    progress: Progress | None = None,
) -> Measurement:
    """Train every cell of the grid that is not yet there. `together`: cells side by side (CPU 1, CUDA all).

    `estimate` is told how much there is to do before it begins, `progress` after every round.
    """
    together = whole("together", together or (len(grid.cells) if device.type == "cuda" else 1), low=1)
    trainer = Trainer(images, grid.recipe, device)
    groups = [grid.cells[start : start + together] for start in range(0, len(grid.cells), together)]
    folder = out / "groups"
    with refusals(out):
        folder.mkdir(parents=True, exist_ok=True)
    digest = data_digest(images)
    paths = [folder / f"{_key(digest, grid, group, device)}.parquet" for group in groups]
    speed = _Speed(grid, progress)
    partitioners = partitioners_of(images, grid)
    missing = [group for path, group in zip(paths, groups, strict=True) if not path.is_file()]
    if estimate is not None and missing:
        rate = samples_per_second(trainer, len(missing[0]) * grid.seeds, grid.clients)
        estimate(sum(speed.of(group) for group in missing), rate)
    for path, group in zip(paths, groups, strict=True):
        if path.is_file():
            speed.skip(group)
        else:
            _train_group(trainer, grid, group, partitioners, path, speed)
    accuracy = pl.concat([pl.read_parquet(path) for path in paths]).sort("size", "iid", "seed", "round")
    cost = measure_costs(trainer, grid)
    manifest = _manifest(images, digest, grid, device, together, speed, cost)
    write_table(accuracy, out / "accuracy.parquet")
    write_table(cost, out / "cost.parquet")
    write_json(manifest, out / "manifest.json")
    return Measurement(accuracy, cost, manifest)


class _Speed:
    """Samples visited and the seconds it took, for the bar and for the manifest."""

    def __init__(self, grid: Grid, progress: Progress | None) -> None:
        self.grid, self.progress = grid, progress
        self.total = self.of(grid.cells)
        self.done = self.trained = 0
        self.seconds = 0.0

    def _round(self, cells: list[Cell]) -> int:
        return (
            sum(samples_of(size) for size, _ in cells) * self.grid.seeds * self.grid.clients * self.grid.recipe.epochs
        )

    def of(self, cells: list[Cell]) -> int:
        """Samples of all rounds of these cells."""
        return self._round(cells) * self.grid.rounds

    def skip(self, cells: list[Cell]) -> None:
        self.done += self.of(cells)

    def add(self, cells: list[Cell], seconds: float) -> None:
        self.done, self.trained = self.done + self._round(cells), self.trained + self._round(cells)
        self.seconds += seconds
        if self.progress is not None:
            self.progress(self.done, self.total)


def _train_group(
    trainer: Trainer, grid: Grid, cells: list[Cell], partitioners: list[Any], path: Path, speed: _Speed
) -> None:
    rows = []
    started = time.perf_counter()
    for table in train_cells(trainer, grid, cells, partitioners):
        rows.append(table)
        now = time.perf_counter()
        speed.add(cells, now - started)
        started = now
    write_table(pl.concat(rows).select(*COLUMNS), path)


def _key(digest: str, grid: Grid, cells: list[Cell], device: torch.device) -> str:
    """Whatever may change the rows of a group: a resumed measurement never mixes two settings."""
    about = {"data": digest, "recipe": asdict(grid.recipe), "cells": cells, "device": device.type}
    about |= {name: getattr(grid, name) for name in ("seeds", "clients", "rounds", "overlap")}
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:16]


def data_digest(images: Images) -> str:
    total = hashlib.sha256()
    groups = () if images.groups is None else (images.groups,)
    for part in (images.train, images.labels, images.test, images.test_labels, *groups):
        total.update(str(part.shape).encode())
        total.update(part.tobytes())
    return total.hexdigest()[:16]


def _manifest(
    images: Images, digest: str, grid: Grid, device: torch.device, together: int, speed: _Speed, cost: pl.DataFrame
) -> dict[str, Any]:
    plain = 1000 * cost["size"][-1] * grid.recipe.epochs / cost["seconds"][-1]
    rate = speed.trained / speed.seconds if speed.seconds else None
    return {
        "data": {
            "name": images.name,
            "train": len(images.train),
            "test": len(images.test),
            "shape": images.shape,
            "classes": images.classes,
            "digest": digest,
        },
        "grid": asdict(grid),
        **hardware(device),
        "speed": {
            "cells_together": together,
            "samples_trained": speed.trained,
            "seconds": round(speed.seconds, 2),
            "samples_per_second": rate and round(rate),
            "samples_per_second_client_by_client": round(plain),
            "ratio": rate and round(rate / plain, 2),
        },
    }


def other_measurement(out: Path, images: Images, grid: Grid) -> str | None:
    """What the folder holds already, in words, where that is not this measurement."""
    try:
        told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
        data, before = told["data"], told["grid"]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return "a manifest.json that lefi did not write"
    now = json.loads(json.dumps(asdict(grid)))
    changed = sorted(name for name in now if before.get(name) != now[name])
    if data.get("digest") == data_digest(images) and not changed:
        return None
    what = ", ".join(changed) or "images"
    return f"a measurement of {data.get('name')} with other {what}"


def write_table(table: pl.DataFrame, path: Path) -> None:
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    with refusals(path):
        try:
            save(table, hidden)
            hidden.replace(path)
        finally:
            hidden.unlink(missing_ok=True)


def write_json(value: dict[str, Any], path: Path) -> None:
    hidden = path.with_name(f".{path.name}.{os.getpid()}")
    with refusals(path):
        try:
            hidden.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
            hidden.replace(path)
        finally:
            hidden.unlink(missing_ok=True)
