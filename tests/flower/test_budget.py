"""The budget is the wrapper's: no round and no job passes it, and a mechanism that keeps it is not touched."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.books.samples import to_samples
from lefi.flower import Incentive, LocalGrid
from lefi.ledger import client_id
from lefi.ledger.audit import audit
from lefi.messages import Offer
from tests.flower import toy

ACCURACY = lefi.accuracy("paper")


@dataclass(frozen=True, eq=False)
class WholeSamples:
    """A fleet of the simulator whose clients count in whole samples, as those of Flower do, and have so many."""

    fleet: lefi.RationalFleet

    @property
    def roster(self) -> lefi.Roster:
        return self.fleet.roster

    def respond(self, offer: Offer, rng: Any) -> FloatArray:
        sizes = np.minimum(self.fleet.respond(offer, rng), offer.limit)
        whole = np.array([min(to_samples(size), toy.SAMPLES) for size in sizes]) / 1000
        return np.minimum(whole, offer.limit)

    def advance(self, rng: Any) -> "WholeSamples":
        return self


def in_flower(path: Path, name: str, rounds: int, two_phase: bool) -> Any:
    incentive = Incentive(toy.fedavg(), name, terms=toy.TERMS, ledger=path, seed=3, two_phase=two_phase)
    incentive.start(LocalGrid(toy.app(), toy.CLIENTS), toy.model(), num_rounds=rounds)
    return incentive


@pytest.mark.parametrize("two_phase", [False, True])
def test_who_keeps_the_budget_is_not_touched(tmp_path: Path, two_phase: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Payments equal those of `play` bit by bit, and nobody is warned of anything."""
    with caplog.at_level(logging.WARNING, logger="flwr"):
        incentive = in_flower(tmp_path / "ledger.db", "waterfill", 12, two_phase)
    names = [f"client-{i}" for i in range(toy.CLIENTS)]
    n = toy.CLIENTS
    roster = lefi.Roster(np.array([client_id(name) for name in names]), np.ones(n), np.full(n, 0.75))
    price = np.array([toy.price(i) for i in range(n)])
    fleet = lefi.RationalFleet(roster, price, np.full(n, 28.9), lefi.cost("paper"), size_high=5.0)
    played = lefi.play(lefi.make("waterfill", toy.TERMS, seed=3), lefi.Market(toy.TERMS, WholeSamples(fleet)), 12)
    receipts = list(incentive.ledger.receipts())
    for receipt, expected in zip(receipts, played, strict=True):
        assert receipt.payments.tobytes() == expected.payments.tobytes()
        assert receipt.offer.weight.tobytes() == expected.offer.weight.tobytes()
    assert sum(receipt.paid for receipt in receipts) > 1
    assert "cut" not in caplog.text


@pytest.mark.parametrize("two_phase", [False, True])
@pytest.mark.parametrize("name", ["lefi", "uniform", "random", "bara", "waterfill"])
def test_every_mechanism_keeps_a_tight_budget(tmp_path: Path, name: str, two_phase: bool) -> None:
    terms = lefi.Terms(budget=0.1, accuracy=ACCURACY, size_high=5.0)
    incentive, _ = toy.run(tmp_path / "ledger.db", terms=terms, mechanism=name, rounds=6, two_phase=two_phase)
    assert all(receipt.paid <= 0.1 for receipt in incentive.ledger.receipts())
    assert not audit(incentive.ledger.rows()).findings


class Asks:
    """Offers one weight and one limit to all."""

    def __init__(self, weight: float, limit: float = 5.0) -> None:
        self.weight, self.limit = weight, limit

    def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
        n = len(roster)
        return lefi.CurveOffer(np.full(n, self.weight), roster.rate, np.full(n, self.limit))

    def tell(self, receipt: lefi.Receipt) -> None:
        pass


@pytest.mark.parametrize("weight", [1e6, 1e300])
def test_weights_beyond_all_measure_are_cut_and_it_is_said(
    tmp_path: Path, weight: float, caplog: pytest.LogCaptureFixture
) -> None:
    incentive = Incentive(toy.fedavg(), Asks(weight), terms=toy.TERMS, ledger=tmp_path / "ledger.db")
    with caplog.at_level(logging.WARNING, logger="flwr"):
        incentive.start(LocalGrid(toy.app(lambda posted, context: 9.0), 6), toy.model(), num_rounds=2)
    paid = [receipt.paid for receipt in incentive.ledger.receipts()]
    assert all(0.8 * toy.TERMS.budget < amount <= toy.TERMS.budget for amount in paid)
    assert "Asks are cut: weights are scaled down" in caplog.text


