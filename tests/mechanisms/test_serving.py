"""serving: truth discovery finds who predicts well, and claiming more than one trained on does not pay."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.mechanisms.catalogue import mechanism_of
from lefi.offers.served import discover
from lefi.testing import check_mechanism

CLIENTS, LIAR = 10, 4


@dataclass(frozen=True, eq=False)
class OneLies(lefi.Behaviour):
    """Client LIAR claims what it would deliver, and trains on the f-th part of it: it saves the cost of the rest."""

    f: float

    def truth(self, claims: FloatArray) -> FloatArray:
        return np.where(self.roster.ids == LIAR, claims / self.f, claims)


def kept(name: str, f: float) -> tuple[float, float]:
    """What the liar keeps of its pay after the cost of what it trained on, and the most paid of a budget."""
    market = lefi.scenario("paper", clients=CLIENTS, seed=1, budget=0.2).taking(mechanism_of(name).payment)
    cost = market.fleet.means.marginal_cost[LIAR]  # type: ignore[attr-defined]
    market = replace(market, fleet=OneLies(market.fleet, f))
    money, most = [], 0.0
    for receipt in lefi.play(lefi.make(name, market.terms, seed=1), market, 30, 1):
        money.append(receipt.payments[LIAR] - cost * receipt.sizes[LIAR] / f)
        most = max(most, receipt.paid / 0.2)
    return float(np.mean(money)), most


@pytest.mark.parametrize("f", [2.0, 20.0])
def test_claiming_more_than_one_trained_on_does_not_pay(f: float) -> None:
    """The claim of the source: truth is an equilibrium. Bare, the same lie pays."""
    assert kept("flat", f)[0] > kept("flat", 1.0)[0]
    honest, most = kept("serving(flat)", 1.0)
    lying, _ = kept("serving(flat)", f)
    assert lying < honest
    assert most <= 1


def test_the_honest_are_paid_in_full() -> None:
    market = lefi.scenario("paper", clients=40, seed=1, budget=0.4, payment="price")
    mechanism = lefi.make("serving(flat)", market.terms)
    honesty = np.stack([receipt.offer.honesty for receipt in lefi.play(mechanism, market, 20, 1)])
    assert (honesty == 1).mean() > 0.98


def test_discovered_truth_is_nearer_than_the_mean() -> None:
    """CRH: most of the weight goes to those who are nearly right, without knowing who that is."""
    rng = np.random.default_rng(0)
    truth, noise = rng.normal(size=500), np.array([0.1, 0.1, 0.2, 0.2, 3.0, 4.0])
    predictions = truth + noise[:, None] * rng.normal(size=(6, 500))
    found, weight = discover(predictions)
    assert weight[:4].min() > 2 * weight[4:].max()
    assert np.linalg.norm(found - truth) < 0.7 * np.linalg.norm(predictions.mean(axis=0) - truth)


def test_of_two_nobody_can_tell_who_is_wrong() -> None:
    market = lefi.scenario("paper", clients=2, seed=1, budget=0.02, payment="price")
    receipt = next(iter(lefi.play(lefi.make("serving(flat)", market.terms), market, 1)))
    assert (receipt.offer.honesty == 1).all()


@pytest.mark.parametrize("inside", ["waterfill", "contract"])
def test_it_keeps_the_contract(inside: str) -> None:
    check_mechanism(mechanism_of(f"serving({inside}, questions=20)"))


def test_what_cannot_be_judged_is_told() -> None:
    market = lefi.scenario("paper", payment="pool")
    with pytest.raises(lefi.OfferError, match="serving cannot judge a PoolOffer"):
        lefi.make("serving(pool)", market.terms).ask(market.fleet.roster)


@pytest.mark.parametrize("written", ["questions=1", "tolerance=-1"])
def test_bad_settings_are_refused(written: str) -> None:
    with pytest.raises(lefi.InputError, match=r"^serving\(flat\)\.\w+ is "):
        lefi.make(f"serving(flat, {written})", lefi.scenario("paper").terms)
