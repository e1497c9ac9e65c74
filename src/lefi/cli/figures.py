"""`lefi figures`: draw again."""

from pathlib import Path
from typing import Annotated

import typer

from lefi.cli.options import writable


def figures(
    results: Annotated[Path, typer.Option(help="Where `lefi paper` has put its results.")] = Path("results/paper"),
    out: Annotated[Path | None, typer.Option(help="Where to draw.", show_default="beside the results")] = None,
) -> None:
    """Draw every figure and the report again, from results that are there.

    \b
    Example: lefi figures --results results/paper --out elsewhere
    """
    from lefi.studies.store import read_manifest
    from lefi.studies.study import PAPER

    for study in PAPER:
        read_manifest(results / study)
    draw(results, writable(out or results))


def draw(results: Path, out: Path) -> None:
    """Write the report, and say where it lies."""
    from lefi.studies.report import write_report

    typer.echo(f"report: {write_report(results, out)}")
