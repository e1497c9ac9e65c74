"""How a mechanism is played where its clients lie in partitions: what a partition does, and what is decided for all.

Each partition has a mechanism of its own, which knows the clients of that partition alone. What all of them have in
common is the head: small, and made anew after every round. One round:
look     each partition   what must be known of its clients before anything is decided
decide   once             the plan, from what was looked at and the head
draft    each partition   offers, and what they cost
scaled   each partition   the offers after one sum over the whole fleet
tell     each partition   the mechanism learns from its receipts
learn    once             the next head, from what the partitions pass on
at       each partition   the mechanism as the new head has it, before it is used again
No step may depend on how clients are divided: notes are read in order of id, and sums are handed over.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple

import numpy as np
from typing_extensions import TypeVar

from lefi.arrays import FloatArray
from lefi.errors import InputError
from lefi.mechanisms.mechanism import Mechanism
from lefi.messages import Receipt, Roster
from lefi.spelling import spelled

M = TypeVar("M", bound=Mechanism, default=Any)


class Round(NamedTuple):
    """What everybody knows of a round."""

    number: int
    money: float  # budget in force, USD
    clients: int  # of the whole fleet


class Outcome(NamedTuple):
    """What a round came to, over the whole fleet."""

    paid: float  # USD
    answered: int  # clients


class Draft(NamedTuple):
    """Offers to some clients before they are scaled, and what each is reckoned to cost [USD]."""

    offer: Any
    cost: FloatArray


class Lesson(NamedTuple):
    """What a partition learned from a round, or from a look."""

    shared: Any = None  # goes to those who decide for all
    own: Any = None  # stays until they have


class Division(Generic[M]):
    """How one mechanism is divided. Holds nothing; what a mechanism does not need stays as it is here."""

    def refusal(self, mechanism: M) -> str | None:
        """Why a mechanism with these settings cannot be divided."""
        return None

    def begin(self, mechanism: M) -> Any:
        """The head before the first round."""
        return None

    def at(self, mechanism: M, own: Any, head: Any) -> M:
        """The mechanism as the head has it; `own` is of the last lesson. The one that is given is not changed."""
        return mechanism

    def look(self, mechanism: M, roster: Roster, round: Round) -> Lesson:
        """What is known of these clients: what matters to all, and what is kept for the draft."""
        return Lesson()

    def decide(self, mechanism: M, head: Any, looks: Sequence[Any], round: Round) -> Any:
        """The plan for all partitions; the mechanism is a blank one."""
        return None

    def draft(self, mechanism: M, roster: Roster, plan: Any, own: Any, round: Round) -> Draft:
        """Offers to these clients."""
        raise NotImplementedError

    def scaled(self, mechanism: M, draft: Draft, cost: float, plan: Any, round: Round) -> Any:
        """The offers, now that the cost of all drafts is known."""
        return draft.offer

    def tell(self, mechanism: M, receipt: Receipt, round: Round) -> Lesson:
        """Let the mechanism of a partition learn."""
        return Lesson()

    def learn(self, mechanism: M, head: Any, lessons: Sequence[Any], round: Round, outcome: Outcome) -> Any:
        """The next head, from what was shared; the mechanism is a blank one."""
        return head


def joined(parts: Sequence[Any]) -> list[Any]:
    """Columns of several partitions, in the order of ids, which are the first."""
    columns = [np.concatenate(column).view(type(column[0])) for column in zip(*parts, strict=True)]  # records stay so
    order = np.argsort(columns[0])
    return [column[order] for column in columns]


DIVISIONS: dict[str, Division] = {}


def divides(name: str) -> Callable[[type[Division]], type[Division]]:
    """Class decorator: this is how the mechanism of that name is divided."""

    def add(division: type[Division]) -> type[Division]:
        DIVISIONS[name] = division()
        return division

    return add


def division_of(spec: str) -> Division:
    """How the mechanism that is written like this is divided."""
    written = spelled(spec)
    if written.inside or written.name not in DIVISIONS:
        raise InputError("mechanism", spec, f"one that can be divided: {', '.join(sorted(DIVISIONS))}")
    return DIVISIONS[written.name]
