"""Clients drawn from ranges: the settings that a scenario is made of, and the fleet that they draw."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from lefi.arrays import FloatArray, IntArray
from lefi.draws import key, uniform
from lefi.errors import InputError, UnknownName
from lefi.messages import Roster, Terms
from lefi.models import AccuracyModel, Learning, LinearCost, cost
from lefi.world.behaviours import (
    AllOrNothing,
    Blend,
    Churn,
    ConvexCost,
    Drift,
    Dropout,
    Holdout,
    Jump,
    Linear,
    Logit,
    Misreport,
    Noisy,
    OptOut,
    Overbid,
    Sticky,
)
from lefi.world.behaviours.named import wrapped
from lefi.world.fleet import Fleet, RationalFleet

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
Share = Annotated[Number, Field(ge=0, le=1)]
Amount = Annotated[Number, Field(ge=0, allow_inf_nan=False)]
Factor = Annotated[Number, Field(gt=0, allow_inf_nan=False)]
Kind = Literal["rational", "linear", "all_or_nothing", "logit", "convex_cost"]


class Settings(BaseModel):
    """What a scenario may set; a range (low, high) is drawn uniformly per client, a number holds for all.

    A client's price is price_factor times `rent` (USD per hour of a GPU of `reference_speed` TFLOPS);
    fixed_cost multiplies q of the cost model; upload (TFLOP) is added to it, for mobile traffic;
    scale is the range of K_n of linear and all_or_nothing clients in USD;
    holdout and overbid are shares of the cost that clients add to it when they answer and when they bid,
    all of them or the one whose id `pretender` is; behaviours are further ones around all that, such as noisy(r=0.1);
    temperature (USD) belongs to logit clients, curvature (USD per thousand samples squared) to convex_cost ones;
    jump is by how much the log of every price moves, up or down, in round 15;
    learning names the curve along which accuracy rises by round; without it a round has the accuracy of its sizes.
    """

    model_config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)

    rate: Range = (0.75, 0.75)
    speed: Range = (REFERENCE_SPEED, REFERENCE_SPEED)
    iid: Range = (0.1, 1.0)
    price_factor: Range = (0.5, 2.0)
    rent: Factor = RENT
    reference_speed: Factor = REFERENCE_SPEED
    size_low: Number = 0.0
    size_high: Number = 10.0
    fixed_cost: Factor = 1.0
    upload: Amount = 0.0
    kinds: Annotated[tuple[Kind, ...], Field(min_length=1)] = ("rational",)
    scale: Range = (0.05, 0.5)
    temperature: Factor = 0.01
    curvature: Amount = 1e-4
    opt_out: bool = False
    holdout: Amount = 0.0
    overbid: Amount = 0.0
    pretender: Annotated[int, Field(ge=0)] | None = None
    sticky: Share = 0.0
    noise: Amount = 0.0
    misreport: Factor = 1.0
    dropout: Share = 0.0
    drift: Amount = 0.0
    jump: Amount = 0.0
    churn: Share = 0.0
    behaviours: tuple[str, ...] = ()
    accuracy: str | Path | AccuracyModel = "paper"
    cost: str | Path | LinearCost = "paper"
    learning: str | Path | Learning | None = None


RANGES = {"rate": (0, 1e6), "speed": (0, 1e9), "iid": (0, 1), "price_factor": (0, 1e9), "scale": (0, 1e9)}


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
    for name, (least, most) in RANGES.items():
        low, high = getattr(chosen, name)
        if not least <= low <= high <= most or (least == high and name != "iid"):
            raise InputError(name, settings.get(name), f"a range within [{least:g}, {most:g}], low <= high")
    return chosen


def draw_fleet(clients: int, seed: int, terms: Terms, settings: Settings, ids: IntArray | None = None) -> Fleet:
    """Clients 0 .. clients-1, or those of them with these ids.

    Client n of a seed is the same whatever the number of clients.
    """
    draw = partial(draw_clients, seed, terms, settings)
    fleet: Any = draw(np.arange(clients, dtype=np.int64) if ids is None else ids)
    if settings.kinds != ("rational",):
        fleet = Blend(fleet, tuple(kind_of(name, seed, settings) for name in settings.kinds), key(seed, "fleet kind"))
    fleet = OptOut(fleet) if settings.opt_out else fleet
    only = None if settings.pretender is None else np.array([settings.pretender])
    fleet = Holdout(fleet, settings.holdout, only) if settings.holdout else fleet
    fleet = Overbid(fleet, settings.overbid, only) if settings.overbid else fleet
    fleet = Sticky(fleet, settings.sticky) if settings.sticky else fleet
    fleet = Noisy(fleet, settings.noise) if settings.noise else fleet
    fleet = Misreport(fleet, settings.misreport) if settings.misreport != 1 else fleet
    fleet = Dropout(fleet, settings.dropout) if settings.dropout else fleet
    fleet = Drift(fleet, settings.drift) if settings.drift else fleet
    fleet = Jump(fleet, settings.jump) if settings.jump else fleet
    return Churn(fleet, settings.churn, draw, clients) if settings.churn else fleet


def draw_clients(seed: int, terms: Terms, settings: Settings, ids: IntArray) -> RationalFleet:
    """The rational clients of these ids, each a function of the seed and its id alone."""
    draw = drawer(seed, ids)
    model = cost(settings.cost) if isinstance(settings.cost, str | Path) else settings.cost
    return RationalFleet(
        roster=Roster(ids, iid=draw("iid", settings.iid), rate=draw("rate", settings.rate)),
        price=draw("price", settings.price_factor) * settings.rent / 3600 / settings.reference_speed,
        speed=draw("speed", settings.speed),
        cost=replace(model, q=model.q * settings.fixed_cost, upload=model.upload + settings.upload),
        deadline=terms.deadline,
        size_low=terms.size_low,
        size_high=terms.size_high,
    )


def kind_of(name: Kind, seed: int, settings: Settings) -> Callable[[Any], Any]:
    """What makes a fleet of rational clients one of that kind."""
    scaled: dict[str, Any] = {"key": key(seed, "fleet scale"), "scale": settings.scale}
    kinds: dict[Kind, Callable[[Any], Any]] = {
        "rational": _as_it_is,
        "linear": partial(Linear, **scaled),
        "all_or_nothing": partial(AllOrNothing, **scaled),
        "logit": partial(Logit, T=settings.temperature),
        "convex_cost": partial(ConvexCost, c=settings.curvature),
    }
    return kinds[name]


def _as_it_is(fleet: Any) -> Any:
    """Not a lambda: a fleet travels between processes."""
    return fleet


def drawer(seed: int, ids: IntArray) -> Callable[[str, tuple[float, float]], FloatArray]:
    def draw(name: str, bounds: tuple[float, float]) -> FloatArray:
        low, high = bounds
        return low + (high - low) * uniform(key(seed, f"fleet {name}"), ids)

    return draw


def behaving(fleet: Fleet, chosen: Settings, seed: int) -> Fleet:
    """The fleet with the further behaviours of the settings around it."""
    for text in chosen.behaviours:
        fleet = wrapped(fleet, text, seed)
    return fleet
