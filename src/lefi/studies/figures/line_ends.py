"""Names at the ends of lines: with more than six of them a legend is searched, not read."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.studies.figures.bands import Band
from lefi.studies.figures.style import FIRST_BEST, ORACLE, Look, legend, looks

MOST = 6  # entries of a legend
SIZE = 8.5  # points, of a name
PANEL = 0.78  # of a figure's height that its panel has
Ends = Mapping[str, tuple[float, float]]  # the last point of each line


BOUNDS = {"oracle": ORACLE, "first_best": FIRST_BEST}


def name_lines(
    figure: Figure,
    axes: Axes,
    lines: Mapping[str, Band],
    *,
    markers: bool = False,
    bounds: Ends | None = None,
) -> None:
    """A legend for few lines, names at their ends for many. `bounds`: where the lines of oracle and first_best end."""
    ends = dict(bounds or {})
    if len(lines) + len(ends) <= MOST:
        legend(figure, lines, oracle="oracle" in ends, first_best="first_best" in ends, markers=markers)
        return
    for name, line in lines.items():
        known = np.flatnonzero(np.isfinite(line.middle))
        if known.size:
            ends[name] = float(line.by[known[-1]]), float(line.middle[known[-1]])
    name_ends(axes, ends, {**looks(lines), **BOUNDS})


def name_ends(axes: Axes, ends: Ends, look: Mapping[str, Look]) -> None:
    """The label of each line right of the panel, at the height of its last point, or as near as others allow."""
    axes.get_xlim()  # the limits are found when they are asked for
    low, high = sorted(axes.get_ylim())
    inches = axes.figure.get_figheight() * PANEL  # type: ignore[union-attr]
    into = axes.transData + axes.transAxes.inverted()
    names = [name for name, end in ends.items() if np.isfinite(end).all()]
    shown = {name: (ends[name][0], min(max(ends[name][1], low), high)) for name in names}  # a line may leave the panel
    heights = np.array([into.transform(shown[name])[1] for name in names])
    leader = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2, "relpos": (0, 0.5)}
    for name, place in zip(names, apart(heights, 1.3 * SIZE / 72 / inches).tolist(), strict=True):
        axes.annotate(
            look[name].label,
            shown[name],
            xytext=(1.03, place),
            textcoords="axes fraction",
            color=look[name].colour,
            fontsize=SIZE,
            va="center",
            annotation_clip=False,
            arrowprops=leader | {"color": look[name].colour},
        )


def apart(heights: FloatArray, gap: float) -> FloatArray:
    """The same heights in the same order, at least `gap` apart and, as long as there is room, between 0 and 1."""
    order = np.argsort(heights, kind="stable")
    places = heights[order].astype(np.float64)
    for above in range(1, places.size):
        places[above] = max(places[above], places[above - 1] + gap)
    if places.size and places[-1] > 1:
        places[-1] = 1.0
        for below in range(places.size - 2, -1, -1):
            places[below] = min(places[below], places[below + 1] - gap)
    result = np.empty_like(places)
    result[order] = places
    return result
