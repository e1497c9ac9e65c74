"""Each value of a round against the others of the round."""

import numpy as np

from lefi.arrays import FloatArray


def against_others(values: FloatArray) -> FloatArray:
    """Each value less the median of the others, along the first axis."""
    return values - median_of_others(values)


def median_of_others(values: FloatArray) -> FloatArray:
    """For every entry of the first axis, the median over all other entries."""
    n = len(values)
    ordered = np.sort(values, axis=0)

    def without_own(place: int) -> FloatArray:
        """The entry at this place of the sorted others: a value above it stands behind it, and leaves it in place."""
        return np.where(values > ordered[place], ordered[place], ordered[min(place + 1, n - 1)])

    if n % 2 == 0:
        return without_own((n - 2) // 2)
    return 0.5 * (without_own((n - 1) // 2 - 1) + without_own((n - 1) // 2))
