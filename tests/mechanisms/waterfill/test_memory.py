"""Which answers of a client are remembered, and who is forgotten."""

import numpy as np

from lefi.arrays import IntArray
from lefi.mechanisms.waterfill.memory import FORGET, SLOTS, Memory
from lefi.messages import Roster


def note(memory: Memory, ids: IntArray, x: float, y: float) -> None:
    n = ids.size
    roster = Roster(ids, np.zeros(n), np.full(n, 0.5))
    memory.note(roster, np.full(n, x), np.full(n, 10.0), np.full(n, y))


def test_the_newest_answer_comes_first_and_an_equal_one_takes_its_place() -> None:
    memory, one = Memory(), np.array([7])
    for x, y in ((0.0, 5.0), (-1.0, 4.0), (-1.0, 4.0)):
        note(memory, one, x, y)
    assert memory.read(one).x[0, :2].tolist() == [-1.0, 0.0]
    assert np.isnan(memory.read(one).y[0, 2])
    note(memory, one, -2.0, np.nan)  # no answer
    assert memory.read(one).x[0, 0] == -1.0


def test_with_no_room_left_an_old_answer_close_to_the_new_one_goes() -> None:
    memory, one = Memory(), np.array([7])
    for j in range(SLOTS):
        note(memory, one, float(j), 1.0 + j)
    note(memory, one, 2.1, 3.0)
    kept = memory.read(one).x[0].tolist()
    assert 2.0 not in kept
    assert 0.0 in kept
    assert len(kept) == SLOTS


def test_newcomers_get_a_row_and_who_left_loses_it() -> None:
    memory = Memory()
    assert memory.rows(np.array([3, 9])).tolist() == [-1, -1]
    note(memory, np.array([3, 9]), 0.0, 5.0)
    note(memory, np.array([1, 9]), -1.0, 4.0)
    assert memory.ids.tolist() == [1, 3, 9]
    assert memory.rows(np.array([9, 2, 1, 77])).tolist() == [2, -1, 0, -1]
    assert memory.read(np.array([3, 9])).y[:, 0].tolist() == [5.0, 4.0]
    for _ in range(FORGET):
        note(memory, np.array([1, 9]), -1.0, 4.0)
    assert memory.ids.tolist() == [1, 9]
    assert np.isnan(memory.read(np.array([3])).y[0, 0])
