"""The hash chain of the first schema, for rows that were migrated from it. The signed log has taken its place.

Every row carried a hash of itself and of the row before.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any

from lefi.ledger.schema import entries

START = "0" * 64
_HASHED = tuple(column.name for column in entries.columns if column.name != "hash")


def link(previous: str, row: Mapping[str, Any]) -> str:
    """The hash of a row that follows the row with hash `previous`."""
    text = json.dumps([row[name] for name in _HASHED], ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return sha256(f"{previous}{text}".encode()).hexdigest()


def broken(olds: Iterable[Mapping[str, Any]], chain: Mapping[int, str]) -> Iterator[tuple[int, str]]:
    """Old rows that differ from the `chain` in the log, by row number. Rows of who was forgotten may be missing."""
    for old in olds:
        seq = old["seq"]
        if chain.get(seq) != old["hash"]:
            yield seq, "the old row is not the one that was migrated"
        elif link(chain.get(seq - 1, START), old) != old["hash"]:
            yield seq, "the old row was changed: its hash does not match"
