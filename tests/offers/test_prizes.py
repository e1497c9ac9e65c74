"""Unequal prizes: an equilibrium of effort, the sum of its parts, and the best that a search can find."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import lefi
from lefi import PrizeOffer, RankOffer
from lefi.arrays import FloatArray

BELIEVED = (3e-4, 1.4e-3)
MIXTURES: list[tuple[tuple[int, ...], tuple[float, ...]]] = [
    ((1,), (1.0,)),
    ((1, 3), (0.5, 0.5)),
    ((1, 2, 5), (0.2, 0.3, 0.5)),
]


def offer_of(counts: tuple[int, ...], shares: tuple[float, ...], total: float = 1e-3, most: float = 1e9) -> PrizeOffer:
    return PrizeOffer(total, counts, shares, BELIEVED, np.full(6, most))


def expected_prize(offer: PrizeOffer, F: FloatArray) -> FloatArray:
    """What who ranks as a client at quantile F of the cost wins on average against five such clients."""
    return np.sum([prize * binom.pmf(place, 5, F) for place, prize in enumerate(offer.prizes)], axis=0)


@pytest.mark.parametrize(("counts", "shares"), MIXTURES)
def test_no_client_gains_by_another_effort(counts: tuple[int, ...], shares: tuple[float, ...]) -> None:
    """The claim of the source: efforts are a Bayes-Nash equilibrium. To deviate is to deliver as another cost would."""
    offer, (m, C) = offer_of(counts, shares), BELIEVED
    F = np.linspace(0, 1, 801)
    effort, wins = offer.free_effort(F), expected_prize(offer, F)
    assert (np.diff(effort) <= 1e-12).all()
    for own in (0.05, 0.3, 0.6, 0.9):
        kept = wins - (m + own * (C - m)) * effort
        assert kept[round(800 * own)] >= kept.max() - 1e-4 * offer.total


def test_one_prize_draws_the_most_effort_where_nothing_binds() -> None:
    """Moldovanu and Sela (2001): with linear cost the whole total belongs to the first."""
    F = (np.arange(4000) + 0.5) / 4000
    drawn = [offer_of(counts, shares).free_effort(F).mean() for counts, shares in [*MIXTURES, ((4,), (1.0,))]]
    assert drawn[0] > max(drawn[1:])


@pytest.mark.parametrize("total", [1e-3, 0.02, 0.05, 0.2])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_equal_prizes_are_a_rank_offer(k: int, total: float) -> None:
    one, other = offer_of((k,), (1.0,), total, 10.0), RankOffer(total, k, BELIEVED, np.full(6, 10.0))
    cost, sizes = np.linspace(*BELIEVED, 6), np.array([3.0, 1.0, 3.0, 0.0, np.nan, 2.0])
    np.testing.assert_allclose(one.effort(cost), other.effort(cost), rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(one.payment(sizes), other.payment(sizes), rtol=1e-12)


def test_prizes_fall_with_the_place_and_ties_share() -> None:
    offer = PrizeOffer(1.0, (1, 2), (0.5, 0.5), BELIEVED, np.full(4, 10.0))
    np.testing.assert_allclose(offer.prizes, [0.75, 0.25, 0, 0])
    np.testing.assert_allclose(offer.payment(np.array([5.0, 5.0, 1.0, 0.0])), [0.5, 0.5, 0, 0])
    np.testing.assert_allclose(offer.payment(np.array([0.0, np.nan, 1.0, 0.0])), [0, 0, 0.75, 0])


@pytest.mark.parametrize("budget", [0.01, 0.02, 0.06])
def test_the_search_finds_the_best_split(budget: float) -> None:
    """Never behind the best equal prizes, and within 1% of the gain of the best of 500 random splits."""
    market = lefi.scenario("paper", clients=6, budget=budget, payment="pool", seed=1)
    equal, unequal = (lefi.make("contest", market.terms, prizes=prizes) for prizes in ("equal", "unequal"))
    mechanism: Any = unequal
    iid = np.quantile(market.fleet.roster.iid, (0.1, 0.3, 0.5, 0.7, 0.9))
    found, before = (mechanism._expected(of.ask(market.fleet.roster), iid) for of in (unequal, equal))
    rng, limit = np.random.default_rng(0), np.full(6, 10.0)
    splits = [tuple((w / w.sum()).tolist()) for w in rng.dirichlet(np.full(6, 0.5), 500)]
    counts, costs = (1, 2, 3, 4, 5, 6), (3.4e-4, 1.38e-3)
    tried = [mechanism._expected(PrizeOffer(budget, counts, w, costs, limit), iid) for w in splits]
    nothing = market.accuracy_of(np.zeros(6))
    assert found >= before - 1e-12
    assert found - nothing >= 0.99 * (max(tried) - nothing)


@pytest.mark.parametrize("shares", [(0.5, 0.6), (1.0,), (-0.5, 1.5)])
def test_shares_must_add_up(shares: tuple[float, ...]) -> None:
    with pytest.raises(lefi.InputError, match="shares"):
        PrizeOffer(1.0, (1, 2), shares, BELIEVED, np.ones(3))
