from typing import Any

import numpy as np
import pytest

import lefi
from lefi import AccuracyModel, InputError, QuadraticAccuracy

PAPER = lefi.accuracy("paper")
RNG = np.random.default_rng(7)
SIZES, IID = RNG.uniform(0, 10, 400), RNG.uniform(0, 1, 400)


def test_the_paper_coefficients() -> None:
    assert PAPER.to_dict() == {"a": -0.000152, "b": 0.071, "c": -0.00117, "d": 0.0151, "e": 0.011, "f": 0.073}
    assert isinstance(PAPER, AccuracyModel)
    assert PAPER(2.0, 0.5) == pytest.approx(-0.000152 * 4 + 0.071 / 4 - 0.00117 + 0.0302 + 0.0055 + 0.073, rel=1e-14)


def test_the_slope_is_the_derivative() -> None:
    h = 1e-5
    rise = (PAPER(SIZES + h, IID) - PAPER(SIZES - h, IID)) / (2 * h)
    assert np.abs(rise - PAPER.slope(SIZES, IID)).max() < 1e-10


def test_a_fit_without_noise_is_exact() -> None:
    found = QuadraticAccuracy.fit(SIZES, IID, PAPER(SIZES, IID))
    assert list(found.to_dict().values()) == pytest.approx(list(PAPER.to_dict().values()), rel=1e-9)
    assert found.rmse(SIZES, IID, PAPER(SIZES, IID)) < 1e-14


def test_fits_recover_the_paper_at_its_rmse() -> None:
    """The paper reports an RMSE of 0.03: points with that noise give it back, and the model within its own spread."""
    sizes, iid = np.meshgrid(np.linspace(0.1, 10, 40), np.linspace(0, 1, 25))
    fits, errors = [], []
    for seed in range(30):
        points = PAPER(sizes, iid) + np.random.default_rng(seed).normal(0, 0.03, sizes.shape)
        fits.append(QuadraticAccuracy.fit(sizes, iid, points))
        errors.append(fits[-1].rmse(sizes, iid, points))
    assert np.mean(errors) == pytest.approx(0.03 * np.sqrt(1 - 6 / sizes.size), rel=0.01)
    found = np.array([list(fit.to_dict().values()) for fit in fits])
    columns = np.stack([sizes**2, iid**2, sizes * iid, sizes, iid, np.ones_like(sizes)]).reshape(6, -1).T
    spread = 0.03 * np.sqrt(np.diag(np.linalg.inv(columns.T @ columns)))  # of least squares, in theory
    truth = np.array(list(PAPER.to_dict().values()))
    assert (np.abs(found.mean(axis=0) - truth) < 4 * spread / np.sqrt(30)).all()
    assert (np.abs(found.std(axis=0) / spread - 1) < 0.5).all()


@pytest.mark.parametrize(
    ("sizes", "iid", "accuracy"),
    [
        ([], [], []),
        ([1, 2, 3], [0.1, 0.2, 0.3], [0.1, 0.1, 0.1]),
        ([1.0] * 20, np.linspace(0, 1, 20), np.ones(20)),
        (SIZES, IID, np.full(400, np.nan)),
        (SIZES, IID[:-1], SIZES),
        (SIZES, IID, SIZES[:-1]),
        (SIZES, IID, ["a"] * 400),
    ],
)
def test_a_fit_refuses(sizes: Any, iid: Any, accuracy: Any) -> None:
    with pytest.raises(InputError, match="points"):
        QuadraticAccuracy.fit(sizes, iid, accuracy)


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", True])
def test_coefficients_are_numbers(value: float) -> None:
    with pytest.raises(InputError, match=r"accuracy\.c"):
        QuadraticAccuracy(a=0, b=0, c=value, d=0, e=0, f=0)


def test_the_system_accuracy_of_the_papers_source() -> None:
    """A comment there has it, with an RMSE of 0.019; data is worth less in it, and more where it is more even."""
    system = lefi.accuracy("paper-system")
    D, pi = 4.0, 0.5
    expected = -4.0438e-5 * D**2 - 0.0268435 * pi**2 + 0.00242842 * D * pi + 0.00409433 * D + 0.0258827 * pi + 0.0922588
    assert float(system(D, pi)) == pytest.approx(expected)
    assert float(system.slope(D, 0.1)) < float(system.slope(D, 1.0)) < float(lefi.accuracy("paper").slope(D, 1.0))
