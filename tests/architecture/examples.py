"""The public names of lefi, which of them show no example, and what goes wrong where an example is run."""

import ast
import doctest
import inspect
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np

import lefi

SOURCE = Path(__file__).parents[2] / "src"
GIVEN = {"lefi": lefi, "np": np}  # what every example takes for imported


def public() -> list[str]:
    """Every name that a module lists in __all__, with its module. The files are read, not imported."""
    return [f"{module}.{name}" for path in sorted(SOURCE.rglob("*.py")) for module, name in _listed(path)]


def _listed(path: Path) -> list[tuple[str, str]]:
    text = path.read_text()
    if "__all__" not in text:
        return []
    module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    lists = [
        node.value
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__"
    ]
    return [(module, name) for names in lists for name in ast.literal_eval(names)]


def found(name: str) -> object:
    """What bears that name."""
    module, _, last = name.rpartition(".")
    return getattr(import_module(module), last)


def explains_itself(thing: object) -> bool:
    """Whether a thing can have a docstring: a constant or an alias of types cannot."""
    made = inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismodule(thing)
    return made or hasattr(thing, "__wrapped__")  # a function in a cache


def without_example(things: Mapping[str, object]) -> list[str]:
    """The names of those whose own docstring shows no example; one that is inherited does not count."""
    return [name for name, thing in things.items() if explains_itself(thing) and ">>>" not in _own_text(thing)]


def _own_text(thing: object) -> str:
    return str(vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__)


@cache  # many a thing has two public names
def failures(thing: object) -> str:
    """What the examples in a docstring print that they do not say; nothing where they hold."""
    said: list[str] = []
    runner = doctest.DocTestRunner(verbose=False)
    known = {**GIVEN, "__name__": "__main__"}
    text = doctest.DocTestParser().get_doctest(_own_text(thing), known, str(thing), None, None)
    runner.run(text, out=said.append)
    return "".join(said)
