"""Large fleets are served block by block at a price that a sample tells: it comes to what all together come to."""

import pytest

import lefi


@pytest.mark.parametrize("clients", [1500, 3000])
def test_with_money_for_all_everything_is_bought(clients: int) -> None:
    market = lefi.scenario("mixed", clients=clients, budget=clients * 1000.0, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    *_, last = lefi.play(mechanism, market, 5)
    assert last.paid <= market.terms.budget
    assert last.accuracy == pytest.approx(lefi.oracle(market).accuracy, abs=1e-6)
