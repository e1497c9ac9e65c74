"""The exact posterior of a noisy client whose cap cuts the noise off."""

import numpy as np
import pytest
from scipy.stats import norm

from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.belief import CHANCES
from lefi.mechanisms.waterfill.clipped import fit_clipped
from lefi.mechanisms.waterfill.facts import Client, Fleet
from lefi.mechanisms.waterfill.memory import SLOTS
from lefi.mechanisms.waterfill.tracks import CHANCE, COLUMNS, HIGH, KIND, KINDS, LOW, TRACKS, M, V, deviation

RATE, CAP, B, RHO, TOP = 0.6, 8.0, -6.0, 0.1, 10.0
FLEET = Fleet(np.full(KINDS, B + 0.3), np.full(KINDS, 0.5), CHANCES, 1.0, 0.0, np.zeros(2), RHO**2, 0.0, TOP)


def answers(x: FloatArray, seed: int) -> FloatArray:
    """Rows: log weight, limit, size, weight by age, log money."""
    rng = np.random.default_rng(seed)
    size = np.clip((x - B) / RATE, 0, CAP)
    y = np.clip(size * (1 + RHO * rng.standard_normal(x.size)), 0, CAP)
    rows = np.zeros((6, SLOTS))
    rows[:5, : x.size] = x, np.full(x.size, TOP), y, np.ones(x.size), x + np.log(-np.expm1(-RATE * CAP))
    return rows


def fitted(rows: FloatArray, count: int, *, brief: bool) -> tuple[FloatArray, int, float]:
    tracks = np.zeros((TRACKS, COLUMNS))
    tracks[0, CHANCE], tracks[0, KIND] = 1.0, 1
    kind, location = fit_clipped(tracks, rows[:, :count], Client(RATE, RHO, CAP, 0.0, TOP), FLEET, brief)
    return tracks, kind, location


def brute_force(rows: FloatArray, count: int) -> tuple[float, float]:
    """Mean and deviation of the location, by scipy on a fine grid."""
    b = np.linspace(B - 4, B + 4, 20001)
    total = norm.logpdf(b, FLEET.centre[1] - np.log(RATE), np.sqrt(FLEET.spread[1]))
    for x, y in rows[[0, 2], :count].T:
        size = np.clip((x - b) / RATE, 0, CAP)
        d = np.array([deviation(s, RHO, TOP) for s in size])
        total += norm.logsf(CAP, size, d) if y >= CAP else norm.logpdf(y, size, d)
    p = np.exp(total - total.max())
    p /= p.sum()
    mean = float(p @ b)
    return mean, float(np.sqrt(p @ (b - mean) ** 2))


@pytest.mark.parametrize("seed", range(5))
def test_the_posterior_is_that_of_brute_force(seed: int) -> None:
    x = B + RATE * CAP + np.linspace(-0.6, 0.5, 16)
    rows = answers(x, seed)
    tracks, kind, location = fitted(rows, x.size, brief=True)
    mean, spread = brute_force(rows, x.size)
    assert kind == 1
    assert location == pytest.approx(mean, abs=0.05 * spread)
    p = tracks[:, CHANCE]
    assert p.sum() == pytest.approx(1)
    middle = p @ tracks[:, M]
    assert middle == pytest.approx(mean, abs=0.1 * spread)  # but for the tails that no window holds
    assert np.sqrt(p @ (tracks[:, V] + (tracks[:, M] - middle) ** 2)) == pytest.approx(spread, rel=0.1)


def test_windows_follow_each_other() -> None:
    rows = answers(B + RATE * CAP + np.linspace(-0.5, 0.5, 12), seed=7)
    tracks, _, _ = fitted(rows, 12, brief=True)
    assert np.all(tracks[:, LOW] < tracks[:, HIGH])
    np.testing.assert_allclose(tracks[1:, LOW], tracks[:-1, HIGH])
    assert np.all(np.diff(tracks[:, CHANCE]) < 0)


@pytest.mark.parametrize("seed", range(5))
def test_who_refuses_a_low_offer_for_reasons_of_its_own_is_not_taken_for_dear(seed: int) -> None:
    rows = answers(B + RATE * CAP + np.linspace(-0.6, 0.5, 6), seed)
    _, _, before = fitted(rows, 6, brief=True)
    low = before + 0.1 * RATE * CAP
    rows[:5, 6] = low, TOP, 0.0, 1.0, low
    assert fitted(rows, 7, brief=True)[2] == pytest.approx(before, abs=0.2)


def test_a_rational_client_is_told_from_one_that_is_proportional_to_the_money() -> None:
    rows = answers(B + RATE * CAP + np.linspace(-3.5, 0.3, 20), seed=3)
    tracks, kind, _ = fitted(rows, 20, brief=False)
    assert kind == 1
    assert tracks[tracks[:, KIND] == 1, CHANCE].sum() > 0.9
