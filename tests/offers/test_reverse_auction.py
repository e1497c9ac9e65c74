"""BARA's reverse auction: who wins and at what price, by brute force; nobody gains by another bid."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lefi.arrays import FloatArray
from lefi.offers import ReverseCall
from tests.lengths import examples

bids_of = st.lists(st.floats(0.01, 10.0), min_size=2, max_size=7)


def call(count: int, budget: float, seed: int = 0) -> ReverseCall:
    rng = np.random.default_rng(seed)
    return ReverseCall(budget, rng.uniform(0.1, 1.0, count), np.full(count, 2.0), np.arange(count))


def published(asked: ReverseCall, bids: FloatArray) -> FloatArray:
    """What each is paid in all, step by step as the source says it."""
    b, q = bids * asked.limit, asked.value
    order = sorted(range(len(bids)), key=lambda i: (b[i] / q[i], asked.ids[i]))
    k = 0
    for n in range(1, len(order)):
        after = order[n]
        if b[after] / q[after] * sum(q[i] for i in order[:n]) <= asked.budget:
            k = n
    paid = np.zeros(len(bids))
    for i in order[:k]:
        paid[i] = q[i] * b[order[k]] / q[order[k]]
    return paid


@examples(200)
@given(bids=bids_of, budget=st.floats(0.01, 50.0), seed=st.integers(0, 9))
def test_it_is_the_published_rule_and_keeps_the_budget(bids: list[float], budget: float, seed: int) -> None:
    asked = call(len(bids), budget, seed)
    award = asked.award(np.array(bids))
    paid = award.payment(award.limit)
    np.testing.assert_allclose(paid, published(asked, np.array(bids)), rtol=1e-9)
    assert paid.sum() <= budget * (1 + 1e-12)
    won = award.price > 0
    assert (award.price[won] >= np.array(bids)[won] * (1 - 1e-12)).all()  # nobody works at a loss


@examples(100)
@given(bids=bids_of, budget=st.floats(0.01, 50.0), other=st.floats(0.01, 10.0), seed=st.integers(0, 9))
def test_the_true_cost_is_the_best_bid(bids: list[float], budget: float, other: float, seed: int) -> None:
    asked, cost = call(len(bids), budget, seed), bids[0]

    def kept(bid: float) -> float:
        award = asked.award(np.array([bid, *bids[1:]]))
        return float((award.price[0] - cost) * award.limit[0]) if award.price[0] > 0 else 0.0

    assert kept(other) <= kept(cost) + 1e-9


def test_bids_that_are_none_win_nothing() -> None:
    award = call(5, 1e6).award(np.array([np.nan, -1.0, np.inf, 0.01, 2.0]))
    assert (award.price > 0).tolist() == [False, False, False, True, False]
    assert (call(1, 1e6).award(np.array([1.0])).price == 0).all()
