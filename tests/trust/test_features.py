"""What is seen of an update: the short ways are the same as those that definitions say, and copies stand out."""

import numpy as np
import pytest

from lefi.trust import Heard, Layout
from lefi.trust.features import PAST, features, uniqueness

SHAPES = [(8, 5, 3), (8,), (4, 8), (4,)]
LAYOUT, SIZE, CLIENTS = Layout.of(SHAPES), 164, 9


def heard(rng: np.random.Generator) -> Heard:
    updates = rng.normal(size=(CLIENTS, SIZE)) + rng.normal(size=SIZE)
    claims, gains = rng.uniform(1, 5, CLIENTS), rng.normal(size=(CLIENTS, 4))
    return Heard(np.arange(CLIENTS), claims, updates, gains, rng.normal(size=SIZE))


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def by_definition(round: Heard, past: np.ndarray) -> dict[str, list[float]]:
    Q = np.linalg.qr(past[-PAST:].T)[0] if len(past) else np.zeros((SIZE, 0))

    def outside(vector: np.ndarray) -> np.ndarray:
        return np.asarray(vector - Q @ (Q.T @ vector))

    found: dict[str, list[float]] = {}
    for i, update in enumerate(round.updates):
        others = np.average(np.delete(round.updates, i, 0), axis=0, weights=np.delete(round.claims, i))
        new = np.linalg.norm(outside(update))
        energies = [np.linalg.svd(update[at : at + m * n].reshape(m, n))[1] ** 2 for at, m, n in LAYOUT.matrices]
        shares = [energy / energy.sum() for energy in energies]
        told = {
            "norm": np.log(np.linalg.norm(update)),
            "new": np.log(new),
            "fresh": np.log(new / np.linalg.norm(update)),
            "cos_others": cosine(update, others),
            "cos_new_others": cosine(outside(update), outside(others)),
            "cos_own": cosine(update, round.own),
            "cos_new_own": cosine(outside(update), outside(round.own)),
            "cos_last": cosine(update, past[-1]) if len(past) else 0.0,
            "rank_0": -(shares[0] * np.log(shares[0])).sum(),
            "tail_1": np.log(shares[1][1:].sum()),
        }
        for name, value in told.items():
            found.setdefault(name, []).append(float(value))
    return found


@pytest.mark.parametrize("changes", [0, 1, 3, 5])
def test_the_short_way_is_the_definition(changes: int) -> None:
    rng = np.random.default_rng(changes)
    round, past = heard(rng), rng.normal(size=(changes, SIZE))
    found = features(round, past, LAYOUT)
    for name, values in by_definition(round, past).items():
        assert found[name] == pytest.approx(values, abs=1e-6), name


def test_an_update_made_of_the_last_changes_is_not_fresh() -> None:
    rng = np.random.default_rng(5)
    round, past = heard(rng), rng.normal(size=(3, SIZE))
    round.updates[2] = past.T @ [0.3, -1.0, 2.0]
    fresh = features(round, past, LAYOUT)["fresh"]
    assert fresh[2] < -10 < 10 * np.delete(fresh, 2).min()


def test_equal_changes_are_one_direction() -> None:
    rng = np.random.default_rng(6)
    round, change = heard(rng), rng.normal(size=SIZE)
    once, twice = (features(round, np.array([change] * times), LAYOUT) for times in (1, 2))
    for name, values in once.items():
        assert twice[name] == pytest.approx(values, abs=1e-6), name


@pytest.mark.parametrize("copies", [2, 6, 9])
def test_copies_stand_out_however_many_and_however_stretched(copies: int) -> None:
    """Of twenty clients; what they have in common is not what makes copies."""
    rng = np.random.default_rng(copies)
    updates = rng.normal(size=(20, SIZE)) + 2 * rng.normal(size=SIZE)
    for i in range(1, copies):
        noise = rng.normal(size=SIZE)
        updates[i] = updates[0] + 0.1 * np.linalg.norm(updates[0]) * noise / np.linalg.norm(noise)
    updates *= rng.uniform(0.3, 3.0, (20, 1))
    found = uniqueness(updates, rng.uniform(1, 5, 20))
    assert found[:copies].max() < 0.15
    assert found[copies:].min() > 0.4


def test_one_client_is_unique() -> None:
    assert uniqueness(np.ones((1, 5)), np.ones(1)).tolist() == [1.0]
