"""What mechanisms give the server when clients think ahead, each at its own equilibrium."""

import polars as pl
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.style import grid, legend, looks

Numbers = dict[tuple[str, int], dict[str, Band]]


def compute(table: pl.DataFrame) -> Numbers:
    """Share of first_best's gain over the budget, for each scenario and number of clients."""
    return {
        (scenario, clients): bands(table.filter(scenario=scenario, clients=clients), "share", "budget")
        for scenario, clients in table.select("scenario", "clients").unique(maintain_order=True).rows()
    }


def draw(numbers: Numbers) -> Figure:
    figure, panels = grid(len(numbers), columns=2)
    for axes, ((scenario, clients), lines) in zip(panels, numbers.items(), strict=True):
        for name, look in looks(lines).items():
            draw_band(axes, lines[name], look, markers=True)
        axes.set_xticks([float(x) for x in next(iter(lines.values())).by])
        axes.set(xlabel="USD per 10 clients", ylabel="share of first_best's gain", ylim=(-0.04, 1.04))
        axes.set_title(f"{scenario}, {clients} clients")
    legend(figure, {name for lines in numbers.values() for name in lines}, markers=True)
    return figure


def caption(numbers: Numbers) -> str:
    middle = {
        name: [lines[name].middle for lines in numbers.values() if name in lines] for name in ("price", "auction")
    }
    least, most = (
        {name: f"{of(float(of(m)) for m in found):.2f}" for name, found in middle.items()} for of in (min, max)
    )
    return (
        "All clients play the policy at which replies to replies settle: price is then taught a higher cost, under the "
        "others honesty is best. Mean over 40 rounds, medians over fleets with 95% intervals. price gives the server "
        f"{least['price']} to {most['price']} of first_best's gain, auction {least['auction']} to {most['auction']}."
    )
