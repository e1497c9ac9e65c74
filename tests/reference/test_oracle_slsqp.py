"""The exact optimum against SciPy's SLSQP on random markets of rational clients."""

from typing import cast

import numpy as np
import pytest
from scipy.optimize import minimize

import lefi
from lefi import Market, RationalFleet
from lefi.arrays import FloatArray
from tests.lengths import amount


def random_market(case: int) -> Market:
    rng = np.random.default_rng(case)
    clients = int(rng.integers(2, 13))
    per_client = float(np.exp(rng.uniform(np.log(0.05), np.log(3.0))))
    name = ("paper", "capped", "mixed")[case % 3]
    return lefi.scenario(name, clients=clients, budget=per_client * clients, seed=case)


def slsqp(market: Market, starts: int = 4) -> float:
    """Best mean accuracy over sizes D = x cap, x in [0, 1], with P(D) = (kappa / beta) (exp(beta D) - 1)."""
    fleet, budget, model = cast(RationalFleet, market.fleet), market.terms.budget, market.terms.accuracy
    beta, iid, cap = fleet.roster.rate, fleet.roster.iid, np.nan_to_num(fleet.means.cap)
    kappa = fleet.means.marginal_cost

    def spent(x: FloatArray) -> float:
        return float((kappa / beta * np.expm1(beta * cap * x)).sum())

    best = -np.inf
    for start in range(starts):
        x = np.random.default_rng(start).uniform(0.2, 1.0, cap.size)
        while spent(x) > budget:
            x = x * 0.8
        found = minimize(
            lambda x: -float(model(cap * x, iid).mean()),
            x,
            jac=lambda x: -model.slope(cap * x, iid) * cap / cap.size,
            bounds=[(0, 1)] * cap.size,
            constraints={
                "type": "ineq",
                "fun": lambda x: np.log(budget / max(spent(x), 1e-12)),
                "jac": lambda x: -kappa * np.exp(beta * cap * x) * cap / max(spent(x), 1e-12),
            },
            method="SLSQP",
            options={"ftol": 1e-13, "maxiter": 500},
        )
        if spent(found.x) <= budget * (1 + 1e-9):
            best = max(best, -float(found.fun))
    return best


@pytest.mark.parametrize("case", range(amount(50, 18)))
def test_the_oracle_is_what_slsqp_finds(case: int) -> None:
    market = random_market(case)
    optimum, found = lefi.oracle(market), slsqp(market)
    assert optimum.paid <= market.terms.budget
    assert optimum.bound - optimum.accuracy < 1e-10
    assert optimum.accuracy == pytest.approx(found, abs=1e-6)
    assert found <= optimum.bound + 1e-9
