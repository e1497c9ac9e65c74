"""A market whose accuracy is measured: clients train for real on the samples they chose to deliver.

A client owns size_high thousand samples in a fixed order, drawn at its own iid; who delivers D trains on the first
1000 D of them, in a new order in every epoch. With rng None (the oracle, noise-free judgement) nothing is trained:
there the fitted model of the terms speaks.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import torch

from lefi.arrays import FloatArray, IntArray
from lefi.messages import Offer, Receipt, Roster
from lefi.profiling.partition import Partition, Partitioner
from lefi.profiling.sgd import Weights
from lefi.profiling.train import Trainer
from lefi.world.market import Market


class Federation:
    """The real side of a market: who owns which samples, and how one round of training is done."""

    def __init__(self, trainer: Trainer, seed: int, size_high: float) -> None:
        self.trainer, self.seed = trainer, seed
        self.owned = round(1000 * size_high)
        self._partitioner = Partitioner(trainer.images.labels, seed, groups=trainer.images.groups)
        self._held: tuple[bytes, torch.Tensor] | None = None
        self._last: tuple[Weights, bytes, int, Weights] | None = None

    def start(self) -> Weights:
        return self.trainer.initial([self.seed])

    def partition(self, roster: Roster) -> Partition:
        """What the clients own."""
        return self._partitioner.draw(np.full(len(roster), self.owned), roster.iid, roster.ids)

    def train(self, weights: Weights, roster: Roster, sizes: FloatArray, number: int) -> Weights:
        """The global model after a round on these sizes. The last round is remembered: it is asked for twice."""
        counts = sample_counts(sizes)
        address = roster.ids.tobytes() + counts.tobytes()
        last = self._last
        if last is not None and last[0] is weights and last[1:3] == (address, number):
            return last[3]
        samples = self.samples(roster)
        result = self.trainer.round(weights, samples, counts[None], [self.seed], number, roster.ids)
        self._last = (weights, address, number, result)
        return result

    def accuracy(self, weights: Weights) -> float:
        return float(self.trainer.accuracy(weights)[0])

    def samples(self, roster: Roster) -> torch.Tensor:
        address = roster.ids.tobytes()
        if self._held is None or self._held[0] != address:
            samples = torch.from_numpy(self.partition(roster).samples).to(self.trainer.device)
            self._held = (address, samples[None])
        return self._held[1]


@dataclass(frozen=True, eq=False)
class TrainingMarket(Market):
    """A market around a federation; `weights` is the global model that this round starts from."""

    federation: Federation
    weights: Weights

    def settle(self, round: int, offer: Offer, rng: np.random.Generator | None, budget: float | None = None) -> Receipt:
        """Ask the clients, pay them, train on what they delivered, test the new global model."""
        receipt = super().settle(round, offer, rng, budget)
        if rng is None:
            return receipt
        return replace(receipt, accuracy=self.federation.accuracy(self._trained(receipt)))

    def after(self, receipt: Receipt) -> Self:
        """The market that goes on from the model which this round has trained."""
        return replace(super().after(receipt), weights=self._trained(receipt))

    def _trained(self, receipt: Receipt) -> Weights:
        sizes = self.truth(receipt.sizes)
        return self.federation.train(self.weights, self.fleet.roster, sizes, receipt.round)


def training_market(market: Market, trainer: Trainer, seed: int) -> TrainingMarket:
    """The same fleet and terms, but with real training behind the receipts."""
    federation = Federation(trainer, seed, market.terms.size_high)
    return TrainingMarket(market.terms, market.fleet, federation, federation.start())


def sample_counts(sizes: FloatArray) -> IntArray:
    """Sizes in thousand samples as whole numbers of samples; no answer trains on none."""
    return np.rint(1000 * np.nan_to_num(sizes)).astype(np.int64)
