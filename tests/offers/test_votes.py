"""Votes: no vote moves the prize of who casts it, and lies of a minority of every jury move none."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import VoteOffer
from lefi.arrays import FloatArray, IntArray
from lefi.mechanisms.catalogue import mechanism_of
from lefi.testing import check_mechanism

CLIENTS = 24
VOTED = "contest(ranking=votes)"


@dataclass(frozen=True, eq=False)
class Liars(lefi.Behaviour):
    """Clients with these ids say of everybody what `claim` says, whatever they saw."""

    ids: IntArray
    claim: float

    def vote(self, offer: VoteOffer, sizes: FloatArray, rng: np.random.Generator | None) -> FloatArray:
        return np.where(np.isin(offer.jurors, self.ids), self.claim, offer.honest(self.roster.ids, sizes))


def market_of(ids: list[int], claim: float = 0.0) -> lefi.Market:
    market = lefi.scenario("mixed", clients=CLIENTS, budget=0.1, seed=3, payment="pool")
    return replace(market, fleet=Liars(market.fleet, np.array(ids, dtype=np.int64), claim))


def settled(ids: list[int], claim: float = 0.0) -> lefi.Receipt:
    market = market_of(ids, claim)
    return market.settle(1, lefi.make(VOTED, market.terms, seed=1).ask(market.fleet.roster), None)


@pytest.mark.parametrize("claim", [0.0, 1e9, np.nan])
def test_no_vote_moves_the_prize_of_who_casts_it(claim: float) -> None:
    """The claim of the source: honest voting is an equilibrium. Here no lie of one client gains it anything."""
    honest = settled([])
    for client in range(CLIENTS):
        lied = settled([client], claim)
        assert lied.payments[client] == honest.payments[client]
        np.testing.assert_array_equal(lied.sizes, honest.sizes)


def test_jurors_compete_elsewhere() -> None:
    offer: Any = settled([]).offer
    group = dict(zip(range(CLIENTS), offer.group.tolist(), strict=True))
    for client in range(CLIENTS):
        assert {group[juror] for juror in offer.jurors[client].tolist()} == {1 - group[client]}


def test_honest_votes_rank_by_what_was_delivered() -> None:
    receipt = settled([])
    offer = receipt.offer
    unjudged = replace(offer, votes=np.full(offer.votes.shape, np.nan))
    np.testing.assert_allclose(offer.payment(receipt.sizes), unjudged.payment(receipt.sizes))


def test_lies_of_a_minority_of_every_jury_move_nothing_and_those_of_a_majority_do() -> None:
    honest = settled([])
    offer: Any = honest.offer
    few = [c for c in range(CLIENTS) if (np.isin(offer.jurors, [c]).sum(axis=1) <= 2).all()][:1]
    assert few
    np.testing.assert_allclose(settled(few).payments, honest.payments)
    many = settled(list(range(CLIENTS)), 7.0)
    assert np.abs(many.payments - honest.payments).max() > 0


def test_votes_do_not_change_what_is_paid_in_all() -> None:
    assert settled([]).paid == pytest.approx(settled(list(range(10)), 1e9).paid)
    assert settled([]).paid <= 0.1


def test_it_keeps_the_contract() -> None:
    check_mechanism(lambda terms, seed=0: lefi.make("contest", terms, seed=seed, ranking="votes", prizes="unequal"))


def test_an_only_client_needs_no_jury() -> None:
    market = lefi.scenario("mixed", clients=1, payment="pool", budget=0.01)
    assert mechanism_of("contest").payment == "pool"
    receipt = market.settle(1, lefi.make(VOTED, market.terms).ask(market.fleet.roster), None)
    assert receipt.paid <= 0.01
