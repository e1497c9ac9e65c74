"""The sensitivity study: cells that are known, the control that must fail, and the shipped table made again."""

import numpy as np
import polars as pl
import pytest

import lefi
from lefi.studies.figures import readings as figure
from lefi.studies.judge.readings import FACTORS, LITERAL, OURS, RATES, at_cost, market_of, sweep
from lefi.studies.run.heavy import SHIPPED, heavy_table

TABLE = heavy_table("readings")


def test_paying_the_cost_is_first_best() -> None:
    market = market_of(0.25, 60.0, 1000)
    goal = lefi.oracle(market).accuracy
    accuracy, spent = at_cost(market, lambda accuracy, _: accuracy >= goal)
    assert accuracy == pytest.approx(goal, abs=1e-9)
    small = lefi.scenario("paper", budget=spent, seed=1000, rate=0.25, rent=0.9 * 60)
    assert lefi.first_best(small).accuracy == pytest.approx(goal, abs=1e-6)


def test_the_shipped_table_is_what_the_code_says() -> None:
    """Three cells of it, made again with all their fleets."""
    rates, factors = (0.75, 0.25), (1.0, 60.0)
    again = sweep(rates, factors).sort("rate", "factor")
    kept = TABLE.filter(pl.col("rate").is_in(rates), pl.col("factor").is_in(factors)).sort("rate", "factor")
    for column in ("tight", "saturates", "needed", "needed_low", "needed_high"):
        np.testing.assert_allclose(again[column].to_numpy(), kept[column].to_numpy(), rtol=1e-5)
    assert again["agrees"].to_list() == kept["agrees"].to_list() == [False, True, True, False]


def test_the_grid_is_whole_and_the_literal_unit_fails_everywhere() -> None:
    """The control: theta as printed, USD per TFLOP. It agrees with the paper at no beta."""
    assert TABLE.height == len(RATES) * len(FACTORS)
    assert not TABLE.filter(pl.col("factor") == LITERAL)["agrees"].any()


def test_the_range_over_readings_is_wide() -> None:
    found = figure.compute(TABLE)
    low, high = found.spread
    assert low < found.ours < 0.02 < 0.4 < high
    assert OURS == (0.75, 1.0)


def test_every_heavy_study_ships_a_table() -> None:
    from lefi.studies.plan.paper import EVERYBODY, HEAVY

    assert {path.stem for path in SHIPPED.glob("*.csv")} == {
        *HEAVY,
        EVERYBODY,
        "readings",
        "readings_money",
        "gaming",
        "replies",
        "to_target",  # trained on a GPU
    }
