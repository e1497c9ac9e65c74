"""The report of the paper: a first screen for two minutes, then one section per question, in one HTML file."""

import json
from collections.abc import Callable, Iterator
from html import escape
from itertools import count
from pathlib import Path

from lefi.files import refusals
from lefi.studies.claims import Claim, check_claims
from lefi.studies.figures import Drawn, begin_figures
from lefi.studies.plan.paper import FULL, PAPER
from lefi.studies.report.beyond import beyond_parts
from lefi.studies.report.caught import caught_parts
from lefi.studies.report.everybody import everybody_parts
from lefi.studies.report.first import PICTURES, facts, pictures, sentences
from lefi.studies.report.gaming import gaming_parts
from lefi.studies.report.numbers import numbers
from lefi.studies.report.outline import OUTLINE, SEE, Section
from lefi.studies.report.page import definitions, folded, page, paragraph, picture, table
from lefi.studies.report.sections import PER_ROUND, mechanisms_table, settings_table, uniform_sentence, versions_line
from lefi.studies.report.shape import shape_parts
from lefi.studies.report.speed import speed_parts
from lefi.studies.report.target import target_parts
from lefi.studies.report.verdicts import badges, claim_parts
from lefi.studies.run.results import Results, read_results

TITLE = "LeFi, measured again"
ENOUGH = 6  # fleets: with fewer the interval of a median does not hold in 95 of 100 cases

DEFINITIONS = {
    "weight, rate, size, payment": "A client that trains on size thousand samples is paid "
    "weight * (1 - exp(-rate * size)) USD and chooses the size that leaves it the most money. The rate is the paper's "
    "beta.",
    "fleet": "The clients of one seed. All mechanisms meet the same fleets, so differences are paired.",
    "accuracy": "Mean over clients of the paper's model A(size, iid).",
    "oracle": "The exact optimum under the budget when all responses are known; its dual bound where responses jump.",
    "arbitrary": "Weights drawn from U(0, 2 budget / clients), scaled once where they overspend; mean of 32 draws.",
    "judged": "random and bara are judged by their best round within the budget so far, all others by the current "
    "round. Noise-free; where a round overspends, its weights are scaled to the budget first. Where clients change all "
    "are judged by the current round.",
    "share": "(judged - arbitrary) / (oracle - arbitrary); left out where oracle - arbitrary is below 0.0005.",
    "RAI": "(judged - arbitrary) / (judged accuracy of lefi - arbitrary).",
    "overspend": "max(paid / budget - 1, 0). Nothing is clipped: a mechanism that overspends is shown to.",
    "settled": "The first round from which every value stays within 5% of its mean over the last 20 rounds.",
    "interval": "Of the median over fleets, from order statistics: holds in at least 95 of 100 cases with 6 fleets or "
    "more (10 fleets: 97.9), whatever the values look like. With fewer it is the range (3 fleets: 75).",
    "confirmed": "Every part of the rule holds; where the rule speaks of intervals, also after Holm's correction for "
    "the number of claims that do.",
}


