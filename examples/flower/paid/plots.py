"""Accuracy, spend and the clients' learned curves, in one picture."""

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi import CurveOffer, Mechanism, Receipt, Terms

SHOWN = 6  # clients in the last panel


def draw(receipts: list[Receipt], terms: Terms, mechanism: Mechanism, path: Path) -> None:
    """Three panels: accuracy and spend by round, and size by weight for the first clients."""
    if not receipts:
        return
    figure = Figure(figsize=(12, 3.5), layout="constrained")
    accuracy, spend, curves = figure.subplots(1, 3)
    rounds = [receipt.round for receipt in receipts]
    accuracy.plot(rounds, [receipt.accuracy for receipt in receipts], marker="o")
    accuracy.set(xlabel="round", ylabel="accuracy on the test set")
    spend.plot(rounds, [receipt.paid for receipt in receipts], marker="o", label="paid")
    spend.axhline(terms.budget, linestyle="--", color="black", label="budget")
    spend.set(xlabel="round", ylabel="USD per round")
    spend.legend()
    _learned(curves, receipts, mechanism)
    figure.savefig(path, dpi=120)


def _learned(axes: Axes, receipts: list[Receipt], mechanism: Mechanism) -> None:
    """Answers as points, by weight for the curve and by pay for other kinds.

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
        bank, unit = getattr(mechanism, "bank", None), getattr(mechanism, "unit", None)
        if curve and bank is not None and unit and hasattr(mechanism, "terms"):
            grid = np.linspace(weights.min(), weights.max(), 50)
            mean, _ = bank.predict(np.array([client]), grid[None] / unit)
            axes.plot(grid, 1000 * mean[0] * mechanism.terms.size_high, color=f"C{number}", linewidth=1)
    axes.set(xlabel="weight offered [USD]" if curve else "paid [USD]", ylabel="samples used")
