"""The mechanisms by name, and the wrappers around them: registering one, making one.

A mechanism is a class whose constructor takes the terms, `seed`, and its settings by keyword. The annotations of the
settings are checked by `make`, so a mechanism needs no checks of its own. Attributes of the class say what it may be
compared with: `payment`, how it pays; `tier`, what it is allowed to know; `learns`, whose answers a client's offer
follows; `searches`, whether it tries offers out and is judged by its best round.

A wrapper is such a class with one more argument, `inner`: a function of (terms, seed) that makes the mechanism inside.
So it may make that one anew, several times, or under terms of its own. It is written around what is inside, the same in
Python, on the command line and in TOML: `pace(price)`. What it does not say of itself is as the mechanism inside says.
"""

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, TypeVar, cast

from lefi.arrays import whole
from lefi.errors import InputError, UnknownName
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Terms
from lefi.registry import Registry, made, makes
from lefi.settings import checked, defaults
from lefi.spelling import Spelled, spelled

TIERS = ("sizes", "sizes and accuracy", "bids", "type prior", "full")  # what a mechanism may know, least first
LEARNS = (
    "own",
    "others",
    "nobody",
)  # whose past answers move a client's offer: also its own, only those of others, none
GIVEN = ("terms", "seed", "inner")  # of the constructor's arguments, those that are no settings
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


def _missing_inner(thing: Any) -> str | None:
    if makes(thing) and "inner" not in inspect.signature(thing).parameters:
        return "it takes no inner"
    return _missing(thing)


MECHANISMS: Registry[Factory] = Registry("mechanism", _missing)
WRAPPERS: Registry[Callable[..., Mechanism]] = Registry("wrapper", _missing_inner)


def register(name: str) -> Callable[[F], F]:
    """Class decorator: make the mechanism known to `make`, the studies and the command line under this name.

    >>> @lefi.register("thrifty")
    ... class Thrifty:
    ...     payment = "price"
    ...     def __init__(self, terms, *, seed=0, share: float = 0.5):
    ...         self.terms, self.share = terms, share
    ...     def ask(self, roster, budget=None):
    ...         each = self.share * self.terms.in_force(budget) / len(roster) / self.terms.size_high
    ...         return lefi.PriceOffer(np.full(len(roster), each), np.full(len(roster), self.terms.size_high))
    ...     def tell(self, receipt):
    ...         pass
    ...
    >>> market = lefi.scenario("paper", clients=4, payment="price")
    >>> lefi.make("thrifty(share=0.25)", market.terms).ask(market.fleet.roster)
    PriceOffer(4 clients, at most 0.5 USD)
    """

    def add(factory: F) -> F:
        return cast(F, _added(name, factory))

    return add


def _added(name: str, factory: Any) -> Factory:
    for attribute, default in UNSAID.items():
        if not hasattr(factory, attribute):
            setattr(factory, attribute, default)
    return MECHANISMS.add(name, factory)


def register_wrapper(name: str) -> Callable[[F], F]:
    """Class decorator: make the wrapper known under this name, to be written around any mechanism.

    >>> @lefi.register_wrapper("silent")
    ... class Silent:
    ...     def __init__(self, terms, *, inner, seed=0, share: float = 0.8):
    ...         self.terms, self.share, self.inner = terms, share, inner(terms, seed)
    ...     def ask(self, roster, budget=None):
    ...         return self.inner.ask(roster, self.share * self.terms.in_force(budget))
    ...     def tell(self, receipt):
    ...         self.inner.tell(receipt)
    ...
    >>> market = lefi.scenario("paper", clients=4, payment="pool")
    >>> lefi.make("silent(pool, share=0.5)", market.terms).ask(market.fleet.roster)
    PoolOffer(4 clients, at most 1 USD)
    """

    def add(wrapper: F) -> F:
        return cast(F, WRAPPERS.add(name, wrapper))

    return add


def registered() -> dict[str, Factory]:
    """The mechanisms by name: lefi's, those of decorators, and those of installed packages.

    >>> "waterfill" in lefi.registered()
    True
    >>> lefi.registered()["auction"].payment
    'auction'
    """
    return {name: _added(name, factory) for name, factory in MECHANISMS.known().items()}


