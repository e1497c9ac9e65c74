"""Which code made a result: a digest of every source that a run's numbers depend on."""

import inspect
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from lefi.compiler import PACKAGE, sources
from lefi.mechanisms.catalogue import WRAPPERS, layers, mechanism_of

SHARED = ("studies/run/work.py", "mechanisms/catalogue.py")  # what every run goes through, with all that these import
COLLECTORS = frozenset({"", "mechanisms"})  # import every mechanism, of which a run needs one


def code_digest(mechanism: str) -> str:
    """Of the code behind a run of this mechanism. Changed code means new runs, and code that it never sees does not.

    A version number alone would let old results pass for new ones.
    """
    *wrappers, inmost = layers(mechanism)
    factories: list[Any] = [*(WRAPPERS.get(name) for name in wrappers), mechanism_of(inmost)]
    return digest(tuple(file for file in map(_file, factories) if file is not None))


def _file(factory: Any) -> Path | None:
    try:
        file = inspect.getsourcefile(factory)
    except TypeError:  # made at run time: there is no source to look into
        return None
    return Path(file) if file else None


@cache
def digest(mechanisms: tuple[Path, ...], package: Path = PACKAGE) -> str:
    """Of what every run goes through, and of the mechanism's sources with what they import from lefi."""
    seen = {found for name in SHARED for found in sources(package / name, package, COLLECTORS)}
    for mechanism in mechanisms:
        own = (
            COLLECTORS if mechanism.is_relative_to(package) else frozenset[str]()
        )  # the user may take it all from lefi
        seen |= {found for found in sources(mechanism, package, own) if found.is_relative_to(package)}
    result = sha256()
    for path in sorted(seen):
        result.update(path.relative_to(package).as_posix().encode())
        result.update(path.read_bytes())
    return result.hexdigest()
