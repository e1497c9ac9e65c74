import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import InputError, LinearCost

PAPER = lefi.cost("paper")
SIZES = np.linspace(0.1, 10, 60)


def test_the_paper_coefficients() -> None:
    assert PAPER == LinearCost(p=79.1259, q=17.6219)
    assert PAPER(np.array([0.0, 2.0])).tolist() == [17.6219, 2 * 79.1259 + 17.6219]
    assert PAPER.slope(SIZES).tolist() == [79.1259] * 60


def test_fits_recover_the_paper_at_its_rmse() -> None:
    """The source of the paper has an RMSE of 13.56 TFLOP in a comment: points with that noise give it back."""
    fits, errors = [], []
    for seed in range(60):
        points = PAPER(SIZES) + np.random.default_rng(seed).normal(0, 13.56, SIZES.size)
        fits.append(LinearCost.fit(SIZES, points))
        errors.append(fits[-1].rmse(SIZES, points))
    assert np.mean(errors) == pytest.approx(13.56 * np.sqrt(1 - 2 / SIZES.size), rel=0.05)
    spread_p = 13.56 / (SIZES.std() * np.sqrt(SIZES.size))
    p, q = np.array([[fit.p, fit.q] for fit in fits]).T
    assert abs(p.mean() - PAPER.p) < 4 * spread_p / np.sqrt(60)
    assert abs(q.mean() - PAPER.q) < 4 * 13.56 * 2 / np.sqrt(SIZES.size) / np.sqrt(60)
    assert p.std() == pytest.approx(spread_p, rel=0.4)


def test_a_fit_keeps_q_at_zero_or_above() -> None:
    found = LinearCost.fit(SIZES, 80 * SIZES - 20)
    assert found.q == 0
    assert found.p == pytest.approx((SIZES @ (80 * SIZES - 20)) / (SIZES @ SIZES))


@pytest.mark.parametrize(
    ("sizes", "cost"),
    [([], []), ([1.0], [80.0]), ([1.0, 1.0], [80.0, 81.0]), ([1.0, 2.0], [80.0]), ([1.0, np.nan], [1.0, 2.0])],
)
def test_a_fit_refuses_points(sizes: Any, cost: Any) -> None:
    with pytest.raises(InputError, match="points"):
        LinearCost.fit(sizes, cost)


def test_a_fit_refuses_falling_cost() -> None:
    with pytest.raises(InputError, match=r"cost\.p"):
        LinearCost.fit(SIZES, 100 - SIZES)


@pytest.mark.parametrize(
    ("p", "q"), [(0, 1), (-1, 1), (np.nan, 1), (np.inf, 1), (1, -1), (1, np.nan), ("1", 1), (1, True)]
)
def test_refuses(p: float, q: float) -> None:
    with pytest.raises(InputError, match=r"cost\.[pq]"):
        LinearCost(p, q)


def test_an_upload_costs_and_takes_no_computing_time(tmp_path: Path) -> None:
    metered = LinearCost(p=79.1259, q=17.6219, upload=1600)
    assert (metered(SIZES) - PAPER(SIZES)).tolist() == pytest.approx([1600] * 60)
    assert metered.slope(SIZES).tolist() == PAPER.slope(SIZES).tolist()
    with pytest.raises(InputError, match=r"cost\.upload"):
        LinearCost(1, 1, -1)
    file = tmp_path / "metered.json"
    file.write_text(json.dumps({"cost": metered.to_dict()}))
    assert lefi.cost(file) == metered
    assert "upload" not in PAPER.to_dict()
    fleets: list[Any] = [lefi.scenario(name, deadline=20.0).fleet for name in ("mixed", "metered")]
    caps = [fleet.means.cap for fleet in (fleets[0], fleets[1].fleet)]
    np.testing.assert_array_equal(*caps)


def test_who_pays_for_its_upload_stays_at_home_for_little() -> None:
    """The same offer: with mobile traffic to pay, some clients that would take part do not."""
    offers = [lefi.make("uniform", lefi.scenario("mixed", budget=0.1).terms)]
    answers = []
    for settings in ({"opt_out": True}, {"opt_out": True, "upload": 1600.0}):
        market = lefi.scenario("mixed", **settings)
        answers.append(market.fleet.respond(offers[0].ask(market.fleet.roster), None))
    assert (answers[1] == 0).sum() > (answers[0] == 0).sum()
