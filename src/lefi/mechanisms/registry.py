"""The registry of mechanisms: from a name and settings to a mechanism.

A mechanism is a class whose constructor takes the terms, `seed`, and its settings by keyword. The annotations of the
settings are checked by `make`, so a mechanism needs no checks of its own. Two attributes of the class say what it may
be compared with: `payment`, how it pays, and `tier`, what it is allowed to know.
"""

import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from lefi.arrays import whole
from lefi.errors import InputError, LefiError, UnknownName
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Terms

TIERS = ("sizes", "sizes and accuracy", "bids", "type prior", "full")  # what a mechanism may know, least first


class Factory(Protocol):
    """What makes a mechanism, usually its class; what it says of itself has a default where it says nothing."""

    payment: str
    tier: str

    def __call__(self, terms: Terms, *, seed: int = 0, **settings: Any) -> Mechanism: ...


UNSAID = {"payment": "curve", "tier": "unknown"}
F = TypeVar("F", bound=Callable[..., Mechanism])

_registry: dict[str, Factory] = {}


def register(name: str) -> Callable[[F], F]:
    """Class decorator: make the mechanism known to `make`, the studies and the command line under this name."""

    def add(factory: F) -> F:
        if name in _registry and _registry[name] is not factory:
            raise LefiError(f"mechanism {name!r} is registered already, by {_registry[name]!r}")
        for attribute, default in UNSAID.items():
            if not hasattr(factory, attribute):
                setattr(factory, attribute, default)
        _registry[name] = cast(Factory, factory)
        return factory

    return add


def registered() -> dict[str, Factory]:
    """The registered mechanisms by name."""
    return dict(_registry)


def make(name: str, terms: Terms, *, seed: int = 0, **settings: Any) -> Mechanism:
    """The mechanism of that name under these terms. Settings are checked; unknown ones are refused with the list."""
    if name not in _registry:
        raise UnknownName("mechanism", name, _registry)
    if not isinstance(terms, Terms):
        raise InputError("terms", terms, "lefi.Terms")
    factory = _registry[name]
    return factory(terms, seed=whole("seed", seed, low=0), **checked_settings(name, factory, settings))


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a registered mechanism and their defaults."""
    if name not in _registry:
        raise UnknownName("mechanism", name, _registry)
    return _defaults(_registry[name])


def _defaults(factory: Factory) -> dict[str, Any]:
    parameters = inspect.signature(factory).parameters
    return {name: given.default for name, given in parameters.items() if name not in ("terms", "seed")}


def checked_settings(name: str, factory: Factory, settings: dict[str, Any]) -> dict[str, Any]:
    """The settings, converted to what the constructor's annotations say."""
    constructor = factory.__init__ if inspect.isclass(factory) else factory
    hints = get_type_hints(constructor, include_extras=True)
    accepted = _defaults(factory)
    result = {}
    for setting, value in settings.items():
        if setting not in accepted:
            raise UnknownName(f"setting of {name!r}", setting, accepted)
        try:
            result[setting] = TypeAdapter(hints.get(setting, Any)).validate_python(value)
        except ValidationError as error:
            allowed = error.errors()[0]["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
            raise InputError(f"{name}.{setting}", value, allowed) from None
        if isinstance(value, bool) and not isinstance(result[setting], bool):
            raise InputError(f"{name}.{setting}", value, "a number")
    return result
