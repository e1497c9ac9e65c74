"""The bank against a reference in 60 digits: mean, std, joint covariance, evidence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lefi.arrays import FloatArray
from lefi.surrogate import Bank, Hyper
from tests.lengths import examples
from tests.surrogate.reference import Answer, exact, extended

STATE_SPACE = ("iwp", "matern32", "matern52")
LIMIT = {"iwp": 1e-9, "matern32": 1e-9, "matern52": 1e-9, "rbf": 1e-6}
CLIENT = np.array([5])


def told(kernel: str, hyper: Hyper, x: FloatArray, y: FloatArray, **settings: object) -> Bank:
    bank = Bank(kernel, hyper, **settings)  # type: ignore[arg-type]
    for a, b in zip(x, y, strict=True):
        bank.observe(CLIENT, np.array([a]), np.array([b]))
    return bank


def judge(bank: Bank, right: Answer, q: FloatArray, n: int, limit: float) -> None:
    """Errors in units of the prior standard deviation, of the evidence per observation."""
    mean, std = bank.predict(CLIENT, q[None])
    joint_mean, covariance = bank.joint(CLIENT, q[None])
    assert np.abs((mean[0] - right.mean) / right.prior).max() <= limit
    assert np.abs((joint_mean[0] - right.mean) / right.prior).max() <= limit
    assert np.abs((std[0] - np.sqrt(np.diag(right.covariance))) / right.prior).max() <= limit
    assert np.abs((covariance[0] - right.covariance) / right.prior / right.prior[:, None]).max() <= limit
    if n:
        assert abs(bank.evidence()[0] - right.evidence) <= limit * max(n, abs(right.evidence))


@st.composite
def cases(draw: st.DrawFn, widest: float) -> tuple[Hyper, FloatArray, FloatArray, FloatArray]:
    """Inputs with duplicates, clusters 1e-12 apart and any span up to `widest`; answers of a smooth curve and noise."""
    n = draw(st.sampled_from([0, 1, 2, 3, 5, 8, 12, 20]))
    span = 10 ** draw(st.floats(-3, np.log10(widest)))
    noise = 10 ** draw(st.floats(-8, 0))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    x = rng.uniform(0, span, n)
    for i in range(1, n):
        x[i] = draw(st.sampled_from([x[i], x[i], x[i - 1], x[i - 1] + 1e-12]))
    y = np.sin(3 * x / max(span, 1)) + np.sqrt(noise) * rng.normal(size=n)
    at = draw(st.sampled_from([0.0, 0.5, 1.0]))
    q = np.array([x[0] if n else 0.0, rng.uniform(0, span), span * (1 + 0.1 * at)])
    return Hyper(draw(st.sampled_from([0.3, 1.0, 4.0])), draw(st.sampled_from([1.0, 0.04])), noise), x, y, q


@pytest.mark.parametrize("kernel", STATE_SPACE)
@examples(40)
@given(case=cases(widest=1e6))
def test_state_space_kernels_are_exact(kernel: str, case: tuple[Hyper, FloatArray, FloatArray, FloatArray]) -> None:
    hyper, x, y, q = case
    judge(told(kernel, hyper, x, y), exact(kernel, hyper, x, y, q), q, len(x), LIMIT[kernel])


@examples(40)
@given(case=cases(widest=10.0))
def test_rbf_is_exact_over_ten_lengthscales(case: tuple[Hyper, FloatArray, FloatArray, FloatArray]) -> None:
    hyper, x, y, q = case
    hyper, x, q = Hyper(1.0, hyper.signal, hyper.noise), x * 0.9, q * 0.9
    judge(told("rbf", hyper, x, y), exact("rbf", hyper, x, y, q), q, len(x), LIMIT["rbf"])


def long_history(n: int, span: float, noise: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """A climb with jitter, then a crowd around one input, as in a run of the paper's algorithm."""
    rng = np.random.default_rng(n)
    climb = span * np.linspace(0.02, 0.8, n // 2) * (1 + 0.01 * rng.normal(size=n // 2))
    crowd = span * 0.8 * (1 + 0.02 * rng.normal(size=n - n // 2))
    x = np.concatenate([climb, crowd])
    x[-1] = x[-2]
    y = np.log1p(4 * x / span) + np.sqrt(noise) * rng.normal(size=n)
    return x, y, span * np.array([0.8, 0.801, 0.95])


@pytest.mark.parametrize("kernel", [*STATE_SPACE, "rbf"])
def test_a_hundred_observations_of_little_noise(kernel: str) -> None:
    hyper = Hyper(1.0, 0.5, 1e-8)
    x, y, q = long_history(100, 3.0, 1e-8)
    judge(told(kernel, hyper, x, y), exact(kernel, hyper, x, y, q), q, 100, LIMIT[kernel])


@pytest.mark.parametrize("noise", [1e-6, 1e-2])
@pytest.mark.parametrize("kernel", [*STATE_SPACE, "rbf"])
def test_five_hundred_observations(kernel: str, noise: float) -> None:
    hyper = Hyper(1.0, 2.0, noise)
    x, y, q = long_history(500, 9.0, noise)
    judge(told(kernel, hyper, x, y), extended(kernel, hyper, x, y, q), q, 500, LIMIT[kernel])


@pytest.mark.parametrize("kernel", STATE_SPACE)
@pytest.mark.parametrize("noise", [1e-6, 1e-3, 1.0])
def test_float32_storage_is_good_to_one_in_ten_thousand(kernel: str, noise: float) -> None:
    hyper = Hyper(1.0, 1.0, noise)
    x, y, q = long_history(60, 3.0, noise)
    judge(told(kernel, hyper, x, y, storage="float32"), extended(kernel, hyper, x, y, q), q, 60, 1e-4)


def test_the_two_references_agree() -> None:
    hyper = Hyper(0.7, 2.0, 1e-3)
    x, y, q = long_history(30, 3.0, 1e-3)
    for kernel in LIMIT:
        one, other = exact(kernel, hyper, x, y, q), extended(kernel, hyper, x, y, q)
        assert one.mean == pytest.approx(other.mean, abs=1e-13)
        assert one.covariance == pytest.approx(other.covariance, abs=1e-13)
        assert one.evidence == pytest.approx(other.evidence, rel=1e-13)
