"""Pay that waits: held, released in time, forfeited on accusation, given back on appeal; to the unit, and verified."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import lefi
from lefi import LefiError
from lefi.books import Books
from lefi.cli import app
from lefi.ledger import Answer, Ledger, client_id
from lefi.ledger.accounting import appeal, pay_out, reveal, reverse
from lefi.ledger.audit import verify
from lefi.ledger.entries import roster_of
from lefi.ledger.keys import public_text
from lefi.ledger.proofs import wrong_with
from lefi.ledger.reader import due, earned, waiting
from lefi.ledger.views import by_client, frame, overspent
from lefi.ledger.withholding import Judged
from lefi.trust import Audits
from tests.ledger.forge import Shown, read, sign_anew

NAMES = ("a", "b", "c")
AUDITS = Audits(0.5, b"0123456789abcdef")


def opened(place: Path | str, total: float | None = None, escrow: int = 2, audits: Audits | None = None) -> Books:
    terms = lefi.Terms(2.0, lefi.accuracy("paper"), payment="price", total=total)
    ledger = Ledger(place)
    note = {"budget": 2.0, "trust": {"escrow": escrow, "newcomers": 0.5}} | ({"total": total} if total else {})
    ledger.begin(note, audits)
    return Books(lefi.make("price", terms, seed=1), terms, ledger, 3)


def play(books: Books, judged: Judged | None = None, names: Sequence[str] = NAMES) -> dict[str, int]:
    """A round in which all deliver what they may: units paid by name."""
    names = tuple(name for name in names if name not in books.barred())
    roster = roster_of(names, np.full(len(names), 0.5), np.full(len(names), 0.75))
    promise = books.promise(books.settled + 1, names, roster)
    answers = [Answer(name, "1", "accepted", float(size)) for name, size in zip(names, promise.most, strict=True)]
    books.settle(promise, promise.most, 0.1, answers, {}, judged or Judged())
    return dict(zip(names, books.units, strict=True))


def findings(ledger: Ledger) -> list[str]:
    return verify(ledger, public_text(ledger.key)).findings


def test_pay_waits_as_many_rounds_as_the_terms_say(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db")
    pays = [play(books) for _ in range(4)]
    for name, balance in books.ledger.balances().items():
        assert earned(balance) == sum(pay[name] for pay in pays)
        assert waiting(balance) == pays[2][name] + pays[3][name]
        assert due(balance) == pays[0][name] + pays[1][name]
    assert pay_out(books.ledger, "one").due == {name: pays[0][name] + pays[1][name] for name in NAMES}
    with pytest.raises(LefiError, match="held back"):
        reverse(books.ledger, "a", 4)
    books.finish()
    assert pay_out(books.ledger, "two").due == {name: pays[2][name] + pays[3][name] for name in NAMES}
    assert findings(books.ledger) == []


def test_an_accusation_costs_what_is_held_and_the_job_has_it_again(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db", total=9.0)
    pays = [play(books), play(books), play(books, Judged({"a": "size 6.1"}, {"a": "size"}))]
    lost = pays[0]["a"] + pays[1]["a"] + pays[2]["a"]
    balance = books.ledger.balances()["a"]
    assert (earned(balance), waiting(balance)) == (0, 0)
    assert books.barred() == {"a"}
    spent = sum(sum(pay.values()) for pay in pays)
    assert books.purse.units == min(2 * 10**9, 9 * 10**9 - spent + lost)
    pays += [play(books) for _ in range(3)]
    assert sum(sum(pay.values()) for pay in pays) - lost <= 9 * 10**9
    assert all(sum(pay.values()) <= 2 * 10**9 for pay in pays), "a round's own budget stays"
    table = frame(books.ledger.rows())
    assert overspent(table) == []
    assert by_client(table)["held"].to_list()[0] == 0
    assert findings(books.ledger) == []
    proof = books.ledger.prove("a")
    assert proof["total"] == 0
    assert wrong_with(proof, public_text(books.ledger.key)) == []


def test_a_restart_knows_what_came_back(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db", total=5.0)
    play(books)
    play(books, Judged(accused={"a": "size"}))
    books.barred()
    before = (books.purse.units, books.purse.next())
    books.ledger.close()
    again = opened(tmp_path / "ledger.db", total=5.0)
    again.barred()
    assert (again.purse.units, again.purse.next()) == before
    budgets = [receipt.budget for receipt in again.ledger.receipts()]
    assert budgets[0] == 2.0
    with pytest.raises(LefiError, match="trust"):
        again.ledger.begin({"budget": 2.0})


def test_an_appeal_gives_back_once(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db")
    pays = [play(books), play(books, Judged(audited={"a": False, "b": True}))]
    with pytest.raises(LefiError, match="not accused"):
        appeal(books.ledger, "b", granted=True)
    assert appeal(books.ledger, "a", granted=True, reason="we were wrong") == pays[0]["a"] + pays[1]["a"]
    with pytest.raises(LefiError, match="before"):
        appeal(books.ledger, "a", granted=True)
    assert due(books.ledger.balances()["a"]) == pays[0]["a"] + pays[1]["a"]
    assert "a" in play(books)
    assert findings(books.ledger) == []


def test_an_appeal_that_the_total_cannot_pay_is_refused_in_words(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db", total=3.0)
    play(books, Judged(accused={"a": "size"}))
    while not books.purse.empty:
        play(books)
        books.barred()
    with pytest.raises(LefiError, match="would be given back, the job's total has"):
        appeal(books.ledger, "a", granted=True)
    assert appeal(books.ledger, "a", granted=False) == 0
    assert findings(books.ledger) == []


def test_a_newcomer_is_paid_little_at_first(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db")
    play(books)
    names = (*NAMES, "new")
    shares = [play(books, names=names) for _ in range(3)]
    limit = int(0.5 * 2 * 10**9) // 4
    assert [pay["new"] <= limit for pay in shares[:2]] == [True, True]
    assert shares[0]["new"] == limit < shares[0]["b"]
    assert shares[2]["new"] > limit, "after as many rounds as pay is held it is one of them"
    assert books.most(names) == {}
    assert findings(books.ledger) == []


def test_audits_are_those_that_were_committed_to(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db", audits=AUDITS)
    ids = {client_id(name): name for name in NAMES}
    for round in range(1, 4):
        drawn = AUDITS.drawn(round, np.array(list(ids)))
        play(books, Judged(audited={ids[int(one)]: True for one in drawn}))
    with pytest.raises(LefiError, match="not the secret"):
        reveal(books.ledger, b"another secret of mine")
    reveal(books.ledger, AUDITS.secret)
    assert findings(books.ledger) == []
    rows = [row for row in books.ledger.rows() if row["kind"] == "audit"]
    assert 0 < len(rows) < 9


def test_audits_that_were_not_drawn_or_not_made_are_found(tmp_path: Path) -> None:
    for place, judged, said in (("more", dict.fromkeys(NAMES, True), "not drawn"), ("less", {}, "not audited")):
        books = opened(tmp_path / f"{place}.db", audits=AUDITS)
        for _ in range(3):
            play(books, Judged(audited=judged))
        reveal(books.ledger, AUDITS.secret)
        assert any(said in finding for finding in findings(books.ledger))


FORGED: dict[str, Any] = {
    "pay is not held": lambda b: b.remove(b.of("held", 4)[0]),
    "less is held than was paid": lambda b: b.of("held")[0].update(payment=1),
    "pay is kept for good": lambda b: b.remove(b.of("released", 1)[0]),
    "more is released": lambda b: b.of("released")[0].update(payment=10**10),
    "forfeited without an accusation": lambda b: b.remove(*b.of("accused")),
    "more is forfeited": lambda b: b.of("forfeited")[0].update(payment=-(10**10)),
    "given back without an appeal": lambda b: b.remove(*b.of("appeal")),
    "given back twice": lambda b: (b.log.append(dict(b.of("restored")[0])), b.number()),
    "a payout of what is held": lambda b: b.of("payout")[0].update(payment=10**10),
    "a verdict that is none": lambda b: b.of("appeal")[0].update(verdict="perhaps"),
    "an accusation with a verdict": lambda b: b.insert(10**6, kind="accused", round=9, payment=None, verdict="x"),
    "escrow of other terms": lambda b: b.log[0].update(terms=b.log[0]["terms"].replace('"escrow": 2', '"escrow": 1')),
    "terms that are none": lambda b: b.log[0].update(terms=b.log[0]["terms"].replace('"escrow"', '"escrows"')),
}


@pytest.mark.parametrize("what", FORGED)
def test_rows_that_contradict_themselves_are_found_whoever_signed_them(tmp_path: Path, what: str) -> None:
    books = opened(tmp_path / "ledger.db")
    play(books)
    play(books, Judged(accused={"a": "size"}))
    appeal(books.ledger, "a", granted=True)
    for _ in range(2):
        play(books)
    pay_out(books.ledger, "one")
    public = public_text(books.ledger.key)
    assert findings(books.ledger) == []
    forged = read(tmp_path / "ledger.db")
    FORGED[what](forged)
    sign_anew(forged, books.ledger.key)
    assert verify(Shown(forged), public).findings  # type: ignore[arg-type]


def test_a_forgotten_client_is_released_under_its_alias(tmp_path: Path) -> None:
    books = opened(tmp_path / "ledger.db")
    play(books)
    books.ledger.forget("a")
    for _ in range(2):
        play(books, names=("b", "c"))
    assert findings(books.ledger) == []
    assert all(waiting(own) >= 0 for own in books.ledger.balances().values())


def test_by_command(tmp_path: Path) -> None:
    place = tmp_path / "ledger.db"
    books = opened(place, audits=AUDITS)
    play(books)
    play(books, Judged(accused={"a": "size"}))
    books.ledger.close()

    def lefi_(*arguments: str) -> Any:
        return CliRunner().invoke(app, ["ledger", arguments[0], str(place), *arguments[1:]])

    assert "held back now" in lefi_("statement").stdout
    assert "forfeited" in lefi_("statement", "--client", "a").stdout
    assert lefi_("appeal", "a", "perhaps").exit_code == 2
    assert "given back" in lefi_("appeal", "a", "granted").stdout
    assert lefi_("reveal", "xyz").exit_code == 2
    assert lefi_("show").exit_code == 0
    assert lefi_("verify").exit_code == 0
