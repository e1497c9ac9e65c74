"""The formula buys the best sizes, and shares a budget at one price."""

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.formula import SAMPLE, Formula, serve, share, telling
from lefi.mechanisms.waterfill.plain import Plain
from lefi.messages import Roster

TERMS = lefi.Terms(1.0, lefi.accuracy("paper"))


def fleet(n: int) -> tuple[Roster, Plain]:
    rng = np.random.default_rng(0)
    roster = Roster(np.arange(n), rng.random(n), rng.uniform(0.4, 1.1, n))
    b, cap = rng.normal(-7, 0.4, n), rng.uniform(1, 10, n)
    return roster, Plain(np.ones(n, dtype=bool), np.ones(n, dtype=bool), b, cap, np.zeros(n), np.zeros(n))


def net(roster: Roster, plain: Plain, price: float, size: FloatArray) -> FloatArray:
    """Accuracy that sizes bring, less what they cost."""
    cost = np.exp(plain.b) * np.expm1(roster.rate * size)
    return np.asarray(TERMS.accuracy(size, roster.iid) - price * cost)


@pytest.mark.parametrize("price", [0.01, 0.3, 3.0, 100.0])
def test_the_best_size_is_that_of_brute_force(price: float) -> None:
    roster, plain = fleet(50)
    size = serve(TERMS, roster, plain, price).size
    best = np.max([net(roster, plain, price, share * plain.cap) for share in np.linspace(0, 1, 501)], axis=0)
    assert (net(roster, plain, price, size) >= best - 1e-6).all()
    assert (size <= plain.cap).all()


def test_the_budget_is_shared_at_one_price() -> None:
    roster, plain = fleet(5000)
    some = telling(roster.ids, 5000)
    formula = Formula(TERMS, roster.iid[some], roster.rate[some], plain.take(some), 5000 / some.size)
    offers = share(TERMS, roster, plain, formula, 300.0)
    assert 0.999 * 300 < -(np.exp(offers.x) * np.expm1(-roster.rate * offers.limit)).sum() < 300.3
    price = 1.0
    inside = (offers.size > 0.01) & (offers.size < plain.cap - 0.01)
    ask = price * roster.rate * np.exp(plain.b + roster.rate * offers.size)
    ratio = ask[inside] / TERMS.accuracy.slope(offers.size[inside], roster.iid[inside])
    assert np.ptp(ratio) < 0.01


@pytest.mark.parametrize("price", [0.01, 0.3, 3.0, 100.0])
def test_what_is_spent_at_a_price_is_known_before_anybody_is_served(price: float) -> None:
    roster, plain = fleet(50)
    cost = serve(TERMS, roster, plain, price).cost.sum()
    assert Formula(TERMS, roster.iid, roster.rate, plain, 1.0).spend(price) == pytest.approx(cost, rel=1e-5)


def test_nobody_s_offer_hangs_on_who_else_is_served() -> None:
    roster, plain = fleet(300)
    whole, some = serve(TERMS, roster, plain, 0.3), np.arange(0, 300, 7)
    part = serve(TERMS, roster.take(some), plain.take(some), 0.3)
    assert all(np.array_equal(one[some], other) for one, other in zip(whole, part, strict=True))


def test_about_a_thousand_tell_the_price_and_all_of_a_smaller_fleet() -> None:
    ids = np.arange(50_000)
    assert telling(ids, 50_000).size == pytest.approx(SAMPLE, rel=0.1)
    assert telling(ids[:800], 800).size == 800
