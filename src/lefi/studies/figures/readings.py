"""What hangs on two numbers that the paper does not give: a map over readings, and accuracy against money over them."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter

from lefi.arrays import FloatArray
from lefi.studies.figures.style import FIRST_BEST, ORACLE, sheet
from lefi.studies.judge.readings import GOAL, LITERAL, OURS


@dataclass(frozen=True, eq=False)
class Readings:
    """needed and agrees (rates, factors); the factor of the control is left out."""

    rates: FloatArray
    factors: FloatArray
    needed: FloatArray
    agrees: FloatArray

    @property
    def spread(self) -> tuple[float, float]:
        """Least and most of what is needed, over the readings that agree with the paper."""
        inside = self.needed[self.agrees > 0]
        return float(inside.min()), float(inside.max())

    @property
    def ours(self) -> float:
        at = np.ix_(self.rates == OURS[0], self.factors == OURS[1])
        return float(self.needed[at][0, 0])


def compute(table: pl.DataFrame) -> Readings:
    shown = table.filter(pl.col("factor") < LITERAL).sort("rate", "factor")
    rates, factors = (shown[name].unique().sort().to_numpy() for name in ("rate", "factor"))
    shape = rates.size, factors.size
    needed, agrees = (shown[name].cast(pl.Float64).to_numpy().reshape(shape) for name in ("needed", "agrees"))
    return Readings(rates, factors, needed, agrees)


def draw(numbers: Readings) -> Figure:
    figure, (axes,) = sheet(width=8.2, height=4.6)
    image = axes.imshow(np.log10(numbers.needed), origin="lower", aspect="auto", cmap="cividis", vmin=-3, vmax=0)
    for (row, column), value in np.ndenumerate(numbers.needed):
        shade = "black" if value > 0.06 else "white"
        inside = numbers.agrees[row, column] > 0
        text = f"{100 * value:.2g}%"
        weight = "bold" if inside else "normal"
        axes.annotate(text, (column, row), ha="center", va="center", color=shade, fontsize=8, fontweight=weight)
        if inside:
            frame = Rectangle((column - 0.47, row - 0.46), 0.94, 0.92, fill=False, edgecolor="#D55E00", linewidth=2)
            axes.add_patch(frame)
    axes.set_xticks(range(numbers.factors.size), [f"{x:g}" for x in numbers.factors])
    axes.set_yticks(range(numbers.rates.size), [f"{x:g}" for x in numbers.rates])
    axes.set(xlabel="price of computing, times our reading of theta", ylabel="beta [1 / thousand samples]")
    axes.grid(visible=False)
    bar = figure.colorbar(image, ax=axes, label=f"money needed, share of {GOAL:g} USD")
    bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * 10**y:.3g}%"))
    return figure


def caption(numbers: Readings) -> str:
    low, high = numbers.spread
    return (
        "Money with which paying just the cost reaches what the best weights of the paper's curve reach with "
        f"{GOAL:g} USD, 10 clients. Framed: readings that agree with what the paper reports ({GOAL:g} USD is tight, "
        f"all is bought at 15 to 30 USD). Over them it is {100 * low:.2g}% to {100 * high:.2g}% of the money; ours, "
        f"beta {OURS[0]:g} and a rent per hour, is {100 * numbers.ours:.2g}%. The gentler the curve, the less it "
        "wastes."
    )


@dataclass(frozen=True, eq=False)
class Money:
    """Accuracy (readings, budgets) of the oracle and of first_best, and the row of our reading."""

    budget: FloatArray
    oracle: FloatArray
    first_best: FloatArray
    ours: int


def compute_money(table: pl.DataFrame) -> Money:
    rows = table.sort("rate", "factor", "budget")
    budget = rows["budget"].unique().sort().to_numpy()
    oracle, first_best = (rows[name].to_numpy().reshape(-1, budget.size) for name in ("oracle", "first_best"))
    pairs = rows.select("rate", "factor").unique(maintain_order=True).rows()
    return Money(budget, oracle, first_best, pairs.index(OURS))


def draw_money(numbers: Money) -> Figure:
    figure, (axes,) = sheet(width=4.9, height=4.1)
    for lines, bound, colour, name in (
        (numbers.first_best, FIRST_BEST, "#CC79A7", "paying just the cost"),
        (numbers.oracle, ORACLE, "#0072B2", "the paper's curve at its best"),
    ):
        axes.fill_between(numbers.budget, lines.min(axis=0), lines.max(axis=0), color=colour, alpha=0.25, linewidth=0)
        axes.plot(numbers.budget, lines[numbers.ours], color=colour, linestyle=bound.line, label=name)
    axes.axvline(GOAL, color="#AAAAAA", linewidth=0.8)
    axes.annotate(f"{GOAL:g} USD", (GOAL, axes.get_ylim()[0]), xytext=(3, 4), textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.set(xlabel="USD per round, 10 clients", ylabel="accuracy")
    figure.legend(loc="outside upper center", ncols=1)
    return figure


def caption_money(_: Money) -> str:
    return (
        "Bands: over readings of beta and theta that agree with the paper; lines: our reading. How much the curve "
        "wastes hangs on the reading."
    )
