"""The report's tables of numbers: how each mechanism did, and under what settings it was run."""

from html import escape

import numpy as np

from lefi.studies.claims import Claim
from lefi.studies.figures.style import in_order
from lefi.studies.judge.control import control_of
from lefi.studies.judge.statistics import Interval, median, told
from lefi.studies.report.page import paragraph, table
from lefi.studies.run.results import Finished, Results, matrix

ROUNDS = (5, 10, 20, 100)
PER_ROUND = ("convergence", "mixed")


def mechanisms_table(study: Finished) -> str:
    """Share of the oracle's gain at a few rounds, and overspend, per mechanism."""
    rounds = rounds_told(study)
    head = ["Mechanism", *(f"round {number}" for number in rounds), "largest overspend", "rounds over the budget"]
    rows = []
    for name in in_order(study.mechanisms):
        share = matrix(study.of(name), "share")
        found = median(share.values)
        cells = [stacked(Interval(*(bound[share.by == number][0] for bound in found))) for number in rounds]
        over = study.of(name)["overspend"].to_numpy()
        rows.append([escape(name), *cells, f"{100 * over.max():.3g}%", f"{100 * np.mean(over > 1e-9):.0f}%"])
    return table(head, rows, numbers=len(head) - 1)


def rounds_told(study: Finished) -> list[int]:
    """The rounds of the tables, as far as the study goes, and its last."""
    return sorted({number for number in ROUNDS if number <= study.last} | {study.last})


def stacked(found: Interval) -> str:
    """The middle, and its interval under it."""
    middle, _, interval = told(found).partition(" ")
    return f"{middle}<small>{interval}</small>"


def settings_table(results: Results) -> str:
    rows = []
    for study in results.studies.values():
        words = (
            study.name,
            study.settings.get("title", ""),
            setting_line(study),
            control_line(study),
            str(study.seeds),
        )
        rows.append([escape(word) for word in words])
    return table(["Study", "What", "Settings", "Control, which must fail", "Seeds"], rows, stacked=True)


def control_line(study: Finished) -> str:
    """The study's control, and whether it stays behind in the last round."""
    name = study.settings.get("control")
    return control_of(study.final(), name).told() if name in study.mechanisms else "none"


def setting_line(study: Finished) -> str:
    """Scenario, sweep and what else the study says, in one line."""
    say = study.settings
    parts = [f"scenario {study.scenario}", f"{study.last} rounds"]
    sweep = say.get("sweep") or []
    sweeps = {one["setting"]: one["values"] for one in (sweep if isinstance(sweep, list) else [sweep])}
    for name, unit in (("clients", "clients"), ("budget", "USD per round"), ("deadline", "s deadline")):
        if name not in sweeps:
            values = sorted(study.rounds[name].unique())
            parts.append(f"{values[0]:g} {unit}" if len(values) == 1 else f"{values[0]:g} to {values[-1]:g} {unit}")
    parts += [f"{say['total']:g} USD in all"] if say.get("total") is not None else []
    parts += [f"{name} = {', '.join(map(_plain, values))}" for name, values in sweeps.items()]
    parts += [f"{name} = {value}" for name, value in (say.get("settings") or {}).items()]
    for mechanism, chosen in (say.get("mechanism") or {}).items():
        parts += [f"{mechanism}.{name} = {value}" for name, value in chosen.items()]
    return "; ".join(parts)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def versions_line(results: Results) -> str:
    """Versions that the runs say they were made with, and the time they took."""
    found: dict[str, set[str]] = {}
    for study in results.studies.values():
        for run in study.runs:
            for name, version in run.get("versions", {}).items():
                found.setdefault(name, set()).add(version)
    runs = sum(len(study.runs) for study in results.studies.values())
    minutes = sum(run.get("seconds", 0.0) for study in results.studies.values() for run in study.runs) / 60
    names = ", ".join(f"{name} {' and '.join(sorted(versions))}" for name, versions in found.items())
    return paragraph(
        f"{runs:,} runs, {minutes:.1f} minutes of one core in all. Made with {names or 'unknown versions'}."
    )


def uniform_sentence(claims: list[Claim]) -> str:
    """How the control that learns nothing about single clients does, in plain words."""
    numbers = next(claim.numbers for claim in claims if claim.key == "l")
    if not numbers:
        return paragraph("How uniform does could not be told: it needs convergence and mixed with lefi and uniform.")
    paper, mixed = numbers["paper_uniform"], numbers["mixed_uniform"]
    lead = numbers["paper_lead"], numbers["mixed_lead"]
    return paragraph(
        "How uniform does: the same weight for everybody, scaled until the spend meets the budget, reaches "
        f"{paper:.3f} of the oracle's gain at the paper's setting in the last round, where lefi is {_ahead(lead[0])}, "
        f"and {mixed:.3f} on mixed, where lefi is {_ahead(lead[1])} (medians; paired differences). The paper does not "
        "compare against it.",
        "note",
    )


def _ahead(lead: float) -> str:
    return f"{abs(lead):.3f} {'ahead' if lead > 0 else 'behind'}" if abs(lead) >= 5e-4 else "level"
