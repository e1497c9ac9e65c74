"""`lefi mechanisms`: what can be played, and with which settings."""

import inspect

from lefi.cli.options import AsJson
from lefi.mechanisms import mechanisms as registered
from lefi.mechanisms.registry import payment_class, settings_of, tier


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
        console.print(f"[bold]{name}[/bold]\n    {line}\n    pays by {told['payment_class']}, knows {told['tier']}")
        for setting, default in settings_of(name).items():
            console.print(f"    --set {name}.{setting}={default}", markup=False)


def _told(name: str, line: str) -> dict[str, object]:
    factory = registered()[name]
    says = {"payment_class": payment_class(factory), "tier": tier(factory)}
    return {"about": line, **says, "settings": settings_of(name)}
