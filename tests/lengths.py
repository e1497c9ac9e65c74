"""How long the tests are: `make test` takes a part of what there is, `make long` (LEFI_LONG=1) all of it.

A part is enough to fail where a property is lost altogether. All of it finds what is lost in a corner.
"""

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

R = TypeVar("R")
C = TypeVar("C")
LONG = bool(os.environ.get("LEFI_LONG"))
FEWER = 4  # of the examples that Hypothesis draws at length, one in so many is drawn otherwise
LEAST = 5  # examples: with fewer, a strategy hardly leaves its simplest values


def amount(long: int, short: int) -> int:
    """The first at length, the second otherwise."""
    return long if LONG else short


def examples(long: int) -> settings:
    """As many examples at length, a fixed part of them otherwise."""
    return settings(max_examples=amount(long, max(long // FEWER, LEAST)), deadline=None)


def covering(rows: Sequence[R], columns: Sequence[C]) -> list[tuple[R, C]]:
    """Every pair at length; otherwise pairs in which each row and each column stands at least once."""
    if LONG:
        return [(row, column) for row in rows for column in columns]
    both = range(max(len(rows), len(columns)))
    return [(rows[place % len(rows)], columns[place % len(columns)]) for place in both]
