"""The page of the Python interface has every public name, and every name on it exists."""

import re
from importlib import import_module

import pytest

import lefi
from tests.docs.prose import ROOT

PAGE = (ROOT / "docs" / "reference" / "api.md").read_text()
NAMED = re.findall(r"^\.\. auto(?:function|class|exception|module):: ([\w.]+)$", PAGE, flags=re.MULTILINE)


def test_every_public_name_is_on_the_page() -> None:
    assert {f"lefi.{name}" for name in lefi.__all__} - set(NAMED) == set()


@pytest.mark.parametrize("name", NAMED)
def test_the_name_exists(name: str) -> None:
    place, _, last = name.rpartition(".")
    assert last in ("draws", "testing") or hasattr(import_module(place), last)
