"""Episodes of many markets at once: what an agent sees, what it does with it, what that is worth. Numpy only."""

import numpy as np

from lefi.agent.network import shares
from lefi.agent.reward import reward
from lefi.agent.sight import NAMES, Standing, noted, sight, unseen
from lefi.arrays import FloatArray
from lefi.gym.stacked import Settled, Stacked
from lefi.mechanisms.simplex import rescaled


class Episodes:
    """Markets that are all in the same round. What mechanism `drl` does in `tell`, done for all of them."""

    def __init__(self, markets: Stacked) -> None:
        self.markets, self.round = markets, 0
        self.seen = unseen(markets.iid.shape)
        self.scale = np.ones(len(markets))
        self.last: Settled | None = None

    def sight(self) -> FloatArray:
        """(markets, clients, numbers): what is seen before the next round."""
        markets = self.markets
        standing = Standing(markets.budget, np.full(len(markets), float(self.round)), self.scale)
        return sight(self.seen, markets.iid, markets.rate, standing, markets.job)

    def step(self, log_share: FloatArray) -> FloatArray:
        """Offer these shares (markets, clients), and give the reward of each market."""
        markets, self.round = self.markets, self.round + 1
        share = shares(log_share)
        money = (self.scale * markets.budget)[:, None]
        weight = money * share / share.sum(axis=1, keepdims=True)
        settled = markets.settle(self.round, weight)
        self.seen = noted(self.seen, weight, settled.sizes, markets.rate, markets.job.size_low)
        heard = ~np.isnan(settled.sizes).all(axis=1)
        self.scale = np.where(heard, rescaled(self.scale, settled.paid, markets.budget), self.scale)
        self.last = settled
        return reward(settled.accuracy, markets.iid, settled.paid, markets.budget, markets.job)


SEEN = len(NAMES)  # numbers per client
