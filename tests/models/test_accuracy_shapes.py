"""The shapes of accuracy beside the quadratic: slopes, fits, files."""

import json
from pathlib import Path

import numpy as np
import pytest

import lefi
from lefi.errors import InputError, UnknownName
from lefi.models import ExponentialAccuracy, FittedAccuracy, LinearAccuracy, PowerAccuracy

SIZES, IID = (grid.ravel() for grid in np.meshgrid([0.5, 1.0, 2.0, 4.0, 6.0, 10.0], [0.1, 0.3, 0.6, 1.0]))
MODELS = [
    LinearAccuracy(0.02, 0.3, 0.1),
    ExponentialAccuracy(0.6, 0.4, 0.1, 0.1, scale=2.0, skew=0.8),
    PowerAccuracy(0.62, 0.44, 0.02, 0.14, scale=1.4, skew=1.5, power=1.2),
]
each = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.kind)


@each
def test_the_slope_is_the_derivative(model: FittedAccuracy) -> None:
    h = 1e-5
    rise = (model(SIZES + h, IID) - model(SIZES - h, IID)) / (2 * h)
    assert np.abs(rise - model.slope(SIZES, IID)).max() < 1e-8


@each
def test_a_fit_without_noise_gives_the_curve_back(model: FittedAccuracy) -> None:
    found = type(model).fit(SIZES, IID, model(SIZES, IID))
    assert found.rmse(SIZES, IID, model(SIZES, IID)) < 2e-5
    between = np.linspace(0.5, 10, 23)
    assert np.abs(found(between, 0.45) - model(between, 0.45)).max() < 2e-4


@each
def test_a_file_gives_the_same_model(model: FittedAccuracy, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"accuracy": model.to_dict()}))
    assert lefi.accuracy(path) == model


def test_a_file_without_a_kind_is_the_quadratic(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"accuracy": lefi.accuracy("paper").to_dict()}))
    assert lefi.accuracy(path) == lefi.accuracy("paper")


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"accuracy": {"kind": "cubic", "a": 1.0}}))
    with pytest.raises(UnknownName, match="power"):
        lefi.accuracy(path)


def test_a_curve_needs_three_sizes_and_three_degrees() -> None:
    few = SIZES <= 1.0
    with pytest.raises(InputError, match="3 sizes"):
        PowerAccuracy.fit(SIZES[few], IID[few], SIZES[few])


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan")])
def test_a_scale_is_positive(scale: float) -> None:
    with pytest.raises(InputError, match="scale"):
        ExponentialAccuracy(0.6, 0.5, 0.1, 0.1, scale=scale, skew=0.0)


def test_a_steep_start_is_not_fitted_by_an_absurd_one() -> None:
    """Points that set in late leave the value without data open: it stays a share."""
    late = 0.9 / (1 + np.exp(-2 * (SIZES - 1.5)))
    for shape in (PowerAccuracy, ExponentialAccuracy):
        model = shape.fit(SIZES, IID, late)
        assert (model(0.0, np.linspace(0, 1, 11)) >= 0).all()
        assert (model(100.0, np.linspace(0, 1, 11)) < 1.1).all()
