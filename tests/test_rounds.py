from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import lefi
from lefi import CurveOffer, InputError, Market, RationalFleet, Receipt, Roster
from lefi.arrays import FloatArray
from lefi.draws import uniform
from lefi.messages import Offer
from lefi.world.behaviours.behaviour import draw_key


class Shaky(RationalFleet):
    """Rational clients whose answers are shaken by a draw of their own, and whose speed changes each round."""

    def respond(self, offer: Offer, rng: np.random.Generator | None) -> FloatArray:
        sizes = super().respond(offer, rng)
        return sizes if rng is None else sizes * uniform(draw_key(rng), self.roster.ids)

    def advance(self, rng: np.random.Generator) -> "Shaky":
        return replace(self, price=self.price * (0.5 + uniform(draw_key(rng), self.roster.ids)))


def shaky(clients: int = 5) -> Market:
    market = lefi.scenario("mixed", clients=clients)
    fleet = cast(RationalFleet, market.fleet)
    fields = ("roster", "price", "speed", "cost", "deadline", "size_low", "size_high")
    return replace(market, fleet=Shaky(**{name: getattr(fleet, name) for name in fields}))


class Fixed:
    def __init__(self, weight: float) -> None:
        self.weight = weight

    def ask(self, roster: Roster, budget: float | None = None) -> CurveOffer:
        return CurveOffer(np.full(len(roster), self.weight), roster.rate, np.full(len(roster), 10.0))

    def tell(self, receipt: Receipt) -> None:
        pass


def test_receipts_count_from_one_and_come_one_at_a_time() -> None:
    market = lefi.scenario("paper")
    stream = lefi.play(lefi.make("uniform", market.terms), market, 3)
    assert [receipt.round for receipt in stream] == [1, 2, 3]


def test_the_market_that_was_given_is_unchanged() -> None:
    market = shaky()
    fleet, price = market.fleet, cast(Shaky, market.fleet).price.copy()
    first = list(lefi.play(Fixed(0.5), market, 4, seed=2))
    assert market.fleet is fleet
    assert np.array_equal(cast(Shaky, market.fleet).price, price)
    again = list(lefi.play(Fixed(0.5), market, 4, seed=2))
    assert [receipt.paid for receipt in first] == [receipt.paid for receipt in again]
    other = list(lefi.play(Fixed(0.5), market, 4, seed=3))
    assert first[0].paid != other[0].paid


def test_all_mechanisms_meet_the_same_clients() -> None:
    """The draws of a round are the same whatever was offered: noisy over noise-free answer is one number per client."""
    market = shaky()
    ratios = []
    for weight in (0.3, 0.9):
        receipts = list(lefi.play(Fixed(weight), market, 3, seed=1))
        base = [market.fleet.respond(receipts[0].offer, None)]
        ratios.append(receipts[0].sizes / base[0])
        assert not np.allclose(receipts[0].sizes, receipts[1].sizes)
    assert ratios[0] == pytest.approx(ratios[1])


def test_every_round_has_draws_of_its_own() -> None:
    market = lefi.scenario("noisy", clients=5)
    first, second = lefi.play(Fixed(0.5), market, 2)
    assert not np.allclose(first.sizes, second.sizes, rtol=1e-3)


def test_draws_do_not_depend_on_the_order_of_clients() -> None:
    market = shaky()
    order = np.array([3, 0, 4, 1, 2])
    moved = replace(market, fleet=cast(Shaky, market.fleet).take(order))
    straight = list(lefi.play(Fixed(0.5), market, 4, seed=7))
    shuffled = list(lefi.play(Fixed(0.5), moved, 4, seed=7))
    for one, other in zip(straight, shuffled, strict=True):
        assert np.array_equal(one.sizes[order], other.sizes)
        assert one.accuracy == pytest.approx(other.accuracy, rel=1e-14)


@pytest.mark.parametrize(
    ("rounds", "seed"), [(0, 0), (-1, 0), (1.0, 0), (True, 0), ("3", 0), (3, -1), (3, 0.5), (3, None)]
)
def test_bad_numbers_are_refused_before_the_first_round(rounds: Any, seed: Any) -> None:
    market = lefi.scenario("paper")
    with pytest.raises(InputError, match=r"^(rounds|seed) is "):
        lefi.play(Fixed(0.5), market, rounds, seed)


def test_what_is_no_mechanism_or_market_is_refused() -> None:
    market = lefi.scenario("paper")
    with pytest.raises(InputError, match="ask and tell"):
        lefi.play("lefi", market, 3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"lefi\.Market"):
        lefi.play(Fixed(0.5), market.fleet, 3)  # type: ignore[arg-type]


class Short(Fixed):
    """Has enough after the second round."""

    done: str | None = None

    def tell(self, receipt: Receipt) -> None:
        self.done = "two rounds are enough" if receipt.round == 2 else None


def test_a_mechanism_that_is_done_is_asked_no_more() -> None:
    market = lefi.scenario("mixed", clients=5)
    assert [receipt.round for receipt in lefi.play(Short(0.5), market, 9)] == [1, 2]
    before = Short(0.5)
    before.done = "nothing can be bought"
    assert list(lefi.play(before, market, 9)) == []
