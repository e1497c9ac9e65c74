"""docs/paper.md says that each number is a setting: every one that it names exists, with the default that it says."""

import re
from inspect import signature
from pathlib import Path

import pytest

import lefi
from lefi.mechanisms.catalogue import settings_of
from lefi.world.drawn import Settings

TEXT = (Path(__file__).parents[2] / "docs" / "paper.md").read_text(encoding="utf-8")
READINGS = TEXT[: TEXT.index("\n## ")]
ITEMS = [" ".join(item.split()) for item in re.split(r"\n\d+\. ", READINGS)[1:]]
OF_MARKETS = {*Settings.model_fields, *signature(lefi.scenario).parameters}


def test_settings_of_mechanisms_exist() -> None:
    found = set(re.findall(r"`(lefi|bara|random)\.(\w+)", READINGS)) - {("lefi", "scenario")}
    assert len(found) >= 12
    assert [name for owner, name in found if name not in settings_of(owner)] == []


@pytest.mark.parametrize(
    "name",
    [
        "cost",
        "size_high",
        "speed",
        "reference_speed",
        "price_factor",
        "rent",
        "rate",
        "deadline",
        "iid",
        "budget",
        "upload",
    ],
)
def test_settings_of_markets_exist_and_are_named(name: str) -> None:
    assert name in OF_MARKETS
    assert f"`{name}`" in READINGS or f"`{name}=" in READINGS or f"`{name} " in READINGS


@pytest.mark.parametrize(
    ("setting", "said"),
    [("probe", "probe 0.05 USD"), ("step", "step 1.0"), ("floor", "below 0.001"), ("start", "0.1 of budget / clients")],
)
def test_defaults_are_those_that_it_says(setting: str, said: str) -> None:
    item = next(item for item in ITEMS if "**Kernel, probe" in item)
    assert said in item
    assert f"{settings_of('lefi')[setting]:g}" in said or str(settings_of("lefi")[setting]) in said


def test_lengthscales_and_refits_are_those_that_it_says() -> None:
    item = next(item for item in ITEMS if "**Kernel, probe" in item)
    for name in ("lengthscales", "refits"):
        assert ", ".join(f"{value:g}" for value in settings_of("lefi")[name]) in item


def test_the_rent_and_the_speed_are_those_that_it_says() -> None:
    fields = Settings.model_fields
    assert f"* {fields['rent'].default:g} / 3600 / {fields['reference_speed'].default:g} USD" in READINGS
