"""Settings by keyword: what a class or a function takes, and values checked by its annotations."""

import inspect
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, get_type_hints

from pydantic import TypeAdapter, ValidationError

from lefi.errors import InputError, UnknownName


def defaults(function: Callable[..., Any], given: Collection[str]) -> dict[str, Any]:
    """The settings that it takes and their defaults; those in `given` are not settings, others hand them over."""
    parameters = inspect.signature(function).parameters.values()
    named = (p for p in parameters if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name not in given)
    return {p.name: p.default for p in named if str(p.default) != "<factory>"}  # state of a dataclass, no setting


def checked(
    owner: str, function: Callable[..., Any], settings: dict[str, Any], given: Collection[str]
) -> dict[str, Any]:
    """The settings, converted to what the annotations say; unknown ones are refused with the list."""
    whole = function.func if isinstance(function, partial) else function
    constructor = whole.__init__ if inspect.isclass(whole) else whole
    hints = get_type_hints(constructor, include_extras=True)
    accepted = defaults(function, given)
    result = {}
    for setting, value in settings.items():
        if setting not in accepted:
            raise UnknownName(f"setting of {owner!r}", setting, accepted)
        try:
            result[setting] = TypeAdapter(hints.get(setting, Any)).validate_python(value)
        except ValidationError as error:
            allowed = error.errors()[0]["msg"].removeprefix("Input should be ").removeprefix("Value error, ")
            raise InputError(f"{owner}.{setting}", value, allowed) from None
        if isinstance(value, bool) and not isinstance(result[setting], bool):
            raise InputError(f"{owner}.{setting}", value, "a number")
    return result
