"""How a row becomes a leaf: one JSON list, by the columns of its version.

A new column comes with a new version. Rows keep the version that they were written in, so no old hash ever changes.
version 1   rows of the first schema, which had a hash chain: `chain` is the hash that they had in it
version 2   everything since
"""

import json
from collections.abc import Mapping
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]
from operator import itemgetter
from typing import Any

from lefi.errors import LefiError
from lefi.ledger.merkle import leaf_hash

NEWEST = 2
SECOND = (
    "job", "seq", "round", "kind", "alias", "iid", "rate", "offer", "size", "payment", "accuracy", "claim", "verdict",
    "terms", "at",
)  # fmt: skip
FIELDS: dict[int, tuple[str, ...]] = {1: (*SECOND, "chain"), 2: SECOND}

_PICK: dict[int, Any] = {version: itemgetter("version", *names) for version, names in FIELDS.items()}
_encoder = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
# What `encode` makes for every call, made once: half of the time that a large audit spends on text.
_parts: Any = c_make_encoder and c_make_encoder(
    None, _encoder.default, encode_basestring_ascii, None, ":", ",", False, False, False
)


def _encode(values: tuple[Any, ...]) -> str:
    return "".join(_parts(values, 0)) if _parts else _encoder.encode(values)


def values_of(row: Mapping[str, Any]) -> tuple[Any, ...]:
    """What the leaf covers: the version, and the values of its columns."""
    pick = _PICK.get(row["version"])
    if pick is None:
        raise LefiError(f"row {row['seq']} is of version {row['version']!r}, which this lefi does not know")
    return pick(row)


def leaf_text(row: Mapping[str, Any]) -> str:
    """What is hashed, and what a client is shown of its own rows."""
    return _encode(values_of(row))


def leaf_of(row: Mapping[str, Any]) -> bytes:
    return leaf_of_values(values_of(row))


def leaf_of_values(values: tuple[Any, ...]) -> bytes:
    return leaf_hash(_encode(values).encode())


def read_leaf(text: str) -> dict[str, Any]:
    """The row behind a leaf."""
    try:
        version, *values = json.loads(text)
        return {"version": version} | dict(zip(FIELDS[version], values, strict=True))
    except (ValueError, TypeError, KeyError):
        raise LefiError(f"no leaf of this log: {text[:60]!r}") from None
