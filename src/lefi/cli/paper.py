"""`lefi paper`: every figure of the paper and the report, from one command."""

from pathlib import Path
from typing import Annotated

import typer

from lefi.cli.options import Jobs, cores, writable

FEW = 3  # seeds of the studies over payment classes


def paper(
    out: Annotated[Path, typer.Option(help="Where results, figures and report go.")] = Path("results/paper"),
    seeds: Annotated[int, typer.Option(help="How many seeds.")] = 10,
    full: Annotated[bool, typer.Option("--full", help="30 seeds instead: the figures of the documentation.")] = False,
    rounds: Annotated[int, typer.Option(help="Rounds per run.")] = 100,
    heavy: Annotated[
        bool, typer.Option("--heavy", help="Run the heavy studies too (20 minutes of one core); else shipped tables.")
    ] = False,
    jobs: Jobs = None,
) -> None:
    """Run the paper's studies and write report.html with every figure and the table of claims.

    Finished runs are kept: stop it at any time, and the same command goes on where it stopped.

    \b
    Example: lefi paper --seeds 3 --out /tmp/paper
    """
    from lefi.cli import show
    from lefi.cli.figures import draw
    from lefi.studies.plan.paper import SHAPE, paper_studies
    from lefi.studies.run.heavy import run_heavy
    from lefi.studies.run.runner import run_studies

    shape = {} if full else {"seeds": min(seeds, FEW)}  # as their TOMLs say, or few of them: they sweep much
    studies = [
        study.changed(rounds=min(rounds, study.rounds), **shape)
        if study.name in SHAPE
        else study.changed(seeds=30 if full else seeds, rounds=rounds)
        for study in paper_studies()
    ]
    writable(out)
    jobs = cores() if jobs is None else jobs
    with show.bar("paper", "runs") as progress:
        run_studies(studies, out, jobs=jobs, progress=progress)
    if heavy:
        with show.bar("heavy", "runs") as progress:
            run_heavy(out, jobs=jobs, progress=progress)
    draw(out, out, jobs)
