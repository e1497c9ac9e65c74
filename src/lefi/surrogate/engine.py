"""Which engine runs the processes: numba where it is installed, plain numpy otherwise.

LEFI_ENGINE=numpy in the environment turns numba off; the results are the same to rounding, 10 to 60 times slower.
"""

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from lefi.errors import UnknownName

Compiler = Callable[..., Any]
COMPILED = ("engine", "layout", "formulas", "stream", "filters", "sweep")
THREADED = 2_000_000  # client * points from which a second thread pays; below, starting it costs more than it saves


def _plain(function: Any = None, **_: Any) -> Any:
    """In place of a compiler, nothing."""
    return function if function is not None else _plain


def _engine() -> tuple[bool, Compiler, Compiler]:
    wanted = os.environ.get("LEFI_ENGINE", "numba")
    if wanted not in ("numba", "numpy"):
        raise UnknownName("LEFI_ENGINE", wanted, ("numba", "numpy"))
    try:
        if wanted == "numpy":
            return False, _plain, _plain
        import numba
    except ImportError:
        return False, _plain, _plain
    # No full fastmath: it would drop the guards on the sentinels and the rounding trick of exp.
    options = {"fastmath": {"contract", "nsz"}, "error_model": "numpy"}

    def compiled(function: Any = None, **more: Any) -> Any:
        make = numba.njit(cache=True, **options, **more)
        return make if function is None else make(function)

    return True, compiled, numba.njit(forceinline=True, **options)


NUMBA, compiled, inlined = _engine()


def _select(condition: Any, yes: Any, no: Any) -> Any:
    return yes if condition else no


where: Any = inlined(_select) if NUMBA else np.where  # one number in compiled code, arrays in numpy


def threads() -> int:
    """How many threads a large fleet gets."""
    if not NUMBA:
        return 1
    import numba

    return int(numba.get_num_threads())


def fingerprint() -> str:
    """Of the compiled sources. Numba's cache looks at the file of the compiled function only; a function that
    closes over this string is compiled anew when a formula that it inlines from another file has changed.
    """
    folder = Path(__file__).parent
    return sha256(b"".join((folder / f"{name}.py").read_bytes() for name in COMPILED)).hexdigest()
