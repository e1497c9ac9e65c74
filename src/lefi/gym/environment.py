"""One market as a Gymnasium environment: `gymnasium.make("lefi/Market-v0")` once this file is imported.

An action is one number per client: a third of the log of its share of the weights. So from -1 to 1 shares differ four
hundredfold, and agents that draw actions around 0 begin near equal shares. An episode is one job of so many rounds. The
rewards are those of `lefi.agent.reward`, and the rounds are those that `lefi.play` would settle with the same offers.
"""

from typing import Any

import gymnasium
import numpy as np

from lefi.agent.network import shares
from lefi.agent.reward import reward
from lefi.agent.sight import FAR, NAMES, Job, Standing, noted, sight
from lefi.arrays import whole
from lefi.draws import generator
from lefi.gym.families import drawn_market
from lefi.mechanisms.remembered import Remembered
from lefi.mechanisms.simplex import Scale
from lefi.world.scenarios import scenario

ID = "lefi/Market-v0"
REACH = 3.0  # log share of an action of 1


def spaces(clients: int) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
    """What is seen, (clients, numbers), and what is done, (clients,)."""
    seen = gymnasium.spaces.Box(-FAR, FAR, (clients, len(NAMES)), np.float32)
    return seen, gymnasium.spaces.Box(-1, 1, (clients,), np.float32)


class MarketEnv(gymnasium.Env[Any, Any]):
    """Any scenario by name, with its settings; without a name every episode has a market drawn for training.

    >>> from lefi.gym import MarketEnv
    >>> env = MarketEnv("paper", clients=3, rounds=2)
    >>> seen, _ = env.reset(seed=1)
    >>> seen, reward, ended, cut, told = env.step(np.zeros(3))
    >>> seen.shape, round(told["paid"], 2)
    ((3, 14), 1.5)
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  # Gymnasium reads it from the class

    def __init__(self, name: str | None = None, *, clients: int = 10, rounds: int = 30, **settings: Any) -> None:
        self.name, self.clients = name, whole("clients", clients, low=1)
        self.rounds, self.settings = whole("rounds", rounds, low=1), settings
        self.observation_space, self.action_space = spaces(clients)
        if name is not None:
            scenario(name, clients=clients, **settings)  # what is wrong with it is said now

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new market. A seed names its clients and their luck, as in `lefi.scenario` and `lefi.play`."""
        super().reset(seed=seed)
        chosen = int(self.np_random.integers(2**31)) if seed is None else seed
        if self.name is None:
            self.market, self.luck = drawn_market(generator(chosen, "gym"), self.clients)
        else:
            self.market = scenario(self.name, clients=self.clients, seed=chosen, **self.settings)
            self.luck = chosen
        terms = self.market.terms
        self.job = Job(terms.accuracy, terms.size_low, terms.size_high)
        self.scale, self.known, self.round = Scale(terms), Remembered(), 0
        return self._sight(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One round with these shares."""
        market, self.round = self.market, self.round + 1
        offer = self.scale.offer(market.fleet.roster, shares(REACH * np.asarray(action, dtype=np.float64)), None)
        receipt = market.settle(self.round, offer, generator(self.luck, "behaviour", self.round))
        roster, budget = receipt.roster, market.terms.budget
        before = self.known.read(roster.ids)
        seen = noted(before, offer.weight, receipt.sizes, roster.rate, self.job.size_low)
        self.known.write(roster.ids, seen)
        self.scale.tell(receipt)
        gained = float(reward(receipt.accuracy, roster.iid, receipt.paid, budget, self.job))
        self.market = market.after(receipt).advance(generator(self.luck, "advance", self.round))
        told = {"accuracy": receipt.accuracy, "paid": receipt.paid, "budget": budget}
        return self._sight(), gained, False, self.round >= self.rounds, told

    def _sight(self) -> Any:
        roster = self.market.fleet.roster
        standing = Standing(self.market.terms.budget, float(self.round), self.scale.z)
        return sight(self.known.read(roster.ids), roster.iid, roster.rate, standing, self.job).astype(np.float32)


gymnasium.register(id=ID, entry_point=f"{__name__}:MarketEnv")
