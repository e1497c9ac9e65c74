"""The walk of one round enters each file at most twice: once to ask and once to tell."""

import pytest

import lefi
from tests.architecture.walk import Followed, entered_often, walks

# Fits whole families of curves to every client: its parts meet more than once.
EXCEPTED = {"waterfill"}


@pytest.mark.parametrize("name", sorted(set(lefi.registered()) - EXCEPTED))
def test_a_round_enters_each_file_at_most_twice(name: str) -> None:
    assert walks()[name]["ask"]
    assert walks()[name]["tell"]
    assert entered_often(walks()[name]) == {}


def test_the_exception_is_a_mechanism_that_still_needs_it() -> None:
    assert all(entered_often(walks()[name]) for name in EXCEPTED)


def test_a_file_entered_a_third_time_is_named() -> None:
    assert entered_often({"ask": ["a.py", "b.py", "a.py"], "tell": ["a.py", "b.py"]}) == {"a.py": 3}


def test_compiled_functions_are_seen() -> None:
    assert "mechanisms/waterfill/curves.py" in walks()["waterfill"]["ask"]


def test_a_function_is_noted_once_and_the_vocabulary_never() -> None:
    followed = Followed()
    followed.during(lambda: [lefi.scenario("paper", clients=2) for _ in range(2)])
    assert followed.files.count("world/market.py") == 1
    assert not any(file.startswith(("arrays", "draws", "messages", "models/")) for file in followed.files)
    followed.during(lambda: lefi.scenario("paper", clients=2))
    assert followed.visits() == []
