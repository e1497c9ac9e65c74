"""Mechanisms from outside lefi: a file or a module that the user names.

`mine.py:Mine`, `package.module:Mine`, or `mine.py` alone where it registers exactly one mechanism.
"""

import importlib
import importlib.util
import inspect
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from lefi.errors import InputError, LefiError, UnknownName
from lefi.mechanisms import register, registered

_loaded: dict[str, ModuleType] = {}


def is_outside(spec: str) -> bool:
    """Whether a mechanism is given as code of the user's, and not by the name of a registered one."""
    return ":" in spec or spec.endswith(".py")


def load_mechanism(spec: str) -> str:
    """The registered name of a mechanism; code from outside is imported, and registered where it has not done so."""
    if not is_outside(spec):
        if spec not in registered():
            raise UnknownName("mechanism", spec, registered())
        return spec
    place, _, wanted = spec.partition(":")
    module = _module(place)
    names = {name: factory for name, factory in registered().items() if inspect.getmodule(factory) is module}
    if not wanted:
        if len(names) != 1:
            found = ", ".join(sorted(names)) or "none"
            raise InputError("mechanism", spec, f"a file that registers one mechanism (found: {found}), or FILE:Class")
        return next(iter(names))
    if wanted in names:
        return wanted
    factory = getattr(module, wanted, None)
    if not callable(factory):
        classes = [name for name, member in vars(module).items() if inspect.isclass(member)]
        raise UnknownName(f"class in {place}", wanted, [*classes, *names])
    for name, known in names.items():
        if known is factory:
            return name
    register(wanted.lower())(factory)
    return wanted.lower()


def fingerprint(spec: str) -> str | None:
    """Hash of the user's file: runs of changed code are new runs. None for the mechanisms of lefi."""
    if not is_outside(spec):
        return None
    source = inspect.getsourcefile(_module(spec.partition(":")[0]))
    return sha256(Path(source).read_bytes()).hexdigest() if source else None


def _module(place: str) -> ModuleType:
    key = str(Path(place).resolve()) if place.endswith(".py") else place
    if key not in _loaded:
        try:
            _loaded[key] = _import_file(Path(key)) if place.endswith(".py") else _import_module(place)
        except LefiError:
            raise
        except Exception as error:  # whatever the user's file raises is the user's to see
            raise LefiError(f"cannot load {place}: {type(error).__name__}: {error}") from error
    return _loaded[key]


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise InputError("mechanism", str(path), "a Python file that exists")
    name = f"lefi_plugin_{sha256(str(path).encode()).hexdigest()[:12]}"
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
