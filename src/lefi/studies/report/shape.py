"""The report's section on the shape of the payment: what each way of paying reaches, costs and invites."""

from html import escape

import numpy as np

from lefi.mechanisms.catalogue import registered
from lefi.studies.figures import deviation, money, needed
from lefi.studies.figures.deviation import MILLI
from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Finished, Results

MONEY, DEVIATION = "shape_money", "shape_deviation"
BUDGET = 0.06  # USD per round at which accuracy is told


def shape_parts(found: Results) -> list[str]:
    """What the section is about, and the table; how to get it where its studies are missing."""
    about = paragraph(
        "The paper fixes the shape of the payment and tunes its height. Other shapes pay closer to what data costs "
        "the clients: a price up to a limit, a menu, a pool, an auction. Results of different payment classes, and of "
        "mechanisms that know different things, are not of one kind; the table says both."
    )
    spent, kept = found.get(MONEY), found.get(DEVIATION)
    absent = [name for name in (MONEY, DEVIATION) if found.get(name) is None]
    hints = [
        paragraph(f"Study {name} is missing: run lefi compare --study studies/{name}.toml with --out here.", "note")
        for name in absent
    ]
    return [about, *hints, *([] if spent is None else [shape_table(spent, kept)])]


def shape_table(spent: Finished, kept: Finished | None) -> str:
    """One row per mechanism."""
    accuracy, cheapest = money.compute(spent).accuracy, needed.compute(spent).needed
    told = None if kept is None else deviation.compute(kept)
    head = [
        "Mechanism",
        "pays by",
        "knows",
        f"accuracy, {BUDGET:g} USD",
        "USD needed",
        "over budget",
        "clients keep",
        "pretending",
    ]
    rows = []
    for name, line in accuracy.items():
        known = registered().get(name)
        enough = cheapest[name].middle[-1] if name in cheapest else np.inf
        over = spent.of(name)["overspend"].to_numpy()
        rows.append(
            [
                escape(name),
                escape(known.payment) if known else "-",
                escape(known.tier) if known else "-",
                f"{line.at(BUDGET)[0]:.4f}" if BUDGET in line.by else "-",
                f"{enough:.3g}" if np.isfinite(enough) else "more than tried",
                f"{100 * np.mean(over > needed.ROUNDING):.0f}%",
                f"{MILLI * np.median(told.surplus[name]):z.2f}" if told and name in told.surplus else "-",
                f"{MILLI * np.median(told.gain[name]):z.2f}" if told and name in told.gain else "-",
            ]
        )
    return table(head, rows, numbers=5) + paragraph(
        f"Medians over {spent.seeds} fleets in round {spent.last}. USD needed: to reach what the oracle of the paper's "
        f"curve gets from {money.GOAL:g} USD. Over budget: share of all rounds. The last two columns, what a client "
        "keeps and what it gains by pretending, are thousandths of a USD a round."
    )
