"""What mechanisms say they believe: well-formed, near what clients do, and asking changes nothing."""

from typing import Any

import numpy as np
import pytest

import lefi
from lefi.mechanisms.explanation import Explaining, Explanation

EXPLAINING = sorted(name for name, factory in lefi.registered().items() if hasattr(factory, "explain"))
STRANGER = 999


def played(name: str, rounds: int, budget: float = 1.0, **settings: Any) -> tuple[Any, lefi.Market, list[lefi.Receipt]]:
    payment = lefi.registered()[name].payment
    market = lefi.scenario("mixed", clients=8, budget=budget, seed=3, payment=payment)
    mechanism = lefi.make(name, market.terms, seed=3, **settings)
    return mechanism, market, list(lefi.play(mechanism, market, rounds, 3)) if rounds else []


def check_shape(found: Explanation, ids: np.ndarray[Any, Any], market: lefi.Market) -> None:
    assert np.array_equal(found.ids, ids)
    points = found.money.shape[1]
    for curve in (found.money, found.expected, found.low, found.high):
        assert curve.shape == (ids.size, points)
        assert np.isfinite(curve).all()
    assert (np.diff(found.money, axis=1) > 0).all()
    assert (found.low <= found.expected + 1e-12).all()
    assert (found.expected <= found.high + 1e-12).all()
    assert (found.low >= market.terms.size_low).all()
    assert (found.high <= market.terms.size_high + 1e-12).all()
    assert found.offered.shape == (ids.size,)
    assert len(found.learned) == len(found.why) == ids.size
    assert all(sentence.endswith(".") for sentence in found.why)


def test_these_explain_themselves() -> None:
    assert {"lefi", "price", "waterfill"} <= set(EXPLAINING)


@pytest.mark.parametrize("name", EXPLAINING)
@pytest.mark.parametrize("rounds", [0, 1, 12])
def test_it_is_well_formed_and_strangers_are_told_apart(name: str, rounds: int) -> None:
    mechanism, market, _ = played(name, rounds)
    assert isinstance(mechanism, Explaining)
    ids = np.array([STRANGER, 5, 0])
    found = mechanism.explain(ids)
    check_shape(found, ids, market)
    assert np.isnan(found.offered[0])
    assert np.isnan(found.offered[1:]).all() == (rounds == 0)


@pytest.mark.parametrize("name", EXPLAINING)
def test_asking_changes_nothing(name: str) -> None:
    curious, market, _ = played(name, 0)
    quiet, _, heard = played(name, 12)
    for receipt in heard:
        curious.explain(receipt.roster.ids)
        curious.tell(receipt)
        curious.explain(receipt.roster.ids[:2])
    roster = market.fleet.roster
    for mine, theirs in zip(
        curious.ask(roster).to_columns().values(), quiet.ask(roster).to_columns().values(), strict=True
    ):
        assert np.array_equal(mine, theirs)


@pytest.mark.parametrize("name", EXPLAINING)
def test_the_last_offer_lies_on_the_axis(name: str) -> None:
    mechanism, _, heard = played(name, 12)
    found = mechanism.explain(heard[-1].roster.ids)
    assert (found.offered >= 0).all()
    assert (found.offered <= found.money[:, -1] * (1 + 1e-9)).all()


def test_lefi_expects_what_a_client_has_answered() -> None:
    mechanism, market, heard = played("lefi", 30)
    last = heard[-1]
    found = mechanism.explain(last.roster.ids)
    at = [np.interp(x, money, size) for x, money, size in zip(found.offered, found.money, found.expected, strict=True)]
    assert np.abs(np.array(at) - last.sizes).max() < 0.2 * market.terms.size_high
    full = last.offer.payment(np.full(len(last.roster), market.terms.size_high))
    assert np.allclose(found.offered, full)


def test_lefi_sees_the_same_slope_in_either_input() -> None:
    slopes = []
    for inputs in ("weight", "log"):
        mechanism, market, heard = played("lefi", 30, inputs=inputs)
        ids, w = heard[-1].roster.ids, mechanism.weights.read(heard[-1].roster.ids, default=np.nan)
        step = 1e-4 * w
        x = mechanism.input(np.stack([w - step, w + step], axis=1))
        mean, _ = mechanism.bank.predict(ids, x)
        told = [learned["slope [thousand samples / USD of weight]"] for learned in mechanism.explain(ids).learned]
        true = np.diff(mean, axis=1)[:, 0] / (2 * step) * market.terms.size_high
        assert np.allclose(told, true, rtol=1e-3, atol=1e-3)
        slopes.append(told)
    assert slopes[0] != slopes[1]


def test_price_expects_a_step_inside_its_bracket() -> None:
    mechanism, market, heard = played("price", 40, budget=0.03)
    ids = heard[-1].roster.ids
    found = mechanism.explain(ids)
    bracket, cap = mechanism.brackets.read(ids, whole=mechanism.fixed_cost.some), mechanism.capacity.read(ids).cap
    assert np.isfinite(bracket.high).any()
    price = found.money / cap[:, None]
    taken, refused = price >= bracket.high[:, None] * (1 + 1e-9), price <= bracket.low[:, None]
    assert (found.low == np.where(taken, cap[:, None], found.low)).all()
    assert (found.high[refused] == market.terms.size_low).all()
    assert all(learned["price of money [accuracy / USD]"] > 0 for learned in found.learned)


def test_price_knows_what_another_dollar_is_worth() -> None:
    """As much as the optimum that knows every cost gains from a little more money."""
    mechanism, _, heard = played("price", 60, budget=0.03)
    told = mechanism.explain(heard[-1].roster.ids).learned[0]["price of money [accuracy / USD]"]
    less, more = (
        lefi.first_best(lefi.scenario("mixed", clients=8, budget=budget, seed=3, payment="price")).accuracy
        for budget in (0.027, 0.033)
    )
    assert told == pytest.approx((more - less) / 0.006, rel=0.3)


def test_waterfill_expects_what_clients_would_answer() -> None:
    mechanism, market, heard = played("waterfill", 12)
    roster = heard[-1].roster
    found = mechanism.explain(roster.ids)
    assert all("rational" in sentence for sentence in found.why)
    full = -np.expm1(-roster.rate * market.terms.size_high)
    near = np.abs(np.log(found.money / found.offered[:, None])) < 0.3
    for point in np.flatnonzero(near.all(axis=0)):
        offer = lefi.CurveOffer(found.money[:, point] / full, roster.rate, np.full(len(roster), market.terms.size_high))
        truth = market.fleet.respond(offer, None)
        assert np.abs(found.expected[:, point] - truth).max() < 0.1 * market.terms.size_high
