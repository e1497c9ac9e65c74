"""auction, pool, contest: what they pay, that nobody works at a loss where that is promised, and at 100,000 clients."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.mechanisms.catalogue import LEARNS, TIERS
from lefi.payments import payments
from lefi.studies.judge.marks import surplus

NEW = ("price", "posted", "auction", "principals", "contract", "pool", "contest", "flat")


@pytest.mark.parametrize("name", sorted(lefi.registered()))
def test_every_mechanism_says_how_it_pays_and_what_it_knows(name: str) -> None:
    factory = lefi.registered()[name]
    assert factory.payment in payments()
    assert factory.tier in TIERS
    assert factory.learns in LEARNS


@pytest.mark.parametrize("name", NEW)
def test_a_hundred_thousand_clients(name: str) -> None:
    market = lefi.scenario("mixed", clients=100_000, budget=600.0).taking(lefi.registered()[name].payment)
    *_, last = lefi.play(lefi.make(name, market.terms), market, 2)
    assert last.accuracy > 0


@pytest.mark.parametrize("name", [name for name in NEW if name != "contest"])
@pytest.mark.parametrize("settings", [{}, {"opt_out": True, "fixed_cost": 20}])
def test_nobody_works_at_a_loss(name: str, settings: dict[str, Any]) -> None:
    """All but the contest, whose losers have worked for nothing; clients that share a pool do not foresee opt-outs."""
    if name == "pool" and settings:
        pytest.skip("the equilibrium counts on clients that then opt out")
    market = lefi.scenario("mixed", budget=0.06, seed=4, **settings).taking(lefi.registered()[name].payment)
    for receipt in lefi.play(lefi.make(name, market.terms, seed=4), market, 25, 4):
        assert surplus(market, receipt).min() >= -1e-12


@pytest.mark.parametrize("name", NEW)
def test_the_budget_is_kept_in_every_round_whatever_clients_choose(name: str) -> None:
    market = lefi.scenario("mixed", budget=0.06, seed=5).taking(lefi.registered()[name].payment)
    for receipt in lefi.play(lefi.make(name, market.terms, seed=5), market, 25, 5):
        assert receipt.offer.worst_case() <= 0.06
        assert receipt.paid <= 0.06


def test_overbidding_does_not_pay_in_the_auction() -> None:
    for seed in range(5):
        kept = []
        for margin in (0.0, 0.1, 0.5):
            market = lefi.scenario("paper", budget=0.06, seed=seed, payment="auction", overbid=margin, pretender=0)
            *_, last = lefi.play(lefi.make("auction", market.terms), market, 5, seed)
            kept.append(surplus(market, last)[0])
        assert kept[0] >= max(kept) - 1e-12


def test_the_number_of_prizes_is_found_by_search() -> None:
    """With little money one prize would leave most clients idle; the search must not do worse than any k it tried."""
    market = lefi.scenario("paper", budget=0.06, payment="pool", seed=1)
    mechanism: Any = lefi.make("contest", market.terms)
    offer = mechanism.ask(market.fleet.roster)
    iid = np.quantile(market.fleet.roster.iid, (0.1, 0.3, 0.5, 0.7, 0.9))
    every = [mechanism._expected(mechanism._offer(offer.total, 10, k), iid) for k in range(1, 11)]
    assert mechanism._expected(offer, iid) == max(every)


def test_bids_reach_the_market_through_every_behaviour() -> None:
    honest = lefi.scenario("mixed", payment="auction")
    call: Any = lefi.make("auction", honest.terms).ask(honest.fleet.roster)
    base = honest.bids(call, None)
    bent: list[dict[str, Any]] = [{"noise": 0.1}, {"dropout": 0.2}, {"drift": 0.1}, {"churn": 0.1}, {"sticky": 0.5}]
    for settings in bent:
        market = lefi.scenario("mixed", payment="auction", overbid=0.5, **settings)
        np.testing.assert_allclose(market.bids(call, None), 1.5 * base)
    held = lefi.scenario("mixed", payment="auction", holdout=0.2)
    np.testing.assert_allclose(held.bids(call, None), 1.2 * base)
