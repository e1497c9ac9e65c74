"""Money until a target is first reached: per seed, paired, against constant plans in hindsight."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from lefi.studies.figures import to_target as figure
from lefi.studies.judge.to_target import Way, best, kept, money, paper, ratio, read, table_of, ways
from lefi.studies.report.target import target_cells
from lefi.studies.run.heavy import heavy_table

TARGET = 0.5


def rows(mechanism: str, seed: int, paid: float, reached: int | None, last: int = 10) -> list[tuple[object, ...]]:
    """A job that pays the same each round and ends once the target is reached, or never gets there."""
    end = last if reached is None else reached
    return [(mechanism, seed, r, paid, 0.6 if r == reached else 0.4) for r in range(1, end + 1)]


def table() -> pl.DataFrame:
    jobs = [
        *(rows("pace(price)", seed, 0.1, 4 + seed) for seed in range(3)),
        *(rows("schedule(price, rounds=10)", seed, 0.2, 3) for seed in range(3)),
        *(rows("schedule(price, rounds=20)", seed, 0.1, 5 if seed else None) for seed in range(3)),
        *(rows("schedule(price, shape='front', rounds=20)", seed, 0.01, 2) for seed in range(3)),
        *(rows("bara_published", seed, 0.1, None) for seed in range(3)),
    ]
    columns = ["mechanism", "seed", "round", "paid", "accuracy"]
    return pl.DataFrame([row for job in jobs for row in job], schema=columns, orient="row")


def found() -> dict[str, Way]:
    return {way.mechanism: way for way in ways(table(), TARGET)}


def test_money_is_counted_until_the_first_time() -> None:
    np.testing.assert_allclose(found()["pace(price)"].money, [0.4, 0.5, 0.6])
    assert found()["schedule(price, rounds=20)"].money.tolist() == pytest.approx([np.inf, 0.5, 0.5])
    assert np.isinf(found()["bara_published"].money).all()
    assert [float(part) for part in money(found()["schedule(price, rounds=20)"])] == pytest.approx([0.5, 0.5, np.inf])


def test_the_best_plan_in_hindsight_is_constant_and_of_the_same_class() -> None:
    every = list(found().values())
    plan = best(every, "price")
    assert plan is not None
    assert plan.mechanism == "schedule(price, rounds=20)"
    assert best(every, "bara_published") is plan  # an auction pays by the sample, too
    assert best(every[:1], "price") is None
    assert float(ratio(every[0], plan).middle) == pytest.approx(1.0)
    assert float(ratio(every[0], plan).low) == 0.0  # one seed of the plan never gets there
    whole = paper(every, "price")
    assert whole is not None
    assert whole.money.tolist() == pytest.approx([np.inf, 10.0, 10.0])  # 0.1 USD in each of 100 rounds


def test_what_is_kept_is_read_back() -> None:
    every = list(found().values())
    table = kept(every, data="cifar10", payment="price", target=TARGET)
    for before, after in zip(every, read(table), strict=True):
        assert before.mechanism == after.mechanism
        np.testing.assert_array_equal(before.money, after.money)
        np.testing.assert_array_equal(before.rounds, after.rounds)
    panel = figure.compute(table)[0]
    assert (panel.data, panel.target) == ("cifar10", TARGET)
    assert "bara_published" not in [way.mechanism for way in panel.ways]  # which never gets there


def test_the_shipped_table_is_what_the_docs_tell() -> None:
    """Made together by `python -m benchmarks.target`."""
    told = json.loads(Path("docs/measured/target.json").read_text(encoding="utf-8"))
    shipped = heavy_table("to_target")
    assert shipped.select("data", "payment").unique().height == len(told) == 4
    for one in told:
        rows = table_of(read(shipped.filter(data=one["data"], payment=one["payment"])))
        assert [row["mechanism"] for row in rows] == [row["mechanism"] for row in one["mechanisms"]]
        for ours, theirs in zip(rows, one["mechanisms"], strict=True):
            mine, said = (np.array(row["usd"], dtype=np.float64) for row in (ours, theirs))  # None becomes NaN
            np.testing.assert_allclose(mine, said, rtol=1e-4)
            assert (ours["reached"], ours["best_constant"]) == (theirs["reached"], theirs["best_constant"])


def test_the_report_s_table_has_a_row_for_each_and_says_never() -> None:
    shipped = heavy_table("to_target")
    head, cells = target_cells(shipped)
    assert len(cells) == shipped.select("data", "mechanism").unique().height
    assert all(len(row) == len(head) for row in cells)
    best = {row[0]: row for row in cells if row[4].startswith("1.00 [1.00, 1.00]")}
    assert set(best) == {"CIFAR-10 to 0.5", "GTSRB to 0.7"}
    assert any("never" in row for row in cells)


def test_the_table_and_the_figure_say_who_never_gets_there() -> None:
    every = list(found().values())
    told = {row["mechanism"]: row for row in table_of(every)}
    assert told["pace(price)"]["usd"] == pytest.approx([0.5, 0.4, 0.6])
    assert told["bara_published"]["reached"] == 0
    assert told["bara_published"]["usd"] == [None, None, None]
    panels = [figure.Panel("cifar10", TARGET, every), figure.Panel("gtsrb", TARGET, every[-1:])]
    drawn = figure.draw(panels)
    assert [text.get_text() for text in drawn.axes[0].get_yticklabels()] == [
        "bara_published",
        "price, 20 rounds, front",
        "price, 20 rounds",
        "price, 10 rounds",
        "pace(price)",
    ]
    assert "CIFAR-10: pace(price) pays 1.00" in figure.caption(panels)
