"""Intervals have a middle that is right, are never NaN for data that are there, and cover what they should."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lefi.studies.judge.statistics import difference, improvement, interquartile_mean, iqm, median, settled

numbers = st.floats(-1e3, 1e3)


@given(arrays(np.float64, st.integers(1, 12), elements=numbers))
@settings(max_examples=40, deadline=None)
def test_interval_is_finite_and_ordered(values: np.ndarray) -> None:
    for interval in (median(values), iqm(values)):
        assert np.isfinite(interval).all()
        assert values.min() - 1e-9 <= interval.low <= interval.high <= values.max() + 1e-9
    assert median(values).middle == np.median(values)


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0], [2.0] * 10, [2.0] * 9 + [3.0], [1.0, 2.0, 2.0, 2.0, 2.0, 3.0]])
def test_degenerate_data_give_no_nan(values: list[float]) -> None:
    assert np.isfinite(median(np.array(values))).all()
    assert np.isfinite(iqm(np.array(values))).all()


def test_constant_data_have_an_interval_of_no_width() -> None:
    assert list(median(np.full(10, 0.7))) == [0.7] * 3


def test_missing_seeds_are_left_out_and_columns_do_not_mix() -> None:
    values = np.random.default_rng(0).normal(size=(10, 3))
    holes = values.copy()
    holes[:4, 1] = np.nan
    holes[:, 2] = np.nan
    full, holed = median(values), median(holes)
    assert full.middle.shape == (3,)
    assert (full.low[0], full.high[0]) == pytest.approx((holed.low[0], holed.high[0]), abs=1e-12)
    assert holed.middle[1] == np.median(values[4:, 1])
    assert np.isnan([holed.middle[2], holed.low[2], holed.high[2]]).all()


def test_same_numbers_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(1).normal(size=30)
    assert iqm(values) == iqm(values)
    assert iqm(values).low != iqm(values, seed=1).low


def test_interquartile_mean() -> None:
    assert interquartile_mean(np.array([100.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, -9.0])) == 3.5
    assert interquartile_mean(np.array([1.0, 2.0, 6.0])) == 3.0  # too few to cut a quarter off


def test_coverage_of_the_median() -> None:
    """About 95% of the intervals hold the truth; 20 seeds, 400 experiments side by side."""
    values = np.random.default_rng(2).normal(size=(20, 400))
    interval = median(values)
    covered = np.mean((interval.low <= 0) & (interval.high >= 0))
    assert 0.90 <= covered <= 0.985


def test_paired_difference_sees_what_unpaired_would_not() -> None:
    rng = np.random.default_rng(3)
    fleets = rng.normal(0, 10, size=20)
    ours, theirs = fleets + 0.1 + rng.normal(0, 0.01, 20), fleets + rng.normal(0, 0.01, 20)
    gap = difference(ours, theirs)
    assert 0.08 < gap.low < gap.middle < gap.high < 0.12
    assert median(ours).low < median(theirs).high  # the bands of the two overlap


def test_improvement_counts_ties_half_and_leaves_missing_out() -> None:
    ours, theirs = np.array([1.0, 1.0, 0.0, np.nan]), np.array([0.0, 1.0, 1.0, 0.0])
    assert improvement(ours, theirs).middle == 0.5
    assert list(improvement(np.ones(5), np.zeros(5))) == [1.0] * 3


def test_settled() -> None:
    weights = np.ones((50, 2))
    assert settled(weights) == 1
    weights[:10] = 0.5
    assert settled(weights) == 11
    weights[30, 1] = 1.2  # one client, once
    assert settled(weights) == 32
    weights[49, 0] = 2.0
    assert settled(weights) is None
    assert settled(np.zeros((5, 1))) == 1
