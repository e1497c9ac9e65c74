"""Work spread over processes of this machine, which end with this one, however it ends."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar, cast

from lefi.errors import LefiError
from lefi.threads import threads

T = TypeVar("T")
R = TypeVar("R")


def spread(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[R]:
    """What `work` makes of each item, as it comes; in this process where one is enough.

    Other processes begin at once, not when the first result is asked for: this one may do something else meanwhile.
    """
    if jobs == 1 or len(items) <= 1:
        return map(work, items)
    results = _elsewhere(work, items, jobs)
    next(results)
    return cast(Iterator[R], results)


def _elsewhere(work: Callable[[T], R], items: Sequence[T], jobs: int) -> Iterator[R | None]:
    """First None, when all is handed out: from then on closing ends the processes. Then the results."""
    before = multiprocessing.active_children()
    jobs = min(jobs, len(items))
    pool = ProcessPoolExecutor(
        jobs, mp_context=multiprocessing.get_context("spawn"), initializer=_start, initargs=(max(1, threads() // jobs),)
    )
    futures: list[Future[R]] = [pool.submit(work, item) for item in items]
    try:
        yield None
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool:
        raise LefiError("a worker process was killed; finished runs are kept, run the same command again") from None
    finally:
        # On the way out of an error or Ctrl-C nobody waits for runs that may take minutes: they will be run again.
        if not all(future.done() for future in futures):
            pool.shutdown(wait=False, cancel_futures=True)
            ended = [worker for worker in multiprocessing.active_children() if worker not in before]
            for worker in ended:
                worker.terminate()
            for worker in ended:
                worker.join()  # else it still counts as alive, and what it had begun to write as its own
        pool.shutdown(wait=True)


def _start(threads: int) -> None:
    """Leave Ctrl-C to the parent, end with it however it ends, and take no more than a fair part of the cores."""
    os.environ["LEFI_THREADS"] = str(threads)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()
