"""What a paying job takes of an offer: every kind stays what it is, and on its way to the clients too."""

import json
from typing import Any

import numpy as np
import pytest

import lefi
from lefi.books.guard import admit, keep
from lefi.mechanisms.catalogue import mechanism_of
from lefi.offers.columns import from_record, to_record
from lefi.spelling import spelled

SPECS = ["principals", "contest(prizes=unequal)", "contest(ranking=votes)", "serving(price)", "serving(waterfill)"]


@pytest.mark.parametrize("spec", SPECS)
def test_a_job_keeps_the_kind_and_the_budget(spec: str) -> None:
    payment = mechanism_of(spelled(spec).spec).payment
    market = lefi.scenario("mixed", clients=7, seed=2, budget=0.05, payment=payment)
    roster = market.fleet.roster
    asked = lefi.make(spec, market.terms).ask(roster)
    own = admit(asked, roster, payment, spec)
    assert type(own) is type(asked)
    np.testing.assert_allclose(own.payment(np.full(7, 3.0)), asked.payment(np.full(7, 3.0)))
    kept = keep(own, market.terms, 0.02, np.full(7, np.inf))
    assert type(kept) is type(asked)
    assert kept.worst_case() <= 0.02


@pytest.mark.parametrize("spec", SPECS[1:])
def test_an_offer_reaches_its_clients_as_it_was(spec: str) -> None:
    market = lefi.scenario("mixed", clients=7, seed=2, budget=0.05, payment=mechanism_of(spelled(spec).spec).payment)
    roster = market.fleet.roster
    offer = lefi.make(spec, market.terms).ask(roster)
    back = from_record(json.loads(json.dumps(to_record(offer))), roster.rate)
    assert type(back) is type(offer)
    for name, column in offer.to_columns().items():
        np.testing.assert_array_equal(column, back.to_columns()[name])


def test_contracts_are_bought_as_posted_and_bids_of_an_auction_are_not() -> None:
    """The rule goes with the kind: 5 clients who ask different prices are paid these, or one."""
    market = lefi.scenario("paper", clients=5, seed=2, budget=0.05, payment="auction", iid=0.5)
    bids = np.array([4e-4, 5e-4, 6e-4, 7e-4, 8e-4])
    calls = {name: lefi.make(name, market.terms).ask(market.fleet.roster) for name in ("principals", "auction")}
    own: dict[str, Any] = {name: admit(call, market.fleet.roster, "auction", name) for name, call in calls.items()}
    paid = {name: call.award(bids).price for name, call in own.items()}
    bought = paid["principals"] > 0
    np.testing.assert_array_equal(paid["principals"][bought], bids[bought])
    assert np.ptp(paid["auction"][paid["auction"] > 0]) == pytest.approx(0)
