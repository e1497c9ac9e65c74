"""Array types, and the checks that arrays pass at the border."""

from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lefi.errors import InputError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
Floats = NDArray[np.float64] | float  # an array, or one number for all
TINY = float(np.finfo(np.float64).tiny)  # the least number of full precision: has a log
_NUMBERS = (float, int, np.integer, np.floating)


def vector(
    field: str, values: Floats, *, clients: int | None = None, low: float = -np.inf, high: float = np.inf
) -> FloatArray:
    """`values` as a read-only float vector, finite and within [low, high]; a number stands for every client."""
    array = floats(field, values)
    if array.ndim == 0 and clients is not None:
        array = np.full(clients, array)
    if array.ndim != 1 or (clients is not None and array.size != clients):
        raise InputError(f"shape of {field}", array.shape, f"({'clients' if clients is None else clients},)")
    if array.size:
        least, most = np.minimum.reduce(array), np.maximum.reduce(array)  # NaN comes through both
        if not (isfinite(least) and isfinite(most) and low <= least and most <= high):
            wrong = ~(np.isfinite(array) & (array >= low) & (array <= high))
            where = int(np.flatnonzero(wrong)[0])
            raise InputError(f"{field}[{where}]", float(array[where]), f"finite and {interval(low, high)}")
    array.flags.writeable = False
    return array


def floats(field: str, values: Any) -> FloatArray:
    """A float copy of `values`: who sent them cannot change them later. Text and truth values are no numbers."""
    try:
        array = np.asarray(values)
    except ValueError:  # rows of different lengths
        raise InputError(field, values, "numbers") from None
    if array.dtype.kind not in "iuf":
        raise InputError(field, values, "numbers")
    return array.astype(np.float64)


def number(field: str, value: Any, *, low: float = -np.inf, high: float = np.inf, above: float = -np.inf) -> float:
    """`value` as a finite float within [low, high] and above `above`."""
    if isinstance(value, bool) or not isinstance(value, _NUMBERS):
        raise InputError(field, value, "a number")
    try:
        result = float(value)
    except OverflowError:
        result = inf
    if not (isfinite(result) and low <= result <= high and result > above):
        wanted = f"> {above:g}" if above > -np.inf else interval(low, high)
        raise InputError(field, value, f"finite and {wanted}" if wanted else "finite")
    return result


def whole(field: str, value: Any, *, low: int, high: int | None = None) -> int:
    """`value` as an int of at least `low` and, where given, at most `high`."""
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or value < low
        or (high is not None and value > high)
    ):
        raise InputError(field, value, f"a whole number >= {low}" + ("" if high is None else f" and <= {high}"))
    return int(value)


def interval(low: float, high: float) -> str:
    if np.isfinite(low) and np.isfinite(high):
        return f"in [{low:g}, {high:g}]"
    return f">= {low:g}" if np.isfinite(low) else f"<= {high:g}" if np.isfinite(high) else ""


def distinct(values: IntArray) -> IntArray:
    """`values` as a read-only vector of the ids of clients: whole numbers from 0 on, all different, at least one."""
    given = np.atleast_1d(np.asarray(values))
    if given.size == 0:
        raise InputError("clients", 0, "at least 1")
    if given.dtype.kind not in "iu" or given.ndim != 1:
        raise InputError("ids", values, "one row of whole numbers")
    ids = given.astype(np.int64)
    if ids.min() < 0:
        raise InputError("ids", int(ids.min()), ">= 0 and < 2^63")
    if not (np.diff(ids) > 0).all() and (np.diff(np.sort(ids)) == 0).any():  # np.unique is 20 times slower than sort
        raise InputError("ids", values, "unique")
    ids.flags.writeable = False
    return ids
