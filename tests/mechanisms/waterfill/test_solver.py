"""Large fleets are served block by block at a price that a sample tells: it comes to what all together come to."""

import numpy as np
import pytest

import lefi


@pytest.mark.parametrize("budget", [0.05, 0.5])
def test_blocks_come_to_what_the_whole_fleet_comes_to(budget: float, monkeypatch: pytest.MonkeyPatch) -> None:
    market = lefi.scenario("mixed", clients=900, budget=900 * budget, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    for _ in lefi.play(mechanism, market, 4):
        pass
    roster = market.fleet.roster
    nothing = market.accuracy_of(np.zeros(900))
    whole = market.settle(5, mechanism.ask(roster), None).accuracy - nothing
    monkeypatch.setattr("lefi.mechanisms.waterfill.solver.SAMPLE", 300)
    monkeypatch.setattr("lefi.mechanisms.waterfill.solver.BLOCK", 100)
    offer = mechanism.ask(roster)
    assert 0.97 < offer.worst_case() / market.terms.budget <= 1
    assert market.settle(5, offer, None).accuracy - nothing > 0.99 * whole


@pytest.mark.parametrize("clients", [1500, 3000])
def test_with_money_for_all_everything_is_bought(clients: int) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=clients * 1000.0, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    *_, last = lefi.play(mechanism, market, 5)
    assert last.paid <= market.terms.budget
    assert last.accuracy == pytest.approx(lefi.oracle(market).accuracy, abs=1e-6)
