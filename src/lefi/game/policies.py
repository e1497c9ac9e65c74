"""Policies: how a client answers that looks ahead. One class each, open to those of others.

A policy is a frozen dataclass whose fields are numbers. `ranges` says between which values each field is searched,
`grid` which values are tried first. `respond` says what is delivered, `bid` what is asked in an auction, `capacity`
what a client says that it can deliver, and `note` what it keeps in mind for the next round. Each has the honest answer
as its default.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from inspect import isclass
from itertools import product
from typing import Any, ClassVar, TypeVar

import numpy as np

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.game.view import View
from lefi.messages import Offer
from lefi.offers import AuctionCall
from lefi.registry import Registry
from lefi.settings import checked, defaults
from lefi.spelling import spelled

P = TypeVar("P", bound=type)
POINTS = 5  # values of a field that are tried where a policy says only its range


@dataclass(frozen=True)
class Policy:
    """Honest answers, in every round: what other policies change.

    >>> from lefi.game import Policy, policy_of
    >>> policy_of("honest") == Policy()
    True
    """

    ranges: ClassVar[Mapping[str, tuple[float, float]]] = {}
    grid: ClassVar[Mapping[str, tuple[float, ...]]] = {}
    only: ClassVar[str | None] = None  # the way of paying in which it differs from honest answers; None: all

    def respond(self, view: View, offer: Offer) -> FloatArray:
        return view.honest(offer)

    def bid(self, view: View, call: AuctionCall) -> FloatArray:
        return view.bid(call)

    def capacity(self, view: View, call: AuctionCall) -> FloatArray:
        return view.cap()

    def note(self, view: View, offer: Offer) -> FloatArray:
        return view.note

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value:.4g}" for name, value in asdict(self).items())
        return f"{name_of(type(self))}({settings})" if settings else name_of(type(self))


def _missing(thing: Any) -> str | None:
    if not (isclass(thing) and issubclass(thing, Policy)):
        return "it is no lefi.game.Policy"
    lacking = [field.name for field in fields(thing) if field.name not in thing.ranges]
    return f"ranges does not say where {lacking[0]} is searched" if lacking else None


POLICIES: Registry[type[Policy]] = Registry("policy", _missing)


def register_policy(name: str) -> Callable[[P], P]:
    """Class decorator: make a policy part of the family that is searched.

    >>> from dataclasses import dataclass
    >>> from lefi.game import Policy, policy_of, register_policy
    >>> @register_policy("lazy")
    ... @dataclass(frozen=True)
    ... class Lazy(Policy):
    ...     part: float = 0.5
    ...     ranges = {"part": (0.1, 1.0)}
    ...     def respond(self, view, offer):
    ...         return self.part * view.honest(offer)
    ...
    >>> str(policy_of("lazy(part=0.2)"))
    'lazy(part=0.2)'
    """

    def add(policy: P) -> P:
        POLICIES.add(name, policy)
        return policy

    return add


def name_of(policy: type[Policy]) -> str:
    return next((name for name, known in POLICIES.things.items() if known is policy), policy.__name__.lower())


def policy_of(text: str) -> Policy:
    """The policy that is written in one line, such as holdout(times=30) or mine.py:Patient(rounds=4).

    >>> from lefi.game import policy_of
    >>> policy_of("holdout(times=30)")
    Holdout(times=30.0)
    """
    written = spelled(text)
    if written.inside:
        raise InputError("policy", text, "NAME(SETTING=VALUE, ...)")
    policy = POLICIES.get(written.name)
    return policy(**checked(written.name, policy, written.settings, ()))


def settings_of(name: str) -> dict[str, Any]:
    """The parameters of a policy and their defaults."""
    return defaults(POLICIES.get(name), ())


def first_tries(payment: str) -> Iterator[Policy]:
    """The grid of the whole family: what is tried before parameters are searched.

    >>> from itertools import islice
    >>> from lefi.game import first_tries
    >>> [str(policy) for policy in islice(first_tries("curve"), 2)]
    ['holdout(times=1.05)', 'holdout(times=1.1)']
    """
    for policy in POLICIES.known().values():
        if policy is Policy or policy.only not in (None, payment):
            continue
        names = [field.name for field in fields(policy)]
        values = [policy.grid.get(name, _spread(*policy.ranges[name])) for name in names]
        for chosen in product(*values):
            yield policy(*chosen)


def _spread(low: float, high: float) -> tuple[float, ...]:
    return tuple(float(value) for value in np.geomspace(low, high, POINTS))


register_policy("honest")(Policy)
