"""Who left is forgotten, longest gone first; who is here never is."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import lefi
from lefi.mechanisms import Lefi, Price
from lefi.mechanisms.presence import Presence
from lefi.mechanisms.table import LastValue


def test_the_longest_gone_are_forgotten_first() -> None:
    presence = Presence(away=40)
    known: set[int] = set()
    for round in range(1, 60):
        here = np.arange(3 * round, 3 * round + 10)
        gone = presence.note(here, round)
        known = (known | set(here.tolist())) - set(gone.tolist())
        assert not set(gone.tolist()) & set(here.tolist())
        assert set(presence.last.ids.tolist()) == known
        assert len(known) - 10 <= 40 + 40 // 20
        assert known == set(range(min(known), 3 * round + 10))  # the newest


def test_nobody_is_forgotten_who_may_be_remembered() -> None:
    presence = Presence(away=1000)
    assert all(presence.note(np.arange(3 * round, 3 * round + 10), round).size == 0 for round in range(1, 300))


def test_a_value_that_was_forgotten_has_the_default_again() -> None:
    values = LastValue()
    values.write(np.array([3, 1, 7]), np.array([30.0, 10.0, 70.0]))
    values.forget(np.array([0, 3, 9]))
    assert values.read(np.array([1, 3, 7]), default=-1.0).tolist() == [10.0, -1.0, 70.0]


def held(mechanism: Any) -> dict[str, int]:
    """How many clients each part of a mechanism remembers."""
    if isinstance(mechanism, Price):
        values = (*mechanism.brackets.values, *mechanism.capacity.values, mechanism.prices, mechanism.limits)
        return {str(place): one.ids.size for place, one in enumerate(values)}
    values = (mechanism.weights, mechanism.sizes, mechanism.answers, mechanism.rates)
    return {"bank": mechanism.bank.ids.size} | {str(place): one.ids.size for place, one in enumerate(values)}


@pytest.mark.parametrize("name", ["lefi", "price"])
def test_a_fleet_that_churns_is_remembered_up_to_the_bound(name: str) -> None:
    market = lefi.scenario("churning", clients=30, seed=2).taking(lefi.registered()[name].payment)
    mechanisms = [lefi.make(name, market.terms, away=away) for away in (20, 10_000)]
    for mechanism in mechanisms:
        assert len(list(lefi.play(mechanism, market, 80, 2))) == 80
    short, long = (held(mechanism) for mechanism in mechanisms)
    assert all(count <= 30 + 20 + 1 for count in short.values())
    assert max(long.values()) > 100


def test_who_stays_is_known_as_before() -> None:
    """Without refits, for which the others vote, nothing changes for those who are here."""
    market = lefi.scenario("churning", clients=30, seed=2)
    short, long = (lefi.make("lefi", market.terms, away=away, refits=(), cap=16) for away in (5, 10_000))
    for one, other in zip(lefi.play(short, market, 60, 2), lefi.play(long, market, 60, 2), strict=True):
        assert one.offer.weight == pytest.approx(other.offer.weight, rel=1e-9)


def test_who_comes_back_after_being_forgotten_is_a_newcomer() -> None:
    market = lefi.scenario("mixed", clients=30)
    mechanism = lefi.make("lefi", market.terms, away=3)
    fleet = cast(lefi.RationalFleet, market.fleet)
    for few in (np.arange(10), np.arange(10, 20), np.arange(20, 30)):
        list(lefi.play(mechanism, replace(market, fleet=fleet.take(few)), 4))
    mean, std = cast(Lefi, mechanism).bank.predict(np.array([0, 1000]), np.full(2, 0.5))
    assert (mean[0], std[0]) == (mean[1], std[1])
