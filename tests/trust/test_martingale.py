"""The evidence is a likelihood ratio, and honest clients outgrow 1 / alpha no more often than alpha."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from lefi.trust.martingale import CLIP, FIRST, LATER, OFTEN, SHIFTS, SPORADIC, Spread, log_evidence

SPREAD = Spread(0.3, 0.8, 0.4, 3.0, 0.6)


def honest(rng: np.random.Generator, clients: int, rounds: int, spread: Spread = SPREAD) -> np.ndarray:
    return rng.multivariate_normal(np.full(rounds, spread.mu), spread.covariance(rounds), clients)


def by_definition(z: np.ndarray, spread: Spread) -> float:
    """The same mixture from joint normal densities, without the algebra."""
    n, total = len(z), LATER / len(z)
    cov = spread.covariance(n)
    base = multivariate_normal(np.full(n, spread.mu), cov).logpdf(z)
    predicted = [_predicted(z, cov, spread.mu, t) for t in range(n)]
    for shift in SHIFTS:
        for start, (_, sd) in enumerate(predicted):
            moved = np.full(n, spread.mu)
            moved[start:] -= shift * sd
            weight = FIRST if start == 0 else LATER / (start * (start + 1))
            total += weight / len(SHIFTS) * np.exp(multivariate_normal(moved, cov).logpdf(z) - base)
        product = 1.0
        for value, (m, sd) in zip(z, predicted, strict=True):
            ratio = np.exp(-0.5 * ((value - m) / sd + shift) ** 2 + 0.5 * ((value - m) / sd) ** 2)
            product *= 1 - OFTEN + OFTEN * ratio
        total += SPORADIC / len(SHIFTS) * product
    return float(np.log(total))


def _predicted(z: np.ndarray, cov: np.ndarray, mu: float, t: int) -> tuple[float, float]:
    """Mean and standard deviation of round t given the rounds before it."""
    gain = np.linalg.solve(cov[:t, :t], cov[:t, t]) if t else np.zeros(0)
    return float(mu + gain @ (z[:t] - mu)), float(np.sqrt(cov[t, t] - gain @ cov[:t, t]))


@pytest.mark.parametrize("rounds", [1, 2, 5, 12])
def test_it_is_the_mixture_of_likelihood_ratios(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    for z in honest(rng, 5, rounds):
        limit = CLIP * np.sqrt(SPREAD.covariance(1)[0, 0])
        clipped = np.clip(z, SPREAD.mu - limit, SPREAD.mu + limit)
        assert log_evidence(z[None], SPREAD)[0] == pytest.approx(by_definition(clipped, SPREAD), abs=1e-9)


def test_the_weights_make_one() -> None:
    assert pytest.approx(1.0) == FIRST + LATER + SPORADIC


def crossings(paths: np.ndarray, spread: Spread, alpha: float) -> float:
    """Share of clients whose evidence is above 1 / alpha after any round."""
    over = [log_evidence(paths[:, : t + 1], spread) >= np.log(1 / alpha) for t in range(paths.shape[1])]
    return float(np.any(over, axis=0).mean())


def test_honest_clients_are_rarely_accused_at_any_time() -> None:
    rng = np.random.default_rng(7)
    assert crossings(honest(rng, 20_000, 25), SPREAD, 0.05) <= 0.05


def test_the_control_is_accused_when_clients_differ_more_than_was_believed() -> None:
    """The bound is earned by tau: a reference that thinks all clients alike accuses many."""
    rng = np.random.default_rng(8)
    assert crossings(honest(rng, 300, 25), Spread(0.3, 0.1, 0.4, 3.0, 0.6), 0.05) > 0.2


@pytest.mark.parametrize(("start", "duty", "caught"), [(0, 1.0, 0.9), (10, 1.0, 0.7), (0, 0.25, 0.3)])
def test_cheats_are_found_early_late_and_now_and_then(start: int, duty: float, caught: float) -> None:
    rng = np.random.default_rng(9)
    paths = honest(rng, 200, 20)
    cheating = (np.arange(20) >= start) & (rng.random((200, 20)) < duty)
    assert crossings(paths - 4.0 * cheating, SPREAD, 0.01) >= caught


def test_no_rounds_no_evidence() -> None:
    assert log_evidence(np.zeros((3, 0)), SPREAD).tolist() == [0.0] * 3
