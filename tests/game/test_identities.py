"""Lies about oneself: what is known to pay is found to pay, what cannot pay is not."""

import numpy as np
import pytest

import lefi
from lefi.game.identities import Renamed, on_probation, reentry, stated_iid, sybils
from lefi.game.match import match

POOL = lefi.scenario("paper", clients=5, budget=0.03, seed=1, payment="pool")
PRICE = lefi.scenario("paper", clients=5, budget=0.03, seed=1, payment="price")
AUCTION = PRICE.taking("auction")


def test_made_up_names_take_more_of_a_pool() -> None:
    cheapest = int(np.argmin(POOL.fleet.means.price))  # type: ignore[attr-defined]
    told = sybils("pool", POOL, cheapest, 3, names=3)
    assert told.adds > 0
    assert told.kind == "sybils(3)"


def test_a_new_name_gains_nothing_where_nothing_is_learned() -> None:
    told = reentry("auction", AUCTION, 2, 6, every=2)
    assert told.adds == pytest.approx(0, abs=1e-12)
    assert told.lost == pytest.approx(0, abs=1e-12)


def test_the_renamed_client_is_the_same_under_another_id() -> None:
    fleet = Renamed(PRICE.fleet, client=3, every=1)
    later = fleet.advance(np.random.default_rng(0))
    assert sorted(later.roster.ids)[:4] == [0, 1, 2, 4]
    assert later.means.price[-1] == PRICE.fleet.means.price[3]  # type: ignore[attr-defined]


def test_a_stated_iid_moves_the_price_and_not_what_the_data_are_worth() -> None:
    """Accuracy falls with iid times size, so data that are said to be alien are bought dearer."""
    told = stated_iid("auction", AUCTION, 0, 2, iid=0.0)
    assert told.adds >= 0
    assert told.gain != told.gain_honest or told.adds == 0


def test_newcomers_on_probation_sell_little_at_first() -> None:
    free, held = (match(made, PRICE, 3) for made in ("flat(price=0.001)", on_probation("flat(price=0.001)", rounds=2)))
    assert held.paid < free.paid


def test_two_clients_are_needed_and_the_client_must_be_there() -> None:
    alone = lefi.scenario("paper", clients=1, payment="price")
    with pytest.raises(lefi.InputError, match="at least two clients"):
        sybils("flat", alone, 0, 2)
    with pytest.raises(lefi.InputError, match="at least two clients"):
        reentry("flat", PRICE, 77, 2)
