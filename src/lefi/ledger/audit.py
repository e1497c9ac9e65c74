"""Check a ledger: every row of every kind and round, the leaf of each, the signed heads, and all money.

Rows are read once, in order, and forgotten when their round is closed.
"""

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from lefi.errors import LefiError
from lefi.ledger import chain
from lefi.ledger.accounts import Accounts
from lefi.ledger.aliases import alias_of
from lefi.ledger.audit_rounds import Rounds
from lefi.ledger.audit_rows import Shape
from lefi.ledger.entries import Row
from lefi.ledger.heads import Head
from lefi.ledger.leaves import leaf_of_values, values_of
from lefi.ledger.merkle import Frontier
from lefi.ledger.money import Money
from lefi.ledger.terms import read
from lefi.ledger.writer import Writer

MOST = 1000  # findings that are listed; a log that is all wrong need not be told in full


@dataclass(frozen=True)
class Audit:
    """What was found. `head` is size and root of the log: note it elsewhere, and a cut-off tail is found, too."""

    rows: int
    settled: int
    units: int
    head: str
    money: Money = field(default_factory=Money)
    findings: list[str] = field(default_factory=list)
    chained: dict[int, str] = field(default_factory=dict, repr=False)  # hashes of migrated rows in the old chain

    @property
    def paid(self) -> Decimal:
        """What was paid in all rounds, in the currency."""
        return Decimal(self.money.text(self.units))


def verify(ledger: Writer, public: str, noted: Sequence[str] = ()) -> Audit:
    """Audit a job with all that there is: rows, heads under this public key, directory, old rows, what was noted."""
    with uncollected():
        found = audit(ledger.rows(), ledger.heads(), public, [*noted, *ledger.witnessed()])
    olds = [f"row {seq}: {wrong}" for seq, wrong in chain.broken(ledger.old_rows(), found.chained)]
    names = [f"directory: {wrong}" for wrong in misnamed(ledger.job, ledger.directory())]
    found.findings.extend(olds + names)
    return found


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for cycles while many rows come and go: there are none, and looking for them takes a third longer."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


def audit(
    rows: Iterable[Row],
    heads: Sequence[Mapping[str, Any]] | None = None,
    public: str = "",
    noted: Sequence[str] | str = (),
) -> Audit:
    """Audit the rows of one job, in order. Without `heads` signatures are not looked at.

    `noted`: heads (size:root) that were noted earlier, which this log must still begin with.
    """
    noted = [noted] if isinstance(noted, str) else noted
    walk = Walk(_roots(heads or (), noted))
    for row in rows:
        walk.add(row)
    findings = walk.end()
    if heads is not None:
        findings += _heads(walk, heads, public)
    for text in noted:
        size, _, root = text.partition(":")
        if not size.isdigit() or walk.roots.get(int(size)) != root:
            findings.append(f"the log does not begin with the noted head {text[:80]}: rows were removed or rewritten")
    head, rounds = f"{walk.tree.size}:{walk.tree.root().hex()}", walk.rounds
    return Audit(walk.tree.size, rounds.settled, rounds.paid, head, walk.money, findings[:MOST], walk.chained)


def _roots(heads: Sequence[Mapping[str, Any]], noted: Sequence[str]) -> set[int]:
    """Sizes at which roots are compared."""
    told = {int(size) for size in (text.partition(":")[0] for text in noted) if size.isdigit()}
    return told | {head["size"] for head in heads if isinstance(head["size"], int)}


class Walk:
    """One pass over the rows of a job."""

    def __init__(self, wanted: set[int]) -> None:
        self.tree, self.wanted, self.roots = Frontier(), wanted, dict[int, str]()
        self.chained: dict[int, str] = {}
        self.findings: list[str] = []
        self.shape, self.accounts = Shape(), Accounts()
        self.money, self.rounds = Money(), Rounds({}, self.accounts)

    def add(self, row: Row) -> None:
        tree, kind = self.tree, row["kind"]
        try:
            values = values_of(row)
            leaf = leaf_of_values(values)
            wrong = self.shape.wrong_with(row, values)
            if leaf.hex() != row["leaf"]:
                wrong.append("its leaf does not match: the row was changed")
        except (LefiError, TypeError, ValueError) as error:
            leaf, wrong = b"\x00" * 32, [f"it is not as it was written ({error})"]
        tree.append(leaf)
        if tree.size in self.wanted:
            self.roots[tree.size] = tree.root().hex()
        if row["chain"] is not None:
            self.chained[row["seq"]] = row["chain"]
        if wrong:
            self.findings += [f"row {row['seq']}: {what}" for what in wrong]
        elif kind == "job":
            self._begin(row)
        elif found := self.rounds.add(row):
            self.findings += found

    def _begin(self, row: Row) -> None:
        try:
            noted = read(row["terms"])
            self.money = Money.of(noted)
            self.rounds = Rounds(noted, self.accounts)
        except LefiError as error:
            self.findings.append(str(error))

    def end(self) -> list[str]:
        return self.findings + list(self.rounds.end())


def _heads(walk: Walk, heads: Sequence[Mapping[str, Any]], public: str) -> Iterator[str]:
    """What is wrong with the signed heads."""
    covered = 0
    for stated in heads:
        try:
            head = Head.of(stated)
        except (ValueError, TypeError, KeyError):
            yield f"head {str(stated.get('size'))[:20]}: it is not as it was written"
            continue
        if not head.holds(public) or head.job != walk.shape.job:
            yield f"head {head.size}: it is not signed by the key {public[:16]}.. of this job"
            continue
        covered = max(covered, head.size)
        if head.size > walk.tree.size:
            yield f"head {head.size}: rows were removed, {walk.tree.size} are left"
        elif walk.roots.get(head.size) != head.root:
            yield f"head {head.size}: the rows are not those that were signed"
    if covered < walk.tree.size:
        yield f"rows {covered + 1} to {walk.tree.size} are under no signed head"


def misnamed(job: str, directory: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """Names that do not fit their alias: somebody else's payments would be shown as theirs."""
    for alias, salt, name in directory:
        if alias_of(salt, job, name) != alias:
            yield f"{name!r} is not who {alias} was"
