"""Tables about the agents of claim j: how far they come on clients that no training saw, and how they were taught."""

import numpy as np
import polars as pl

from lefi.agent.weights import load
from lefi.arrays import FloatArray
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.judge.statistics import difference, median, told
from lefi.studies.run.heavy import heavy_table

Cells = tuple[list[str], list[list[str]]]  # head, rows
NAMES = ("taught", "scratch", "lefi", "waterfill", "uniform")
POINTS = 8  # of the curve that are told


def family_cells() -> Cells:
    """Share of the oracle's gain by family and budget, and the lead of the taught agent over equal weights."""
    table = at_the_end(heavy_table("drl"))
    rows = []
    for scenario, budget in table.select("scenario", "budget").unique(maintain_order=True).sort("scenario").rows():
        here = table.filter(scenario=scenario, budget=budget)
        rows.append([f"`{scenario}`, {budget:g} USD", *_row(here)])
    long = at_the_end(heavy_table("drl_long"))
    rows.append([f"`mixed`, 5 USD, {int(long['round'][0]):,} rounds", *_row(long)])
    rounds = int(table["round"][0])
    head = [f"{rounds} rounds", *(f"`{name}`" for name in NAMES)]
    return [*head, "`taught` over `uniform`", "largest overspend of `taught`"], rows


def curve_cells() -> Cells:
    """Interactions against the reward of the validation markets."""
    points = load("shipped").more["curve"]
    places = np.unique(np.linspace(0, len(points) - 1, POINTS).round().astype(int))
    head = ["interactions", *(f"{points[at, 0]:.2g}" for at in places)]
    return head, [["mean reward", *(f"{points[at, 1]:.4f}" for at in places)]]


def _row(here: pl.DataFrame) -> list[str]:
    """One market: who was not played there has none."""
    shares = {name: here.filter(mechanism=name).sort("seed")["share"].to_numpy() for name in NAMES}
    fleets = max(share.size for share in shares.values())
    cells = [_cell(shares[name], fleets) for name in NAMES]
    if not shares["taught"].size:
        return [*cells, "-", "-"]
    worst = float(here.filter(mechanism="taught")["worst"].to_numpy().max())
    return [*cells, told(difference(shares["taught"], shares["uniform"]), 2), f"{100 * worst:.1f}%"]


def _cell(shares: FloatArray, fleets: int) -> str:
    """The median; where fewer fleets were played than by others, how many."""
    if not shares.size:
        return "-"
    return told(median(shares), 2) + ("" if shares.size == fleets else f" ({shares.size} fleets)")
