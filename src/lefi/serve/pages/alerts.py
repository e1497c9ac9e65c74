"""What an operator has to look at: money beyond a budget, what failed, answers that were refused."""

from collections.abc import Iterator
from typing import Any

from lefi.ledger.glances import names_of, newest
from lefi.serve.pages.digest import Digest

SHOWN = 20  # alerts of a job
NAMED = 3  # clients of an alert
LATELY = 100  # rounds that are looked through for refusals


def alerts(digest: Digest) -> list[dict[str, Any]]:
    """Newest first, what concerns money before all else."""
    found = [*_over(digest), *_faults(digest), *_refused(digest)]
    found.sort(key=lambda alert: (alert["level"] != "money", -alert["round"]))
    return found[:SHOWN]


def count(digest: Digest) -> int:
    """Verdicts of refusal and faults in the last closed round, and rounds beyond their budget ever."""
    last = digest.rounds[-1].round if digest.rounds else 0
    faults = sum(1 for row in digest.special if row["kind"].endswith("fault") and row["round"] == last)
    counts = digest.counts_of(digest.rounds[-1]) if digest.rounds else None
    return faults + (len(counts.refused) if counts else 0) + len(digest.over)


def refused(digest: Digest) -> int:
    """Answers that were refused in the last closed round."""
    counts = digest.counts_of(digest.rounds[-1]) if digest.rounds else None
    return sum(counts.refused.values()) if counts else 0


def within(digest: Digest) -> bool:
    """Whether no round has paid more than its budget and what was left of the total."""
    return not digest.over


def _over(digest: Digest) -> Iterator[dict[str, Any]]:
    for at in digest.over:
        row, budget = digest.rounds[at], digest.budgets[at]
        text = f"paid {digest.money.text(row.units)} {digest.money.currency}, {budget:g} was left to it"
        yield {"level": "money", "round": row.round, "text": text, "clients": []}


def _faults(digest: Digest) -> Iterator[dict[str, Any]]:
    for row in reversed(digest.special):
        if row["kind"].endswith("fault"):
            text = f"{row['kind']}: {row['claim'] or ''}"
            yield {"level": "fault", "round": row["round"], "text": text, "clients": []}


def _refused(digest: Digest) -> Iterator[dict[str, Any]]:
    seen = [
        row for row in reversed(digest.rounds[-LATELY:]) if row.seq <= digest.counted and row.round in digest.counts
    ]
    left = SHOWN
    for row in seen:
        for verdict, many in digest.counts[row.round].refused.items():
            if left > 0:
                left -= 1
                text = f"{many:,} answer{'s' if many > 1 else ''} refused: {verdict}"
                clients = _who(digest, row.round, row.seq, verdict)
                yield {"level": "refused", "round": row.round, "text": text, "clients": clients}


def _who(digest: Digest, round: int, upto: int, verdict: str) -> list[str]:
    """A few of the clients whose answers were refused; names are looked up anew, for they may be erased."""
    if (round, verdict) not in digest.refusers:
        before = next((row.seq for row in reversed(digest.rounds) if row.round < round), 0)
        rows = newest(digest.reader, NAMED, before, upto, kind="answer", verdict=verdict)
        digest.refusers[round, verdict] = tuple(row["client"] for row in rows)
    aliases = digest.refusers[round, verdict]
    names = names_of(digest.reader, aliases)
    return [names.get(alias, alias[:8] or "unknown") for alias in aliases]
