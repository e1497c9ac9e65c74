"""What is said about a client is what is believed of it."""

import numpy as np
import pytest

import lefi
from lefi.mechanisms.explanation import Explaining


def test_a_known_client_is_explained_and_asking_changes_nothing() -> None:
    market = lefi.scenario("capped", clients=6, seed=3)
    mechanism = lefi.make("waterfill", market.terms, seed=1)
    *_, last = lefi.play(mechanism, market, 12)
    assert isinstance(mechanism, Explaining)
    before = mechanism.ask(last.roster)
    ids = last.roster.ids[[4, 1]]
    told = mechanism.explain(ids)
    np.testing.assert_array_equal(told.ids, ids)
    assert (np.diff(told.money, axis=1) > 0).all()
    assert (told.low <= told.expected + 1e-9).all()
    assert (told.expected <= told.high + 1e-9).all()
    sizes = last.sizes[[4, 1]]
    at = [np.interp(np.log(told.offered[i]), np.log(told.money[i]), told.expected[i]) for i in range(2)]
    np.testing.assert_allclose(at, sizes, rtol=0.1)
    for facts, why in zip(told.learned, told.why, strict=True):
        assert sum(value for name, value in facts.items() if name.startswith("chance")) == pytest.approx(1)
        assert why.startswith("It is taken for rational")
    np.testing.assert_array_equal(mechanism.ask(last.roster).weight, before.weight)


def test_strangers_and_the_time_before_the_first_round_can_be_explained() -> None:
    market = lefi.scenario("mixed", clients=6, seed=3)
    mechanism = lefi.make("waterfill", market.terms)
    assert isinstance(mechanism, Explaining)
    assert mechanism.explain(np.array([3])).why[0].startswith("It has not answered yet")
    for _ in lefi.play(mechanism, market, 5):
        pass
    told = mechanism.explain(np.array([777]))
    assert np.isnan(told.offered[0])
    assert np.isfinite(told.expected).all()
    assert told.why[0].startswith("It has not answered yet")
