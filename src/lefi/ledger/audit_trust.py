"""Is money that waits where it belongs: held when paid, released in time or forfeited for a reason, given back once."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from lefi.errors import LefiError
from lefi.ledger.accounts import Accounts
from lefi.ledger.entries import Row, client_id
from lefi.ledger.newcomers import Newcomers
from lefi.ledger.withholding import FAILED, PASSED, Withholding
from lefi.trust.audits import Audits

TRUST = ("evidence", "accused", "appeal", "audits", "audit", "reveal", "held", "released", "forfeited", "restored")
GRANTED, REFUSED = "granted", "refused"


class Trusted:
    """Fed with the rows of a job about trust, in order; by alias."""

    def __init__(self, noted: Mapping[str, Any], accounts: Accounts) -> None:
        told = Withholding.of(noted)
        self.accounts, self.rounds = accounts, told.escrow if told else 0
        self.newcomers = Newcomers(told.newcomers, told.escrow) if told else None
        self.to_hold: dict[tuple[int, str], int] = {}  # pay of the round that was closed last
        self.lost: dict[tuple[int, str], int] = {}
        self.guilty: set[str] = set()
        self.appealed: set[str] = set()
        self.returned = 0
        self.audits: Row | None = None  # the commitment
        self.heard: set[tuple[int, str]] = set()  # round and name of all work that may be audited
        self.audited: set[tuple[int, str]] = set()

    def closed(self, round: int, aliases: Mapping[str, str], sizes: Mapping[str, float], paid: dict[str, int]) -> None:
        """A round is closed: its pay has to be held next. By name; `aliases` of all who had an offer."""
        worked = [name for name, size in sizes.items() if size > 0]
        if self.rounds:
            self.to_hold = {(round, aliases.get(name, name)): units for name, units in paid.items()}
        if self.newcomers:
            self.newcomers.note(aliases.values(), [aliases.get(name, name) for name in worked])
        if self.audits:
            self.heard |= {(round, name) for name in worked if aliases.get(name) != name}  # not of who was forgotten

    def late(self, settled: int) -> Iterator[str]:
        """Before the next offers, or at the end: what should have been held or released by now."""
        for round, alias in self.to_hold:
            yield f"round {round}: the pay of {alias} is not held back"
        for round, alias in [key for key in self.accounts.held if key[0] <= settled - self.rounds]:
            yield f"round {round}: the pay of {alias} is held back for longer than {self.rounds} rounds"
        self.to_hold = {}

    def add(self, row: Row, begun: bool) -> str | None:
        """What is wrong with a row, if anything. `begun`: offers were made before."""
        kind, key, units = row["kind"], (row["round"], row["alias"]), row["payment"]
        if kind == "held":
            return self.accounts.hold(key, units) if self.to_hold.pop(key, None) == units else "holds what was not paid"
        if kind == "released":
            return self.accounts.release(key, units)
        if kind == "forfeited":
            self.returned -= units
            self.lost[key] = -units
            return self.accounts.forfeit(key, units) if key[1] in self.guilty else "forfeits without an accusation"
        if kind == "restored":
            self.returned -= units
            known = self.lost.pop(key, None) == units and key[1] in self.appealed
            return self.accounts.restore(key, units) if known else "gives back what was not lost, or without an appeal"
        return self._verdict(row, begun)

    def _verdict(self, row: Row, begun: bool) -> str | None:
        kind, alias, verdict = row["kind"], row["alias"], row["verdict"]
        if kind == "audits":
            self.audits = row
            return "a commitment to audits after the first offers" if begun else None
        if kind == "reveal":
            return self._revealed(row["claim"])
        if kind == "audit":
            self.audited.add((row["round"], row["client"]))
        if kind == "accused" or (kind == "audit" and verdict == FAILED):
            self.guilty.add(alias)
            self.appealed.discard(alias)
        allowed = {"audit": (PASSED, FAILED), "appeal": (GRANTED, REFUSED)}.get(kind, (None,))
        if verdict not in allowed:
            return f"a row of kind {kind} with the verdict {str(verdict)[:20]!r}"
        if kind == "appeal":
            if alias not in self.guilty:
                return "an appeal of who is not accused"
            if verdict == GRANTED:
                self.guilty.discard(alias)
                self.appealed.add(alias)
        return None

    def _revealed(self, secret: str | None) -> str | None:
        """The secret must be the one that was committed to, and have drawn the audits that there were."""
        told = self.audits or {"claim": None, "verdict": None}
        try:
            audits = Audits(float(told["verdict"]), bytes.fromhex(secret or ""))
        except (ValueError, TypeError, LefiError):
            return "a secret that is none"
        if audits.commitment != told["claim"]:
            return "the secret is not the one that was committed to"
        drawn = {(round, name) for round, name in self.heard if len(audits.drawn(round, np.array([client_id(name)])))}
        if missing := drawn - self.audited:
            return "{1} was drawn in round {0} and not audited".format(*min(missing))
        if odd := (self.audited & self.heard) - drawn:
            return "{1} was audited in round {0} and not drawn".format(*min(odd))
        return None
