from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import InputError, RationalFleet, UnknownName
from lefi.world.scenarios import SCENARIOS


def rational(name: str, **settings: Any) -> RationalFleet:
    fleet = lefi.scenario(name, **settings).fleet
    assert isinstance(fleet, RationalFleet)
    return fleet


@pytest.mark.parametrize("name", sorted(SCENARIOS))
def test_every_scenario_settles_a_round(name: str) -> None:
    market = lefi.scenario(name, clients=4)
    offer = lefi.CurveOffer(np.full(4, 0.5), market.fleet.roster.rate, np.full(4, 10.0))
    assert market.settle(1, offer, np.random.default_rng(0)).accuracy > 0


def test_unknown_names_come_back_with_the_near_match_and_the_list() -> None:
    with pytest.raises(UnknownName, match=r"unknown scenario 'papre': did you mean 'paper'\? known: .*mixed"):
        lefi.scenario("papre")
    with pytest.raises(UnknownName, match=r"unknown scenario setting 'sped': did you mean 'speed'\?"):
        lefi.scenario("paper", sped=3)
    with pytest.raises(UnknownName, match="accuracy model"):
        lefi.scenario("paper", accuracy="nope")


@pytest.mark.parametrize("clients", [0, -1, 2.0, True, "3"])
def test_refuses_clients(clients: Any) -> None:
    with pytest.raises(InputError, match="clients"):
        lefi.scenario("paper", clients=clients)


@pytest.mark.parametrize("field", ["budget", "deadline"])
@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, True, "3"])
def test_refuses_budget_and_deadline(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=field):
        lefi.scenario("paper", **{field: value})


@pytest.mark.parametrize("seed", [-1, 1.0, True, None])
def test_refuses_seeds(seed: Any) -> None:
    with pytest.raises(InputError, match="seed"):
        lefi.scenario("paper", seed=seed)


@pytest.mark.parametrize("field", ["rate", "speed", "iid", "price_factor"])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, (2, 1), (1,), (0, 1, 2), "fast", True, (True, 2), (0.5, np.nan)])
def test_refuses_ranges(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=field):
        lefi.scenario("paper", **{field: value})


@pytest.mark.parametrize("field", ["size_low", "size_high"])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, True, "2"])
def test_refuses_sizes(field: str, value: Any) -> None:
    with pytest.raises(InputError, match=field):
        lefi.scenario("paper", **{field: value})


def test_the_paper_setting() -> None:
    market = lefi.scenario("paper")
    fleet = rational("paper")
    assert market.terms.budget == 5.0
    assert market.terms.deadline == 60.0
    assert (fleet.speed == 28.9).all()
    assert (fleet.roster.rate == 0.75).all()
    assert ((fleet.roster.iid >= 0.1) & (fleet.roster.iid <= 1)).all()
    rent = fleet.price * 28.9 * 3600  # back to USD per hour of the reference GPU
    assert ((rent >= 0.45) & (rent <= 1.8)).all()


def test_the_budget_grows_with_the_clients() -> None:
    assert lefi.scenario("paper", clients=40).terms.budget == 20.0


def test_mixed_draws_speeds_and_rates() -> None:
    fleet = rational("mixed", clients=500)
    assert fleet.speed.min() >= 2
    assert fleet.speed.max() <= 29
    assert 10 < fleet.speed.mean() < 20
    assert fleet.roster.rate.min() >= 0.4
    assert fleet.roster.rate.max() <= 1.1


def test_a_client_is_the_same_in_a_larger_fleet() -> None:
    few, many = rational("mixed", clients=5, seed=4), rational("mixed", clients=50, seed=4)
    for name in ("price", "speed"):
        assert np.array_equal(getattr(few, name), getattr(many, name)[:5])
    assert np.array_equal(few.roster.iid, many.roster.iid[:5])
    assert not np.array_equal(few.price, rational("mixed", clients=5, seed=5).price)


def test_draws_of_one_client_are_independent() -> None:
    fleet = rational("mixed", clients=5000)
    table = np.corrcoef(np.stack([fleet.price, fleet.speed, fleet.roster.iid, fleet.roster.rate]))
    assert np.abs(table - np.eye(4)).max() < 0.06


def test_settings_overrule() -> None:
    fleet = rational("mixed", rate=0.5, speed=[3, 4], iid=1, cost=lefi.LinearCost(50.0, 1.0))
    assert (fleet.roster.rate == 0.5).all()
    assert ((fleet.speed >= 3) & (fleet.speed <= 4)).all()
    assert (fleet.roster.iid == 1).all()
    assert fleet.cost.p == 50.0


def test_a_fitted_file_is_a_setting(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('{"cost": {"p": 60, "q": 2}}')
    for given in (path, str(path)):
        assert rational("paper", cost=given).cost == lefi.LinearCost(60.0, 2.0)


def test_opt_out_is_a_setting() -> None:
    assert not isinstance(lefi.scenario("paper", opt_out=True).fleet, RationalFleet)
