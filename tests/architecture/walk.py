"""The walk of one round: which files a reader opens who follows `ask` and then `tell` from call to call.

A mechanism plays two rounds with four clients of the scenario `mixed`. Round 3 is followed.
A function of lefi is noted the first time that another file calls it. Functions become their files.
The same file twice in a row is one visit. The vocabulary is left out: a reader knows it from the first page on.

`python -m tests.architecture.walk` prints the walks of all mechanisms as JSON. It has to run on its own: compiled
functions cannot be followed, so LEFI_ENGINE=numpy has to be set before lefi is imported.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, TypeVar

import lefi

ROOT = Path(__file__).parents[2]
SOURCE = Path(lefi.__file__).parent
VOCABULARY = ("arrays.py", "draws.py", "errors.py", "messages.py", "models/")  # small, and used by everything
INSIDE = "<locals>"  # a function or comprehension inside another is part of it
CLIENTS, ROUND = 4, 3

R = TypeVar("R")
Walk = dict[str, list[str]]  # files by `ask` and `tell`, in the order of the visits


class Followed:
    """The functions of lefi in the order in which they are first called."""

    def __init__(self) -> None:
        self.seen: set[CodeType] = set()
        self.files: list[str] = []

    def during(self, call: Callable[[], R]) -> R:
        self.files = []
        sys.setprofile(self._note)
        try:
            return call()
        finally:
            sys.setprofile(None)

    def visits(self) -> list[str]:
        return [file for file, _ in groupby(self.files)]

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        path = Path(code.co_filename)
        if event != "call" or code in self.seen or INSIDE in code.co_qualname or not path.is_relative_to(SOURCE):
            return
        if _caller(frame) == code.co_filename:  # a step inside a file that is open already
            return
        self.seen.add(code)
        file = path.relative_to(SOURCE).as_posix()
        if not file.startswith(VOCABULARY):
            self.files.append(file)


def _caller(frame: FrameType) -> str:
    """The file of lefi from which this call came, past numpy and the like."""
    back = frame.f_back
    while back is not None and not Path(back.f_code.co_filename).is_relative_to(SOURCE):
        back = back.f_back
    return "" if back is None else back.f_code.co_filename


def follow(name: str) -> Walk:
    market = lefi.scenario("mixed", clients=CLIENTS)
    mechanism = lefi.make(name, market.terms)
    market = market.taking(lefi.registered()[name].payment)
    for round in range(1, ROUND):
        mechanism.tell(market.settle(round, mechanism.ask(market.fleet.roster), None))
    followed = Followed()
    offer = followed.during(lambda: mechanism.ask(market.fleet.roster))
    asked = followed.visits()
    receipt = market.settle(ROUND, offer, None)
    followed.during(lambda: mechanism.tell(receipt))
    return {"ask": asked, "tell": followed.visits()}


@cache
def walks() -> dict[str, Walk]:
    """The walk of every registered mechanism, by name."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.architecture.walk"],
        cwd=ROOT,
        env=os.environ | {"LEFI_ENGINE": "numpy"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def entered_often(walk: Walk, most: int = 2) -> dict[str, int]:
    """The files that a walk enters more often than that, and how often."""
    return {file: times for file, times in Counter(walk["ask"] + walk["tell"]).items() if times > most}


if __name__ == "__main__":
    print(json.dumps({name: follow(name) for name in sorted(lefi.registered())}))
