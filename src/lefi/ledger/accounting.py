"""What an operator writes into a ledger: reversals, pay-outs and orders. Every one is a new row, nothing is changed."""

from dataclasses import dataclass

from lefi.errors import InputError, LefiError
from lefi.ledger.entries import Row
from lefi.ledger.ledger import Ledger

REASON = 100  # characters of a reason that are kept


@dataclass(frozen=True)
class Payout:
    """A batch: what each client is to get, in units."""

    batch: str
    due: dict[str, int]

    @property
    def total(self) -> int:
        return sum(self.due.values())


def reverse(ledger: Ledger, client: str, round: int, amount: str | None = None, reason: str = "") -> int:
    """Take back a payment, once: all of it or a part. Units that were taken back."""
    taken = 0

    def rows() -> list[Row]:
        nonlocal taken
        mine = [row for row in ledger.rows(after=round - 1) if row["round"] == round and row["client"] == client]
        paid = next((row["payment"] for row in mine if row["kind"] == "payment"), None)
        if paid is None:
            raise LefiError(f"{client!r} was paid nothing in round {round}")
        if any(row["kind"] == "reversal" for row in mine):
            raise LefiError(f"the payment to {client!r} in round {round} was taken back before")
        taken = paid if amount is None else ledger.money.exact(amount)
        if not 0 < taken <= paid:
            raise InputError("amount", amount, f"above 0 and at most {ledger.money.text(paid)}")
        return [{"round": round, "kind": "reversal", "client": client, "payment": -taken, "claim": _plain(reason)}]

    ledger.append(rows)
    return taken


def pay_out(ledger: Ledger, batch: str, least: str = "0") -> Payout:
    """Mark all balances above `least` as paid out. Who is blocked is left out."""
    due: dict[str, int] = {}

    def rows() -> list[Row]:
        blocked, bound, name = ledger.orders().blocked, ledger.money.exact(least), _plain(batch)
        if any(row["kind"] == "payout" and row["claim"] == name for row in ledger.rows()):
            raise LefiError(f"there is a batch {name!r} already")
        for client, kinds in ledger.balances().items():
            units = kinds["payment"] + kinds["reversal"] - kinds["payout"]
            if units > bound and client not in blocked:
                due[client] = units
        return [
            {"round": 0, "kind": "payout", "client": client, "payment": units, "claim": name}
            for client, units in due.items()
        ]

    ledger.append(rows)
    return Payout(batch, due)


def order(ledger: Ledger, kind: str, client: str = "", amount: str | None = None, reason: str = "") -> None:
    """cap, block, unblock, pause, resume, stop or budget; a server obeys it at its next round."""
    units = None if amount is None else ledger.money.exact(amount)
    if ledger.noted() is None:
        raise LefiError(f"there is no job {ledger.job!r} yet")

    def rows() -> list[Row]:
        if wrong := ledger.orders().obey(kind, client, units):
            raise LefiError(wrong)
        return [{"round": 0, "kind": kind, "client": client, "payment": units, "claim": _plain(reason) or None}]

    ledger.append(rows)


def _plain(text: str) -> str:
    return "".join(c if " " <= c <= "~" else "?" for c in text[:REASON])
