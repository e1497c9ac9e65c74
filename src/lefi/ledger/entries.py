"""What goes into the ledger and comes out of it: promises, answers, and receipts from rows."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, Generic

import numpy as np
from typing_extensions import TypeVar

from lefi.arrays import FloatArray
from lefi.ledger.money import Money, told
from lefi.messages import CurveOffer, Offer, Receipt, Roster
from lefi.offers import limited
from lefi.offers.columns import from_record, to_record

Row = dict[str, Any]
O = TypeVar("O", bound=Offer, default=Any)
PLAIN = 2**31  # numbers below are names by themselves

_encode = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode


def client_id(name: str) -> int:
    """The number under which mechanisms know the client of that name, the same in every run and on every engine.

    A name that is a number is that number, so that a simulated fleet keeps its ids; hashes lie above them.

    >>> from lefi.ledger import client_id
    >>> client_id("7"), client_id("car-7") == client_id("car-7")
    (7, True)
    """
    if name.isascii() and name.isdigit() and len(name) <= 10 and name == str(int(name)) and int(name) < PLAIN:
        return int(name)
    hashed = int.from_bytes(sha256(name.encode()).digest()[:8], "big") >> 1
    return hashed if hashed >= PLAIN else hashed + PLAIN


@dataclass(frozen=True)
class Answer:
    """What a client said it trained on, and what the server made of it. `size` None = nothing that counts.

    >>> from lefi.ledger import Answer
    >>> Answer(client="car-0", claim="1500", verdict="accepted", size=1.5).size
    1.5
    """

    client: str
    claim: str | None
    verdict: str
    size: float | None


@dataclass(frozen=True, eq=False)
class Promise(Generic[O]):
    """The offers of one round, written down before anything is sent; sizes in thousand samples.

    In a two-phase round `pledges` are the sizes that the clients announced (NaN = none), and the server pays for at
    most the pledge. In a one-phase round `pledges` is None.

    >>> from lefi.ledger import Promise
    >>> market = lefi.scenario("paper", clients=2)
    >>> offer = lefi.PriceOffer([0.1, 0.2], [5.0, 5.0])
    >>> promise = Promise(1, ("0", "1"), market.fleet.roster, offer, pledges=np.array([2.0, np.nan]))
    >>> promise.most
    array([2., 0.])
    """

    round: int
    names: tuple[str, ...]
    roster: Roster
    offer: O
    pledges: FloatArray | None = None

    @cached_property
    def binding(self) -> O:
        """The offer that is paid by, and that clients see when they train."""
        return self.offer if self.pledges is None else limited(self.offer, np.nan_to_num(self.pledges))

    @cached_property
    def most(self) -> FloatArray:
        """The largest size that counts of each client."""
        limit = np.asarray(self.binding.limit, dtype=np.float64)
        return limit if self.pledges is None else np.fmin(np.nan_to_num(self.pledges), limit)

    def owed(self, sizes: FloatArray) -> FloatArray:
        """What the offers pay for these sizes, of which at most `most` counts; as floats."""
        counted = np.where(np.isnan(sizes), np.nan, np.minimum(sizes, self.most))
        return np.where(np.isnan(sizes), 0.0, np.asarray(self.offer.payment(counted), dtype=np.float64))


def roster_of(names: Sequence[str], iid: FloatArray, rate: FloatArray) -> Roster:
    return Roster(np.array([client_id(name) for name in names], dtype=np.int64), iid, rate)


def offer_texts(offer: Offer) -> list[str]:
    """The offer to each client as text."""
    return [_encode(record) for record in to_record(offer)]


def promise_of(rows: Sequence[Row]) -> Promise:
    """The promise behind the offers, pledges and commitments of one round, in their order."""
    offers = [row for row in rows if row["kind"] == "offer"]
    names = tuple(row["client"] for row in offers)
    iid, rate = (np.array([row[name] for row in offers], dtype=np.float64) for name in ("iid", "rate"))
    offer = from_record([json.loads(row["offer"]) for row in offers], rate)
    promise: Promise = Promise(offers[0]["round"], names, roster_of(names, iid, rate), offer)
    pledged = {row["client"]: row["size"] for row in rows if row["kind"] == "pledge"}
    if not pledged:
        return promise
    if isinstance(offer, CurveOffer):
        promise = replace(promise, offer=_scaled(offer, names, rows))
    return replace(promise, pledges=_floats(pledged.get(name) for name in names))


def _scaled(offer: CurveOffer, names: Sequence[str], rows: Sequence[Row]) -> CurveOffer:
    """Versions of lefi that did not keep the budget from the start scaled the weights when they knew the pledges."""
    texts = {row["client"]: row["offer"] for row in rows if row["kind"] == "commitment" and row["version"] == 1}
    weights = {name: json.loads(text)["weight"] for name, text in texts.items()}
    asked = zip(names, offer.weight.tolist(), strict=True)
    return replace(offer, weight=np.array([weights.get(name, weight) for name, weight in asked])) if weights else offer


def receipt_of(rows: Sequence[Row], budget: float | None = None, money: Money | None = None) -> Receipt:
    """The receipt behind the rows of one settled round, played under that budget."""
    promise = promise_of(rows)
    found = {row["client"]: row["size"] for row in rows if row["kind"] == "answer" and row["size"] is not None}
    paid = {row["client"]: row["payment"] for row in rows if row["kind"] == "payment"}
    accuracy = next(row["accuracy"] for row in rows if row["kind"] == "round")
    sizes = _floats(found.get(name) for name in promise.names)
    units = [paid.get(name, 0) for name in promise.names]
    return Receipt(
        round=promise.round,
        roster=promise.roster,
        offer=promise.offer,
        sizes=sizes,
        payments=told(money or Money(), promise.owed(sizes), units),
        accuracy=np.nan if accuracy is None else accuracy,
        budget=budget,
    )


def _floats(values: Any) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
