"""Every public name shows an example, and every example does what it says."""

import tempfile
from pathlib import Path

import pytest

from tests.architecture.examples import explains_itself, failures, found, public, without_example

NAMES = public()


def bare() -> None:
    """Says what it is, and no more."""


def wrong() -> None:
    """Says what is not so.

    >>> 1 + 1
    3
    """


def test_the_names_are_there() -> None:
    assert len(NAMES) > 150
    assert {"lefi.Market", "lefi.flower.Incentive", "lefi.gym.MarketEnv", "lefi.trust.Trust"} <= set(NAMES)


def test_every_public_name_shows_an_example() -> None:
    assert without_example({name: found(name) for name in NAMES}) == []


def test_a_name_without_an_example_is_found() -> None:
    class Inherits(Exception):  # it has the docstring of no example, and its base has none either
        pass

    planted = {"bare": bare, "wrong": wrong, "Inherits": Inherits, "constant": 3}
    assert without_example(planted) == ["bare", "Inherits"]


@pytest.mark.parametrize("name", NAMES)
def test_examples_do_what_they_say(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    thing = found(name)
    if explains_itself(thing):
        assert failures(thing) == ""


def test_an_example_that_is_wrong_is_found() -> None:
    assert "Expected:\n    3\nGot:\n    2" in failures(wrong)
