"""The report's section "Dollars to accuracy": what each way to a target cost, against the best plan and the paper's."""

from html import escape

import polars as pl

from lefi.studies.figures.trained_accuracy import DATA
from lefi.studies.judge.statistics import Interval, told
from lefi.studies.judge.to_target import best, money, paper, ratio, read
from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Results

Cells = tuple[list[str], list[list[str]]]  # head, rows


def target_parts(found: Results) -> list[str]:
    """One row per data set and mechanism."""
    head, rows = target_cells(found.heavy("to_target"))
    return [
        table(head, [[escape(cell) for cell in row] for row in rows], numbers=len(head) - 2),
        paragraph(
            "USD until held-out accuracy first reaches the target, medians over seeds with their intervals. The best "
            "plan is the cheapest schedule in hindsight that pays in the same way. The paper's way pays the same "
            "budget in each of 100 rounds, at its best budget. Ratios are paired over seeds; 0 means that the other "
            "never gets there. An auction is held against plans with prices."
        ),
    ]


def target_cells(kept: pl.DataFrame) -> Cells:
    """What the table says, in words."""
    rows = []
    for data, target in kept.select("data", "target").unique(maintain_order=True).rows():
        ways = read(kept.filter(data=data))
        for way in ways:
            plans = (best(ways, way.inside), paper(ways, way.inside))
            against = [_told(ratio(way, plan)) if plan else "-" for plan in plans]
            there = f"{int((way.money < float('inf')).sum())} of {way.money.size}"
            rows.append([f"{DATA.get(data, data)} to {target:g}", way.mechanism, there, _told(money(way)), *against])
    return ["", "mechanism", "seeds that reach it", "USD", "times the best plan", "times the paper's way"], rows


def _told(found: Interval) -> str:
    """In words where the middle seed never gets there."""
    return "never" if found.middle == float("inf") else told(found, 2).replace("inf", "never")
