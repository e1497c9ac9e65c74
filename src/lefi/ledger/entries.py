"""What goes into the ledger and comes out of it: promises, answers, and receipts from rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

import numpy as np

from lefi.arrays import FloatArray
from lefi.messages import CurveOffer, Receipt, Roster

Row = dict[str, Any]


def client_id(name: str) -> int:
    """The number under which mechanisms know the client of that name, the same in every run and on every engine."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") >> 1


@dataclass(frozen=True)
class Answer:
    """What a client said it trained on, and what the server made of it. `size` None = nothing that counts."""

    client: str
    claim: str | None
    verdict: str
    size: float | None


@dataclass(frozen=True, eq=False)
class Promise:
    """The offers of one round, written down before anything is sent; sizes in thousand samples.

    In a two-phase round `pledges` are the sizes that the clients announced (NaN = none) and `weight` is what remains
    after re-scaling; a commitment pays for at most the pledge. In a one-phase round `pledges` is None.
    """

    round: int
    names: tuple[str, ...]
    roster: Roster
    offer: CurveOffer
    pledges: FloatArray | None = None
    weight: FloatArray | None = None

    @cached_property
    def binding(self) -> CurveOffer:
        """The offer that is paid by."""
        if self.weight is None or self.pledges is None:
            return self.offer
        limit = np.fmin(np.nan_to_num(self.pledges), self.offer.limit)
        return CurveOffer(self.weight, self.offer.rate, limit)

    @cached_property
    def told(self) -> CurveOffer:
        """The offer that the mechanism hears of: the weights that were paid by, under the limits it had set.

        A client never wants more at a lower weight, so its answer is the one it would give without the pledge.
        """
        return self.offer if self.weight is None else CurveOffer(self.weight, self.offer.rate, self.offer.limit)


def roster_of(names: Sequence[str], iid: FloatArray, rate: FloatArray) -> Roster:
    return Roster(np.array([client_id(name) for name in names], dtype=np.int64), iid, rate)


def promise_of(rows: Sequence[Row]) -> Promise:
    """The promise behind the offers, pledges and commitments of one round, in their order."""
    offers = [row for row in rows if row["kind"] == "offer"]
    names = tuple(row["client"] for row in offers)
    column = {name: np.array([row[name] for row in offers]) for name in ("iid", "rate", "weight", "limit")}
    offer = CurveOffer(column["weight"], column["rate"], column["limit"])
    roster = roster_of(names, column["iid"], column["rate"])
    pledged = {row["client"]: row["size"] for row in rows if row["kind"] == "pledge"}
    if not pledged:
        return Promise(offers[0]["round"], names, roster, offer)
    committed = {row["client"]: row["weight"] for row in rows if row["kind"] == "commitment"}
    pledges = _floats(pledged.get(name) for name in names)
    weight = np.array([committed.get(name, asked) for name, asked in zip(names, offer.weight.tolist(), strict=True)])
    return Promise(offers[0]["round"], names, roster, offer, pledges, weight)


def receipt_of(rows: Sequence[Row], budget: float | None = None) -> Receipt:
    """The receipt behind the rows of one settled round, played under that budget."""
    promise = promise_of(rows)
    sizes = {row["client"]: row["size"] for row in rows if row["kind"] == "answer" and row["size"] is not None}
    paid = {row["client"]: row["payment"] for row in rows if row["kind"] == "payment"}
    accuracy = next(row["accuracy"] for row in rows if row["kind"] == "round")
    return Receipt(
        round=promise.round,
        roster=promise.roster,
        offer=promise.told,
        sizes=_floats(sizes.get(name) for name in promise.names),
        payments=np.array([paid.get(name, 0.0) for name in promise.names]),
        accuracy=np.nan if accuracy is None else accuracy,
        budget=budget,
    )


def _floats(values: Any) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
