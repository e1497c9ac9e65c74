"""Check a ledger: every row of every kind and round, the leaf of each, the signed heads, and all money.

Rows are read once, in order, and forgotten when their round is closed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from lefi.ledger.leaves import leaf_of
from lefi.ledger.merkle import Tree
from lefi.ledger.money import Money
from lefi.ledger.reader import Reader
from lefi.ledger.terms import Purse, read

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

    @property
    def paid(self) -> Decimal:
        """What was paid in all rounds, in the currency."""
        return Decimal(self.money.text(self.units))


def verify(ledger: Reader, public: str, noted: Sequence[str] = ()) -> Audit:
    """Audit a job with all that there is: its rows, its heads under this public key, its directory, its old rows."""
    found = audit(ledger.rows(), ledger.heads(), public, noted)
    chained = {row["seq"]: row["chain"] for row in ledger.rows() if row["chain"]} if found.rows else {}
    olds = [f"row {seq}: {wrong}" for seq, wrong in chain.broken(ledger.old_rows(), chained)]
    names = [f"directory: {wrong}" for wrong in misnamed(ledger.directory())]
    found.findings.extend(olds + names)
    return found


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
    head = f"{len(walk.tree)}:{walk.tree.root().hex()}"
    return Audit(len(walk.tree), walk.rounds.settled, walk.rounds.paid, head, walk.money, findings[:MOST])


def _roots(heads: Sequence[Mapping[str, Any]], noted: Sequence[str]) -> set[int]:
    """Sizes at which roots are compared."""
    told = {int(size) for size in (text.partition(":")[0] for text in noted) if size.isdigit()}
    return told | {head["size"] for head in heads if isinstance(head["size"], int)}


class Walk:
    """One pass over the rows of a job."""

    def __init__(self, wanted: set[int]) -> None:
        self.tree, self.wanted, self.roots = Tree(), wanted, dict[int, str]()
        self.findings: list[str] = []
        self.shape, self.accounts = Shape(), Accounts()
        self.money, self.rounds = Money(), Rounds(None, Money(), self.accounts)

    def add(self, row: Row) -> None:
        wrong = list(self.shape.wrong_with(row))
        try:
            leaf = leaf_of(row)
            if leaf.hex() != row["leaf"]:
                wrong.append("its leaf does not match: the row was changed")
        except (LefiError, TypeError, ValueError) as error:
            leaf = b"\x00" * 32
            wrong.append(str(error))
        self.tree.append(leaf)
        if len(self.tree) in self.wanted:
            self.roots[len(self.tree)] = self.tree.root().hex()
        self.findings += [f"row {row['seq']}: {what}" for what in wrong]
        if wrong:
            return
        if row["kind"] == "job":
            self._begin(row)
        else:
            self.findings += self.rounds.add(row)

    def _begin(self, row: Row) -> None:
        try:
            noted = read(row["terms"])
            self.money = Money.of(noted)
            self.rounds = Rounds(Purse.of(noted), self.money, self.accounts)
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
        if head.size > len(walk.tree):
            yield f"head {head.size}: rows were removed, {len(walk.tree)} are left"
        elif walk.roots.get(head.size) != head.root:
            yield f"head {head.size}: the rows are not those that were signed"
    if covered < len(walk.tree):
        yield f"rows {covered + 1} to {len(walk.tree)} are under no signed head"


def misnamed(directory: Iterable[Row]) -> Iterator[str]:
    """Names that do not fit their alias: somebody else's payments would be shown as theirs."""
    for row in directory:
        if alias_of(row["salt"], row["job"], row["name"]) != row["alias"]:
            yield f"{row['name']!r} is not who {row['alias']} was"
