"""The order in which a client visits its samples: the same on every device and whoever trains beside it.

A sample's sort key is a SplitMix64 hash of (seed, round, epoch, client, position): `lefi.draws`, but on the device.
"""

import numpy as np
import torch

from lefi.arrays import IntArray
from lefi.draws import key

_LAST = torch.iinfo(torch.int64).max


def shuffled(
    samples: torch.Tensor, counts: torch.Tensor, seeds: list[int], ids: IntArray, round: int, epoch: int
) -> torch.Tensor:
    """Rows of `samples` with their first `counts` entries shuffled. Row m is client ids[m] of the job seeds[m]."""
    jobs = {seed: key(seed, "shuffle", round, epoch) for seed in set(seeds)}
    streams = torch.from_numpy(np.array([jobs[seed] for seed in seeds], dtype=np.uint64).view(np.int64))
    streams, client = streams.to(samples.device), torch.from_numpy(ids).to(samples.device)
    position = torch.arange(samples.shape[1], device=samples.device)
    keys = _mix(_mix(streams + client * _GOLDEN)[:, None] + position * _GOLDEN)
    keys = keys.masked_fill(position >= counts[:, None], _LAST)
    return samples.gather(1, keys.argsort(dim=1, stable=True))


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


_GOLDEN = _signed(0x9E3779B97F4A7C15)


def _mix(z: torch.Tensor) -> torch.Tensor:
    """SplitMix64 on int64, whose products wrap round; >> keeps the sign, so it is masked."""
    z = (z ^ ((z >> 30) & (2**34 - 1))) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ ((z >> 27) & (2**37 - 1))) * _signed(0x94D049BB133111EB)
    return z ^ ((z >> 31) & (2**33 - 1))
