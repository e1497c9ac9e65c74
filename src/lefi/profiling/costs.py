"""What a client's training costs: TFLOP by PyTorch's counter, and seconds on this device.

D  size      [thousand samples]
C  TFLOP     forward and backward over all samples of one round (all local epochs)
"""

import time
from copy import copy

import numpy as np
import polars as pl
import torch
from torch.utils.flop_counter import FlopCounterMode

from lefi.profiling.grid import Grid, samples_of
from lefi.profiling.sgd import OneByOne
from lefi.profiling.train import Trainer

REPEATS = 3  # timings of each size, of which the median counts
TIMED = 5_000  # samples at most that one timing visits


def measure_costs(trainer: Trainer, grid: Grid) -> pl.DataFrame:
    """One row per size: size, tflop, seconds of one client's round in a plain loop."""
    return pl.DataFrame(
        {
            "size": grid.sizes,
            "tflop": [count_flops(trainer, samples_of(size)) / 1e12 for size in grid.sizes],
            "seconds": [seconds_alone(trainer, samples_of(size)) for size in grid.sizes],
        }
    )


def count_flops(trainer: Trainer, samples: int) -> float:
    """FLOP of one client's round on that many samples: full batches, and the last one as short as it is."""
    full, rest = divmod(samples, trainer.recipe.batch)
    flops = full * _batch_flops(trainer, trainer.recipe.batch) + (_batch_flops(trainer, rest) if rest else 0)
    return float(flops * trainer.recipe.epochs)


def _batch_flops(trainer: Trainer, batch: int) -> int:
    weights = {name: values[0].requires_grad_() for name, values in trainer.initial([0]).items()}
    rows = torch.zeros(batch, dtype=torch.int64, device=trainer.device)
    images, labels = trainer.task.scale(trainer.task.images[rows]), trainer.task.labels[rows]
    with FlopCounterMode(display=False) as counter:
        real = torch.ones(batch, device=trainer.device)
        trainer.task.loss(weights, images, labels, real).backward()  # type: ignore[no-untyped-call]
    return int(counter.get_total_flops())


def seconds_alone(trainer: Trainer, samples: int) -> float:
    """Median seconds of one client's round in a plain loop; longer ones are timed in part and scaled up."""
    timed = min(samples, max(TIMED, trainer.recipe.batch))
    plain = copy(trainer)
    plain.steps = OneByOne(trainer.task)
    own = torch.arange(timed, device=trainer.device)[None, None] % len(trainer.task.labels)
    weights = trainer.initial([0])
    counts = np.array([[timed]])
    spans = []
    for _ in range(REPEATS + 1):  # the first pass warms up
        started = time.perf_counter()
        plain.round(weights, own, counts, [0], 1)
        if trainer.device.type == "cuda":
            torch.cuda.synchronize()
        spans.append(time.perf_counter() - started)
    return float(np.median(spans[1:])) * samples / timed
