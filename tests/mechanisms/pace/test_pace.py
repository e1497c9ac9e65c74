"""`pace`: reaches a target for little money, never passes its total, ends in clear words, and resumes as it was."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lefi
from lefi.mechanisms.catalogue import mechanism_of
from lefi.testing import check_mechanism
from tests.mechanisms.adversary import Adversary, moods
from tests.mechanisms.learned_market import LearnedMarket, learned_market

TARGET = 0.5


def played(spec: str, market: lefi.Market, rounds: int = 100, seed: int = 600) -> tuple[Any, list[lefi.Receipt]]:
    mechanism = lefi.make(spec, market.terms, seed=seed)
    return mechanism, list(lefi.play(mechanism, market, rounds, seed))


def spent(receipts: list[lefi.Receipt], target: float = TARGET) -> float:
    """Until the target is first reached; infinite where it is not."""
    there = [at for at, receipt in enumerate(receipts) if receipt.accuracy >= target]
    return sum(receipt.paid for receipt in receipts[: there[0] + 1]) if there else np.inf


def test_on_the_curve_it_dares_rounds_that_the_curve_says_never_get_there() -> None:
    """Signs of clients who own more than they deliver carry further. Control: a plan of large rounds pays far more."""
    usual = lefi.learning("gtsrb")
    curve = replace(usual, half=usual.half / 2.5, top_iid=0.85)
    market = replace(learned_market("curve", 20.0, data="gtsrb"), curve=curve)
    market = replace(market, terms=replace(market.terms, rounds=100))
    _, receipts = played("pace(waterfill, target=0.7, data=gtsrb)", market)
    ours, large, small = (
        spent(one, 0.7)
        for one in (receipts, *(played(f"schedule(waterfill, rounds={n})", market)[1] for n in (100, 500)))
    )
    assert ours < 1.3 * small
    assert ours < 0.6 * large


@pytest.mark.parametrize("worth", [0.6, 1.6])
def test_it_is_close_to_the_best_constant_plan_in_hindsight(worth: float) -> None:
    """Whatever data is worth. Control: the paper's way, the same budget in each of 100 rounds, is far behind."""
    ours, plans = [], []
    for seed in (600, 602):
        market = learned_market("price", 2.0, seed, worth=worth)
        mechanism, receipts = played(f"pace(price, target={TARGET})", market, seed=seed)
        assert mechanism.done.startswith("the target 0.5 is reached: 0.5")
        ours.append(spent(receipts))
        constants = [f"schedule(price, rounds={rounds})" for rounds in (20, 80)]
        plans.append([spent(played(plan, market, seed=seed)[1]) for plan in constants])
    best, first = np.median(plans, axis=0).min(), np.median(plans, axis=0)[0]
    assert np.median(ours) < 1.35 * best
    assert np.median(ours) < 0.8 * first


def test_it_stops_paying_when_the_target_is_reached() -> None:
    mechanism, receipts = played(f"pace(flat(price=0.004), target={TARGET})", learned_market("price", 5.0))
    assert receipts[-1].accuracy >= TARGET > max(receipt.accuracy for receipt in receipts[:-1])
    assert mechanism.done == (
        f"the target 0.5 is reached: {receipts[-1].accuracy:.4g} for {sum(r.paid for r in receipts):.6g} USD"
    )


@pytest.mark.parametrize(
    ("target", "total", "words"),
    [
        (0.97, 5.0, "the target 0.97 is above all that cifar10 is known to reach, whatever is paid"),
        (0.6, 0.3, r"the target 0\.6 (would take .* USD more|is out of reach at any budget), and .* are kept"),
        (0.5, 1e-7, "10 rounds with all of 1e-07 USD bought nothing: it is too little"),
    ],
)
def test_what_cannot_be_reached_is_said_and_the_money_kept(target: float, total: float, words: str) -> None:
    mechanism, receipts = played(f"pace(price, target={target})", learned_market("price", total))
    assert re.fullmatch(words, mechanism.done)
    assert sum(receipt.paid for receipt in receipts) < 0.7 * total


