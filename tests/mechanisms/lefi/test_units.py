"""The money of `lefi`: relative to what a round has per client, or the paper's literal dollars."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray

TIMES = 8.0  # a power of two, so that scaling rounds nothing


def weights(times: float, **settings: Any) -> FloatArray:
    """(rounds, clients) in a world where every dollar is worth 1 / times as much."""
    market = lefi.scenario("mixed", budget=5.0 * times, rent=0.9 * times, seed=3)
    mechanism = lefi.make("lefi", market.terms, seed=3, **settings)
    return np.array([receipt.offer.weight for receipt in lefi.play(mechanism, market, 12)])


def test_in_another_currency_it_does_the_same() -> None:
    np.testing.assert_allclose(weights(TIMES), TIMES * weights(1.0), rtol=1e-9)


def test_with_literal_dollars_it_does_not() -> None:
    """The control: the same comparison fails where step and probe do not go with the money."""
    literal = weights(TIMES, units="usd")
    assert not np.allclose(literal, TIMES * weights(1.0, units="usd"), rtol=0.05)


def test_with_the_papers_money_both_are_the_same() -> None:
    np.testing.assert_array_equal(weights(1.0), weights(1.0, units="usd"))


def test_the_start_and_the_floor_are_settings() -> None:
    market = lefi.scenario("paper", clients=4)
    first = lefi.make("lefi", market.terms, start=1.0).ask(market.fleet.roster)
    usual = lefi.make("lefi", market.terms).ask(market.fleet.roster)
    np.testing.assert_allclose(first.weight, 10 * usual.weight)
    floored = lefi.make("lefi", market.terms, floor=0.9, warm_start=1)
    *_, last = lefi.play(floored, market, 3)
    assert (last.offer.weight >= 0.9 * 0.5 * 0.5).all()  # the projection may halve them, and more it does not here


@pytest.mark.parametrize("setting", [{"lengthscales": (0.25,)}, {"noises": (0.1,)}, {"refits": ()}])
def test_what_the_evidence_chooses_from_is_a_setting(setting: dict[str, Any]) -> None:
    assert not np.allclose(weights(1.0, **setting), weights(1.0), rtol=1e-3)


@pytest.mark.parametrize("bad", [{"start": 0}, {"floor": 2}, {"lengthscales": ()}, {"refits": (0,)}, {"units": "eur"}])
def test_others_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(lefi.InputError, match=rf"^lefi\.{next(iter(bad))}"):
        lefi.make("lefi", lefi.scenario("paper").terms, **bad)


def test_the_rent_makes_the_price() -> None:
    usual: Any = lefi.scenario("paper").fleet
    dearer: Any = lefi.scenario("paper", rent=1.8).fleet
    slower: Any = lefi.scenario("paper", reference_speed=28.9 / 2).fleet
    np.testing.assert_allclose(dearer.price, 2 * usual.price)
    np.testing.assert_allclose(slower.price, 2 * usual.price)
