"""Named markets: each a few settings, in one table; or a market, a fleet or a function of one's own."""

from collections.abc import Callable, Mapping
from inspect import signature
from pathlib import Path
from typing import Any, TypeVar
from warnings import warn

from lefi.arrays import IntArray, number, whole
from lefi.errors import InputError, UnknownName
from lefi.messages import Terms
from lefi.models import Learning, accuracy, learning
from lefi.models.presets import measured_sizes
from lefi.registry import HOME, Registry, made, makes
from lefi.settings import checked, defaults
from lefi.world.abilities import Bounded, able
from lefi.world.drawn import Settings, behaving, draw_fleet, read_settings
from lefi.world.fleet import Fleet
from lefi.world.learning_market import learning_market
from lefi.world.market import Market

T = TypeVar("T")

CLIENTS, DEADLINE = 10, 60.0  # the paper's, where nobody says otherwise; seconds
MOST = 100_000_000  # clients: more than fit into the memory of any one machine
SHARED = ("accuracy", "learning", "size_low", "size_high", "behaviours")  # settings that markets of one's own take too
HANDED = ("clients", "seed")  # arguments of a function that makes a fleet that are no settings
MIXED: dict[str, Any] = {"speed": (2, 29), "rate": (0.4, 1.1)}
OURS: dict[str, dict[str, Any]] = {
    "paper": {},
    "capped": {"speed": (2, 29)},
    "mixed": MIXED,
    "noisy": {**MIXED, "noise": 0.1},
    "reluctant": {**MIXED, "opt_out": True, "fixed_cost": 20},
    "stubborn": {**MIXED, "kinds": ("rational", "linear", "all_or_nothing")},
    "drifting": {**MIXED, "drift": 0.02},
    "jump": {**MIXED, "jump": 0.5},
    "churning": {**MIXED, "churn": 0.05},
    "flaky": {**MIXED, "dropout": 0.2},
    "logit": {**MIXED, "kinds": ("logit",)},
    "sticky": {**MIXED, "sticky": 0.5},
    "convex": {**MIXED, "kinds": ("convex_cost",)},
    "metered": {**MIXED, "opt_out": True, "upload": 1600},
}
ABOUT = {
    "paper": "the paper's clients: one speed and one rate for all, prices that differ",
    "capped": "slow and fast clients: deadlines cap what some can deliver",
    "mixed": "speeds and rates that differ from client to client",
    "noisy": "mixed, and answers are off by 10%",
    "reluctant": "mixed, with a fixed cost: clients that would lose stay at home",
    "stubborn": "mixed, and two thirds follow other rules than the rational one",
    "drifting": "mixed, and prices drift by 2% a round",
    "jump": "mixed, and in round 15 every price rises by 65% or falls by 39%",
    "churning": "mixed, and 5% of the clients are replaced every round",
    "flaky": "mixed, and a fifth of the answers does not come",
    "logit": "mixed, and clients choose at random, what pays more more often",
    "sticky": "mixed, and half of an answer is the last one",
    "convex": "mixed, and the cost of a sample rises with their number",
    "metered": "mixed, and an upload costs what 4 MB do at 3.5 USD per GB: clients that would lose stay at home",
}


def _missing(thing: Any) -> str | None:
    if isinstance(thing, Mapping | Market | Fleet) or makes(thing):
        return None
    return "it is no settings, market or fleet, nor a function that makes a fleet"


SCENARIOS: Registry[Any] = Registry("scenario", _missing)
for _name, _settings in OURS.items():
    SCENARIOS.add(_name, _settings, HOME)


def register_scenario(name: str) -> Callable[[T], T]:
    """Decorator: make a scenario known under this name: a function (clients, seed, settings) that returns a fleet.

    >>> @lefi.register_scenario("phones")
    ... def phones(clients, seed):
    ...     ids = np.arange(clients)
    ...     roster = lefi.Roster(ids, np.ones(clients), np.full(clients, 0.75))
    ...     price = 6e-4 * (0.5 + lefi.draws.uniform(lefi.draws.key(seed, "phones"), ids))
    ...     return lefi.RationalFleet(roster, price, np.full(clients, 5.0), lefi.cost("paper"))
    ...
    >>> lefi.scenario("phones", clients=4, seed=2)
    Market(4 clients, 2 USD a round, pays by curve)
    """
    return SCENARIOS.register(name)


def scenario(
    name: str,
    *,
    clients: int | None = None,
    budget: float | None = None,
    deadline: float | None = None,
    seed: int = 0,
    payment: str = "curve",
    total: float | None = None,
    rounds: int | None = None,
    **settings: Any,
) -> Market:
    """The market of that name, or of `file.py:Name`: 10 clients, unless it has a number of its own.

    Budget in USD per round, by default 0.5 per client, or total / rounds; `total` in USD for the whole job of at most
    `rounds`; deadline in seconds.
    `payment` is the way of paying that it takes: curve (the paper's), price, menu, pool or auction.
    `settings` overrule the scenario's own: rate, speed, iid, price_factor (a number or a range (low, high)),
    size_low, size_high, accuracy, cost, learning, and the behaviours of `Settings`.

    >>> lefi.scenario("mixed", clients=20, budget=5.0, seed=3)
    Market(20 clients, 5 USD a round, pays by curve)
    >>> lefi.scenario("paper", payment="price", total=100.0, rounds=50, size_high=5.0).terms.budget
    2.0
    """
    found = SCENARIOS.get(name)
    whole("seed", seed, low=0)
    if clients is not None:
        whole("clients", clients, low=1, high=MOST)
    if isinstance(found, Mapping):
        chosen, count = read_settings({**found, **settings}), CLIENTS if clients is None else clients
        terms = _terms(chosen, count, budget, deadline, payment, total, rounds)
        return _market(terms, draw_fleet(count, seed, terms, chosen), chosen, seed)
    shared = {name: settings.pop(name) for name in SHARED if name in settings}
    own = found if isinstance(found, Market | Fleet) else _made(name, found, clients, seed, settings)
    if isinstance(found, Market | Fleet) and settings:
        raise UnknownName(f"setting of {name!r}", next(iter(settings)), SHARED)
    given = {"budget": budget, "deadline": deadline, "payment": payment, "total": total, "rounds": rounds}
    return _own(name, own, shared, clients=clients, seed=seed, **given)


