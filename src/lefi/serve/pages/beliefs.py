"""What the mechanism of a job believes of a client, beside what the client has answered."""

import json
from typing import Any

import numpy as np

from lefi.ledger import client_id
from lefi.ledger.entries import Row
from lefi.ledger.glances import alias_named, newest
from lefi.mechanisms.explanation import Explanation
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import number, numbers
from lefi.serve.problems import Refusal

MOST = 8  # clients at once
WINDOW = 200_000  # rows that are looked through for past answers
DOTS = 120  # rows of one client: some 40 rounds


def ids_of(digest: Digest, names: list[str]) -> Any:
    for name in names:
        if alias_named(digest.reader, name) is None:
            raise Refusal(404, f"there is no client {name!r} in this job")
    return np.array([client_id(name) for name in names], dtype=np.int64)


def beliefs(digest: Digest, names: list[str], told: Explanation | None) -> list[dict[str, Any]]:
    """One entry per client; without an explanation only its answers."""
    return [_belief(digest, name, told, at) for at, name in enumerate(names)]


def _belief(digest: Digest, name: str, told: Explanation | None, at: int) -> dict[str, Any]:
    history = _history(digest, name)
    dots = [(amount, size) for amount, size in history if size is not None]
    result: dict[str, Any] = {"client": name, "explained": told is not None}
    if told is None:
        return result | {"dots": numbers(dots)}
    offered = float(told.offered[at])
    scale = offered / history[0][0] if history and history[0][0] > 0 and offered > 0 else 1.0
    return result | {
        "dots": numbers([(amount * scale, size) for amount, size in dots]),
        "money": numbers(told.money[at]),
        "expected": numbers(told.expected[at]),
        "low": numbers(told.low[at]),
        "high": numbers(told.high[at]),
        "offered": number(offered),
        "learned": {what: number(value) for what, value in told.learned[at].items()},
        "why": told.why[at],
    }


def _history(digest: Digest, name: str) -> list[tuple[float, float | None]]:
    """Of closed rounds, newest first: the offer as a number in proportion to the axis of money, and the size."""
    alias, upto = alias_named(digest.reader, name), digest.rounds[-1].seq if digest.rounds else 0
    rows = newest(digest.reader, DOTS, max(upto - WINDOW, 0), upto, client=alias, kind=("offer", "answer"))
    sizes = {row["round"]: row["size"] for row in rows if row["kind"] == "answer" and row["size"] is not None}
    return [(_amount(digest, row), sizes.get(row["round"])) for row in rows if row["kind"] == "offer"]


def _amount(digest: Digest, row: Row) -> float:
    offer = json.loads(row["offer"])
    if "weight" in offer:
        most = digest.noted.get("size_high") or offer["limit"]
        return float(-offer["weight"] * np.expm1(-row["rate"] * most))
    return float(offer.get("price") or 0.0)
