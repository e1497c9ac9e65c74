from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import CurveOffer, InputError, Market, OfferError, Roster
from lefi.arrays import FloatArray


@dataclass
class Claiming:
    """Clients that claim what they are told to claim."""

    roster: Roster
    claims: FloatArray

    def respond(self, offer: Any, rng: Any) -> FloatArray:
        return self.claims

    def advance(self, rng: Any) -> "Claiming":
        return replace(self, claims=self.claims + 1)


MARKET = lefi.scenario("mixed", clients=3, seed=1, size_low=0.5)
ROSTER = MARKET.fleet.roster


def offer(**changes: Any) -> CurveOffer:
    return CurveOffer(**{"weight": np.full(3, 0.5), "rate": ROSTER.rate, "limit": np.full(3, 10.0), **changes})


def claiming(*claims: float) -> Market:
    return Market(MARKET.terms, Claiming(ROSTER, np.array(claims)))


def test_refuses_another_rate() -> None:
    with pytest.raises(OfferError, match="rate"):
        MARKET.settle(1, offer(rate=ROSTER.rate * (1 + 1e-12)), None)


def test_refuses_another_shape() -> None:
    with pytest.raises(OfferError, match="2 weights for 3 clients"):
        MARKET.settle(1, CurveOffer(np.ones(2), ROSTER.rate[:2], np.ones(2)), None)


def test_refuses_a_limit_under_size_low() -> None:
    with pytest.raises(OfferError, match=r"limit goes down to 0.4"):
        MARKET.settle(1, offer(limit=np.array([1.0, 0.4, 1.0])), None)
    MARKET.settle(1, offer(limit=np.full(3, 0.5)), None)


def test_refuses_another_kind_of_offer() -> None:
    with pytest.raises(OfferError, match="dict"):
        MARKET.settle(1, {}, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("claim", [np.nan, -0.1, 10.000001, np.inf, -np.inf])
def test_an_impossible_claim_is_no_answer(claim: float) -> None:
    receipt = claiming(claim, 2.0, 0.0).settle(1, offer(), None)
    assert receipt.answered.tolist() == [False, True, True]
    assert receipt.payments[0] == 0
    assert receipt.accuracy == claiming(0.0, 2.0, 0.0).settle(1, offer(), None).accuracy


def test_a_claim_above_the_limit_is_paid_as_the_limit() -> None:
    limited = offer(limit=np.full(3, 2.0))
    receipt = claiming(5.0, 2.0, 1.0).settle(1, limited, None)
    assert receipt.payments.tolist() == limited.payment(np.array([2.0, 2.0, 1.0])).tolist()
    assert (receipt.sizes > limited.limit).tolist() == [True, False, False]


def test_overspend_is_recorded_not_clipped() -> None:
    rich = offer(weight=np.full(3, 100.0))
    receipt = MARKET.settle(1, rich, None)
    assert receipt.paid > MARKET.terms.budget
    assert receipt.payments.tolist() == rich.payment(receipt.sizes).tolist()


def test_accuracy_is_the_mean_over_the_roster() -> None:
    receipt = claiming(1.0, np.nan, 3.0).settle(1, offer(), None)
    model = MARKET.terms.accuracy
    assert receipt.accuracy == pytest.approx(float(model(np.array([1.0, 0.0, 3.0]), ROSTER.iid).sum()) / 3, rel=1e-15)


@pytest.mark.parametrize("answer", [np.ones(2), np.ones((3, 1)), np.float64(1.0)])
def test_an_answer_of_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(InputError, match="shape of the fleet's answer"):
        Market(MARKET.terms, Claiming(ROSTER, answer)).settle(1, offer(), None)


@pytest.mark.parametrize("name", ["deadline", "size_low", "size_high"])
def test_terms_and_fleet_must_agree(name: str) -> None:
    terms = replace(MARKET.terms, **{name: getattr(MARKET.terms, name) + 0.25})
    with pytest.raises(InputError, match=f"fleet.{name}"):
        Market(terms, MARKET.fleet)


def test_refuses_what_is_no_market() -> None:
    with pytest.raises(InputError, match="terms"):
        Market(3, MARKET.fleet)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="roster, respond and advance"):
        Market(MARKET.terms, object())  # type: ignore[arg-type]


def test_advance_makes_a_new_market() -> None:
    market = claiming(1.0, 1.0, 1.0)
    later = market.advance(np.random.default_rng(0))
    assert later.settle(2, offer(), None).sizes.tolist() == [2.0, 2.0, 2.0]
    assert market.settle(1, offer(), None).sizes.tolist() == [1.0, 1.0, 1.0]
    assert MARKET.advance(np.random.default_rng(0)) is MARKET
