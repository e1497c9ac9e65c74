"""Run studies: over processes, each run on its own, finished ones skipped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from lefi.arrays import whole
from lefi.files import refusals
from lefi.studies.plan.study import Study
from lefi.studies.run.effort import Effort
from lefi.studies.run.processes import spread
from lefi.studies.run.store import clear_leftovers, finished, write_manifest, write_run
from lefi.studies.run.work import Done, Task, compute

FEW = 4  # groups of runs per process: with fewer of them, runs go alone, or a last long group would keep all waiting


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
    ready: list[Task] = []
    missing: list[Task] = []
    for task in tasks:
        (ready if finished(*task) else missing).append(task)
    finishing = _finish(missing, jobs) if engine == LOCAL else _finish_elsewhere(missing, engine)
    try:
        _report(progress, tasks, ready, finishing)
    finally:
        for folder in folders:  # a worker that was stopped in the middle of writing leaves a hidden folder
            clear_leftovers(folder)
    for study, folder in zip(studies, folders, strict=True):
        write_manifest(folder, study.model_dump(), study.runs())
    return folders


def _report(progress: Progress | None, tasks: list[Task], ready: list[Task], finishing: Iterator[Done]) -> None:
    """Let the runs finish, and tell how far they are after each."""
    tell = progress or _silent
    effort = Effort(run for _, run in tasks)
    for _, run in ready:
        effort.add(run)
    tell(Standing(effort.runs, len(tasks), effort.share()))
    for run, seconds in finishing:
        effort.add(run, seconds)
        tell(Standing(effort.runs, len(tasks), effort.share()))


def _silent(standing: Standing) -> None:
    """Tell nobody."""


def _finish(tasks: list[Task], jobs: int) -> Iterator[Done]:
    """Each run as it is finished and written, those of one world by one process."""
    groups: list[list[Task]] = list(_worlds(tasks).values())
    if 1 < jobs and len(groups) < FEW * jobs:
        groups = [[task] for task in tasks]
    groups.sort(key=lambda group: -sum(run.work for _, run in group))
    for done in spread(_work, groups, jobs):
        yield from done


def _worlds(tasks: list[Task]) -> dict[str, list[Task]]:
    """Runs that meet the same clients, together: what these clients allow is worked out once."""
    worlds: dict[str, list[Task]] = {}
    for task in tasks:
        worlds.setdefault(task[1].world, []).append(task)
    return worlds


def _finish_elsewhere(tasks: list[Task], engine: str) -> Iterator[Done]:
    from lefi.studies.run.cluster import finish_on_cluster

    return finish_on_cluster(sorted(tasks, key=lambda task: -task[1].work), engine)


def _work(tasks: list[Task]) -> list[Done]:
    """Compute and write runs, one after the other."""
    done: list[Done] = []
    for folder, run in tasks:
        tables, seconds = compute(run)
        write_run(folder, run, tables, seconds)
        done.append((run, seconds))
    return done
