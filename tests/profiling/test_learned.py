"""The fit behind `lefi.learning`: it finds a curve again, and what ships is the fit of its tables."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import lefi
from lefi.errors import InputError
from lefi.models.learning import Learning
from lefi.models.presets import SHIPPED
from lefi.profiling.learned import error, fit_kind, judged, last_rounds, points

TRUE = Learning("hill", 0.1, 0.8, 0.5, half=0.4, bend=1.2, slow=8.0, pull=0.9, skew=0.8, power=1.4)


def table(rounds: int = 12, noise: float = 0.0, seeds: int = 2) -> pl.DataFrame:
    sizes, iid, seed, round = (
        values.ravel() for values in np.meshgrid([0.25, 1.0, 4.0], [0.1, 0.5, 1.0], range(seeds), range(1, rounds + 1))
    )
    accuracy = TRUE.after(sizes, iid, round) + noise * np.random.default_rng(1).normal(size=sizes.size)
    return pl.DataFrame({"size": sizes, "iid": iid, "seed": seed, "round": round, "accuracy": accuracy})


def test_a_fit_without_noise_gives_the_curve_back() -> None:
    seen = points([table()])
    found = fit_kind("hill", seen)
    assert error(found, seen) < 1e-4
    assert last_rounds(found, points([table(64)])) < 2e-3


def test_the_true_kind_is_chosen_and_the_errors_are_those_of_the_noise() -> None:
    found = judged([table(noise=0.01)], clients=7)
    assert found[0].learning.kind == "hill"
    assert found[0].rmse < found[0].rmse_left_out < 0.03
    best = found[0].learning
    assert (best.clients, best.sizes_range, best.rounds_range) == (7, (0.25, 4.0), (1.0, 12.0))
    assert best.error == found[0].rmse_left_out
    assert len(best.resampled) == 20


@pytest.mark.parametrize(("name", "most"), [("cifar10", 0.025), ("gtsrb", 0.025), ("digits", 0.07)])
def test_what_ships_is_the_fit_of_its_tables(name: str, most: float) -> None:
    shipped = lefi.learning(name)
    parts = [SHIPPED / name / f"{part}.parquet" for part in ("accuracy", "long")]
    seen = points([pl.read_parquet(path) for path in parts if path.is_file()])
    again = fit_kind(shipped.kind, seen, shipped)
    assert error(again, seen) == pytest.approx(error(shipped, seen), abs=1e-4)
    assert error(replace(shipped, slow=1.5 * shipped.slow), seen) > error(shipped, seen) + 0.005
    assert shipped.error < most


def test_too_few_points_are_refused() -> None:
    with pytest.raises(InputError, match="3 sizes"):
        points([table().filter(pl.col("size") <= 1)])
