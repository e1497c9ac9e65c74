"""Run studies on a Dask cluster (extra `cluster`). Workers only compute; the results are written here, as ever."""

from collections.abc import Iterator

from lefi.errors import InputError, LefiError
from lefi.receipts import Tables
from lefi.studies.plan.code import code_digest
from lefi.studies.plan.one_run import Run
from lefi.studies.run.store import write_run
from lefi.studies.run.work import Done, Task, compute

SCHEME = "dask://"
PATIENCE = 20  # seconds to reach the scheduler


def finish_on_cluster(tasks: list[Task], engine: str) -> Iterator[Done]:
    """Each run as the cluster at dask://host:port has computed it and it is written."""
    if not engine.startswith(SCHEME) or ":" not in engine.removeprefix(SCHEME):
        raise InputError("engine", engine, "dask://host:port")
    try:
        from distributed import Client, as_completed
    except ModuleNotFoundError as error:
        raise LefiError(f"engine {engine} needs {error.name}: pip install 'lefi-fl[cluster]'") from None
    try:
        client = Client(engine.replace(SCHEME, "tcp://", 1), timeout=PATIENCE)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise LefiError(f"cannot reach {engine}: {str(error).splitlines()[0]}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise LefiError(f"{engine} has no workers") from None
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
