"""The compiler of the kernels that run over clients: numba, its machine code kept on disk between runs.

Without numba, or with LEFI_ENGINE=numpy in the environment, kernels run as the plain Python that they are: the same
results to rounding, and 10 to 1,000 times slower.

Numba takes kept code for fresh as long as the file of the function itself is as it was, so a change in a file that the
function calls into would go unnoticed. Here the name of the kept file carries a digest of every source of lefi that
the function can see: changed sources have files of their own, and code of old ones can never run.
"""

import os
import re
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from warnings import warn

from lefi.errors import UnknownName

P = ParamSpec("P")
R = TypeVar("R")
PACKAGE = Path(__file__).parent
IMPORT = re.compile(rf"^\s*(?:from|import)\s+{PACKAGE.name}\b([.\w]*)(?:\s+import\s+(\([^)]*\)|[^\n]*))?", re.MULTILINE)


def _numba() -> bool:
    """Whether kernels are compiled."""
    wanted = os.environ.get("LEFI_ENGINE", "numba")
    if wanted not in ("numba", "numpy"):
        raise UnknownName("LEFI_ENGINE", wanted, ("numba", "numpy"))
    if wanted == "numpy":
        return False  # without even a look at numba, which takes half a second to import
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


NUMBA = _numba()


def compiler(**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator that turns a function into machine code, which needs no lock."""
    if not NUMBA:
        return lambda function: function
    import numba

    njit = numba.njit(cache=True, error_model="numpy", nogil=True, **options)

    def compiled(function: Callable[P, R]) -> Callable[P, R]:
        name = function.__qualname__
        function.__qualname__ = f"{name}-{digest(Path(function.__code__.co_filename))}"  # numba names the file by it
        try:
            made: Callable[P, R] = njit(function)
        except RuntimeError:  # nowhere to keep machine code: a read-only package, and a user without a home
            _say_unkept()
            made = numba.njit(error_model="numpy", nogil=True, **options)(function)
        function.__qualname__ = made.__qualname__ = name
        return made

    return compiled


@cache
def _say_unkept() -> None:
    warn("no place to keep machine code: every start compiles anew; NUMBA_CACHE_DIR names a place", stacklevel=2)


def say_compiling() -> None:
    """Let the first compilation of this process be said on stderr: it takes up to a minute and looks like a hang."""
    if not NUMBA:
        return
    from numba.core import event

    class Said(event.Listener):
        """Says once that something is compiled."""

        said = False

        def on_start(self, _: Any) -> None:
            if not self.said:
                self.said = True
                print("lefi: compiling, once; the machine code is kept for the next time", file=sys.stderr, flush=True)

        def on_end(self, _: Any) -> None:
            """Nothing to say."""

    event.register("numba:compile", Said())  # type: ignore[no-untyped-call]


# Numba counts the references to every array that a function is handed, by atomic additions that took a fifth of the
# time of a fit. Arrays of kernels belong to the caller, so nothing is counted, but where one needs room of its own.
compiled = compiler(_nrt=False)
allocating = compiler(_nrt=True)
inlined = compiler(_nrt=False, forceinline=True)  # what runs many times per client: a call costs more than it does


@cache
def digest(path: Path) -> str:
    """Of a source and of all that it imports from lefi."""
    found = sha256()
    for source in sorted(sources(path)):
        found.update(sha256(_read(source)).digest())
    return found.hexdigest()[:12]


def sources(path: Path, package: Path = PACKAGE, collectors: frozenset[str] = frozenset()) -> set[Path]:
    """A source and all that it imports from lefi, directly or not; of an imported package every file.

    Of a package in `collectors` (dotted, lefi itself is "") only the modules that are named: its __init__ imports all
    of them for the user's comfort, and says nothing about who needs which.
    """
    found: set[Path] = set()
    ahead = {path}
    while ahead:
        found |= ahead
        imports = {imported for source in ahead for imported in IMPORT.findall(_read(source).decode())}
        ahead = {file for name, members in imports for file in _files(package, name, members, collectors)} - found
    return found


def _files(package: Path, name: str, members: str, collectors: frozenset[str]) -> set[Path]:
    """The files behind `from lefi<name> import <members>`."""
    dotted = name.strip(".")
    if dotted in collectors:
        inside = (f"{name}.{member}" for member in re.findall(r"\w+", members))
        return set[Path]().union(*(_files(package, member, "", frozenset()) for member in inside))
    place = package.joinpath(*dotted.split("."))
    file = {place.with_suffix(".py")} if dotted else set[Path]()
    return {file for file in file if file.is_file()} | set(place.glob("*.py"))


@cache
def _read(source: Path) -> bytes:
    return source.read_bytes()
