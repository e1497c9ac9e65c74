"""`lefi compare`: several mechanisms on the same clients, many seeds."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import lefi
from lefi.cli import options
from lefi.cli.options import Accuracy, AsJson, Budget, Clients, Deadline, Jobs, Rounds, Scenario, Seed, Seeds, Set

if TYPE_CHECKING:
    from lefi.studies.judge.summary import Summary
    from lefi.studies.plan.study import Study


def compare(
    mechanisms: Annotated[
        str | None,
        typer.Option(help="Names, or FILE.py:Class, with commas between them.", show_default="all that pay by curve"),
    ] = None,
    study: Annotated[Path | None, typer.Option(help="A study in TOML; other options overrule it.")] = None,
    scenario: Scenario = None,
    clients: Clients = None,
    budget: Budget = None,
    deadline: Deadline = None,
    rounds: Rounds = None,
    seeds: Seeds = None,
    seed: Seed = None,
    accuracy: Accuracy = None,
    settings: Set = None,
    jobs: Jobs = None,
    engine: Annotated[str, typer.Option(help="Where runs are computed: local, or dask://host:port.")] = "local",
    out: Annotated[Path, typer.Option(help="Where results are kept and found again.")] = Path("results"),
    as_json: AsJson = False,
) -> None:
    """Compare mechanisms on the same clients: medians over seeds with 95% bootstrap intervals.

    The first mechanism is the one that the others are held against, seed by seed.

    \b
    Examples:
    lefi compare --mechanisms lefi,uniform --scenario mixed --seeds 5
    lefi compare --study studies/budget.toml --seeds 3
    lefi compare --mechanisms uniform,mine.py:Mine --rounds 30
    """
    from lefi.cli import show
    from lefi.studies.judge.summary import summarise
    from lefi.studies.run.load import load
    from lefi.studies.run.runner import run_study

    market = {"scenario": scenario, "clients": clients, "budget": budget, "deadline": deadline}
    given = market | {"rounds": rounds, "seeds": seeds, "seed": seed}
    chosen = _study(study, mechanisms, accuracy, settings, given)
    options.writable(out)
    with show.bar(chosen.name, "runs") as progress:
        cores = options.cores() if jobs is None else jobs
        run_study(chosen, out, jobs=cores, engine=engine, progress=progress)
    sweep = chosen.sweep.setting if chosen.sweep else None
    summaries = summarise(load(chosen.name, out)[0], list(chosen.names), sweep)
    if as_json:
        show.print_json({"study": chosen.model_dump(), "summaries": [asdict(summary) for summary in summaries]})
    else:
        _print(chosen, summaries, sweep)


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
    kept = {name: own for name, own in base.mechanism.items() if name in options.registered(listed)}
    own = {name: kept.get(name, {}) | asked["mechanism"].get(name, {}) for name in kept | asked["mechanism"]}
    return base.changed(
        **given, mechanisms=asked["mechanisms"], settings=base.settings | asked["settings"], mechanism=own
    )


def _print(study: "Study", summaries: list["Summary"], sweep: str | None) -> None:
    from lefi.cli import show
    from lefi.studies.judge.marks import SEARCHERS

    console = show.console()
    label = [sweep, "mechanism"] if sweep else ["mechanism"]
    first = next(iter(study.names))
    rounds = list(summaries[0].share)
    share = show.table(
        label, [f"round {round}" for round in rounds], "Share of the oracle's gain at a round, median over seeds"
    )
    ends = show.table(label, ["accuracy", "overspend", "share lead", "beats"], f"At the end; lead over {first}, paired")
    point = None
    for summary in summaries:
        if sweep and summary.point != point and point is not None:
            share.add_section()
            ends.add_section()
        named = [*(["" if summary.point == point else f"{summary.point}"] if sweep else []), summary.mechanism]
        point = summary.point
        share.add_row(*named, *(_share(summary, round) for round in rounds))
        overspend = f"{100 * float(summary.overspend.middle):.1f}%"
        ends.add_row(*named, show.with_interval(summary.accuracy, 4), overspend, *_lead(summary))
    console.print(share)
    console.print(ends)
    _print_classes(study)
    searchers = " and ".join(sorted(SEARCHERS & set(study.names)))
    judged = f"{searchers} judged by the best round within the budget so far, the others by the current round; "
    console.print(
        f"{study.scenario}, {summaries[0].seeds} seeds, {study.rounds} rounds. Under each median its 95% bootstrap "
        f"interval. {judged if searchers else ''}weights that overspend are scaled to the budget first. "
        "overspend: the worst round.",
        style="dim",
    )


def _print_classes(study: "Study") -> None:
    """How each mechanism pays and what it may know, where these differ: such numbers are not of one kind."""
    from lefi.cli import show

    said = {name: (lefi.registered()[name].payment, lefi.registered()[name].tier) for name in study.names}
    if len(set(said.values())) > 1:
        lines = (f"{name}: pays by {pays}, knows {knows}" for name, (pays, knows) in said.items())
        show.console().print("Not all alike. " + "; ".join(lines) + ".")


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