class Spoiled(LearnedMarket):
    """Measures nothing, or less and less."""

    how = "nan"

    def settle(self, round: int, *more: Any) -> lefi.Receipt:
        receipt = super().settle(round, *more)
        return replace(receipt, accuracy=np.nan if self.how == "nan" else max(0.4 - 0.01 * round, 0.0))


class Falling(Spoiled):
    how = "falls"


def spoiled(kind: type[Spoiled], total: float) -> Spoiled:
    market = learned_market("price", total)
    return kind(market.terms, market.fleet, market.curve, market.level)


def test_accuracy_that_falls_ends_it_and_keeps_the_money() -> None:
    mechanism, receipts = played("pace(price, target=0.5, patience=6)", spoiled(Falling, 2.0))
    assert mechanism.done.startswith("the accuracy falls: 0.3")
    assert sum(receipt.paid for receipt in receipts) < 1.0


def test_accuracy_that_nobody_measured_is_no_target_reached() -> None:
    """It goes on by the curve alone, and ends by its money."""
    mechanism, receipts = played("pace(price, target=0.5)", spoiled(Spoiled, 0.4), 400)
    assert "reached" not in mechanism.done
    assert sum(receipt.paid for receipt in receipts) <= 0.4


def test_nothing_improves_is_the_paper_s_convergence() -> None:
    """Without target and total only the end is watched: every round has its budget until accuracy is at rest."""
    market = lefi.scenario("paper", clients=6, seed=2)
    mechanism, receipts = played("pace(uniform, patience=5)", market, 60, 2)
    same = list(lefi.play(lefi.make("uniform", market.terms, seed=2), market, len(receipts), 2))
    assert 5 < len(receipts) < 60
    assert "nothing improves" in mechanism.done
    assert [receipt.paid for receipt in receipts] == pytest.approx([receipt.paid for receipt in same], rel=1e-3)


def test_a_dollar_that_buys_too_little_is_not_spent() -> None:
    mechanism, _ = played("pace(price, gain=1.0)", learned_market("price", 3.0))
    assert "less than the 1 that was asked for" in mechanism.done
    assert mechanism.left > 1.0


@pytest.mark.parametrize("name", ["pace(uniform)", "pace(flat, target=0.5)", "pace(auction, target=0.3)"])
def test_it_keeps_the_contract(name: str) -> None:
    check_mechanism(mechanism_of(name))


@settings(max_examples=15, deadline=None)
@given(
    inside=st.sampled_from(["uniform", "random", "price", "auction"]),
    target=st.sampled_from([None, 0.5]),
    total=st.floats(1e-6, 1e6),
    moods=moods,
    seed=st.integers(0, 99),
)
def test_the_total_is_never_passed(
    inside: str, target: float | None, total: float, moods: list[str], seed: int
) -> None:
    market = Adversary.market(total, moods, seed, mechanism_of(inside).payment)
    paid = 0.0
    for receipt in lefi.play(lefi.make(f"pace({inside}, target={target}, start=0.3)", market.terms), market, 12, seed):
        assert receipt.offer.worst_case() <= total - paid
        paid += receipt.paid
    assert paid <= total


@pytest.mark.parametrize(
    ("inside", "payment", "total", "part"), [("price", "price", 2.0, "price"), ("waterfill", "curve", 20.0, "weight")]
)
def test_a_job_that_was_killed_goes_on_byte_for_byte(inside: str, payment: str, total: float, part: str) -> None:
    """A new one that is told the receipts asks the same, and says the same at the end."""
    market = learned_market(payment, total)
    mechanism, receipts = played(f"pace({inside}, target={TARGET})", market)
    again = lefi.make(f"pace({inside}, target={TARGET})", market.terms, seed=600)
    for receipt in receipts:
        offer: Any = again.ask(receipt.roster)
        assert getattr(offer, part).tobytes() == getattr(receipt.offer, part).tobytes()
        assert offer.limit.tobytes() == receipt.offer.limit.tobytes()
        again.tell(receipt)
    assert again.done == mechanism.done  # type: ignore[attr-defined]
