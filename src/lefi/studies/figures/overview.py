"""The figures of any study: share and overspend per round, what a swept setting does, and a map for two of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from lefi.arrays import FloatArray
from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.line_ends import name_lines
from lefi.studies.figures.style import GREY, ORACLE, grid, in_order, legend, looks, sheet, ticks_at
from lefi.studies.judge.statistics import median
from lefi.studies.run.results import Finished

DEEPEST = -1.0  # of the axis: a share below that is as far from arbitrary weights as the optimum, on the other side
PANELS = 9  # points of a sweep that are drawn round by round; of more, the first ones


def draw_rounds(study: Finished, swept: Sequence[str]) -> Figure:
    """Share of the gain of the optimum per round, one panel per point of the sweep."""
    points = _points(study.rounds, swept)[:PANELS]
    figure, panels = grid(len(points)) if len(points) > 1 else sheet(1, width=6.4, height=3.9)
    shares = [(label, bands(frame, "share")) for label, frame in points]
    ends = [line.middle[-1] for _, share in shares for line in share.values() if np.isfinite(line.middle[-1])]
    bottom = max(min(-0.1, *ends, 0.0) - 0.05, DEEPEST)
    for axes, (label, share) in zip(panels, shares, strict=True):
        for name, look in looks(share).items():
            draw_band(axes, share[name], look)
        axes.axhline(1, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
        axes.set(title=label, xlim=(1, study.last), ylim=(bottom, 1.04))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    figure.supxlabel("round", fontsize="medium")
    figure.supylabel("share of the optimum's gain", fontsize="medium")
    if len(panels) == 1:
        name_lines(figure, panels[0], shares[0][1], bounds={"oracle": (float(study.last), 1.0)})
    else:
        legend(figure, study.mechanisms, oracle=True)
    return figure


def draw_money(study: Finished) -> Figure:
    """What was paid per round, as a share of the budget."""
    figure, (axes,) = sheet(1, width=6.4, height=3.6)
    used = bands(study.rounds.with_columns(used=pl.col("paid") / pl.col("budget")), "used")
    for name, look in looks(used).items():
        draw_band(axes, used[name], look)
    axes.axhline(1, color=GREY, linestyle=ORACLE.line, linewidth=1.2)
    axes.set(xlabel="round", ylabel="paid, share of the budget", xlim=(1, study.last), ylim=(0, None))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    name_lines(figure, axes, used)
    return figure


def draw_spent(study: Finished) -> Figure:
    """What was paid so far, against the total that ends the job; where accuracy is learned, what that bought."""
    learned = bool((study.settings.get("settings") or {}).get("learning"))
    figure, panels = sheet(2 if learned else 1, width=None if learned else 6.4, height=3.6)
    money = study.rounds.sort("round").with_columns(spent=pl.col("paid").cum_sum().over("mechanism", "seed"))
    spent, reached = bands(money, "spent"), bands(money, "accuracy")
    for name, look in looks(spent).items():
        draw_band(panels[0], spent[name], look)
        if learned:
            panels[1].plot(spent[name].middle, reached[name].middle, color=look.colour, linestyle=look.line)
    total = float(study.rounds["total"][0])
    panels[0].axhline(total, color=GREY, linestyle=ORACLE.line, linewidth=1.2)
    last = max(float(line.by[-1]) for line in spent.values())
    panels[0].set(xlabel="round", ylabel="paid so far [USD]", xlim=(1, max(last, 2)), ylim=(0, 1.05 * total))
    panels[0].xaxis.set_major_locator(MaxNLocator(integer=True))
    for axes in panels[1:]:
        axes.set(xlabel="paid so far [USD]", ylabel="accuracy", xlim=(0, 1.05 * total))
    legend(figure, study.mechanisms)
    return figure


def draw_sweep(study: Finished, setting: str) -> Figure:
    """Share and accuracy in the last round, over one swept setting."""
    final = study.final()
    values = final[setting].unique(maintain_order=True).to_list()
    places = {value: float(value) if _is_number(values) else float(place) for place, value in enumerate(values)}
    final = final.with_columns(pl.col(setting).replace_strict(places, return_dtype=pl.Float64).alias("place"))
    figure, panels = sheet(2, height=3.8)
    for axes, (column, label) in zip(
        panels, (("share", "share of the optimum's gain"), ("judged", "accuracy")), strict=True
    ):
        lines = bands(final, column, "place")
        for name, look in looks(lines).items():
            draw_band(axes, lines[name], look, markers=True, alpha=0.1)
        axes.set(ylabel=f"{label}, round {study.last}")
        _label_x(axes, setting, values)
    legend(figure, study.mechanisms, markers=True)
    return figure


def draw_map(study: Finished, across: str, up: str) -> Figure:
    """Median share in the last round over two swept settings, one map per mechanism."""
    final, names = study.final(), in_order(study.mechanisms)
    columns, rows = (final[name].unique(maintain_order=True).to_list() for name in (across, up))
    tables = {name: _medians(final.filter(pl.col("mechanism") == name), across, up, columns, rows) for name in names}
    low = min(0.0, *(float(np.nanmin(table, initial=0.0)) for table in tables.values()))
    figure, panels = sheet(len(names), width=max(3.4 * len(names), 5.4), height=3.6, share_y=True)
    for axes, name in zip(panels, names, strict=True):
        image = axes.imshow(tables[name], origin="lower", aspect="auto", vmin=low, vmax=1.0, cmap="viridis")
        axes.set(title=name, xlabel=across, xticks=range(len(columns)), yticks=range(len(rows)))
        axes.set_xticklabels([_plain(value) for value in columns])
        axes.set_yticklabels([_plain(value) for value in rows])
        axes.grid(visible=False)
        for (row, column), value in np.ndenumerate(tables[name]):
            shade = "black" if value > (low + 2) / 3 else "white"
            axes.annotate(f"{value:.2f}", (column, row), ha="center", va="center", color=shade, fontsize="small")
    panels[0].set_ylabel(up)
    figure.colorbar(image, ax=panels, label=f"share of the optimum's gain, round {study.last}")
    return figure


def _medians(frame: pl.DataFrame, across: str, up: str, columns: list[Any], rows: list[Any]) -> FloatArray:
    def at(column: Any, row: Any) -> float:
        here = frame.filter(pl.col(across) == column, pl.col(up) == row)["share"].to_numpy()
        return float(median(here).middle) if here.size else np.nan

    return np.array([[at(column, row) for column in columns] for row in rows])


def _points(rounds: pl.DataFrame, swept: Sequence[str]) -> list[tuple[str, pl.DataFrame]]:
    """The rows of each point of the sweep, under its values."""
    if not swept:
        return [(f"scenario {rounds['scenario'][0]}", rounds)]
    found = []
    for point in rounds.select(swept).unique(maintain_order=True).rows():
        here = rounds.filter([pl.col(name) == value for name, value in zip(swept, point, strict=True)])
        said = ", ".join(f"{name} {_plain(value)}" for name, value in zip(swept, point, strict=True))
        found.append((said, here))
    return found


def _label_x(axes: Axes, setting: str, values: list[Any]) -> None:
    axes.set_xlabel(setting)
    if not _is_number(values):
        axes.set_xticks(range(len(values)), [str(value) for value in values])
        return
    if min(values) > 0 and max(values) / min(values) >= 20:
        axes.set_xscale("log")
    ticks_at(axes, values)


def _is_number(values: list[Any]) -> bool:
    return all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def caption_rounds(study: Finished) -> str:
    """What the first figure shows, with how the mechanisms ended."""
    share: dict[str, Band] = bands(study.final(), "share")
    ends = {name: float(np.nanmedian(line.middle)) for name, line in share.items() if np.isfinite(line.middle).any()}
    first = max(ends, key=ends.__getitem__, default=None)
    told = f" At the end {first} is highest, with {ends[first]:.3f}." if first else ""
    scale = "0 = arbitrary weights, 1 = the optimum of each way of paying"
    return f"{scale}. Median over seeds, 95% band; what lies below the axis is cut off.{told}"
