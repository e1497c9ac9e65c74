"""One style for all figures: markers and lines per mechanism, sizes, and how a figure is saved.

Colours are those of `lefi.palette`; markers and line styles say the same again for a print in grey.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, NullLocator

from lefi.palette import COLOURS, SPARE

Line = tuple[int, tuple[float, ...]]  # offset, and lengths of dashes and gaps
SOLID: Line = (0, ())


@dataclass(frozen=True)
class Look:
    """How one mechanism is drawn."""

    label: str
    colour: str
    marker: str
    line: Line = SOLID


KNOWN = {
    "lefi": Look("lefi (paper)", COLOURS["lefi"], "o"),
    "lefi warm": Look("lefi, first weights budget / clients", COLOURS["lefi warm"], "o", (0, (7, 1.5))),
    "lefi usd": Look("lefi, step and probe in USD", COLOURS["lefi usd"], "o", (0, (1.2, 1.2))),
    "waterfill": Look("waterfill", COLOURS["waterfill"], "^"),
    "uniform": Look("uniform", COLOURS["uniform"], "s", (0, (5, 1.5))),
    "bara": Look("bara", COLOURS["bara"], "D", (0, (3, 1.2, 1, 1.2))),
    "bara cold": Look("bara, cold start", COLOURS["bara cold"], "D", (0, (1.2, 1.2))),
    "random": Look("random", COLOURS["random"], "v", (0, (1.2, 1.2))),
    "random cold": Look("random, cold start", COLOURS["random cold"], "v", (0, (1, 2))),
    "price": Look("price", COLOURS["price"], "P"),
    "auction": Look("auction", COLOURS["auction"], "X"),
    "posted": Look("posted", COLOURS["posted"], "o", (0, (7, 1.5))),
    "posted(learn=false)": Look("posted, never learning", COLOURS["posted(learn=false)"], "o", (0, (1.2, 1.2))),
    "contract": Look("contract", COLOURS["contract"], "<", (0, (7, 1.5))),
    "pool": Look("pool", COLOURS["pool"], ">", (0, (4, 1, 1, 1, 1, 1))),
    "contest": Look("contest", COLOURS["contest"], "h", (0, (2, 1))),
    "flat": Look("flat", COLOURS["flat"], "d", (0, (1, 2))),
}
ORACLE = Look("oracle", "#000000", "", (0, (6, 3)))
FIRST_BEST = Look("first_best", "#000000", "", (0, (1, 1.6)))
SPARE_MARKERS = ("P", "X", "<", ">", "h")
SPARE_LINES: tuple[Line, ...] = (SOLID, (0, (7, 1.5)), (0, (4, 1, 1, 1, 1, 1)))

GREY = "#6B6B6B"
DATES: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}  # by kind of file
CHARACTER = 0.025  # width of a character of a tick label, as a share of a panel, with room
SHEET: Any = {
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "savefig.dpi": 200,
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 8,
    "axes.labelsize": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#444444",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.formatter.useoffset": False,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.8,
    "lines.markersize": 5,
    "legend.frameon": False,
    "svg.hashsalt": "lefi",  # the same figure gives the same file
}


def in_order(names: Iterable[str]) -> list[str]:
    """Known mechanisms as in the table, then the others by name."""
    given = set(names)
    return [name for name in KNOWN if name in given] + sorted(given - KNOWN.keys())


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each name; unknown ones take the spare colours in the order of their names."""
    ordered = in_order(names)
    strangers = [name for name in ordered if name not in KNOWN]
    return {name: KNOWN[name] if name in KNOWN else _spare(name, strangers.index(name)) for name in ordered}


def _spare(name: str, place: int) -> Look:
    turn = place // len(SPARE)
    return Look(
        name,
        SPARE[place % len(SPARE)],
        SPARE_MARKERS[place % len(SPARE_MARKERS)],
        SPARE_LINES[turn % len(SPARE_LINES)],
    )


def sheet(
    panels: int = 1, *, width: float | None = None, height: float = 3.3, share_y: bool = False
) -> tuple[Figure, list[Axes]]:
    """A figure with that many panels side by side."""
    figure = Figure(figsize=(width or (5.4 if panels == 1 else 4.6 * panels), height), layout="constrained")
    return figure, list(figure.subplots(1, panels, squeeze=False, sharey=share_y)[0])


def grid(panels: int, columns: int = 3) -> tuple[Figure, list[Axes]]:
    """A figure with that many small panels in rows, on one y axis."""
    columns = min(columns, panels)
    rows = -(-panels // columns)
    figure = Figure(figsize=(max(3.2 * columns, 5.4), 2.3 * rows + 0.9), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
    for spare in axes[panels:]:
        spare.set_visible(False)
    return figure, axes[:panels]


def legend(
    figure: Figure, names: Iterable[str], *, oracle: bool = False, first_best: bool = False, markers: bool = False
) -> None:
    """One row of keys above all panels."""
    shown = [*looks(names).values(), *([ORACLE] if oracle else []), *([FIRST_BEST] if first_best else [])]
    keys = [
        Line2D([], [], color=look.colour, linestyle=look.line, marker=look.marker if markers else "", label=look.label)
        for look in shown
    ]
    columns = _columns([look.label for look in shown], figure.get_figwidth())
    figure.legend(handles=keys, loc="outside upper center", ncols=columns, handlelength=2.8, columnspacing=1.6)


def _columns(labels: list[str], width: float) -> int:
    """Columns of the fewest rows of keys that fit into `width` inches: handle, gaps, and 0.55 em a character."""
    em = SHEET["font.size"] / 72
    for rows in range(1, len(labels)):
        columns = -(-len(labels) // rows)
        parts = [labels[start : start + rows] for start in range(0, len(labels), rows)]  # filled column by column
        if em * sum(5.2 + 0.55 * max(map(len, part)) for part in parts) <= width:
            return columns
    return 1


def ticks_at(axes: Axes, values: Iterable[float]) -> None:
    """Ticks of the x axis at the values that were measured; a label that would touch the one before is left out."""
    places = sorted(values)
    labels: list[str] = []
    end = -1.0
    for value in places:
        text = f"{value:,.10g}"
        middle = float(axes.transAxes.inverted().transform(axes.transData.transform((value, 1.0)))[0])
        half = len(text) * CHARACTER / 2
        labels.append(text if middle - half >= end else "")
        end = middle + half if labels[-1] else end
    axes.set_xticks(places, labels)
    axes.xaxis.set_minor_locator(NullLocator())


def label_y(axes: Axes, scale: float = 1.0, unit: str = "") -> None:
    """Labels of the y axis as plain numbers times `scale`, also on log axes."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{scale * y:.10g}{unit}"))


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save inside: matplotlib reads its settings at both moments."""
    with matplotlib.rc_context(SHEET):
        yield


def save(figure: Figure, folder: Path, name: str, kinds: Iterable[str] = DATES) -> list[Path]:
    """The figure as PNG, SVG and PDF. Names no date, so that the same numbers give the same files."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {folder / f"{name}.{kind}": DATES[kind] for kind in kinds}
    _lay_out(figure)
    for path, without in paths.items():
        figure.savefig(path, metadata=without)
    return list(paths)


def _lay_out(figure: Figure) -> None:
    """Find the layout once, for all kinds of file. Saving would find it for each, and draw everything for it first."""
    engine = figure.get_layout_engine()
    if engine is not None:
        figure.set_dpi(SHEET["savefig.dpi"])  # the layout hangs on it a little
        engine.execute(figure)
        figure.set_layout_engine(None)
