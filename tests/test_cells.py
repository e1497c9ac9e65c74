"""Cells: every client in one partition, and sums that do not depend on how many there are."""

from math import fsum

import numpy as np
import pytest

from lefi.cells import CELLS, ids_of, in_cells, total
from lefi.draws import key, uniform

CLIENTS = 10_007
PARTITIONS = (1, 2, 7, 16, 4096)


@pytest.mark.parametrize("partitions", PARTITIONS)
def test_every_client_lies_in_one_partition(partitions: int) -> None:
    parts = [ids_of(part, partitions, CLIENTS) for part in range(partitions)]
    assert all((np.diff(ids) > 0).all() for ids in parts)
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(CLIENTS))
    assert max(ids.size for ids in parts) <= -(-CLIENTS // CELLS) * -(-CELLS // partitions)


def test_sums_are_the_same_to_the_last_bit() -> None:
    plain = 0
    divided = [[ids_of(part, partitions, CLIENTS) for part in range(partitions)] for partitions in PARTITIONS[:-1]]
    for draw in range(10):
        values = uniform(key(draw, "sums"), np.arange(CLIENTS))
        found, others = set(), set()
        for parts in divided:
            found.add(total([in_cells(ids, values[ids]) for ids in parts]))
            others.add(sum(float(values[ids].sum()) for ids in parts))
        assert len(found) == 1
        assert found.pop() == pytest.approx(fsum(values.tolist()), rel=1e-14)
        plain = max(plain, len(others))
    assert plain > 1  # sums by partition are not
