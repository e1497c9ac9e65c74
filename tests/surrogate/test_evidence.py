"""Hyper-parameters that the evidence finds."""

from collections.abc import Callable

import numpy as np
import pytest

from lefi.arrays import FloatArray
from lefi.surrogate import Bank, Hyper
from lefi.surrogate.evidence import SAMPLE, choose, learn, learn_each, mixture, voting


def fleet(
    curve: Callable[[FloatArray, FloatArray], FloatArray], noise: FloatArray | float, *, answers: int, **settings: str
) -> Bank:
    rng = np.random.default_rng(1)
    bank, ids = Bank(**settings), np.arange(200)  # type: ignore[arg-type]
    steep = rng.uniform(0.1, 0.4, 200)
    for _ in range(answers):
        x = rng.uniform(0.06, 1.0, 200)
        bank.observe(ids, x, curve(x, steep) + noise * rng.normal(size=200))
    return bank


def line(x: FloatArray, steep: FloatArray) -> FloatArray:
    return steep * x


def log_line(x: FloatArray, steep: FloatArray) -> FloatArray:
    return steep * np.log(x / 0.05)


def test_the_noise_of_a_fleet_is_found() -> None:
    bank = fleet(log_line, 0.1, answers=20, kernel="iwp", warp_name="log")
    learn_each(bank)
    hyper = bank.hyper
    assert np.sqrt(hyper.signal * hyper.noise) == pytest.approx(0.1, rel=0.5)
    one = learn(bank)
    assert np.sqrt(one.signal * one.noise) == pytest.approx(0.1, rel=0.5)


def test_quiet_and_noisy_clients_are_told_apart() -> None:
    noisy = np.arange(200) % 2 == 0
    bank = fleet(log_line, np.where(noisy, 0.1, 0.003), answers=16, kernel="iwp", warp_name="log")
    learn_each(bank)
    variance = np.array([h.signal * h.noise for h in bank.table])[bank.choice]
    assert np.median(variance[noisy]) >= 3e-3
    assert np.median(variance[~noisy]) <= 1e-4


def test_empirical_bayes_covers_where_a_single_fit_would_trust_too_few_points() -> None:
    bank = fleet(log_line, 0.05, answers=5, kernel="iwp", warp_name="log")
    learn_each(bank)
    rng = np.random.default_rng(1)
    steep = rng.uniform(0.1, 0.4, 200)
    x = np.full(200, 0.8)
    mean, std = bank.predict(bank.ids, x)
    inside = np.abs(log_line(x, steep) - mean) < 1.645 * std
    assert 0.8 < inside.mean() < 0.99


@pytest.mark.parametrize(("curve", "warp"), [(line, "none"), (log_line, "log")])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_warp_is_chosen_by_evidence(
    curve: Callable[[FloatArray, FloatArray], FloatArray], warp: str, noise: float
) -> None:
    bank = fleet(curve, noise, answers=12, kernel="matern52")
    candidates = [(kernel, w) for kernel in ("iwp", "matern32", "matern52") for w in ("none", "log")]
    assert choose(bank, candidates)[1] == warp


def test_a_bank_without_answers_keeps_what_it_has() -> None:
    bank = Bank("matern32", Hyper(3.0, 2.0, 0.1))
    learn_each(bank)
    assert learn(bank) == bank.hyper == Hyper(3.0, 2.0, 0.1)
    assert choose(bank, [("iwp", "log"), ("rbf", "none")]) == ("iwp", "log")


def test_voters_do_not_depend_on_the_order_of_arrival() -> None:
    one, other = Bank("iwp"), Bank("iwp")
    for bank, ids in ((one, np.arange(500)), (other, np.arange(500)[::-1])):
        for _ in range(2):
            bank.observe(ids, np.ones(500), np.zeros(500))
    picked = [bank.ids[voting(bank, SAMPLE)] for bank in (one, other)]
    assert picked[0].size == SAMPLE
    assert np.array_equal(picked[0], picked[1])


def test_em_finds_the_shares_of_a_mixture() -> None:
    log_p = np.log(np.array([[0.9, 0.1]] * 30 + [[0.1, 0.9]] * 10))
    share, evidence = mixture(log_p)
    fine = np.linspace(0.001, 0.999, 999)
    best = max(fine, key=lambda w: float(np.log(np.exp(log_p) @ [w, 1 - w]).sum()))
    assert share[0] == pytest.approx(best, abs=2e-3)
    assert evidence == pytest.approx(float(np.log(np.exp(log_p) @ share).sum()))
