"""The heavy studies: what a table tells of a run, where it is read from, and that the shipped controls fail."""

from pathlib import Path

import polars as pl
import pytest

from lefi.gym.families import HELD_OUT
from lefi.studies import Study, run_study
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.judge.statistics import difference
from lefi.studies.plan.paper import paper_folder
from lefi.studies.run.heavy import heavy_table, told
from lefi.studies.run.load import load


def test_a_table_tells_where_a_run_stands_and_how_it_kept_the_budget(tmp_path: Path) -> None:
    study = Study.read(paper_folder() / "cold_starts.toml")
    small = study.changed(seeds=1, rounds=22, mechanisms=["random", "uniform"])
    small = small.changed(sweep={"setting": "clients", "values": [3, 5]})
    run_study(small, tmp_path)
    table = told(tmp_path, "cold_starts")
    assert table.select("mechanism", "clients", "seed", "round").rows() == [
        (name, clients, 1000, round) for clients in (3, 5) for name in ("random", "uniform") for round in (20, 22)
    ]
    rounds, _ = load("cold_starts", tmp_path)
    run = rounds.filter(mechanism="random", clients=5)
    row = table.filter(mechanism="random", clients=5, round=22).row(0, named=True)
    assert row["worst"] == pytest.approx(run["overspend"].to_numpy().max())
    assert row["rounds_over"] == pytest.approx((run["overspend"].to_numpy() > 1e-9).mean())
    assert row["share"] == pytest.approx(run.filter(round=22)["share"][0])


def test_what_was_measured_here_goes_before_what_ships(tmp_path: Path) -> None:
    shipped = heavy_table("readings", tmp_path)
    assert shipped.height > 100
    (tmp_path / "heavy").mkdir()
    shipped.head(3).write_csv(tmp_path / "heavy" / "readings.csv")
    assert heavy_table("readings", tmp_path).height == 3


def test_from_a_cold_start_the_rivals_fall_behind_and_from_equal_shares_they_do_not() -> None:
    """The cold start is the control."""
    final = at_the_end(heavy_table("cold_starts")).filter(clients=100)
    for name in ("bara", "random"):
        assert final.filter(mechanism=name)["share"].to_numpy().min() > 0.98
        assert final.filter(mechanism=f"{name} cold")["share"].to_numpy().max() < 0.8


def test_pretending_pays_with_price_and_flat_only_loses_custom() -> None:
    """flat is the control: it learns nothing, so what it reaches is poor from the start."""
    final = at_the_end(heavy_table("pretending"))
    price = final.filter(mechanism="price").group_by("holdout").agg(pl.col("share").median()).sort("holdout")
    kept = price["share"].to_list()
    assert kept[0] > 0.99
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] < 0.6
    assert final.filter(mechanism="flat")["share"].to_numpy().max() < 0.9


def test_the_taught_agent_is_ahead_of_equal_weights_on_clients_that_no_training_saw() -> None:
    """Paired over ten fleets, mean over four families and two budgets."""
    final = at_the_end(heavy_table("drl"))
    assert set(final["scenario"].unique()) == set(HELD_OUT)
    shares = {
        name: final.filter(mechanism=name).group_by("seed").agg(pl.col("share").mean()).sort("seed")["share"].to_numpy()
        for name in ("taught", "uniform")
    }
    assert float(difference(shares["taught"], shares["uniform"]).low) > 0


def test_an_agent_from_scratch_learns_in_ten_thousand_rounds() -> None:
    """The control of claim j: an agent that cannot learn would say nothing about 100 rounds."""
    final = at_the_end(heavy_table("drl_long"))
    assert final["round"][0] == 10_000
    assert final.filter(mechanism="scratch")["share"].to_numpy().min() > 0.9
    assert final.filter(mechanism="uniform")["share"].to_numpy().max() < 0.9
