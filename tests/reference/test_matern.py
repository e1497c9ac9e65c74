"""The process of bara against scikit-learn's: predictions and learned hyperparameters."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

from lefi.mechanisms.matern import LEAST, MOST, Hyper, Process, learned


def kernel(hyper: Hyper) -> ConstantKernel:
    bounds = list(zip(LEAST, MOST, strict=True))
    matern = Matern(hyper.length, bounds[1], nu=2.5)
    return ConstantKernel(hyper.constant, bounds[0]) * matern + WhiteKernel(hyper.noise, bounds[2])


@pytest.mark.parametrize("points", [1, 5, 40])
@pytest.mark.parametrize("dimensions", [1, 7])
@pytest.mark.parametrize("hyper", [Hyper(), Hyper(20.0, 0.4, 1e-6), Hyper(0.1, 8.0, 0.5)])
def test_predictions_are_scikit_learns(points: int, dimensions: int, hyper: Hyper) -> None:
    rng = np.random.default_rng(points * dimensions)
    x, y, ahead = rng.normal(size=(points, dimensions)), rng.normal(size=points), rng.normal(size=(30, dimensions))
    theirs = GaussianProcessRegressor(kernel(hyper), optimizer=None, normalize_y=True).fit(x, y)
    mean, std = theirs.predict(ahead, return_std=True)
    ours = Process(x, y, hyper).predict(ahead)
    # Points that lie close together leave few digits to agree on: the condition of their covariance says how many.
    loose = float(np.finfo(float).eps * np.linalg.cond(theirs.kernel_(x)))
    np.testing.assert_allclose(ours[0], mean, rtol=1e-9, atol=1e-12 + loose * np.abs(mean).max())
    np.testing.assert_allclose(ours[1], std, rtol=1e-9, atol=1e-12 + loose * std.max())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("points", [5, 32])
@pytest.mark.parametrize("constant", [True, False])
def test_hyperparameters_are_those_that_scikit_learn_finds(points: int, constant: bool) -> None:
    rng = np.random.default_rng(points)
    x = rng.normal(size=(points, 3))
    y = np.full(points, 0.5) if constant else np.sin(x).sum(axis=1) + 0.01 * rng.normal(size=points)
    theirs = GaussianProcessRegressor(kernel(Hyper()), normalize_y=True).fit(x, y)
    np.testing.assert_allclose(np.log(learned(x, y, Hyper())), theirs.kernel_.theta, rtol=1e-9, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_several_columns_share_one_kernel_as_in_scikit_learn() -> None:
    rng = np.random.default_rng(3)
    x, ahead = rng.normal(size=(12, 3)), rng.normal(size=(9, 3))
    y = np.column_stack([np.sin(x).sum(axis=1), 5 + 0.1 * x[:, 0]])
    theirs = GaussianProcessRegressor(kernel(Hyper()), normalize_y=True).fit(x, y)
    hyper = learned(x, y, Hyper())
    np.testing.assert_allclose(np.log(hyper), theirs.kernel_.theta, rtol=1e-6, atol=1e-6)
    for ours, expected in zip(Process(x, y, hyper).predict(ahead), theirs.predict(ahead, return_std=True), strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-8)
