import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lefi.mechanisms.table import LastValue

WRITES = st.lists(st.lists(st.integers(0, 12), unique=True, max_size=8), max_size=6)


@given(WRITES, st.lists(st.integers(0, 15), unique=True, max_size=10))
def test_it_is_a_dictionary_by_id(writes: list[list[int]], asked: list[int]) -> None:
    notebook, expected = LastValue(), dict[int, float]()
    for turn, ids in enumerate(writes):
        values = np.array([100.0 * turn + id for id in ids])
        notebook.write(np.array(ids, dtype=np.int64), values)
        expected.update(zip(ids, values.tolist(), strict=True))
    read = notebook.read(np.array(asked, dtype=np.int64), default=-1.0)
    assert read.tolist() == [expected.get(id, -1.0) for id in asked]


def test_defaults_may_differ_by_client() -> None:
    notebook = LastValue()
    notebook.write(np.array([5]), np.array([0.5]))
    assert notebook.read(np.array([4, 5, 6]), default=np.array([1.0, 2.0, 3.0])).tolist() == [1.0, 0.5, 3.0]


def test_it_keeps_its_own_numbers() -> None:
    notebook, values = LastValue(), np.array([1.0, 2.0])
    for _ in range(2):
        notebook.write(np.array([1, 2]), values)
        values[:] = 9.0
    read = notebook.read(np.array([1, 2]), default=0.0)
    read[:] = 7.0
    assert notebook.read(np.array([1, 2]), default=0.0).tolist() == [9.0, 9.0]
