"""Is a row one that lefi writes: its number, kind, round, client, and which columns it fills."""

from typing import Any

from lefi.ledger.entries import Row
from lefi.ledger.leaves import FIELDS

FAULTS = tuple(f"{part} fault" for part in ("strategy", "measure", "mechanism", "trust"))
SIZED = ("answer", "pledge")
NONE = type(None)
TYPES: dict[str, tuple[type, ...]] = (
    dict.fromkeys(("seq", "round"), (int,))
    | dict.fromkeys(("job", "kind", "alias", "at"), (str,))
    | dict.fromkeys(("iid", "rate", "size", "accuracy"), (float, NONE))
    | dict.fromkeys(("offer", "claim", "verdict", "terms"), (str, NONE))
    | {"payment": (int, NONE)}
)

# Which of (a round, a client, an amount, an offer) rows of a kind have; an amount is what a cap may do without.
KINDS: dict[str, tuple[tuple[bool, bool, bool, bool], ...]] = {
    "job": ((False, False, False, False),),
    "call": ((True, True, False, True),),
    "offer": ((True, True, False, True),),
    "pledge": ((True, True, False, False),),
    "commitment": ((True, True, False, True),),
    "answer": ((True, True, False, False),),
    "payment": ((True, True, True, False),),
    "round": ((True, False, True, False),),
    "end": ((True, False, False, False),),
    "reversal": ((True, True, True, False),),
    "payout": ((False, True, True, False),),
    "held": ((True, True, True, False),),
    "released": ((True, True, True, False),),
    "forfeited": ((True, True, True, False),),
    "restored": ((True, True, True, False),),
    "evidence": ((True, True, False, False),),
    "accused": ((True, True, False, False),),
    "appeal": ((True, True, False, False),),
    "audits": ((False, False, False, False),),
    "audit": ((True, True, False, False),),
    "reveal": ((False, False, False, False),),
    "cap": ((False, True, True, False), (False, True, False, False)),
    "block": ((False, True, False, False),),
    "unblock": ((False, True, False, False),),
    "pause": ((False, False, False, False),),
    "resume": ((False, False, False, False),),
    "stop": ((False, False, False, False),),
    "budget": ((False, False, True, False), (True, False, True, False)),
} | dict.fromkeys(FAULTS, ((True, False, False, False),))


class Shape:
    """Rows of one job one after another; what is wrong with each by itself."""

    def __init__(self) -> None:
        self.seq, self.job, self.newest = 0, "", 0
        self.usual: set[tuple[Any, ...]] = set()  # what rows of a kind look like that nothing is wrong with

    def wrong_with(self, row: Row, values: tuple[Any, ...]) -> list[str]:
        """`values`: what the leaf of the row covers, the version first."""
        version, job, seq, round, kind, alias = values[:6]
        look = (kind, (round > 0) - (round < 0), alias != "", row["chain"] is None, *map(type, values))
        if seq == self.seq + 1 and job == self.job and version == self.newest and look in self.usual:
            self.seq = seq
            return []
        wrong = self._wrong_with(row, look)
        if not wrong and kind != "job":
            self.usual.add(look)
        return wrong

    def _wrong_with(self, row: Row, look: tuple[Any, ...]) -> list[str]:
        expected, seq, kind, version = self.seq + 1, row["seq"], row["kind"], row["version"]
        self.seq, self.job = seq, self.job or row["job"]
        wrong = [] if seq == expected else [f"row {expected} is missing" if seq > expected else "its number is taken"]
        if row["job"] != self.job:
            wrong.append("it is of another job")
        if (kind == "job") != (expected == 1):
            wrong.append("the terms of the job are in the first row, and only there")
        if version < self.newest or (row["chain"] is not None) != (version == 1):
            wrong.append("its version does not follow")
        self.newest = version
        if odd := _odd(kind, look[1] > 0, look[2], look[4:]):
            wrong.append(odd)
        elif row["round"] < 0:
            wrong.append(f"a row of kind {kind} in round {row['round']}")
        return wrong


def _odd(kind: str, in_round: bool, of_client: bool, types: tuple[type, ...]) -> str | None:
    """What is wrong with all rows of this kind whose columns hold such types. SQLite keeps whatever it is given."""
    column = dict(zip(FIELDS[2], types[1:], strict=False))
    if any(column[name] not in allowed for name, allowed in TYPES.items()):
        return "a value is not of its column's kind"
    if kind not in KINDS:
        return f"there is no kind {kind[:20]!r}"
    fills = (in_round, of_client, column["payment"] is int, column["offer"] is str)
    if fills not in KINDS[kind] or (column["size"] is float and kind not in SIZED):
        return f"a row of kind {kind} has another round, client, amount, offer or size than such rows have"
    return None
