"""How a row becomes a leaf: one JSON list, by the columns of its version.

A new column comes with a new version. Rows keep the version that they were written in, so no old hash ever changes.
version 1   rows of the first schema, which had a hash chain: `chain` is the hash that they had in it
version 2   everything since
"""

import json
from collections.abc import Mapping
from typing import Any

from lefi.errors import LefiError
from lefi.ledger.merkle import leaf_hash

NEWEST = 2
SECOND = (
    "job", "seq", "round", "kind", "alias", "iid", "rate", "offer", "size", "payment", "accuracy", "claim", "verdict",
    "terms", "at",
)  # fmt: skip
FIELDS: dict[int, tuple[str, ...]] = {1: (*SECOND, "chain"), 2: SECOND}

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def leaf_text(row: Mapping[str, Any]) -> str:
    """What is hashed, and what a client is shown of its own rows."""
    version = row["version"]
    if version not in FIELDS:
        raise LefiError(f"row {row['seq']} is of version {version!r}, which this lefi does not know")
    return _encode([version, *[row[name] for name in FIELDS[version]]])


def leaf_of(row: Mapping[str, Any]) -> bytes:
    return leaf_hash(leaf_text(row).encode())


def read_leaf(text: str) -> dict[str, Any]:
    """The row behind a leaf."""
    try:
        version, *values = json.loads(text)
        return {"version": version} | dict(zip(FIELDS[version], values, strict=True))
    except (ValueError, TypeError, KeyError):
        raise LefiError(f"no leaf of this log: {text[:60]!r}") from None
