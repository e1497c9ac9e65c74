"""Truth: under `auction` and `posted` no policy of the family adds anything; what only looks truthful is found out."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import AuctionCall, Receipt, Roster, Terms
from lefi.arrays import FloatArray
from lefi.game import Policy, exploit
from lefi.game.family import Undercut
from lefi.game.match import Maker
from lefi.game.policies import POLICIES
from lefi.offers import AuctionAward
from tests.lengths import examples

DRAWN = 3  # policies of the family, for every client of a fleet
SCENARIOS = ("paper", "mixed", "reluctant", "drifting", "churning", "noisy")
ROUNDING = 1e-15  # USD: who earns nothing by the truth has nothing to take 1e-9 of


def drawn_policy(rng: np.random.Generator, payment: str) -> Policy:
    """Any policy of the family, at any parameters."""
    kinds = [kind for kind in POLICIES.known().values() if kind is not Policy and kind.only in (None, payment)]
    kind = kinds[rng.integers(len(kinds))]
    return kind(**{name: float(np.exp(rng.uniform(*np.log(span)))) for name, span in kind.ranges.items()})


def best_gain(name: str | Maker, payment: str, seed: int, scenario: str, rounds: int) -> float:
    """The most that some policies add to a client's honest utility, as a share of it, in a game of any history."""
    rng = np.random.default_rng(seed)
    clients = int(rng.integers(1, 9))
    budget = clients * float(np.exp(rng.uniform(np.log(5e-4), np.log(2e-2))))
    market = lefi.scenario(scenario, clients=clients, budget=budget, seed=seed % 1000, payment=payment)
    others = drawn_policy(rng, payment) if rng.random() < 0.5 else None
    tries = [drawn_policy(rng, payment) for _ in range(DRAWN)]
    tries += [Undercut(float(rng.uniform(0.3, 1)))] if payment == "auction" else []

    def kept(family: list[Policy]) -> FloatArray:
        replies = exploit(name, market, rounds, seed % 97, others=others, tries=family, search=False)
        return np.array([reply.kept for reply in replies])

    honest = kept([Policy()])  # its own honesty, whatever the others play
    return float(((kept(tries) - honest - ROUNDING) / np.maximum(np.abs(honest), ROUNDING)).max())


@pytest.mark.parametrize("name", ["auction", "posted"])
@examples(20)
@given(seed=st.integers(0, 2**32), scenario=st.sampled_from(SCENARIOS), rounds=st.integers(1, 7))
def test_no_policy_adds_anything_to_the_truth(name: str, seed: int, scenario: str, rounds: int) -> None:
    assert best_gain(name, lefi.registered()[name].payment, seed, scenario, rounds) <= 1e-9


class RationedCall(AuctionCall):
    """Everybody at the price that the others would leave it, in a drawn order, while the money lasts."""

    def award(self, bids: Any, capacity: Any = None) -> AuctionAward:
        density, left = bids * self.limit / self.value, self.budget
        price, limit = np.zeros(len(self)), self.limit.copy()
        for client in np.random.default_rng(0).permutation(len(self)):
            others = np.argsort(np.delete(density, client))
            supply, dear = np.delete(self.value, client)[others].cumsum(), np.delete(density, client)[others]
            within = int((dear * supply <= self.budget).sum())
            bound = self.budget / supply[within - 1] if within else np.inf
            unit = min(bound, dear[within] if within < dear.size else np.inf, self.budget / self.value[client])
            if density[client] <= unit:
                part = min(left / (unit * self.value[client]), 1.0)
                price[client], limit[client] = unit * self.value[client] / self.limit[client], part * limit[client]
                left = max(left - part * unit * self.value[client], 0.0)
        return AuctionAward(price, limit, bids)


class Rationed:
    """Planted: the leave-one-out price looks as if the own bid played no part in it."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def ask(self, roster: Roster, budget: float | None = None) -> AuctionCall:
        value = np.asarray(0.05 + 0.025 * (7 * roster.ids % 5), dtype=np.float64)
        limit = np.full(len(roster), self.terms.size_high)
        return RationedCall(self.terms.in_force(budget), value, limit, roster.ids)

    def tell(self, receipt: Receipt) -> None:
        pass


def test_the_leave_one_out_price_with_rationing_is_found_out() -> None:
    """A lower bid lowers what others are paid and leaves more for oneself: in one fleet of 200, and this is the one."""
    gains = [best_gain(Rationed, "auction", seed, "paper", 1) for seed in range(186, 190)]
    assert max(gains) > 0.01


def test_a_cap_that_is_read_off_deliveries_is_found_out() -> None:
    """Why the auction asks for capacities anew in every round."""

    class Remembering(Rationed):
        def __init__(self, terms: Terms) -> None:
            self.terms, self.caps = terms, np.full(3, terms.size_high)

        def ask(self, roster: Roster, budget: float | None = None) -> AuctionCall:
            return AuctionCall(self.terms.in_force(budget), 0.01 * self.caps, self.caps, roster.ids)

        def tell(self, receipt: Receipt) -> None:
            self.caps = np.where(receipt.sizes > 0, receipt.sizes, self.caps)

    market = lefi.scenario("paper", clients=3, budget=0.02, seed=1, payment="auction")
    market = lefi.Market(market.terms, Silent(market.fleet))
    replies = exploit(Remembering, market, 5, search=False)
    assert max(reply.adds / max(reply.honest, ROUNDING) for reply in replies) > 0.01


class Silent(lefi.Behaviour):
    """Clients that do not say what they can deliver."""

    def capacity(self, call: AuctionCall, rng: Any) -> Any:
        return call.limit
