"""The books without Flower: what is paid follows the budget in force, also over a restart."""

from pathlib import Path

import numpy as np
import pytest

import lefi
from lefi.arrays import FloatArray
from lefi.books import Books
from lefi.ledger import Answer, Ledger, client_id
from lefi.ledger.accounting import order
from lefi.ledger.audit import verify
from lefi.ledger.entries import roster_of
from lefi.ledger.keys import public_text
from lefi.ledger.views import by_round, frame, overspent
from lefi.messages import Receipt, Roster

TERMS = lefi.Terms(2.0, lefi.accuracy("paper"), payment="price")
NAMES = ("0", "1", "car-2")


def opened(place: str) -> Books:
    ledger = Ledger(place)
    ledger.begin({"budget": TERMS.budget})
    return Books(lefi.make("price", TERMS, seed=1), TERMS, ledger, 3)


def roster() -> Roster:
    return roster_of(NAMES, np.array([0.5, 1.0, 0.1]), np.full(3, 0.75))


def play(books: Books, sizes: FloatArray | None = None) -> Receipt:
    assert not books.barred()
    promise = books.promise(books.settled + 1, NAMES, roster())
    return settle(books, promise.most if sizes is None else sizes)


def settle(books: Books, sizes: FloatArray) -> Receipt:
    promise = books.ledger.pending()
    assert promise is not None
    answers = [Answer(name, str(size), "accepted", size) for name, size in zip(NAMES, sizes.tolist(), strict=True)]
    return books.settle(promise, sizes, 0.1, answers, {})


def test_a_budget_changes_from_the_next_round_on(place: str) -> None:
    books = opened(place)
    first = play(books)
    books.barred()
    promise = books.promise(2, NAMES, roster())
    order(books.ledger, "budget", "", "0.5")  # comes while round 2 is open: its promise stands
    second, third = settle(books, promise.most), play(books)
    order(books.ledger, "budget", "", "2")
    fourth = play(books)
    assert [receipt.budget for receipt in (first, second, third, fourth)] == [2.0, 2.0, 0.5, 2.0]
    assert second.paid > 0.5 >= third.paid > 0
    table = frame(books.ledger.rows())
    assert by_round(table)["budget"].to_list() == [2.0, 2.0, 0.5, 2.0]
    assert overspent(table) == []
    assert verify(books.ledger, public_text(books.ledger.key)).findings == []
    restored = [receipt.budget for receipt in books.ledger.receipts()]
    assert restored == [2.0, 2.0, 0.5, 2.0]
    books.ledger.close()


def test_a_promise_keeps_its_budget_over_a_restart(tmp_path: Path) -> None:
    place = str(tmp_path / "ledger.db")
    books = opened(place)
    order(books.ledger, "budget", "", "0.5")
    books.barred()
    books.promise(1, NAMES, roster())
    order(books.ledger, "budget", "", "9")
    books.ledger.close()
    again = opened(place)
    assert again.pending is not None
    receipt = settle(again, again.pending.most)
    assert receipt.budget == 0.5
    assert receipt.paid <= 0.5
    assert verify(again.ledger, public_text(again.ledger.key)).findings == []
    again.ledger.close()


def test_a_round_over_the_changed_budget_is_found(tmp_path: Path) -> None:
    """Books that do not look at the order pay by the old budget, and the audit says so."""
    books = opened(str(tmp_path / "ledger.db"))
    order(books.ledger, "budget", "", "0.5")
    settle(books, books.promise(1, NAMES, roster()).most)
    (wrong, *_) = verify(books.ledger, public_text(books.ledger.key)).findings
    assert "OVER BUDGET" in wrong
    assert "of 0.5 USD" in wrong
    assert len(overspent(frame(books.ledger.rows()))) == 1
    books.ledger.close()


def test_a_budget_must_be_one(tmp_path: Path) -> None:
    books = opened(str(tmp_path / "ledger.db"))
    for amount in ("0", "-1", "1e-10"):
        with pytest.raises(lefi.LefiError, match="a budget that is none"):
            order(books.ledger, "budget", "", amount)
    books.ledger.close()


def test_numbers_are_names_of_their_own() -> None:
    assert [client_id(name) for name in ("0", "17", "2147483647")] == [0, 17, 2**31 - 1]
    for name in ("017", "2147483648", "99999999999", "-1", "car-2", "1e3"):
        assert client_id(name) >= 2**31


def test_a_budget_of_one_round_alone(place: str) -> None:
    books = opened(place)
    order(books.ledger, "budget", "", "1.5")
    for round, alone in ((1, None), (2, 500_000_000), (3, None)):
        books.obey(books.standing(), alone)
        books.promise(round, NAMES, roster(), budget=alone)
        if round == 2:
            books.ledger.close()
            books = opened(place)
            assert books.pending is not None
        settle(books, books.ledger.pending().most)  # type: ignore[union-attr]
    assert [receipt.budget for receipt in books.ledger.receipts()] == [1.5, 0.5, 1.5]
    assert by_round(frame(books.ledger.rows()))["budget"].to_list() == [1.5, 0.5, 1.5]
    assert overspent(frame(books.ledger.rows())) == []
    assert verify(books.ledger, public_text(books.ledger.key)).findings == []
    books.ledger.append([{"round": 7, "kind": "budget", "payment": 5}])
    (wrong,) = verify(books.ledger, public_text(books.ledger.key)).findings
    assert "a budget of round 7 that is not in front of it" in wrong
    books.ledger.close()
