"""FedAvg for many federations side by side: every client of every federation takes its step at the same time.

R federations, K clients each, M = R K local models, S samples at most, B batch
weights   name -> (R, ...)   global models            local  name -> (M, ...)  what the clients train
samples   (R, K, S)          indices into the data    counts (R, K)            how many of them are real
Local models are ordered by the number of their steps, so those still at work are always the first n: each client sees
exactly its own samples in each epoch, and nobody waits for a longer one. The last batch is padded and masked.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch.func import functional_call, vmap
from torch.nn.functional import pad

from lefi.arrays import FloatArray, IntArray, number, whole
from lefi.profiling.data import Images
from lefi.profiling.model import LEAST_PLAIN, SMALL_CNN, build
from lefi.profiling.sgd import OneByOne, SideBySide, Task, Weights, exact
from lefi.profiling.shuffle import shuffled

TEST_AT_ONCE = 2**16  # images times models in one pass over the test set


@dataclass(frozen=True)
class Recipe:
    """How clients train."""

    epochs: int = 1
    learning_rate: float = 0.01
    momentum: float = 0.9
    batch: int = 64
    model: str = SMALL_CNN

    def __post_init__(self) -> None:
        whole("epochs", self.epochs, low=1)
        number("learning_rate", self.learning_rate, above=0)
        number("momentum", self.momentum, low=0, high=1)
        whole("batch", self.batch, low=1)


class Trainer:
    """Trains on one data set with one recipe on one device. Weights go in and come out; no state is kept between."""

    def __init__(
        self, images: Images, recipe: Recipe, device: torch.device, *, side_by_side: bool | None = None
    ) -> None:
        if side_by_side is None:
            # Measured: on a CPU grouped convolutions pay for tiny images only (5 times at 8 x 8, 0.6 times at 32 x 32).
            side_by_side = device.type == "cuda" or min(images.shape[1:]) < LEAST_PLAIN
        self.images, self.recipe, self.device = images, recipe, device
        mean, deviation = images.scaling()

        def move(pixels: NDArray[np.uint8]) -> torch.Tensor:
            return torch.from_numpy(pixels).to(device)

        def channels(values: FloatArray) -> torch.Tensor:
            return torch.tensor(values, dtype=torch.float32, device=device)[:, None, None]

        self.task = Task(
            network=build(recipe.model, images.shape, images.classes, 0).to(device),
            images=move(images.train),
            labels=torch.from_numpy(images.labels).to(device),
            mean=channels(mean),
            deviation=channels(deviation),
            learning_rate=recipe.learning_rate,
            momentum=recipe.momentum,
        )
        self.test, self.test_labels = move(images.test), torch.from_numpy(images.test_labels).to(device)
        self.steps = SideBySide(self.task) if side_by_side else OneByOne(self.task)

    def initial(self, seeds: list[int]) -> Weights:
        """Fresh global models, one per seed."""
        built = [
            dict(build(self.recipe.model, self.images.shape, self.images.classes, seed).named_parameters())
            for seed in seeds
        ]
        return {name: torch.stack([one[name].detach() for one in built]).to(self.device) for name in built[0]}

    @exact()
    def round(
        self,
        weights: Weights,
        samples: torch.Tensor,
        counts: IntArray,
        seeds: list[int],
        number: int,
        ids: IntArray | None = None,
    ) -> Weights:
        """One round: local epochs at every client, then the average weighted by counts.

        `seeds` (one per federation), the round's number and the clients' ids fix the order of the samples.
        """
        R, K = counts.shape
        ids = np.arange(K) if ids is None else ids
        batches = -(-counts.ravel() // self.recipe.batch)
        order = np.argsort(-batches, kind="stable")
        order = order[: int((batches > 0).sum())]
        if order.size == 0:
            return weights
        jobs = [seeds[federation] for federation in (order // K).tolist()]
        chosen = torch.from_numpy(order).to(self.device)
        local = {name: values[chosen // K] for name, values in weights.items()}
        sizes = torch.from_numpy(counts.ravel()[order]).to(self.device)
        own = self._whole_batches(samples.reshape(R * K, -1)[chosen], int(batches.max()))
        with self.steps.lane(local, np.unique(batches[order]).size) as lane:
            for epoch in range(self.recipe.epochs):
                epoch_order = shuffled(own, sizes, jobs, ids[order % K], number, epoch)
                for step in range(int(batches.max())):
                    n = int(np.searchsorted(-batches[order], -step, side="left"))
                    window = slice(step * self.recipe.batch, (step + 1) * self.recipe.batch)
                    rows = epoch_order[:n, window]
                    lane.step(rows, sizes[:n] - step * self.recipe.batch)
            local = lane.weights()
        return self._average(weights, local, order, counts)

    def _whole_batches(self, samples: torch.Tensor, batches: int) -> torch.Tensor:
        """Cut or padded to that many batches, so that every step has the same shape."""
        width = batches * self.recipe.batch
        return pad(samples[:, :width], (0, max(0, width - samples.shape[1])))

    def _average(self, weights: Weights, local: Weights, order: IntArray, counts: IntArray) -> Weights:
        """Sum over clients of count / total times its model; a federation that trained nothing keeps its model."""
        R, K = counts.shape
        total = counts.sum(axis=1, keepdims=True)
        share = torch.tensor(counts / np.maximum(total, 1), dtype=torch.float32, device=self.device)
        trained = torch.tensor(total[:, 0] > 0, device=self.device)
        place = torch.from_numpy(order).to(self.device)
        result = {}
        for name, values in weights.items():
            spread = torch.zeros((R * K, *values.shape[1:]), device=self.device)
            spread[place] = local[name]
            mean = torch.einsum("rk,rk...->r...", share, spread.reshape(R, K, *values.shape[1:]))
            result[name] = torch.where(trained.reshape(-1, *[1] * (values.ndim - 1)), mean, values)
        return result

    @exact()
    @torch.no_grad()
    def accuracy(self, weights: Weights) -> FloatArray:
        """Share of the test set that each global model gets right (R,)."""
        R = len(next(iter(weights.values())))
        size = max(1, TEST_AT_ONCE // R)
        right = torch.zeros(R, dtype=torch.int64, device=self.device)
        for start in range(0, len(self.test), size):
            images = self.task.scale(self.test[start : start + size])
            guess = self._scores(weights, images).argmax(-1)
            right += (guess == self.test_labels[start : start + size]).sum(-1)
        return right.cpu().numpy() / len(self.test)

    def _scores(self, weights: Weights, images: torch.Tensor) -> torch.Tensor:
        def score(one: Weights) -> torch.Tensor:
            return functional_call(self.task.network, one, (images,))

        if isinstance(self.steps, SideBySide):
            return vmap(score)(weights)
        count = len(next(iter(weights.values())))
        return torch.stack([score({name: values[r] for name, values in weights.items()}) for r in range(count)])
