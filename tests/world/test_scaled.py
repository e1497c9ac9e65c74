"""Sizes of other data: full delivery costs and earns what it does in the paper."""

import numpy as np
import pytest

import lefi
from lefi.world.abilities import Costed, able
from lefi.world.client import expense
from lefi.world.scaled import scaled_market


@pytest.mark.parametrize("size_high", [0.2, 5.0])
def test_full_delivery_costs_and_earns_the_same(size_high: float) -> None:
    paper = lefi.scenario("paper", accuracy="paper")
    scaled = scaled_market("paper", "paper", size_high)
    told = []
    for market, full in ((paper, 10.0), (scaled, size_high)):
        sizes, fleet = np.full(10, full), market.fleet
        assert able(fleet, Costed)
        offer = lefi.CurveOffer(np.full(10, 0.5), market.fleet.roster.rate, sizes)
        told.append([*expense(fleet, sizes), *offer.payment(sizes)])
    assert told[0] == pytest.approx(told[1])
    assert scaled.terms.size_high == size_high
