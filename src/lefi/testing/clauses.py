"""A contract is a list of named clauses; each is a function that raises where its subject does not keep to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from lefi.errors import ContractError

T = TypeVar("T")


@dataclass(frozen=True)
class Checked:
    """What was checked and holds.

    >>> from lefi.testing import check_cost
    >>> check_cost(lefi.cost("paper")).clauses
    ('it is linear', 'more costs more')
    """

    clauses: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"{len(self.clauses)} clauses hold:", *(f"- {clause}" for clause in self.clauses)])


def check(subject: T, clauses: dict[str, Callable[[T], None]]) -> Checked:
    """Run every clause; raise ContractError in one line that starts with the clause's name. Returns what holds."""
    for name, clause in clauses.items():
        try:
            clause(subject)
        except ContractError as error:
            raise ContractError(f"{name}: {error}") from None
        except Exception as error:
            raise ContractError(f"{name}: {type(error).__name__}: {error}") from error
    return Checked(tuple(clauses))


def require(kept: bool, otherwise: str) -> None:
    if not kept:
        raise ContractError(otherwise)
