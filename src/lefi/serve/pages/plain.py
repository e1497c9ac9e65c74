"""Numbers as JSON takes them: null for NaN, and no more digits than a screen shows."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

DIGITS = 7  # significant: a chart of a thousand points shows no more


def number(value: Any) -> float | None:
    """The value, or None where it is none or not finite."""
    if value is None:
        return None
    value = float(value)
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else None


def numbers(values: Iterable[Any]) -> list[Any]:
    """A list, or a list of lists, of such values."""
    return [numbers(value) if isinstance(value, list | tuple | np.ndarray) else number(value) for value in values]
