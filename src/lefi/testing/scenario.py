"""The contracts of scenarios and behaviours, clause by clause."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lefi.mechanisms import make
from lefi.rounds import play
from lefi.testing.clauses import Checked, check, require
from lefi.testing.fleet import check_fleet
from lefi.world.behaviours.named import wrapped
from lefi.world.fleet import Fleet
from lefi.world.market import Market
from lefi.world.scenarios import scenario


def check_scenario(name: str, **settings: Any) -> Checked:
    """Draw markets of a scenario, by name or `file.py:Name`, and play in them; raise ContractError where it breaks.

    >>> from lefi.testing import check_scenario
    >>> check_scenario("paper").clauses[0]
    'it draws a market'
    """
    return check(_Subject(name, settings), SCENARIO)


def check_behaviour(text: str) -> Checked:
    """Wrap clients in a behaviour, written as in a scenario (`mine.py:Sleepy(share=0.3)`), and check the fleet.

    >>> from lefi.testing import check_behaviour
    >>> check_behaviour("noisy(r=0.1)").clauses[0]
    'it wraps a fleet'
    """
    return check(text, BEHAVIOUR)


@dataclass(frozen=True, eq=False)
class _Subject:
    name: str
    settings: dict[str, Any]

    def market(self, seed: int = 3) -> Market:
        return scenario(self.name, seed=seed, **self.settings)


def _draws_a_market(subject: _Subject) -> None:
    require(isinstance(subject.market(), Market), "it draws no market")


def _seed_decides(subject: _Subject) -> None:
    one, again = (_accuracies(subject.market(seed=5), 5) for _ in range(2))
    require(one == again, "drawn twice with one seed, it gives two different games")


def _fleet_keeps(subject: _Subject) -> None:
    check_fleet(subject.market().fleet)


def _can_be_played(subject: _Subject) -> None:
    require(bool(np.isfinite(_accuracies(subject.market(), 1)).all()), "a round has no accuracy")


def _accuracies(market: Market, seed: int) -> list[float]:
    market = market.taking("curve")
    return [receipt.accuracy for receipt in play(make("uniform", market.terms), market, 4, seed)]


def _behaving(text: str) -> Fleet:
    return wrapped(scenario("mixed", clients=6, seed=2).fleet, text, seed=2)


def _behaviour_wraps(text: str) -> None:
    before = scenario("mixed", clients=6, seed=2).fleet.roster.ids
    require(
        np.array_equal(_behaving(text).roster.ids, before), "it changes who the clients are before a round is played"
    )


def _behaviour_keeps(text: str) -> None:
    check_fleet(_behaving(text))


SCENARIO: dict[str, Callable[[_Subject], None]] = {
    "it draws a market": _draws_a_market,
    "the seed decides": _seed_decides,
    "its fleet keeps the contract": _fleet_keeps,
    "it can be played": _can_be_played,
}
BEHAVIOUR: dict[str, Callable[[str], None]] = {
    "it wraps a fleet": _behaviour_wraps,
    "the fleet keeps the contract": _behaviour_keeps,
}
