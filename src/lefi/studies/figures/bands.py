"""Lines with bands: the median over seeds and its 95% interval, per mechanism."""

from dataclasses import dataclass

import polars as pl
from matplotlib.axes import Axes

from lefi.arrays import FloatArray
from lefi.studies.figures.style import Look, in_order
from lefi.studies.judge.statistics import median
from lefi.studies.run.results import Matrix, matrix


@dataclass(frozen=True, eq=False)
class Band:
    """Median and interval over seeds, at each round or swept value."""

    by: FloatArray
    middle: FloatArray
    low: FloatArray
    high: FloatArray

    def at(self, place: float) -> tuple[float, float, float]:
        index = int((self.by == place).argmax())
        return float(self.middle[index]), float(self.low[index]), float(self.high[index])


def band(table: Matrix) -> Band:
    found = median(table.values)
    return Band(table.by, found.middle, found.low, found.high)


def bands(frame: pl.DataFrame, value: str, by: str = "round") -> dict[str, Band]:
    """One band per mechanism of the frame, in the order of the legend."""
    seeds = sorted(frame["seed"].unique())
    parts = {name: frame.filter(pl.col("mechanism") == name) for name in in_order(frame["mechanism"].unique())}
    return {name: band(matrix(part, value, by, seeds=seeds)) for name, part in parts.items()}


def draw_band(axes: Axes, band: Band, look: Look, *, markers: bool = False, alpha: float = 0.16) -> None:
    axes.fill_between(band.by, band.low, band.high, color=look.colour, alpha=alpha, linewidth=0)
    marker = look.marker if markers else ""
    axes.plot(band.by, band.middle, color=look.colour, linestyle=look.line, marker=marker)
