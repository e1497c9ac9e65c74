"""`lefi compare`: several mechanisms on the same clients, many seeds."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import lefi
from lefi.cli import options
from lefi.cli.options import (
    Accuracy,
    AsJson,
    Budget,
    Clients,
    Deadline,
    Jobs,
    Rounds,
    Scenario,
    Seed,
    Seeds,
    Set,
    Total,
)
from lefi.mechanisms.catalogue import mechanism_of
from lefi.spelling import spelled

if TYPE_CHECKING:
    from lefi.studies.judge.summary import Summary
    from lefi.studies.plan.study import Study


def compare(
    mechanisms: Annotated[
        str | None,
        typer.Option(
            help="Names, or FILE.py:Class, with commas between them; with settings and a label: "
            "joint = lefi(slope=joint).",
            show_default="all that pay by curve",
        ),
    ] = None,
    study: Annotated[Path | None, typer.Option(help="A study in TOML; other options overrule it.")] = None,
    scenario: Scenario = None,
    clients: Clients = None,
    budget: Budget = None,
    total: Total = None,
    deadline: Deadline = None,
    rounds: Rounds = None,
    seeds: Seeds = None,
    seed: Seed = None,
    accuracy: Accuracy = None,
    cost: options.Cost = None,
    settings: Set = None,
    jobs: Jobs = None,
    engine: Annotated[
        str, typer.Option(help="Where runs are computed: local, dask://host:port or tls://host:port.")
    ] = "local",
    out: Annotated[Path, typer.Option(help="Where results are kept and found again.")] = Path("results"),
    draw: Annotated[
        bool, typer.Option("--draw/--no-draw", help="Draw figures and a page, write CSV and LaTeX tables.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Compare mechanisms on the same clients: medians over seeds with 95% intervals.

    The first mechanism is the one that the others are held against, seed by seed. Figures, a page to look at and tables
    for a paper are written beside the results. A study file can name code: run only what you trust.

    \b
    Examples:
    lefi compare --mechanisms lefi,uniform --scenario mixed --seeds 5
    lefi compare --study studies/budget.toml --seeds 3
    lefi compare --mechanisms uniform,mine.py:Mine --rounds 30
    lefi compare --mechanisms "lefi, joint = lefi(slope=joint)" --scenario mine.py:city
    """
    from lefi.cli import show
    from lefi.studies.judge.summary import summarise
    from lefi.studies.report.overview import write_overview
    from lefi.studies.run.load import load, swept_columns
    from lefi.studies.run.runner import run_study

    market = {"scenario": scenario, "clients": clients, "budget": budget, "total": total, "deadline": deadline}
    given = market | {"rounds": rounds, "seeds": seeds, "seed": seed}
    chosen = _study(study, mechanisms, accuracy, options.with_cost(settings, cost), given)
    options.writable(out)
    with show.bar(chosen.name, "runs") as progress:
        cores = options.cores() if jobs is None else jobs
        run_study(chosen, out, jobs=cores, engine=engine, progress=progress)
    swept = swept_columns(chosen.model_dump())
    summaries = summarise(load(chosen.name, out)[0], list(chosen.variants), swept)
    page = write_overview(out, chosen.name) if draw else None
    if as_json:
        told = {"study": chosen.model_dump(), "summaries": [asdict(summary) for summary in summaries]}
        show.print_json(told | {"page": page and str(page)})
    else:
        _print(chosen, summaries, swept)
        if page:
            typer.echo(f"page: {page}  (with figures/ and tables/ beside it)")


def _study(
    path: Path | None, mechanisms: str | None, accuracy: str | None, settings: list[str] | None, given: dict[str, Any]
) -> "Study":
    """The study in the file, or a new one, under the options that were given."""
    from lefi.studies.plan.study import Study

    given = {name: value for name, value in given.items() if value is not None}
    if path is None:
        curves = (name for name, factory in lefi.registered().items() if factory.payment == "curve")
        listed = sorted(curves, key=lambda name: (name != "lefi", name))
        listed = listed if mechanisms is None else options.names(mechanisms)
        return Study.build({"name": "compare"} | given | options.study_values(listed, accuracy, settings))
    base = Study.read(path)
    listed = base.mechanisms if mechanisms is None else options.names(mechanisms)
    asked = options.study_values(listed, accuracy, settings)
    labels = {label for text in listed for label in (spelled(text).label, spelled(text).spec)}
    kept = {name: own for name, own in base.mechanism.items() if name in labels}
    own = {name: kept.get(name, {}) | asked["mechanism"].get(name, {}) for name in kept | asked["mechanism"]}
    return base.changed(
        **given, mechanisms=asked["mechanisms"], settings=base.settings | asked["settings"], mechanism=own
    )


def _print(study: "Study", summaries: list["Summary"], swept: list[str]) -> None:
    from lefi.cli import show

    label = [*swept, "mechanism"]
    first = next(iter(study.variants))
    rounds = list(summaries[0].share)
    share = show.table(
        label, [f"round {round}" for round in rounds], "Share of the optimum's gain at a round, median over seeds"
    )
    ends = show.table(label, ["accuracy", "overspend", "share lead", "beats"], f"At the end; lead over {first}, paired")
    point = None
    for summary in summaries:
        if point not in (None, summary.point):
            share.add_section()
            ends.add_section()
        here = [""] * len(swept) if summary.point == point else [f"{value}" for value in summary.point]
        point = summary.point
        share.add_row(*here, summary.mechanism, *(_share(summary, round) for round in rounds))
        overspend = f"{100 * float(summary.overspend.middle):.1f}%"
        ends.add_row(*here, summary.mechanism, show.with_interval(summary.accuracy, 4), overspend, *_lead(summary))
    show.print_table(share)
    show.print_table(ends)
    _print_ways(study, summaries)


def _print_ways(study: "Study", summaries: list["Summary"]) -> None:
    """How each mechanism pays and what it may know, where these differ; and how to read the tables."""
    from lefi.cli import show
    from lefi.studies.judge.statistics import coverage

    made = {label: mechanism_of(variant.spec) for label, variant in study.variants.items()}
    if len({(of.payment, of.tier) for of in made.values()}) > 1:
        lines = (f"{label}: pays by {of.payment}, knows {of.tier}" for label, of in made.items())
        show.console().print("Not all alike. " + "; ".join(lines) + ".", markup=False)
    searchers = " and ".join(sorted(label for label, of in made.items() if of.searches))
    judged = f"{searchers} judged by the best round so far, the others by the current round; "
    seeds = summaries[0].seeds
    under = "its 95% interval" if coverage(seeds) >= 0.95 else "the range of all seeds"
    show.console().print(
        f"{study.scenario}, {seeds} seeds, {study.rounds} rounds. Under each median {under}. "
        f"{judged if searchers else ''}weights that overspend are scaled to the budget first. "
        "overspend: the worst round.",
        style="dim",
        markup=False,
    )


def _lead(summary: "Summary") -> list[str]:
    from lefi.cli import show

    if summary.lead is None or summary.better is None:
        return ["", ""]
    return [show.with_interval(summary.lead), show.with_interval(summary.better, 2)]


def _share(summary: "Summary", round: int) -> str:
    """A share; where some seeds have none yet (no round within the budget so far), how many have one."""
    from lefi.cli import show

    present = summary.seeds_with_share[round]
    note = "" if present == summary.seeds else f" ({present}/{summary.seeds})"
    return show.with_interval(summary.share[round]).replace("\n", f"{note}\n")
