"""The house: the rooms of lefi floor by floor, and the doors between them, read from contracts and imports."""

import ast

from tests.architecture.contracts import ROOT, contracts, imports

LAYERS = "Layers, high to low"
FOUNDATION = "models"  # from this floor down everything is used by everybody, so no door is drawn

Door = tuple[str, str]


def floors() -> list[list[str]]:
    """Rooms of each floor, the roof first."""
    options = next(contract.contract_options for contract in contracts() if contract.name == LAYERS)
    return [layer.split(" | ") for layer in options["layers"]]


def upper() -> list[list[str]]:
    """The floors above the foundation."""
    return floors()[: floors().index([FOUNDATION])]


def foundation() -> list[list[str]]:
    return floors()[floors().index([FOUNDATION]) :]


def doors() -> set[Door]:
    """Which room imports which, above the foundation, leaving out what follows from the others.

    Where a imports b and b imports c, a door from a to c would say nothing new about who comes before whom.
    """
    rooms = [room for floor in upper() for room in floor]
    graph = imports()
    all_doors = {
        (a, b)
        for a in rooms
        for b in rooms
        if a != b and graph.direct_import_exists(importer=f"lefi.{a}", imported=f"lefi.{b}", as_packages=True)
    }
    below = {room: {b for a, b in all_doors if a == room} for room in rooms}
    for room in reversed(rooms):  # imports go down, so what is below a room is known when its turn comes
        below[room] |= {c for b in below[room] for c in below[b]}
    return {(a, c) for a, c in all_doors if not any(c in below[b] for b in below[a])}


def contents(room: str) -> str:
    """What a room says of itself in its first line."""
    folder = ROOT / "src" / "lefi" / room
    path = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    return (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]
