"""What a round is worth to the agent: accuracy between nothing delivered and everything, less what was overspent."""

import numpy as np

from lefi.agent.sight import Job
from lefi.arrays import FloatArray, Floats

# Reward that one budget too much costs. About what the money buys: weights are scaled to what was paid only after a
# round, and with 1.0 an agent learns to pay those who take little of it, because that keeps the next round cheap.
OVERSPENT = 0.2


def reward(accuracy: Floats, iid: FloatArray, paid: Floats, budget: Floats, job: Job) -> FloatArray:
    """From 0 to 1 within the budget. One number for each market; `accuracy` is the mean over its clients."""
    least, most = (job.accuracy(np.full(iid.shape, size), iid).mean(axis=-1) for size in (job.size_low, job.size_high))
    over = np.maximum(np.asarray(paid) / budget - 1, 0.0)
    return np.asarray((accuracy - least) / np.maximum(most - least, 1e-12) - OVERSPENT * over)
