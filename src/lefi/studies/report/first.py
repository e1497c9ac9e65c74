"""The report's first screen, for two minutes: three numbers, three pictures, five sentences."""

from html import escape

import numpy as np

from lefi.studies.claims import Claim
from lefi.studies.figures import Drawn, readings
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.judge.dearness import dearness, points_at_stake
from lefi.studies.judge.statistics import Interval, median, told
from lefi.studies.report.page import picture
from lefi.studies.report.verdicts import named, tally
from lefi.studies.run.results import Finished, Results, matrix

OURS = "waterfill"
OVER = 1e-9  # overspend below this is rounding
PICTURES = ("first-gain", "first-money", "first-scale")


def facts(found: Results, claims: list[Claim]) -> str:
    """The three numbers."""
    confirmed, others = tally(claims)
    boxes = [_dear(found), _over(found), (confirmed, "claims of the paper confirmed", others)]
    cells = "".join(
        f"<div><b>{escape(number)}</b><span>{escape(what)}</span><small>{escape(more)}</small></div>"
        for number, what, more in boxes
    )
    return f'<div class="facts">{cells}</div>'


def pictures(drawn: list[Drawn]) -> str:
    by_name = {figure.name: figure for figure in drawn}
    cells = []
    for name in PICTURES:
        figure = by_name[name]
        svg = next((path for path in figure.files if path.suffix == ".svg"), None)
        body = picture(svg, figure.title, figure.caption) if svg else f"<p>{escape(figure.caption)}</p>"
        cells.append(f"<div><h3>{escape(figure.title)}</h3>{body}</div>")
    return f'<div class="three">{"".join(cells)}</div>'


def sentences(found: Results, claims: list[Claim]) -> str:
    """What holds, what does not, what the paper left out, what is ours, what hangs on our reading."""
    holds, fails = named(claims, "confirmed"), named(claims, "partly", "not confirmed")
    lines = [
        f"What holds: {holds or 'nothing could be confirmed'}.",
        f"What does not, or only in part: {fails or 'nothing'}.",
        *_left_out(found),
        *_ours(found),
        _reading(found),
    ]
    return '<ol class="five">' + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ol>"


def dear(study: Finished) -> Interval | None:
    """What equal weights pay for what our mechanism reaches, in budgets, where the study can tell."""
    return median(dearness(study, OURS)) if OURS in study.mechanisms and study.runs else None


def _dear(found: Results) -> tuple[str, str, str]:
    what = "what equal weights must pay for the accuracy of waterfill"
    mixed, paper = found.get("mixed"), found.get("convergence")
    here = dear(mixed) if mixed else None
    if here is None:
        return "-", what, "not measured: study mixed with waterfill is missing"
    there = dear(paper) if paper else None
    more = "" if there is None else f"; {float(there.middle):.2f}x at the paper's own setting"
    return f"{float(here.middle):.2f}x", what, f"{told(here, 2).partition(' ')[2]}, mixed clients{more}"


def _over(found: Results) -> tuple[str, str, str]:
    counts: dict[str, tuple[int, int]] = {}
    for study in found.studies.values():
        for name in (OURS, "lefi"):
            over = study.of(name)["overspend"].to_numpy() > OVER
            known = counts.get(name, (0, 0))
            counts[name] = known[0] + int(over.sum()), known[1] + over.size
    ours, lefi = (counts.get(name, (0, 0)) for name in (OURS, "lefi"))
    if not ours[1]:
        return "-", "rounds of waterfill over the budget", "not measured"
    share = f"; lefi {100 * lefi[0] / lefi[1]:.0f}% of its own" if lefi[1] else ""
    return f"{ours[0]}", "rounds of waterfill over the budget", f"of {ours[1]:,}{share}"


def _left_out(found: Results) -> list[str]:
    study = found.get("convergence")
    if study is None or not {"lefi", "uniform"} <= set(study.mechanisms):
        return []
    ends = {name: float(np.nanmedian(matrix(study.of(name), "share").at(study.last))) for name in ("uniform", "lefi")}
    stake = float(median(points_at_stake(study)).middle)
    line = (
        "What the paper left out: the same weight for everybody, scaled to the budget (uniform), reaches "
        f"{ends['uniform']:.3f} of what there is to gain at its setting, lefi {ends['lefi']:.3f}; in all there are "
        f"{stake:.2f} percentage points of accuracy to gain there over arbitrary weights."
    )
    return [line]


def _ours(found: Results) -> list[str]:
    study = found.get("mixed")
    here = dear(study) if study else None
    if study is None or here is None:
        return []
    share = median(matrix(study.of(OURS), "share").at(study.last))
    stake = float(median(points_at_stake(study)).middle)
    line = (
        f"What is ours: waterfill reaches {told(share)} of the gain on clients of mixed speed and rate "
        f"({stake:.2f} percentage points), and no offer of it owes more than the budget; equal weights have to pay "
        f"{told(here, 2)} times as much for the same accuracy."
    )
    return [line]


def _reading(found: Results) -> str:
    here = readings.compute(found.heavy("readings"))
    low, high = here.spread
    end = at_the_end(found.heavy("pretending")).filter(mechanism="price")
    most = float(end["holdout"].to_numpy().max())
    kept = median(end.filter(holdout=most)["share"].to_numpy())
    return (
        f"What hangs on our reading: paying just the cost instead of the paper's curve needs {100 * low:.2g}% to "
        f"{100 * high:.2g}% of the money for the same accuracy, over readings of beta and theta that agree with the "
        f"paper ({100 * here.ours:.2g}% in ours); price, which comes near that, invites pretending: when all clients "
        f"claim {100 * most:g}% more than their cost, it keeps {told(kept, 2)} of its gain."
    )
