"""The paper's rivals from equal shares and from a cold start: what falls with the number of clients is the start."""

import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.figures.style import ORACLE, legend, looks, sheet, ticks_at

Numbers = dict[str, Band]


def compute(table: pl.DataFrame) -> Numbers:
    """Share in the last round over the number of clients, from the table of the heavy study."""
    return bands(at_the_end(table), "share", "clients")


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(width=6.0, height=3.9)
    for name, look in looks(numbers).items():
        draw_band(axes, numbers[name], look, markers=True)
    axes.axhline(1, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    axes.set_xscale("log")
    ticks_at(axes, next(iter(numbers.values())).by)
    axes.set(xlabel="number of clients (budget 0.5 USD each)", ylabel="share of the oracle's gain", ylim=(0, 1.06))
    legend(figure, numbers, oracle=True, markers=True)
    return figure


def caption(_: Numbers) -> str:
    return (
        "Best round so far, after 100 rounds. From random shares, as a plain reading of the paper has it, both rivals "
        "fall behind as the fleet grows; from equal shares, which cost nothing to think of, neither does."
    )
