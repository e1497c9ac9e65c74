"""The account of one client: what it earned and when, what is due, what became of its answers."""

import json
import math
from collections import Counter, defaultdict
from typing import Any

from lefi.ledger.glances import alias_named, names_like, of_client
from lefi.ledger.schema import EARNED
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import number
from lefi.serve.pages.rows import rows
from lefi.serve.problems import Refusal

MATCHES = 20  # names that a search lists
WAITS = (("held", 1), ("released", -1), ("forfeited", 1))  # what is forfeited is below 0
HISTORY = 400  # rows of a client on its page


def search(digest: Digest, start: str) -> list[str]:
    return names_like(digest.reader, start, MATCHES)


def _most(offer: str | None, rate: float | None) -> float | None:
    """What an offer pays at its limit, where that hangs on this client alone [USD]."""
    told = json.loads(offer) if offer else {}
    if "weight" in told and rate is not None:
        return number(-told["weight"] * math.expm1(-rate * told["limit"]))
    return number(told["price"] * told["limit"]) if "price" in told else None


def account(digest: Digest, name: str, before: int | None = None) -> dict[str, Any]:
    """Sums over all rounds; offers and answers of the newest ones, older ones from `next` on."""
    alias = alias_named(digest.reader, name)
    if alias is None:
        raise Refusal(404, f"there is no client {name!r} in this job")
    money, last = digest.money, digest.rounds[-1].round if digest.rounds else 0
    paid = of_client(digest.reader, alias, "payment", last)
    back = [row for kind in EARNED[1:] for row in of_client(digest.reader, alias, kind, last)]
    waits = sum(sign * row[2] for kind, sign in WAITS for row in of_client(digest.reader, alias, kind, last))
    months: defaultdict[str, int] = defaultdict(int)
    for _, _, units, at in paid + back:
        months[at[:7]] += units
    earned, taken = sum(row[2] for row in paid), sum(row[2] for row in back)
    out = sum(row["payment"] for row in digest.special if row["kind"] == "payout" and row["client"] == alias)
    found = rows(digest, before, HISTORY, client=name, kind=("offer", "answer", *EARNED, "accused"))
    for row in found["rows"]:
        row["most"] = _most(row["offer"], row["rate"])
    return {
        "client": name,
        "alias": alias,
        "currency": money.currency,
        "earned": money.text(earned),
        "taken_back": money.text(taken),
        "paid_out": money.text(out),
        "held": money.text(waits),
        "due": money.text(earned + taken - out - waits),
        "payments": len(paid),
        "blocked": name in digest.orders.blocked,
        "cap": money.text(digest.orders.caps[name]) if name in digest.orders.caps else None,
        "months": [{"month": month, "amount": money.text(units)} for month, units in sorted(months.items())],
        "verdicts": dict(Counter(row["verdict"] for row in found["rows"] if row["kind"] == "answer")),
        **found,
    }
