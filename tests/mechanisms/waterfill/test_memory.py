"""Which answers of a client are remembered, and which are not worth their place."""

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.facts import Book, Client
from lefi.mechanisms.waterfill.memory import SLOTS, blank, narrowed, push, widened
from lefi.mechanisms.waterfill.tracks import COLUMNS, TRACKS

TOP = 10.0


def empty(clients: int) -> Book:
    """Rows of clients that have not answered."""
    none, zero = np.zeros(clients, dtype=np.int64), np.zeros(clients)
    tracks = np.zeros((clients, TRACKS, COLUMNS))
    return Book(none, tracks, blank(clients), none.copy(), none, zero, zero, zero, zero, zero, zero, zero > 0)


def remembered(x: list[float], y: list[float], rho: float, limit: float = TOP) -> FloatArray:
    """Weights and sizes that are remembered after these answers, oldest first."""
    book = empty(1)
    for weight, size in zip(x, y, strict=True):
        push(book, 0, (weight, limit, size), Client(1.0, rho, TOP, 0.0, TOP))
    return np.array(book.answers[0, [0, 2], : book.kept[0]])


def test_of_a_plateau_only_the_ends_are_needed() -> None:
    x, y = [0.0, -0.5, -1.0, -2.0, -1.5], [8.0, 8.0, 8.0, 5.0, 8.0]
    np.testing.assert_array_equal(remembered(x, y, rho=1e-3), [[0.0, -2.0, -1.5], [8.0, 5.0, 8.0]])


def test_on_the_rise_all_is_remembered_and_an_equal_weight_once() -> None:
    assert remembered([0.0, -0.5, -1.0, -0.5], [8.0, 7.0, 6.0, 7.0], rho=1e-3).tolist() == [
        [0.0, -1.0, -0.5],
        [8.0, 6.0, 7.0],
    ]


def test_a_noisy_client_and_answers_cut_by_a_limit_are_remembered_whole() -> None:
    x, y = [0.0, -0.5, -1.0], [8.0, 8.0, 8.0]
    assert remembered(x, y, rho=0.1).shape == (2, 3)
    assert remembered(x, y, rho=1e-3, limit=8.0).shape == (2, 3)


def test_where_there_is_no_more_room_the_oldest_goes_unless_a_newer_one_repeats_another() -> None:
    x = list(np.linspace(0, 4, SLOTS))
    assert remembered([*x, 5.0], [1.0 + w for w in [*x, 5.0]], rho=0.1)[0, 0] == x[1]
    x[7] = x[3] + 0.01
    assert x[3] not in remembered([*x, 5.0], [1.0 + w for w in [*x, 5.0]], rho=0.1)[0]


def test_newcomers_get_rows_of_their_own_among_the_old_ones() -> None:
    book = empty(3)
    for row in range(3):
        push(book, row, (float(row), TOP, 10.0 + row), Client(1.0, 0.1, TOP, 0.0, TOP))
    wider = widened(book.answers, np.array([0, 2, 2]), book.kept)
    np.testing.assert_array_equal(wider[:, 2, 0], [0, 10, 11, 0, 0, 12])
    assert wider.strides == blank(6).strides  # compiled code knows one layout only
    fewer = narrowed(wider, np.array([False, True, True, False, False, True]), book.kept)
    np.testing.assert_array_equal(fewer[:, 2, 0], [10, 11, 12])
    assert fewer.strides == blank(3).strides
