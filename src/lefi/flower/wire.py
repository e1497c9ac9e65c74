"""How offers travel: plain values in the config record that Flower's messages carry anyway.

offer-kind     the name of the offer's class        offer-clients   how many it was made to
offer-COLUMN   this client's row of `to_columns`    offer-most      money that is left to it, where it has a cap
lefi-receipt   what it was paid before, signed; see lefi.ledger.proofs
Not in a record of their own: Flower's differential-privacy mods refuse messages with more than one config record.
Sizes are whole samples on the wire and thousand samples in lefi.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
from flwr.app import ConfigRecord, Message, RecordDict
from typing_extensions import TypeVar

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.messages import Offer, Terms
from lefi.offers.columns import loaded_class, to_record

HELLO, OFFER, BID = "hello", "offer", "bid"  # actions of the queries
CLAIM = "num-examples"  # Flower's name for the number of samples
RECEIPT = "lefi-receipt"
BOUNDS = ("size-low", "size-high", "deadline")
Record = dict[str, Any]
O = TypeVar("O", bound=Offer, default=Any)


@dataclass(frozen=True, eq=False)
class Posted(Generic[O]):
    """An offer as one client reads it: arrays of length 1, and the bounds that both sides know.

    Where pay hangs on what others do, the offer has a row for each of `clients`, all like this one's: they are all
    that it knows. `most` is the money that is left to it, where it has a cap.

    >>> from lefi.flower import Posted
    >>> posted = Posted(lefi.PriceOffer([0.1], [3.0]), size_low=0.0, size_high=10.0, deadline=60.0)
    >>> posted.offer.payment(np.array([2.0]))
    array([0.2])
    """

    offer: O
    size_low: float
    size_high: float
    deadline: float
    clients: int = 1
    most: float | None = None


def offer_records(offer: Offer, rate: FloatArray, terms: Terms, left: Mapping[int, str] | None = None) -> list[Record]:
    """The offer to each client, as values that a config record takes. `left`: money of clients with a cap."""
    bounds: Record = {f"offer-{name}": float(getattr(terms, name.replace("-", "_"))) for name in BOUNDS}
    bounds["offer-clients"] = len(offer)
    records = [
        {f"offer-{name}": float("nan") if value is None else value for name, value in record.items()}
        | bounds
        | {"offer-rate": own}
        for record, own in zip(to_record(offer), rate.tolist(), strict=True)
    ]
    for position, money in (left or {}).items():
        records[position]["offer-most"] = money
    return records


def with_offer(content: RecordDict, record: Record) -> RecordDict:
    """A copy of the content that carries the offer. Flower gives all nodes the same RecordDict, so it must be fresh."""
    key, config = next(
        ((name, part) for name, part in content.items() if isinstance(part, ConfigRecord)), ("config", ConfigRecord())
    )
    return RecordDict({**content, key: ConfigRecord({**config, **record})})


def read_offer(message: Message) -> Posted:
    """The offer that a message carries. Its code must be here already: a message imports nothing."""
    config: Mapping[str, Any] = config_of(message)
    if "offer-kind" not in config:
        raise InputError(
            "message", message.metadata.message_type, "one with an offer: is the server's strategy wrapped?"
        )
    low, high, deadline = (float(config[f"offer-{name}"]) for name in BOUNDS)
    kind, clients = loaded_class(str(config["offer-kind"])), int(config["offer-clients"])
    others = {"kind", "clients", "most", "rate", *BOUNDS}
    rows = clients if getattr(kind, "shared", False) else 1
    columns = {
        name.removeprefix("offer-"): np.full(rows, float(value))
        for name, value in config.items()
        if name.startswith("offer-") and name.removeprefix("offer-") not in others
    }
    most = config.get("offer-most")
    offer = kind.from_columns(columns, np.full(rows, float(config["offer-rate"])))
    return Posted(offer, low, high, deadline, clients, None if most is None else float(most))


def config_of(message: Message) -> ConfigRecord:
    """The config record of a message, empty where it has none. (`content.config_records` copies all it looks at.)"""
    return next((part for part in message.content.values() if isinstance(part, ConfigRecord)), ConfigRecord())
