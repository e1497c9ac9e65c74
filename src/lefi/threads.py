"""The threads that run compiled code over a large fleet."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

LARGE = 1_000  # clients from which a second thread pays
PARTS, PART = 8, 250  # per thread, so that an uneven load evens out; clients of one at least


def threads() -> int:
    """How many threads a large fleet gets: LEFI_THREADS, or one per core that this process may use."""
    if wanted := os.environ.get("LEFI_THREADS"):
        return max(1, int(wanted)) if wanted.isdecimal() else 1
    cores = getattr(os, "sched_getaffinity", lambda _: range(os.cpu_count() or 1))
    return len(cores(0))


def in_parts(n: int, work: Callable[[slice], None]) -> None:
    """Do the work for n clients, on all threads where there are many: compiled code needs no lock."""
    workers = threads() if n >= LARGE else 1
    if workers == 1:
        work(slice(0, n))
        return
    step = max(-(-n // (workers * PARTS)), PART)
    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, (slice(at, min(at + step, n)) for at in range(0, n, step))))