def scenario_part(
    name: str, ids: IntArray, *, clients: int, budget: float, deadline: float, seed: int, payment: str, **settings: Any
) -> Market:
    """What one partition holds of a market of so many clients: those with these ids, under the terms of all.

    Only of fleets in which no client hangs on the number of others: drawn from settings, without churn or learning.
    """
    found = SCENARIOS.get(name)
    if not isinstance(found, Mapping):
        raise InputError("scenario", name, f"one that settings draw, for partitions: {', '.join(OURS)}")
    chosen = read_settings({**found, **settings})
    for setting, value in (("churn", chosen.churn), ("learning", chosen.learning)):
        if value:
            raise InputError(setting, value, "left out where clients lie in partitions")
    terms = _terms(chosen, clients, budget, deadline, payment, None, None)
    return _market(terms, draw_fleet(clients, seed, terms, chosen, ids), chosen, seed)


def _made(name: str, function: Callable[..., Any], clients: int | None, seed: int, settings: dict[str, Any]) -> Any:
    """What a function makes of the number of clients, the seed and its own settings, as far as it takes them."""
    own = checked(name, function, settings, HANDED)
    given = {"clients": CLIENTS if clients is None else clients, "seed": seed}
    taken = {key: value for key, value in given.items() if key in signature(function).parameters}
    drawn = made("scenario", name, function, **own, **taken)
    if not isinstance(drawn, Market | Fleet):
        raise InputError(f"scenario {name!r}", drawn, "a function that returns a fleet or a market")
    return drawn


def _own(
    name: str, made: Market | Fleet, shared: dict[str, Any], *, clients: int | None, seed: int, **given: Any
) -> Market:
    """A market around a fleet of one's own, or a market of one's own with other terms."""
    fleet, said, usual = made, {}, {}
    if isinstance(made, Market):
        fleet, terms = made.fleet, made.terms
        said = {key: getattr(terms, key) for key in ("accuracy", "size_low", "size_high")}
        usual = {key: getattr(terms, key) for key in ("budget", "deadline", "total", "rounds")}
    elif able(made, Bounded):
        said, usual = {"size_low": made.size_low, "size_high": made.size_high}, {"deadline": made.deadline}
    assert isinstance(fleet, Fleet)
    if clients not in (None, len(fleet.roster)):
        raise InputError("clients", clients, f"{len(fleet.roster)}, as scenario {name!r} has")
    chosen = read_settings(said | shared)
    agreed = given | {key: value for key, value in usual.items() if given[key] is None}
    return _market(_terms(chosen, len(fleet.roster), **agreed), fleet, chosen, seed)


def _market(terms: Terms, fleet: Fleet, chosen: Settings, seed: int) -> Market:
    """The fleet with its further behaviours under terms, along a learning curve where one is named."""
    market = Market(terms, behaving(fleet, chosen, seed))
    if chosen.learning is None:
        return market
    curve = chosen.learning if isinstance(chosen.learning, Learning) else learning(chosen.learning)
    return learning_market(market, curve)


def _terms(
    chosen: Settings,
    clients: int,
    budget: float | None,
    deadline: float | None,
    payment: str,
    total: float | None,
    rounds: int | None,
) -> Terms:
    if isinstance(chosen.accuracy, str | Path):
        low, high = measured_sizes(chosen.accuracy)
        if chosen.size_high > high * (1 + 1e-9):
            warn(
                f"accuracy {str(chosen.accuracy)!r} was measured for sizes from {low:g} to {high:g} thousand samples: "
                f"up to size_high {chosen.size_high:g} it is a guess; set size_high={high:g}, or measure larger sizes",
                stacklevel=3,
            )
    divided = total is not None and rounds is not None  # then the budget is an equal part, unless it is given
    return Terms(
        budget=0.5 * clients if budget is None and not divided else budget,
        accuracy=accuracy(chosen.accuracy) if isinstance(chosen.accuracy, str | Path) else chosen.accuracy,
        size_low=chosen.size_low,
        size_high=chosen.size_high,
        deadline=DEADLINE if deadline is None else number("deadline", deadline, above=0),
        payment=payment,
        total=total,
        rounds=rounds,
    )


def settings_of(name: str) -> dict[str, Any]:
    """The settings that a scenario fixes, or those that its function takes, with their defaults."""
    found = SCENARIOS.get(name)
    if isinstance(found, Mapping):
        return dict(found)
    return {} if isinstance(found, Market | Fleet) else defaults(found, HANDED)
