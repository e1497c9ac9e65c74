"""A run is played again when code that it uses has changed, and only then."""

import inspect
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

import lefi
from lefi.compiler import PACKAGE, sources
from lefi.studies.plan.code import COLLECTORS, code_digest, digest
from lefi.studies.plan.study import Study

UNIFORM, WATERFILL = "mechanisms/uniform.py", "mechanisms/waterfill/mechanism.py"
USED = (  # by a run of uniform
    UNIFORM,
    "mechanisms/catalogue.py",
    "registry.py",
    "messages.py",
    "arrays.py",
    "rounds.py",
    "models/accuracy.py",
    "offers/price.py",
    "optimum/__init__.py",
    "optimum/tabulated.py",
    "studies/judge/marks.py",
    "studies/run/record.py",
    "world/behaviours/change.py",
    "world/market.py",
    "world/scenarios.py",
)
NOT_USED = (
    "__init__.py",
    "cli/paper.py",
    "flower/incentive.py",
    "ledger/ledger.py",
    "profiling/train.py",
    "testing/mechanism.py",
    "allocation.py",
    "surrogate/bank.py",
    "mechanisms/__init__.py",
    "mechanisms/bara.py",
    "mechanisms/matern.py",
    WATERFILL,
    "studies/claims/sweeps.py",
    "studies/figures/budget.py",
    "studies/report/report.py",
    "studies/run/runner.py",
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The sources of lefi, to be changed."""
    return Path(shutil.copytree(PACKAGE, tmp_path / "lefi", ignore=shutil.ignore_patterns("__pycache__")))


def edited(copy: Path, name: str, mechanism: str) -> bool:
    """Whether an edit of that file makes a run of the mechanism another one."""
    path = copy / name
    path.write_text(path.read_text() + "\n# edited\n")
    return digest((copy / mechanism,), copy) != digest((PACKAGE / mechanism,))


def test_a_copy_is_the_same_code(copy: Path) -> None:
    assert digest((copy / UNIFORM,), copy) == digest((PACKAGE / UNIFORM,)) == code_digest("uniform")
    assert code_digest("uniform") != code_digest("waterfill")


@pytest.mark.parametrize("name", USED)
def test_what_a_run_uses_changes_it(copy: Path, name: str) -> None:
    assert edited(copy, name, UNIFORM)


@pytest.mark.parametrize("name", NOT_USED)
def test_what_a_run_does_not_use_leaves_it(copy: Path, name: str) -> None:
    assert not edited(copy, name, UNIFORM)


@pytest.mark.parametrize("name", ["mechanisms/waterfill/belief.py", "allocation.py", "threads.py", "compiler.py"])
def test_a_mechanism_of_many_files_counts_with_all_that_it_imports(copy: Path, name: str) -> None:
    assert edited(copy, name, WATERFILL)


def test_other_mechanisms_leave_it(copy: Path) -> None:
    assert not edited(copy, UNIFORM, WATERFILL)


@pytest.mark.parametrize("mechanism", sorted(lefi.registered()))
def test_every_module_that_is_loaded_from_a_mechanisms_package_counts(mechanism: str) -> None:
    """No import is overlooked: a mechanism's module sees no other file of lefi than those in its digest."""
    factory = lefi.registered()[mechanism]
    seen = sources(Path(str(inspect.getsourcefile(factory))), PACKAGE, COLLECTORS)
    module = sys.modules[factory.__module__]
    for value in vars(module).values():
        home = value if isinstance(value, ModuleType) else sys.modules.get(getattr(value, "__module__", ""))
        if home is not None and home.__name__.startswith("lefi.") and home.__file__:
            assert Path(home.__file__) in seen


def test_the_key_follows_the_code_and_the_users_own_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text("from lefi.mechanisms.bara import Bara\n\n\nclass Mine(Bara):\n    pass\n")
    study = {"name": "s", "mechanisms": [f"{mine}:Mine", "uniform"], "rounds": 1, "seeds": 1}
    runs = {run.mechanism: run for run in Study.build(study).runs()}
    assert runs["uniform"].code == code_digest("uniform")
    assert runs["mine"].code == code_digest("bara")  # the user's file itself is told apart by its content
    monkeypatch.setattr("lefi.studies.plan.one_run.code_digest", lambda mechanism: f"other {mechanism}")
    assert Study.build(study).runs()[1].key != runs["uniform"].key
