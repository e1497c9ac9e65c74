"""What is written to each client: its offer, what is left to it, and the receipt of what it was paid before."""

from collections.abc import Mapping

from flwr.app import ConfigRecord, Message, RecordDict

from lefi.flower.wire import RECEIPT, Record, offer_records
from lefi.ledger import Promise
from lefi.messages import Offer, Terms


def letters(
    offer: Offer, promise: Promise, terms: Terms, left: Mapping[int, str], slips: Mapping[str, str]
) -> list[Record]:
    """One record per client of the promise. `left`: money of clients with a limit, by position; `slips`: receipts."""
    records = offer_records(offer, promise.roster.rate, terms, left)
    for record, name in zip(records, promise.names, strict=True):
        if name in slips:
            record[RECEIPT] = slips[name]
    return records


def query(action: str, round: int, record: Record, node: int) -> Message:
    """A question to one node."""
    return Message(RecordDict({"config": ConfigRecord({"server-round": round, **record})}), node, f"query.{action}")


def asked(promise: Promise, nodes: Mapping[str, int]) -> dict[int, int]:
    """Nodes that are asked to train, and their positions in the promise. `nodes` are those that are here, by name.

    Where pledges were asked for, who pledged nothing is not asked.
    """
    pledges = promise.pledges
    return {
        nodes[name]: position
        for position, name in enumerate(promise.names)
        if name in nodes and (pledges is None or pledges[position] > 0)
    }
