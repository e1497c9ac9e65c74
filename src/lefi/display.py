"""What a notebook shows of a thing: a small table and a plot, as HTML and SVG. Plain strings, no script, no library.

Text and axes take the colour of the page, so that both can be read on light and on dark pages.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from lefi.arrays import FloatArray

WIDTH, HEIGHT = 460, 230  # pixels of a plot
LEFT, TOP, BOTTOM = 62, 14, 42  # pixels around its panel
NAMED, PLAIN_EDGE = 120, 16  # pixels on its right, with names of lines there and without
DOTS = 400  # at most: more look the same, and every one makes the notebook larger
TICKS = 6  # on an axis, at most
APART = 13  # pixels between the labels of two lines
PLAIN = "#0072B2"  # of dots that belong to no mechanism
CELL = "text-align:left;padding:1px 12px 1px 0"


@dataclass(frozen=True, eq=False)
class Series:
    """Points of one thing; `name` stands at the end of its line."""

    x: FloatArray
    y: FloatArray
    name: str = ""
    colour: str = PLAIN


def card(title: str, facts: Mapping[str, object], *plots: str) -> str:
    """A title, a table of facts and plots; everything but the plots is text and is escaped."""
    rows = [(name, str(value)) for name, value in facts.items()]
    return f'<div><div style="font-weight:bold">{escape(title)}</div>{table((), rows)}{"".join(plots)}</div>'


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Cells are text and are escaped."""
    top = "<tr>" + "".join(f'<th style="{CELL}">{escape(cell)}</th>' for cell in head) + "</tr>" if head else ""
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    return f'<table style="color:inherit;font:inherit">{top}{body}</table>'


def plot(series: Sequence[Series], x: str, y: str, *, lines: bool = False) -> str:
    """Dots, or lines with their names at the end; axes are named `x` and `y`. Nothing where there is no point.

    Dots are amounts, so their axes begin at 0. Lines may lie so close to each other that theirs do not.
    """
    seen = [found for found in map(_finite, series) if found.x.size]
    if not seen:
        return ""
    least = [] if lines else [np.zeros(1)]
    across = _Axis.of([one.x for one in seen] + least, LEFT, WIDTH - (NAMED if lines else PLAIN_EDGE))
    up = _Axis.of([one.y for one in seen] + least, HEIGHT - BOTTOM, TOP)
    drawn = [_line(one, across, up) if lines else _dots(one, across, up) for one in seen]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" role="img"'
    style = 'font-family="sans-serif" font-size="11" fill="currentColor"'
    parts = [_frame(across, up, x, y), *drawn, *(_names(seen, across, up) if lines else ())]
    return f'{head} aria-label="{escape(f"{y} over {x}")}" {style}>{"".join(parts)}</svg>'


@dataclass(frozen=True)
class _Axis:
    """From values to pixels."""

    ticks: tuple[float, ...]
    low: float
    high: float
    start: float
    end: float

    @classmethod
    def of(cls, values: Sequence[FloatArray], start: float, end: float) -> "_Axis":
        """An axis that all values fit on, with ticks at multiples of 1, 2 or 5."""
        low, high = min(float(part.min()) for part in values), max(float(part.max()) for part in values)
        if high - low <= 1e-9 * max(abs(high), abs(low)):
            low, high = low - (abs(low) or 1.0) / 10, high + (abs(high) or 1.0) / 10
        rough = (high - low) / TICKS
        power = 10.0 ** np.floor(np.log10(rough))
        step = float(next(power * part for part in (1, 2, 5, 10) if power * part >= rough * (1 - 1e-9)))
        first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
        return cls(tuple(step * place for place in range(first, last + 1)), low, high, start, end)

    def at(self, values: FloatArray) -> FloatArray:
        return self.start + (values - self.low) / (self.high - self.low) * (self.end - self.start)


def _finite(series: Series) -> Series:
    known = np.isfinite(series.x) & np.isfinite(series.y)
    return Series(series.x[known], series.y[known], series.name, series.colour)


def _frame(across: _Axis, up: _Axis, x: str, y: str) -> str:
    """Ticks, faint lines and the names of the axes."""
    bottom, right, middle = HEIGHT - BOTTOM, across.end, (TOP + HEIGHT - BOTTOM) / 2
    parts = [f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="currentColor" stroke-opacity=".5"/>']
    for value, place in zip(across.ticks, across.at(np.array(across.ticks)).tolist(), strict=True):
        parts.append(f'<text x="{place:.1f}" y="{bottom + 15}" text-anchor="middle">{value:.6g}</text>')
    for value, place in zip(up.ticks, up.at(np.array(up.ticks)).tolist(), strict=True):
        parts.append(f'<path d="M{LEFT} {place:.1f}H{right}" stroke="currentColor" stroke-opacity=".12"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{value:.6g}</text>')
    below = f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">{escape(x)}</text>'
    turned = f'transform="rotate(-90 12 {middle})"'
    return "".join(parts) + below + f'<text x="12" y="{middle}" text-anchor="middle" {turned}>{escape(y)}</text>'


def _dots(series: Series, across: _Axis, up: _Axis) -> str:
    some = np.unique(np.linspace(0, series.x.size - 1, min(series.x.size, DOTS)).round().astype(np.int64))
    places = zip(across.at(series.x[some]).tolist(), up.at(series.y[some]).tolist(), strict=True)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places)
    return f'<g fill="{escape(series.colour)}" fill-opacity=".7">{dots}</g>'


def _line(series: Series, across: _Axis, up: _Axis) -> str:
    if series.x.size == 1:
        return _dots(series, across, up)
    places = zip(across.at(series.x).tolist(), up.at(series.y).tolist(), strict=True)
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{points}" fill="none" stroke="{escape(series.colour)}" stroke-width="1.8"/>'


def _names(seen: Sequence[Series], across: _Axis, up: _Axis) -> list[str]:
    """The name of each line at its end, pushed apart where two would touch."""
    order = sorted(seen, key=lambda one: float(up.at(one.y[-1:])[0]))
    parts, last = [], -np.inf
    for one in order:
        last = max(float(up.at(one.y[-1:])[0]) + 4, last + APART)
        place = f'x="{across.end + 6:.0f}" y="{last:.1f}"'
        parts.append(f'<text {place} fill="{escape(one.colour)}">{escape(one.name)}</text>')
    return parts
