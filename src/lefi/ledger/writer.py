"""Adding rows to a log: aliases for names, a leaf for each row, and a signed head over all, in one transaction."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sqlalchemy import func, insert, select
from sqlalchemy.exc import IntegrityError

from lefi.errors import LefiError
from lefi.ledger.aliases import Alias, alias_of, new_salt
from lefi.ledger.database import clear_errors
from lefi.ledger.entries import Row
from lefi.ledger.heads import Head
from lefi.ledger.keys import load_key, make_key, place_of, public_text
from lefi.ledger.leaves import NEWEST, leaf_of
from lefi.ledger.locks import own_turn, take_turn
from lefi.ledger.merkle import Tree
from lefi.ledger.reader import Reader
from lefi.ledger.schema import COLUMNS, FLOATS, directory, heads, log
from lefi.ledger.witness import last_noted, note

EMPTY: Row = dict.fromkeys(COLUMNS)


class Writer(Reader):
    """A reader that can add rows. It signs only what follows from the last head that its own key has signed."""

    def __init__(
        self, location: str | Path, job: str, *, create: bool, reading: bool, key: Path | str | None = None
    ) -> None:
        super().__init__(location, job, create=create, reading=reading)
        self._named_key = key
        self._secret: Ed25519PrivateKey | None = None
        self._tree: Tree | None = None  # of the rows that this process knows of
        self._alias: dict[str, str] = {}
        self._statement: Any = None  # that inserts rows, compiled once

    @property
    def key(self) -> Ed25519PrivateKey:
        """The signing key, made when the first job of a ledger begins."""
        if self._secret is None:
            place = place_of(self.url, self._named_key)
            if place.exists():
                self._secret = load_key(place)
            else:
                with self._reading() as connection:
                    signed = connection.scalar(select(func.count()).select_from(heads))
                if signed:
                    raise LefiError(f"the signing key {place} of this ledger is missing: name it by key= or LEFI_KEY")
                self._secret = make_key(place)
        return self._secret

    @property
    def tree(self) -> Tree:
        """The tree over all rows that are there."""
        if self._tree is None:
            self._tree = Tree()
        query = select(log.c.leaf).where(self._mine, log.c.seq > len(self._tree)).order_by(log.c.seq)
        with self._reading() as connection:
            for leaf in connection.scalars(query):
                self._tree.append(bytes.fromhex(leaf))
        return self._tree

    def append(self, rows: Iterable[Row] | Callable[[], Iterable[Row]]) -> None:
        """Add the rows, all or none, with a head over everything so far. A function is called when others must wait."""
        key = self.key
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        try:
            with own_turn(self._connection), clear_errors(self.url), self._connection.begin():
                take_turn(self._connection, self.job)
                tree = self._caught_up()
                rows = list(rows() if callable(rows) else rows)
                if rows:
                    new = self._name([row.get("client", "") for row in rows])
                    complete = [self._complete(row, seq, at) for seq, row in enumerate(rows, len(tree) + 1)]
                    for row in complete:
                        tree.append(bytes.fromhex(row["leaf"]))
                    if new:
                        self._connection.execute(insert(directory), new)
                    self._insert(complete)
                if rows or not self._is_signed(len(tree)):
                    head = Head(self.job, len(tree), tree.root().hex(), at, "").signed(key)
                    self._connection.execute(insert(heads), head.as_dict())
        except IntegrityError:
            self._forget_state()
            raise LefiError(f"another server writes to job {self.job!r} of this ledger; this one stops") from None
        except BaseException:
            self._forget_state()
            raise
        note(place_of(self.url, self._named_key), self.url, self.job, f"{len(tree)}:{tree.root().hex()}")

    def _insert(self, rows: list[Row]) -> None:
        """Straight to the driver: a large round has hundreds of thousands of rows, and these need no conversion."""
        if self._statement is None:
            self._statement = insert(log).compile(dialect=self._engine.dialect)
        order = itemgetter(*COLUMNS)
        values: Any = [order(row) for row in rows] if self._statement.positional else rows
        self._connection.exec_driver_sql(str(self._statement), values)

    def _forget_state(self) -> None:
        """After a failed write nothing is known; it is read again."""
        self._tree, self._alias = None, {}

    def _is_signed(self, size: int) -> bool:
        query = select(func.count()).select_from(heads).where(heads.c.job == self.job, heads.c.size == size)
        return size == 0 or bool(self._connection.scalar(query))

    def _caught_up(self) -> Tree:
        """The tree with what others have added. Raises where a row is there that no head of ours covers."""
        tree = Tree() if self._tree is None else self._tree
        self._tree = tree
        query = select(log.c.seq, log.c.leaf).where(self._mine, log.c.seq > len(tree)).order_by(log.c.seq)
        for _, leaf in self._connection.execute(query):
            tree.append(bytes.fromhex(leaf))
        last = select(heads).where(heads.c.job == self.job).order_by(heads.c.size.desc()).limit(1)
        row = self._connection.execute(last).mappings().first()
        if row is None:
            count = select(func.count()).select_from(log).where(self._mine, log.c.version != 1)
            unsigned = bool(self._connection.scalar(count))  # migrated rows are signed by the next write
        else:
            head, public = Head.of(dict(row)), public_text(self.key)
            if head.key != public:
                raise LefiError(f"job {self.job!r} is signed by another key than the one that this server has")
            unsigned = (head.size, head.root) != (len(tree), tree.root().hex()) or not head.holds(public)
        if unsigned:
            raise LefiError(f"job {self.job!r} has rows that were not signed: run `lefi ledger verify`")
        if not all(self._begins_with(noted, tree) for noted in self.witnessed()):
            file = place_of(self.url, self._named_key).with_suffix(".head")
            raise LefiError(
                f"job {self.job!r} is older than the last head that was signed ({file}): restore the newest"
            )
        return tree

    def witnessed(self) -> list[str]:
        """The last head that was noted beside the key, if any."""
        try:
            noted = last_noted(place_of(self.url, self._named_key), self.url, self.job)
        except LefiError:  # nobody has named a key
            return []
        return [] if noted is None else [noted]

    @staticmethod
    def _begins_with(noted: str, tree: Tree) -> bool:
        size, _, root = noted.partition(":")
        return size.isdigit() and 0 < int(size) <= len(tree) and tree.root(int(size)).hex() == root

    def _name(self, names: Iterable[str]) -> list[dict[str, str]]:
        """Aliases for names that have none yet; what the directory has to take in."""
        unknown = {name for name in names if name and name not in self._alias and not isinstance(name, Alias)}
        if not unknown:
            return []
        self._alias = {name: alias for alias, name in self._names(self._connection).items()}
        salts = {name: new_salt() for name in sorted(unknown - self._alias.keys())}
        self._alias |= {name: alias_of(salt, self.job, name) for name, salt in salts.items()}
        return [
            {"job": self.job, "alias": self._alias[name], "salt": salt, "name": name} for name, salt in salts.items()
        ]

    def _complete(self, row: Row, seq: int, at: str) -> Row:
        """The row with every column: plain floats, None for NaN (databases disagree on NaN), no negative zero."""
        full: Row = EMPTY | row
        for name in FLOATS:
            if full[name] is not None:
                value = float(full[name]) + 0.0
                full[name] = value if value == value else None
        name = row.get("client", "")
        alias = name if isinstance(name, Alias) or not name else self._alias[name]
        full |= {"job": self.job, "seq": seq, "at": at, "version": NEWEST, "client": alias, "alias": alias}
        full["leaf"] = leaf_of(full).hex()
        return full

    def close(self) -> None:
        super().close()
        self._tree = None
