"""Thousands of markets as one environment of Stable-Baselines3: every step is arithmetic on arrays.

Stable-Baselines3 does not take Gymnasium's vector environments, so this is its own `VecEnv`.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv

from lefi.arrays import FloatArray, whole
from lefi.draws import generator
from lefi.gym.environment import REACH, spaces
from lefi.gym.episodes import Episodes
from lefi.gym.families import drawn_market
from lefi.gym.stacked import stack
from lefi.world.market import Market

Draw = Callable[[np.random.Generator, int], tuple[Market, int]]  # (rng, clients) -> a market, the seed of its draws


class MarketVecEnv(VecEnv):
    """Markets drawn for training, or by `draw`. All begin and end their episodes of so many rounds together.

    >>> from lefi.gym import MarketVecEnv
    >>> env = MarketVecEnv(markets=4, clients=3, rounds=2)
    >>> env.reset().shape[:2]
    (4, 3)
    """

    render_mode = None

    def __init__(
        self, markets: int = 1024, *, clients: int = 10, rounds: int = 30, seed: int = 0, draw: Draw = drawn_market
    ) -> None:
        self.clients, self.rounds, self.draw = whole("clients", clients, low=1), whole("rounds", rounds, low=1), draw
        self.started, self.first = 0, seed
        self.actions: FloatArray = np.zeros((markets, clients))
        super().__init__(whole("markets", markets, low=1), *spaces(clients))

    def reset(self) -> Any:
        """New markets, for all."""
        rng = generator(self.first, "gym", self.started)
        self.started += 1
        pairs = [self.draw(rng, self.clients) for _ in range(self.num_envs)]
        self.episodes = Episodes(stack([market for market, _ in pairs], [seed for _, seed in pairs]))
        return self._seen()

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """The markets of the next episodes are those of this seed."""
        if seed is not None:
            self.first, self.started = seed, 0
        return [self.first] * self.num_envs

    def step_async(self, actions: Any) -> None:
        self.actions = REACH * np.asarray(actions, dtype=np.float64)

    def step_wait(self) -> Any:
        """Observations, rewards, whether episodes are over, and what else is told."""
        rewards = self.episodes.step(self.actions).astype(np.float32)
        over = self.episodes.round >= self.rounds
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        seen = self._seen()
        if over:
            for info, last in zip(infos, seen, strict=True):
                info |= {"terminal_observation": last, "TimeLimit.truncated": True}
            seen = self.reset()
        return seen, rewards, np.full(self.num_envs, over), infos

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * len(self._of(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        return [getattr(self, method_name)(*method_args, **method_kwargs) for _ in self._of(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False for _ in self._of(indices)]

    def _of(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))

    def _seen(self) -> Any:
        return self.episodes.sight().astype(np.float32)
