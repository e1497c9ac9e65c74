"""Run studies: over processes, each run on its own, finished ones skipped."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lefi.arrays import whole
from lefi.files import refusals
from lefi.studies.plan.study import Study
from lefi.studies.run.effort import Effort, work
from lefi.studies.run.processes import spread
from lefi.studies.run.store import clear_leftovers, finished, write_manifest, write_run
from lefi.studies.run.work import Done, Task, compute

FEW = 4  # groups of runs per process: with fewer of them, runs go alone, or a last long group would keep all waiting


@dataclass(frozen=True)
class Standing:
    """How far a study is: runs done of all, the share of the work that they are, and seconds left where known."""

    done: int
    total: int
    share: float
    left: float | None = field(default=None, compare=False)


Progress = Callable[[Standing], None]
LOCAL = "local"


def run_study(
    study: Study, out: Path | str, *, jobs: int = 1, engine: str = LOCAL, progress: Progress | None = None
) -> Path:
    """Run what is missing of one study under `out`; its folder.

    >>> from tempfile import mkdtemp
    >>> from lefi.studies import Study, run_study
    >>> study = Study.build({"name": "mine", "mechanisms": ["uniform"], "rounds": 2, "seeds": 2, "clients": 3})
    >>> run_study(study, mkdtemp()).name
    'mine'
    """
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

    `engine` is "local" (that many processes), dask://host:port or tls://host:port. Each run computes the same bytes
    whatever `jobs` and `engine` are. Finished runs stay, whatever stops the others.
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
        _report(progress, tasks, ready, finishing, jobs if engine == LOCAL else None)
    finally:
        for folder in folders:  # a worker that was stopped in the middle of writing leaves a hidden folder
            clear_leftovers(folder)
    for study, folder in zip(studies, folders, strict=True):
        write_manifest(folder, study.model_dump(), study.runs())
    return folders


def _report(
    progress: Progress | None, tasks: list[Task], ready: list[Task], finishing: Iterator[list[Done]], jobs: int | None
) -> None:
    """Let the runs finish, and tell how far they are after each step."""
    tell = progress or _silent
    effort = Effort(run for _, run in tasks)
    for _, run in ready:
        effort.add(run)
    tell(Standing(effort.runs, len(tasks), effort.share()))
    for done in finishing:
        for run, seconds in done:
            effort.add(run, seconds)
        left = effort.left()
        tell(Standing(effort.runs, len(tasks), effort.share(), left / jobs if left is not None and jobs else None))


def _silent(standing: Standing) -> None:
    """Tell nobody."""


def _finish(tasks: list[Task], jobs: int) -> Iterator[list[Done]]:
    """Runs as they are finished and written. Those of one world go to one process, one after the other."""
    groups: list[list[Task]] = list(_worlds(tasks).values())
    if 1 < jobs and len(groups) < FEW * jobs:
        groups = [[task] for task in tasks]
    groups.sort(key=lambda group: -sum(work(run) for _, run in group))
    if jobs == 1:  # nobody else to give the others of a group to: say after each that it is done
        groups = [[task] for group in groups for task in group]
    return spread(_work, groups, jobs)


def _worlds(tasks: list[Task]) -> dict[str, list[Task]]:
    """Runs that meet the same clients, together: what these clients allow is worked out once.

    Among them, runs that are played alike stand side by side, first those that keep the most: they are played once.
    """
    plays: dict[str, list[Task]] = {}
    for task in sorted(tasks, key=lambda task: not task[1].keep_clients):
        plays.setdefault(task[1].play, []).append(task)
    worlds: dict[str, list[Task]] = {}
    for _, run in tasks:
        worlds.setdefault(run.world, []).extend(plays.pop(run.play, []))
    return worlds


def _finish_elsewhere(tasks: list[Task], engine: str) -> Iterator[list[Done]]:
    from lefi.studies.run.cluster import finish_on_cluster

    return ([done] for done in finish_on_cluster(sorted(tasks, key=lambda task: -work(task[1])), engine))


def _work(tasks: list[Task]) -> list[Done]:
    """Compute and write runs, one after the other."""
    done: list[Done] = []
    for folder, run in tasks:
        tables, seconds = compute(run)
        write_run(folder, run, tables, seconds)
        done.append((run, seconds))
    return done
