"""The mechanisms by name: registering one, making one.

A mechanism is a class whose constructor takes the terms, `seed`, and its settings by keyword. The annotations of the
settings are checked by `make`, so a mechanism needs no checks of its own. Attributes of the class say what it may be
compared with: `payment`, how it pays; `tier`, what it is allowed to know; `learns`, whose answers a client's offer
follows; `searches`, whether it tries offers out and is judged by its best round.
"""

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, cast

from lefi.arrays import whole
from lefi.errors import InputError
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Terms
from lefi.registry import Registry, made, makes
from lefi.settings import checked, defaults
from lefi.spelling import spelled

TIERS = ("sizes", "sizes and accuracy", "bids", "type prior", "full")  # what a mechanism may know, least first
LEARNS = (
    "own",
    "others",
    "nobody",
)  # whose past answers move a client's offer: also its own, only those of others, none
GIVEN = ("terms", "seed")  # of the constructor's arguments, those that are no settings
UNSAID = {"payment": "curve", "tier": "unknown", "learns": "own", "searches": False}  # own: it promises nothing


class Factory(Protocol):
    """What makes a mechanism, usually its class; what it says of itself has a default where it says nothing."""

    payment: str
    tier: str
    learns: str
    searches: bool

    def __call__(self, terms: Terms, *, seed: int = 0, **settings: Any) -> Mechanism: ...


F = TypeVar("F", bound=Callable[..., Mechanism])


def _missing(thing: Any) -> str | None:
    if not makes(thing):
        return "it is no class and no function"
    if getattr(thing, "learns", "own") not in LEARNS:
        return f"learns is {thing.learns!r}: it must be one of {', '.join(LEARNS)}"
    if isinstance(thing, type):
        lacks = [name for name in ("ask", "tell") if not callable(getattr(thing, name, None))]
        return f"it has no {' and no '.join(lacks)}" if lacks else None
    return None


MECHANISMS: Registry[Factory] = Registry("mechanism", _missing)


def register(name: str) -> Callable[[F], F]:
    """Class decorator: make the mechanism known to `make`, the studies and the command line under this name."""

    def add(factory: F) -> F:
        return cast(F, _added(name, factory))

    return add


def _added(name: str, factory: Any) -> Factory:
    for attribute, default in UNSAID.items():
        if not hasattr(factory, attribute):
            setattr(factory, attribute, default)
    return MECHANISMS.add(name, factory)


def registered() -> dict[str, Factory]:
    """The mechanisms by name: lefi's, those of decorators, and those of installed packages."""
    return {name: _added(name, factory) for name, factory in MECHANISMS.known().items()}


def mechanism_of(spec: str) -> Factory:
    """The factory behind a name or `file.py:Name`."""
    return _added(MECHANISMS.name_of(spec), MECHANISMS.get(spec))


def make(name: str, terms: Terms, *, seed: int = 0, **settings: Any) -> Mechanism:
    """The mechanism of that name under these terms. Settings are checked; unknown ones are refused with the list.

    The name may be `file.py:Name`, and settings may stand with it: `make("lefi(step=2)", terms)`.
    """
    written = spelled(name)
    if written.inside:
        raise InputError("mechanism", name, f"without an inner mechanism: {written.name} is no wrapper")
    name, settings = written.name, written.settings | settings
    factory = mechanism_of(name)
    if not isinstance(terms, Terms):
        raise InputError("terms", terms, "lefi.Terms")
    whole("seed", seed, low=0)
    chosen = checked(name, factory, settings, GIVEN)
    mechanism = made("mechanism", name, factory, terms, seed=seed, **chosen)
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"mechanism {name!r}", mechanism, "an object with ask and tell")
    return mechanism


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a mechanism and their defaults."""
    return defaults(mechanism_of(name), GIVEN)
