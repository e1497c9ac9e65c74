"""Random draws that depend on who is drawn for, not on where it stands in an array.

A stream is addressed by (seed, name, counters); a client's draw from it is a hash of the stream and the client's id
(SplitMix64). So reordering the clients reorders the draws and nothing else, and no draw depends on another.

>>> stream = lefi.draws.key(7, "speed", 3)
>>> lefi.draws.uniform(stream, np.array([5, 9])).round(3)
array([0.481, 0.203])
>>> lefi.draws.uniform(stream, np.array([9, 5])).round(3)
array([0.203, 0.481])
"""

from functools import lru_cache
from typing import Any
from zlib import crc32

import numpy as np
import scipy
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray
from lefi.compiler import NUMBA, compiled, inlined

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
BLOCK = 32768  # numbers that numpy draws at a time: what fits the cache of a core is drawn twice as fast
WORDS = 4  # of 64 bits, that a PCG64 starts from
KEPT = 1 << 13  # addresses that are remembered, 5 MB: mechanisms of a study meet the same seeds and rounds in turn


def sequence(seed: int, name: str, *counters: int) -> np.random.SeedSequence:
    """The child of `seed` that is addressed by a name and counters (a round, a draw)."""
    return np.random.SeedSequence(seed, spawn_key=(crc32(name.encode()), *counters))


def generator(seed: int, name: str, *counters: int) -> np.random.Generator:
    seeded: Any = _seeded(seed, name, *counters)  # numpy takes any ISeedSequence, its types say SeedSequence
    return np.random.Generator(np.random.PCG64(seeded))


class _Seeded(np.random.bit_generator.ISpawnableSeedSequence):
    """A sequence whose first words are remembered: to mix them takes longer than most rounds' draws."""

    def __init__(self, address: tuple[int, str, tuple[int, ...]]) -> None:
        self.address = address
        self.words = self._whole().generate_state(WORDS, np.uint64)

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        if n_words == WORDS and dtype is np.uint64:
            return self.words
        return self._whole().generate_state(n_words, dtype)

    def spawn(self, n_children: int) -> Any:
        return self._whole().spawn(n_children)

    def _whole(self) -> np.random.SeedSequence:
        seed, name, counters = self.address
        return sequence(seed, name, *counters)


@lru_cache(KEPT)
def _seeded(seed: int, name: str, *counters: int) -> _Seeded:
    return _Seeded((seed, name, counters))


@lru_cache(KEPT)
def key(seed: int, name: str, *counters: int) -> int:
    """A 64-bit address for `uniform` and `normal`."""
    return int(sequence(seed, name, *counters).generate_state(1, np.uint64)[0])


def uniform(key: int, ids: IntArray, draws: int | None = None) -> FloatArray:
    """One draw from U(0, 1) per id, never exactly 0 or 1; with `draws`, that many rows of them."""
    result = np.empty((1 if draws is None else draws, ids.size))
    fill = _fill if NUMBA else _fill_arrays
    fill(ids.astype(np.uint64), np.uint64(key), draws is not None, result)
    return result[0] if draws is None else result


def normal(key: int, ids: IntArray, draws: int | None = None) -> FloatArray:
    """One standard normal draw per id; with `draws`, that many rows of them."""
    return np.asarray(scipy.special.ndtri(uniform(key, ids, draws)), dtype=np.float64)


def uniform_rows(keys: NDArray[np.uint64], ids: IntArray) -> FloatArray:
    """`uniform` of many markets at once: each row has a key of its own, `keys` (rows, 1)."""
    with np.errstate(over="ignore"):
        return _unit(_mix(_mix(ids.astype(np.uint64) * _GOLDEN + keys) + _GOLDEN))


def normal_rows(keys: NDArray[np.uint64], ids: IntArray) -> FloatArray:
    """`normal` of many markets at once."""
    return np.asarray(scipy.special.ndtri(uniform_rows(keys, ids)), dtype=np.float64)


def _mix(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _unit(bits: NDArray[np.uint64]) -> FloatArray:
    """As many of the bits as a float holds, in the middle of their interval."""
    return np.asarray((np.float64(bits >> np.uint64(12)) + 0.5) * 2.0**-52)


def _fill_arrays(ids: NDArray[np.uint64], key: np.uint64, rows: bool, result: FloatArray) -> None:
    """A draw per row and id; each row has a key of its own where there are several."""
    with np.errstate(over="ignore"):
        clients, keys = ids * _GOLDEN, np.full((1, 1), key)
        if rows:
            keys = _mix(np.arange(len(result), dtype=np.uint64)[:, None] + key)
        step = max(1, BLOCK // max(ids.size, 1))
        for start in range(0, len(result), step):
            some = slice(start, start + step)
            result[some] = _unit(_mix(_mix(clients + keys[some]) + _GOLDEN))


_mixed = inlined(_mix)


@compiled
def _fill(ids, key, rows, result):  # type: ignore[no-untyped-def]
    """The same for one id after the other: for few clients it takes a twentieth of the time."""
    for i in range(result.shape[0]):
        own = _mixed(np.uint64(i) + key) if rows else key
        for j in range(ids.size):
            bits = _mixed(_mixed(ids[j] * _GOLDEN + own) + _GOLDEN)
            result[i, j] = (np.float64(bits >> np.uint64(12)) + 0.5) * 2.0**-52
