"""How much hangs on two numbers that the paper does not give: beta, and the unit of theta (a factor on all prices).

A reading is a pair (rate, factor): curves of that rate, clients whose rent is `factor` times ours. For each, over the
same fleets, in medians:
tight      share of 5 USD that the oracle of the paper's curve spends
saturates  first budget of the paper's sweep of which the oracle leaves more than 1%: more money buys nothing more
needed     share of 5 USD for which first_best, paying just the cost, reaches what the oracle reaches with 5 USD
agrees     with what the paper reports, decided before the sweep: 5 USD is tight (0.99 or more is spent), and all is
           bought at 15 USD or later, but by 30 USD
"""

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
import polars as pl

from lefi.allocation import sizes_at_slope
from lefi.arrays import FloatArray
from lefi.optimum import oracle
from lefi.studies.judge.statistics import median
from lefi.world.drawn import RENT
from lefi.world.fleet import RationalFleet
from lefi.world.market import Market
from lefi.world.scenarios import scenario

GOAL = 5.0  # USD: the paper's budget for 10 clients
SWEEP = (1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 60.0)  # USD; the paper goes to 25
SPENT = 0.99  # of a budget: less, and money is left over
LATE, BY = 15.0, 30.0  # USD between which all is bought in a reading that agrees
SEEDS = range(1000, 1010)  # fleets that nothing was chosen on
OURS = (0.75, 1.0)
LITERAL = 3600 * 28.9  # the factor if theta were USD per TFLOP, as printed: the control, nobody takes part
RATES = (0.15, 0.2, 0.25, 0.33, 0.4, 0.5, 0.6, 0.75, 0.9, 1.1)
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 28.9, 60.0, 120.0, LITERAL)
MONEY = tuple(float(x) for x in np.geomspace(0.01, 30, 22).round(4))  # USD at which accuracies are told
ENDLESS = 1e12  # USD
HALVINGS = 60


def sweep(
    rates: Iterable[float] = RATES, factors: Iterable[float] = FACTORS, seeds: Iterable[int] = SEEDS
) -> pl.DataFrame:
    """One row per reading."""
    return pl.DataFrame([_row(rate, factor, list(seeds)) for rate in rates for factor in factors])


def against_money(readings: pl.DataFrame, seeds: Iterable[int] = SEEDS) -> pl.DataFrame:
    """For each reading that agrees: median accuracy of the oracle and of first_best, over budgets."""
    rows = []
    for rate, factor in readings.filter("agrees").select("rate", "factor").rows():
        fleets = [market_of(rate, factor, seed) for seed in seeds]
        for budget in MONEY:
            found = [_accuracies(market, budget) for market in fleets]
            curve, cost = np.median(found, axis=0).tolist()
            rows.append({"rate": rate, "factor": factor, "budget": budget, "oracle": curve, "first_best": cost})
    return pl.DataFrame(rows)


def _accuracies(market: Market, budget: float) -> tuple[float, float]:
    """Of the oracle and of first_best with this budget."""
    return oracle(_with(market, budget)).accuracy, at_cost(market, lambda _, spent: spent > budget)[0]


def market_of(rate: float, factor: float, seed: int) -> Market:
    return scenario("paper", budget=GOAL, seed=seed, rate=rate, rent=RENT * factor)


def at_cost(market: Market, enough: Callable[[float, float], bool]) -> tuple[float, float]:
    """Accuracy and spend of paying just the cost, where the price of money is so high that `enough` just fails.

    `enough` is told accuracy and spend, which both fall with the price; A'(D_n) = price kappa_n.
    """
    fleet, A = market.fleet, market.terms.accuracy
    assert isinstance(fleet, RationalFleet)
    kappa, cap, iid = fleet.means.marginal_cost, np.nan_to_num(fleet.means.cap), fleet.roster.iid

    def at(log_price: float) -> tuple[float, float]:
        D: FloatArray = sizes_at_slope(A, iid, np.exp(log_price) * kappa, np.zeros_like(cap), cap)
        return market.accuracy_of(D), float((kappa * D).sum())

    low = float(np.log(A.slope(cap, iid) / kappa).min()) - 1  # at which everybody delivers all
    high = float(np.log(A.slope(np.zeros_like(cap), iid) / kappa).max()) + 1  # and nobody anything
    if not enough(*at(low)):
        return at(low)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(*at(middle)) else (low, middle)
    return at(high)


def _row(rate: float, factor: float, seeds: list[int]) -> dict[str, float | bool]:
    found = np.array([_fleet(market_of(rate, factor, seed)) for seed in seeds])
    tight, saturates = (float(np.median(column)) for column in found[:, :2].T)
    needed = median(found[:, 2])
    agrees = tight >= SPENT and LATE <= saturates <= BY
    told = {"rate": rate, "factor": factor, "tight": tight, "saturates": saturates, "needed": float(needed.middle)}
    return told | {"needed_low": float(needed.low), "needed_high": float(needed.high), "agrees": agrees}


def _fleet(market: Market) -> tuple[float, float, float]:
    """tight, saturates and needed of one fleet. Nothing is needed where the oracle buys nothing."""
    best = oracle(market)
    everything = oracle(_with(market, ENDLESS)).paid
    left = (budget for budget in SWEEP if everything < SPENT * budget)
    _, spent = at_cost(market, lambda accuracy, _: accuracy >= best.accuracy)
    bought = bool((best.sizes > 0).any())
    return best.paid / GOAL, next(left, np.inf), spent / GOAL if bought else np.nan


def _with(market: Market, budget: float) -> Market:
    return Market(replace(market.terms, budget=budget), market.fleet)
