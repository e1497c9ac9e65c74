"""The compiler of the mechanisms' kernels, and the threads that run them over a large fleet.

Numba counts the references to every array that a function is handed, by atomic additions that took a fifth of the time
of a fit. Arrays here belong to the caller, so nothing is counted, but in the few kernels that need room of their own.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lefi.compiler import compiler
from lefi.surrogate.engine import threads

compiled = compiler(_nrt=False)
allocating = compiler(_nrt=True)
inlined = compiler(_nrt=False, forceinline=True)  # what runs many times per client: a call costs more than it does
LARGE = 1_000  # clients from which a second thread pays
PARTS, PART = 8, 250  # per thread, so that an uneven load evens out; clients of one at least


def in_parts(n: int, work: Callable[[slice], None]) -> None:
    """Do the work for n clients, on all threads where there are many: compiled code needs no lock."""
    workers = threads() if n >= LARGE else 1
    if workers == 1:
        work(slice(0, n))
        return
    step = max(-(-n // (workers * PARTS)), PART)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, (slice(at, min(at + step, n)) for at in range(0, n, step))))
