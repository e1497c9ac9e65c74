"""What is left of the server's gain when all clients pretend to cost more than they do."""

import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.figures.style import legend, looks, sheet

Numbers = dict[str, Band]


def compute(table: pl.DataFrame) -> Numbers:
    """Share of first_best's gain in the last round, over what clients add to their cost, from the heavy study."""
    return bands(at_the_end(table), "share", "holdout")


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet(width=5.6, height=3.6)
    for name, look in looks(numbers).items():
        draw_band(axes, numbers[name], look, markers=True)
    ticks = next(iter(numbers.values())).by
    axes.set_xticks(ticks, [f"{100 * x:g}%" for x in ticks])
    axes.axhline(0, color="#AAAAAA", linewidth=0.8)
    axes.set(xlabel="what all clients add to their cost", ylabel="share of first_best's gain", ylim=(None, 1.04))
    legend(figure, numbers, markers=True)
    return figure


def caption(numbers: Numbers) -> str:
    line = numbers["price"]
    return (
        "All clients answer as if they cost more; 0.06 USD, 10 fleets. price pays what it is taught: of first_best's "
        f"gain it keeps {line.middle[0]:.3f} with honest clients and {line.middle[-1]:.2f} when all claim "
        f"{100 * line.by[-1]:g}% more. flat, one price for ever, learns nothing and only loses custom."
    )
