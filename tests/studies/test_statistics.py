"""Intervals have a middle that is right, are never NaN for data that are there, and cover what they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lefi.studies.judge.statistics import (
    bootstrap,
    chance,
    coverage,
    difference,
    holm,
    improvement,
    median,
    rank,
    settled,
)
from tests.lengths import examples

numbers = st.floats(-1e3, 1e3)


@given(arrays(np.float64, st.integers(1, 12), elements=numbers))
@examples(40)
def test_interval_is_finite_and_ordered(values: np.ndarray) -> None:
    for interval in (median(values), bootstrap(values, np.mean)):
        assert np.isfinite(interval).all()
        assert values.min() - 1e-9 <= interval.low <= interval.high <= values.max() + 1e-9
    assert median(values).middle == np.median(values)


@pytest.mark.parametrize("values", [[2.0], [2.0, 2.0], [2.0] * 10, [2.0] * 9 + [3.0], [1.0, 2.0, 2.0, 2.0, 2.0, 3.0]])
def test_degenerate_data_give_no_nan(values: list[float]) -> None:
    assert np.isfinite(median(np.array(values))).all()
    assert np.isfinite(bootstrap(np.array(values), np.mean)).all()


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


def test_same_numbers_same_bootstrap_and_another_seed_another() -> None:
    values = np.random.default_rng(1).normal(size=30)
    assert bootstrap(values, np.mean) == bootstrap(values, np.mean)
    assert bootstrap(values, np.mean).low != bootstrap(values, np.mean, seed=1).low


def drawn(kind: str, seeds: int, experiments: int) -> np.ndarray:
    """Values whose true median is 0, one column per experiment."""
    rng = np.random.default_rng(2)
    if kind == "skewed":
        return rng.exponential(size=(seeds, experiments)) - np.log(2)
    if kind == "heavy":
        return rng.standard_t(1.2, size=(seeds, experiments))
    return rng.normal(size=(seeds, experiments))


@pytest.mark.parametrize("kind", ["normal", "skewed", "heavy"])
@pytest.mark.parametrize("seeds", [6, 10, 30])
def test_the_interval_of_a_median_holds_as_often_as_it_says(seeds: int, kind: str) -> None:
    """20,000 experiments side by side: their share is known to half a percent."""
    found = median(drawn(kind, seeds, 20_000))
    covered = float(np.mean((found.low <= 0) & (found.high >= 0)))
    assert covered >= 0.945
    assert covered == pytest.approx(coverage(seeds), abs=0.006)


def test_a_bootstrap_of_ten_seeds_would_not_hold() -> None:
    """The control: the same experiment, with the interval that was used before, falls short."""
    found = bootstrap(drawn("normal", 10, 600), np.median)
    assert float(np.mean((found.low <= 0) & (found.high >= 0))) < 0.94


def test_ranks_of_the_interval() -> None:
    assert [rank(n) for n in (1, 3, 5, 6, 8, 9, 10, 20, 30)] == [1, 1, 1, 1, 1, 2, 2, 6, 10]
    assert coverage(3) == 0.75  # three seeds allow no more
    assert list(median(np.arange(10.0))) == [4.5, 1.0, 8.0]


@given(arrays(np.float64, st.integers(6, 14), elements=numbers, unique=True), numbers)
def test_an_interval_above_a_mark_is_a_chance_below_a_twentieth(values: np.ndarray, mark: float) -> None:
    assert (float(median(values).low) > mark) == (chance(values, mark) <= 0.05)


def test_chances_of_a_few_values() -> None:
    assert chance(np.ones(10)) == pytest.approx(2 / 1024)
    assert chance(np.zeros(10)) == 1.0
    assert chance(np.array([])) == 1.0


def test_holm_keeps_the_order_and_never_helps() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.2, 0.9]) == pytest.approx([0.4, 0.9])
    assert holm([]) == []


def test_holm_is_wrong_in_one_family_of_twenty_at_most() -> None:
    """Twelve claims, none of them true, ten seeds each: how often any looks confirmed."""
    rng = np.random.default_rng(5)
    families = [[chance(rng.normal(size=10)) for _ in range(12)] for _ in range(400)]
    assert np.mean([min(family) <= 0.05 for family in families]) > 0.08  # uncorrected
    assert np.mean([min(holm(family)) <= 0.05 for family in families]) <= 0.05


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
    always = improvement(np.ones(10), np.zeros(10))
    assert always.middle == always.high == 1.0
    assert always.low == pytest.approx(0.6915, abs=1e-3)  # Clopper and Pearson, 10 of 10


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
