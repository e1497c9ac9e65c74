"""The hash chain: every row carries a hash of itself and of the row before, so a changed row breaks all that follow."""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from lefi.ledger.schema import COLUMNS

START = "0" * 64
_HASHED = tuple(name for name in COLUMNS if name != "hash")


def link(previous: str, row: Mapping[str, Any]) -> str:
    """The hash of a row that follows the row with hash `previous`."""
    text = json.dumps([row[name] for name in _HASHED], ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return sha256(f"{previous}{text}".encode()).hexdigest()


def broken(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    """Rows of one job, in order, that do not follow from the row before: (seq, what is wrong)."""
    previous, seq = START, 0
    for row in rows:
        seq += 1
        if row["seq"] != seq:
            yield row["seq"], f"row {seq} is missing" if row["seq"] > seq else f"row {row['seq']} appears twice"
            seq = row["seq"]
        if link(previous, row) != row["hash"]:
            yield seq, "the hash does not match: this row was changed, or one before it removed"
        previous = row["hash"]
