"""A number per client that is remembered under the client's id."""

import numpy as np

from lefi.arrays import FloatArray, IntArray


class LastValue:
    """Last value noted for each id; ids sorted, so that the order in which clients appear leaves no trace."""

    def __init__(self) -> None:
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.values: FloatArray = np.empty(0)

    def read(self, ids: IntArray, default: float | FloatArray) -> FloatArray:
        """The value noted for each id, or the default."""
        if np.array_equal(ids, self.ids):  # the same clients as last time: no search
            return self.values.copy()
        result = np.broadcast_to(np.asarray(default, dtype=np.float64), ids.shape).copy()
        if self.ids.size:
            at = np.minimum(np.searchsorted(self.ids, ids), self.ids.size - 1)
            known = self.ids[at] == ids
            result[known] = self.values[at[known]]
        return result

    def write(self, ids: IntArray, values: FloatArray) -> None:
        """Note a value for each id."""
        if np.array_equal(ids, self.ids):
            self.values = values.copy()
            return
        at = np.minimum(np.searchsorted(self.ids, ids), max(self.ids.size - 1, 0))
        known = self.ids[at] == ids if self.ids.size else np.zeros(ids.size, dtype=bool)
        self.values = self.values.copy()
        self.values[at[known]] = values[known]
        if not known.all():  # only newcomers are sorted: who left may be many
            order = np.argsort(ids[~known])
            new = ids[~known][order]
            into = np.searchsorted(self.ids, new)
            self.ids = np.insert(self.ids, into, new)
            self.values = np.insert(self.values, into, values[~known][order])

    def forget(self, ids: IntArray) -> None:
        """Let the values of these ids go, where there are any; ids in order."""
        if ids.size and self.ids.size:
            stay = ids[np.minimum(np.searchsorted(ids, self.ids), ids.size - 1)] != self.ids
            self.ids, self.values = self.ids[stay], self.values[stay]
