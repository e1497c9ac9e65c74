"""Clients that answer without regard for money, to make a mechanism overspend."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import lefi
from lefi.arrays import FloatArray
from lefi.messages import Offer

MOODS = ("all", "none", "silent", "dice", "lies")
moods = st.lists(st.sampled_from(MOODS), min_size=1, max_size=4)


@dataclass(frozen=True, eq=False)
class Adversary:
    """A new mood every round: all, nothing, no answer, anything, or claims that cannot be true."""

    roster: lefi.Roster
    moods: tuple[str, ...]
    size_high: float

    @classmethod
    def market(cls, total: float, moods: list[str], seed: int, payment: str, clients: int = 5) -> lefi.Market:
        """A job with a total, and as much budget for each round."""
        rng = np.random.default_rng(seed)
        roster = lefi.Roster(np.arange(clients), rng.uniform(0, 1, clients), rng.uniform(0.05, 5, clients))
        terms = lefi.Terms(total, lefi.accuracy("paper"), payment=payment, total=total)
        return lefi.Market(terms, cls(roster, tuple(moods), terms.size_high))

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        n = len(self.roster)
        rng = rng or np.random.default_rng(0)
        answers = {
            "all": np.full(n, self.size_high),
            "none": np.zeros(n),
            "silent": np.full(n, np.nan),
            "dice": rng.uniform(0, self.size_high, n),
            "lies": rng.choice([-1.0, 0.0, 1e-12, 5.0, self.size_high, 1e9, np.nan, np.inf], n),
        }
        return answers[self.moods[0]]

    def bid(self, call: Offer, rng: np.random.Generator | None) -> FloatArray:
        """Bids that are no bids among them."""
        rng = rng or np.random.default_rng(0)
        return rng.choice([-1.0, 0.0, 1e-9, 1e-3, 1.0, np.nan, np.inf], len(self.roster))

    def advance(self, rng: np.random.Generator) -> "Adversary":
        return Adversary(self.roster, self.moods[1:] + self.moods[:1], self.size_high)
