"""Kept machine code: never older than any source it was made of, and still kept where nothing changed."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lefi import compiler

CALLEE = """
from {name}.compiler import compiler
compiled = compiler()
STEP = 1
@compiled
def more(x):
    return x + STEP
"""
CALLER = """
from {name}.callee import compiled, more
@compiled
def twice(x):
    return more(more(x))
"""
ASK = "from {name}.caller import twice; print(twice(10), sum(twice.stats.cache_hits.values()))"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with the compiler and two tiny modules, one of which calls the other."""
    folder = tmp_path / "tiny"
    folder.mkdir()
    shutil.copy(compiler.__file__, folder)
    for module, text in {"__init__": "", "callee": CALLEE, "caller": CALLER}.items():
        (folder / f"{module}.py").write_text(text.format(name=folder.name))
    return folder


def ask(package: Path, **environment: str) -> tuple[int, bool]:
    """What a fresh process computes, and whether it found the code of an earlier one."""
    left_out = ("NUMBA_CACHE_DIR", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    clean = {name: value for name, value in os.environ.items() if name not in left_out}
    done = subprocess.run(
        [sys.executable, "-B", "-c", ASK.format(name=package.name)],
        env=clean | environment,
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    value, hits = map(int, done.stdout.split())
    return value, hits > 0


def test_a_changed_callee_is_compiled_into_its_callers(package: Path) -> None:
    assert ask(package) == (12, False)
    assert ask(package) == (12, True)
    callee = package / "callee.py"
    before = callee.read_text()
    callee.write_text(before.replace("STEP = 1", "STEP = 5"))
    assert ask(package) == (20, False)
    callee.write_text(before)
    assert ask(package) == (12, True)


def test_where_the_package_cannot_be_written_the_user_keeps_the_code(package: Path, tmp_path: Path) -> None:
    (package / "__pycache__").write_text("")  # root may write anywhere, but not into a file
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "kept")}
    assert ask(package, **home) == (12, False)
    assert ask(package, **home) == (12, True)


def test_a_function_sees_its_imports_and_theirs_and_keeps_its_name() -> None:
    from lefi.mechanisms.waterfill import belief

    seen = {path.relative_to(compiler.PACKAGE).as_posix() for path in compiler.sources(Path(belief.__file__))}
    assert {f"mechanisms/waterfill/{name}.py" for name in ("belief", "curves", "memory", "shared")} <= seen
    assert "mechanisms/price/mechanism.py" not in seen
    assert belief.fit.__qualname__ == "fit"


def test_an_imported_package_counts_with_every_file(tmp_path: Path) -> None:
    (tmp_path / "it.py").write_text("import numpy\n    from lefi.offers import price\nimport lefition\n")
    seen = compiler.sources(tmp_path / "it.py")
    assert set((compiler.PACKAGE / "offers").glob("*.py")) <= seen


NOWHERE = """
import numba.core.caching as caching
caching.CacheImpl._locator_classes = []
from lefi.compiler import say_compiling
import numpy as np
say_compiling()
from lefi.allocation import allocate
print(allocate(np.array([[0.0, 1.0]]), np.array([[0.0, 1.0]]), 2.0)[0])
"""


def test_where_nothing_can_be_kept_it_compiles_anew_and_says_so() -> None:
    """As in a read-only container without a home."""
    done = subprocess.run([sys.executable, "-c", NOWHERE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[1]"
    assert done.stderr.count("no place to keep machine code") == 1
    assert done.stderr.count("lefi: compiling, once") == 1
