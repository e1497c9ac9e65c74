"""How fast training goes here: measured on two batches per client, before hours are spent."""

import time

import numpy as np
import torch

from lefi.profiling.train import Trainer

BATCHES = 2  # of every client; one would be all start-up, and more would make the user wait


def samples_per_second(trainer: Trainer, federations: int, clients: int) -> float:
    """Samples that so many federations of so many clients train on in a second, side by side."""
    each = min(BATCHES * trainer.recipe.batch, len(trainer.images.train))
    counts = np.full((federations, clients), each)
    order = torch.arange(counts.sum(), device=trainer.device) % len(trainer.images.train)
    samples, weights = order.reshape(federations, clients, each).int(), trainer.initial([0] * federations)
    seconds = 0.0
    for number in (1, 2):  # the first compiles, captures and warms up
        started = time.perf_counter()
        trained = trainer.round(weights, samples, counts, [0] * federations, number)
        float(next(iter(trained.values())).sum())  # waits for the device
        seconds = time.perf_counter() - started
    return float(counts.sum() * trainer.recipe.epochs / seconds)
