"""Compute one run, in whatever process."""

import time
import traceback
from functools import cache
from pathlib import Path

import scipy.linalg  # noqa: F401  its BLAS must be there when threads are counted
from threadpoolctl import ThreadpoolController

from lefi.errors import LefiError
from lefi.receipts import Tables
from lefi.studies.plan.one_run import Run
from lefi.studies.run.record import record

Task = tuple[Path, Run]  # the folder of the study, and a run of it
Done = tuple[Run, float]  # a run that is written, and the seconds it took


@cache
def _threads() -> ThreadpoolController:
    """The libraries of linear algebra: to look for them takes as long as ten rounds."""
    return ThreadpoolController()


def compute(run: Run) -> tuple[Tables, float]:
    """The tables of a run and the seconds it took. One thread: linear algebra on more threads rounds differently."""
    started = time.perf_counter()
    with _threads().limit(limits=1):
        try:
            tables = record(run)
        except LefiError:
            raise
        except Exception as error:
            where = traceback.extract_tb(error.__traceback__)[-1]
            raise LefiError(
                f"{run.mechanism} with seed {run.seed} failed at {where.filename}:{where.lineno}: "
                f"{type(error).__name__}: {error}"
            ) from error
    return tables, time.perf_counter() - started
