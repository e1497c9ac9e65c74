"""Clients that play back: they answer and bid as if they cost more, and keep the contract of a fleet."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi import PriceOffer
from lefi.testing import check_fleet
from lefi.world.behaviours import Holdout, Overbid


@pytest.mark.parametrize(
    "settings", [{"holdout": 0.2}, {"overbid": 0.3}, {"holdout": 0.2, "pretender": 1, "opt_out": True}]
)
def test_they_keep_the_contract(settings: dict[str, Any]) -> None:
    check_fleet(lefi.scenario("mixed", clients=6, **settings).fleet)


def test_a_client_that_holds_out_refuses_what_is_less_than_its_margin_above_cost() -> None:
    fleet: Any = lefi.scenario("paper", clients=3).fleet
    cost = fleet.means.marginal_cost
    only = Holdout(fleet, 0.2, np.array([1]))
    limit = np.full(3, 4.0)
    np.testing.assert_array_equal(only.respond(PriceOffer(1.1 * cost, limit), None), [4.0, 0.0, 4.0])
    np.testing.assert_array_equal(only.respond(PriceOffer(1.21 * cost, limit), None), [4.0, 4.0, 4.0])
    offer = PriceOffer(1.5 * cost, limit)
    np.testing.assert_array_equal(only.utility(offer, limit), fleet.utility(offer, limit))  # it knows its true cost


def test_who_overbids_delivers_at_its_true_cost() -> None:
    fleet: Any = lefi.scenario("paper", clients=3).fleet
    call = lefi.AuctionCall(1.0, np.ones(3), np.full(3, 4.0), np.arange(3))
    np.testing.assert_allclose(Overbid(fleet, 0.5).bid(call, None), 1.5 * fleet.means.marginal_cost)
    offer = PriceOffer(1.1 * fleet.means.marginal_cost, np.full(3, 4.0))
    np.testing.assert_array_equal(Overbid(fleet, 0.5).respond(offer, None), [4.0, 4.0, 4.0])


def test_clients_with_a_convex_cost_take_the_pair_that_leaves_them_most() -> None:
    fleet: Any = lefi.scenario("paper", clients=4, kinds=("convex_cost",), curvature=1e-4).fleet
    menu = lefi.MenuOffer(np.tile([2.0, 5.0, 9.0], (4, 1)), np.tile([4e-3, 9e-3, 1.6e-2], (4, 1)))
    chosen = fleet.respond(menu, None)
    kept = fleet.utility(menu, chosen)
    for size in (0.0, 2.0, 5.0, 9.0):
        assert (fleet.utility(menu, np.full(4, size)) <= kept + 1e-15).all()
