"""first_best against an independent solver, and the bounds in their order."""

import numpy as np
import pytest
from scipy.optimize import minimize

import lefi


@pytest.mark.parametrize("seed", range(4))
def test_first_best_agrees_with_slsqp(seed: int) -> None:
    market = lefi.scenario("capped", clients=6, budget=0.03, seed=seed)
    means = market.fleet.means  # type: ignore[attr-defined]
    cap, cost, iid = np.nan_to_num(means.cap), means.marginal_cost, market.fleet.roster.iid
    found = minimize(
        lambda D: -market.terms.accuracy(D, iid).mean(),
        cap / 4,
        jac=lambda D: -market.terms.accuracy.slope(D, iid) / 6,
        bounds=[(0, high) for high in cap],
        constraints={"type": "ineq", "fun": lambda D: 1e3 * (0.03 - cost @ D), "jac": lambda _: -1e3 * cost},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    best = lefi.first_best(market)
    assert best.accuracy == pytest.approx(-found.fun, abs=5e-7)
    assert best.paid <= 0.03
    assert best.bound >= best.accuracy


def test_first_best_with_a_fixed_cost_agrees_with_trying_every_subset() -> None:
    from itertools import combinations

    market = lefi.scenario("reluctant", clients=5, budget=0.03, seed=2)
    means = market.fleet.means  # type: ignore[attr-defined]
    cap, iid = np.nan_to_num(means.cap), market.fleet.roster.iid
    A, best = market.terms.accuracy, -np.inf
    for count in range(6):
        for chosen in combinations(range(5), count):
            here = np.array(chosen, dtype=int)
            money = 0.03 - (means.price * means.cost.q)[here].sum()
            if money < 0 or (cap[here] <= 0).any():
                continue
            D = np.zeros(5)
            low, high = 1e-3, 1e6
            for _ in range(200):  # lambda of the chosen ones, by bisection
                price = np.sqrt(low * high)
                D[here] = np.clip(
                    (A.slope(0.0, iid[here]) - price * means.marginal_cost[here]) / 0.000304, 0, cap[here]
                )
                low, high = (price, high) if means.marginal_cost @ D > money else (low, price)
            best = max(best, float(A(D, iid).mean()))
    assert lefi.first_best(market).accuracy == pytest.approx(best, abs=3e-4)
    assert lefi.first_best(market).bound >= best - 1e-9


@pytest.mark.parametrize("scenario", ["paper", "mixed", "reluctant"])
def test_the_bounds_stand_in_their_order(scenario: str) -> None:
    market = lefi.scenario(scenario, budget=0.5, seed=3)
    flat, curve, outer = lefi.flat_best(market), lefi.oracle(market), lefi.first_best(market)
    assert flat.paid <= 0.5
    assert curve.accuracy <= outer.bound + 1e-9
    assert flat.accuracy <= outer.bound + 1e-9
