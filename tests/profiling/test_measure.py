"""Measuring and fitting: the table, resuming, costs, and the choice among shapes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import torch

import lefi
from lefi.errors import InputError, LefiError
from lefi.models import ExponentialAccuracy, PowerAccuracy
from lefi.models.measurements import final_means
from lefi.profiling import measure as measuring
from lefi.profiling.costs import count_flops
from lefi.profiling.data import load_images
from lefi.profiling.fitting import fit, fit_accuracy, fit_cost, preset
from lefi.profiling.grid import Grid, train_cells
from lefi.profiling.measure import Measurement, measure
from lefi.profiling.train import Recipe, Trainer

CPU = torch.device("cpu")
DIGITS = load_images("digits")
GRID = Grid(
    sizes=(0.03, 0.06, 0.12),
    iid=(0.1, 0.5, 1.0),
    seeds=2,
    clients=2,
    rounds=2,
    recipe=Recipe(learning_rate=0.1, batch=8),
)
SIZES, IID = (
    grid.ravel() for grid in np.meshgrid([0.5, 1.0, 2.0, 4.0, 6.0, 8.0, 10.0], [0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Measurement]:
    out = tmp_path_factory.mktemp("profile")
    return out, measure(DIGITS, GRID, out, CPU)


def test_the_table_has_every_cell_seed_and_round(found: tuple[Path, Measurement]) -> None:
    table = found[1].accuracy
    assert len(table) == 9 * 2 * 2 == table.select("size", "iid", "seed", "round").n_unique()
    assert table["accuracy"].is_between(0, 1).all()
    shares = table.group_by("iid").agg(pl.col("distance").mean()).sort("iid")["distance"].to_list()
    assert shares == sorted(shares, reverse=True)


def test_a_resumed_measurement_gives_the_same_table(
    found: tuple[Path, Measurement], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped after four cells, it trains the other five and none again."""
    trained: list[object] = []

    def counted(*args: object) -> object:
        if len(trained) == 4:
            trained.append("stop")
            raise KeyboardInterrupt
        trained.append(args[2])
        return train_cells(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(measuring, "train_cells", counted)
    with pytest.raises(KeyboardInterrupt):
        measure(DIGITS, GRID, tmp_path, CPU)
    assert not (tmp_path / "accuracy.parquet").exists()
    again = measure(DIGITS, GRID, tmp_path, CPU)
    assert len(trained) == 10
    assert again.accuracy.equals(found[1].accuracy)
    assert not list(tmp_path.rglob(".*"))


def test_other_settings_are_not_mixed_with_old_cells(found: tuple[Path, Measurement]) -> None:
    out, before = found
    other = measure(DIGITS, replace(GRID, recipe=Recipe(learning_rate=0.2, batch=8)), out, CPU)
    assert not other.accuracy["accuracy"].equals(before.accuracy["accuracy"])


def test_the_manifest_names_data_device_versions_and_no_paths(found: tuple[Path, Measurement]) -> None:
    told = json.loads((found[0] / "manifest.json").read_text())
    assert told["data"]["name"] == "digits"
    assert told["device"]["kind"] == "cpu"
    assert told["versions"]["torch"] == torch.__version__
    assert told["speed"]["samples_trained"] == sum(GRID.sizes) * 1000 * 3 * 2 * 2 * 2
    assert str(found[0]) not in json.dumps(told)


def test_flops_are_counted_by_hand_too() -> None:
    """Digits: 1x8x8 -> 8x4x4 -> 16x2x2 -> 32 -> 32 -> 10; two FLOP per product, no gradient for the input."""
    first, second, dense = 16 * 8 * 9, 4 * 16 * 72, 64 * 32 + 32 * 32 + 32 * 10
    per_sample = 2 * (2 * first + 3 * second + 3 * dense)
    trainer = Trainer(DIGITS, Recipe(batch=16, epochs=2), CPU)
    assert count_flops(trainer, 100) == 2 * 100 * per_sample


def test_the_cost_line_has_no_dust(found: tuple[Path, Measurement]) -> None:
    cost = found[1].cost
    line = fit_cost(cost["size"].to_numpy(), cost["tflop"].to_numpy())
    assert line.q == 0
    assert line.rmse(cost["size"].to_numpy(), cost["tflop"].to_numpy()) < 1e-12
    assert (cost["seconds"] > 0).all()


@pytest.mark.parametrize(
    "truth",
    [
        PowerAccuracy(0.62, 0.44, 0.02, 0.14, scale=1.4, skew=1.5, power=0.5),
        ExponentialAccuracy(0.6, 0.4, 0.1, 0.1, scale=2.0, skew=0.8),
    ],
    ids=lambda model: model.kind,
)
def test_the_right_shape_is_chosen(truth: PowerAccuracy | ExponentialAccuracy) -> None:
    A = truth(SIZES, IID) + np.random.default_rng(1).normal(0, 0.002, SIZES.size)
    best, *others = fit_accuracy(SIZES, IID, A)
    assert best.model.kind == truth.kind
    assert best.rmse_left_out < 0.004
    assert best.rises
    assert {candidate.model.kind for candidate in others} >= {"linear", "quadratic"}


def test_a_fit_that_falls_warns(found: tuple[Path, Measurement]) -> None:
    rows = [(D, pi, 0, 1, 0.5 - 0.02 * D + 0.1 * pi) for D, pi in zip(SIZES, IID, strict=True)]
    table = pl.DataFrame(rows, schema=["size", "iid", "seed", "round", "accuracy"], orient="row")
    fitted = fit(table, found[1].cost)
    assert not fitted.accuracy.rises
    assert fitted.warning is not None


def test_the_preset_is_taken_by_every_command(found: tuple[Path, Measurement], tmp_path: Path) -> None:
    fitted = fit(found[1].accuracy, found[1].cost)
    path = tmp_path / "preset.json"
    measuring.write_json(preset(fitted, found[1].manifest), path)
    assert lefi.accuracy(path) == fitted.accuracy.model
    assert lefi.cost(path) == fitted.cost
    market = lefi.scenario("paper", accuracy=str(path), size_high=0.12)
    receipts = list(lefi.play(lefi.make("lefi", market.terms), market, 3))
    assert np.isfinite(receipts[-1].accuracy)


def test_too_few_cells_are_refused() -> None:
    with pytest.raises(InputError, match="2 sizes x 2 iid"):
        fit_accuracy(np.array([1.0]), np.array([0.5]), np.array([0.3]))


def test_means_are_over_seeds_of_the_last_round() -> None:
    rows = [(1.0, 0.5, 0, 1, 0.9), (1.0, 0.5, 0, 2, 0.2), (1.0, 0.5, 1, 2, 0.4)]
    table = pl.DataFrame(rows, schema=["size", "iid", "seed", "round", "accuracy"], orient="row")
    D, pi, A, spread = final_means(table)
    assert (D[0], pi[0], A[0]) == (1.0, 0.5, pytest.approx(0.3))
    assert spread[0] == pytest.approx(np.std([0.2, 0.4], ddof=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"sizes": ()},
        {"sizes": (0.0,)},
        {"sizes": (2.0, 1.0)},
        {"iid": (1.5,)},
        {"iid": (-0.1,)},
        {"seeds": 0},
        {"rounds": 0},
    ],
)
def test_a_bad_grid_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        replace(GRID, **wrong)  # type: ignore[arg-type]


def test_an_unwritable_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(LefiError, match="cannot write"):
        measure(DIGITS, GRID, tmp_path / "file", CPU)
