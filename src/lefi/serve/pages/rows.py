"""Rows of the ledger, newest first, a page at a time; a search looks through a bounded number of rows per call."""

import time
from typing import Any

from lefi.ledger.entries import Row
from lefi.ledger.glances import alias_named, names_of, newest
from lefi.ledger.schema import LATER
from lefi.serve.pages.answers import span
from lefi.serve.pages.digest import Digest

PAGE = 100  # rows
WINDOW = 200_000  # rows that one query looks through
PATIENCE = 0.6  # seconds of looking before the page is asked whether to go on
SHOWN = ("seq", "round", "kind", "client", "rate", "size", "payment", "accuracy", "claim", "verdict", "at", "leaf")


def rows(digest: Digest, before: int | None = None, most: int = PAGE, **filters: Any) -> dict[str, Any]:
    """Rows with numbers below `before`; `next` is where to go on, None at the first row."""
    reader, upto = digest.reader, digest.seq if before is None else min(before - 1, digest.seq)
    wanted = {name: value for name, value in filters.items() if value not in (None, "")}
    if "client" in wanted:
        alias = alias_named(reader, wanted["client"])
        wanted["client"] = wanted["client"] if alias is None else alias
    first = 0
    if wanted.get("round"):  # all of a round but what follows when it is closed stands together
        first, last = span(digest, wanted["round"])
        upto = min(upto, last) if wanted.get("kind") not in LATER else upto
    found: list[Row] = []
    began = time.monotonic()
    while upto > first and len(found) < most and time.monotonic() - began < PATIENCE:
        since = max(upto - WINDOW, first)
        part = newest(reader, most - len(found), since, upto, **wanted)
        found += part
        upto = part[-1]["seq"] - 1 if len(found) >= most else since
    names = names_of(reader, (row["client"] for row in found))
    return {"rows": [_shown(digest, row, names) for row in found], "next": upto + 1 if upto > first else None}


def _shown(digest: Digest, row: Row, names: dict[str, str]) -> dict[str, Any]:
    told = {name: row[name] for name in SHOWN}
    units = row["payment"]
    told["client"] = names.get(row["client"], row["client"])
    told["amount"] = None if units is None else digest.money.text(units)
    told["offer"] = row["offer"] or row["terms"]
    return told
