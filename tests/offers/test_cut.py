"""Cutting an offer to a budget: the worst case fits, what fits is not touched, and nothing but money changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi import AuctionCall, CurveOffer, MenuOffer, OfferError, PoolOffer, PriceOffer, PrizeOffer, RankOffer, VoteOffer
from lefi.offers import AuctionAward, PrincipalCall, ReverseCall, ServedCurve, ServedMenu, ServedPrice, cut
from lefi.offers.cut import SCALED
from lefi.offers.served import served
from lefi.offers.votes import by_votes

Draw = Callable[[np.random.Generator, int, float], Any]


def amounts(rng: np.random.Generator, n: int, scale: float) -> Any:
    return scale * 10 ** rng.uniform(-3, 3, n) * (rng.random(n) < 0.9)


def limits(rng: np.random.Generator, n: int) -> Any:
    return rng.uniform(0, 10, n)


def menu(rng: np.random.Generator, n: int, scale: float) -> MenuOffer:
    return MenuOffer(rng.uniform(0, 10, (n, 3)), scale * rng.uniform(0, 1, (n, 3)))


def prizes(rng: np.random.Generator, n: int, scale: float) -> PrizeOffer:
    return PrizeOffer(float(amounts(rng, 1, scale)[0]), (1, n), (0.3, 0.7), (1e-4, 1e-3), limits(rng, n))


def _called(kind: Any) -> Draw:
    return lambda rng, n, m: kind(float(amounts(rng, 1, m)[0]), rng.random(n), limits(rng, n), np.arange(n))


KINDS: dict[type, Draw] = {
    CurveOffer: lambda rng, n, m: CurveOffer(amounts(rng, n, m), rng.uniform(0.01, 5, n), limits(rng, n)),
    PriceOffer: lambda rng, n, m: PriceOffer(amounts(rng, n, m), limits(rng, n)),
    AuctionAward: lambda rng, n, m: AuctionAward(amounts(rng, n, m), limits(rng, n), rng.random(n)),
    MenuOffer: menu,
    ServedMenu: lambda rng, n, m: served(menu(rng, n, m), 10, 0.3),
    ServedPrice: lambda rng, n, m: served(PriceOffer(amounts(rng, n, m), limits(rng, n)), 10, 0.3),
    ServedCurve: lambda rng, n, m: served(CurveOffer(amounts(rng, n, m), np.ones(n), limits(rng, n)), 10, 0.3),
    PoolOffer: lambda rng, n, m: PoolOffer(float(amounts(rng, 1, m)[0]), limits(rng, n)),
    RankOffer: lambda rng, n, m: RankOffer(float(amounts(rng, 1, m)[0]), 1, (1e-4, 1e-3), limits(rng, n)),
    PrizeOffer: lambda rng, n, m: prizes(rng, n, m),
    VoteOffer: lambda rng, n, m: by_votes(prizes(rng, n, m), np.arange(n), 1, 1, 3),
    **{kind: _called(kind) for kind in (AuctionCall, PrincipalCall, ReverseCall)},
}


def test_every_kind_can_be_cut() -> None:
    assert set(KINDS) == set(SCALED)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 2**32 - 1), scale=st.floats(-12, 12))
def test_the_worst_case_fits(kind: Any, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    n, budget = int(rng.integers(1, 30)), 10.0**scale
    offer = KINDS[kind](rng, n, budget)
    result = cut(offer, budget)
    assert type(result) is kind
    assert result.worst_case() <= budget
    assert (result is offer) == (offer.worst_case() <= budget)
    np.testing.assert_array_equal(result.limit, offer.limit)
    if result is not offer:
        assert result.worst_case() == pytest.approx(budget, rel=1e-8)
        sizes = rng.uniform(0, 10, n)
        factor = budget / offer.worst_case()
        np.testing.assert_allclose(result.payment(sizes), factor * offer.payment(sizes), rtol=1e-6)


@pytest.mark.parametrize("weight", [1e6, 1e300, 1.7e308, 5e-324])
@pytest.mark.parametrize("budget", [0.0, 5e-324, 1e-300, 1.0, 1e300])
def test_absurd_numbers(weight: float, budget: float) -> None:
    offer = CurveOffer(np.full(50, weight), np.full(50, 0.75), np.full(50, 1e9))
    result = cut(offer, budget)
    assert result.worst_case() <= budget
    assert (result.weight <= weight).all()


def test_a_class_of_somebody_else_is_refused() -> None:
    class Cheap(CurveOffer):
        def worst_case(self) -> float:
            return 0.0

    with pytest.raises(OfferError, match="Cheap"):
        cut(Cheap(np.ones(1), np.ones(1), np.ones(1)), 1.0)


def test_what_keeps_the_budget_is_not_touched() -> None:
    """Every offer of a mechanism that promises to keep its budget."""
    market = lefi.scenario("mixed", clients=10, budget=1.0)
    for receipt in lefi.play(lefi.make("waterfill", market.terms), market, 10):
        assert cut(receipt.offer, 1.0) is receipt.offer
