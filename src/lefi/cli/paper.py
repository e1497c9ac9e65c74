"""`lefi paper`: every figure of the paper and the report, from one command."""

from pathlib import Path
from typing import Annotated

import typer

from lefi.cli.options import Jobs, cores, writable
from lefi.errors import InputError

PLACE, QUICK_PLACE = Path("results/paper"), Path("results/quick")  # a first look must not replace a report


def paper(
    out: Annotated[
        Path | None,
        typer.Option(help="Where results, figures and report go.", show_default=f"{PLACE}, or {QUICK_PLACE}"),
    ] = None,
    seeds: Annotated[int, typer.Option(help="How many seeds.")] = 10,
    full: Annotated[bool, typer.Option("--full", help="30 seeds instead.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="A first look in about a minute: 2 seeds, few points of each sweep.")
    ] = False,
    rounds: Annotated[int, typer.Option(help="Rounds per run.")] = 100,
    heavy: Annotated[
        bool, typer.Option("--heavy", help="Run the heavy studies too (20 minutes of one core); else shipped tables.")
    ] = False,
    jobs: Jobs = None,
) -> None:
    """Run the paper's studies and write report.html with every figure and the table of claims.

    Finished runs are kept: stop it at any time, and the same command goes on where it stopped.

    \b
    Examples:
    lefi paper --quick
    lefi paper --seeds 3 --out /tmp/paper
    """
    from lefi.cli import show
    from lefi.cli.figures import draw
    from lefi.studies.plan.paper import paper_runs
    from lefi.studies.run.heavy import run_heavy
    from lefi.studies.run.runner import run_studies

    if quick and (full or heavy):
        raise InputError("quick", True, "given without --full and --heavy")
    out = (QUICK_PLACE if quick else PLACE) if out is None else out
    studies = paper_runs(seeds, rounds, full=full, quick=quick)
    writable(out)
    jobs = cores() if jobs is None else jobs
    with show.bar("paper", "runs") as progress:
        run_studies(studies, out, jobs=jobs, progress=progress)
    if heavy:
        with show.bar("heavy", "runs") as progress:
            run_heavy(out, jobs=jobs, progress=progress)
    draw(out, out, jobs)
