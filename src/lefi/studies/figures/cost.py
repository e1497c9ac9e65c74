"""Figure 1: computing that a client spends, against the size it trains on (the paper's line C(D) = p D + q)."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from lefi.arrays import FloatArray
from lefi.models import cost
from lefi.studies.figures.style import KNOWN, sheet

RMSE = 13.56  # TFLOP, of the paper's fit (a comment in its source)
SIZE_HIGH = 10.0


@dataclass(frozen=True, eq=False)
class Numbers:
    """Sizes in thousand samples; line and band in TFLOP."""

    size: FloatArray
    cost: FloatArray
    low: FloatArray
    high: FloatArray
    p: float
    q: float


def compute() -> Numbers:
    """The line of the preset `paper`, and one RMSE on either side."""
    model = cost("paper")
    size = np.linspace(0, SIZE_HIGH, 101)
    line = model(size)
    return Numbers(size, line, np.maximum(line - RMSE, 0), line + RMSE, model.p, model.q)


def draw(numbers: Numbers) -> Figure:
    figure, (axes,) = sheet()
    colour = KNOWN["lefi"].colour
    axes.fill_between(numbers.size, numbers.low, numbers.high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(numbers.size, numbers.cost, color=colour)
    middle = numbers.size.size // 2
    axes.annotate(
        f"C(D) = {numbers.p:.4f} D + {numbers.q:.4f}\nband: RMSE of the fit, {RMSE} TFLOP",
        (numbers.size[middle], numbers.cost[middle]),
        xytext=(-6, -52),
        textcoords="offset points",
        color="#333333",
    )
    axes.set(xlabel="size D [thousand samples]", ylabel="compute cost [TFLOP]", xlim=(0, SIZE_HIGH), ylim=(0, None))
    return figure


def caption(numbers: Numbers) -> str:
    return (
        f"Cost grows by {numbers.p:.1f} TFLOP per thousand samples from {numbers.q:.1f} TFLOP at size 0; "
        f"{numbers.cost[-1]:.0f} TFLOP at {SIZE_HIGH:g} thousand. The band is one root mean square error of the "
        f"paper's fit ({RMSE} TFLOP)."
    )
