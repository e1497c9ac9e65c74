"""Five rounds of every mechanism, number by number: a change of behaviour is a reviewed diff of rounds.csv.

Write the file anew, after a change that is meant, with `python tests/golden/test_golden.py`.
"""

import csv
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import lefi
from lefi.mechanisms.mechanism import payment_class
from lefi.studies.outcome import stake

FILE = Path(__file__).with_name("rounds.csv")
COLUMNS = ("mechanism", "round", "client", "stake", "limit", "size", "payment", "accuracy")
SETTINGS: dict[str, dict[str, Any]] = {"bara": {"initial": 2}, "lefi": {"warm_start": 2}}  # learning within 5 rounds


def rows_of(name: str) -> list[list[Any]]:
    factory = lefi.mechanisms()[name]
    budget = 2.0 if payment_class(factory) == "curve" else 0.03  # tight in either class
    market = lefi.scenario("mixed", clients=4, budget=budget, seed=1).taking(payment_class(factory))
    mechanism = lefi.make(name, market.terms, seed=1, **SETTINGS.get(name, {}))
    rows = []
    for receipt in lefi.play(mechanism, market, 5, seed=1):
        offer = receipt.offer
        limit = cast(Any, offer).limit
        clients = zip(receipt.roster.ids, stake(offer), limit, receipt.sizes, receipt.payments, strict=True)
        rows += [[name, receipt.round, *(x.item() for x in client), receipt.accuracy] for client in clients]
    return rows


def stored(name: str) -> list[list[float]]:
    with FILE.open() as file:
        return [
            [float(row[column]) for column in COLUMNS[1:]] for row in csv.DictReader(file) if row["mechanism"] == name
        ]


@pytest.mark.parametrize("name", sorted(lefi.mechanisms()))
def test_the_rounds_are_those_on_file(name: str) -> None:
    expected = stored(name)
    assert expected, f"{name} is not in {FILE.name}: run `python tests/golden/test_golden.py`"
    np.testing.assert_allclose([row[1:] for row in rows_of(name)], expected, rtol=1e-6, atol=1e-12)


def write() -> None:
    with FILE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name in sorted(lefi.mechanisms()):
            writer.writerows(rows_of(name))


if __name__ == "__main__":
    write()
