"""One page for any study: its figures, its table, its settings; and the same as files to use elsewhere."""

from collections.abc import Sequence
from html import escape
from pathlib import Path

from lefi.files import refusals
from lefi.mechanisms.catalogue import mechanism_of
from lefi.studies.figures import overview as figures
from lefi.studies.figures.style import save, styled
from lefi.studies.judge.statistics import told
from lefi.studies.judge.summary import Summary, summarise
from lefi.studies.report.export import write_tables
from lefi.studies.report.page import page, paragraph, picture, table
from lefi.studies.report.sections import setting_line, versions_line
from lefi.studies.run.load import swept_columns
from lefi.studies.run.results import Finished, Results, read_study


def write_overview(results: Path, study: str) -> Path:
    """Draw the figures of a finished study into its folder, write its tables and report.html; the path of the page."""
    found, folder = read_study(results, study), Path(results) / study
    swept = swept_columns(found.settings)
    summaries = summarise(found.rounds, found.labels, swept)
    title = found.settings.get("title") or f"Study {study}"
    with refusals(folder), styled():
        drawn = _drawn(found, swept, folder / "figures")
        write_tables(summaries, swept, folder / "tables", title)
        text = page(title, _parts(found, title, summaries, swept, drawn))
        hidden = folder / ".report.html"
        hidden.write_text(text, encoding="utf-8")
        return hidden.replace(folder / "report.html")


def _drawn(found: Finished, swept: Sequence[str], folder: Path) -> list[str]:
    """The figures, as parts of the page."""
    plans = [("share", figures.draw_rounds(found, swept), figures.caption_rounds(found))]
    if len(swept) == 1:
        said = f"What {swept[0]} does: median over seeds in the last round, with its 95% band."
        plans.append(("sweep", figures.draw_sweep(found, swept[0]), said))
    if len(swept) == 2:
        plans.append(("map", figures.draw_map(found, *swept), "Median share over both settings; brighter is better."))
    if not swept:
        plans.append(("money", figures.draw_money(found), "Above the line a round pays more than its budget."))
    if not swept and "total" in found.rounds.columns:
        said = "What was paid so far; the line is the total, which no job passes. A job ends when it is spent."
        plans.append(("spent", figures.draw_spent(found), said))
    parts = []
    for name, figure, caption in plans:
        svg = next(path for path in save(figure, folder, name) if path.suffix == ".svg")
        parts.append(picture(svg, name, caption))
    return parts


def _parts(found: Finished, title: str, summaries: list[Summary], swept: Sequence[str], drawn: list[str]) -> list[str]:
    return [
        f"<h1>{escape(title)}</h1>",
        paragraph(setting_line(found) + f"; {found.seeds} seeds."),
        *drawn,
        "<h2>Numbers</h2>",
        _table(summaries, swept),
        paragraph(
            "Median over seeds with its 95% interval (with fewer than 6 seeds: their range). Share: of what the best "
            "of the way of paying gains over arbitrary weights, noise-free; rounds that overspend are scaled to the "
            "budget first. Those that search are judged by their best round so far. Overspend: the worst round. Lead: "
            "paired, over "
            f"{summaries[0].mechanism}."
        ),
        paragraph(_ways(found)),
        paragraph("The same as files: figures/ (PNG, SVG, PDF), tables/summary.csv, tables/summary.tex (booktabs)."),
        versions_line(Results({found.name: found}, {})),
    ]


def _table(summaries: list[Summary], swept: Sequence[str]) -> str:
    rounds = list(summaries[0].share)
    head = [*map(escape, swept), "Mechanism", *(f"share, round {r}" for r in rounds), "accuracy", "overspend", "lead"]
    rows = [
        [
            *(escape(f"{value:g}" if isinstance(value, int | float) else str(value)) for value in summary.point),
            escape(summary.mechanism),
            *(_cell(told(summary.share[r])) for r in rounds),
            _cell(told(summary.accuracy, 4)),
            f"{100 * float(summary.overspend.middle):.1f}%",
            "" if summary.lead is None else _cell(told(summary.lead)),
        ]
        for summary in summaries
    ]
    return table(head, rows, numbers=len(rounds) + 3)


def _cell(text: str) -> str:
    middle, _, interval = text.partition(" ")
    return "-" if middle == "nan" else f"{middle}<small>{interval}</small>"


def _ways(found: Finished) -> str:
    """How each mechanism pays and what it may know: results of different ways are not of one kind."""
    specs = {run["run"]["mechanism"]: run["run"].get("made_by") or run["run"]["mechanism"] for run in found.runs}
    made = {name: mechanism_of(spec) for name, spec in specs.items()}
    return "; ".join(f"{name} pays by {of.payment} and knows {of.tier}" for name, of in made.items()) + "."
