"""Forgeries with recomputed hashes: `verify` with the public key finds them all; receipts find who has the key."""

import json
import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lefi import LefiError
from lefi.ledger import Ledger
from lefi.ledger.accounting import order, pay_out, reverse
from lefi.ledger.audit import Audit, verify
from lefi.ledger.keys import load_key, read_public
from lefi.ledger.proofs import noted_in, wrong_together
from tests.flower import toy
from tests.ledger import forge


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger with rows of every kind: two phases, a cap that binds, a reversal, a pay-out; and receipts."""
    folder = tmp_path_factory.mktemp("honest")
    path = folder / "ledger.db"
    receipts = lambda context: folder / f"client-{context.node_config['partition-id']}"  # noqa: E731
    heedless = lambda posted, context: toy.selfish(replace(posted, most=None), context)  # noqa: E731
    clients = toy.app(heedless, receipts=receipts)
    settings: dict[str, Any] = {"mechanism": "waterfill", "two_phase": True, "clients": clients}
    incentive, _ = toy.run(path, rounds=1, **settings)
    incentive.ledger.close()
    with Ledger(path, create=False) as ledger:
        paid = next(row for row in ledger.rows() if row["kind"] == "payment")
        order(ledger, "cap", paid["client"], ledger.money.text(paid["payment"] + 1000))
        reverse(ledger, ledger_client(ledger, 2), 1, reason="on request")
    incentive, _ = toy.run(path, rounds=3, **settings)
    incentive.ledger.close()
    with Ledger(path, create=False) as ledger:
        pay_out(ledger, "first")
        kinds = {row["kind"] for row in ledger.rows()}
    assert kinds >= {"job", "offer", "pledge", "commitment", "answer", "payment", "round", "reversal", "payout", "cap"}
    return path


def ledger_client(ledger: Ledger, at: int) -> str:
    return str([row["client"] for row in ledger.rows() if row["kind"] == "payment"][at])


def audited(path: Path, public: str, noted: list[str] | None = None) -> Audit:
    with Ledger(path, reading=True) as ledger:
        return verify(ledger, public, noted or [])


@pytest.fixture(scope="module")
def books(honest: Path) -> forge.Books:
    return forge.read(honest)


def forged(honest: Path, books: forge.Books, name: str, heads: str) -> list[str]:
    """What is found in a forged copy. `heads`: kept as they are, removed, or signed by the forger's or the true key."""
    copy = deepcopy(books)
    forge.FORGERIES[name][0](copy)
    if heads == "removed":
        copy.heads = []
    elif heads != "kept":
        forge.sign_anew(copy, Ed25519PrivateKey.generate() if heads == "forger" else load_key(Path(f"{honest}.key")))
    shown: Any = forge.Shown(copy)
    return verify(shown, read_public(f"{honest}.pub")).findings


def test_the_honest_one_is_clean(honest: Path, tmp_path: Path) -> None:
    found = audited(honest, read_public(f"{honest}.pub"))
    assert not found.findings
    assert found.settled == 3
    books = forge.read(honest)
    shown: Any = forge.Shown(books)
    assert verify(shown, read_public(f"{honest}.pub")) == found
    shutil.copy(honest, tmp_path / "copy.db")
    forge.write(tmp_path / "copy.db", books)
    assert not audited(tmp_path / "copy.db", read_public(f"{honest}.pub")).findings, "the forger's tools leave no trace"


@pytest.mark.parametrize("name", forge.FORGERIES)
def test_a_forgery_is_found(honest: Path, books: forge.Books, name: str) -> None:
    assert len(forge.FORGERIES) >= 30
    for heads in ("kept", "removed", "forger"):
        assert forged(honest, books, name, heads), f"{name}, heads {heads}"


@pytest.mark.parametrize("name", [name for name, (_, plain) in forge.FORGERIES.items() if plain])
def test_rows_that_contradict_themselves_are_found_even_with_the_key(
    honest: Path, books: forge.Books, name: str
) -> None:
    assert forged(honest, books, name, "true key")


def test_an_older_state_is_found_by_what_was_noted(honest: Path, tmp_path: Path) -> None:
    """A restored backup is whole in itself. A noted head, or any client's receipt, tells that more was there."""
    public, books = read_public(f"{honest}.pub"), forge.read(honest)
    kept = [head for head in books.heads if head["size"] <= books.of("round", 2)[0]["seq"]]
    head = audited(honest, public).head
    receipt = max((honest.parent / "client-1").iterdir()).read_bytes()
    books.log, books.heads = books.log[: kept[-1]["size"]], kept
    shown: Any = forge.Shown(books)
    assert not verify(shown, public).findings, "a shorter log is a log"
    shutil.copy(honest, tmp_path / "old.db")
    forge.write(tmp_path / "old.db", books)
    assert not audited(tmp_path / "old.db", public).findings
    assert audited(tmp_path / "old.db", public, [head]).findings
    assert audited(tmp_path / "old.db", public, noted_in(receipt, public)).findings
    assert not audited(honest, public, [head, *noted_in(receipt, public)]).findings


@pytest.mark.parametrize("name", [name for name, (_, plain) in forge.FORGERIES.items() if not plain])
def test_who_has_key_and_database_is_found_by_receipts(honest: Path, books: forge.Books, name: str) -> None:
    """Everything is signed anew, by the true key: the log is another one than the clients have receipts of."""
    public, copy = read_public(f"{honest}.pub"), deepcopy(books)
    last = max(row["seq"] for row in books.log if row["kind"] == "offer")  # the last receipts are about these rows
    forge.FORGERIES[name][0](copy)
    forge.sign_anew(copy, load_key(Path(f"{honest}.key")))
    shown: Any = forge.Shown(copy)
    receipt = max((honest.parent / "client-1").iterdir()).read_bytes()
    assert not verify(shown, public).findings, "the log is whole in itself"
    found = verify(shown, public, noted_in(receipt, public)).findings
    late = [row["leaf"] for row in books.log[:last]] == [row["leaf"] for row in forge.Shown(copy).rows()[:last]]
    assert bool(found) != late, "rows after the last receipt are beyond what it can tell, and no others"
    assert late == (name in ("a pay-out is removed", "a job that was stopped", "a fault is blamed"))


def test_a_server_does_not_sign_what_was_forged(honest: Path, tmp_path: Path) -> None:
    for name, heads in (("a payment is raised", "kept"), ("a million in round 0", "kept")):
        copy = tmp_path / f"{len(name)}.db"
        shutil.copy(honest, copy)
        shutil.copy(f"{honest}.key", f"{copy}.key")
        books = forge.read(copy)
        forge.FORGERIES[name][0](books)
        forge.write(copy, books)
        with Ledger(copy, create=False) as ledger, pytest.raises(LefiError, match="not signed"):
            order(ledger, "pause")
        assert heads == "kept"


def test_receipts_tell_two_logs_apart(honest: Path) -> None:
    """What one client has, checked with the public key alone; and what a server shows that has forked its log."""
    public = read_public(f"{honest}.pub")
    texts = [path.read_bytes() for path in sorted((honest.parent / "client-3").iterdir())]
    proofs = [json.loads(text) for text in texts]
    assert len(proofs) == 3
    assert not wrong_together(proofs, public)
    assert [len(proof["rows"]) for proof in proofs] == [0, 1, 1]
    assert wrong_together([proofs[0], proofs[2]], public), "one is missing"
    assert wrong_together(proofs, "f" * 64)
    other = json.loads(texts[2])
    other["total"] += 1
    assert wrong_together([*proofs[:2], other], public)
