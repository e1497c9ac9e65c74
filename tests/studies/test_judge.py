"""Judging: definitions of design.md section 6, checked by their letter."""

import numpy as np
import pytest

import lefi
from lefi.draws import key, uniform
from lefi.messages import CurveOffer
from lefi.studies.judge.marks import Marks, arbitrary, judge, marks


def offer(market: lefi.Market, weight: float) -> CurveOffer:
    roster = market.fleet.roster
    return CurveOffer(np.full(len(roster), weight), roster.rate, np.full(len(roster), 10.0))


def test_fair_is_clean_within_the_budget_and_scaled_beyond_it() -> None:
    market = lefi.scenario("mixed", clients=6, seed=1)
    clean, fair = judge(market, offer(market, 0.2))
    assert clean == fair == market.settle(1, offer(market, 0.2), None).accuracy
    spend = market.settle(1, offer(market, 5.0), None).paid
    assert spend > market.terms.budget
    clean, fair = judge(market, offer(market, 5.0))
    assert fair == market.settle(1, offer(market, 5.0 * market.terms.budget / spend), None).accuracy < clean


def test_arbitrary_is_the_mean_of_32_draws_of_its_own_stream() -> None:
    market = lefi.scenario("paper", clients=4, seed=5)
    draws = uniform(key(5, "arbitrary"), market.fleet.roster.ids, 32) * 2 * market.terms.budget / 4
    values = []
    for weight in draws:
        receipt = market.settle(1, CurveOffer(weight, market.fleet.roster.rate, np.full(4, 10.0)), None)
        if receipt.paid > market.terms.budget:
            scaled = weight * market.terms.budget / receipt.paid
            receipt = market.settle(1, CurveOffer(scaled, market.fleet.roster.rate, np.full(4, 10.0)), None)
        values.append(receipt.accuracy)
    assert arbitrary(market, 5) == pytest.approx(np.mean(values), abs=1e-15)
    assert arbitrary(market, 5) != arbitrary(market, 6)


def test_marks_are_in_order_and_share_runs_between_them() -> None:
    market = lefi.scenario("mixed", clients=8, seed=2)
    found = marks(market, 2)
    assert found.arbitrary < found.oracle <= found.bound
    assert found.share(found.oracle) == 1
    assert found.share(found.arbitrary) == 0
    assert np.isnan(Marks(oracle=0.2004, bound=0.2004, arbitrary=0.2).share(0.2002))
