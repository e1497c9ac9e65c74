"""Which engine runs the processes: numba where it is installed, plain numpy otherwise (see `lefi.compiler`).

In numpy the same formulas run over arrays of clients instead of one: 10 to 60 times slower.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from lefi.compiler import NUMBA, compiler

Compiler = Callable[..., Any]
THREADED = 2_000_000  # client * points from which a second thread pays; below, starting it costs more than it saves


def _plain(function: Any) -> Any:
    """In place of a compiler, nothing."""
    return function


def _engine() -> tuple[Compiler, Compiler, Compiler]:
    if not NUMBA:
        return _plain, _plain, _plain
    import numba

    # No full fastmath: it would drop the guards on the sentinels and the rounding trick of exp.
    fast = {"contract", "nsz"}
    options: dict[str, Any] = {"fastmath": fast, "error_model": "numpy"}
    bare: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # never called from Python
    loop = numba.njit(forceinline=True, **bare, **options)
    return compiler(fastmath=fast), loop, numba.njit(inline="always", **options)


# A whole pass; a loop or formula in it; a branch over loops, which is not worth compiling by itself.
compiled, inlined, branched = _engine()


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


where: Any = inlined(_select) if NUMBA else np.where  # one number in compiled code, arrays in numpy
