"""Figure 3: convergence of the weights under lefi."""

from matplotlib.figure import Figure

from lefi.studies.figures.bands import draw_band
from lefi.studies.figures.style import KNOWN, sheet
from lefi.studies.figures.traces import MECHANISM, Traces, draw_distance, draw_lines, traces
from lefi.studies.run.results import Finished


def compute(study: Finished) -> Traces:
    return traces(study, "weight")


def draw(numbers: Traces) -> Figure:
    figure, (lines, spread, distance) = sheet(3, width=12.2)
    draw_lines(lines, numbers, "weight [USD]")
    draw_band(spread, numbers.spread, KNOWN[MECHANISM])
    spread.set(xlabel="round", ylabel="standard deviation / mean", xlim=(1, numbers.rounds[-1]), ylim=(0, None))
    spread.set_title("all fleets: spread of weights over clients")
    draw_distance(distance, numbers)
    return figure


def caption(numbers: Traces) -> str:
    peak = int(numbers.spread.middle.argmax())
    last = numbers.rounds[-1]
    binds = "does not bind" if numbers.binds is None else f"binds from round {numbers.binds}"
    return (
        f"Left: seed {numbers.seed}; the budget {binds}. Middle: over all fleets the weights are furthest apart in "
        f"round {numbers.spread.by[peak]:.0f} (spread {numbers.spread.middle[peak]:.2f}) and end at a spread of "
        f"{numbers.spread.middle[-1]:.3f}. Right: the client furthest from its final weight is "
        f"{100 * numbers.distance.at(min(20, last))[0]:.0f}% away in round {min(20, last):.0f} and "
        f"{100 * numbers.distance.middle[-1]:.1f}% in round {last:.0f} (medians; bands are 95% intervals)."
    )
