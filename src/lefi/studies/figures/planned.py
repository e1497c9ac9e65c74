"""What accuracy costs: money against accuracy for several numbers of rounds, and the best of all."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from lefi.arrays import FloatArray
from lefi.planning import Plan, Surface
from lefi.studies.figures.style import GREY, sheet

ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # lines that are drawn, as far as they are played
POINTS = 60  # sums of money along the best line


@dataclass(frozen=True, eq=False)
class Numbers:
    """For each number of rounds, and for the best of all: money in all [USD] and accuracy."""

    lines: dict[int, tuple[FloatArray, FloatArray]]
    money: FloatArray
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    plans: tuple[Plan, ...]


def compute(plans: Sequence[Plan]) -> Numbers:
    """Of plans for the same clients; the last one has looked at most budgets."""
    seen = plans[-1].surface
    shown = [t for t in ROUNDS if t <= seen.rounds[-1]]
    lines = {t: (seen.cost[:, t - 1], seen.middle[:, t - 1]) for t in shown}
    money = np.geomspace(seen.cost[seen.cost > 0].min(), seen.cost.max(), POINTS)  # for too little nobody comes
    middle = np.array([seen.middle[seen.cost <= sum * (1 + 1e-9)].max() for sum in money])
    low, high = np.array([_interval(seen, sum * (1 + 1e-9)) for sum in money]).T
    return Numbers(lines, money, middle, low, high, tuple(plans))


def _interval(seen: Surface, money: float) -> tuple[float, float]:
    """Where 95% of fleets and fits lie with the best that this sum buys of each."""
    cost = seen.spend[:, None, :, None] * seen.rounds
    best = np.where(cost <= money, seen.accuracy, seen.accuracy.min()).max(axis=(2, 3))
    low, high = np.quantile(best, [0.025, 0.975])
    return float(low), float(high)


def draw(numbers: Sequence[Numbers]) -> Figure:
    """One panel for each way of paying."""
    figure, panels = sheet(
        len(numbers), width=6.4 if len(numbers) == 1 else 4.6 * len(numbers), height=4.6, share_y=True
    )
    for axes, one in zip(panels, numbers, strict=True):
        colours = colormaps["viridis"](np.linspace(0.05, 0.9, len(one.lines)))
        for (rounds, (money, accuracy)), colour in zip(one.lines.items(), colours, strict=True):
            axes.plot(money, accuracy, color=colour, linewidth=1.2, label=f"{rounds} round{'s' * (rounds > 1)}")
        axes.fill_between(one.money, one.low, one.high, color="black", alpha=0.12, linewidth=0)
        axes.plot(one.money, one.middle, color="black", linewidth=2.0, label="best; band: 95% of fleets and fits")
        for place, plan in enumerate(one.plans):
            _mark(axes, plan, below=place > 0)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.set(xlabel="money in all [USD]", title=f"paid by {one.plans[0].payment}")
    panels[0].set_ylabel("accuracy")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8)
    return figure


def _mark(axes: Axes, plan: Plan, below: bool) -> None:
    """A star where the plan is, with its numbers; lines for what was asked."""
    at = (plan.cost.middle, plan.accuracy.middle)
    axes.plot(*at, "*", color="#D55E00", markersize=13, zorder=5)
    axes.annotate(
        f"{plan.rounds} rounds,\n{plan.budget:.3g} USD each",
        at,
        xytext=(10, -34) if below else (-10, 8),
        textcoords="offset points",
        ha="left" if below else "right",
        fontsize=8.5,
        bbox={"facecolor": "white", "alpha": 0.8, "edgecolor": "none", "pad": 1},
        zorder=6,
    )
    if plan.target is not None:
        axes.axhline(plan.target, color=GREY, linewidth=0.8)
    if plan.total is not None:
        axes.axvline(plan.total, color=GREY, linewidth=0.8)
