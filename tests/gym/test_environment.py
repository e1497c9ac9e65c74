"""The environments keep the contracts of Gymnasium and Stable-Baselines3; their rewards are those of `lefi.play`."""

import re
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env as check_for_baselines

import lefi
from lefi.agent.network import forward
from lefi.agent.reward import reward
from lefi.agent.sight import NAMES, Job
from lefi.agent.weights import Weights, save
from lefi.gym import MarketEnv, MarketVecEnv
from lefi.gym.environment import REACH
from tests.agent.networks import random_network

CHANGING = ("drifting", "jump", "churning", "sticky", "logit", "convex", "metered")  # that arrays do not know


@pytest.mark.parametrize("name", [None, "mixed", "flaky", "churning"])
def test_it_keeps_the_contract_of_gymnasium(name: str | None) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(MarketEnv(name, clients=4, rounds=5), skip_render_check=True)


def test_it_keeps_the_contract_of_stable_baselines() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*unconventional shape")  # its policies flatten what is seen
        check_for_baselines(MarketEnv("mixed", clients=4, rounds=5), skip_render_check=True)


def test_it_is_made_by_its_id() -> None:
    environment = gymnasium.make("lefi/Market-v0", name="mixed", clients=3, rounds=2, disable_env_checker=True)
    seen, _ = environment.reset(seed=1)
    assert seen.shape == (3, len(NAMES))
    ends = [environment.step(np.zeros(3, dtype=np.float32))[2:4] for _ in range(2)]
    assert ends == [(False, False), (False, True)]


@pytest.mark.parametrize("name", ["mixed", "flaky", *CHANGING])
def test_the_rewards_are_those_of_play(name: str, tmp_path: Any) -> None:
    file, network = tmp_path / "weights.npz", random_network(2)
    save(file, Weights(network, {}, {}))
    market = lefi.scenario(name, clients=5, seed=6)
    terms = market.terms
    job = Job(terms.accuracy, terms.size_low, terms.size_high)
    receipts = lefi.play(lefi.make("drl", terms, weights=str(file)), market, 20, seed=6)
    expected = [float(reward(r.accuracy, r.roster.iid, r.paid, terms.budget, job)) for r in receipts]
    environment = MarketEnv(name, clients=5, rounds=20)
    seen, found = environment.reset(seed=6)[0], []
    for _ in range(20):
        seen, gained, *_ = environment.step(forward(network, seen.astype(np.float64))[0] / REACH)
        found.append(gained)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)  # what is seen was rounded to 32 bits


def test_markets_side_by_side_have_the_rewards_of_single_ones() -> None:
    """The same actions in `MarketVecEnv` and in `MarketEnv`, over the end of an episode."""
    together = MarketVecEnv(3, clients=4, rounds=5, draw=lambda _, n: (lefi.scenario("noisy", clients=n, seed=3), 3))
    alone = MarketEnv("noisy", clients=4, rounds=5)
    first, seen = alone.reset(seed=3)[0], together.reset()
    np.testing.assert_array_equal(seen[1], first)
    rng = np.random.default_rng(0)
    for round in range(1, 12):
        action = rng.normal(size=4).astype(np.float32)
        seen, rewards, over, infos = together.step(np.stack([action] * 3))
        one, gained, _, cut, _ = alone.step(action)
        assert rewards[2] == pytest.approx(gained, abs=1e-6)
        assert over.tolist() == [cut] * 3 == [round % 5 == 0] * 3
        last = infos[0]["terminal_observation"] if cut else seen[0]
        np.testing.assert_allclose(last, one, atol=1e-6)
        if cut:
            alone.reset(seed=3)


def test_a_seed_names_the_markets() -> None:
    first, second = (MarketVecEnv(2, clients=3, seed=4).reset() for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = MarketVecEnv(2, clients=3)
    assert not np.array_equal(other.reset(), first)
    other.seed(4)
    np.testing.assert_array_equal(other.reset(), first)


def test_stable_baselines_trains_on_it() -> None:
    markets = MarketVecEnv(8, clients=3, rounds=4)
    agent = PPO("MlpPolicy", markets, n_steps=8, batch_size=32, n_epochs=1, seed=0, device="cpu")
    agent.learn(128)
    action, _ = agent.predict(markets.reset(), deterministic=True)
    assert action.shape == (8, 3)


def test_the_programs_of_the_page_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand, but for how long the second agent learns."""
    page = (Path(__file__).parents[2] / "docs" / "drl.md").read_text()
    programs = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(programs) == 3
    monkeypatch.setattr(PPO, "learn", lambda agent, _: PPO_LEARN(agent, 256 * 30))
    for program in programs:
        exec(compile(program, "docs/drl.md", "exec"), {})


PPO_LEARN = PPO.learn
