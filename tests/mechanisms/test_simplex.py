import numpy as np
import pytest

import lefi
from lefi import CurveOffer, Receipt
from lefi.mechanisms.simplex import AIM, GROWTH, MOST, Scale

MARKET = lefi.scenario("paper", clients=4)
ROSTER, TERMS = MARKET.fleet.roster, MARKET.terms
OFFER = CurveOffer(np.ones(4), ROSTER.rate, np.full(4, 10.0))


def receipt(paid: float, sizes: float = 1.0) -> Receipt:
    return Receipt(1, ROSTER, OFFER, np.full(4, sizes), np.full(4, paid / 4), 0.1)


def test_an_offer_splits_the_budget_in_proportion() -> None:
    offer = Scale(TERMS).offer(ROSTER, np.array([1.0, 2.0, 3.0, 4.0]), None)
    assert offer.weight == pytest.approx(TERMS.budget * np.array([0.1, 0.2, 0.3, 0.4]))


def test_z_follows_the_spend_and_stays_at_one_or_above() -> None:
    scale = Scale(TERMS)
    scale.tell(receipt(0.9 * TERMS.budget))
    assert scale.z == pytest.approx(AIM / 0.9)
    scale.tell(receipt(0.1 * TERMS.budget))
    assert scale.z == pytest.approx(GROWTH * AIM / 0.9)
    scale.tell(receipt(100 * TERMS.budget))
    assert scale.z == 1.0


def test_z_is_bounded_when_clients_give_nothing() -> None:
    scale = Scale(TERMS)
    for _ in range(5000):
        scale.tell(receipt(0.0, sizes=0.0))
    assert scale.z == MOST


def test_nothing_is_learned_from_silence() -> None:
    scale = Scale(TERMS)
    scale.tell(receipt(0.0, sizes=np.nan))
    assert scale.z == 1.0
