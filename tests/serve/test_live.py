"""A live job by itself: orders that come in between, mechanisms that fail, writes that fail."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lefi.books.books import Standing
from lefi.errors import LefiError
from lefi.ledger import Ledger
from lefi.ledger.accounting import order
from lefi.ledger.audit import verify
from lefi.ledger.keys import public_text
from lefi.serve.bodies import AnswersBody, JobBody, OpenBody, RosterBody, TermsBody
from lefi.serve.live import Live
from lefi.serve.problems import Refusal
from tests.serve.running import served
from tests.serve.test_rounds import ANSWERS, ROSTER, begun

BODY = JobBody(job="a", mechanism="price", terms=TermsBody(budget=5.0))


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Live]:
    made = Live(Ledger(tmp_path / "ledger.db", "a"), BODY, 100)
    yield made
    made.close()


def test_an_order_that_comes_while_offers_are_made_is_obeyed(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    plain, seen = live.books.standing, list[int]()

    def standing(upto: int | None = None) -> Standing:
        found = plain(upto)
        if not seen:
            order(live.ledger, "block", "7")
        seen.append(found.seen)
        return found

    monkeypatch.setattr(live.books, "standing", standing)
    opened = live.open(1, OpenBody(**ROSTER))
    assert opened.left_out == ["7"]
    assert len(seen) == 2
    assert verify(live.ledger, public_text(live.ledger.key)).findings == []


def test_a_mechanism_that_fails_owes_nothing(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(live.books.mechanism, "ask", fail)
    with pytest.raises(Refusal, match="failed to offer: ZeroDivisionError"):
        live.preview(RosterBody(**ROSTER))
    with pytest.raises(Refusal, match="failed to offer: ZeroDivisionError"):
        live.open(1, OpenBody(**ROSTER))
    assert live.ledger.last_row() == 1
    monkeypatch.undo()
    assert live.open(1, OpenBody(**ROSTER)).state == "open"


def test_a_mechanism_that_fails_to_learn_pays_all_the_same(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise ZeroDivisionError

    live.open(1, OpenBody(**ROSTER))
    monkeypatch.setattr(live.books.mechanism, "tell", fail)
    paid = live.answer(1, AnswersBody(**ANSWERS))
    assert sum(paid.units) > 0
    assert [row["kind"] for row in live.ledger.rows()][-1] == "mechanism fault"
    again = live.answer(1, AnswersBody(**ANSWERS))
    assert (again.units, again.repeated) == (paid.units, True)


@pytest.mark.parametrize("after", [False, True])
def test_a_write_that_fails_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool) -> None:
    """Before or after the transaction: what memory holds is dropped, and the same request then succeeds."""
    plain, broken = Ledger.append, [True]

    def append(self: Ledger, rows: Any) -> None:
        fails = bool(broken) and broken.pop()
        if fails and not after:
            raise LefiError("the disk is full")
        plain(self, rows)
        if fails:
            raise LefiError("the disk is full")

    with served(tmp_path / "ledger.db") as call:
        path = begun(call, "a")
        monkeypatch.setattr(Ledger, "append", append)
        for method, where, body in (("PUT", "/rounds/1", ROSTER), ("POST", "/rounds/1/answers", ANSWERS)):
            broken.append(True)
            del broken[1:]
            assert call(method, path + where, body).status == 409
            reply = call(method, path + where, body)
            assert (reply.status, reply.json["repeated"]) == (200, after)
        assert call("GET", f"{path}/verify").json["findings"] == []
        assert call("GET", path).json["settled"] == 1
