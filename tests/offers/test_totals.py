"""A total is never passed in simulation, whatever mechanisms ask and clients do; the job then ends in clear words."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import CurveOffer, LefiError, Market, MenuOffer, OfferError, PriceOffer, Receipt, Roster, Terms
from lefi.arrays import FloatArray
from lefi.messages import Offer
from lefi.offers.totals import Total, ended
from tests.lengths import examples


class Grasping:
    """Clients that claim whatever a random stream says: nothing, all, more than there is, NaN."""

    def __init__(self, roster: Roster, seed: int) -> None:
        self.roster, self.rng = roster, np.random.default_rng(seed)

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        ways = np.stack([np.full(len(offer), x) for x in (0.0, 10.0, 11.0, np.inf, np.nan, -1.0)])
        most = np.asarray(offer.limit, dtype=np.float64)
        return np.where(self.rng.random(len(offer)) < 0.5, most, ways[self.rng.integers(len(ways)), :])

    def advance(self, rng: np.random.Generator) -> "Grasping":
        return self


class Wild:
    """Asks for anything, whatever its budget."""

    def __init__(self, payment: str, seed: int) -> None:
        self.payment, self.rng = payment, np.random.default_rng(seed)

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        n, scale = len(roster), 10 ** self.rng.uniform(-4, 8)
        amount, limit = scale * self.rng.random(n), self.rng.uniform(0, 30, n)
        if self.payment == "menu":
            return MenuOffer(np.stack([limit / 2, limit], axis=1), np.stack([amount, 2 * amount], axis=1))
        return PriceOffer(amount, limit) if self.payment == "price" else CurveOffer(amount, roster.rate, limit)

    def tell(self, receipt: Receipt) -> None:
        pass


def market(total: float | None, payment: str = "curve", seed: int = 0, **terms: Any) -> Market:
    base = lefi.scenario("mixed", clients=4, budget=1.0, payment=payment, seed=seed)
    return Market(replace(base.terms, total=total, **terms), Grasping(base.fleet.roster, seed))


@examples(60)
@given(
    total=st.floats(1e-6, 1e4),
    payment=st.sampled_from(["curve", "price", "menu"]),
    seed=st.integers(0, 10**6),
    budgets=st.none() | st.lists(st.floats(1e-3, 1e3), min_size=12, max_size=12),
)
def test_the_total_is_never_passed(total: float, payment: str, seed: int, budgets: list[float] | None) -> None:
    played = list(lefi.play(Wild(payment, seed), market(total, payment, seed), 12, seed, budgets=budgets))
    spent = np.cumsum([receipt.paid for receipt in played])
    assert played
    assert spent[-1] <= total
    for receipt, before in zip(played, [0.0, *spent[:-1]], strict=True):
        assert receipt.budget is not None
        assert receipt.budget <= total - before


@pytest.mark.parametrize("name", ["lefi", "uniform", "random", "waterfill", "price", "flat"])
def test_no_mechanism_of_ours_passes_it(name: str) -> None:
    payment = lefi.registered()[name].payment
    for world in (market(1.3, payment, 3), lefi.scenario("mixed", clients=4, budget=1.0, payment=payment, total=1.3)):
        played = list(lefi.play(lefi.make(name, world.terms, seed=3), world, 6, 3))
        assert 0 < sum(receipt.paid for receipt in played) <= 1.3


def test_an_auction_keeps_it_too() -> None:
    world = lefi.scenario("mixed", payment="auction", budget=0.05, total=0.12)
    played = list(lefi.play(lefi.make("auction", world.terms), world, 9))
    assert 0.1 < sum(receipt.paid for receipt in played) <= 0.12
    assert len(played) < 9


def test_a_total_that_never_binds_changes_nothing() -> None:
    plain, rich = (lefi.scenario("mixed", clients=4, total=total) for total in (None, 1e6))
    one, two = (list(lefi.play(lefi.make("waterfill", m.terms), m, 10)) for m in (plain, rich))
    assert [a.paid for a in one] == [b.paid for b in two]


def test_it_ends_early_and_says_so() -> None:
    world = lefi.scenario("mixed", clients=4, budget=1.0, total=2.5)
    played = list(lefi.play(lefi.make("waterfill", world.terms), world, 50))
    assert len(played) < 50
    total = Total(world.terms, sum(receipt.paid for receipt in played))
    assert total.empty
    said = ended(world.terms, len(played), 50, total.spent)
    assert said is not None
    assert f"after round {len(played)} of 50" in said
    assert ended(world.terms, 50, 50, total.spent) is None


def test_budget_of_a_round_is_a_part_of_the_total() -> None:
    assert lefi.scenario("mixed", total=40.0, rounds=80).terms.budget == 0.5
    assert lefi.scenario("mixed", total=40.0, rounds=80, budget=2.0).terms.budget == 2.0
    assert lefi.scenario("mixed", total=40.0).terms.budget == 5.0
    few = lefi.scenario("mixed", total=40.0, rounds=3)
    assert len(list(lefi.play(lefi.make("uniform", few.terms), few, 50))) == 3


def test_an_offer_that_lies_about_its_worst_case_is_refused() -> None:
    class Lying(CurveOffer):
        def worst_case(self) -> float:
            return 0.0

    class Liar(Wild):
        def ask(self, roster: Roster, budget: float | None = None) -> Any:
            n = len(roster)
            return Lying(np.full(n, 50.0), roster.rate, np.full(n, 10.0))

    world = lefi.scenario("mixed", clients=4, total=1.0)
    with pytest.raises(OfferError, match="are left of the total"):
        list(lefi.play(Liar("curve", 0), world, 3))


@pytest.mark.parametrize("total", [0.0, -1.0, float("nan"), float("inf"), True, "5"])
def test_a_total_is_money(total: Any) -> None:
    with pytest.raises(LefiError, match="total"):
        lefi.scenario("mixed", total=total)
    with pytest.raises(LefiError, match="total"):
        Terms(1.0, lefi.accuracy("paper"), total=total)
