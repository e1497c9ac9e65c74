"""Every mechanism, every wrapper and every setting of them is in docs/mechanisms.md, and so is the related work."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lefi
from lefi.mechanisms.catalogue import GIVEN, WRAPPERS

TEXT = (Path(__file__).parents[2] / "docs" / "mechanisms.md").read_text()


def section(name: str) -> str:
    """What stands under the heading of a mechanism."""
    parts = TEXT.split(f"\n## `{name}`\n")
    assert len(parts) == 2, f"docs/mechanisms.md has no heading ## `{name}`"
    return parts[1].split("\n## ")[0]


EVERY: dict[str, Callable[..., Any]] = {**lefi.registered(), **WRAPPERS.things}
NAMED = ("Chai", "Saputra", "Yang", "Weng", "Toyoda", "Kang", "Zhan")  # systems that the paper names


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_setting_is_documented(name: str) -> None:
    parameters = inspect.signature(EVERY[name]).parameters
    settings = {key: value for key, value in parameters.items() if key not in GIVEN}
    text = section(name)
    rows = {row.split("|")[1].strip(): row.split("|")[2].strip() for row in text.splitlines() if row.startswith("| `")}
    assert {f"`{key}`" for key in settings} == set(rows)
    for key, value in settings.items():
        default = rows[f"`{key}`"].strip("`").strip('"')
        assert default == str(value.default).lower() or float(default) == float(value.default)


def test_the_table_lists_every_mechanism() -> None:
    head = TEXT.split("\n## `")[0]
    assert all(f"| `{name}` |" in head for name in EVERY)


@pytest.mark.parametrize("author", NAMED)
def test_the_related_work_of_the_paper_has_a_row(author: str) -> None:
    rows = TEXT.split("\n## Related work\n")[1].splitlines()
    row = next(line for line in rows if line.startswith(f"| {author} et al., "))
    assert all(cell.strip() for cell in row.strip("|").split("|"))
