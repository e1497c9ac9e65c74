"""Who is served at a price of money gets its best size, whoever else is served."""

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.waterfill.plain import SAID, Plain, serve
from lefi.messages import Roster

TERMS = lefi.Terms(1.0, lefi.accuracy("paper"))


def fleet(n: int) -> tuple[Roster, Plain]:
    rng = np.random.default_rng(0)
    roster = Roster(np.arange(n), rng.random(n), rng.uniform(0.4, 1.1, n))
    plain = np.ones(n, SAID).view(np.recarray)
    plain.b, plain.cap = rng.normal(-7, 0.4, n), rng.uniform(1, 10, n)
    return roster, plain


def net(roster: Roster, plain: Plain, price: float, size: FloatArray) -> FloatArray:
    """Accuracy that sizes bring, less what they cost."""
    cost = np.exp(plain.b) * np.expm1(roster.rate * size)
    return np.asarray(TERMS.accuracy(size, roster.iid) - price * cost)


@pytest.mark.parametrize("price", [0.01, 0.3, 3.0, 100.0])
def test_the_best_size_is_all_but_that_of_brute_force(price: float) -> None:
    roster, plain = fleet(50)
    size = serve(TERMS, roster, plain, price).size
    best = np.max([net(roster, plain, price, share * plain.cap) for share in np.linspace(0, 1, 501)], axis=0)
    assert (net(roster, plain, price, size) >= best - 1e-4).all()
    assert (size <= plain.cap * (1 + 1e-12)).all()
    assert size.max() > 0 or price == 100.0


@pytest.mark.parametrize("price", [0.003, 0.3, 30.0])
def test_who_is_of_another_kind_gets_its_last_offer_or_nothing(price: float) -> None:
    roster, plain = fleet(50)
    plain.follows, plain.part = False, 0.9
    offers = serve(TERMS, roster, plain, price)
    all_of_it = np.exp(plain.b) * np.expm1(roster.rate * plain.cap)
    worth = np.asarray(TERMS.accuracy(0.9 * plain.cap, roster.iid) - TERMS.accuracy(np.zeros(50), roster.iid))
    bought = worth > price * all_of_it
    np.testing.assert_array_equal(offers.size > 0, bought)
    np.testing.assert_allclose(offers.x[bought], (plain.b + roster.rate * plain.cap)[bought])
    np.testing.assert_allclose(offers.cost, np.where(bought, all_of_it, 0), rtol=1e-4, atol=1e-200)


def test_nobody_s_offer_hangs_on_who_else_is_served() -> None:
    roster, plain = fleet(300)
    some = np.arange(0, 300, 7)
    whole = serve(TERMS, roster, plain, 0.3)
    part = serve(TERMS, roster.take(some), plain[some], 0.3)
    assert all(np.array_equal(one[some], other) for one, other in zip(whole, part, strict=True))
