"""Hypothesis profiles, which tests are left out, and what happens before the first one.

Hypothesis is deterministic where CI is set, with few examples, since each draws a whole fleet: tests.lengths says how
many.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from tests.extras import core_only, left_out
from tests.lengths import examples
from tests.order import rank, scheduler

pytest_plugins = ["tests.databases.fixtures", "tests.registries"]

# Many small matrices: threads of the linear algebra only wait for each other, and for those of the other workers.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

settings.register_profile("local", examples(40), suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure() -> None:
    lacking = sorted({name for names in left_out().values() for name in names})
    if lacking and not core_only():
        raise pytest.UsageError(f"{', '.join(lacking)} missing: run `make test`, or set LEFI_TESTS=core")


def pytest_report_header() -> list[str]:
    return [f"{place.name} is left out: {', '.join(names)} missing" for place, names in left_out().items()]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    return True if collection_path in left_out() else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=rank)


@pytest.hookimpl(optionalhook=True)  # there without xdist, too
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    return scheduler(config, log)


def pytest_sessionstart(session: pytest.Session) -> None:
    if getattr(session.config.option, "numprocesses", None):  # only where xdist starts workers, and before it does
        from tests.warmup import compile_all

        compile_all()