def write_report(
    results: Path, out: Path, *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> Path:
    """Draw every figure into out/figures, write claims.json, numbers.json and report.html; the path of the report."""
    found = read_results(Path(results))
    out = Path(out)
    with refusals(out):
        out.mkdir(parents=True, exist_ok=True)
        drawn = begin_figures(found, out / "figures", jobs=jobs, progress=progress)
        claims = check_claims(found)
        _replace(out / "claims.json", json.dumps([claim.to_dict() for claim in claims], indent=1) + "\n")
        _replace(out / "numbers.json", json.dumps(numbers(found, claims), indent=1) + "\n")
        speed = speed_parts(Path(results), out / "figures")
        contents = {section.anchor: section.short for section in OUTLINE}
        contents |= {"speed": "Speed"} if speed else {}
        contents |= {"settings": "Settings", "definitions": "Definitions"}
        text = page(TITLE, _parts(found, claims, drawn, speed), contents)
        return _replace(out / "report.html", text)


def _replace(path: Path, text: str) -> Path:
    """Write under a hidden name first: a report that is there is whole."""
    hidden = path.with_name(f".{path.name}")
    hidden.write_text(text, encoding="utf-8")
    return hidden.replace(path)


def _parts(found: Results, claims: list[Claim], drawing: Callable[[], list[Drawn]], speed: list[str]) -> list[str]:
    """Every part of the page; what needs no figure comes first, while other processes draw."""
    tables = [_tables(section, found) for section in OUTLINE]
    top, lines, settings = facts(found, claims), sentences(found, claims), settings_table(found)
    drawn, places = drawing(), count(1)
    sections = zip(OUTLINE, tables, strict=True)
    body = [part for section, rest in sections for part in _section(section, rest, claims, drawn, places)]
    return [
        f"<h1>{TITLE}</h1>",
        paragraph(
            "A server pays selfish clients of a federated-learning job for data, without knowing their costs, under a "
            "budget per round. We ran the paper's algorithm (lefi), its two rivals (bara, random), a control that it "
            "left out (uniform: the same weight for everybody) and a mechanism of our own (waterfill) on simulated "
            "clients.",
            "lead",
        ),
        *_missing(found),
        *_few(found),
        top,
        pictures(drawn),
        lines,
        badges(claims),
        *body,
        *speed,
        '<h2 id="settings">Settings</h2>',
        folded("Every study, its settings and its seeds", [settings], wide=True),
        versions_line(found),
        paragraph(
            "Points with 5 USD for more than 10 clients, with 10,000 clients, cold starts, pretending clients, "
            "games of clients who look ahead, everybody, the agents of claim j, four of the rules of claim h and the "
            "map over readings are of heavy studies: tables that ship with lefi, unless lefi paper --heavy has "
            "measured them here. Money to a target was trained on a GPU by lefi train --total --target, and ships as "
            "well."
        ),
        '<h2 id="definitions">Definitions</h2>',
        definitions(DEFINITIONS),
    ]


def _tables(section: Section, found: Results) -> list[str]:
    tables = {"shares": _shares, "shape": shape_parts, "beyond": beyond_parts, "gaming": gaming_parts}
    tables |= {"everybody": everybody_parts, "target": target_parts, "caught": caught_parts}
    return [part for name in section.tables for part in tables[name](found)]


def _section(
    section: Section, rest: list[str], claims: list[Claim], drawn: list[Drawn], places: Iterator[int]
) -> list[str]:
    by_name = {figure.name: figure for figure in drawn if figure.name not in PICTURES}
    shown = [by_name[name] for name in section.figures if name in by_name]
    return [
        f'<h2 id="{section.anchor}">{escape(section.question)}</h2>',
        *([paragraph(section.about)] if section.about else []),
        *claim_parts(claims, section.claims),
        *([uniform_sentence(claims)] if "l" in section.claims else []),
        *(part for figure in shown for part in _figure(next(places), figure)),
        *([folded("Tables", rest, wide=True)] if rest else []),
    ]


def _missing(found: Results) -> list[str]:
    if not found.missing:
        return []
    rows = [[escape(name), escape(why)] for name, why in found.missing.items()]
    return [
        paragraph("Some studies are missing, and with them some figures and claims:", "note"),
        table(["Study", "Why"], rows),
    ]


def _few(found: Results) -> list[str]:
    """A warning where a look was so quick that its intervals are none."""
    seeds = min((study.seeds for name, study in found.studies.items() if name in PAPER), default=ENOUGH)
    if seeds >= ENOUGH:
        return []
    fleets = "1 fleet" if seeds == 1 else f"{seeds} fleets"
    text = (
        f"A quick look: some points rest on {fleets} only, and an interval is then the range of them. Verdicts may "
        f"turn with more: lefi paper has 10 fleets, lefi paper --full {FULL}."
    )
    return [paragraph(text, "note")]


def _shares(found: Results) -> list[str]:
    parts = []
    for name in PER_ROUND:
        study = found.get(name)
        if study is None:
            parts.append(paragraph(f"Study {name} is missing."))
            continue
        parts.append(f"<h3>Share of the oracle's gain, scenario {escape(study.scenario)}</h3>")
        parts.append(mechanisms_table(study))
    return parts


def _figure(place: int, figure: Drawn) -> list[str]:
    head = f"<h3>{escape(f'Figure {place}. {figure.title}')}</h3>"
    svg = next((path for path in figure.files if path.suffix == ".svg"), None)
    if svg is None:
        return [head, paragraph(figure.caption, "note")]
    see = SEE.get(figure.name, "")
    return [head, picture(svg, figure.title, see or figure.caption, figure.caption if see else "")]
