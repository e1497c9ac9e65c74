"""A client's receipt: its payments, that they are in the log, and that the log only grew. Checked by one public key.

rows   own rows as leaves, each with the path to the head (RFC 9162, inclusion)
head   the signed head that covers them            from, grown   an earlier head, and the path from it (consistency)
total  units that this client has earned up to the head; signed together with the head
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lefi.errors import LefiError
from lefi.ledger.entries import Row
from lefi.ledger.heads import Head
from lefi.ledger.keys import signed_by
from lefi.ledger.leaves import leaf_text, read_leaf
from lefi.ledger.merkle import Tree, extends, includes, leaf_hash
from lefi.ledger.money import Money
from lefi.ledger.schema import EARNED

VERSION = 1
Proof = dict[str, Any]


def proof_of(
    tree: Tree,
    head: Head,
    rows: Sequence[Row],
    earlier: Head | None,
    total: int,
    money: Money,
    key: Ed25519PrivateKey,
    client: str | None = None,
) -> Proof:
    """The receipt for these rows of one client, signed. `client` is the alias, where there are no rows to tell it."""
    alias = rows[0]["alias"] if client is None else client
    paths = [tree.inclusion(row["seq"] - 1, head.size) for row in rows]
    proof: Proof = {
        "version": VERSION,
        "client": alias,
        "total": total,
        "currency": money.currency,
        "unit": money.unit,
        "rows": [
            {"leaf": leaf_text(row), "path": [part.hex() for part in path]}
            for row, path in zip(rows, paths, strict=True)
        ],
        "head": head.as_dict(),
        "from": None if earlier is None else earlier.as_dict(),
        "grown": [] if earlier is None else [part.hex() for part in tree.consistency(earlier.size, head.size)],
    }
    return proof | {"signature": key.sign(_signed(proof)).hex()}


def _signed(proof: Mapping[str, Any]) -> bytes:
    head, leaves = proof["head"], [row["leaf"] for row in proof["rows"]]
    stated = [proof[name] for name in ("version", "client", "total", "currency", "unit")]
    return json.dumps(["lefi receipt", *stated, head["job"], head["size"], head["root"], leaves]).encode()


def read_proof(text: str | bytes) -> Proof:
    """A receipt from a file or a message."""
    try:
        proof = json.loads(text)
    except ValueError:
        proof = None
    if not isinstance(proof, dict) or proof.get("version") != VERSION:
        raise LefiError("this is no receipt of lefi, or one of a newer version")
    return proof


def wrong_with(proof: Mapping[str, Any], public: str) -> list[str]:
    """What one receipt fails to prove; nothing where all is well."""
    try:
        return list(_faults(proof, public))
    except (KeyError, TypeError, ValueError, AttributeError, LefiError) as error:
        return [f"it is not as it was written ({type(error).__name__})"]


def _faults(proof: Mapping[str, Any], public: str) -> Iterable[str]:
    head = Head.of(proof["head"])
    if not head.holds(public):
        yield "the head is not signed by this key"
    if not signed_by(public, _signed(proof), proof["signature"]):
        yield "the receipt is not signed by this key"
    root = bytes.fromhex(head.root)
    for entry in proof["rows"]:
        row = read_leaf(entry["leaf"])
        if row["job"] != head.job or row["alias"] != proof["client"] or row["kind"] not in EARNED:
            yield f"row {row['seq']} is no payment to this client"
        path = [bytes.fromhex(part) for part in entry["path"]]
        if not includes(root, head.size, row["seq"] - 1, leaf_hash(entry["leaf"].encode()), path):
            yield f"row {row['seq']} is not in the log"
    if proof["from"] is not None:
        earlier, path = Head.of(proof["from"]), [bytes.fromhex(part) for part in proof["grown"]]
        if not earlier.holds(public) or earlier.job != head.job:
            yield "the earlier head is not signed by this key"
        if not extends(bytes.fromhex(earlier.root), earlier.size, root, head.size, path):
            yield "the log did not only grow since the earlier head"


def noted_in(text: str | bytes, public: str) -> list[str]:
    """The heads that a client's receipt holds, to be found again in the log."""
    proof = read_proof(text)
    if wrong := wrong_with(proof, public):
        raise LefiError(f"the receipt proves nothing: {wrong[0]}")
    stated = [part for part in (proof["from"], proof["head"]) if part is not None]
    return [Head.of(part).noted for part in stated]


def wrong_together(proofs: Sequence[Mapping[str, Any]], public: str) -> list[str]:
    """What the receipts of one client fail to prove, each alone and one after another."""
    found = [f"receipt {at}: {wrong}" for at, proof in enumerate(proofs, 1) for wrong in wrong_with(proof, public)]
    if found:
        return found
    ordered = sorted(proofs, key=lambda proof: proof["head"]["size"])
    known: dict[int, str] = {}
    total, seen = 0, set[int]()
    for proof in ordered:
        at, head, earlier = proof["head"]["size"], proof["head"], proof["from"]
        if (head["job"], proof["client"]) != (ordered[0]["head"]["job"], ordered[0]["client"]):
            return [f"the receipt at row {at} is of another job or client"]
        if known and (earlier is None or known.get(earlier["size"]) != earlier["root"]):
            found.append(f"the receipt at row {at} does not follow from one before: another log, or one is missing")
        if known.get(at, head["root"]) != head["root"]:
            found.append(f"two logs: the heads at row {at} differ")
        known[at] = head["root"]
        new = {row["seq"]: row["payment"] for row in map(_leaf, proof["rows"])}
        total += sum(units for seq, units in new.items() if seq not in seen)
        seen |= new.keys()
        if len(known) == 1:  # the first may be about some of its payments only
            total = proof["total"]
        if total != proof["total"]:
            found.append(f"the receipt at row {at} says {proof['total']} units in all, its rows say {total}")
            total = proof["total"]
    return found


def _leaf(entry: Mapping[str, Any]) -> Row:
    return read_leaf(entry["leaf"])