def test_a_limit_above_the_largest_size_is_lowered(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    incentive = Incentive(toy.fedavg(), Asks(0.1, 1e9), terms=toy.TERMS, ledger=tmp_path / "ledger.db")
    with caplog.at_level(logging.WARNING, logger="flwr"):
        incentive.start(LocalGrid(toy.app(), 3), toy.model(), num_rounds=1)
    assert "Asks are cut: 3 limits are lowered" in caplog.text
    assert "scaled" not in caplog.text
    assert {toy.offered(row)["limit"] for row in incentive.ledger.rows() if row["kind"] == "offer"} == {5.0}


@pytest.mark.parametrize("two_phase", [False, True])
def test_the_total_is_never_passed(tmp_path: Path, two_phase: bool, caplog: pytest.LogCaptureFixture) -> None:
    """The last rounds get what is left, and when nothing useful is left the job ends and says so."""
    terms = lefi.Terms(3.0, ACCURACY, size_high=5.0, total=7.0)
    incentive = Incentive(toy.fedavg(), Asks(1e3), terms=terms, ledger=tmp_path / "a.db", two_phase=two_phase)
    with caplog.at_level(logging.WARNING, logger="flwr"):
        incentive.start(LocalGrid(toy.app(lambda posted, context: 9.0), 6), toy.model(), num_rounds=40)
    receipts = list(incentive.ledger.receipts())
    paid = sum(receipt.paid for receipt in receipts)
    assert 0.99 * 7 < paid <= 7
    assert len(receipts) < 40
    assert [receipt.budget for receipt in receipts[:2]] == [3.0, 3.0]
    assert all(receipt.paid <= (receipt.budget or 0) for receipt in receipts)
    assert "the job ends" in caplog.text
    found = audit(incentive.ledger.rows())
    assert not found.findings
    assert found.paid <= 7


def test_a_total_survives_a_restart(tmp_path: Path) -> None:
    """Ledgers of one start and of many are the same, budgets in force and all."""
    terms = lefi.Terms(None, ACCURACY, size_high=5.0, total=2.0, rounds=4)
    for rounds in (1, 2, 6):
        many, _ = toy.run(tmp_path / "many.db", terms=terms, mechanism="uniform", rounds=rounds)
        many.ledger.close()
    one, _ = toy.run(tmp_path / "one.db", terms=terms, mechanism="uniform", rounds=6)
    for left, right in zip(many.ledger.receipts(), one.ledger.receipts(), strict=True):
        assert left.payments.tobytes() == right.payments.tobytes()
        assert left.budget == right.budget
    assert one.settled == many.settled == 4, "the terms allow no more rounds"


def test_the_mechanism_hears_of_the_budget_that_is_left(tmp_path: Path) -> None:
    heard: list[float | None] = []

    class Listens(Asks):
        def ask(self, roster: lefi.Roster, budget: float | None = None) -> lefi.CurveOffer:
            heard.append(budget)
            return super().ask(roster, budget)

    terms = lefi.Terms(3.0, ACCURACY, size_high=5.0, total=4.0)
    incentive = Incentive(toy.fedavg(), Listens(1e3), terms=terms, ledger=tmp_path / "a.db")
    incentive.start(LocalGrid(toy.app(lambda posted, context: 9.0), 6), toy.model(), num_rounds=2)
    assert heard[0] is None
    assert heard[1] is not None
    assert heard[1] < 1.6


def test_a_mechanism_of_other_terms_is_refused(tmp_path: Path) -> None:
    other = lefi.Terms(budget=300.0, accuracy=ACCURACY, size_high=5.0)
    with pytest.raises(lefi.LefiError, match=r"budget 300\.0, not 3\.0"):
        Incentive(toy.fedavg(), lefi.make("waterfill", other), terms=toy.TERMS, ledger=tmp_path / "a.db")
    model = lefi.QuadraticAccuracy(-0.0001, 0.07, -0.001, 0.01, 0.01, 0.07)
    made = lefi.make("waterfill", lefi.Terms(3.0, model, size_high=5.0))
    with pytest.raises(lefi.LefiError, match="accuracy"):
        Incentive(toy.fedavg(), made, terms=toy.TERMS, ledger=tmp_path / "a.db")
    assert not (tmp_path / "a.db").exists()


@pytest.mark.parametrize(
    ("mechanism", "more", "said"),
    [
        ("nobody", {}, "unknown mechanism"),
        ("waterfill", {"settings": {"nothing": 1}}, "unknown setting"),
        ("price", {}, "pays by 'curve'"),
        (object(), {}, "ask and tell"),
        (Asks(1.0), {"settings": {"x": 1}}, "left out"),
    ],
)
def test_what_cannot_be_a_mechanism(tmp_path: Path, mechanism: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(lefi.LefiError, match=said):
        Incentive(toy.fedavg(), mechanism, terms=toy.TERMS, ledger=tmp_path / "a.db", **more)


def test_a_mechanism_that_is_done_ends_the_job(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody is asked, trained or paid any more, and the log says why."""
    with caplog.at_level(logging.WARNING, logger="flwr"):
        incentive = in_flower(tmp_path / "ledger.db", "schedule(uniform, rounds=2)", 5, False)
    assert incentive.settled == 2
    assert "all 2 rounds of the schedule are played: the job ends before round 3" in caplog.text
