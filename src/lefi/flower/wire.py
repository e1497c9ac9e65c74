"""How offers travel: plain numbers in the config record that Flower's messages carry anyway.

Not in a record of their own: Flower's differential-privacy mods refuse messages with more than one config record.
Sizes are whole samples on the wire and thousand samples in lefi.
"""

from dataclasses import dataclass

import numpy as np
from flwr.app import ConfigRecord, Message, RecordDict

from lefi.errors import InputError
from lefi.messages import CurveOffer, Terms

SAMPLES = 1000  # samples per unit of size
HELLO, OFFER = "hello", "offer"  # actions of the two queries
CLAIM = "num-examples"  # Flower's name for the number of samples


@dataclass(frozen=True, eq=False)
class Posted:
    """An offer as one client reads it: arrays of length 1, and the bounds that both sides know."""

    offer: CurveOffer
    size_low: float
    size_high: float
    deadline: float


def offer_record(offer: CurveOffer, position: int, terms: Terms) -> dict[str, float]:
    """The offer to the client at that position, as numbers that a config record takes."""
    return {
        "offer-weight": float(offer.weight[position]),
        "offer-rate": float(offer.rate[position]),
        "offer-limit": float(offer.limit[position]),
        "offer-size-low": float(terms.size_low),
        "offer-size-high": float(terms.size_high),
        "offer-deadline": float(terms.deadline),
    }


def with_offer(content: RecordDict, record: dict[str, float]) -> RecordDict:
    """A copy of the content that carries the offer. Flower gives all nodes the same RecordDict, so it must be fresh."""
    key, config = next(
        ((name, part) for name, part in content.items() if isinstance(part, ConfigRecord)), ("config", ConfigRecord())
    )
    return RecordDict({**content, key: ConfigRecord({**config, **record})})


def read_offer(message: Message) -> Posted:
    """The offer that a message carries."""
    config = config_of(message)
    if "offer-weight" not in config:
        raise InputError(
            "message", message.metadata.message_type, "one with an offer: is the server's strategy wrapped?"
        )
    weight, rate, limit, low, high, deadline = (
        float(config[f"offer-{name}"])  # type: ignore[arg-type]
        for name in ("weight", "rate", "limit", "size-low", "size-high", "deadline")
    )
    return Posted(CurveOffer(np.array([weight]), np.array([rate]), np.array([limit])), low, high, deadline)


def config_of(message: Message) -> ConfigRecord:
    """The config record of a message, empty where it has none. (`content.config_records` copies all it looks at.)"""
    return next((part for part in message.content.values() if isinstance(part, ConfigRecord)), ConfigRecord())


def to_samples(size: float) -> int:
    """Whole samples that a size in thousands holds; the hair undoes the rounding of 0.57 * 1000."""
    return int(np.floor(size * SAMPLES + 1e-6))
