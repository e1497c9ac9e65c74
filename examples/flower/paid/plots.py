"""Accuracy, spend and the clients' learned curves, in one picture."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lefi import CurveOffer, Mechanism, Receipt, Terms

SHOWN = 6  # clients in the last panel


def draw(
    receipts: list[Receipt], terms: Terms, mechanism: Mechanism, names: Mapping[int, str], title: str, path: Path
) -> None:
    """Three panels: accuracy and spend by round, and size by weight for the first clients, by their `names`."""
    if not receipts:
        return
    figure = Figure(figsize=(13, 3.7), layout="constrained")
    figure.suptitle(title)
    accuracy, spend, curves = figure.subplots(1, 3)
    rounds = [receipt.round for receipt in receipts]
    accuracy.plot(rounds, [receipt.accuracy for receipt in receipts], marker="o")
    accuracy.set(title="The model", xlabel="round", ylabel="accuracy on the server's test set")
    spend.plot(rounds, [receipt.paid for receipt in receipts], marker="o")
    spend.axhline(terms.budget, linestyle="--", color="black")
    spend.annotate("budget", (rounds[0], terms.budget), xytext=(2, 4), textcoords="offset points")
    spend.set(title="The money", xlabel="round", ylabel="paid [USD per round]", ylim=(0, 1.2 * terms.budget))
    for axes in (accuracy, spend):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _learned(curves, receipts, mechanism, names)
    figure.savefig(path, dpi=120)


def _learned(axes: Axes, receipts: list[Receipt], mechanism: Mechanism, names: Mapping[int, str]) -> None:
    """Answers as points, by weight for the curve and by pay for other kinds; the last one bears the client's name.

    Where the mechanism keeps one process per client, its mean as a line.
    """
    last, curve = receipts[-1].roster.ids[:SHOWN], isinstance(receipts[-1].offer, CurveOffer)
    for number, client in enumerate(last):
        points = []
        for receipt in receipts:
            at = np.flatnonzero(receipt.roster.ids == client)
            if at.size:
                stake = receipt.offer.weight if curve else receipt.payments
                points.append((stake[at[0]], receipt.sizes[at[0]]))
        weights, sizes = np.array(points).T
        axes.plot(weights, 1000 * sizes, "o", color=f"C{number}", markersize=4)
        end, name = (weights[-1], 1000 * sizes[-1]), names.get(int(client), str(client))
        if np.isfinite(end).all():
            axes.annotate(name, end, xytext=(5, 3), textcoords="offset points", color=f"C{number}", fontsize=8)
        bank, unit = getattr(mechanism, "bank", None), getattr(mechanism, "unit", None)
        if curve and bank is not None and unit and hasattr(mechanism, "terms"):
            grid = np.linspace(weights.min(), weights.max(), 50)
            mean, _ = bank.predict(np.array([client]), grid[None] / unit)
            axes.plot(grid, 1000 * mean[0] * mechanism.terms.size_high, color=f"C{number}", linewidth=1)
    axes.margins(x=0.15)  # room for names
    money = "weight offered [USD]" if curve else "paid [USD]"
    axes.set(title=f"The first {last.size} clients", xlabel=money, ylabel="samples used")
