"""The client's optimum: the KKT conditions of P0, and no better answer on a fine grid."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer
from lefi.models import LinearCost
from lefi.world.client import Means, best_size, multipliers, utility

CLIENTS = 64  # per example: at length, the 40 examples of a test make 2,560 clients
# 64 clients are not shrunk: it takes minutes and says no more than the one client that fails.
law = settings(phases=[Phase.explicit, Phase.reuse, Phase.generate])


@dataclass(frozen=True)
class Case:
    offer: CurveOffer
    means: Means


def _log(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(np.log(low), np.log(high)).map(lambda x: float(np.exp(x)))


def _per_client(values: st.SearchStrategy[float]) -> st.SearchStrategy[FloatArray]:
    return arrays(np.float64, CLIENTS, elements=values, fill=st.nothing())


@st.composite
def cases(draw: Any) -> Case:
    """Clients of every kind: unpaid, unwilling (alpha beta <= theta p), interior, held by each bound, sitting out."""
    low = draw(st.sampled_from([0.0, 0.0, 0.3, 2.0]))
    high = low + draw(st.floats(0.1, 12.0))
    rate = draw(_per_client(st.floats(0.05, 3.0)))
    weight = draw(_per_client(st.one_of(st.just(0.0), _log(1e-4, 1e2))))
    limit = low + (high - low) * draw(_per_client(st.one_of(st.just(1.0), st.floats(0.0, 1.2))))
    means = Means(
        price=draw(_per_client(_log(1e-7, 1e-2))),
        speed=draw(_per_client(_log(0.1, 60.0))),
        cost=LinearCost(p=79.1259, q=draw(st.sampled_from([0.0, 17.6219, 350.0]))),
        deadline=draw(_log(2.0, 200.0)),
        size_low=low,
        size_high=high,
    )
    return Case(CurveOffer(weight, rate, limit), means)


@law
@given(cases())
def test_the_answer_is_feasible(case: Case) -> None:
    D, means = best_size(case.offer, case.means), case.means
    out = means.sits_out
    room = means.speed * means.deadline - means.cost(np.full(CLIENTS, means.size_low))
    clear = np.abs(room) > 1e-9 * means.speed * means.deadline
    assert np.array_equal(out[clear], room[clear] < 0)
    assert (D[out] == 0).all()
    here = D[~out]
    assert ((here >= means.size_low) & (here <= means.size_high) & (here <= case.offer.limit[~out])).all()
    needed = means.cost(here) / means.speed[~out]
    assert (needed <= means.deadline * (1 + 1e-12)).all()


@law
@given(cases())
def test_the_kkt_conditions_hold(case: Case) -> None:
    offer, means = case.offer, case.means
    D, m = best_size(offer, means), multipliers(offer, means)
    lambdas = np.stack([m.deadline, m.size_low, m.size_high, m.limit])
    here = ~means.sits_out
    assert np.isnan(lambdas[:, ~here]).all()
    assert (lambdas[:, here] >= 0).all()
    marginal = offer.weight * offer.rate * np.exp(-offer.rate * D)
    pulls = -m.deadline * means.cost.p / means.speed + m.size_low - m.size_high - m.limit
    scale = offer.weight * offer.rate + means.marginal_cost
    assert (np.abs(marginal - means.marginal_cost + pulls)[here] <= 1e-9 * scale[here]).all()
    slack = np.stack(
        [
            means.speed * means.deadline - means.cost(D),
            D - means.size_low,
            means.size_high - D,
            offer.limit - D,
        ]
    )
    size = np.stack([means.speed * means.deadline, *[np.full(CLIENTS, means.size_high)] * 3])
    assert (slack[:, here] >= -1e-12 * size[:, here]).all()
    assert (np.abs(slack)[(lambdas > 0) & here] <= 1e-12 * size[(lambdas > 0) & here]).all()


@law
@given(cases())
def test_an_unwilling_client_answers_size_low(case: Case) -> None:
    D = best_size(case.offer, case.means)
    unwilling = case.offer.weight * case.offer.rate <= case.means.marginal_cost * (1 - 1e-12)
    assert (D[unwilling & ~case.means.sits_out] == case.means.size_low).all()


@law
@given(cases())
def test_no_size_on_a_fine_grid_leaves_more_money(case: Case) -> None:
    offer, means = case.offer, case.means
    here = ~means.sits_out
    top = np.where(here, np.fmin(means.cap, offer.limit), means.size_low)
    D = best_size(offer, means)
    best = utility(offer, means, D)
    for share in np.linspace(0, 1, 201):
        other = utility(offer, means, means.size_low + share * (top - means.size_low))
        assert (best >= other - 1e-12 * (offer.weight + means.price * means.cost(top)))[here].all()


@law
@given(cases(), st.floats(1.0, 100.0))
def test_answers_never_fall_as_the_weight_rises(case: Case, factor: float) -> None:
    more = replace(case.offer, weight=case.offer.weight * factor)
    assert (best_size(more, case.means) >= best_size(case.offer, case.means)).all()


@law
@given(cases(), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_payment_rises_with_size(case: Case, a: float, b: float) -> None:
    low, high = sorted([a, b])
    top = case.means.size_high
    assert (case.offer.payment(np.full(CLIENTS, low * top)) <= case.offer.payment(np.full(CLIENTS, high * top))).all()
    assert case.offer.payment(np.full(CLIENTS, high * top)).sum() <= case.offer.worst_case() * (1 + 1e-12)
