"""Roots against SciPy's elementwise root finder: the same bits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize.elementwise import find_root

from lefi.arrays import FloatArray
from lefi.optimum.roots import roots


def bargain(x: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.log(np.maximum(a - 0.01 * x, 1e-300)) - b * x)


def cubic(x: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(a - b * x**3)


def kink(x: FloatArray, a: FloatArray, b: FloatArray) -> FloatArray:
    return np.asarray(np.sign(a - x) * np.abs(a - x) ** b)


@pytest.mark.parametrize("function", [bargain, cubic, kink])
@given(seed=st.integers(0, 2**32), n=st.integers(1, 30))
def test_the_same_bits_as_scipy(function: object, seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(1e-4, 5, n), rng.uniform(0.1, 2, n)
    low, high = np.zeros(n), rng.uniform(0.1, 10, n)
    expected = find_root(function, (low, high), args=(a, b)).x
    found = roots(function, low, high, a, b)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, expected)  # NaN where there is no root in between, in both
    assert np.isfinite(found).any() or not np.isfinite(expected).any()


def test_no_root_in_between_is_nan_and_an_end_is_a_root() -> None:
    one = np.ones(3)
    found = roots(lambda x, a: a - x, 0 * one, np.array([2.0, 0.5, 1.0]), one)
    np.testing.assert_array_equal(found, [1.0, np.nan, 1.0])
