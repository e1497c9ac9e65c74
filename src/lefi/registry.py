"""Names for what others may add: mechanisms, scenarios, behaviours, ways of paying, accuracy and cost models.

A thing comes in by a decorator, by an entry point of an installed package, or as `file.py:Name` or
`package.module:Name` wherever a name can be written. All of these import code: a study from a stranger is a program.
"""

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import sha256
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, Generic, TypeVar

from lefi.errors import InputError, LefiError, UnknownName

T = TypeVar("T")
HOME = __name__.partition(".")[0]
LOADED = "lefi_plugin_"  # names of modules that were loaded from a file

_modules: dict[str, ModuleType] = {}


class Registry(Generic[T]):
    """Things of one kind by name. `missing` says what an object lacks to be one of them, or nothing."""

    def __init__(self, kind: str, missing: Callable[[Any], str | None]) -> None:
        self.kind, self.missing = kind, missing
        self.group = f"{HOME}.{kind}"  # of entry points: [project.entry-points."lefi.mechanism"]
        self.things: dict[str, T] = {}
        self.origins: dict[str, str] = {}  # where each is from, as a spec that a new process can load

    def register(self, name: str) -> Callable[[T], T]:
        """Decorator: make a thing known under this name. A name that is taken is refused."""
        return lambda thing: self.add(name, thing)

    def add(self, name: str, thing: T, origin: str | None = None) -> T:
        if name in self.things and self.things[name] is not thing:
            raise LefiError(f"{self.kind} {name!r} is registered already, by {self.origins[name]}")
        self._check(name, thing)
        self.origins.setdefault(name, origin or _origin(thing))
        self.things[name] = thing
        return thing

    def known(self) -> dict[str, T]:
        """All of them by name, those of installed packages loaded, but for those that cannot be (see `broken`)."""
        self.broken()
        return dict(self.things)

    def broken(self) -> dict[str, str]:
        """Entry points that cannot be loaded, and why."""
        found = {}
        for name, point in _points(self.group).items():
            try:
                self._load_entry(point)
            except LefiError as error:
                found[name] = str(error)
        return found

    def has(self, spec: str) -> bool:
        """Whether a name is known here or in an installed package, or names code."""
        return is_outside(spec) or spec in self.things or spec in _points(self.group)

    def name_of(self, spec: str) -> str:
        """The name of what is written as a name, `file.py:Name`, `module:Name`, or a file that registers just one."""
        if not is_outside(spec):
            if spec not in self.things:
                self._find_entry(spec)
            return spec
        place, _, wanted = spec.partition(":")
        module = load_module(place)
        here = {name: thing for name, thing in self.things.items() if inspect.getmodule(thing) is module}
        if not wanted:
            if len(here) != 1:
                found = ", ".join(sorted(here)) or "none"
                wanted = f"a file that registers one {self.kind} (found: {found}), or FILE:Name"
                raise InputError(self.kind, spec, wanted)
            return next(iter(here))
        if wanted in here:
            return wanted
        if not hasattr(module, wanted):
            raise UnknownName(f"name in {place}", wanted, [*here, *_public(module)])
        thing = getattr(module, wanted)
        name = next((name for name, known in self.things.items() if known is thing), wanted.lower())
        self.add(name, thing, spec)
        return name

    def get(self, spec: str) -> T:
        """What a spec stands for."""
        return self.things[self.name_of(spec)]

    def spec_of(self, spec: str) -> str:
        """The spec with which another process finds the same thing: its name for lefi's own, else where it is from."""
        name = self.name_of(spec)
        origin = self.origins[name]
        return name if origin == HOME else origin

    def __iter__(self) -> Iterator[str]:
        return iter(self.things)

    def _check(self, name: str, thing: Any) -> None:
        lacks = self.missing(thing)
        if lacks:
            raise LefiError(f"{_origin(thing)} cannot be the {self.kind} {name!r}: {lacks}")

    def _find_entry(self, name: str) -> None:
        points = _points(self.group)
        if name not in points:
            raise UnknownName(self.kind, name, [*self.things, *points])
        self._load_entry(points[name])

    def _load_entry(self, point: EntryPoint) -> None:
        try:
            thing = point.load()
        except Exception as error:  # whatever the package raises is its author's to see
            where = f"entry point {point.name!r} of {point.dist.name if point.dist else 'a package'}"
            raise LefiError(f"cannot load {where} ({point.value}): {type(error).__name__}: {error}") from error
        self.add(point.name, thing, point.value)


@cache
def _points(group: str) -> dict[str, EntryPoint]:
    """Entry points by name; looked up once, since that reads the metadata of every installed package."""
    return {point.name: point for point in entry_points(group=group)}


def made(kind: str, name: str, function: Callable[..., Any], *given: Any, **settings: Any) -> Any:
    """What code from outside makes; whatever it raises is one line that names it."""
    try:
        return function(*given, **settings)
    except LefiError:
        raise
    except Exception as error:
        raise LefiError(f"{kind} {name!r} cannot be made: {type(error).__name__}: {error}") from error


def makes(thing: Any) -> bool:
    """Whether an object is a class or a function, so that it can make something."""
    return inspect.isclass(thing) or inspect.isroutine(thing) or isinstance(thing, partial)


def is_outside(spec: str) -> bool:
    """Whether code is named, and not one of the names that are known."""
    return ":" in spec or spec.endswith(".py")


def load_module(place: str) -> ModuleType:
    """The module in a file or on the path, imported once."""
    key = str(Path(place).resolve()) if place.endswith(".py") else place
    if key not in _modules:
        try:
            _modules[key] = _import_file(Path(key)) if place.endswith(".py") else _import_module(place)
        except LefiError:
            raise
        except Exception as error:  # whatever the user's file raises is the user's to see
            raise LefiError(f"cannot load {place}: {type(error).__name__}: {error}") from error
    return _modules[key]


def fingerprint(spec: str) -> str | None:
    """Hash of the file that a spec names: runs of changed code are new runs. None for what is lefi's own."""
    if not is_outside(spec):
        return None
    source = inspect.getsourcefile(load_module(spec.partition(":")[0]))
    return sha256(Path(source).read_bytes()).hexdigest() if source else None


def _origin(thing: Any) -> str:
    """Where an object is from: lefi, or a spec such as file.py:Name."""
    module = inspect.getmodule(thing)
    if module is None:
        return f"a {type(thing).__name__}"
    if module.__name__.partition(".")[0] == HOME:
        return HOME
    by_file = module.__name__.startswith(LOADED)  # a decorator asks while the file is still being loaded
    place = next((key for key, known in _modules.items() if known is module), None)
    place = place or str(module.__file__ if by_file else module.__name__)
    return f"{place}:{getattr(thing, '__qualname__', type(thing).__name__)}"


def _public(module: ModuleType) -> list[str]:
    own = (name for name, member in vars(module).items() if inspect.getmodule(member) is module)
    return [name for name in own if not name.startswith("_")]


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError("file", str(path), "a Python file that exists")
    for known in list(sys.modules.values()):  # imported by its own name before: the same classes, not twins of them
        own = known.__name__ != "__main__" and not known.__name__.startswith(LOADED)
        if own and getattr(known, "__file__", None) == str(path):
            return known
    name = f"{LOADED}{sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _import_module(name: str) -> ModuleType:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.append(here)
    return importlib.import_module(name)
