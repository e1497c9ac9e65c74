"""`lefi figures`: draw again."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from lefi.cli.options import writable


def figures(
    results: Annotated[Path, typer.Option(help="Where `lefi paper` has put its results.")] = Path("results/paper"),
    out: Annotated[Path | None, typer.Option(help="Where to draw.", show_default="beside the results")] = None,
) -> None:
    """Draw every figure and the report again, from results that are there.

    \b
    Example: lefi figures --results results/paper --out elsewhere
    """
    from lefi.studies.plan.paper import BEYOND, PAPER
    from lefi.studies.run.store import read_manifest

    for study in PAPER:
        if study not in BEYOND:  # results from before there were these can be drawn; the report says what is missing
            read_manifest(results / study)
    draw(results, writable(out or results))


def draw(results: Path, out: Path, jobs: int = 1) -> None:
    """Write the report, and say what became of the paper's claims and where the report lies."""
    from lefi.cli import show
    from lefi.studies.report.report import write_report
    from lefi.studies.run.runner import Standing

    with show.bar("report", "figures") as tell:

        def told(done: int, total: int) -> None:
            tell(Standing(done, total, done / total))

        report = write_report(results, out, jobs=jobs, progress=told)
    console = show.console()
    table = Table("", "claim", "verdict", title="Claims", title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for claim in json.loads((out / "claims.json").read_text(encoding="utf-8")):
        table.add_row(claim["key"], escape(claim["claim"]), claim["verdict"])
    console.print(table)
    typer.echo(f"report: {report}")
