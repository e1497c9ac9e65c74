"""What is measured when the user names only the data, and what a preset says about its own measurement."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lefi.errors import InputError
from lefi.models.presets import SHIPPED, shipped
from lefi.profiling.data import Images
from lefi.profiling.grid import Grid
from lefi.profiling.train import Recipe

IID = (0.1, 0.3, 0.5, 0.75, 1.0)
SEEDS = 3
SIZE_HIGH = 10.0  # thousand samples, where a preset does not say how far it was measured


def default_grid(images: Images) -> Grid:
    """The grid of that data set. Digits has few samples: small batches, long steps, two epochs."""
    if images.name == "digits":
        recipe = Recipe(epochs=2, learning_rate=0.03, batch=8)
        return Grid(sizes=(0.03, 0.05, 0.08, 0.12, 0.2), iid=IID, seeds=SEEDS, recipe=recipe)
    if images.name == "cifar10":
        return Grid(sizes=(0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0), iid=(0.1, 0.2, 0.4, 0.6, 0.8, 1.0), seeds=5)
    if images.name == "gtsrb":
        return Grid(sizes=(0.25, 0.5, 1.0, 2.0, 3.5, 5.0, 7.0), iid=(0.1, 0.3, 0.5, 0.75, 1.0), seeds=5)
    # From a hundredth to a fifth of the data: five clients then hold as much as there is.
    sizes = np.geomspace(0.01, 0.2, 6) * len(images.train) / 1000
    return Grid(sizes=tuple(sorted({max(0.001, round(size, 3)) for size in sizes.tolist()})), iid=IID, seeds=SEEDS)


@dataclass(frozen=True)
class Measured:
    """How the accuracy model of a preset was measured: training that wants to compare with it does the same."""

    size_high: float
    recipe: Recipe


def measured(name_or_path: str) -> Measured:
    """What the preset says; the paper's says nothing, so defaults stand in."""
    path = SHIPPED / f"{name_or_path}.json" if name_or_path in shipped() else Path(name_or_path)
    told: dict[str, Any] = {}
    if path.is_file():
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError("accuracy file", str(path), f"JSON ({error})") from None
    try:
        size_high = float(told["fit"]["size"][1]) if "fit" in told else SIZE_HIGH
        recipe = Recipe(**told["measured"]["grid"]["recipe"]) if "measured" in told else Recipe()
    except (KeyError, IndexError, TypeError, ValueError):
        raise InputError("accuracy file", str(path), "as `lefi profile` writes it") from None
    return Measured(size_high, recipe)
