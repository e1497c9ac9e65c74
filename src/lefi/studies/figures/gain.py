"""Figure 9 (ours): share of the oracle's gain over arbitrary weights, per round."""

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lefi.studies.figures.bands import Band, bands, draw_band
from lefi.studies.figures.style import ORACLE, legend, looks, sheet
from lefi.studies.run.results import Finished


@dataclass(frozen=True, eq=False)
class Numbers:
    """Per study its scenario, and share per mechanism and round."""

    share: list[tuple[str, dict[str, Band]]]


def compute(*studies: Finished) -> Numbers:
    return Numbers([(study.scenario, bands(study.rounds, "share")) for study in studies])


def draw_share(axes: Axes, share: dict[str, Band]) -> None:
    look = looks(share)
    for name, line in share.items():
        draw_band(axes, line, look[name])
    axes.axhline(1, color=ORACLE.colour, linestyle=ORACLE.line, linewidth=1.2)
    last = max(line.by[-1] for line in share.values())
    axes.set(xlabel="round", ylabel="share of the oracle's gain", xlim=(1, last), ylim=(-0.1, 1.04))


def draw(numbers: Numbers) -> Figure:
    figure, panels = sheet(len(numbers.share), height=3.7)
    for axes, (scenario, share) in zip(panels, numbers.share, strict=True):
        draw_share(axes, share)
        axes.set_title(f"scenario {scenario}")
    legend(figure, {name for _, share in numbers.share for name in share}, oracle=True)
    return figure


def caption(numbers: Numbers) -> str:
    parts = []
    for scenario, share in numbers.share:
        last = next(iter(share.values())).by[-1]
        ends = ", ".join(
            f"{name} {line.middle[-1]:.3f} [{line.low[-1]:.3f}, {line.high[-1]:.3f}]" for name, line in share.items()
        )
        parts.append(f"{scenario}, round {last:.0f}: {ends}")
    return (
        "0 = arbitrary weights, 1 = the exact optimum. Median over fleets with its 95% interval; "
        f"{'. '.join(parts)}. Lines that start below the axis start from offers far under the budget."
    )
