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
        if not np.array_equal(ids, self.ids):
            both, first = np.unique(np.concatenate([ids, self.ids]), return_index=True)
            self.values = np.concatenate([values, self.values])[first]
            self.ids = both
        else:
            self.values = values.copy()
