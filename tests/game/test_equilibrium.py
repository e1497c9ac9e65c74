"""Equilibria by iterated best replies: known ones are found, and where there is nothing to gain all stay honest."""

import numpy as np
import pytest

import lefi
from lefi import PriceOffer, Receipt, Roster, Terms
from lefi.game import Policy, Side, equilibrium, match
from lefi.game.family import Holdout

MARKET = lefi.scenario("paper", clients=4, budget=0.03, seed=2, payment="price")


class TopPrice:
    """Planted: pays everybody twice the lowest price that anybody has refused, but not more than a bound."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.price = terms, np.full(4, 6e-4)

    def ask(self, roster: Roster, budget: float | None = None) -> PriceOffer:
        return PriceOffer(self.price, np.full(len(roster), self.terms.size_high))

    def tell(self, receipt: Receipt) -> None:
        self.price = np.where(receipt.sizes > 0, self.price, np.minimum(1.5 * self.price, 4e-3))


def test_where_nothing_is_learned_all_stay_honest() -> None:
    found = equilibrium("flat(price=0.001)", [MARKET], 6, players=2)
    assert found.policy == Policy()
    assert found.settled
    assert found.adds == 0


def test_where_refusing_pays_all_hold_out_and_the_server_loses() -> None:
    tries = [Holdout(times) for times in (1.5, 2.0, 4.0)]
    found = equilibrium(TopPrice, [MARKET], 10, players=2, tries=tries, search=False)
    assert isinstance(found.policy, Holdout)
    assert found.settled
    honest, playing = (match(TopPrice, MARKET, 10, sides=[Side(policy)]) for policy in (Policy(), found.policy))
    assert playing.kept.sum() > honest.kept.sum()
    assert playing.gain / playing.paid < honest.gain / honest.paid
    assert found.steps[0].policy == Policy()


def test_a_market_is_needed() -> None:
    with pytest.raises(lefi.InputError, match="at least one market"):
        equilibrium("flat", [], 3)
