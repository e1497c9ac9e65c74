"""The bank against scikit-learn, client by client, through its contract alone: observe, refit, predict."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Matern

from lefi import InputError, UnknownName
from lefi.arrays import FloatArray, IntArray
from lefi.surrogate import KERNELS, Bank, Hyper

SHAPES = {"rbf": RBF, "matern32": lambda scale: Matern(scale, nu=1.5), "matern52": lambda scale: Matern(scale, nu=2.5)}
Histories = dict[int, tuple[list[float], list[float]]]


def reference(
    kernel: str, hyper: Hyper, x: list[float], y: list[float], at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and std of one client; its prior mean is the mean of its own answers, 0 before the first."""
    shape = ConstantKernel(hyper.signal) * SHAPES[kernel](hyper.lengthscale)
    process = GaussianProcessRegressor(shape, alpha=hyper.noise * hyper.signal, optimizer=None)
    if not x:
        return np.zeros(at.size), np.full(at.size, np.sqrt(hyper.signal))
    process.fit(np.array(x)[:, None], np.array(y) - np.mean(y))
    mean, std = process.predict(at[:, None], return_std=True)
    return mean + np.mean(y), std


def lived(bank: Bank, rounds: int, seed: int) -> tuple[Histories, list[int]]:
    """Rounds with newcomers, leavers, a changing order and missing answers."""
    rng = np.random.default_rng(seed)
    everybody = list(range(0, 24, 3))
    histories: Histories = {id: ([], []) for id in everybody}
    for round in range(rounds):
        here = rng.permutation(everybody[: 3 + round]) if round < 5 else rng.permutation(everybody)[:6]
        x = np.exp(rng.normal(0, 0.7, here.size))
        y = np.where(rng.random(here.size) < 0.25, np.nan, np.log1p(2 * x) / 3 + rng.normal(0, 0.02, here.size))
        bank.observe(here.astype(np.int64), x, y)
        for id, a, b in zip(here.tolist(), x.tolist(), y.tolist(), strict=True):
            if not np.isnan(b):
                histories[id][0].append(a)
                histories[id][1].append(b)
    return histories, [*everybody, 100]


def compare(bank: Bank, histories: Histories, ids: list[int]) -> None:
    at = np.linspace(0.05, 4, 7)
    asked: IntArray = np.array(ids[::-1], dtype=np.int64)
    mean, std = bank.predict(asked, np.tile(at, (asked.size, 1)))
    for row, id in enumerate(asked.tolist()):
        x, y = histories.get(id, ([], []))
        expected_mean, expected_std = reference(bank.kernel, bank.hyper, x, y, at)
        assert np.abs(mean[row] - expected_mean).max() < 1e-8
        assert np.abs(std[row] - expected_std).max() < 1e-8


@pytest.mark.parametrize("kernel", SHAPES)
@pytest.mark.parametrize("noise", [1e-4, 1e-2, 0.3])
@pytest.mark.parametrize("rounds", [1, 4, 30])
def test_mean_and_std_are_those_of_scikit_learn(kernel: str, noise: float, rounds: int) -> None:
    bank = Bank(kernel, Hyper(lengthscale=0.8, signal=0.5, noise=noise))
    compare(bank, *lived(bank, rounds, seed=rounds))


@pytest.mark.parametrize("kernel", SHAPES)
def test_also_after_other_hyper_parameters(kernel: str) -> None:
    bank = Bank(kernel)
    histories, ids = lived(bank, 12, seed=0)
    bank.refit(Hyper(lengthscale=2.5, signal=0.04, noise=1e-3))
    compare(bank, histories, ids)
    bank.observe(np.array([0, 200], dtype=np.int64), np.array([0.3, 0.4]), np.array([0.2, 0.1]))
    histories[0][0].append(0.3)
    histories[0][1].append(0.2)
    histories[200] = ([0.4], [0.1])
    compare(bank, histories, [*ids, 200])


@pytest.mark.parametrize("kernel", SHAPES)
def test_the_same_weight_again_and_again(kernel: str) -> None:
    bank, ids = Bank(kernel, Hyper(1.0, 1.0, 1e-4)), np.array([7])
    for _ in range(60):
        bank.observe(ids, np.array([1.0]), np.array([0.5]))
    bank.observe(ids, np.array([1.5]), np.array([0.7]))
    compare(bank, {7: ([1.0] * 60 + [1.5], [0.5] * 60 + [0.7])}, [7])


def test_every_kernel_is_compared() -> None:
    assert set(SHAPES) == set(KERNELS)


def test_one_query_per_client_is_a_vector() -> None:
    bank = Bank()
    bank.observe(np.array([3, 1]), np.array([1.0, 2.0]), np.array([0.1, 0.2]))
    mean, std = bank.predict(np.array([1, 3, 9]), np.array([2.0, 1.0, 1.0]))
    assert mean.shape == std.shape == (3,)
    assert mean == pytest.approx([0.2, 0.1, 0.0], abs=1e-12)
    assert std[2] == 1.0


def test_nothing_is_learned_from_silence() -> None:
    bank = Bank()
    bank.observe(np.array([1, 2]), np.array([1.0, 1.0]), np.array([np.nan, 0.4]))
    mean, std = bank.predict(np.array([1, 2]), np.array([1.0, 1.0]))
    assert (mean[0], std[0]) == pytest.approx((0.0, 1.0), abs=1e-12)
    assert mean[1] == pytest.approx(0.4)
    assert std[1] < 0.1


@pytest.mark.parametrize(("x", "y"), [(np.nan, 1.0), (np.inf, 1.0), (1.0, np.inf)])
def test_bad_observations_are_refused(x: float, y: float) -> None:
    with pytest.raises(InputError, match="observations"):
        Bank().observe(np.array([1]), np.array([x]), np.array([y]))


def test_unknown_kernels_are_refused() -> None:
    with pytest.raises(UnknownName, match="did you mean 'matern52'"):
        Bank("matern5")
