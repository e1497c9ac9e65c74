"""Tokens: what a caller shows to be let in. A file beside the signing key holds their hashes, never the tokens.

A token is `lefi_ID_SECRET`: the id is public and names it in logs; the secret has 256 bits, so a plain hash keeps it.
"""

import json
import secrets
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any

from lefi.errors import InputError, LefiError, UnknownName
from lefi.ledger.database import read_url
from lefi.ledger.keys import place_of
from lefi.ledger.private import write_private
from lefi.serve.context import ROLES, Caller, Role

SUFFIX = ".tokens"


@dataclass(frozen=True)
class Entry:
    """A token as it is kept."""

    id: str
    role: Role
    hash: str
    made: str
    job: str = ""
    client: str = ""
    revoked: str = ""  # when; empty while it is good


def tokens_beside(place: str, key: Path | str | None = None) -> Path:
    """Where the tokens of the ledger at this place lie."""
    return place_of(read_url(place), key).with_suffix(SUFFIX)


class Tokens:
    """The tokens in one file. A service sees at once what `lefi token` changes."""

    def __init__(self, path: Path) -> None:
        self.path, self.lock = path, threading.Lock()
        self.stamp: tuple[int, int] | None = None
        self.entries: dict[str, Entry] = {}

    def all(self) -> dict[str, Entry]:
        """By id. The file is read again only where it has changed."""
        with self.lock:
            try:
                status = self.path.stat()
                stamp = (status.st_mtime_ns, status.st_ino)
                if stamp != self.stamp:
                    self.entries, self.stamp = _read(self.path), stamp
            except FileNotFoundError:
                self.entries, self.stamp = {}, None
            return self.entries

    def active(self) -> list[Entry]:
        return [entry for entry in self.all().values() if not entry.revoked]

    def make(self, role: str, job: str = "", client: str = "") -> str:
        """A new token; this is the only time that it is shown."""
        if role not in ROLES:
            raise UnknownName("role", role, ROLES)
        if [bool(job), bool(client)] != [role == "client"] * 2:
            raise InputError("role", role, "client with a job and a client, or operator or auditor without")
        id, secret = secrets.token_hex(4), secrets.token_hex(32)
        token = f"lefi_{id}_{secret}"
        self._write(self.all() | {id: Entry(id, role, _hash(token), _now(), job, client)})
        return token

    def revoke(self, id: str) -> None:
        entries = self.all()
        if id not in entries:
            raise UnknownName("token", id, entries)
        kept = asdict(entries[id])
        self._write(entries | {id: Entry(**kept | {"revoked": kept["revoked"] or _now()})})

    def caller(self, token: str) -> Caller | None:
        """Who shows this token; None where it is none, or no longer."""
        parts = token.split("_")
        entry = self.all().get(parts[1]) if len(parts) == 3 and token.isascii() else None
        if entry is None or entry.revoked or not compare_digest(entry.hash, _hash(token)):
            return None
        return Caller(entry.role, entry.job, entry.client, entry.id)

    def _write(self, entries: dict[str, Entry]) -> None:
        write_private(self.path, json.dumps([asdict(entry) for entry in entries.values()], indent=1).encode())


def _read(path: Path) -> dict[str, Entry]:
    try:
        found: list[dict[str, Any]] = json.loads(path.read_bytes())
        return {entry["id"]: Entry(**entry) for entry in found}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise LefiError(f"the tokens in {path} cannot be read: {type(error).__name__}") from None


def _hash(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
