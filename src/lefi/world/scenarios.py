"""Named markets: each a few settings, in one table."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from lefi.arrays import FloatArray, IntArray, number, whole
from lefi.draws import key, uniform
from lefi.errors import InputError, UnknownName
from lefi.messages import Roster, Terms
from lefi.models import AccuracyModel, LinearCost, accuracy, cost
from lefi.world.behaviours import OptOut
from lefi.world.fleet import Fleet, RationalFleet
from lefi.world.market import Market

RENT = 0.9  # USD per hour of the reference GPU (the paper's market price)
REFERENCE_SPEED = 28.9  # TFLOPS of the reference GPU


def _number(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError("a number")
    return value


def _range(value: Any) -> Any:
    return (value, value) if isinstance(value, int | float) else value


Number = Annotated[float, BeforeValidator(_number)]
Range = Annotated[tuple[Number, Number], BeforeValidator(_range)]


class Settings(BaseModel):
    """What a scenario may set; a range (low, high) is drawn uniformly per client, a number holds for all."""

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    rate: Range = (0.75, 0.75)
    speed: Range = (REFERENCE_SPEED, REFERENCE_SPEED)
    iid: Range = (0.1, 1.0)
    price_factor: Range = (0.5, 2.0)
    size_low: Number = 0.0
    size_high: Number = 10.0
    opt_out: bool = False
    accuracy: str | Path | AccuracyModel = "paper"
    cost: str | Path | LinearCost = "paper"


SCENARIOS: dict[str, dict[str, Any]] = {
    "paper": {},
    "capped": {"speed": (2, 29)},
    "mixed": {"speed": (2, 29), "rate": (0.4, 1.1)},
}


def scenario(
    name: str,
    *,
    clients: int = 10,
    budget: float | None = None,
    deadline: float = 60.0,
    seed: int = 0,
    **settings: Any,
) -> Market:
    """The market of that name. Budget in USD per round, by default 0.5 per client; deadline in seconds.

    `settings` overrule the scenario's own: rate, speed, iid, price_factor (a number or a range (low, high)),
    size_low, size_high, opt_out, accuracy, cost.
    """
    if name not in SCENARIOS:
        raise UnknownName("scenario", name, SCENARIOS)
    whole("clients", clients, low=1)
    whole("seed", seed, low=0)
    chosen = read_settings({**SCENARIOS[name], **settings})
    model = accuracy(chosen.accuracy) if isinstance(chosen.accuracy, str | Path) else chosen.accuracy
    terms = Terms(
        budget=number("budget", 0.5 * clients if budget is None else budget, above=0),
        accuracy=model,
        size_low=chosen.size_low,
        size_high=chosen.size_high,
        deadline=number("deadline", deadline, above=0),
    )
    return Market(terms, draw_fleet(clients, seed, terms, chosen))


def read_settings(settings: dict[str, Any]) -> Settings:
    unknown = set(settings) - set(Settings.model_fields)
    if unknown:
        raise UnknownName("scenario setting", sorted(unknown)[0], Settings.model_fields)
    try:
        chosen = Settings(**settings)
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        allowed = first["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
        raise InputError(name, settings[name], allowed) from None
    for name, (least, most) in {"rate": (0, 1e6), "speed": (0, 1e9), "iid": (0, 1), "price_factor": (0, 1e9)}.items():
        low, high = getattr(chosen, name)
        if not least <= low <= high <= most or (least == high and name != "iid"):
            raise InputError(name, settings.get(name), f"a range within [{least:g}, {most:g}], low <= high")
    return chosen


def draw_fleet(clients: int, seed: int, terms: Terms, settings: Settings) -> Fleet:
    """Clients 0 .. clients-1; client n of a seed is the same whatever the number of clients."""
    ids = np.arange(clients, dtype=np.int64)
    draw = drawer(seed, ids)
    fleet = RationalFleet(
        roster=Roster(ids, iid=draw("iid", settings.iid), rate=draw("rate", settings.rate)),
        price=draw("price", settings.price_factor) * RENT / 3600 / REFERENCE_SPEED,
        speed=draw("speed", settings.speed),
        cost=cost(settings.cost) if isinstance(settings.cost, str | Path) else settings.cost,
        deadline=terms.deadline,
        size_low=terms.size_low,
        size_high=terms.size_high,
    )
    return OptOut(fleet) if settings.opt_out else fleet


def drawer(seed: int, ids: IntArray) -> Callable[[str, tuple[float, float]], FloatArray]:
    def draw(name: str, bounds: tuple[float, float]) -> FloatArray:
        low, high = bounds
        return low + (high - low) * uniform(key(seed, f"fleet {name}"), ids)

    return draw
