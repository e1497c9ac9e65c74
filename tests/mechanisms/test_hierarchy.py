"""hierarchy: one cluster is the flat fleet, and several come to share the budget as the flat fleet does."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.mechanisms.catalogue import mechanism_of
from lefi.testing import check_mechanism
from tests.lengths import amount


def gains(name: str, seed: int, rounds: int = 25) -> list[float]:
    """What each round adds to the accuracy of doing nothing."""
    market = lefi.scenario("mixed", clients=12, seed=seed, budget=3.0)
    nothing = market.accuracy_of(np.zeros(12))
    mechanism = lefi.make(name, market.terms, seed=seed)
    return [receipt.accuracy - nothing for receipt in lefi.play(mechanism, market, rounds, seed)]


@pytest.mark.parametrize("inside", ["waterfill", "price", "contract", "uniform"])
def test_merged_clusters_are_the_flat_fleet(inside: str) -> None:
    """With one cluster every offer of every round is that of the mechanism inside, number by number."""
    market = lefi.scenario("mixed", clients=8, seed=3, budget=2.0).taking(mechanism_of(inside).payment)
    flat = lefi.play(lefi.make(inside, market.terms, seed=3), market, 8, 3)
    merged = lefi.play(lefi.make(f"hierarchy({inside}, clusters=1)", market.terms, seed=3), market, 8, 3)
    for one, other in zip(flat, merged, strict=True):
        for name, column in one.offer.to_columns().items():
            np.testing.assert_array_equal(column, other.offer.to_columns()[name])


@pytest.mark.parametrize("seed", [1, 2])
def test_clusters_come_to_the_flat_allocation(seed: int) -> None:
    """Money flows until a USD buys as much in every cluster; the control shares it by heads for ever."""
    names = ("waterfill", "hierarchy(waterfill)", "hierarchy(waterfill, step=0)")
    flat, trading, fixed = (np.mean(gains(name, seed)[-8:]) for name in names)
    assert fixed < 0.996 * flat
    assert flat - trading < 0.4 * (flat - fixed)


def test_the_price_of_money_becomes_one() -> None:
    market = lefi.scenario("paper", clients=30, seed=5, budget=3.0, price_factor=(0.2, 5.0))

    def spread(step: float) -> float:
        mechanism: Any = lefi.make(f"hierarchy(waterfill, clusters=4, step={step})", market.terms, seed=5)
        *_, last = lefi.play(mechanism, market, 25, 5)
        price = last.offer.weight * last.offer.rate / market.terms.accuracy.slope(last.sizes, last.roster.iid)
        each = [np.log(np.max(price[at])) for at in mechanism._clusters(last.roster.ids).values()]
        return float(np.ptp(each))

    assert spread(0.5) < 0.5 * spread(0.0)


@pytest.mark.parametrize("inside", ["contract", "waterfill"][: amount(2, 1)])
def test_it_keeps_the_contract(inside: str) -> None:
    check_mechanism(mechanism_of(f"hierarchy({inside})"))


def test_a_round_never_owes_more_than_the_budget() -> None:
    market = lefi.scenario("churning", clients=12, seed=1, budget=3.0)
    for receipt in lefi.play(lefi.make("hierarchy(waterfill, clusters=5)", market.terms), market, 20, 1):
        assert receipt.offer.worst_case() <= 3.0


def test_one_total_cannot_be_put_together() -> None:
    market = lefi.scenario("mixed", clients=8, payment="pool")
    with pytest.raises(lefi.OfferError, match="a PoolOffer pays from one total: it cannot be put together from parts"):
        lefi.make("hierarchy(pool)", market.terms).ask(market.fleet.roster)


@pytest.mark.parametrize("written", ["clusters=0", "clusters=1.5", "step=-1", "step=2"])
def test_bad_settings_are_refused(written: str) -> None:
    with pytest.raises(lefi.InputError, match=r"^hierarchy\(waterfill\)\.\w+ is "):
        lefi.make(f"hierarchy(waterfill, {written})", lefi.scenario("mixed").terms)
