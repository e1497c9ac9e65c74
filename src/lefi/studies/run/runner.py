"""Run studies: over processes, each run on its own, finished ones skipped."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path

from lefi.arrays import whole
from lefi.errors import LefiError
from lefi.files import refusals
from lefi.studies.plan.one_run import Run
from lefi.studies.plan.study import Study
from lefi.studies.run.store import clear_leftovers, finished, write_manifest, write_run
from lefi.studies.run.work import Task, compute


@dataclass(frozen=True)
class Standing:
    """How far a study is: runs done of all, and the share of the work that they are."""

    done: int
    total: int
    share: float


Progress = Callable[[Standing], None]
LOCAL = "local"


def run_study(
    study: Study, out: Path | str, *, jobs: int = 1, engine: str = LOCAL, progress: Progress | None = None
) -> Path:
    """Run what is missing of one study under `out`; its folder."""
    return run_studies([study], out, jobs=jobs, engine=engine, progress=progress)[0]


def run_studies(
    studies: Sequence[Study],
    out: Path | str,
    *,
    jobs: int = 1,
    engine: str = LOCAL,
    progress: Progress | None = None,
) -> list[Path]:
    """Run what is missing of all these studies, the longest runs first; their folders.

    `engine` is "local" (that many processes) or dask://host:port. Each run computes the same bytes whatever `jobs` and
    `engine` are. Finished runs stay, whatever stops the others.
    """
    whole("jobs", jobs, low=1)
    folders = [Path(out) / study.name for study in studies]
    tasks = [(folder, run) for study, folder in zip(studies, folders, strict=True) for run in study.runs()]
    for folder in folders:
        with refusals(folder):
            folder.mkdir(parents=True, exist_ok=True)
        clear_leftovers(folder)
    missing = sorted((task for task in tasks if not finished(*task)), key=lambda task: -task[1].work)
    finishing = _finish(missing, jobs) if engine == LOCAL else _finish_elsewhere(missing, engine)
    try:
        _report(progress, tasks, missing, finishing)
    finally:
        for folder in folders:  # a worker that was stopped in the middle of writing leaves a hidden folder
            clear_leftovers(folder)
    for study, folder in zip(studies, folders, strict=True):
        write_manifest(folder, study.model_dump(), study.runs())
    return folders


def _report(progress: Progress | None, tasks: list[Task], missing: list[Task], finishing: Iterator[Run]) -> None:
    """Let the runs finish, and tell how far they are after each."""
    tell = progress or _silent
    total = max(sum(run.work for _, run in tasks), 1)
    done = len(tasks) - len(missing)
    work = total - sum(run.work for _, run in missing)
    tell(Standing(done, len(tasks), work / total))
    for run in finishing:
        done, work = done + 1, work + run.work
        tell(Standing(done, len(tasks), work / total))


def _silent(standing: Standing) -> None:
    """Tell nobody."""


def _finish(tasks: list[Task], jobs: int) -> Iterator[Run]:
    """Each run as it is finished and written."""
    if jobs == 1 or len(tasks) <= 1:
        for task in tasks:
            yield _work(task)
        return
    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(
        min(jobs, len(tasks)), mp_context=multiprocessing.get_context("spawn"), initializer=_start_worker
    )
    futures: list[Future[Run]] = [pool.submit(_work, task) for task in tasks]
    try:
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


def _finish_elsewhere(tasks: list[Task], engine: str) -> Iterator[Run]:
    from lefi.studies.run.cluster import finish_on_cluster

    return finish_on_cluster(tasks, engine)


def _start_worker() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None

    def follow() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def _work(task: Task) -> Run:
    """Compute and write one run."""
    folder, run = task
    write_run(folder, run, *compute(run))
    return run
