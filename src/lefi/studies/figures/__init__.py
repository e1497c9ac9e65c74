"""The figures of the report: for each, the numbers (pure) and the drawing, one file per figure."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from lefi.errors import InputError
from lefi.studies.figures import (
    ablation,
    accuracy_model,
    budget,
    cold,
    convergence,
    cost,
    deadline,
    deviation,
    everybody,
    first_gain,
    fixed_budget,
    fleets,
    gain,
    gamed,
    gaming,
    money,
    needed,
    overspend,
    paid_money,
    pretending,
    rai,
    readings,
    readme,
    scenarios,
    sizes,
    to_target,
    trained_accuracy,
    weights,
)
from lefi.studies.figures.style import save, styled
from lefi.studies.run.processes import spread
from lefi.studies.run.results import Finished, Results, read_results


@dataclass(frozen=True)
class Plan:
    """A figure that can be drawn: where its numbers come from, how they are drawn and put in words."""

    name: str
    title: str
    compute: Callable[..., Any]
    draw: Callable[[Any], Figure]
    caption: Callable[[Any], str]
    studies: tuple[str, ...] = ()
    heavy: tuple[str, ...] = ()
    """Tables of heavy studies, handed over after the studies."""
    clients: bool = False
    """Needs the clients table."""
    partial: bool = False
    """Can do with some of its studies."""
    extra: bool = False
    """Left out where its studies are missing; the section that it belongs to says how to get them."""


def _plan(name: str, title: str, module: Any, *studies: str, **settings: Any) -> Plan:
    return Plan(name, title, module.compute, module.draw, module.caption, studies, **settings)


KINDS = ("png", "svg")  # of files: a PDF takes as long as both, and is for a figure that goes into a paper
MANY = ("clients_fixed", "clients_many")
BOTH = ("convergence", "mixed")
PLANS = (
    _plan("first-gain", "Does it find the optimum?", first_gain, "mixed"),
    Plan(
        "first-money",
        "What does accuracy cost?",
        readings.compute_money,
        readings.draw_money,
        readings.caption_money,
        heavy=("readings_money",),
    ),
    Plan(
        "first-scale",
        "Does it scale at 5 USD?",
        fixed_budget.compute,
        fixed_budget.draw_first,
        fixed_budget.caption_first,
        ("clients",),
        heavy=MANY,
    ),
    _plan("weights", "Convergence of weights", weights, "convergence", clients=True),
    _plan("sizes", "Convergence of sizes", sizes, "convergence", clients=True),
    _plan("accuracy", "Convergence of accuracy", convergence, "convergence"),
    _plan("gain", "Share of the oracle's gain (ours)", gain, *BOTH, partial=True),
    _plan("overspend", "Overspend (ours)", overspend, *BOTH, partial=True),
    _plan("rai", "Relative accuracy improvement (RAI) against the number of clients", rai, "clients"),
    _plan("cold", "The rivals from equal shares, and from a cold start (ours)", cold, heavy=("cold_starts",)),
    _plan("fixed", "Number of clients, with either budget (ours)", fixed_budget, "clients", heavy=MANY),
    _plan("budget", "Accuracy against the budget", budget, "budget"),
    _plan("readings", "Money needed, over readings of beta and theta (ours)", readings, heavy=("readings",)),
    _plan("money", "Accuracy against money, over payment classes (ours)", money, "shape_money", extra=True),
    _plan("needed", "Money needed to reach the paper's accuracy, by round (ours)", needed, "shape_money", extra=True),
    _plan("deviation", "What clients keep, and what pretending adds (ours)", deviation, "shape_deviation", extra=True),
    _plan("pretending", "When all clients pretend (ours)", pretending, heavy=("pretending",)),
    _plan("replies", "What one client gains that looks ahead (ours)", gamed, heavy=("replies",)),
    _plan("gaming", "What is left where all play (ours)", gaming, heavy=("gaming",)),
    _plan("deadline", "Accuracy against the deadline", deadline, "deadline"),
    _plan(
        "scenarios", "Share of the oracle's gain in every scenario (ours)", scenarios, *scenarios.STUDIES, partial=True
    ),
    _plan("ablation", "What each change of ours buys (ours)", ablation, *ablation.STUDIES, extra=True),
    _plan("everybody", "Every mechanism at equal money (ours)", everybody, heavy=("everybody",)),
    _plan("to-target", "Money to a target, really trained (ours)", to_target, heavy=("to_target",)),
    _plan("cost", "Compute cost against size", cost),
    _plan("accuracy-model", "Accuracy against size and iid", accuracy_model),
    _plan("measured", "Accuracy, really trained (ours)", trained_accuracy),
    _plan("training", "Training paid with little money, really trained (ours)", paid_money),
    _plan("fleets", "The paper's sum, really trained (ours)", fleets),
)


@dataclass(frozen=True)
class Drawn:
    """A figure on disk. Without files: it could not be drawn, and the caption says what is missing."""

    name: str
    title: str
    caption: str
    files: tuple[Path, ...] = ()


def draw_figures(
    results: Results, folder: Path, *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> list[Drawn]:
    """Every figure that the results allow, as PNG and SVG in the folder, by `jobs` processes.

    `progress` is told how many of how many.
    """
    return begin_figures(results, folder, jobs=jobs, progress=progress)()


def begin_figures(
    results: Results, folder: Path, *, jobs: int = 1, progress: Callable[[int, int], None] | None = None
) -> Callable[[], list[Drawn]]:
    """`draw_figures`, which other processes begin now; what is returned waits for them."""
    wanted = [plan for plan in PLANS if not plan.extra or all(name in results.studies for name in plan.studies)]
    tasks = [(plan, _needed(plan, results), folder) for plan in reversed(wanted)]  # at the end stand the longest
    drawing = spread(_draw, tasks, jobs)

    def wait() -> list[Drawn]:
        drawn: dict[str, Drawn] = {}
        for figure in drawing:
            drawn[figure.name] = figure
            if progress is not None:
                progress(len(drawn), len(wanted))
        return [drawn[plan.name] for plan in wanted]

    return wait


def _needed(plan: Plan, results: Results) -> Results:
    """The part of the results that a figure is drawn from: what another process is to be sent."""
    found = {name: results.studies[name] for name in plan.studies if name in results.studies}
    return Results(found, {}, results.folder)


def draw_readme(results: Path, folder: Path) -> list[Path]:
    """The picture of the README from the study `mixed`, as folder/mixed.png and .svg."""
    study = read_results(results).get("mixed")
    if study is None:
        raise InputError("results", str(results), "a folder with finished runs of the study 'mixed'")
    with styled():
        return save(readme.draw(readme.compute(study)), folder, "mixed")


def _draw(task: tuple[Plan, Results, Path]) -> Drawn:
    plan, results, folder = task
    found = [results.studies[name] for name in plan.studies if name in results.studies]
    lacking = _lacking(plan, found)
    if lacking:
        return Drawn(plan.name, plan.title, f"Not drawn: {lacking}.")
    numbers = plan.compute(*found, *(results.heavy(name) for name in plan.heavy))
    with styled():
        files = save(plan.draw(numbers), folder, plan.name, KINDS)
    return Drawn(plan.name, plan.title, plan.caption(numbers), tuple(files))


def _lacking(plan: Plan, found: list[Finished]) -> str:
    names = {study.name for study in found}
    absent = [name for name in plan.studies if name not in names]
    if absent and not (plan.partial and found):
        return f"study {', '.join(absent)} is missing"
    if plan.clients and not any(
        "lefi" in study.clients.get_column("mechanism") for study in found if study.clients.height
    ):
        return "no clients table with runs of lefi"
    return ""
