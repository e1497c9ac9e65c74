"""Every record from a client passes here before anything else sees it. A bad one gets a verdict and goes no further."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.app.error import Error

from lefi.books.verdicts import LARGE, MALFORMED, NO_NAME, plain
from lefi.flower.received import Model

R = TypeVar("R", ArrayRecord, ConfigRecord, MetricRecord)

EXTRAS = 2**20  # bytes of a reply besides its arrays; a usual one has some hundred
ENTRY = 64  # bytes that an entry takes besides its value
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@/-]{0,99}")  # no control, markup, formula or look-alike characters


@dataclass(frozen=True)
class Introduction:
    """What a node says of itself; `name` is empty where accounts go by key."""

    name: str
    iid: float


def introduction(reply: Message, named: bool) -> Introduction | str:
    """Who a node is, or the verdict on its answer."""
    content = contents(reply)
    if isinstance(content, str):
        return content
    stated = content.get("client")
    if not isinstance(stated, ConfigRecord):
        return MALFORMED
    iid, name = number(stated.get("iid")), stated.get("client-id")
    if iid is None:
        return MALFORMED
    if not named:
        return Introduction("", min(max(iid, 0.0), 1.0))
    if not isinstance(name, str) or not NAME.fullmatch(name):
        return NO_NAME
    return Introduction(name, min(max(iid, 0.0), 1.0))


def claim_of(content: RecordDict, key: str) -> object:
    """The claimed number of samples, or None where the records are not of Flower's shape."""
    metrics = records(content, MetricRecord)
    return metrics[0].get(key) if len(metrics) == 1 else None


def trained(content: RecordDict, model: Model, required: Sequence[str]) -> str | None:
    """What is wrong with a trained update; None where nothing is. Its arrays are then of the types that were sent."""
    metrics = records(content, MetricRecord)
    names = [name for name, part in content.items() if isinstance(part, ArrayRecord)]
    if len(metrics) != 1 or len(names) != 1 or any(number(metrics[0].get(key)) is None for key in required):
        return MALFORMED
    arrays = content[names[0]]
    assert isinstance(arrays, ArrayRecord)
    verdict, checked = model.check(arrays)
    if verdict is None and checked is not arrays:
        content[names[0]] = checked
    return verdict


def contents(reply: Message) -> RecordDict | str:
    """The records of a reply, or the verdict where there are none or they are too large."""
    if not reply.has_content():
        return MALFORMED
    content = reply.content
    try:
        return LARGE if _extras(content) > EXTRAS else content
    except Exception:  # records that are not what they say they are
        return MALFORMED


def _extras(content: RecordDict) -> int:
    """Bytes besides the arrays, roughly."""
    total = 0
    for key, part in content.items():
        total += len(key) + ENTRY
        if isinstance(part, ArrayRecord):
            total += sum(len(name) + len(array.dtype) + len(array.stype) for name, array in part.items())
        else:
            total += sum(len(name) + ENTRY + _bytes(value) for name, value in part.items())
    return total


def _bytes(value: object) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, list):
        return sum(len(part) for part in value) if value and isinstance(value[0], str | bytes) else 8 * len(value)
    return value.bit_length() // 8 if isinstance(value, int) else 8


def records(content: RecordDict, kind: type[R]) -> list[R]:
    return [part for part in content.values() if isinstance(part, kind)]


def number(value: object) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        result = float(value)
    except OverflowError:
        return None
    return result if isfinite(result) else None


def alike(replies: list[Message]) -> None:
    """Leave in the replies only the metrics that all of them have: Flower's strategies fail where they differ.

    Payment does not depend on it, so nobody can cost another client its pay by sending other metrics.
    """
    found = [(reply, _metrics(reply)) for reply in replies]
    common = set.intersection(*(set(shapes.items()) for _, shapes in found)) if found else set()
    keys = {name for name, _ in common}
    for reply, shapes in found:
        if len(shapes) != len(keys) or len(shapes) != len(records(reply.content, MetricRecord)[0]):
            name, record = next((n, part) for n, part in reply.content.items() if isinstance(part, MetricRecord))
            kept = {key: value for key, value in record.items() if key in keys}
            reply.content[name] = MetricRecord(kept)


def _metrics(reply: Message) -> Mapping[str, int]:
    """The usable metrics of a reply: 0 for a number, length + 1 for a list; what is not finite is not usable."""
    result = {}
    for key, value in records(reply.content, MetricRecord)[0].items():
        if isinstance(value, list):
            if all(number(part) is not None for part in value):
                result[key] = len(value) + 1
        elif number(value) is not None:
            result[key] = 0
    return result


def evaluated(replies: Iterable[Message], sent: Mapping[int, Message], key: str) -> list[Message]:
    """Replies to an evaluation that can be averaged: asked for, once each, with a weight above 0; and failures."""
    good: dict[int, Message] = {}
    failures = []
    for reply in replies:
        node = reply.metadata.src_node_id
        if reply.has_error():
            failures.append(short(reply))
        elif node in sent and reply.metadata.reply_to_message_id == sent[node].metadata.message_id:
            content = contents(reply)
            weight = None if isinstance(content, str) else number(claim_of(content, key))
            if weight is not None and weight > 0:
                good.setdefault(node, reply)
    alike(list(good.values()))
    return [*good.values(), *failures]


def short(failure: Message) -> Message:
    """The failure, with a reason that is fit for a log."""
    failure.error = Error(failure.error.code, plain(failure.error.reason or ""))
    return failure
