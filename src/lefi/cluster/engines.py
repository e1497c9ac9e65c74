"""Engines: where the steps of a round are computed. In this process, in K processes here, or on a Dask cluster.

An engine takes a function and what it is given, and hands out a future, which may be given to further functions. What
a future stands for stays where it was computed, until it is gathered.
"""

import asyncio
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import Any, Protocol

from lefi.errors import InputError, LefiError

ALLOWED = "here, local:WORKERS, dask://HOST:PORT or tls://HOST:PORT"
SCHEMES = {"dask://": "tcp://", "tls://": "tls://"}
LOOPBACK = "127.0.0.1"
PATIENCE = 20  # seconds to reach the scheduler, and for a first worker to come
DEATHS = 10  # workers that may die under one step before the step is held to be the cause
QUIET = {
    "distributed.diagnostics.nvml": False,
    "distributed.scheduler.allowed-failures": DEATHS,
    "distributed.worker.profile.enabled": False,  # it looks at a worker's stack 100 times a second, and we never do
    "distributed.admin.tick.interval": "200ms",  # ten times the usual one: workers wait most of the time
}


class Engine(Protocol):
    """Computes steps."""

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        """A future of what the step returns."""
        ...

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        """What the futures stand for, here."""
        ...


class Here:
    """This process: every step at once, one after the other."""

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        return step(*given)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        return list(futures)


class Cluster:
    """Workers behind a Dask scheduler. A worker that dies is replaced by the others: they compute its steps again."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def submit(self, step: Callable[..., Any], *given: Any) -> Any:
        return self.client.submit(step, *given, pure=False)

    def gather(self, futures: Sequence[Any]) -> list[Any]:
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            return list(self.client.gather(list(futures)))
        except KilledWorker as error:
            raise LefiError(f"too many workers died under {error.task}: is a partition too large for one?") from None
        except (CommClosedError, CancelledError, asyncio.CancelledError, TimeoutError):
            raise LefiError("the scheduler is lost; the same command goes on from what was written") from None


@contextmanager
def opened(engine: str) -> Iterator[Engine]:
    """The engine of that name, as long as it is used: here, local:WORKERS, dask://HOST:PORT or tls://HOST:PORT.

    >>> from lefi.cluster import opened
    >>> with opened("here") as engine:
    ...     engine.gather([engine.submit(max, 2, 3)])
    [3]
    """
    if engine == "here":
        yield Here()
    elif engine.startswith("local:"):
        with _local(_workers(engine)) as found:
            yield found
    else:
        with reached(engine, ALLOWED) as client:
            yield Cluster(client)


def _workers(engine: str) -> int:
    count = engine.removeprefix("local:")
    if not count.isascii() or not count.isdecimal() or not 1 <= int(count) <= 1024:
        raise InputError("engine", engine, f"{ALLOWED}, with 1 to 1024 workers")
    return int(count)


@contextmanager
def _local(workers: int) -> Iterator[Engine]:
    """Processes of one thread each, that speak to each other on loopback only."""
    distributed = _distributed(f"local:{workers}")
    import dask

    # One thread per worker, in libraries too: more would fight for the same cores. But lefi's own threads, because
    # while one worker decides for all the others wait.
    alone = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "POLARS_MAX_THREADS"), 1)
    alone["LEFI_THREADS"] = workers
    environment = {"MALLOC_TRIM_THRESHOLD_": 65536} | alone  # Dask's own: what is freed goes back
    settings = QUIET | {"distributed.nanny.pre-spawn-environ": environment}
    # Left out, the addresses of dashboards would be those of all networks of this machine.
    places = {"host": LOOPBACK} | dict.fromkeys(("dashboard_address", "worker_dashboard_address"), f"{LOOPBACK}:0")
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=True, memory_limit=0, silence_logs=50, **places
        ) as cluster,
        distributed.Client(cluster, timeout=PATIENCE) as client,
    ):
        yield Cluster(client)


@contextmanager
def reached(engine: str, allowed: str) -> Iterator[Any]:
    """A Dask client of the scheduler at dask://HOST:PORT or tls://HOST:PORT that has workers; else what is allowed."""
    scheme = next((scheme for scheme in SCHEMES if engine.startswith(scheme)), None)
    host, _, port = engine.removeprefix(scheme or "").rpartition(":")
    if scheme is None or not host or not port.isdecimal():
        raise InputError("engine", engine, allowed)
    distributed = _distributed(engine)
    try:
        client = distributed.Client(engine.replace(scheme, SCHEMES[scheme], 1), timeout=PATIENCE)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        raise LefiError(f"cannot reach {engine}: {str(error).splitlines()[0]}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise LefiError(f"{engine} has no workers") from None
        yield client


def _distributed(engine: str) -> Any:
    try:
        import distributed
    except ModuleNotFoundError as error:
        raise LefiError(f"engine {engine} needs {error.name}: pip install 'lefi-fl[cluster]'") from None
    return distributed


def process() -> int:
    """On a worker: its process."""
    return os.getpid()
