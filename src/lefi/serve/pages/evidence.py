"""Who was caught, and who was not: what updates say about the work behind them, client by client over rounds."""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from lefi.ledger.entries import Row
from lefi.ledger.glances import columns_of, names_of
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import number

LINES = 12  # clients whose evidence is drawn: those accused, and those closest to it
ROUNDS = 100  # the last ones that are shown
MOST = 200_000  # rows that are read for it
LISTED = 200  # accusations in the table


def evidence(digest: Digest) -> dict[str, Any]:
    """The line of accusation, evidence of some clients by round, everybody who was accused, and why it is silent."""
    told = digest.noted.get("trust")
    if not isinstance(told, dict):
        return {"watched": False}
    last = digest.rounds[-1].round if digest.rounds else 0
    since = next((row.seq for row in reversed(digest.rounds) if row.round <= last - ROUNDS), 0)
    found = columns_of(digest.reader, ("round", "client", "claim"), ("evidence",), since, digest.seq, MOST)
    paths: defaultdict[str, dict[int, float]] = defaultdict(dict)
    for round, alias, claim in found:
        paths[alias][round] = _value(claim)
    accused = {row["client"]: row for row in digest.special if row["kind"] == "accused" or row["verdict"] == "failed"}
    closest = sorted(paths, key=lambda alias: (alias not in accused, -max(paths[alias].values())))[:LINES]
    names = names_of(digest.reader, [*closest, *accused])
    rounds = sorted({round for path in paths.values() for round in path})
    return {
        "watched": True,
        "line": -math.log(told.get("alpha", 0.01)),
        "escrow": told.get("escrow"),
        "rounds": rounds,
        "weighed": len(paths),
        "clients": [
            {
                "client": names.get(alias, alias),
                "accused": accused[alias]["round"] if alias in accused else None,
                "evidence": [number(paths[alias].get(round)) for round in rounds],
            }
            for alias in closest
        ],
        "accused": [_accused(digest, row, names) for row in list(accused.values())[-LISTED:]],
        "silent": _silent(digest.special, last),
    }


def _value(claim: str | None) -> float:
    """The log of the evidence, from a row that says which score speaks loudest and how loud."""
    try:
        return float((claim or "").split()[-1])
    except (ValueError, IndexError):
        return 0.0


def _accused(digest: Digest, row: Row, names: dict[str, str]) -> dict[str, Any]:
    mine = [other for other in digest.special if other["client"] == row["client"]]
    lost = -sum(other["payment"] for other in mine if other["kind"] in ("forfeited", "restored"))
    appeals = [other["verdict"] for other in mine if other["kind"] == "appeal"]
    return {
        "client": names.get(row["client"], row["client"]),
        "round": row["round"],
        "why": (row["claim"] or "an audit failed").split()[0] if row["kind"] == "accused" else "an audit failed",
        "forfeited": digest.money.text(lost),
        "appeal": appeals[-1] if appeals else None,
    }


def _silent(special: Iterable[Row], last: int) -> str | None:
    """Why nobody was judged in the last round."""
    faults = [row["claim"] for row in special if row["kind"] == "trust fault" and row["round"] == last]
    return faults[-1] if faults else None
