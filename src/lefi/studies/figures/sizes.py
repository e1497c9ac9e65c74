"""Figure 4: convergence of the sizes that clients choose under lefi."""

from matplotlib.figure import Figure

from lefi.studies.figures.style import sheet
from lefi.studies.figures.traces import Traces, draw_distance, draw_lines, traces
from lefi.studies.run.results import Finished


def compute(study: Finished) -> Traces:
    return traces(study, "size")


def draw(numbers: Traces) -> Figure:
    figure, (lines, distance) = sheet(2)
    draw_lines(lines, numbers, "size [thousand samples]")
    draw_distance(distance, numbers)
    return figure


def caption(numbers: Traces) -> str:
    last = numbers.rounds[-1]
    return (
        f"Left: the sizes that the clients of seed {numbers.seed} choose. Right: the client furthest from its final "
        f"size is {100 * numbers.distance.at(min(20, last))[0]:.0f}% away in round {min(20, last):.0f} and "
        f"{100 * numbers.distance.middle[-1]:.1f}% in round {last:.0f} (median over fleets)."
    )
