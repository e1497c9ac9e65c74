"""The receipts that ride on messages: what a client was paid since the last message that it answered.

In each round all receipts are under the head that the offers of this round were written with. So a server that was
killed makes the same ones again, and which head a client has seen follows from the answers in the ledger.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from lefi.ledger.entries import Row
from lefi.ledger.heads import Head
from lefi.ledger.ledger import Ledger
from lefi.ledger.proofs import proof_of
from lefi.ledger.schema import EARNED

HEARD = ("accepted", "above limit")  # verdicts of a client that has got the message


@dataclass
class Account:
    """One client: units in all, the rows that it has no receipt for yet, and the size of the last head that it saw."""

    total: int = 0
    rows: list[Row] = field(default_factory=list)
    seen: int = 0


class Slips:
    """Receipts for the clients of a job, from its rows."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.read_up_to = ledger, 0
        self.accounts: dict[str, Account] = {}
        self.offered: dict[int, int] = {}  # round -> last row of its offers
        self.aliases: dict[str, str] = {}

    def write(self, round: int, names: Iterable[str]) -> dict[str, str]:
        """A receipt for each of these clients, as text; call it when the offers of the round are on the disk."""
        self._read()
        head = self.ledger.head(self.offered.get(round, 0))
        if head is None:
            return {}
        tree, money, key, heads = self.ledger.tree, self.ledger.money, self.ledger.key, dict[int, Head | None]()
        result = {}
        for name in names:
            alias = self.aliases.get(name, "")
            account = self.accounts.get(alias, Account())
            if account.seen and account.seen not in heads:
                heads[account.seen] = self.ledger.head(account.seen)
            rows = [row for row in account.rows if row["seq"] <= head.size]
            later = sum(row["payment"] for row in account.rows if row["seq"] > head.size)
            proof = proof_of(tree, head, rows, heads.get(account.seen), account.total - later, money, key, alias)
            result[name] = json.dumps(proof, separators=(",", ":"))
        return result

    def _read(self) -> None:
        for row in self.ledger.rows(since=self.read_up_to):
            self.read_up_to = row["seq"]
            if row["alias"]:
                self._note(row)

    def _note(self, row: Row) -> None:
        account = self.accounts.setdefault(row["alias"], Account())
        self.aliases[row["client"]] = row["alias"]
        if row["kind"] == "offer":
            self.offered[row["round"]] = row["seq"]
        elif row["kind"] in EARNED:
            account.total += row["payment"]
            account.rows.append(row)
        elif row["kind"] == "answer" and row["verdict"] in HEARD:
            account.seen = self.offered.get(row["round"], 0)
            account.rows = [known for known in account.rows if known["seq"] > account.seen]
