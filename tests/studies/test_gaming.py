"""Games at equal money: what ships says that truth pays, cells are played once, and pairs are paired."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lefi.game import Policy
from lefi.game.family import Holdout
from lefi.game.tasks import Task
from lefi.studies.figures import gamed
from lefi.studies.judge import best_replies, gaming
from lefi.studies.judge.gaming import Cell, cells, lead, settled
from lefi.studies.report.gaming import replies_cells, settled_cells
from lefi.studies.run.heavy import heavy_table

GAMES, REPLIES = heavy_table("gaming"), heavy_table("replies")


def test_the_better_truthful_mechanism_gives_at_least_what_price_gives_where_clients_settle() -> None:
    for market in GAMES.partition_by("scenario", "clients", "budget"):
        leads = [lead(market, name, "price") for name in ("auction", "posted")]
        assert max(float(found.low) for found in leads) > 0


def test_under_price_all_hold_out_and_no_other_try_pays_much_more() -> None:
    price = GAMES.filter(mechanism="price")
    assert price["policy"].str.starts_with("holdout").all() or price["policy"].str.starts_with("demand").any()
    assert price.group_by("scenario", "clients", "budget").len().height == 12


def test_posted_leads_its_never_learning_self_and_flat() -> None:
    for control in ("posted(learn=false)", "flat"):
        assert float(lead(GAMES, "posted", control).low) > 0


def test_no_reply_pays_under_the_truthful_ones_and_some_does_under_price() -> None:
    told = {row.mechanism: row for row in gamed.compute(REPLIES.filter(kind="reply"))}
    for name in ("auction", "posted", "flat"):
        assert told[name].most <= 1e-9
    assert told["price"].adds > 10 * told["price"].honest
    assert told["waterfill"].adds > 0.01 * told["waterfill"].honest


def test_the_tables_have_a_row_for_every_mechanism_and_market() -> None:
    head, rows = settled_cells(GAMES)
    assert len(rows) == 12
    assert all(len(row) == len(head) for row in rows)
    head, rows = replies_cells(REPLIES)
    assert [row[0] for row in rows] == [*best_replies.SHORT, *best_replies.CURVE]
    assert all(len(row) == len(head) for row in rows)


def test_a_lead_is_taken_fleet_by_fleet() -> None:
    def rows(name: str, shares: list[float]) -> list[dict[str, object]]:
        market = {"scenario": "paper", "clients": 10, "budget": 0.1}
        return [{"mechanism": name, **market, "seed": seed, "share": share} for seed, share in enumerate(shares)]

    table = pl.DataFrame(rows("a", [0.1, 0.5, 0.9]) + rows("b", [0.0, 0.4, 0.8])[::-1])
    assert float(lead(table, "a", "b").middle) == pytest.approx(0.1)


def test_a_cell_that_is_there_is_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cell = Cell("flat", "paper", 10, 0.06)
    monkeypatch.setattr(gaming, "cells", lambda: [cell])
    monkeypatch.setattr(gaming, "FLEETS", {10: 2})
    monkeypatch.setattr(gaming, "ROUNDS", 2)
    first = gaming.sweep(tmp_path)
    assert first["policy"].to_list() == ["honest", "honest"]
    assert (first["share"].to_numpy() >= 0).all()
    monkeypatch.setattr(gaming, "rows", lambda *_: pytest.fail("played again"))
    assert gaming.sweep(tmp_path).equals(first)


def test_replies_that_are_there_are_not_played_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = Task("iid", "flat", "paper", 4, 0.03, 2, 0, 2, search=False)
    monkeypatch.setattr(best_replies, "tasks", lambda: [task])
    first = best_replies.sweep(tmp_path)
    assert first.height == 2
    monkeypatch.setattr(best_replies, "measure", lambda *_: pytest.fail("played again"))
    assert best_replies.sweep(tmp_path).equals(first)


def test_where_to_settle_is_sought_for_price_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settled(Cell("auction", "paper", 10, 0.06), 2).policy == Policy()
    monkeypatch.setattr(gaming, "TRIES", (Holdout(1.2),))
    monkeypatch.setattr(gaming, "SOUGHT", {10: 1})
    found = settled(Cell("price", "paper", 10, 0.06), 2)
    assert isinstance(found.policy, Holdout)
    assert np.isfinite(found.adds)


def test_every_cell_has_a_mechanism_of_each_kind() -> None:
    assert len(cells()) == 60
    assert {cell.name for cell in cells()}.__len__() == 60
