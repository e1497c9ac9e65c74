"""Time of a round against the size of the fleet, ours and the rivals', both axes logarithmic."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import Bbox

from lefi.arrays import FloatArray
from lefi.studies.figures.style import GREY, SPARE_MARKERS, Look, sheet
from lefi.studies.judge.bench import Timing, lengths

LOOKS = {
    "lefi iwp": Look("lefi iwp", "#003B61", "o"),
    "lefi matern32": Look("lefi matern32", "#0072B2", "s"),
    "lefi matern52": Look("lefi matern52", "#2F97DD", "^"),
    "lefi rbf": Look("lefi rbf", "#7C9FC9", "D"),
    "scikit-learn": Look("scikit-learn", "#6B6B6B", "v", (0, (1.2, 1.2))),
    "GPyTorch": Look("GPyTorch", "#D55E00", "X", (0, (5, 1.5))),
    "tinygp": Look("tinygp", "#8C6D1F", "P", (0, (3, 1.2, 1, 1.2))),
}
LINE = 10.5  # points from one label to the next
ROOM = 30  # times the largest fleet: where the labels to the right of it stand


def draw(rows: list[Timing]) -> Figure:
    """A panel per number of answers that the clients have given."""
    found = lengths(rows)
    figure, panels = sheet(len(found), width=4.9 * len(found) if len(found) > 1 else 5.8, height=4.2, share_y=True)
    drawn = [
        _panel(axes, [row for row in rows if row.rounds == rounds]) for axes, rounds in zip(panels, found, strict=True)
    ]
    panels[0].set_ylabel("time of a round [CPU time of one thread]")
    panels[0].set_ylim(top=5 * max(row.seconds for row in rows))
    figure.draw_without_rendering()  # from here on it is known where the lines lie
    for axes, lines in zip(panels, drawn, strict=True):
        _label(axes, lines)
    return figure


def caption(rows: list[Timing]) -> str:
    answers = " and ".join(map(str, lengths(rows)))
    return (
        f"CPU time of one thread for one round of the whole fleet, whose clients have answered {answers} times: "
        "take in one more answer of every client, fit, predict mean and standard deviation at two weights. Rivals "
        "compute what lefi matern32 computes, with equal results, as far as they get in the time that they are given."
    )


def _panel(axes: Axes, rows: list[Timing]) -> dict[str, FloatArray]:
    """The lines, by name, as (points, 2)."""
    names = dict.fromkeys([*LOOKS, *(row.name for row in rows)])
    lines = {
        name: np.array(sorted((row.clients, row.seconds) for row in rows if row.name == name), dtype=float)
        for name in names
        if any(row.name == name for row in rows)
    }
    for name, line in lines.items():
        look = _look(name)
        axes.plot(*line.T, color=look.colour, linestyle=look.line, marker=look.marker, markersize=4)
    most = max(float(line[-1, 0]) for line in lines.values())
    axes.set(xscale="log", yscale="log", xlabel="clients", title=f"{rows[0].rounds} answers per client")
    axes.set_xlim(right=ROOM * most)
    axes.set_xticks([tick for tick in 10.0 ** np.arange(10) if axes.get_xlim()[0] <= tick <= most])
    axes.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}" if n < 1e6 else f"{n / 1e6:,.0f} million"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda s, _: _time(s)))
    axes.minorticks_off()
    return lines


def _time(seconds: float) -> str:
    """A power of ten in the unit that fits."""
    unit, name = (1, "s") if seconds > 0.5 else (1e3, "ms") if seconds > 5e-4 else (1e6, "us")
    return f"{seconds * unit:,.6g} {name}"


def _look(name: str) -> Look:
    return LOOKS.get(name, Look(name, GREY, SPARE_MARKERS[0], (0, (2, 1))))


def _label(axes: Axes, lines: dict[str, FloatArray]) -> None:
    """A name at each end, as near as can be without touching a line or another name."""
    taken: list[Bbox] = []
    pixels = axes.figure.dpi / 72
    paths = [_dense(axes.transData.transform(line)) for line in lines.values()]
    most = max(line[-1, 0] for line in lines.values())
    last = [name for name in lines if lines[name][-1, 0] == most]  # nothing stands to the right of these
    ends = np.array([axes.transData.transform(lines[name][-1])[1] for name in last]) / pixels
    for name, up in zip(last, _apart(ends) - ends, strict=True):
        taken.append(_text(axes, name, True, float(up), lines[name]).get_window_extent())
    for name in sorted(lines.keys() - set(last), key=lambda name: tuple(lines[name][-1])):
        made = [_text(axes, name, right, step * LINE / 2, lines[name]) for step in range(9) for right in (True, False)]
        boxes = [text.get_window_extent().padded(1.5 * pixels) for text in made]
        chosen = int(np.argmin([_hits(box, paths, taken) for box in boxes]))
        taken.append(boxes[chosen])
        for text in made[:chosen] + made[chosen + 1 :]:
            text.remove()


def _apart(heights: FloatArray) -> FloatArray:
    """The heights, moved as little as it takes to lie a line apart."""
    order, moved = np.argsort(heights), np.sort(heights)
    for _ in range(200):
        push = np.maximum(LINE - np.diff(moved), 0) / 2
        moved[:-1] -= push
        moved[1:] += push
    return moved[np.argsort(order)]


def _text(axes: Axes, name: str, right: bool, up: float, line: FloatArray) -> Annotation:
    """The name beside the end, that many points above it: to its right, or to its left and off the line."""
    text = axes.annotate(
        _look(name).label,
        tuple(line[-1]),
        xytext=(6, up) if right else (2, up + 9),
        textcoords="offset points",
        color=_look(name).colour,
        fontsize=8.5,
        ha="left" if right else "right",
        va="center",
        annotation_clip=False,
    )
    text.set_in_layout(False)
    return text


def _hits(box: Bbox, paths: list[FloatArray], taken: list[Bbox]) -> int:
    """How much lies under a label."""
    inside = sum(int(box.count_contains(path)) for path in paths)
    return inside + 100 * sum(box.overlaps(other) for other in taken)


def _dense(path: FloatArray) -> FloatArray:
    """A point at least every few pixels of a line, in place of its corners."""
    along = np.linspace(0, len(path) - 1, 400)
    return np.column_stack([np.interp(along, np.arange(len(path)), column) for column in path.T])
