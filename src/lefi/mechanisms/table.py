"""What is kept of clients, a row each, and the simplest of it: one number per client."""

from typing import Any

import numpy as np

from lefi.arrays import BoolArray, FloatArray, IntArray


class Table:
    """Columns with a row per client, in order of ids: the order in which clients appear leaves no trace.

    Each column is an attribute; it is given as a row of it that is empty, which newcomers get.
    """

    def __init__(self, **empty: Any) -> None:
        self.ids: IntArray = np.empty(0, dtype=np.int64)
        self.empty = empty
        for name, row in empty.items():
            setattr(self, name, row[:0])

    def rows(self, ids: IntArray) -> IntArray:
        """Where these ids stand; -1 where one is new."""
        if np.array_equal(ids, self.ids):  # most rounds of a large fleet: to look a million ids up takes long
            return np.arange(ids.size)
        at = np.searchsorted(self.ids, ids)
        found = at < self.ids.size
        found[found] = self.ids[at[found]] == ids[found]
        return np.where(found, at, -1)

    def admit(self, ids: IntArray) -> IntArray:
        """Where these ids stand, now that newcomers have a row."""
        at = self.rows(ids)
        if (at < 0).any():
            new = np.sort(ids[at < 0])  # only newcomers are sorted: who left may be many
            into = np.searchsorted(self.ids, new)
            self.ids = np.insert(self.ids, into, new)
            for name, row in self.empty.items():
                setattr(self, name, np.insert(getattr(self, name), into, row, axis=0))
            at = self.rows(ids)
        return at

    def keep(self, stay: BoolArray) -> None:
        """Let all other rows go."""
        if not stay.all():
            self.ids = self.ids[stay]
            for name in self.empty:
                setattr(self, name, getattr(self, name)[stay])


class LastValue(Table):
    """Last value noted for each id."""

    values: FloatArray

    def __init__(self) -> None:
        super().__init__(values=np.zeros(1))

    def read(self, ids: IntArray, default: float | FloatArray) -> FloatArray:
        """The value noted for each id, or the default."""
        result = np.broadcast_to(np.asarray(default, dtype=np.float64), ids.shape).copy()
        at = self.rows(ids)
        known = at >= 0
        result[known] = self.values[at[known]]
        return result

    def write(self, ids: IntArray, values: FloatArray) -> None:
        """Note a value for each id."""
        at, kept = self.admit(ids), self.values.copy()
        kept[at] = values
        self.values = kept

    def forget(self, ids: IntArray) -> None:
        """Let the values of these ids go, where there are any."""
        self.keep(~np.isin(self.ids, ids))
