"""The last head that was signed, noted beside the key: an older state of the database is whole in itself, but not this.

A JSON object in `KEY.head`, by place and job. It may lag behind, for it is written after the database; it never leads.
"""

import json
from pathlib import Path

from sqlalchemy.engine import URL

from lefi.ledger.database import shown
from lefi.ledger.private import write_private


def _file(key: Path) -> Path:
    return key.with_suffix(".head")


def _name(url: URL, job: str) -> str:
    """Another place is another ledger: copies are not mistaken for what they were copied from."""
    place = str(Path(url.database or "").resolve()) if url.get_backend_name() == "sqlite" else shown(url)
    return f"{place} {job}"


def _read(key: Path) -> dict[str, str]:
    try:
        found = json.loads(_file(key).read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def last_noted(key: Path, url: URL, job: str) -> str | None:
    """The head that was noted last, as SIZE:ROOT."""
    return _read(key).get(_name(url, job))


def note(key: Path, url: URL, job: str, head: str) -> None:
    write_private(_file(key), json.dumps(_read(key) | {_name(url, job): head}).encode(), sync=False)
