"""Markets as arrays settle what `lefi.play` settles one by one: sizes, payments, rewards, round by round."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.agent.network import forward
from lefi.agent.reward import reward
from lefi.agent.sight import Job
from lefi.agent.weights import Weights, save
from lefi.gym.episodes import Episodes
from lefi.gym.families import FAMILIES, HELD_OUT, drawn_market
from lefi.gym.stacked import stack
from tests.agent.networks import random_network

ROUNDS = 12


def rewards_of(market: lefi.Market, seed: int, weights: str) -> list[float]:
    terms = market.terms
    job = Job(terms.accuracy, terms.size_low, terms.size_high)
    receipts = lefi.play(lefi.make("drl", terms, weights=weights), market, ROUNDS, seed=seed)
    return [float(reward(r.accuracy, r.roster.iid, r.paid, terms.budget, job)) for r in receipts]


def test_the_rewards_are_those_of_play(tmp_path: Any) -> None:
    """Every family that is drawn and every one that is held out, in one stack, under one network that is not dull."""
    file, network = tmp_path / "weights.npz", random_network(3)
    save(file, Weights(network, {}, {}))
    rng = np.random.default_rng(5)
    pairs = [drawn_market(rng, 7, (family,)) for family in FAMILIES for _ in range(3)]
    pairs += [
        (lefi.scenario(name, clients=7, budget=each, seed=s), s)
        for name in HELD_OUT
        for s, each in ((1, 3.5), (2, 0.3))
    ]
    pairs += [(lefi.scenario("stubborn", clients=7, seed=8, noise=0.1, dropout=0.3, opt_out=True, size_low=0.0), 9)]
    episodes = Episodes(stack([market for market, _ in pairs], [seed for _, seed in pairs]))
    found = np.array([episodes.step(forward(network, episodes.sight())[0]) for _ in range(ROUNDS)])
    expected = np.array([rewards_of(market, seed, str(file)) for market, seed in pairs]).T
    assert np.ptp(expected, axis=0).min() > 1e-6  # the network does something in every market
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


def test_copies_of_a_market_have_the_same_luck() -> None:
    market = lefi.scenario("flaky", clients=5, seed=4, noise=0.2)
    both = stack([market], [11]).repeated(2)
    settled = both.settle(3, np.full((2, 5), 0.4))
    assert np.isnan(settled.sizes).any()
    np.testing.assert_array_equal(settled.sizes[0], settled.sizes[1])


@pytest.mark.parametrize("name", ["drifting", "logit", "sticky", "churning"])
def test_clients_that_arrays_do_not_know_are_refused(name: str) -> None:
    with pytest.raises(lefi.InputError, match="rational"):
        stack([lefi.scenario(name, clients=4)], [0])


def test_markets_that_do_not_fit_together_are_refused() -> None:
    small, large = lefi.scenario("paper", clients=3), lefi.scenario("paper", clients=4)
    with pytest.raises(lefi.InputError, match="as many in every market"):
        stack([small, large], [0, 1])
    with pytest.raises(lefi.InputError, match="the same sizes"):
        stack([small, lefi.scenario("paper", clients=3, size_high=5)], [0, 1])
