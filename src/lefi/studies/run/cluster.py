"""Run studies on a Dask cluster (extra `cluster`). Workers only compute; the results are written here, as ever."""

from collections.abc import Iterator

from lefi.cluster.engines import reached
from lefi.errors import LefiError
from lefi.receipts import Tables
from lefi.studies.plan.code import code_digest
from lefi.studies.plan.one_run import Run
from lefi.studies.run.store import write_run
from lefi.studies.run.work import Done, Task, compute

ALLOWED = "local, dask://host:port or tls://host:port"


def finish_on_cluster(tasks: list[Task], engine: str) -> Iterator[Done]:
    """Each run as the cluster behind this scheduler has computed it and it is written."""
    with reached(engine, ALLOWED) as client:
        from distributed import as_completed

        submitted = client.map(_compute, [run for _, run in tasks], pure=False)
        waiting = dict(zip(submitted, tasks, strict=True))
        for future in as_completed(list(waiting)):  # type: ignore[no-untyped-call]
            folder, run = waiting.pop(future)
            tables, seconds = future.result()
            write_run(folder, run, tables, seconds)
            yield run, seconds


def _compute(run: Run) -> tuple[Tables, float]:
    """On a worker: compute a run with the same code as here, or refuse."""
    if code_digest(run.spec) != run.code:
        raise LefiError("a worker has another version of lefi; install the same one everywhere")
    return compute(run)
