"""Are the arrays of a reply those that were asked for? Found out without trusting a word of their headers.

An array travels as a NumPy file in bytes. Its header may claim any shape, and reading it would reserve the memory; so
length, type and shape are compared with the array that was sent before anything is read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from math import prod
from typing import Any

import numpy as np
from flwr.app import Array, ArrayRecord, Message
from numpy.lib import format as npy

from lefi.books.verdicts import MALFORMED, NOT_FINITE, OTHER

NUMPY = "numpy.ndarray"  # Flower's only way of writing arrays
SEALED = 2  # times the length that was sent: the most of an array whose bytes the job writes in a way of its own
HEADER = 10_000  # bytes: the most that NumPy reads of a header
READERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class Part:
    """One array as it was sent; `dtype` None where the job writes its arrays in a way of its own (`stype`)."""

    stype: str
    length: int
    header: bytes = b""
    shape: tuple[int, ...] = ()
    dtype: "np.dtype[Any] | None" = None


class Model:
    """The arrays that were sent; a reply brings the same ones."""

    def __init__(self, sent: ArrayRecord) -> None:
        self.parts = {name: _part(array) for name, array in sent.items()}

    def check(self, reply: ArrayRecord) -> tuple[str | None, ArrayRecord]:
        """The verdict, None where all is well, and the arrays in the types in which they were sent."""
        if set(reply) != set(self.parts):
            return OTHER, reply
        changed: dict[str, Array] = {}
        for name, part in self.parts.items():
            array = reply[name]
            verdict = _fault(array, part)
            if isinstance(verdict, str):
                return verdict, reply
            if verdict is not None:
                changed[name] = verdict
        return None, ArrayRecord(
            {name: changed.get(name, array) for name, array in reply.items()}
        ) if changed else reply


def _part(array: Array) -> Part:
    if array.stype != NUMPY:
        return Part(array.stype, len(array.data))
    shape, _, dtype, start = _header(array.data)
    return Part(NUMPY, len(array.data), array.data[:start], shape, dtype)


def _fault(array: Array, part: Part) -> str | Array | None:
    """A verdict, or the array in the type that was sent, or None where it is already."""
    data = array.data
    if array.stype != part.stype or not isinstance(data, bytes):
        return MALFORMED
    if part.dtype is None:  # what cannot be looked into can at least not be large
        return OTHER if len(data) > SEALED * part.length else None
    if tuple(array.shape) != part.shape:
        return OTHER
    if len(data) == part.length and data.startswith(part.header):
        return _finite(_values(data, len(part.header), part.dtype))
    return _converted(data, part, part.dtype)


def _converted(data: bytes, part: Part, sent: "np.dtype[Any]") -> str | Array | None:
    """An array that was written otherwise than the one that was sent: another number type, or order of its axes."""
    try:
        shape, by_columns, dtype, start = _header(data)
    except Exception:  # whatever a made-up header makes NumPy's reader raise
        return MALFORMED
    if shape != part.shape or dtype.kind not in "biuf" or dtype.itemsize > 8:
        return OTHER
    if len(data) != start + prod(shape) * dtype.itemsize:
        return MALFORMED
    values = _values(data, start, dtype)
    if verdict := _finite(values):
        return verdict
    if sent.kind != "f" or dtype == sent:
        return None
    with np.errstate(over="ignore"):
        cast = values.astype(sent)  # one client must not change the type of everybody's model
    if verdict := _finite(cast):
        return verdict
    return Array(np.ascontiguousarray(cast.reshape(shape, order="F" if by_columns else "C")))


def _header(data: bytes) -> tuple[tuple[int, ...], bool, "np.dtype[Any]", int]:
    """Shape, order, type, and where the numbers begin."""
    file = BytesIO(data[: HEADER + 16])
    shape, by_columns, dtype = READERS[npy.read_magic(file)](file, max_header_size=HEADER)
    if dtype.hasobject or any(length < 0 for length in shape):
        raise ValueError("objects")
    return shape, by_columns, dtype, file.tell()


def _values(data: bytes, start: int, dtype: "np.dtype[Any]") -> "np.ndarray[Any, Any]":
    return np.frombuffer(data, dtype, offset=start) if len(data) > start else np.empty(0, dtype)


def _finite(values: "np.ndarray[Any, Any]") -> str | None:
    return NOT_FINITE if values.dtype.kind in "fc" and not np.isfinite(values).all() else None


def finite(arrays: ArrayRecord) -> bool:
    """Whether every number of an aggregated model is one."""
    return all(_finite(array.numpy()) is None for array in arrays.values() if array.stype == NUMPY)


def models_of(messages: Mapping[int, Message], arrays: ArrayRecord) -> dict[int, Model]:
    """What the update of each node must look like: the arrays that it was sent. Flower sends all nodes the same."""
    seen: dict[int, Model] = {}
    result = {}
    for node, message in messages.items():
        sent = next((part for part in message.content.values() if isinstance(part, ArrayRecord)), arrays)
        if id(sent) not in seen:
            seen[id(sent)] = Model(sent)
        result[node] = seen[id(sent)]
    return result
