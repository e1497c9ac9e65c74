"""reputation: unreliable clients are told from reliable ones and left out, and the money buys more."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.draws import uniform
from lefi.mechanisms.catalogue import mechanism_of
from lefi.testing import check_mechanism

CLIENTS, SILENT = 16, 0.8


@dataclass(frozen=True, eq=False)
class HalfSilent(lefi.Behaviour):
    """Clients with odd ids answer one offer in five."""

    def respond(self, offer: lefi.Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = self.fleet.respond(offer, rng)
        if rng is None:
            return sizes
        silent = uniform(int(rng.integers(2**63)), self.roster.ids) < SILENT
        return np.where(silent & (self.roster.ids % 2 == 1), np.nan, sizes)


def market_of(inside: str, budget: float) -> lefi.Market:
    market = lefi.scenario("mixed", clients=CLIENTS, seed=2, budget=budget).taking(mechanism_of(inside).payment)
    return replace(market, fleet=HalfSilent(market.fleet))


def played(name: str, market: lefi.Market, rounds: int = 40) -> list[lefi.Receipt]:
    return list(lefi.play(lefi.make(name, market.terms, seed=2), market, rounds, 2))


@pytest.mark.parametrize(
    ("inside", "settings", "most"),
    [
        ("contract", "", 0.9),
        ("auction", "", 0.6),
        ("contract", ", threshold=0.4", 0.6),
        ("auction", ", threshold=0.4", 0.6),
    ],
)
def test_the_unreliable_are_left_out_and_the_money_buys_more(inside: str, settings: str, most: float) -> None:
    """The claim of the source: with reputation the same money trains with those who deliver.

    Also at the defaults, which leave out fewer; half of the clients are unreliable here.

    On the paper's curve it does not: who is silent costs nothing, and twice the money for the others buys little.
    """
    budget = 0.04
    market = market_of(inside, budget)
    bare, kept = played(inside, market), played(f"reputation({inside}{settings})", market)
    odd = market.fleet.roster.ids % 2 == 1
    before, after = (
        np.stack([one.offer.payment(one.offer.limit) > 0 for one in receipts[15:]])[:, odd].mean()
        for receipts in (bare, kept)
    )
    assert after < most * before
    late = [np.mean([receipt.accuracy for receipt in receipts[15:]]) for receipts in (bare, kept)]
    assert late[1] > late[0] + 0.002
    assert all(receipt.offer.worst_case() <= budget for receipt in kept)


def test_without_a_threshold_nobody_is_left_out() -> None:
    """The control: every receipt is that of the mechanism inside."""
    market = market_of("contract", 0.04)
    for one, other in zip(
        played("contract", market, 15), played("reputation(contract, threshold=0)", market, 15), strict=True
    ):
        np.testing.assert_array_equal(one.payments, other.payments)


def test_witnesses_who_recommend_find_the_same_clients() -> None:
    """Each of four sees a quarter of the deeds; together they tell the clients apart as one does."""
    market = market_of("contract", 0.04)
    mechanism: Any = lefi.make("reputation(contract, witnesses=4)", market.terms, seed=2)
    for _ in lefi.play(mechanism, market, 25, 2):
        pass
    held, odd = mechanism.reputation(market.fleet.roster.ids), market.fleet.roster.ids % 2 == 1
    assert held[odd].max() < held[~odd].min()


def test_deeds_fade_and_the_left_out_are_heard_again() -> None:
    market = market_of("contract", 0.04)
    kept = played("reputation(contract)", market, 60)
    odd = np.flatnonzero(market.fleet.roster.ids % 2 == 1)
    offered = np.stack([receipt.offer.payment(receipt.offer.limit)[odd] > 0 for receipt in kept])
    again = (offered[1:] & ~offered[:-1]).any(axis=0)
    assert again.all()


def test_a_refusal_is_no_bad_deed_unless_it_is_said_to_be() -> None:
    market = lefi.scenario("mixed", clients=6, seed=1, budget=1e-5, payment="price")
    held = {}
    for refusal in (0, 1):
        mechanism: Any = lefi.make(f"reputation(flat, refusal={refusal})", market.terms)
        list(lefi.play(mechanism, market, 10))
        held[refusal] = mechanism.reputation(market.fleet.roster.ids)
    assert (held[0] == 0.5).all()
    assert (held[1] < 0.3).all()


@pytest.mark.parametrize("inside", ["contract", "pool", "auction"])
def test_it_keeps_the_contract(inside: str) -> None:
    check_mechanism(mechanism_of(f"reputation({inside})"))


@pytest.mark.parametrize("written", ["threshold=2", "decay=1", "caution=-1", "witnesses=0", "trusting=1.5"])
def test_bad_settings_are_refused(written: str) -> None:
    with pytest.raises(lefi.InputError, match=r"^reputation\(contract\)\.\w+ is "):
        lefi.make(f"reputation(contract, {written})", lefi.scenario("mixed").terms)
