"""What a job is begun with: its mechanism, and the note in the ledger that a restart is compared with."""

import json
from collections.abc import Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any

import lefi
from lefi.errors import InputError, LefiError
from lefi.mechanisms import Mechanism, make
from lefi.mechanisms.catalogue import MECHANISMS, mechanism_of, settings_of
from lefi.messages import Terms
from lefi.spelling import spelled


def made(mechanism: Mechanism | str, terms: Terms, settings: Mapping[str, Any] | None, seed: int) -> Mechanism:
    """The mechanism of that name under the job's terms; one that was made elsewhere must have the same.

    >>> from lefi.books import made
    >>> terms = lefi.scenario("paper").terms
    >>> type(made("uniform", terms, settings=None, seed=0)).__name__
    'Uniform'
    """
    if isinstance(mechanism, str):
        result = make(mechanism, terms, seed=seed, **(settings or {}))
        pays = mechanism_of(spelled(mechanism).spec).payment
        if pays != terms.payment:
            wanted = f"one that pays by {terms.payment!r}, as the terms say: it pays by {pays!r}"
            raise InputError("mechanism", mechanism, wanted)
        return result
    if settings:
        raise InputError("settings", settings, "left out where the mechanism is made already")
    if not isinstance(mechanism, Mechanism):
        raise InputError("mechanism", mechanism, "a name, or an object with ask and tell, see lefi.make")
    own = getattr(mechanism, "terms", None)
    if isinstance(own, Terms) and (changed := unlike(own, terms)):
        raise LefiError(f"{type(mechanism).__name__} was made for other terms than the job's: {'; '.join(changed)}")
    return mechanism


def unlike(own: Terms, agreed: Terms) -> list[str]:
    """One line for each field in which two terms differ."""
    pairs = [(field.name, getattr(own, field.name), getattr(agreed, field.name)) for field in fields(Terms)]
    return [f"{name} {_noted(mine)}, not {_noted(theirs)}" for name, mine, theirs in pairs if _differ(mine, theirs)]


def _differ(mine: Any, theirs: Any) -> bool:
    return bool(mine != theirs and _noted(mine) != _noted(theirs))


def note(
    mechanism: Mechanism | str, terms: Terms, settings: Mapping[str, Any] | None, seed: int, **more: Any
) -> dict[str, Any]:
    """All that a restart must have in common with the first start, as JSON takes it.

    >>> from lefi.books import note
    >>> noted = note("lefi(step=2)", lefi.scenario("paper").terms, settings=None, seed=0)
    >>> noted["mechanism"], noted["settings"]["step"]
    ('lefi', 2)
    """
    result: dict[str, Any] = {field.name: _noted(getattr(terms, field.name)) for field in fields(Terms)}
    result |= {name: _noted(value) for name, value in more.items()}
    if isinstance(mechanism, str):
        written = spelled(mechanism)
        chosen = settings_of(written.spec) | written.settings | dict(settings or {})
        result |= {"mechanism": written.spec, "settings": _noted(chosen)}
        result["seed"] = seed
    else:
        result["mechanism"] = _name(mechanism)
        result["seed"] = _noted(getattr(mechanism, "seed", None))
    return result | {"version": lefi.__version__}


def _name(mechanism: Mechanism) -> str:
    kind: object = type(mechanism)
    return next((name for name, factory in MECHANISMS.things.items() if factory is kind), type(mechanism).__qualname__)


def _noted(value: Any) -> Any:
    """The value as JSON: models by their coefficients, functions as such."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"kind": type(value).__name__} | {name: _noted(part) for name, part in asdict(value).items()}
    if isinstance(value, Mapping):
        return {str(name): _noted(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_noted(part) for part in value]
    if isinstance(value, bool | int | float | str) or value is None:
        return value if value == value else None
    if callable(value) and hasattr(value, "__qualname__"):
        return "by client"
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return type(value).__name__
    return value
