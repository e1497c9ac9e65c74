"""What `waterfill` tells of a client is what it reckons with."""

import numpy as np
import pytest

import lefi
from lefi.mechanisms.waterfill.curves import blank_view, evaluate
from lefi.mechanisms.waterfill.facts import Found
from lefi.mechanisms.waterfill.mechanism import Waterfill


@pytest.mark.parametrize("scenario", ["noisy", "mixed", "stubborn"])
def test_the_expected_sizes_are_those_of_the_allocation(scenario: str) -> None:
    """With several tracks a client, too: noise gives each some."""
    market = lefi.scenario(scenario, clients=10, budget=5.0, seed=0)
    mechanism = Waterfill(market.terms, seed=0)
    for _ in lefi.play(mechanism, market, rounds=6, seed=0):
        pass
    roster, terms = market.fleet.roster, market.terms
    assert mechanism.belief is not None
    known = mechanism.belief.read(roster.ids, roster.rate, np.zeros(10, dtype=bool))
    told = mechanism.explain(roster.ids)
    x = np.log(told.money / -np.expm1(-roster.rate * terms.size_high)[:, None])
    found = Found(*(np.empty(x.shape) for _ in range(3)))
    evaluate(x, known, terms.size_low, terms.size_high, found, blank_view())
    assert np.abs(told.expected - found.size).max() < 0.05 * terms.size_high  # limits of single tracks lie lower
