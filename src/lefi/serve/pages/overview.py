"""The jobs of a ledger in one line each, and the head of a job's own page."""

from typing import Any

from lefi.serve.pages import alerts
from lefi.serve.pages.digest import Digest
from lefi.serve.pages.plain import number


def line(digest: Digest, done: str | None) -> dict[str, Any]:
    """State, round, money and accuracy of one job; `done`: why its mechanism wants no further round."""
    money, noted, rounds = digest.money, digest.noted, digest.rounds
    measured = [row.accuracy for row in rounds if row.accuracy is not None]
    spent, total = digest.spent[-1] if rounds else 0, _total(digest)
    return {
        "job": digest.reader.job,
        "state": "finished" if done and digest.state == "running" else digest.state,
        "done": done,
        "mechanism": noted.get("mechanism"),
        "round": rounds[-1].round if rounds else 0,
        "rounds": noted.get("rounds"),
        "currency": money.currency,
        "spent": money.amount(spent),
        "spent_exact": money.text(spent),
        "total": total,
        "budget": digest.budgets[-1] if rounds else noted.get("budget"),
        "accuracy": number(measured[-1]) if measured else None,
        "change": number(measured[-1] - measured[-2]) if len(measured) > 1 else None,
        "at": rounds[-1].at if rounds else None,
        "alerts": alerts.count(digest),
        "refused": alerts.refused(digest),
        "within": alerts.within(digest),
        "read": round(digest.read, 3),
    }


def _total(digest: Digest) -> float | None:
    """What the job may spend in all: its total, or its rounds at their budget; None where neither is bounded."""
    total, budget, rounds = (digest.noted.get(name) for name in ("total", "budget", "rounds"))
    if total is not None:
        return float(total)
    return float(budget) * rounds if budget is not None and rounds is not None else None


def head(digest: Digest, done: str | None) -> dict[str, Any]:
    """All that the top of a job's page says."""
    noted = digest.noted
    rows, signed = digest.seq, digest.reader.head()
    proof: dict[str, Any] = {"rows": rows, "signed": None, "at": None, "root": None, "holds": False}
    if signed is not None:
        holds = signed.holds(signed.key) and signed.size >= rows
        proof |= {"signed": signed.size, "at": signed.at, "root": signed.root[:16], "holds": holds}
    terms = {name: noted.get(name) for name in ("payment", "size_low", "size_high", "deadline", "seed", "version")}
    blocked, caps = len(digest.orders.blocked), len(digest.orders.caps)
    return line(digest, done) | {
        "terms": terms,
        "proof": proof,
        "blocked": blocked,
        "caps": caps,
        "list": alerts.alerts(digest),
    }
