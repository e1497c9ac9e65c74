"""Which engine runs the processes: numba where it is installed, plain numpy otherwise.

LEFI_ENGINE=numpy in the environment turns numba off; the results are the same to rounding, 10 to 60 times slower.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from lefi.errors import UnknownName

Compiler = Callable[..., Any]
THREADED = 2_000_000  # client * points from which a second thread pays; below, starting it costs more than it saves


def _plain(function: Any) -> Any:
    """In place of a compiler, nothing."""
    return function


def _engine() -> tuple[bool, Compiler, Compiler, Compiler]:
    wanted = os.environ.get("LEFI_ENGINE", "numba")
    if wanted not in ("numba", "numpy"):
        raise UnknownName("LEFI_ENGINE", wanted, ("numba", "numpy"))
    try:
        if wanted == "numpy":
            return False, _plain, _plain, _plain
        import numba

        from lefi.compiler import compiler
    except ImportError:
        return False, _plain, _plain, _plain
    # No full fastmath: it would drop the guards on the sentinels and the rounding trick of exp.
    fast = {"contract", "nsz"}
    options: dict[str, Any] = {"fastmath": fast, "error_model": "numpy"}
    bare: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # never called from Python
    loop = numba.njit(forceinline=True, **bare, **options)
    return True, compiler(fastmath=fast), loop, numba.njit(inline="always", **options)


# A whole pass; a loop or formula in it; a branch over loops, which is not worth compiling by itself.
NUMBA, compiled, inlined, branched = _engine()


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


where: Any = inlined(_select) if NUMBA else np.where  # one number in compiled code, arrays in numpy


def threads() -> int:
    """How many threads a large fleet gets: LEFI_THREADS, or one per core that this process may use."""
    if wanted := os.environ.get("LEFI_THREADS"):
        return max(1, int(wanted)) if wanted.isdecimal() else 1
    cores = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    return len(cores(0))
