"""The report's section beyond the paper: how our own mechanism does in every scenario, against the best other one."""

from dataclasses import dataclass
from html import escape

import numpy as np

from lefi.studies.figures.scenarios import STUDIES, changes
from lefi.studies.figures.style import in_order
from lefi.studies.judge.statistics import Interval, difference, median, told
from lefi.studies.report.page import paragraph, table
from lefi.studies.report.sections import rounds_told, stacked
from lefi.studies.run.results import Finished, Matrix, Results, matrix

OURS = "waterfill"


@dataclass(frozen=True)
class Place:
    """One round of one scenario: our share, the best other mechanism, and our paired lead over it."""

    round: int
    share: Interval
    rival: str
    lead: Interval

    @property
    def ahead(self) -> bool:
        return float(self.lead.low) > 0


def places(study: Finished) -> list[Place]:
    """The rounds that are told. The best other mechanism of a round is the one whose median share is highest."""
    frame = study.rounds
    seeds = sorted(frame["seed"].unique())
    shares = {
        name: matrix(frame.filter(frame["mechanism"] == name), "share", seeds=seeds)
        for name in in_order(study.mechanisms)
    }
    ours = shares.pop(OURS)
    return [_place(number, ours, shares) for number in rounds_told(study)]


def _place(number: int, ours: Matrix, others: dict[str, Matrix]) -> Place:
    middles = {name: float(median(table.at(number)).middle) for name, table in others.items()}
    rival = max(middles, key=lambda name: np.nan_to_num(middles[name], nan=-np.inf))
    share = ours.at(number)
    return Place(number, median(share), rival, difference(share, others[rival].at(number)))


def beyond_parts(results: Results) -> list[str]:
    """A table per scenario, and before them in how many places our mechanism is ahead."""
    parts: list[str] = []
    found: dict[str, list[Place]] = {}
    for name in STUDIES:
        study = results.get(name)
        if study is None:
            parts.append(paragraph(f"Study {name} is missing."))
        elif OURS not in study.mechanisms or len(study.mechanisms) < 2:
            parts.append(paragraph(f"Study {name} has no runs of {OURS} and another mechanism."))
        else:
            found[study.scenario] = places(study)
            parts += _scenario(study, found[study.scenario])
    return [_sentence(found), *parts] if found else parts


def _sentence(found: dict[str, list[Place]]) -> str:
    every = [(scenario, place) for scenario, told in found.items() for place in told]
    short = ", ".join(f"{scenario} at round {place.round}" for scenario, place in every if not place.ahead)
    ahead = sum(place.ahead for _, place in every)
    return paragraph(
        f"{OURS} is ours. Each table holds it against the other mechanism whose median share is highest at that round: "
        f"paired difference with its 95% interval, which lies above 0 in {ahead} of {len(every)} places"
        + (f"; not so in {short}." if short else "."),
        "note",
    )


def _scenario(study: Finished, told_places: list[Place]) -> list[str]:
    head = ["", *(f"round {place.round}" for place in told_places)]
    rows = [
        [f"share of {OURS}", *(stacked(place.share) for place in told_places)],
        ["lead over the best other", *(_lead(place) for place in told_places)],
    ]
    worst = {name: float(study.of(name)["overspend"].to_numpy().max()) for name in in_order(study.mechanisms)}
    spent = ", ".join(f"{name} {100 * over:.3g}%" for name, over in worst.items())
    judged = " All mechanisms are judged by the current round here: the clients change." if changes(study) else ""
    return [
        f"<h3>Scenario {escape(study.scenario)}</h3>",
        table(head, rows, numbers=len(told_places)),
        paragraph(f"Largest overspend: {spent}.{judged}"),
    ]


def _lead(place: Place) -> str:
    """The lead, its interval, over whom, and a mark where it is none."""
    middle, _, interval = told(place.lead, digits=4).partition(" ")
    word = "behind" if float(place.lead.high) < 0 else "not ahead"
    mark = "" if place.ahead else f'<br><span class="verdict not-confirmed">{word}</span>'
    return f"{middle}<small>{interval}<br>over {escape(place.rival)}</small>{mark}"
