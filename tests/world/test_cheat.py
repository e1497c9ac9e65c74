"""Clients that claim work which they do not do: money and accuracy, with and without watching them."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi import InputError
from lefi.world.behaviours import Cheat
from tests.world.test_behaviours import fleet, offer

ROUNDS = 20  # it takes about 15 to learn that who was accused will not deliver again


def played(**settings: float) -> tuple[float, float]:
    """Mean accuracy of the last rounds, and the share of the budget that cheats were paid in them."""
    written = ", ".join(f"{name}={value}" for name, value in settings.items())
    market = lefi.scenario("paper", clients=20, budget=0.5, seed=3, behaviours=(f"cheat({written})",))
    receipts = list(lefi.play(lefi.make("waterfill", market.terms, seed=1), market, ROUNDS))[-4:]
    cheats = market.fleet.cheats  # type: ignore[attr-defined]
    paid = [float(one.payments[cheats].sum()) / 0.5 for one in receipts]
    return float(np.mean([one.accuracy for one in receipts])), float(np.mean(paid))


def test_cheats_are_paid_and_teach_nothing_and_who_is_accused_gets_nothing() -> None:
    honest, believed, watched = played(share=0), played(share=0.4), played(share=0.4, caught=0.9)
    assert believed[0] < honest[0]
    assert believed[1] > 0.4, "half of the budget buys nothing"
    assert watched[1] == 0
    assert watched[0] > believed[0], "what cheats no longer get buys work of others"


def test_claims_are_those_of_honest_clients_and_the_truth_is_a_part_of_them() -> None:
    inner = fleet()
    clients = Cheat(inner, share=0.5, work=0.25, key=7)
    asked = offer(inner.roster)
    claims = clients.respond(asked, None)
    assert np.array_equal(claims, inner.respond(asked, None))
    assert np.allclose(clients.truth(claims), np.where(clients.cheats, 0.25 * claims, claims))
    assert 0.3 < clients.cheats.mean() < 0.7


def after(clients: Cheat, rounds: int) -> Cheat:
    for round in range(rounds):
        clients = clients.advance(np.random.default_rng(round))
    return clients


def test_late_and_sporadic_cheats() -> None:
    claims = np.ones(len(fleet().roster))
    late = Cheat(fleet(), share=1.0, begins=4, key=7)
    worked = [float(after(late, rounds).truth(claims).mean()) for rounds in range(5)]
    assert worked == [1.0, 1.0, 1.0, 0.0, 0.0]
    sporadic = Cheat(fleet(), share=1.0, duty=0.25, key=7)
    assert np.mean([after(sporadic, rounds).truth(claims) for rounds in range(40)]) == pytest.approx(0.75, abs=0.04)


def test_nobody_is_accused_in_the_first_round_and_honest_clients_never() -> None:
    clients = Cheat(fleet(), share=0.5, caught=1.0, key=7)
    assert not after(clients, 1).accused.any()
    two = after(clients, 2)
    assert np.array_equal(two.accused, two.cheats)
    assert (two.respond(offer(two.roster), None)[two.accused] == 0).all()
    few = [int(after(Cheat(fleet(), share=1.0, caught=0.1, key=7), rounds).accused.sum()) for rounds in range(12)]
    assert few == sorted(few)
    assert 0 < few[-1] < len(fleet().roster)


@pytest.mark.parametrize("wrong", [{"share": 1.5}, {"work": -0.1}, {"begins": 0}, {"caught": float("nan")}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        Cheat(fleet(), **wrong)
