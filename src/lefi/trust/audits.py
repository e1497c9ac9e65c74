"""Which client-rounds are audited: drawn at random, and committed to before the job begins.

The ledger keeps the hash of a secret; with the secret, told afterwards, anybody can draw the same audits again. So the
operator cannot choose whom to audit after he has seen the updates, and a client cannot know beforehand.
"""

from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from lefi.arrays import IntArray, number
from lefi.errors import InputError


@dataclass(frozen=True)
class Audits:
    """Each client-round is audited with this probability, by a hash of the secret, the round and the client.

    >>> from lefi.trust import Audits
    >>> audits = Audits(probability=0.5, secret=b"sixteen bytes or more")
    >>> audits.drawn(round=1, ids=np.arange(6))
    array([0, 3, 4])
    """

    probability: float
    secret: bytes

    def __post_init__(self) -> None:
        number("probability", self.probability, low=0, high=1)
        if len(self.secret) < 16:
            raise InputError("secret", f"{len(self.secret)} bytes", "at least 16 bytes that nobody can guess")

    @property
    def commitment(self) -> str:
        """What is written down before the first round."""
        return sha256(b"lefi audits " + self.secret).hexdigest()

    def drawn(self, round: int, ids: IntArray) -> IntArray:
        """Those of the clients that are audited in this round."""
        drawn = [_uniform(self.secret, round, int(client)) < self.probability for client in ids]
        return np.asarray(ids)[np.array(drawn, bool)]


def _uniform(secret: bytes, round: int, client: int) -> float:
    digest = sha256(b"%b %d %d" % (secret, round, client)).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
