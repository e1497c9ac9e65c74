"""Bids of an auction: what a client asks for a thousand samples, asked for before anything is promised."""

from collections.abc import Mapping, Sequence

import numpy as np
from flwr.app import Message, MetricRecord
from flwr.serverapp import Grid

from lefi.arrays import FloatArray
from lefi.flower.checks import contents, number, records
from lefi.flower.identity import Caller
from lefi.flower.letters import query
from lefi.flower.post import ask
from lefi.flower.wire import BID, Record

NAME = "bid"  # of the metric


def bids_of(
    grid: Grid,
    round: int,
    names: Sequence[str],
    callers: Mapping[str, Caller],
    call: Sequence[Record],
    patience: tuple[float, float],
) -> FloatArray:
    """One bid per name, NaN where none came that can be one. A bid is final: the first counts."""
    sent: dict[int, tuple[int, Message]] = {}
    for position, name in enumerate(names):
        node = callers[name].node
        sent[node] = (position, query(BID, round, call[position], node))
    bids = np.full(len(names), np.nan)
    for reply in ask(grid, [message for _, message in sent.values()], *patience):
        node = reply.metadata.src_node_id
        if reply.has_error() or node not in sent:
            continue
        position, message = sent[node]
        if reply.metadata.reply_to_message_id == message.metadata.message_id and np.isnan(bids[position]):
            bids[position] = _bid(reply)
    return bids


def _bid(reply: Message) -> float:
    content = contents(reply)
    metrics = [] if isinstance(content, str) else records(content, MetricRecord)
    stated = number(metrics[0].get(NAME)) if len(metrics) == 1 else None
    return stated if stated is not None and stated >= 0 else np.nan
