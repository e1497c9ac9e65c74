"""Where a client's data stand: id -> row, without a dictionary."""

import numpy as np

from lefi.arrays import BoolArray, IntArray


class Rows:
    """Rows in order of arrival; a sorted copy of the ids finds them. The roster of the last call is remembered."""

    def __init__(self) -> None:
        self.ids: IntArray = np.empty(0, dtype=np.int64)  # by row
        self._sorted: IntArray = self.ids
        self._row: IntArray = self.ids  # of each sorted id
        self._last: tuple[IntArray, IntArray] | None = None

    def __len__(self) -> int:
        return self.ids.size

    @property
    def nbytes(self) -> int:
        return self.ids.nbytes + self._sorted.nbytes + self._row.nbytes

    def find(self, ids: IntArray) -> IntArray:
        """The row of each id, -1 where it is unknown."""
        if self._last is not None and (self._last[0] is ids or np.array_equal(self._last[0], ids)):
            return self._last[1]
        rows: IntArray = np.full(ids.size, -1)
        if len(self):
            near = np.minimum(np.searchsorted(self._sorted, ids), len(self) - 1)
            rows = np.where(self._sorted[near] == ids, self._row[near], -1)
        if not ids.flags.writeable:  # else the caller may change it under our hands
            self._last = ids, rows
        return rows

    def admit(self, ids: IntArray) -> IntArray:
        """The row of each id; newcomers get the next rows."""
        rows = self.find(ids)
        new: BoolArray = rows < 0
        if not new.any():
            return rows
        fresh = ids[new]
        self.ids = np.concatenate([self.ids, fresh])
        self._row = np.argsort(self.ids, kind="stable")
        self._sorted = self.ids[self._row]
        self._last = None
        return self.find(ids)

    def copy(self) -> "Rows":
        twin = Rows()
        twin.ids, twin._sorted, twin._row, twin._last = self.ids, self._sorted, self._row, self._last
        return twin
