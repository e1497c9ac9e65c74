"""Random draws that depend on who is drawn for, not on where it stands in an array.

A stream is addressed by (seed, name, counters); a client's draw from it is a hash of the stream and the client's id
(SplitMix64). So reordering the clients reorders the draws and nothing else, and no draw depends on another.
"""

from zlib import crc32

import numpy as np
import scipy
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
BLOCK = 32768  # numbers that are drawn at a time: what fits the cache of a core is drawn twice as fast


def sequence(seed: int, name: str, *counters: int) -> np.random.SeedSequence:
    """The child of `seed` that is addressed by a name and counters (a round, a draw)."""
    return np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), *counters))


def generator(seed: int, name: str, *counters: int) -> np.random.Generator:
    return np.random.default_rng(sequence(seed, name, *counters))


def key(seed: int, name: str, *counters: int) -> int:
    """A 64-bit address for `uniform` and `normal`."""
    return int(sequence(seed, name, *counters).generate_state(1, np.uint64)[0])


def uniform(key: int, ids: IntArray, draws: int | None = None) -> FloatArray:
    """One draw from U(0, 1) per id, never exactly 0 or 1; with `draws`, that many rows of them."""
    with np.errstate(over="ignore"):
        clients = ids.astype(np.uint64) * _GOLDEN
        if draws is None:
            return _unit(clients + np.uint64(key))
        keys = _mix(np.arange(draws, dtype=np.uint64)[:, None] + np.uint64(key))
        result = np.empty((draws, ids.size))
        step = max(1, BLOCK // max(ids.size, 1))
        for start in range(0, draws, step):
            rows = slice(start, start + step)
            result[rows] = _unit(clients + keys[rows])
    return result


def normal(key: int, ids: IntArray, draws: int | None = None) -> FloatArray:
    """One standard normal draw per id; with `draws`, that many rows of them."""
    return np.asarray(scipy.special.ndtri(uniform(key, ids, draws)), dtype=np.float64)


def _unit(z: NDArray[np.uint64]) -> FloatArray:
    mixed = _mix(_mix(z) + _GOLDEN)
    return ((mixed >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
