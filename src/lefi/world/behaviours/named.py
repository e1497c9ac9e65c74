"""Behaviours by name, so that a scenario can wrap its clients in any of them: `noisy(r=0.1)`, `mine.py:Sleepy(r=0.3)`.

A behaviour is a class or a function that takes a fleet and settings by keyword and returns a fleet. One that has an
argument `key` is handed a number from which draws that belong to a client can be made, see `lefi.draws.uniform`.
"""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from lefi.draws import key as address
from lefi.errors import InputError
from lefi.registry import Registry, made, makes
from lefi.settings import checked, defaults
from lefi.spelling import spelled
from lefi.world.behaviours.answers import Dropout, Misreport, Noisy, OptOut, Sticky
from lefi.world.behaviours.change import Drift, Jump
from lefi.world.behaviours.cheat import Cheat
from lefi.world.behaviours.responses import AllOrNothing, ConvexCost, Linear, Logit
from lefi.world.behaviours.strategy import Holdout, Overbid
from lefi.world.fleet import Fleet

B = TypeVar("B", bound=Callable[..., Any])
GIVEN = ("fleet", "key")  # of the arguments, those that are no settings


def _missing(thing: Any) -> str | None:
    if not makes(thing):
        return "it is no class and no function"
    first = next(iter(inspect.signature(thing).parameters), None)
    return None if first is not None else "it takes no fleet"


BEHAVIOURS: Registry[Callable[..., Any]] = Registry("behaviour", _missing)


def register_behaviour(name: str) -> Callable[[B], B]:
    """Decorator: make a behaviour known to scenarios, studies and the command line under this name.

    >>> @lefi.register_behaviour("sleepy")
    ... class Sleepy(lefi.Behaviour):
    ...     def respond(self, offer, rng):
    ...         return self.fleet.respond(offer, rng) / 2
    ...
    >>> type(lefi.scenario("paper", behaviours=["sleepy"]).fleet).__name__
    'Sleepy'
    """

    def add(behaviour: B) -> B:
        BEHAVIOURS.add(name, behaviour)
        return behaviour

    return add


def wrapped(fleet: Fleet, text: str, seed: int) -> Fleet:
    """The fleet with a behaviour around it that is written in one line."""
    written = spelled(text)
    behaviour, given = BEHAVIOURS.get(written.name), _given(BEHAVIOURS.get(written.name))
    if written.inside:
        raise InputError("behaviour", text, "NAME(SETTING=VALUE, ...)")
    settings = checked(written.name, behaviour, written.settings, given)
    if "key" in inspect.signature(behaviour).parameters:
        settings["key"] = address(seed, f"fleet behaviour {written.name}")
    behaving = made("behaviour", text, behaviour, fleet, **settings)
    if not isinstance(behaving, Fleet):
        raise InputError(f"behaviour {text!r}", behaving, "a fleet: an object with roster, respond and advance")
    return behaving


def settings_of(name: str) -> dict[str, Any]:
    """The settings of a behaviour and their defaults."""
    behaviour = BEHAVIOURS.get(name)
    return defaults(behaviour, _given(behaviour))


def _given(behaviour: Callable[..., Any]) -> tuple[str, ...]:
    """The first argument is the fleet, whatever it is called."""
    return (*GIVEN, next(iter(inspect.signature(behaviour).parameters)))


for _name, _behaviour in {
    "opt_out": OptOut,
    "noisy": Noisy,
    "sticky": Sticky,
    "dropout": Dropout,
    "misreport": Misreport,
    "linear": Linear,
    "all_or_nothing": AllOrNothing,
    "logit": Logit,
    "convex_cost": ConvexCost,
    "drift": Drift,
    "jump": Jump,
    "holdout": Holdout,
    "overbid": Overbid,
    "cheat": Cheat,
}.items():
    BEHAVIOURS.add(_name, _behaviour)
