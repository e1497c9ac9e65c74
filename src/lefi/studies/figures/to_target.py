"""Money to a target, really trained: one line per mechanism, a dot per seed, the median with its interval."""

from dataclasses import dataclass

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from lefi.spelling import spelled
from lefi.studies.figures.style import GREY
from lefi.studies.figures.trained_accuracy import DATA
from lefi.studies.judge.statistics import told
from lefi.studies.judge.to_target import PAPER, Way, best, money, paper, ratio, read
from lefi.studies.judge.to_target import PLAN as SCHEDULE

OURS, THEIRS, PLAN = "#009E73", "#D55E00", "#0072B2"  # pace, bara_published, constant plans
LINE = 0.3  # inches of height for each mechanism


@dataclass(frozen=True, eq=False)
class Panel:
    """One data set."""

    data: str
    target: float
    ways: list[Way]


def compute(table: pl.DataFrame) -> list[Panel]:
    """One panel per data set, of what most seeds reach the target with; prices first, then the paper's curve."""
    panels = []
    for data, target in table.select("data", "target").unique(maintain_order=True).rows():
        own = read(table.filter(data=data))
        panels.append(Panel(data, target, [way for way in own if np.isfinite(way.middle)]))
    return panels


def draw(panels: list[Panel]) -> Figure:
    height = LINE * max(len(one.ways) for one in panels) + 1.2
    figure = Figure(figsize=(5.6 * len(panels), height), layout="constrained")
    for axes, one in zip(figure.subplots(1, len(panels), squeeze=False)[0], panels, strict=True):
        _lines(axes, one.ways)
        axes.set_title(f"{DATA.get(one.data, one.data)}: money until {one.target:g}")
        axes.set_xlabel("USD (dot: a seed, bar: median, x: never)")
    return figure


def _lines(axes: Axes, ways: list[Way]) -> None:
    """From the top; who never gets there stands at the right edge."""
    reached = np.concatenate([way.money[np.isfinite(way.money)] for way in ways])
    edge = 2 * reached.max() if reached.size else 1.0
    for place, way in enumerate(reversed(ways)):
        colour = _colour(way)
        never = int(np.isinf(way.money).sum())
        known = way.money[np.isfinite(way.money)]
        axes.plot(known, np.full(known.size, place), "o", color=colour, alpha=0.35, markersize=4)
        middle, low, high = (min(float(part), edge) for part in money(way))
        axes.hlines(place, low, high, color=colour, linewidth=1.4)
        axes.plot([middle], [place], "|", color=colour if np.isfinite(way.middle) else GREY, markersize=13, mew=2.4)
        if never:
            axes.plot([edge], [place], "x", color=GREY, markersize=6)
            axes.annotate(f" {never}", (edge, place), color=GREY, va="center")
    axes.set_yticks(range(len(ways)), [_label(way) for way in reversed(ways)])
    axes.set_ylim(-0.7, len(ways) - 0.3)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _colour(way: Way) -> str:
    if spelled(way.mechanism).name == SCHEDULE:
        return PLAN
    return THEIRS if way.inside == way.mechanism else OURS


def _label(way: Way) -> str:
    """A schedule in words: it is written too long for an axis."""
    written = spelled(way.mechanism)
    if written.name != SCHEDULE or not written.inside:
        return way.mechanism
    rounds, shape = written.settings.get("rounds", PAPER), written.settings.get("shape", "constant")
    return f"{written.inside[0]}, {rounds} rounds" + ("" if shape == "constant" else f", {shape}")


def caption(panels: list[Panel]) -> str:
    """What `pace` pays against the best constant plan, and against the paper's way."""
    parts = []
    for one in panels:
        for way in one.ways:
            if not way.mechanism.startswith("pace("):
                continue
            plans = (
                (best(one.ways, way.inside), "the best constant plan"),
                (paper(one.ways, way.inside), "the paper's way"),
            )
            for plan, name in plans:
                if plan:
                    factor = told(ratio(way, plan), 2)
                    parts.append(
                        f"{DATA.get(one.data, one.data)}: {way.mechanism} pays {factor} times {name} ({plan.mechanism})"
                    )
    seeds = panels[0].ways[0].money.size
    return f"Ten clients of the scenario mixed, {seeds} seeds, paired. {'; '.join(parts)}."
