"""Everybody: the table of the study, its figure and its section, and that the shipped table tells what it must."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import lefi
from lefi.mechanisms.catalogue import WRAPPERS, layers
from lefi.studies import Study, run_study
from lefi.studies.figures import everybody as figure
from lefi.studies.plan.paper import EVERYBODY, paper_folder
from lefi.studies.report.everybody import everybody_cells
from lefi.studies.run.everybody import everybody
from lefi.studies.run.heavy import heavy_table

SHIPPED = heavy_table(EVERYBODY)
RIVALS = {"hierarchy", "reputation", "serving", "knapsacks", "principals"}


def test_the_table_of_a_small_study(tmp_path: Path) -> None:
    sweeps = [{"setting": "scenario", "values": ["paper"]}, {"setting": "budget", "values": [0.05]}]
    study = Study.read(paper_folder() / f"{EVERYBODY}.toml")
    small = study.changed(seeds=2, rounds=4, clients=4, mechanisms=["uniform", "flat"], sweep=sweeps)
    run_study(small, tmp_path)
    table = everybody(tmp_path, small)
    assert table.select("mechanism", "seed").rows() == [(n, s) for n in ("flat", "uniform") for s in (1000, 1001)]
    assert table["quality"].to_numpy().max() <= 1
    assert (table.filter(mechanism="flat")["settled"] == 1).all()
    assert (table["milliseconds"] > 0).all()


def test_every_mechanism_takes_part() -> None:
    """Those of lefi itself; of the wrappers at least the rivals'."""
    played = {name for spec in SHIPPED["spec"].unique() for name in layers(spec)}
    own = {name for name, factory in lefi.registered().items() if factory.__module__.startswith("lefi.")}
    assert {"lefi", "waterfill", "bara", "random", "uniform", "price", "auction", "contract"} <= own & played
    assert played <= own | set(WRAPPERS.things)
    assert played >= RIVALS


def test_the_control_stays_behind_where_money_is_short_and_only_there() -> None:
    """flat learns nothing. With much money it buys everything: there only the paper's curve has something to show."""
    little, much = figure.compute(SHIPPED).values()
    behind = {place.mechanism: float(place.quality.high) for place in little}["flat"]
    assert {place.mechanism for place in little if float(place.quality.low) > behind} >= {
        "price",
        "auction",
        "contract",
    }
    assert {place.mechanism: float(place.quality.middle) for place in much}["flat"] == 1
    for places in (little, much):
        middle = {place.mechanism: float(place.quality.middle) for place in places}
        assert max(quality for name, quality in middle.items() if not name.startswith("contest")) <= 1
        assert list(middle.values()) == sorted(middle.values(), reverse=True)


def test_the_section_says_what_each_knows() -> None:
    head, rows = everybody_cells(SHIPPED)
    assert head[:4] == ["mechanism", "pays by", "knows", "learns from"]
    told: dict[str, Any] = {row[0]: row[1:4] for row in rows}
    assert told["auction"] == ["auction", "bids", "nobody"]
    assert told["reputation(contract)"] == ["menu", "type prior", "own"]
    assert len(rows) == SHIPPED["mechanism"].n_unique()


@pytest.mark.parametrize("part", ["quality", "worst", "settled", "milliseconds"])
def test_no_number_is_missing(part: str) -> None:
    assert SHIPPED.filter(pl.col(part).is_null() | pl.col(part).is_nan()).height == 0
