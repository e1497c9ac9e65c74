"""The options that commands share, and how they become a study."""

import json
import os
from pathlib import Path
from typing import Annotated, Any

import typer

from lefi.errors import InputError, UnknownName
from lefi.mechanisms.catalogue import name_of, settings_of
from lefi.spelling import spelled, split
from lefi.world.drawn import Settings
from lefi.world.scenarios import SCENARIOS


def counted(text: str | int) -> int:
    """A whole number, also written like 1e7."""
    try:
        value = float(text)
        return int(text) if str(text).strip("+-").isdecimal() else int(value) if value.is_integer() else int(text)
    except (ValueError, OverflowError):
        raise typer.BadParameter(f"{text!r} is not a whole number.") from None


Clients = Annotated[
    int | None,
    typer.Option(help="Number of clients, such as 10 or 1e6.", show_default="10", parser=counted, metavar="INTEGER"),
]
Budget = Annotated[float | None, typer.Option(help="USD per round.", show_default="0.5 per client")]
Total = Annotated[
    float | None,
    typer.Option(help="USD for the whole job: never passed; without --budget a round has an equal part.", min=0),
]
Deadline = Annotated[float | None, typer.Option(help="Seconds that a client has for a round.", show_default="60")]
Rounds = Annotated[int | None, typer.Option(help="Rounds to play.", show_default="100")]
Scenario = Annotated[str | None, typer.Option(help=f"Which clients: {', '.join(SCENARIOS)}.", show_default="paper")]
Seed = Annotated[int | None, typer.Option(help="The seed; of several seeds the first.", show_default="0")]
Seeds = Annotated[int | None, typer.Option(help="How many seeds, each with other clients.", show_default="10")]
Accuracy = Annotated[
    str | None, typer.Option(help="Accuracy model: a preset or a JSON file of coefficients.", show_default="paper")
]
Cost = Annotated[
    str | None, typer.Option(help="Cost model: a preset or a JSON file of coefficients.", show_default="paper")
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A setting of the scenario or of a mechanism (lefi.step=2); repeatable."
    ),
]
Jobs = Annotated[int | None, typer.Option(help="Processes.", show_default="one per core")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def names(text: str) -> list[str]:
    """A comma list; an entry may not be empty. Commas inside brackets belong to the entry."""
    parts = split(text)
    if not all(parts):
        raise InputError("mechanisms", text, "names with commas between them, such as lefi,uniform")
    return parts


def with_cost(settings: list[str] | None, cost: str | None) -> list[str] | None:
    """The settings of --set, and the cost model of --cost."""
    return settings if cost is None else [*(settings or []), f"cost={cost}"]


def study_values(mechanisms: list[str], accuracy: str | None, settings: list[str] | None) -> dict[str, Any]:
    """The parts of a study that --mechanism(s), --accuracy and --set fill: mechanisms, settings, mechanism."""
    known = [name_of(spelled(text).spec) for text in mechanisms]
    scenario: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}
    for text in settings or []:
        for owner, name, value in _assigned(text, known):
            (own.setdefault(owner, {}) if owner else scenario)[name] = value
    if accuracy is not None:
        scenario["accuracy"] = accuracy
    return {"mechanisms": mechanisms, "settings": scenario, "mechanism": own}


def _assigned(text: str, mechanisms: list[str]) -> list[tuple[str | None, str, Any]]:
    """(mechanism or None for the scenario, setting, value) for each place that NAME=VALUE reaches."""
    name, equals, raw = (part.strip() for part in text.partition("="))
    if not (name and equals and raw):
        raise InputError("--set", text, "NAME=VALUE, such as --set step=0.5 or --set speed=2,29")
    owner, dot, setting = name.rpartition(".")
    if dot:
        if owner not in mechanisms:
            raise UnknownName("mechanism in --set", owner, mechanisms)
        return [(owner, setting, _value(raw))]
    if name in Settings.model_fields:
        return [(None, name, _value(raw))]
    reached: list[tuple[str | None, str, Any]] = [(m, name, _value(raw)) for m in mechanisms if name in settings_of(m)]
    if not reached:
        known = [*Settings.model_fields, *(setting for m in mechanisms for setting in settings_of(m))]
        raise UnknownName("setting", name, set(known))
    return reached


def _value(raw: str) -> Any:
    """JSON where it is JSON (0.5, true, [2, 29]), a list where it has commas (2,29), or else the text as it stands."""
    try:
        return json.loads(raw)
    except ValueError:
        return [_value(part) for part in raw.split(",") if part] if "," in raw else raw.strip()


def unless(overwrite: bool, place: Path, held: str | None) -> None:
    """Refuse to write over what the folder holds, unless the user says so."""
    if held is not None and not overwrite:
        raise InputError("out", str(place), f"another folder, or --overwrite: it holds {held}")


def writable(out: Path) -> Path:
    """The folder, if files can be put there; said before the work, not after it."""
    from lefi.files import refusals

    with refusals(out):
        out.mkdir(parents=True, exist_ok=True)
        if not os.access(out, os.W_OK):
            raise PermissionError(13, "Permission denied")
    return out