def layers(spec: str) -> list[str]:
    """The names in a spec, the outermost first: pace and price of `pace(price)`."""
    written = spelled(spec) if "(" in spec else Spelled(spec, spec)
    return [written.name, *(layers(_inside(written)) if written.inside else [])]


def by_name(spec: str) -> list[str]:
    """Its layers, where each is registered: what comes from elsewhere must not make us load a file."""
    found = layers(spec)
    for depth, name in enumerate(found, 1):
        known = sorted(WRAPPERS.known() if depth < len(found) else registered())
        if name not in known:
            raise UnknownName("mechanism", name, known)
    return found


def things(spec: str) -> list[Any]:
    """What is registered under each of its names."""
    found = by_name(spec)
    return [*(WRAPPERS.get(name) for name in found[:-1]), MECHANISMS.get(found[-1])]


def _inside(written: Spelled) -> str:
    if MECHANISMS.has(written.name) and not WRAPPERS.has(written.name):
        raise InputError("mechanism", written.label, f"without an inner mechanism: {written.name} is no wrapper")
    if len(written.inside) > 1:
        raise InputError("mechanism", written.label, f"one mechanism inside {written.name}")
    return written.inside[0]


def name_of(spec: str) -> str:
    """The name of what is written as a name, as `file.py:Name`, or as a wrapper around one of these."""
    return _renamed(spec, "name_of")


def spec_of(spec: str) -> str:
    """The spec with which another process finds the same mechanism."""
    return _renamed(spec, "spec_of")


def _renamed(spec: str, how: str) -> str:
    """The spec with each name in it as the registry calls it."""
    if "(" not in spec:
        return str(getattr(MECHANISMS, how)(spec))
    written = spelled(spec)
    registry = WRAPPERS if written.inside else MECHANISMS
    parts = [_renamed(_inside(written), how)] if written.inside else []
    parts += [f"{setting}={value!r}" for setting, value in written.settings.items()]
    return f"{getattr(registry, how)(written.name)}({', '.join(parts)})"


def mechanism_of(spec: str) -> Factory:
    """The factory behind a name, `file.py:Name`, or a wrapper around one of these."""
    written = spelled(spec) if "(" in spec else Spelled(spec, spec)
    if written.inside:
        return _around(written)
    if WRAPPERS.has(written.name) and not MECHANISMS.has(written.name):
        raise InputError("mechanism", spec, f"{written.name}(MECHANISM): it is a wrapper")
    return _added(MECHANISMS.name_of(written.name), MECHANISMS.get(written.name))


def _around(written: Spelled) -> Factory:
    inside, wrapper = _inside(written), WRAPPERS.get(written.name)
    inner = mechanism_of(inside)

    def make_inner(terms: Terms, seed: int = 0) -> Mechanism:
        return make(inside, terms, seed=seed)

    factory = partial(wrapper, inner=make_inner)
    for attribute in UNSAID:
        setattr(factory, attribute, getattr(wrapper, attribute, getattr(inner, attribute)))
    return cast(Factory, factory)


def make(name: str, terms: Terms, *, seed: int = 0, **settings: Any) -> Mechanism:
    """The mechanism of that name under these terms. Settings are checked; unknown ones are refused with the list.

    The name may be `file.py:Name`, and settings may stand with it: `make("lefi(step=2)", terms)`. A wrapper stands
    around what it wraps: `make("pace(price)", terms)`.

    >>> terms = lefi.scenario("paper").terms
    >>> lefi.make("lefi", terms, step=2.0).terms.budget
    5.0
    >>> paced = lefi.make("pace(lefi)", lefi.scenario("paper", total=100.0, rounds=20).terms)
    >>> type(paced).__name__
    'Pace'
    """
    written = spelled(name)
    name, settings = written.spec, written.settings | settings
    factory = mechanism_of(name)
    if not isinstance(terms, Terms):
        raise InputError("terms", terms, "lefi.Terms")
    whole("seed", seed, low=0)
    chosen = checked(name, factory, settings, GIVEN)
    mechanism = made("mechanism", name, factory, terms, seed=seed, **chosen)
    if not isinstance(mechanism, Mechanism):
        raise InputError(f"mechanism {name!r}", mechanism, "an object with ask and tell")
    return mechanism


def settings_of(spec: str) -> dict[str, Any]:
    """The settings of a mechanism and their defaults; of a wrapper, its own."""
    return defaults(mechanism_of(spec), GIVEN)
