"""In which order tests run, and which of them on the same worker."""

from importlib import import_module
from typing import Any

import pytest

# A minute or two, half of it spent waiting for Flower or a browser: others run beside them if they come first.
WAITING = ("tests/flower/test_deployment.py", "tests/flower/test_engines.py", "tests/serve/pages/")
# The tests of a file mostly share what takes long to make, and each worker would make its own; these files share, too.
GROUPS = {
    "tests/architecture": "imports and walks",
    "tests/surrogate": "compiled sweeps",
    "tests/reference/test_bank_sklearn.py": "compiled sweeps",
    "tests/serve/pages": "one browser",
    "tests/studies/test_figures.py": "small results",
    "tests/studies/test_report.py": "small results",
}
# Many tests that share nothing: they fill the end, when the long files are done.
SPREAD = ("tests/contracts/", "tests/game/", "tests/golden/", "tests/hostile/", "tests/mechanisms/", "tests/reference/")


def group_of(nodeid: str) -> str:
    """Tests of one group go to one worker, those that share nothing to whoever is free."""
    file = nodeid.partition("::")[0]
    alone = nodeid if nodeid.startswith(SPREAD) else file
    return GROUPS.get(file) or GROUPS.get(file.rpartition("/")[0]) or alone


def rank(item: pytest.Item) -> tuple[int, bool, bool]:
    """Long tests first, so that none is left over when all others are done."""
    waits = next((place for place, start in enumerate(WAITING) if item.nodeid.startswith(start)), len(WAITING))
    return waits, item.get_closest_marker("slow") is None, group_of(item.nodeid) == item.nodeid


def scheduler(config: pytest.Config, log: Any) -> Any:
    """For pytest-xdist, whose own groups are lost on pytest 9."""
    made = import_module("xdist.scheduler").LoadScopeScheduling(config, log)
    made._split_scope = group_of
    config.option.loadscopereorder = False  # the tests are in order
    return made
