"""What the job row notes: how it differs from what is asked for now, and the money that is left for each round."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from lefi.errors import LefiError
from lefi.ledger.money import Money

HAIR = 1e-9  # of what is left: kept back, so that no rounding passes the total
USEFUL = 1e-3  # of a round's budget: with less than that a round is not worth playing


def read(text: str) -> dict[str, Any]:
    """The terms as they were noted."""
    try:
        noted = json.loads(text)
    except (ValueError, TypeError):
        noted = None
    if not isinstance(noted, dict):
        raise LefiError(f"the terms of the job are not as they were written: {str(text)[:60]!r}")
    return noted


def differences(noted: Mapping[str, Any], asked: Mapping[str, Any]) -> list[str]:
    """One line for each term that is in both and differs; what an older job did not note is not compared.

    Nor is a setting of the mechanism that came after the job had begun.
    """
    return [
        f"{name} {_brief(noted[name])}, not {_brief(asked[name])}"
        for name in asked
        if name in noted and noted[name] != _noted_then(name, noted[name], asked[name])
    ]


def _noted_then(name: str, noted: Any, asked: Any) -> Any:
    """What is asked, without settings that the job did not know."""
    if name == "settings" and isinstance(noted, Mapping) and isinstance(asked, Mapping):
        return {setting: value for setting, value in asked.items() if setting in noted}
    return asked


def in_force(budgets: Sequence[tuple[int, int, int]], seq: int, round: int) -> int | None:
    """The budget in units of a round whose offers begin at that row; None: that of the terms.

    `budgets` are rows in order, (number, round, units); round 0 stands for all rounds after it.
    """
    for wanted in (round, 0):
        for at, of, units in reversed(budgets):
            if of == wanted and at <= seq:
                return units
    return None


def returned(back: Sequence[tuple[int, int]], seq: int) -> int:
    """Units that had come back to the total before that row; `back` are rows in order, (number, units)."""
    return sum(units for at, units in back if at < seq)


def _brief(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 200 else text[:197] + "..."


class Purse:
    """The money of one job: a budget per round and, where there is one, a total that is never passed.

    Budget and total are given in the currency; what is spent and left is counted in whole units.
    """

    def __init__(self, budget: float, total: float | None = None, money: Money | None = None) -> None:
        self.budget, self.total, self.money = budget, total, money or Money()
        self.most = self.money.exact(budget)
        self.begun = budget, self.most  # as the terms have it
        self.all = None if total is None else self.money.exact(total)
        self.spent = 0
        self.returned = 0  # units that were forfeited, and are the job's again

    @classmethod
    def of(cls, noted: Mapping[str, Any]) -> Self | None:
        """The purse that the terms fill; None where they hold no budget."""
        budget, total = noted.get("budget"), noted.get("total")
        if budget is None:
            return None
        try:
            return cls(float(budget), None if total is None else float(total), Money.of(noted))
        except (TypeError, ValueError):
            raise LefiError(f"the terms of the job are not as they were written: budget {budget!r}") from None

    @property
    def over(self) -> bool:
        """Whether more than the total was paid."""
        return self.all is not None and self.spent - self.returned > self.all

    @property
    def units(self) -> int:
        """The most that the next round may pay, in units."""
        return self.most if self.all is None else max(min(self.most, self._left()), 0)

    def next(self) -> float:
        """The budget in force in the next round, as mechanisms hear of it: the job's, or what is left of its total."""
        if self.all is None:
            return self.budget
        return min(self.budget, self.money.amount(max(self._left(), 0)) * (1 - HAIR))

    def _left(self) -> int:
        """Units of the total that are left."""
        return (self.all or 0) - self.spent + self.returned

    @property
    def empty(self) -> bool:
        """Whether too little is left for another round."""
        least = self.budget if self.total is None else min(self.budget, self.total)
        return self.next() < USEFUL * least

    def change(self, units: int | None) -> None:
        """Another budget per round, from the next offers on; None stands for that of the terms."""
        units = self.begun[1] if units is None else units
        self.budget, self.most = self.begun if units == self.begun[1] else (self.money.amount(units), units)

    @contextmanager
    def changed(self, units: int | None) -> Iterator[None]:
        """The same for a while: what would be offered under another budget."""
        before = self.budget, self.most
        self.change(units)
        try:
            yield
        finally:
            self.budget, self.most = before

    def pay(self, units: int) -> None:
        self.spent += units
