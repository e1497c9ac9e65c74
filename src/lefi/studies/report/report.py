"""The report of the paper: every figure, the claims table and the numbers, in one HTML file."""

import json
from collections.abc import Callable, Collection
from html import escape
from pathlib import Path
from typing import get_args

from lefi.files import refusals
from lefi.studies.claims import Claim, Verdict, check_claims
from lefi.studies.figures import Drawn, draw_figures
from lefi.studies.report.beyond import beyond_parts
from lefi.studies.report.page import definitions, page, paragraph, picture, table
from lefi.studies.report.sections import (
    PER_ROUND,
    claims_table,
    mechanisms_table,
    settings_table,
    uniform_sentence,
    versions_line,
)
from lefi.studies.report.shape import FIGURES as SHAPE
from lefi.studies.report.shape import shape_parts
from lefi.studies.report.speed import speed_parts
from lefi.studies.run.results import Results, read_results

TITLE = "LeFi: the paper, measured again"
BEYOND = ("scenarios", "ablation")  # the figures that stand in the section beyond the paper

DEFINITIONS = {
    "weight, rate, size, payment": "A client that trains on `size` thousand samples is paid "
    "weight * (1 - exp(-rate * size)) USD and chooses the size that leaves it the most money.",
    "fleet": "The clients of one seed. All mechanisms meet the same fleets, so differences are paired.",
    "accuracy": "Mean over clients of the paper's model A(size, iid).",
    "oracle": "The exact optimum under the budget when all responses are known; its dual bound where responses jump.",
    "arbitrary": "Weights drawn from U(0, 2 budget / clients), scaled once where they overspend; mean of 32 draws.",
    "judged": "random and bara are judged by their best round within the budget so far, all others by the current "
    "round. Noise-free; where a round overspends, its weights are scaled to the budget first. In the section beyond "
    "the paper the best round is scaled too, and where clients change all are judged by the current round.",
    "share": "(judged - arbitrary) / (oracle - arbitrary); left out where oracle - arbitrary is below 0.0005.",
    "RAI": "(judged - arbitrary) / (judged accuracy of lefi - arbitrary).",
    "overspend": "max(paid / budget - 1, 0). Nothing is clipped: a mechanism that overspends is shown to.",
    "settled": "The first round from which every value stays within 5% of its mean over the last 20 rounds.",
    "interval": "Of the median over fleets, from order statistics: holds in at least 95 of 100 cases with 6 fleets or "
    "more (10 fleets: 97.9), whatever the values look like. With fewer it is the range (3 fleets: 75).",
}


def write_report(results: Path, out: Path, *, progress: Callable[[int, int], None] | None = None) -> Path:
    """Draw every figure into out/figures, write out/claims.json and out/report.html; the path of the report."""
    found = read_results(Path(results))
    out = Path(out)
    with refusals(out):
        out.mkdir(parents=True, exist_ok=True)
        claims = check_claims(found)
        drawn = draw_figures(found, out / "figures", progress=progress)
        _replace(out / "claims.json", json.dumps([claim.to_dict() for claim in claims], indent=1) + "\n")
        speed = speed_parts(Path(results), out / "figures")
        return _replace(out / "report.html", page(TITLE, _parts(found, claims, drawn, speed)))


def _replace(path: Path, text: str) -> Path:
    """Write under a hidden name first: a report that is there is whole."""
    hidden = path.with_name(f".{path.name}")
    hidden.write_text(text, encoding="utf-8")
    return hidden.replace(path)


def _parts(found: Results, claims: list[Claim], drawn: list[Drawn], speed: list[str]) -> list[str]:
    return [
        f"<h1>{TITLE}</h1>",
        paragraph(
            "A server pays selfish clients of a federated-learning job for the data they train on, without knowing "
            "their costs, under a budget per round. This report runs the paper's algorithm (lefi), its two rivals "
            "(bara and random), a control that it left out (uniform: equal weights) and a mechanism of our own "
            "(waterfill) on simulated fleets, holds them against the exact optimum (oracle), "
            "and says which of the paper's claims hold here."
        ),
        *_missing(found),
        "<h2>Claims</h2>",
        _tally(claims),
        claims_table(claims),
        uniform_sentence(claims),
        "<h2>Numbers</h2>",
        *_numbers(found),
        "<h2>Figures</h2>",
        *_figures(drawn, [figure.name for figure in drawn if figure.name not in (*BEYOND, *SHAPE)]),
        "<h2>Beyond the paper</h2>",
        *_figures(drawn, BEYOND),
        *beyond_parts(found),
        "<h2>Choose the shape</h2>",
        *shape_parts(found),
        *_figures(drawn, SHAPE),
        *speed,
        "<h2>Settings</h2>",
        settings_table(found),
        versions_line(found),
        "<h2>Definitions</h2>",
        definitions(DEFINITIONS),
    ]


def _missing(found: Results) -> list[str]:
    if not found.missing:
        return []
    rows = [[escape(name), escape(why)] for name, why in found.missing.items()]
    return [
        paragraph("Some studies are missing, and with them some figures and claims:", "note"),
        table(["Study", "Why"], rows),
    ]


def _tally(claims: list[Claim]) -> str:
    """How many of the paper's claims came out how."""
    verdicts = [claim.verdict for claim in claims if not claim.ours]
    told = ", ".join(f"{verdicts.count(kind)} {kind}" for kind in get_args(Verdict) if kind in verdicts)
    return paragraph(f"Of the paper's {len(verdicts)} claims: {told}. Verdicts follow from the rule in each row alone.")


def _numbers(found: Results) -> list[str]:
    parts = []
    for name in PER_ROUND:
        study = found.get(name)
        if study is None:
            parts.append(paragraph(f"Study {name} is missing."))
            continue
        parts.append(f"<h3>Share of the oracle's gain, scenario {escape(study.scenario)}</h3>")
        parts.append(mechanisms_table(study))
    return parts


def _figures(drawn: list[Drawn], names: Collection[str]) -> list[str]:
    """Those of these names, under their place among all."""
    return [part for place, figure in enumerate(drawn, 1) if figure.name in names for part in _figure(place, figure)]


def _figure(place: int, figure: Drawn) -> list[str]:
    title = f"{place}. {figure.title}"
    svg = next((path for path in figure.files if path.suffix == ".svg"), None)
    body = picture(svg, figure.title, figure.caption) if svg else paragraph(figure.caption, "note")
    return [f"<h3>{escape(title)}</h3>", body]
