"""Training: it learns, it goes on where it stopped, and says what it cannot use."""

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import lefi
from lefi.agent.weights import load
from lefi.cli import app
from lefi.gym.policy_gradient import Recipe, advantages
from lefi.gym.train import train

SMALL = Recipe(parts=2, markets=4, copies=4, rounds=6, every=2)


def test_a_training_that_was_stopped_ends_as_one_that_was_not(tmp_path: Path) -> None:
    """Whatever the number of processes."""
    whole, parts = tmp_path / "whole.npz", tmp_path / "parts.npz"
    train(6 * SMALL.batch, whole, SMALL)
    train(2 * SMALL.batch, parts, SMALL)
    train(6 * SMALL.batch, parts, jobs=2)
    first, second = load(str(whole)), load(str(parts))
    assert first.about == second.about
    assert first.about["interactions"] == 6 * SMALL.batch
    for name, layer in first.layers._asdict().items():
        np.testing.assert_array_equal(layer, getattr(second.layers, name))
    np.testing.assert_array_equal(first.more["curve"], second.more["curve"])


def test_it_learns(tmp_path: Path) -> None:
    """In 60,000 interactions more than nothing: equal shares are what it begins with."""
    recipe = Recipe(parts=1, markets=24, copies=6, rounds=12, every=40, rate=0.02)
    curve = train(35 * recipe.batch, tmp_path / "weights.npz", recipe).curve
    assert curve[-1][1] > curve[0][1] + 5e-4


def test_the_advantage_is_over_the_other_copies_and_counts_what_follows() -> None:
    rewards = np.array([[1.0, 0.0, 5.0, 5.0], [0.0, 1.0, 5.0, 5.0]])  # two markets of two copies each, two rounds
    found = advantages(rewards, copies=2, gamma=0.5)
    assert found[0, 0] == pytest.approx(-found[0, 1])
    assert found[0, 0] > 0
    assert found[1, 0] < 0
    assert found[1, 1] == pytest.approx(2 * found[0, 0])  # 1 against 0, and 1 against 0.5
    np.testing.assert_array_equal(found[:, 2:], np.zeros((2, 2)))


def test_another_recipe_does_not_go_on(tmp_path: Path) -> None:
    train(SMALL.batch, tmp_path / "weights.npz", SMALL)
    with pytest.raises(lefi.InputError, match="the training there has another seed"):
        train(SMALL.batch, tmp_path / "weights.npz", Recipe(**(vars(SMALL) | {"seed": 5})))


def test_the_command_trains_and_what_it_wrote_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lefi.gym.train.Recipe", lambda: SMALL)
    file = tmp_path / "weights.npz"
    done = CliRunner().invoke(app, ["drl", "train", "--steps", "100", "--out", str(file)])
    assert done.exit_code == 0, done.output
    assert "reward" in done.output
    played = CliRunner().invoke(
        app, ["simulate", "--scenario", "mixed", "--rounds", "3", "--mechanism", f"drl(weights='{file}')"]
    )
    assert played.exit_code == 0, played.output
