"""Divided or not, a mechanism makes the same offers: for any number of partitions, and as in one process."""

from pathlib import Path
from typing import Any

import pytest

from lefi.mechanisms.waterfill import mechanism, solver
from tests.cluster.fleets import off, one_process, played, receipts, small
from tests.lengths import covering

MECHANISMS = ("lefi", "price", "uniform", "waterfill")
CLOSE = 1e-9  # relative: what rounding in another order may do; `waterfill` sums in the same order everywhere
FLEETS: dict[str, dict[str, Any]] = {
    "mixed": {},
    "stubborn, flaky, noisy": {"scenario": "stubborn", "settings": {"dropout": 0.2, "noise": 0.1}},
    "reluctant, drifting": {"scenario": "reluctant", "settings": {"drift": 0.02}},
    "sticky, poor": {"scenario": "sticky", "budget": 2.0},
}


@pytest.mark.parametrize(("mechanism", "fleet"), covering(MECHANISMS, tuple(FLEETS)))
def test_offers_do_not_depend_on_partitions(tmp_path: Path, mechanism: str, fleet: str) -> None:
    rounds = 18  # past two refits of lefi, and four saves
    specs = {p: small(mechanism, partitions=p, **FLEETS[fleet]) for p in (1, 2, 7, 16)}
    rows = {p: played(spec, tmp_path / str(p), rounds) for p, spec in specs.items()}
    tables = {p: receipts(tmp_path / str(p)) for p in specs}
    assert tables[1].height == rounds * 60
    assert all(tables[p].equals(tables[1], null_equal=True) for p in (2, 7, 16))
    assert all(rows[p] == rows[1] for p in (2, 7, 16))
    assert off(tables[7], one_process(specs[7], rounds)) <= (0 if mechanism == "waterfill" else CLOSE)


@pytest.mark.parametrize("fleet", ["mixed", "stubborn, flaky, noisy", "reluctant, drifting"])
def test_large_fleets_do_not_depend_on_partitions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fleet: str) -> None:
    """A fleet that is large to `waterfill`: some follow a formula, some are thought about, some wait."""
    small_numbers = {mechanism: {"VOTERS": 20}, solver: {"WORK": 12, "SAMPLE": 20}}
    for module, constants in small_numbers.items():
        for name, value in constants.items():
            monkeypatch.setattr(module, name, value)
    specs = {p: small("waterfill", partitions=p, **FLEETS[fleet]) for p in (1, 7, 16)}
    rows = {p: played(spec, tmp_path / str(p), 12) for p, spec in specs.items()}
    tables = {p: receipts(tmp_path / str(p)) for p in specs}
    assert all(tables[p].equals(tables[1], null_equal=True) for p in (7, 16))
    assert off(tables[7], one_process(specs[7], 12)) == 0
    assert all(row["paid"] <= row["budget"] for row in rows[7])


def test_paid_and_accuracy_are_those_of_the_fleet(tmp_path: Path) -> None:
    import lefi

    rows = played(small("uniform"), tmp_path / "out", 5)
    market = lefi.scenario("mixed", clients=60, budget=12.0, seed=3)
    whole = list(lefi.play(lefi.make("uniform", market.terms, seed=3), market, 5, 3))
    assert [row["paid"] for row in rows] == pytest.approx([receipt.paid for receipt in whole], rel=CLOSE)
    assert [row["accuracy"] for row in rows] == pytest.approx([receipt.accuracy for receipt in whole], rel=CLOSE)
    assert [row["answered"] for row in rows] == [60] * 5
