"""Messages that nobody should send: hellos, pledges, updates and evaluations, each by a name.

An attack turns the honest reply into what is sent instead: one message, several, or none.
"""

import io
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict

Attack = Callable[[Message, Message], list[Message]]  # (the question, the honest reply) -> what is sent

MEGABYTE = 2**20
BOMB = 10**12  # numbers that a header claims


def instead(make: Callable[[], RecordDict]) -> Attack:
    return lambda asked, honest: [Message(make(), reply_to=asked)]


def hello(name: Any = "mallory", iid: Any = 0.5, **more: Any) -> Attack:
    return instead(lambda: RecordDict({"client": ConfigRecord({"client-id": name, "iid": iid, **more})}))


def unchecked(kind: Any, values: dict[Any, Any]) -> Any:
    """A record whose own checks were left out: what comes off the wire has no manners."""
    record = kind()
    record.__dict__["_data"].update(values)
    return record


HELLOS: dict[str, Attack] = {
    **{f"iid {value!r}"[:40]: hello(iid=value) for value in
       (float("nan"), float("inf"), float("-inf"), "0.5", b"0.5", [0.5, 0.5], True, [], 10**400)},
    "iid none": instead(lambda: RecordDict({"client": unchecked(ConfigRecord, {"client-id": "m", "iid": None})})),
    "id missing": instead(lambda: RecordDict({"client": ConfigRecord({"iid": 0.5})})),
    "iid missing": instead(lambda: RecordDict({"client": ConfigRecord({"client-id": "m"})})),
    "id empty": hello(""),
    "id NUL": hello("a\x00b"),
    "id 10 MB": hello("a" * (10 * MEGABYTE)),
    "id 101 characters": hello("a" * 101),
    "id markup": hello("[red]mallory[/red]"),
    "id html": hello("<script>alert(1)</script>"),
    "id terminal escape": hello("\x1b[2J\x1b[31m"),
    "id formula": hello("=HYPERLINK(1)"),
    "id minus": hello("-2+3"),
    "id surrogate": hello("\ud800"),
    "id right to left": hello("car\u202e1"),
    "id look-alike": hello("client-\u0430"),
    "id spaces": hello("  "),
    "id new line": hello("a\nb"),
    "id number": hello(7),
    "id bytes": hello(b"car"),
    "id list": hello(["a", "b"]),
    "no records": instead(RecordDict),
    "client as metrics": instead(lambda: RecordDict({"client": MetricRecord({"iid": 0.5})})),
    "client as arrays": instead(lambda: RecordDict({"client": ArrayRecord({"w": Array(np.zeros(3))})})),
    "10 MB besides": hello(junk=b"x" * (10 * MEGABYTE)),
    "a million entries": instead(lambda: RecordDict({"client": unchecked(
        ConfigRecord, {"client-id": "m", "iid": 0.5, **{str(i): 0 for i in range(100_000)}})})),
    "mute": lambda asked, honest: [],
}  # fmt: skip


def claims(value: Any, key: str = "num-examples") -> Attack:
    """The honest arrays with another claim."""

    def attack(asked: Message, honest: Message) -> list[Message]:
        content = RecordDict({name: part for name, part in honest.content.items() if isinstance(part, ArrayRecord)})
        content["metrics"] = unchecked(MetricRecord, {key: value})
        return [Message(content, reply_to=asked)]

    return attack


CLAIMS: dict[str, Attack] = {
    **{f"claims {value!r}"[:40]: claims(value) for value in
       (float("nan"), float("inf"), -1, -5.0, 1.5, 10**9, 10**18, 1e300, "9", b"9", None, True, [9], [], {"a": 1})},
    "claims 10**5000": claims(10**5000),
    "claims a huge list": claims([1] * 1_000_000),
    "claims by another key": claims(3000, "samples"),
    "no metrics at all": instead(RecordDict),
    "two metric records": instead(lambda: RecordDict(
        {"a": MetricRecord({"num-examples": 9}), "b": MetricRecord({"num-examples": 9})})),
    "metrics as settings": instead(lambda: RecordDict({"metrics": ConfigRecord({"num-examples": 9})})),
    "10 MB of settings": instead(lambda: RecordDict(
        {"metrics": MetricRecord({"num-examples": 9}), "x": ConfigRecord({"x": b"x" * (10 * MEGABYTE)})})),
    "a metric of 10 MB in the name": instead(lambda: RecordDict(
        {"metrics": MetricRecord({"num-examples": 9, "x" * (10 * MEGABYTE): 1})})),
}  # fmt: skip


def update(make: Callable[[Any], Any], metrics: dict[str, Any] | None = None) -> Attack:
    """An update with other arrays, made of the honest ones, and an honest claim."""

    def attack(asked: Message, honest: Message) -> list[Message]:
        w = next(part for part in honest.content.values() if isinstance(part, ArrayRecord))["w"].numpy()
        made = make(w)
        content = made if isinstance(made, RecordDict) else RecordDict({"arrays": arrays(made)})
        own = next(part for part in honest.content.values() if isinstance(part, MetricRecord))
        content["metrics"] = MetricRecord({**own, **(metrics or {})})
        return [Message(content, reply_to=asked)]

    return attack


def arrays(made: Any) -> ArrayRecord:
    parts = made if isinstance(made, dict) else {"w": made}
    return ArrayRecord({name: part if isinstance(part, Array) else Array(part) for name, part in parts.items()})


def raw(data: bytes, shape: tuple[int, ...] = (3,), dtype: str = "float64", stype: str = "numpy.ndarray") -> Array:
    return Array(dtype, shape, stype, data)


