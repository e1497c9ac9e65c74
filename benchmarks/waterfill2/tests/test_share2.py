"""What waterfill2 reaches where it has to hold: the full table comes from benchmarks/record.py.

Every line is also held against equal offers, which have to miss it.
"""

import numpy as np
import pytest

import lefi
from benchmarks.waterfill import CHANGING, shares
from lefi.arrays import FloatArray

SEEDS = range(5)


def medians(name: str, scenario: str, rounds: list[int], budget: float = 0.5) -> FloatArray:
    table = []
    for seed in SEEDS:
        market = lefi.scenario(scenario, clients=10, budget=10 * budget, seed=seed)
        row, overspend = shares(name, market, rounds, seed, changing=scenario in CHANGING)
        assert name != "waterfill2" or overspend <= 0
        table.append(row)
    return np.asarray(np.median(table, axis=0))


@pytest.mark.parametrize(
    ("scenario", "least"),
    [
        ("capped", {5: 0.97, 10: 0.995, 20: 0.997}),
        ("mixed", {5: 0.97, 10: 0.995, 20: 0.997}),
        ("flaky", {20: 0.98}),
        ("noisy", {10: 0.92, 20: 0.94}),
        ("reluctant", {20: 0.97}),
        ("stubborn", {30: 0.97}),
        ("jump", {14: 0.995, 25: 0.98, 40: 0.98}),
    ],
)
def test_it_reaches_these_shares_and_equal_offers_do_not(scenario: str, least: dict[int, float]) -> None:
    line = np.array(list(least.values()))
    assert (medians("waterfill2", scenario, list(least)) >= line).all()
    assert (medians("uniform", scenario, list(least)) < line).all()


@pytest.mark.parametrize("scenario", ["drifting", "churning"])
def test_fleets_that_change(scenario: str) -> None:
    rounds = list(range(10, 41, 5))
    assert medians("waterfill2", scenario, rounds).mean() >= 0.9 > medians("uniform", scenario, rounds[-1:])[0]
