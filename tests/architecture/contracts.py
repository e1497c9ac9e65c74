"""The contracts of pyproject.toml, held against any graph of imports, and what each has to say about it."""

from functools import cache
from pathlib import Path

import grimp
from importlinter.application.output import console
from importlinter.application.use_cases import read_user_options
from importlinter.configuration import configure
from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract
from importlinter.contracts.protected import ProtectedContract
from importlinter.domain.contract import Contract

ROOT = Path(__file__).parents[2]
TYPES: dict[str, type[Contract]] = {
    "forbidden": ForbiddenContract,
    "layers": LayersContract,
    "protected": ProtectedContract,
}


@cache
def contracts() -> list[Contract]:
    configure()
    options = read_user_options(str(ROOT / "pyproject.toml"))
    return [
        TYPES[contract["type"]](contract["name"], options.session_options, contract)
        for contract in options.contracts_options
    ]


@cache
def imports() -> grimp.ImportGraph:
    """Who imports whom in lefi, by module."""
    return grimp.build_graph("lefi", include_external_packages=True, cache_dir=None)


def broken(graph: grimp.ImportGraph, only: str | None = None) -> dict[str, str]:
    """The contracts that the graph breaks, by name, with what import-linter prints about each; or that one alone."""
    found = {}
    for contract in (contract for contract in contracts() if only in (None, contract.name)):
        # Some contracts take imports out of the graph that they are given.
        check = contract.check(graph.__deepcopy__({}), verbose=False)
        if not check.kept:
            with console.capture() as text:
                contract.render_broken_contract(check)
            found[contract.name] = " ".join(text.get().split())  # the console breaks lines at its own width
    return found
