"""Policy gradients on drawn markets: every market is played by several copies at once, which judge each other.

A copy is held against the other copies of the same market, which had the same clients and the same luck, so that no
critic has to be learned (REINFORCE with a leave-one-out baseline, Kool et al. 2019):
advantage = (return of the copy - mean of the others) / spread within all markets,  return = sum of gamma^k r_(t+k)
The spread is one number, so that markets count by what is at stake in them: where nothing is, all copies do alike.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from lefi.agent.network import Layers, backward, forward
from lefi.arrays import FloatArray
from lefi.draws import generator
from lefi.gym.episodes import Episodes
from lefi.gym.families import drawn_market
from lefi.gym.stacked import Stacked, stack

CLIENTS = (5, 10, 20)  # of a part: a network for any number must have met several
VALIDATED = 64  # markets of the curve, the same for every point of it
SINCE = 10  # rounds of a validation episode that do not count: there something has to be found out first


@dataclass(frozen=True)
class Recipe:
    """How it is trained. A batch is `parts` times `markets` times `copies` times `rounds` interactions."""

    seed: int = 0
    parts: int = 2
    markets: int = 32
    copies: int = 8
    rounds: int = 24
    gamma: float = 0.8
    rate: float = 0.03
    sigma: float = 0.25
    settling: int = 200  # batches after which rate and sigma have fallen by sqrt(2)
    every: int = 20  # batches between two points of the curve

    @property
    def batch(self) -> int:
        """Interactions of a batch."""
        return self.parts * self.markets * self.copies * self.rounds

    def cooled(self, batch: int) -> float:
        return 1 / float(np.sqrt(1 + batch / self.settling))


class Part(NamedTuple):
    """What a process works out: which part of which batch, with which network."""

    recipe: Recipe
    layers: Layers
    batch: int
    part: int


def gradient(task: Part) -> Layers:
    """The gradient that one part of a batch gives."""
    recipe, rng = task.recipe, generator(task.recipe.seed, "drl train", task.batch, task.part)
    clients = CLIENTS[(task.batch * recipe.parts + task.part) % len(CLIENTS)]
    markets = _drawn(rng, recipe.markets, clients).repeated(recipe.copies)
    x, chance, rewards = played(task.layers, markets, recipe.rounds, recipe.sigma * recipe.cooled(task.batch), rng)
    pull = narrow(advantages(rewards, recipe.copies, recipe.gamma))[..., None] * chance
    _, trace = forward(task.layers, x)
    return backward(task.layers, trace, pull / pull.size)


def played(
    layers: Layers, markets: Stacked, rounds: int, sigma: float, rng: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """What was seen (rounds, markets, clients, numbers), how far offers were off in sigmas, and the rewards."""
    episodes, seen, chances, rewards = Episodes(markets), [], [], []
    for _ in range(rounds):
        x = narrow(episodes.sight())
        chance = narrow(rng.standard_normal(markets.iid.shape))
        rewards.append(episodes.step((forward(layers, x)[0] + sigma * chance).astype(np.float64)))
        seen.append(x)
        chances.append(chance)
    return np.stack(seen), np.stack(chances), np.stack(rewards)


def advantages(rewards: FloatArray, copies: int, gamma: float) -> FloatArray:
    """(rounds, markets): how much better the rest of the episode was than that of the other copies of its market."""
    returns, ahead = np.empty_like(rewards), np.zeros(rewards.shape[1])
    for round in range(len(rewards) - 1, -1, -1):
        ahead = rewards[round] + gamma * ahead
        returns[round] = ahead
    groups = returns.reshape(len(rewards), -1, copies)
    away = (groups - groups.mean(axis=2, keepdims=True)) * copies / (copies - 1)
    spread = np.sqrt((away**2).mean())
    return (away / (spread + 1e-6)).reshape(rewards.shape)


def validation_markets(seed: int) -> Stacked:
    """The markets of the curve: of the training's families, but never trained on."""
    rng = generator(seed, "drl test")
    return _drawn(rng, VALIDATED, 10)


def validation_reward(layers: Layers, markets: Stacked, rounds: int = 30) -> float:
    """Mean reward without exploring, after the first rounds."""
    episodes = Episodes(markets)
    rewards = [episodes.step(forward(layers, episodes.sight())[0]) for _ in range(rounds)]
    return float(np.mean(rewards[SINCE:]))


def narrow(values: FloatArray) -> FloatArray:
    """In 32 bits: half the time, and a gradient of samples needs no more."""
    result: Any = values.astype(np.float32)
    return cast(FloatArray, result)


def _drawn(rng: np.random.Generator, markets: int, clients: int) -> Stacked:
    pairs = [drawn_market(rng, clients) for _ in range(markets)]
    return stack([market for market, _ in pairs], [seed for _, seed in pairs])
