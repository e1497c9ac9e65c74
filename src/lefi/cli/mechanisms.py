"""`lefi mechanisms`: what can be played, and with which settings."""

import inspect

from lefi.cli.options import AsJson
from lefi.mechanisms import registered
from lefi.mechanisms.registry import settings_of


def mechanisms(as_json: AsJson = False) -> None:
    """List the mechanisms, their settings and defaults.

    \b
    Example: lefi mechanisms
    """
    from lefi.cli import show

    about = {name: (inspect.getdoc(factory) or "").split("\n")[0] for name, factory in sorted(registered().items())}
    if as_json:
        show.print_json({name: _told(name, line) for name, line in about.items()})
        return
    console = show.console()
    for name, line in about.items():
        told = _told(name, line)
        console.print(f"[bold]{name}[/bold]\n    {line}\n    pays by {told['payment']}, knows {told['tier']}")
        for setting, default in settings_of(name).items():
            console.print(f"    --set {name}.{setting}={default}", markup=False)


def _told(name: str, line: str) -> dict[str, object]:
    factory = registered()[name]
    says = {"payment": factory.payment, "tier": factory.tier}
    return {"about": line, **says, "settings": settings_of(name)}
