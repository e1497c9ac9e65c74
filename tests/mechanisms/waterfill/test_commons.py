"""What the fleet learns: noise, drift, a jump of all prices; and what it must not take for noise."""

import numpy as np
import pytest

import lefi
from benchmarks.others import fleet
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.shared import Shared


def learned(market: lefi.Market, rounds: int) -> Shared:
    mechanism = lefi.make("waterfill", market.terms, seed=1)
    assert isinstance(mechanism, Waterfill)
    for _ in lefi.play(mechanism, market, rounds, seed=1):
        pass
    assert mechanism.fleet is not None
    return mechanism.fleet.shared


def test_noise_is_learned_and_quiet_fleets_have_none() -> None:
    assert learned(lefi.scenario("noisy", clients=40, seed=3), 8).rho == pytest.approx(0.1, rel=0.4)
    assert learned(lefi.scenario("mixed", clients=40, seed=3), 8).rho < 0.005


def test_drift_is_noticed_where_there_is_some() -> None:
    assert learned(lefi.scenario("drifting", clients=60, seed=3), 25).drift > 2e-5  # less than there is: 4e-4
    assert learned(lefi.scenario("mixed", clients=60, seed=3), 25).drift < 1e-6


def test_curves_of_no_family_are_not_taken_for_noise() -> None:
    market = lefi.Market(lefi.Terms(60 * 0.1, lefi.accuracy("paper")), fleet("logistic", 60, 1, "plain"))
    assert learned(market, 10).rho < 0.02


def test_a_jump_of_all_prices_is_noticed_in_its_round_and_no_other_scenario_has_one() -> None:
    assert learned(lefi.scenario("jump", clients=30, seed=3), 22).jumped == 15
    for name in ("mixed", "noisy", "drifting", "stubborn", "reluctant"):
        assert learned(lefi.scenario(name, clients=30, seed=3), 22).jumped == 0, name


def test_who_never_delivers_does_not_make_others_seem_dear_and_gets_no_money_in_the_end() -> None:
    curves = fleet("step", 60, 1, "dead")
    market, dead = lefi.Market(lefi.Terms(60 * 0.5, lefi.accuracy("paper")), curves), curves.scale > 1
    assert learned(market, 10).mean[1] < np.log(curves.scale[~dead].max())
    *_, last = lefi.play(lefi.make("waterfill", market.terms, seed=1), market, 30, seed=1)
    assert last.offer.payment(last.offer.limit)[dead].sum() < 0.02 * last.offer.worst_case()


@pytest.mark.parametrize("scenario", ["mixed", "noisy"])
def test_three_rounds_tell_a_large_fleet_its_noise(scenario: str) -> None:
    noise = learned(lefi.scenario(scenario, clients=5000, seed=2), 3).rho
    assert noise < 2e-3 if scenario == "mixed" else noise == pytest.approx(0.1, rel=0.3)
