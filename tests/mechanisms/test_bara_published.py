"""The published BARA: its polynomial, its choice of how many clients to buy, and its total."""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.mechanisms.bara_published import increment
from lefi.studies.judge.marks import surplus
from tests.lengths import examples
from tests.mechanisms.adversary import Adversary, moods
from tests.mechanisms.learned_market import learned_market


def test_untried_numbers_come_from_the_polynomial_through_the_tried() -> None:
    n = np.array([2.0, 4.0, 8.0])
    added = 0.01 * n - 0.0004 * n**2 + 0.00001 * n**3
    assert increment(n, added, 6.0) == pytest.approx(0.06 - 0.0144 + 0.00216)
    assert increment(n, added, 0.0) == 0.0
    assert increment(n, added, 1e3) == added.max()
    assert increment(np.array([2.0, 2.0]), np.array([0.5, 0.1]), 2.0) == pytest.approx(0.1)  # the newest counts


def final(mechanism: Callable[[lefi.Market], Any], total: float, seed: int) -> float:
    market = learned_market("auction", total, seed, noise=0.0)
    return [receipt.accuracy for receipt in lefi.play(mechanism(market), market, 60, seed)][-1]


class Always:
    """The same number of clients each round: the policies that it chooses among."""

    def __init__(self, market: lefi.Market, clients: int) -> None:
        self.inside = inside = cast(Any, lefi.make("bara_published", market.terms))
        inside._choose = lambda cost: min(clients, max(int(np.searchsorted(cost, inside.left)), 1))

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> Any:
        return self.inside.ask(roster, budget)

    def tell(self, receipt: lefi.Receipt) -> None:
        self.inside.tell(receipt)

    @property
    def done(self) -> str | None:
        said: str | None = self.inside.done
        return said


def test_it_ends_near_the_best_number_of_clients_and_above_a_guess() -> None:
    """The source: allocating the total online ends higher than spending it in a way that was fixed without knowing."""
    for seed in (600, 602):
        fixed = [final(partial(Always, clients=n), 0.4, seed) for n in (1, 3, 5, 7, 9)]
        ours = final(lambda market: lefi.make("bara_published", market.terms), 0.4, seed)
        assert ours > np.mean(fixed)
        assert ours > max(fixed) - 0.06


def test_nobody_works_at_a_loss_and_it_says_when_the_money_is_gone() -> None:
    market = learned_market("auction", 0.2)
    mechanism: Any = lefi.make("bara_published", market.terms)
    receipts = list(lefi.play(mechanism, market, 100))
    assert min(surplus(market, receipt).min() for receipt in receipts) >= -1e-12
    assert 0.15 < sum(receipt.paid for receipt in receipts) <= 0.2
    assert "buy nobody: the cheapest round costs" in mechanism.done


@examples(25)
@given(total=st.floats(1e-6, 1e6), moods=moods, seed=st.integers(0, 99))
def test_the_total_is_never_passed(total: float, moods: list[str], seed: int) -> None:
    market = Adversary.market(total, moods, seed, "auction")
    spent = 0.0
    for receipt in lefi.play(lefi.make("bara_published", market.terms), market, 12, seed):
        assert receipt.offer.worst_case() <= total - spent
        spent += receipt.paid
