"""Is a row one that lefi writes: its number, kind, round, client, and which columns it fills."""

from collections.abc import Iterator

from lefi.ledger.entries import Row
from lefi.ledger.schema import FLOATS, ORDERS, WHOLE

FAULTS = tuple(f"{part} fault" for part in ("strategy", "measure", "mechanism"))
OF_CLIENTS = ("offer", "pledge", "commitment", "answer", "payment", "reversal", "payout", "cap", "block", "unblock")
OF_ROUNDS = ("offer", "pledge", "commitment", "answer", "payment", "round", "reversal", *FAULTS)
KINDS = ("job", "round", "payout", *OF_ROUNDS, *ORDERS)
AMOUNTS = ("payment", "round", "reversal", "payout")  # rows that must have an amount; a cap may
TEXTS = ("job", "kind", "alias", "at")


class Shape:
    """Rows of one job one after another; what is wrong with each by itself."""

    def __init__(self) -> None:
        self.seq, self.job, self.newest = 0, "", 0

    def wrong_with(self, row: Row) -> Iterator[str]:
        expected, self.seq = self.seq + 1, row["seq"]
        if row["seq"] != expected:
            yield f"row {expected} is missing" if row["seq"] > expected else "its number appears twice"
        self.job = self.job or row["job"]
        if not _types(row):
            yield "a value is not of its column's kind"
            return
        if row["job"] != self.job:
            yield "it is of another job"
        if (row["kind"] == "job") != (expected == 1):
            yield "the terms of the job are in the first row, and only there"
        if row["version"] < self.newest or (row["chain"] is not None) != (row["version"] == 1):
            yield "its version does not follow"
        self.newest = max(self.newest, row["version"])
        yield from _of_kind(row)


def _of_kind(row: Row) -> Iterator[str]:
    kind = row["kind"]
    if kind not in KINDS:
        yield f"there is no kind {kind[:20]!r}"
        return
    if (row["round"] >= 1) != (kind in OF_ROUNDS) or row["round"] < 0:
        yield f"a row of kind {kind} in round {row['round']}"
    if bool(row["alias"]) != (kind in OF_CLIENTS):
        yield f"a row of kind {kind} " + ("with" if row["alias"] else "without") + " a client"
    if (row["payment"] is not None) != (kind in AMOUNTS) and kind != "cap":
        yield f"a row of kind {kind} " + ("without" if row["payment"] is None else "with") + " an amount"
    if (row["offer"] is not None) != (kind in ("offer", "commitment")):
        yield f"a row of kind {kind} " + ("without" if row["offer"] is None else "with") + " an offer"
    if (row["size"] is not None) and kind not in ("answer", "pledge"):
        yield f"a row of kind {kind} with a size"


def _types(row: Row) -> bool:
    """SQLite keeps whatever it is given, also in a column of numbers."""
    whole = all(type(row[name]) is int for name in WHOLE if name != "payment" or row[name] is not None)
    floats = all(row[name] is None or type(row[name]) is float for name in FLOATS)
    return whole and floats and all(isinstance(row[name], str) for name in TEXTS)
