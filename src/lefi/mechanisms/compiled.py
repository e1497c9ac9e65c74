"""The compiler of the kernels that run over clients: numba, kept on disk between runs."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code."""
    made: Callable[P, R] = numba.njit(cache=True, error_model="numpy", nogil=True)(function)
    return made
