"""Where a fitted model comes from: a name that ships with lefi, or a JSON file of coefficients."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lefi.arrays import number
from lefi.errors import InputError, UnknownName

SHIPPED = Path(__file__).parent / "measured"  # <name>.json with the models, and the measurement they were fitted to


def shipped() -> list[str]:
    """Names of the measurements that come with lefi."""
    return sorted(path.stem for path in SHIPPED.glob("*.json"))


def find(
    what: str, name_or_path: str | Path, presets: Mapping[str, Mapping[str, float]]
) -> tuple[str, Mapping[str, Any]]:
    """Where the model lies, and its table as it stands there."""
    name = str(name_or_path)
    if name in presets:
        return name, presets[name]
    path = SHIPPED / f"{name}.json" if name in shipped() else Path(name_or_path)
    if path.suffix != ".json" and not path.is_file():
        raise UnknownName(f"{what} model", name, [*presets, *shipped(), "a path to a .json file"])
    return str(path), _read(what, path)


def measured_sizes(name_or_path: str | Path) -> tuple[float, float]:
    """The sizes that a preset was measured for, in thousand samples; all of them where it does not say."""
    try:
        low, high = _told(name_or_path)["fit"]["size"]
        return number("fit.size", low), number("fit.size", high)
    except (KeyError, TypeError, ValueError):  # coefficients that somebody wrote by hand
        return 0.0, float("inf")


def measured_data(name_or_path: str | Path) -> float:
    """Thousand samples in the training data of a preset; inf where it does not say."""
    try:
        return number("measured.data.train", _told(name_or_path)["measured"]["data"]["train"], above=0) / 1000
    except (KeyError, TypeError, ValueError):
        return float("inf")


def _told(name_or_path: str | Path) -> Any:
    """All that a preset says; nothing where it is no file."""
    name = str(name_or_path)
    path = SHIPPED / f"{name}.json" if name in shipped() else Path(name_or_path)
    return json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" and path.is_file() else {}


def numbers(what: str, path: str, table: Mapping[str, Any], fields: tuple[str, ...]) -> dict[str, float]:
    """The table's numbers, if they are exactly these fields."""
    unknown = set(table) - set(fields)
    if unknown:
        raise UnknownName(f"coefficient of {what} in {path}", unknown.pop(), fields)
    missing = [field for field in fields if field not in table]
    if missing:
        raise InputError(f"{what} in {path}", sorted(table), f"complete: {', '.join(missing)} missing")
    return {field: number(f"{what}.{field} in {path}", table[field]) for field in fields}


def _read(what: str, path: Path) -> dict[str, Any]:
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{what} file", str(path), f"readable ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{what} file", str(path), f"JSON ({error})") from None
    inner = table.get(what) if isinstance(table, dict) else None
    if not isinstance(inner, dict):
        raise InputError(f"{what} file", str(path), f"a JSON object with an object {what!r}")
    return inner
