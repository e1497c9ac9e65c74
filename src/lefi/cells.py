"""Cells: which partition a client belongs to, and sums over the fleet that do not depend on partitions.

Every client lies in one of CELLS cells by its id, and a partition holds whole cells. A sum is made within each cell in
the order of ids, and then over all cells: the same additions, however cells are spread over partitions and workers.
"""

from collections.abc import Sequence
from math import fsum

import numpy as np

from lefi.arrays import FloatArray, IntArray

CELLS = 4096  # the most partitions there can be; 32 kB per sum and partition travel


def ids_of(partition: int, partitions: int, clients: int) -> IntArray:
    """The ids below `clients` that lie in a partition, in order."""
    cells = [np.arange(cell, clients, CELLS, dtype=np.int64) for cell in range(partition, CELLS, partitions)]
    return np.sort(np.concatenate(cells))


def in_cells(ids: IntArray, values: FloatArray) -> FloatArray:
    """The sum of values in each cell."""
    return np.asarray(np.bincount(ids % CELLS, values, CELLS), dtype=np.float64)


def total(cells: Sequence[FloatArray]) -> float:
    """The sum over all partitions: of every cell only one of them has clients."""
    return fsum(np.sum(cells, axis=0).tolist())


def summed(ids: IntArray, values: FloatArray) -> float:
    """The same sum where the whole fleet is here."""
    return total([in_cells(ids, values)])
