"""Every way of paying under fire: mechanisms that ask for everything, clients that bid and claim anything."""

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flwr.app import ConfigRecord, Message, MetricRecord, RecordDict
from hypothesis import given
from hypothesis import strategies as st

import lefi
from lefi.books import Books
from lefi.flower import Incentive, LocalGrid
from lefi.flower.local import FIRST_NODE
from lefi.ledger import Ledger
from lefi.ledger.audit import audit
from lefi.ledger.entries import roster_of
from lefi.messages import Roster
from lefi.offers import AuctionCall, MenuOffer, PoolOffer, PriceOffer, RankOffer
from tests.flower import toy
from tests.hostile.mechanisms import CLIENTS, NAMES, Loose, answers, check, sizes
from tests.lengths import examples


class Greedy:
    """Offers of one kind, up to far beyond all measure."""

    def __init__(self, payment: str, rng: np.random.Generator) -> None:
        self.payment, self.rng = payment, rng

    def ask(self, roster: Roster, budget: float | None = None) -> Any:
        n, most = len(roster), 10 ** self.rng.uniform(-6, 200 if self.rng.random() < 0.1 else 8)
        limit = self.rng.uniform(0, 20, n)
        if self.payment == "price":
            return PriceOffer(most * self.rng.random(n), limit)
        if self.payment == "menu":
            return MenuOffer(self.rng.uniform(0, 20, (n, 3)), most * self.rng.random((n, 3)))
        if self.payment == "auction":
            return AuctionCall(most, self.rng.random(n), limit, roster.ids)
        if self.rng.random() < 0.5:
            return PoolOffer(most, limit)
        return RankOffer(most, int(self.rng.integers(1, n + 1)), (1e-4, 1e-3), limit)

    def tell(self, receipt: lefi.Receipt) -> None:
        pass


@examples(60)
@given(st.sampled_from(["price", "menu", "pool", "auction"]), st.integers(0, 2**32 - 1), st.booleans())
def test_no_kind_passes_the_budget(payment: str, seed: int, two_phase: bool) -> None:
    logging.getLogger("flwr").setLevel(logging.CRITICAL)
    rng, ledger = np.random.default_rng(seed), Loose()
    budget = 10 ** rng.uniform(-6, 6)
    terms = lefi.Terms(budget, toy.TERMS.accuracy, payment=payment, total=float(budget * 10 ** rng.uniform(-1, 1)))
    anything: Any = ledger
    books = Books(Greedy(payment, rng), terms, anything, penance=2)
    for round in range(1, 13):
        if books.purse.empty:
            break
        roster = roster_of(NAMES, rng.random(CLIENTS), np.full(CLIENTS, 0.75))
        bids = np.where(rng.random(CLIENTS) < 0.2, np.nan, 10 ** rng.uniform(-9, 6, CLIENTS))
        promise = books.promise(round, NAMES, roster, lambda _, bids=bids: bids)  # type: ignore[misc]
        assert promise.offer.worst_case() <= books.purse.next()
        assert (promise.offer.limit <= terms.size_high).all()
        if two_phase:
            promise = books.commit(promise, answers(rng, promise.most), [])
        books.settle(promise, sizes(answers(rng, promise.most)), float("nan"), [], {})
    check(terms, ledger)
    logging.getLogger("flwr").setLevel(logging.INFO)


def metric(value: Any) -> RecordDict:
    return RecordDict({"bid": MetricRecord({"bid": value})})


BIDS: dict[str, Any] = {
    "nothing at all": RecordDict(),
    "no number": metric([1.0, 2.0]),
    "not a number": metric(float("nan")),
    "infinite": metric(float("inf")),
    "below zero": metric(-1.0),
    "two records": RecordDict({"a": MetricRecord({"bid": 1e-9}), "b": MetricRecord({"bid": 1.0})}),
    "another name": RecordDict({"bid": MetricRecord({"price": 1.0})}),
    "text": RecordDict({"bid": ConfigRecord({"bid": "1e-9"})}),
    "very much text": RecordDict({"bid": MetricRecord({"bid": 1.0}), "more": ConfigRecord({"x": "x" * 2**21})}),
}


class BadBidder(LocalGrid):
    """One client whose bids are replaced."""

    def __init__(self, content: RecordDict) -> None:
        super().__init__(toy.app(), 4)
        self.content, self.seen = content, 0

    def _deliver(self, message: Message) -> list[Message]:
        if message.metadata.message_type == "query.bid" and message.metadata.dst_node_id == FIRST_NODE + 3:
            self.seen += 1
            return [Message(self.content, reply_to=message)] * 2
        return super()._deliver(message)


@pytest.mark.parametrize("name", BIDS)
def test_a_bid_that_is_none_wins_nothing(tmp_path: Path, name: str) -> None:
    grid = BadBidder(BIDS[name])
    with Ledger(tmp_path / "ledger.db") as ledger:
        terms = replace(toy.paying("auction"), budget=1.0)
        incentive = Incentive(toy.fedavg(), "auction", terms=terms, ledger=ledger, penance=0)
        incentive.start(grid, toy.model(), num_rounds=2)
        rows = list(ledger.rows())
    assert grid.seen == 2
    assert not audit(rows).findings
    paid = {row["client"] for row in rows if row["kind"] == "payment"}
    assert "client-3" not in paid
    assert paid, "the others bid and are paid"
