"""Every kind of offer: what it pays, what it can cost, and that its best answer beats all others."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import AuctionCall, InputError, MenuOffer, OfferError, PoolOffer, PriceOffer, PrizeOffer, RankOffer
from lefi.offers import by_votes
from lefi.offers.columns import class_of, name_of
from lefi.offers.served import served
from lefi.payments import payment_of
from tests.lengths import examples

CLIENTS = 5
SIZES = np.linspace(0, 10, 201)


def draw(seed: int) -> tuple[np.random.Generator, np.ndarray[Any, Any]]:
    rng = np.random.default_rng(seed)
    return rng, rng.uniform(2e-4, 2e-3, CLIENTS)


@given(st.integers(0, 10_000))
def test_no_size_beats_the_best_answer_to_a_price(seed: int) -> None:
    rng, cost = draw(seed)
    offer = PriceOffer(rng.uniform(0, 2e-3, CLIENTS), rng.uniform(0, 10, CLIENTS))
    high = rng.uniform(1, 10, CLIENTS)
    best = offer.best_size(cost, 0.0, high)
    assert (best <= np.minimum(high, offer.limit)).all()
    kept = offer.payment(best) - cost * best
    for size in SIZES:
        tried = np.minimum(size, high)
        assert (offer.payment(tried) - cost * tried <= kept + 1e-15).all()


@given(st.integers(0, 10_000))
def test_no_size_beats_the_best_answer_to_a_menu(seed: int) -> None:
    rng, cost = draw(seed)
    sizes = np.sort(rng.uniform(0, 10, (CLIENTS, 4)), axis=1)
    offer = MenuOffer(sizes, np.cumsum(rng.uniform(0, 5e-3, (CLIENTS, 4)), axis=1))
    high = rng.uniform(1, 10, CLIENTS)
    best = offer.best_size(cost, 0.0, high)
    kept = offer.payment(best) - cost * best
    for size in SIZES:
        tried = np.minimum(size, high)
        assert (offer.payment(tried) - cost * tried <= kept + 1e-14).all()


@given(st.integers(0, 10_000))
def test_the_equilibrium_of_a_pool_is_what_best_answers_lead_to(seed: int) -> None:
    """Best-response iteration: no client can do better by moving alone."""
    rng, cost = draw(seed)
    offer = PoolOffer(float(rng.uniform(1e-3, 0.1)), np.full(CLIENTS, 10.0))
    high = rng.uniform(0.5, 10, CLIENTS)
    x = offer.best_size(cost, 0.0, high)
    for client in range(CLIENTS):
        moved = np.tile(x, (SIZES.size, 1))
        moved[:, client] = np.minimum(SIZES, high[client])
        kept = [offer.payment(row)[client] - cost[client] * row[client] for row in moved]
        own = offer.payment(x)[client] - cost[client] * x[client]
        assert max(kept) <= own + 1e-9 * offer.total
    others = x.sum() - x
    answers = np.clip(np.sqrt(offer.total * others / cost) - others, 0, high)
    np.testing.assert_allclose(answers, x, atol=1e-6)


@pytest.mark.parametrize("total", [0.3, 0.6, 1.5, 7.0])
@pytest.mark.parametrize("size", [5e-324, 1e-320, 1e-310, 1e-200, 1.0])
def test_a_pool_pays_its_total_however_small_the_claims(total: float, size: float) -> None:
    paid = PoolOffer(total, np.full(3, 10.0)).payment(np.array([size, 2 * size, np.nan]))
    np.testing.assert_allclose(paid, [total / 3, total * 2 / 3, 0], rtol=1e-12)


@pytest.mark.parametrize("prizes", [1, 2, 4])
def test_effort_in_a_contest_is_the_integral(prizes: int) -> None:
    """x(c) = int_c^C (1/a) (-W'(a)) da, by the trapezoid rule on a fine grid."""
    n, (m, C) = 6, (3e-4, 1.4e-3)
    offer = RankOffer(1e-3, prizes, (m, C), np.full(n, 1e9))  # nothing binds
    a = np.linspace(m, C, 200_001)
    F = (a - m) / (C - m)
    from scipy.stats import binom

    W = offer.total / prizes * binom.cdf(prizes - 1, n - 1, F)
    steps = -np.diff(W) / ((a[1:] + a[:-1]) / 2)
    for cost in (3e-4, 6e-4, 1.0e-3, 1.3e-3):
        expected = steps[(a[1:] + a[:-1]) / 2 >= cost].sum()
        np.testing.assert_allclose(offer.effort(np.full(n, cost))[0], expected, rtol=2e-3, atol=1e-6)


def test_who_is_at_the_edge_of_a_tie_does_not_care() -> None:
    """Monte Carlo: at the edge, delivering all that counts is worth as much as the effort just below."""
    n, k, most, (m, C) = 8, 3, 10.0, (3e-4, 1.4e-3)
    offer = RankOffer(0.05, k, (m, C), np.full(n, most))
    t = offer.tie(most)
    assert 0 < t < 1
    edge, rng = m + t * (C - m), np.random.default_rng(0)
    below = float(offer.free_effort(np.array(t)))
    rivals = offer.effort(m + rng.random((200_000, n - 1)).ravel() * (C - m)).reshape(-1, n - 1)
    full = np.isclose(rivals, most).sum(axis=1)
    joins = np.minimum(k, full + 1) / (full + 1) * offer.total / k
    stays = ((rivals > below).sum(axis=1) < k) * offer.total / k
    gap = (joins - edge * most) - (stays - edge * below)
    assert abs(gap.mean()) < 4 * gap.std() / np.sqrt(gap.size)


def test_prizes_are_shared_by_ties_and_nothing_is_paid_for_nothing() -> None:
    offer = RankOffer(1.2, 2, (1e-4, 1e-3), np.full(4, 10.0))
    np.testing.assert_allclose(offer.payment(np.array([5.0, 3.0, 3.0, 0.0])), [0.6, 0.3, 0.3, 0.0])
    np.testing.assert_allclose(offer.payment(np.array([0.0, np.nan, 0.0, 2.0])), [0.0, 0.0, 0.0, 0.6])
    assert offer.worst_case() == 1.2


@examples(400)
@given(st.integers(0, 100_000))
def test_an_auction_is_truthful_individually_rational_and_within_the_budget(seed: int) -> None:
    """No other bid earns a client more; every winner is paid at least its cost; the sum keeps to the budget."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    cost, limit = rng.uniform(0.1, 2, n), rng.uniform(0, 3, n)
    call = AuctionCall(float(rng.uniform(0.1, 6)), rng.uniform(0, 2, n), limit, np.arange(n))

    def kept(bids: Any) -> Any:
        award = call.award(bids)
        assert award.worst_case() <= call.budget * (1 + 1e-12)
        return award.payment(limit) - np.where(award.price > 0, cost * limit, 0.0)

    honest = kept(cost)
    assert (honest >= -1e-12).all()
    client = int(rng.integers(n))
    others = np.append(cost * rng.uniform(0.2, 3, n), cost)
    for lie in np.concatenate([others, cost[client] * np.linspace(0, 4, 41)]):
        bids = cost.copy()
        bids[client] = lie
        assert kept(bids)[client] <= honest[client] + 1e-9


@examples(150)
@given(st.integers(0, 100_000))
def test_neither_a_bid_nor_a_stated_capacity_moves_the_own_price(seed: int) -> None:
    """Whatever a client says, it is paid the same price or nothing; and honest statements keep to the budget."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    cost, limit, value = rng.uniform(0.1, 2, n), rng.uniform(1, 3, n), rng.uniform(0.1, 2, n)
    able = limit * rng.uniform(0.05, 1, n)
    call = AuctionCall(float(rng.uniform(0.1, 6)), value, limit, np.arange(n))
    honest = call.award(cost, able)
    assert honest.worst_case() <= call.budget * (1 + 1e-12)
    kept = (honest.price - cost) * able * (honest.price > 0)
    assert (kept >= -1e-12).all()
    client = int(rng.integers(n))
    for bid, share in zip(cost[client] * rng.uniform(0, 3, 20), rng.uniform(0.01, 2, 20), strict=True):
        bids, stated = cost.copy(), able.copy()
        bids[client], stated[client] = bid, share * able[client]
        award = call.award(bids, stated)
        assert award.worst_case() <= call.budget * (1 + 1e-12)
        if honest.price[client] > 0 < award.price[client]:
            assert award.price[client] == pytest.approx(honest.price[client], rel=1e-12)
        sold = min(award.limit[client], able[client])
        earns = (award.price[client] - cost[client]) * sold if award.price[client] > 0 else 0.0
        assert earns <= kept[client] + 1e-12


def offers() -> list[Any]:
    _, cost = draw(1)
    limit = np.full(CLIENTS, 8.0)
    call = AuctionCall(0.01, np.linspace(0.1, 0.2, CLIENTS), limit, np.arange(CLIENTS))
    return [
        lefi.CurveOffer(cost, np.full(CLIENTS, 0.7), limit),
        PriceOffer(cost, limit),
        MenuOffer(np.tile([2.0, 8.0], (CLIENTS, 1)), np.tile([1e-3, 2e-3], (CLIENTS, 1))),
        served(PriceOffer(cost, limit), 50, 0.3),
        served(lefi.CurveOffer(cost, np.full(CLIENTS, 0.7), limit), 50, 0.3),
        PoolOffer(0.1, limit),
        RankOffer(0.1, 2, (3e-4, 1e-3), limit),
        PrizeOffer(0.1, (1, 3), (0.4, 0.6), (3e-4, 1e-3), limit),
        by_votes(PrizeOffer(0.1, (2,), (1.0,), (3e-4, 1e-3), limit), np.arange(CLIENTS), 1, 1, 3),
        call.award(cost),
    ]


@pytest.mark.parametrize("offer", offers(), ids=lambda offer: type(offer).__name__)
def test_an_offer_comes_back_from_its_columns(offer: Any) -> None:
    columns = offer.to_columns()
    assert class_of(name_of(offer), columns) is class_of(None, columns) is type(offer)
    back = type(offer).from_columns(columns, np.full(CLIENTS, 0.7))
    assert type(back) is type(offer)
    for name, value in vars(offer).items():
        np.testing.assert_array_equal(value, vars(back)[name])


@pytest.mark.parametrize("offer", offers(), ids=lambda offer: type(offer).__name__)
def test_nobody_is_paid_more_than_the_worst_case_and_no_answer_earns_nothing(offer: Any) -> None:
    rng = np.random.default_rng(0)
    for _ in range(50):
        sizes = np.where(rng.random(CLIENTS) < 0.2, np.nan, rng.uniform(0, 12, CLIENTS))
        paid = offer.payment(sizes)
        assert paid.sum() <= offer.worst_case() * (1 + 1e-12)
        assert (paid[np.isnan(sizes)] == 0).all()
        assert (paid >= 0).all()


@pytest.mark.parametrize("offer", offers(), ids=lambda offer: type(offer).__name__)
def test_a_market_takes_the_one_kind_that_its_terms_name(offer: Any) -> None:
    market = lefi.scenario("paper", clients=CLIENTS, rate=0.7)
    payment = str(payment_of(offer))
    market.taking(payment).check(offer)
    other = "menu" if payment != "menu" else "price"
    with pytest.raises(OfferError, match=f"pays by '{payment}': this market takes '{other}'"):
        market.taking(other).check(offer)


def test_bad_offers_are_refused_at_the_border() -> None:
    with pytest.raises(InputError, match="price"):
        PriceOffer(np.array([-1.0]), np.array([1.0]))
    with pytest.raises(InputError, match="shape of payments"):
        MenuOffer(np.ones((2, 3)), np.ones((2, 2)))
    with pytest.raises(InputError, match="prizes"):
        RankOffer(1.0, 3, (0.1, 0.2), np.ones(2))
    with pytest.raises(InputError, match="payment"):
        lefi.scenario("paper", payment="barter")
    call = AuctionCall(1.0, np.ones(1), np.ones(1), np.arange(1))
    market = lefi.Market(lefi.scenario("paper", clients=1, payment="auction").terms, Deaf())
    with pytest.raises(OfferError, match="cannot take part in an auction"):
        market.settle(1, call, None)


class Deaf:
    """A client that answers and does not bid."""

    roster = lefi.scenario("paper", clients=1).fleet.roster

    def respond(self, offer: lefi.Offer, rng: np.random.Generator | None) -> Any:
        return np.ones(1)

    def advance(self, rng: np.random.Generator) -> "Deaf":
        return self
