"""What an answer is worth: a noisy client is tried low, early, where that pays."""

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.draws import generator
from lefi.mechanisms.waterfill.curves import VIEW, blank_view, survey
from lefi.mechanisms.waterfill.facts import Client, Known
from lefi.mechanisms.waterfill.mechanism import Waterfill
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, HIGH, KIND, LOW, TRACKS, C, M, V
from lefi.mechanisms.waterfill.tries import kink_in_noise, patience, prospects, regret, saving_in_noise
from lefi.world.behaviours import Noisy
from lefi.world.market import Market

RATE, CAP, B, TOP = 0.7, 8.0, -7.0, 10.0
KINK = B + RATE * CAP


def hinge(sd: float, cap: float = CAP) -> FloatArray:
    tracks = np.zeros((TRACKS, COLUMNS))
    s = tracks[0]
    s[KIND], s[M], s[V], s[LOW], s[HIGH], s[C], s[CHANCE] = 1, B, sd * sd, B - 9, B + 9, cap, 1.0
    return tracks


@pytest.mark.parametrize(("low", "sure"), [(-2.0, -1.0), (-1.5, 0.2), (-0.5, 2.0), (-1.0, -0.99)])
def test_the_regret_is_that_of_brute_force(low: float, sure: float) -> None:
    W = 1.2
    kink = np.minimum(low + (sure - low) * (np.arange(4000) + 0.5) / 4000, np.log(W))
    x = np.linspace(low, np.log(W), 2001)[:, None]
    unknown = (W * np.minimum(x, kink)).mean(axis=1) - np.exp(x[:, 0])
    known = (W * kink - np.exp(kink)).mean()
    assert regret(low, sure, W) == pytest.approx(known - unknown.max(), abs=2e-5)


def test_what_nobody_would_buy_is_not_worth_knowing() -> None:
    assert regret(0.5, 2.0, np.exp(0.4)) == 0


def per_round(x: float, rho: float, sd: float = 0.4) -> float:
    view = np.empty((TRACKS, VIEW))
    count = survey(hinge(sd), TOP, RATE, TOP, view)
    kink = kink_in_noise(view, count, RATE, 3 * RATE * np.exp(KINK))
    return saving_in_noise(kink, x, Client(RATE, rho, TOP, 0.0, TOP))


def test_a_noisy_client_shows_most_at_small_answers_but_not_by_refusing() -> None:
    near, low, nothing = (per_round(B + RATE * size, 0.1) for size in (0.9 * CAP, 1.5, -3.0))
    assert low > 2 * near > 0
    assert low > 10 * nothing


def test_with_little_noise_an_answer_near_the_cap_shows_as_much() -> None:
    near, low = (per_round(B + RATE * size, 0.002) for size in (0.8 * CAP, 1.5))
    assert near == pytest.approx(low, rel=0.1)


def test_a_known_client_is_worth_no_try() -> None:
    assert per_round(B + RATE, 0.1, sd=0.02) < 0.1 * per_round(B + RATE, 0.1)


def saving(heard: int, rho: float, later: bool = False, life: float = 1000.0) -> float:
    """What a low offer to a client in doubt is expected to save."""
    out, one, whole, tracks = np.empty((1, 1)), np.ones(1), np.ones(1, dtype=np.int64), hinge(0.4)[None]
    rounds, low = patience(tracks, np.array([later]), heard * whole, rho * one, life)
    known = Known(tracks, RATE * one, rho * one, TOP * one, one, one, rounds, low)
    prospects(np.full((1, 1), B + 1.0), known, 0.0, TOP, 3 * RATE * np.exp(KINK) * one, out, blank_view())
    return float(out[0, 0])


def test_each_half_of_the_fleet_has_its_turn_and_then_no_more_is_tried() -> None:
    assert saving(2, 0.1) > 0
    assert saving(2, 0.1, later=True) == 0
    assert saving(3, 0.1, later=True) > 0
    assert [saving(heard, 0.1) for heard in (4, 5, 20)] == [0, 0, 0]


def test_a_client_that_is_not_rational_is_tried_little_by_little() -> None:
    tracks = np.stack([hinge(0.4)] * 3)
    tracks[1:, 0, KIND] = 3
    later, rho = np.zeros(3, dtype=bool), np.full(3, 0.1)
    rounds, low = patience(tracks, later, np.array([9, 9, 17]), rho, life=1000.0)
    assert low.tolist() == [True, False, False]
    assert rounds[0] == 0
    assert rounds[1] > 20 * rounds[2] > 0


def test_a_little_noise_after_two_answers_may_be_none() -> None:
    tracks, two, later = hinge(0.4)[None], np.array([2]), np.array([False])
    assert not patience(tracks, later, two, np.array([0.06]), life=1000.0)[1][0]
    assert patience(tracks, later, two + 1, np.array([0.06]), life=1000.0)[1][0]


def test_who_leaves_soon_is_worth_less() -> None:
    assert saving(2, 0.1, life=20.0) == pytest.approx(0.1 * saving(2, 0.1))


def test_a_quiet_client_that_stays_is_worth_twice_one_that_leaves() -> None:
    assert saving(30, 1e-3) == pytest.approx(2 * saving(30, 1e-3, life=0.0))
    assert saving(2, 1e-3) > saving(30, 1e-3) > 0  # more while it is new


def test_clients_that_leave_shorten_the_life_that_is_expected() -> None:
    lives: dict[str, float] = {}
    for name in ("mixed", "churning"):
        market = lefi.scenario(name, clients=40, seed=1)
        mechanism = lefi.make("waterfill", market.terms)
        assert isinstance(mechanism, Waterfill)
        assert mechanism.belief is None
        for _ in lefi.play(mechanism, market, 30):
            pass
        assert mechanism.belief is not None
        lives[name] = mechanism.belief.life
    assert lives["mixed"] > 200
    assert lives["churning"] == pytest.approx(20, rel=0.4)  # a share of 0.05 leaves in every round


def test_a_noisy_fleet_is_tried_in_rounds_three_and_four_and_a_quiet_one_is_not() -> None:
    lowest = {}
    for noise in (0.0, 0.1):
        base = lefi.scenario("mixed", clients=40, budget=40.0, seed=3)
        market = Market(base.terms, Noisy(base.fleet, noise))
        mechanism, low = lefi.make("waterfill", market.terms), []
        for t in range(1, 9):
            offer = mechanism.ask(market.fleet.roster)
            sizes = market.settle(t, offer, None).sizes
            low.append(float((sizes < 0.4 * base.fleet.means.cap).mean()))  # type: ignore[attr-defined]
            mechanism.tell(market.settle(t, offer, generator(3, "behaviour", t)))
        lowest[noise] = low
    assert min(lowest[0.1][2:4]) > 0.1
    assert max(lowest[0.1][4:] + lowest[0.0][2:]) < 0.1
