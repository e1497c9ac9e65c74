"""What an operator writes into a ledger: reversals, pay-outs and orders. Every one is a new row, nothing is changed."""

from dataclasses import dataclass

from lefi.errors import InputError, LefiError
from lefi.ledger.entries import Row
from lefi.ledger.ledger import Ledger
from lefi.ledger.reader import due as due_to
from lefi.ledger.terms import Purse
from lefi.ledger.withholding import FAILED
from lefi.trust.audits import Audits

COMMITTED = 2  # the commitment to audits is the row after the terms
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
        if wrong := _waits({row["kind"] for row in mine}):
            raise LefiError(f"the payment to {client!r} in round {round} {wrong}")
        taken = paid if amount is None else ledger.money.exact(amount)
        if not 0 < taken <= paid:
            raise InputError("amount", amount, f"above 0 and at most {ledger.money.text(paid)}")
        return [{"round": round, "kind": "reversal", "client": client, "payment": -taken, "claim": _plain(reason)}]

    ledger.append(rows)
    return taken


def _waits(kinds: set[str]) -> str | None:
    """Why a payment with rows of these kinds cannot be taken back."""
    if "held" in kinds and not kinds & {"released", "forfeited"}:
        return "is held back: it can be taken back when it is released"
    return "is forfeited already" if "forfeited" in kinds and "restored" not in kinds else None


def pay_out(ledger: Ledger, batch: str, least: str = "0") -> Payout:
    """Mark all balances above `least` as paid out. Who is blocked is left out."""
    due: dict[str, int] = {}

    def rows() -> list[Row]:
        blocked, bound, name = ledger.orders().blocked, ledger.money.exact(least), _plain(batch)
        if any(row["kind"] == "payout" and row["claim"] == name for row in ledger.rows()):
            raise LefiError(f"there is a batch {name!r} already")
        for client, kinds in ledger.balances().items():
            units = due_to(kinds)
            if units > bound and client not in blocked:
                due[client] = units
        return [
            {"round": 0, "kind": "payout", "client": client, "payment": units, "claim": name}
            for client, units in due.items()
        ]

    ledger.append(rows)
    return Payout(batch, due)


def appeal(ledger: Ledger, client: str, granted: bool, reason: str = "") -> int:
    """Decide on the appeal of who was accused. Granted: it takes part again, and gets what it lost; units of that."""
    given = 0

    def rows() -> list[Row]:
        nonlocal given
        mine = [row for row in ledger.rows() if row["client"] == client]
        told = [row for row in mine if row["kind"] == "accused" or row["verdict"] == FAILED]
        if not told:
            raise LefiError(f"{client!r} was not accused")
        round, verdict = told[-1]["round"], "granted" if granted else "refused"
        if any(row["kind"] == "appeal" and row["round"] == round for row in mine):
            raise LefiError(f"the appeal of {client!r} against round {round} was decided before")
        row = {"round": round, "kind": "appeal", "client": client, "claim": _plain(reason) or None, "verdict": verdict}
        if not granted:
            return [row]
        back = {row["round"]: 0 for row in mine if row["kind"] == "restored"}
        lost = {row["round"]: -row["payment"] for row in mine if row["kind"] == "forfeited"} | back
        given = sum(lost.values())
        _affordable(ledger, given)
        restored = [
            {"round": of, "kind": "restored", "client": client, "payment": units} for of, units in lost.items() if units
        ]
        return [row, *restored, {"round": 0, "kind": "unblock", "client": client, "claim": "an appeal was granted"}]

    ledger.append(rows)
    return given


def _affordable(ledger: Ledger, units: int) -> None:
    """Refuse to give back what the job's total no longer has, the budget of an open round set aside."""
    purse = Purse.of(ledger.noted() or {})
    if purse is None or purse.all is None:
        return
    purse.change(ledger.orders().budget)
    purse.pay(ledger.spent())
    purse.returned = sum(part for _, part in ledger.returns())
    left = purse.all - purse.spent + purse.returned - (purse.units if ledger.pending() else 0)
    if units > left:
        text = ledger.money.text
        raise LefiError(f"{text(units)} would be given back, the job's total has {text(max(left, 0))} left")


def reveal(ledger: Ledger, secret: bytes) -> None:
    """Tell the secret of the audits, at the end of a job: from now on anybody can draw them again."""

    def rows() -> list[Row]:
        told = [row["claim"] for row in ledger.rows(upto=COMMITTED) if row["kind"] == "audits"]
        if told != [Audits(0, secret).commitment]:
            raise LefiError("this is not the secret that the job has committed to")
        return [{"round": 0, "kind": "reveal", "claim": secret.hex()}]

    ledger.append(rows)


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
