"""Signed tree heads: the size of the log and its root, signed at every write, so that no row is ever without one."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from lefi.ledger.keys import public_text, signed_by


@dataclass(frozen=True)
class Head:
    """The first `size` rows of a job, as they were when this was signed. `root` in 64 digits."""

    job: str
    size: int
    root: str
    at: str
    key: str
    signature: str = ""

    @property
    def text(self) -> bytes:
        """What is signed."""
        return json.dumps(["lefi head 1", self.job, self.size, self.root, self.at], separators=(",", ":")).encode()

    @property
    def noted(self) -> str:
        """Short enough to be noted elsewhere."""
        return f"{self.size}:{self.root}"

    def holds(self, public: str) -> bool:
        return self.key == public and signed_by(public, self.text, self.signature)

    def signed(self, key: Ed25519PrivateKey) -> Self:
        return type(self)(self.job, self.size, self.root, self.at, public_text(key), key.sign(self.text).hex())

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def of(cls, stated: Mapping[Any, Any]) -> Self:
        """The head behind a row of the database or a part of a receipt; raises where it is none."""
        head = cls(**{name: stated[name] for name in ("job", "size", "root", "at", "key", "signature")})
        texts = (head.job, head.root, head.at, head.key, head.signature)
        if not all(isinstance(text, str) for text in texts) or type(head.size) is not int:
            raise ValueError("no head")
        return head
