"""`lefi list`: everything that has a name, from mechanisms to models."""

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from lefi.cli.options import AsJson
from lefi.errors import UnknownName

KINDS = ("mechanism", "wrapper", "scenario", "behaviour", "policy", "payment", "accuracy", "cost")


def list_names(
    kind: Annotated[str | None, typer.Argument(help=f"One of {', '.join(KINDS)}; all without it.")] = None,
    load: Annotated[
        str | None, typer.Option(help="Python files, with commas, whose own things are listed too.", metavar="FILE.py")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List what can be named, one line each: where it is from, and its settings with their defaults.

    What installed packages add by entry points (groups lefi.mechanism, lefi.scenario, ...) is listed too.

    \b
    Examples:
    lefi list
    lefi list scenario
    lefi list mechanism --load mine.py
    """
    from lefi.cli import show
    from lefi.registry import load_module

    if kind is not None and kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    for file in load.split(",") if load else []:
        load_module(file)
    told = {name: _rows(name) for name in KINDS if kind in (None, name)}
    if as_json:
        show.print_json(told)
        return
    console = show.console()
    for name, rows in told.items():
        console.print(f"[bold]{name}[/bold]")
        for row in rows:
            console.print(f"  {row['name']:<14} {row['about']}", markup=False, soft_wrap=True)
            _details(console, row)


def _details(console: Any, row: dict[str, Any]) -> None:
    settings = ", ".join(f"{name}={value}" for name, value in row["settings"].items())
    parts = [row["from"] if row["from"] != "lefi" else "", row.get("says", ""), settings]
    text = "; ".join(part for part in parts if part)
    if text:
        console.print(f"  {'':<14} {text}", markup=False, soft_wrap=True, style="dim")


def _rows(kind: str) -> list[dict[str, Any]]:
    from lefi.world.scenarios import ABOUT

    registry, settings, says = _about(kind)
    broken = registry.broken()
    lines = ABOUT if kind == "scenario" else {}
    rows = [
        {"name": name, "about": lines.get(name) or _line(thing), "from": registry.origins[name]}
        | {"settings": _said(settings(name)), "says": says(thing)}
        for name, thing in sorted(registry.things.items())
    ]
    rows += _shipped(kind)
    return rows + [
        {"name": name, "about": f"cannot be loaded: {why}", "from": "a package", "settings": {}, "says": ""}
        for name, why in broken.items()
    ]


def _about(kind: str) -> tuple[Any, Callable[[str], Mapping[str, Any]], Callable[[Any], str]]:
    """The registry of a kind, the settings of one of it, and what one says of itself."""
    from lefi.game import policies
    from lefi.game.policies import POLICIES
    from lefi.mechanisms import catalogue
    from lefi.models.accuracy import ACCURACIES
    from lefi.models.cost import COSTS
    from lefi.payments import OFFERS, payment_of
    from lefi.world.behaviours import named
    from lefi.world.scenarios import SCENARIOS, settings_of

    return {
        "mechanism": (catalogue.MECHANISMS, catalogue.settings_of, _mechanism),
        "wrapper": (catalogue.WRAPPERS, _own_settings, lambda _: "around any mechanism"),
        "scenario": (SCENARIOS, settings_of, lambda _: ""),
        "behaviour": (named.BEHAVIOURS, named.settings_of, lambda _: ""),
        "policy": (POLICIES, policies.settings_of, lambda _: ""),
        "payment": (OFFERS, lambda _: {}, lambda offer: f"pays by {payment_of(offer)}"),
        "accuracy": (ACCURACIES, lambda _: {}, lambda _: ""),
        "cost": (COSTS, lambda _: {}, lambda _: ""),
    }[kind]


def _own_settings(wrapper: str) -> Mapping[str, Any]:
    from lefi.mechanisms.catalogue import GIVEN, WRAPPERS
    from lefi.settings import defaults

    return defaults(WRAPPERS.get(wrapper), GIVEN)


def _mechanism(factory: Any) -> str:
    from lefi.mechanisms.catalogue import UNSAID

    said = {name: getattr(factory, name, unsaid) for name, unsaid in UNSAID.items()}
    words = f"pays by {said['payment']}, knows {said['tier']}, learns from {said['learns']}"
    return words + (", searches" if said["searches"] else "")


def _shipped(kind: str) -> list[dict[str, Any]]:
    """The models that are numbers in files."""
    from lefi.models.presets import shipped

    names = ["paper", *shipped()] if kind in ("accuracy", "cost") else []
    said = "the paper's", "measured, see docs/profiling.md"
    return [
        {"name": name, "about": said[name != "paper"], "from": "lefi", "settings": {}, "says": ""} for name in names
    ]


def _line(thing: Any) -> str:
    return (inspect.getdoc(thing) or type(thing).__name__).split("\n")[0]


def _said(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with their defaults; `required` where there is none."""
    return {name: "required" if value is inspect.Parameter.empty else value for name, value in settings.items()}
