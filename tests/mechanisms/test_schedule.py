"""A total split over rounds beforehand: the shares, the end, and never a cent more than the total."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lefi
from lefi.mechanisms.catalogue import mechanism_of
from lefi.testing import check_mechanism
from tests.mechanisms.adversary import Adversary, moods


def market(total: float | None = 6.0, **more: Any) -> lefi.Market:
    own = lefi.scenario("mixed", clients=4, seed=3)
    return lefi.Market(lefi.Terms(6.0, own.terms.accuracy, total=total, **more), own.fleet)


@pytest.mark.parametrize(("shape", "first"), [("constant", 1 / 6), ("front", 7 / 24), ("back", 1 / 24)])
def test_the_shares_add_up_to_the_total(shape: str, first: float) -> None:
    here = market().taking("price")
    mechanism: Any = lefi.make(f"schedule(flat, rounds=6, shape={shape})", here.terms)
    worst = [receipt.offer.worst_case() for receipt in lefi.play(mechanism, here, 20)]
    assert worst == pytest.approx(mechanism.budgets[: len(worst)], rel=1e-6)
    assert mechanism.budgets.sum() == pytest.approx(6.0)
    assert mechanism.budgets[0] == pytest.approx(6.0 * first)
    assert len(worst) == 6
    assert mechanism.done == "all 6 rounds of the schedule are played"


def test_without_a_total_it_is_the_paper_s_way() -> None:
    here = market(total=None, rounds=5)
    same = lefi.play(lefi.make("uniform", here.terms), here, 5)
    for ours, theirs in zip(lefi.play(lefi.make("schedule(uniform)", here.terms), here, 9), same, strict=True):
        np.testing.assert_array_equal(ours.payments, theirs.payments)


@pytest.mark.parametrize("name", ["schedule(uniform)", "schedule(flat, shape=front)", "schedule(auction)"])
def test_it_keeps_the_contract(name: str) -> None:
    check_mechanism(mechanism_of(name))


@settings(max_examples=20, deadline=None)
@given(
    inside=st.sampled_from(["uniform", "random", "flat"]),
    total=st.floats(1e-6, 1e6),
    moods=moods,
    seed=st.integers(0, 99),
)
def test_the_total_is_never_passed(inside: str, total: float, moods: list[str], seed: int) -> None:
    """Not even around mechanisms that learn by overspending."""
    here = Adversary.market(total, moods, seed, mechanism_of(inside).payment)
    spent = 0.0
    for receipt in lefi.play(
        lefi.make(f"schedule({inside}, rounds=4, shape=back)", here.terms, seed=seed), here, 9, seed
    ):
        assert receipt.offer.worst_case() <= total - spent
        spent += receipt.paid
    assert spent <= total
