"""Rounds of every mechanism, number by number: a change of behaviour is a reviewed diff of rounds.csv.

Write the file anew, after a change that is meant, with `python -m tests.golden.test_golden`.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from benchmarks.others import fleet
from lefi.studies.judge.outcome import stake

FILE = Path(__file__).with_name("rounds.csv")
COLUMNS = ("case", "mechanism", "round", "client", "stake", "limit", "size", "payment", "accuracy")
SETTINGS: dict[str, dict[str, Any]] = {"bara": {"initial": 2}, "lefi": {"warm_start": 2}}  # learning within 5 rounds
TIGHT = {"curve": 0.5}  # USD per client at which money is short, by payment
CHEAP = 0.0075  # and for all others


@dataclass(frozen=True)
class Case:
    """A market, given USD per client, and which rounds and clients (by position) of it are kept."""

    market: Callable[[float], lefi.Market]
    rounds: tuple[int, ...]
    clients: tuple[int, ...] | None = None
    without: tuple[str, ...] = ()  # mechanisms that cannot play it


def drawn(name: str, clients: int, **settings: Any) -> Callable[[float], lefi.Market]:
    return lambda each: lefi.scenario(name, clients=clients, budget=each * clients, seed=1, **settings)


def stairs(each: float) -> lefi.Market:
    """Clients whose curve is in no family."""
    return lefi.Market(lefi.Terms(16 * each, lefi.accuracy("paper")), fleet("two steps", 16, 1, "rates"))


OTHER_PAYMENTS = tuple(sorted(n for n, factory in lefi.registered().items() if factory.payment != "curve"))
ODD = ("linear", "all_or_nothing", "logit", "convex_cost")
CASES = {
    "mixed": Case(drawn("mixed", 4), (1, 2, 3, 4, 5)),
    "noisy": Case(drawn("noisy", 5, dropout=0.2), (1, 3, 6, 12)),
    "odd": Case(drawn("mixed", 8, kinds=ODD, opt_out=True), (2, 4, 8, 16)),
    "stairs": Case(stairs, (2, 4, 8, 16), clients=(0, 3, 7, 11, 15), without=OTHER_PAYMENTS),
    "changing": Case(drawn("churning", 6, drift=0.02), (1, 4, 8, 12)),
    "large": Case(drawn("mixed", 6000), (1, 2, 3, 5, 8), clients=(0, 17, 1500, 3333, 5999), without=("bara",)),
    "large noisy": Case(drawn("noisy", 5000, dropout=0.1), (2, 4, 7), clients=(1, 2500, 4999), without=("bara",)),
}
PLAYED = [(case, name) for case, name in product(CASES, sorted(lefi.registered())) if name not in CASES[case].without]


def rows_of(label: str, name: str) -> Iterator[list[Any]]:
    case, payment = CASES[label], lefi.registered()[name].payment
    market = case.market(TIGHT.get(payment, CHEAP)).taking(payment)
    mechanism = lefi.make(name, market.terms, seed=1, **SETTINGS.get(name, {}))
    for receipt in lefi.play(mechanism, market, case.rounds[-1], seed=1):
        if receipt.round in case.rounds:
            offer, at = receipt.offer, slice(None) if case.clients is None else list(case.clients)
            columns = receipt.roster.ids, stake(offer), offer.limit, receipt.sizes, receipt.payments
            for client in zip(*(column[at] for column in columns), strict=True):
                yield [label, name, receipt.round, *(x.item() for x in client), receipt.accuracy]


@cache
def on_file() -> list[dict[str, str]]:
    with FILE.open() as file:
        return list(csv.DictReader(file))


def stored(label: str, name: str) -> list[list[float]]:
    rows = [row for row in on_file() if (row["case"], row["mechanism"]) == (label, name)]
    return [[float(row[column]) for column in COLUMNS[2:]] for row in rows]


LOOSE = 0.03  # of 2,000 noisy clients that are thought about, some choose otherwise by the last bit of another scipy


@pytest.mark.parametrize(("label", "name"), PLAYED)
def test_the_rounds_are_those_on_file(label: str, name: str) -> None:
    expected = stored(label, name)
    assert expected, f"{name} is not in {FILE.name}: run `python -m tests.golden.test_golden`"
    close = LOOSE if (label, name) == ("large noisy", "waterfill") else 1e-6
    np.testing.assert_allclose([row[2:] for row in rows_of(label, name)], expected, rtol=close, atol=1e-12)


def write() -> None:
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for label, name in PLAYED:
            writer.writerows(rows_of(label, name))


if __name__ == "__main__":
    write()
