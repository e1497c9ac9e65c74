"""The report's section "Everybody": what each mechanism knows, how far it comes, how soon, what it spends and takes."""

from html import escape

import numpy as np
import polars as pl

from lefi.mechanisms.catalogue import mechanism_of
from lefi.studies.figures import everybody
from lefi.studies.judge.statistics import told
from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Results

Cells = tuple[list[str], list[list[str]]]  # head, rows


def everybody_parts(found: Results) -> list[str]:
    """One row per mechanism, the best with most money first."""
    head, rows = everybody_cells(found.heavy("everybody"))
    return [
        table(head, [[escape(cell) for cell in row] for row in rows], numbers=len(head) - 4),
        paragraph(
            "Accuracy in round 20 as a share of what first_best reaches with the same money. Settled: the median round "
            "from which accuracy stays within 2% of the last one; a mechanism that learns nothing is settled at once. "
            "Overspend: the worst round of all. Milliseconds: of a round with ten clients, on the machine that made "
            "the table. serving is told predictions besides, and knows more than its tier says. drl taught comes with "
            "millions of rounds of other markets behind it; everybody else begins here."
        ),
    ]


def everybody_cells(games: pl.DataFrame) -> Cells:
    """What the table says, in words."""
    places = {budget: {one.mechanism: one for one in row} for budget, row in everybody.compute(games).items()}
    richest = max(places)
    rows = []
    for name in places[richest]:
        own = games.filter(mechanism=name)
        factory = mechanism_of(str(own["spec"][0]))
        worst = max(places[budget][name].worst for budget in places)
        rows.append(
            [
                name,
                factory.payment,
                factory.tier,
                factory.learns,
                *(told(places[budget][name].quality) for budget in places),
                "none" if worst <= everybody.OVER else f"{100 * worst:.1f}%",
                f"{float(np.median(own['settled'].to_numpy())):.0f}",
                f"{own['milliseconds'][0]:.2g}",
            ]
        )
    money = [f"{budget:g} USD" for budget in places]
    return ["mechanism", "pays by", "knows", "learns from", *money, "overspend", "settled", "ms a round"], rows
