"""A market along a learning curve: accuracy accumulates, clients and judgement are as before."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import lefi
from lefi import LefiError
from lefi.world.learning_market import LearningMarket

CURVE = lefi.learning("cifar10")


def market(**more: Any) -> lefi.Market:
    return lefi.scenario("mixed", clients=4, budget=0.2, payment="price", accuracy="cifar10", **more)


def test_accuracy_is_that_of_the_curve_after_these_deliveries() -> None:
    plain, learned = market(), market(learning="cifar10")
    assert isinstance(learned, LearningMarket)
    one, two = (list(lefi.play(lefi.make("price", m.terms), m, 8)) for m in (plain, learned))
    assert [list(a.sizes) for a in one] == [list(b.sizes) for b in two]
    assert [a.paid for a in one] == [b.paid for b in two]
    reached = CURVE.floor
    for receipt in two:
        reached = CURVE.next(reached, receipt.sizes, receipt.roster.iid)
        assert receipt.accuracy == pytest.approx(reached)
    assert two[-1].accuracy > two[0].accuracy + 0.05


def test_equal_rounds_end_where_the_plan_says() -> None:
    """The same sizes in every round: the curve's own accuracy after so many rounds."""
    world = market(learning=CURVE)
    best = lefi.first_best(world)
    after = [world]
    for number in range(1, 13):
        receipt = after[-1].settle(number, best.offer, np.random.default_rng(0))
        after.append(after[-1].after(receipt))
    sizes, iid = receipt.sizes, receipt.roster.iid
    assert receipt.accuracy == pytest.approx(float(CURVE.joint(sizes, iid, 12.0)))


def test_who_does_not_answer_teaches_nothing_and_the_oracle_is_as_before() -> None:
    world = market(learning=CURVE)
    silent = replace(world, fleet=lefi.scenario("flaky", clients=4, budget=0.2, dropout=1.0).fleet)
    played = list(lefi.play(lefi.make("price", silent.terms), silent, 3))
    assert [receipt.accuracy for receipt in played] == [CURVE.floor] * 3
    assert lefi.first_best(world).accuracy == lefi.first_best(market()).accuracy


def test_an_unknown_curve_is_refused() -> None:
    with pytest.raises(LefiError, match="learning"):
        market(learning="paper")
