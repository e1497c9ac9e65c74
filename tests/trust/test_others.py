import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lefi.trust.others import median_of_others


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_the_median_of_the_others(values: list[float]) -> None:
    array = np.array(values)
    expected = [np.median(np.delete(array, i)) for i in range(len(array))]
    assert np.allclose(median_of_others(array), expected)


def test_columns_are_apart() -> None:
    rows = np.random.default_rng(0).normal(size=(9, 3))
    assert np.allclose(median_of_others(rows)[:, 1], median_of_others(rows[:, 1]))
