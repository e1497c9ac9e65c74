"""The report's section "Can it be gamed?": replies and lies, and what is left where clients settle."""

from html import escape

import numpy as np
import polars as pl

from lefi.mechanisms.catalogue import mechanism_of
from lefi.studies.figures import gamed
from lefi.studies.judge.gaming import lead
from lefi.studies.judge.statistics import told
from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Results

MILLI = 1000
ORDER = ("reply", "group", "sybils", "reentry", "iid")
TRUTHFUL = ("auction", "posted")
Cells = tuple[list[str], list[list[str]]]  # head, rows


def gaming_parts(found: Results) -> list[str]:
    """What one client gains, then what mechanisms are worth where all play."""
    (first, games), (second, markets) = replies_cells(found.heavy("replies")), settled_cells(found.heavy("gaming"))
    return [
        "<h3>What one client gains by looking ahead or by lying</h3>",
        table(first, [[escape(cell) for cell in row] for row in games], numbers=len(first) - 2),
        paragraph(
            "Thousandths of a USD a round, means over the clients that were tried: the best of 42 policies (reply), of "
            "two clients who play it together (group), three names for one machine (sybils), a new name every 5 rounds "
            "(reentry), and a stated iid of 0. In brackets what the server loses of its gain."
        ),
        "<h3>Where clients settle, at equal money</h3>",
        table(second, [[escape(cell) for cell in row] for row in markets], numbers=len(second) - 4),
    ]


def replies_cells(games: pl.DataFrame) -> Cells:
    """One row per mechanism: what is added for the players, and what the server loses."""
    kinds = [kind for kind in ORDER if kind in games["kind"]]
    cells = {(row.mechanism, row.kind): row for row in gamed.compute(games)}
    rows = []
    for name in games["mechanism"].unique(maintain_order=True):
        here = [cells.get((name, kind)) for kind in kinds]
        keeps = next(f"{MILLI * row.honest:z.2f}" for row in here if row is not None)
        adds = ["-" if row is None else f"{MILLI * row.adds:z.2f} ({100 * row.lost:z.1f}%)" for row in here]
        rows.append([name, mechanism_of(name).learns, keeps, *adds])
    return ["mechanism", "learns from", "an honest client keeps", *kinds], rows


def settled_cells(games: pl.DataFrame) -> Cells:
    """One row per market: shares of first_best's gain, and the lead of the better truthful mechanism over price."""
    names = games["mechanism"].unique(maintain_order=True).to_list()
    rows = []
    markets = games.select("scenario", "clients", "budget").unique().sort("scenario", "clients", "budget")
    for scenario, clients, budget in markets.rows():
        here = games.filter(scenario=scenario, clients=clients, budget=budget)
        shares = {name: float(np.median(here.filter(mechanism=name)["share"].to_numpy())) for name in names}
        better = max(TRUTHFUL, key=lambda name: shares[name])
        policy = here.filter(mechanism="price")["policy"][0]
        cells = [f"{shares[name]:.2f}" for name in names]
        ahead = f"{better} {told(lead(here, better, 'price'), 2)}"
        rows.append([scenario, f"{clients}", f"{budget:g}", policy, *cells, ahead])
    head = ["scenario", "clients", "USD per 10", "all play under price", *names]
    return [*head, "lead of the better truthful one over price"], rows
