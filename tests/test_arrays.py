import numpy as np
import pytest

from lefi.arrays import floats, number, vector, whole
from lefi.errors import InputError


@pytest.mark.parametrize(
    "value", [np.nan, np.inf, -np.inf, -1, -0.001, 11, 10**400, "3", None, True, np.True_, [1.0], 1j]
)
def test_number_refuses(value: object) -> None:
    with pytest.raises(InputError, match=r"^budget is .*: it must be "):
        number("budget", value, low=0, high=10)


@pytest.mark.parametrize("value", [0, 10, 2.5, np.float32(2.5), np.int64(3)])
def test_number_accepts(value: float) -> None:
    result = number("budget", value, low=0, high=10)
    assert type(result) is float
    assert result == value


def test_number_above_is_strict() -> None:
    with pytest.raises(InputError, match="finite and > 0"):
        number("budget", 0, above=0)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, -1, 6])
def test_whole_refuses(value: object) -> None:
    with pytest.raises(InputError, match=r"rounds is .*: it must be a whole number >= 0 and <= 5"):
        whole("rounds", value, low=0, high=5)


def test_whole_heeds_an_upper_bound_of_zero() -> None:
    with pytest.raises(InputError, match="<= 0"):
        whole("rounds", 1, low=0, high=0)
    assert whole("rounds", np.int64(0), low=0, high=0) == 0


@pytest.mark.parametrize(
    "values", [[np.nan, 1.0], [np.inf, 1.0], [-1.0, 1.0], [1.0, 3.0], ["1", "2"], [True, False], [None, 1.0], [1j, 1]]
)
def test_vector_refuses_values(values: list[object]) -> None:
    with pytest.raises(InputError, match=r"^iid"):
        vector("iid", values, clients=2, low=0, high=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[1.0], [1.0, 1.0, 1.0], [[1.0, 1.0]], [[1.0], [1.0, 2.0]], []])
def test_vector_refuses_shapes(values: list[float]) -> None:
    with pytest.raises(InputError, match="iid"):
        vector("iid", values, clients=2)  # type: ignore[arg-type]


def test_vector_names_the_first_wrong_client() -> None:
    with pytest.raises(InputError, match=r"^iid\[2\] is 7.0: it must be finite and in \[0, 1\]$"):
        vector("iid", np.array([0, 1, 7, 8.0]), low=0, high=1)


def test_vector_spreads_a_number() -> None:
    assert vector("iid", 0.5, clients=3).tolist() == [0.5, 0.5, 0.5]


def test_vector_is_a_read_only_copy() -> None:
    mine = np.array([1.0, 2.0])
    theirs = vector("iid", mine)
    mine[0] = 5.0
    assert theirs.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        theirs[0] = 3.0


def test_floats_keeps_nan_and_shape() -> None:
    assert np.isnan(floats("sizes", [[np.nan, 1]])).tolist() == [[True, False]]
