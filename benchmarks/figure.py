"""The figure: time of a round against the size of the fleet, both logarithmic."""

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

COLOURS = {"lefi iwp": "C0", "lefi matern32": "C1", "lefi matern52": "C2", "lefi rbf": "C3"}


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
    for axis, rounds in zip(axes, (20, 100), strict=True):
        names = dict.fromkeys(r["name"] for r in rows if r["rounds"] == rounds)
        for name in names:
            line = [(r["clients"], r["seconds"]) for r in rows if r["name"] == name and r["rounds"] == rounds]
            style = "-" if name in COLOURS else "--"
            axis.plot(*zip(*line, strict=True), style, marker="o", ms=3, color=COLOURS.get(name), label=name)
        axis.set(xscale="log", yscale="log", xlabel="clients", title=f"{rounds} answers per client")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("CPU seconds per round, one thread")
    axes[1].legend(fontsize=8)
    figure.savefig(path, dpi=150)
    plt.close(figure)