def headed(text: str, body: bytes = b"", version: bytes = b"\x01\x00") -> bytes:
    """A NumPy file with a header of our own."""
    line = text.encode("latin1") + b"\n"
    size = struct.pack("<H", len(line)) if version == b"\x01\x00" else struct.pack("<I", len(line))
    return b"\x93NUMPY" + version + size + line + body


def saved(array: Any, pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=pickle)
    return file.getvalue()


def header(shape: str, descr: str = "'<f8'", order: str = "False") -> str:
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


THREE = np.zeros(3).tobytes()
UPDATES: dict[str, Attack] = {
    "NaN": update(lambda w: w * np.nan),
    "infinite": update(lambda w: w + np.inf),
    "one NaN": update(lambda w: np.where(np.arange(3) == 1, np.nan, w)),
    "longer": update(lambda w: np.concatenate([w, w])),
    "shorter": update(lambda w: w[:2]),
    "empty": update(lambda w: w[:0]),
    "scalar": update(lambda w: np.ones(())),
    "matrix": update(lambda w: w[:, None]),
    "broadcasts": update(lambda w: w[:1]),
    "another key": update(lambda w: {"v": w}),
    "one key more": update(lambda w: {"w": w, "v": w}),
    "no arrays": update(lambda w: {}),
    "no array record": update(lambda w: RecordDict()),
    "two array records": update(lambda w: RecordDict({"a": arrays(w), "b": arrays(w)})),
    "complex": update(lambda w: w.astype(complex)),
    "text": update(lambda w: np.array(["a", "b", "c"])),
    "dates": update(lambda w: np.zeros(3, dtype="M8[s]")),
    "structured": update(lambda w: np.zeros(3, dtype=[("a", "f8")])),
    "long double": update(lambda w: w.astype(np.longdouble)),
    "float32 of a float64 too large": update(lambda w: w.astype(np.float32) + np.float32(np.inf)),
    "pickle": update(lambda w: raw(saved(np.array([1, "a", None], dtype=object), pickle=True))),
    "pickle that says float": update(lambda w: raw(headed(header("(3,)", "'|O'"), b"cos\nsystem\n"))),
    "header bomb": update(lambda w: raw(headed(header(f"({BOMB},)")))),
    "header bomb that says 3": update(lambda w: raw(headed(header(f"({BOMB},)"), THREE), (3,))),
    "metadata bomb": update(lambda w: raw(saved(w), (BOMB,))),
    "negative shape": update(lambda w: raw(headed(header("(-3,)"), THREE))),
    "shape of text": update(lambda w: raw(headed(header("('3',)"), THREE))),
    "header of 1 MB": update(lambda w: raw(headed(header("(3,)") + " " * MEGABYTE, THREE, b"\x02\x00"))),
    "header of brackets": update(lambda w: raw(headed("(" * 9000, THREE))),
    "header of code": update(lambda w: raw(headed("__import__('os').abort()", THREE))),
    "header cut off": update(lambda w: raw(b"\x93NUMPY\x01\x00\xff\xff{")),
    "numpy version 9": update(lambda w: raw(headed(header("(3,)"), THREE, b"\x09\x00"))),
    "body cut off": update(lambda w: raw(saved(w)[:-5])),
    "body too long": update(lambda w: raw(saved(w) + b"x" * MEGABYTE)),
    "no bytes": update(lambda w: raw(b"")),
    "not numpy": update(lambda w: raw(b"PK\x03\x04" + b"x" * 100)),
    "another serialisation": update(lambda w: raw(saved(w), stype="pickle")),
    "an unknown serialisation": update(lambda w: raw(saved(w), stype="\x1b[2J")),
    "10 MB instead of 3 numbers": update(lambda w: np.zeros(10 * MEGABYTE // 8)),
    "10 MB of settings with it": update(lambda w: RecordDict(
        {"arrays": arrays(w), "x": ConfigRecord({"x": b"x" * (10 * MEGABYTE)})})),
    "crash": lambda asked, honest: [_failed(asked)],
    "silence": lambda asked, honest: [],
}  # fmt: skip

# These are paid like any other update: what they bring besides is nobody else's business.
ODD: dict[str, Attack] = {
    "other metrics": update(lambda w: w, {"zzz": 1.0}),
    "metrics not finite": update(lambda w: w, {"loss": float("nan"), "x": float("inf")}),
    "metrics as lists": update(lambda w: w, {"loss": [1.0, 2.0]}),
    "loss": update(lambda w: w, {"loss": 0.5}),
    "float32": update(lambda w: w.astype(np.float32)),
    "by columns": update(lambda w: np.asfortranarray(w)),
    "whole numbers": update(lambda w: w.astype(np.int64)),
    "zeros": update(lambda w: w * 0),
}


def _failed(asked: Message) -> Message:
    from flwr.app import Error

    return Message(Error(2, "\x1b[2J" + "x" * MEGABYTE), reply_to=asked)


def repeated(asked: Message, honest: Message) -> list[Message]:
    """A flood: the honest reply a thousand times, and as many to questions that nobody asked."""
    stray = Message(honest.content, reply_to=asked)
    stray.metadata.__dict__["_reply_to_message_id"] = "nobody asked"
    return [honest] * 1000 + [stray] * 1000


def forged(asked: Message, honest: Message) -> list[Message]:
    """In the name of the next node, and of nodes that do not exist."""
    replies = []
    for step in range(1, 300):
        reply = Message(honest.content, reply_to=asked)
        reply.metadata.__dict__["_src_node_id"] = asked.metadata.dst_node_id + step
        replies.append(reply)
    return replies
