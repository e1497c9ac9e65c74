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
    convergence,
    cost,
    deadline,
    deviation,
    fleets,
    gain,
    money,
    needed,
    overspend,
    paid_training,
    rai,
    readme,
    scenarios,
    sizes,
    trained_accuracy,
    weights,
)
from lefi.studies.figures.style import save, styled
from lefi.studies.run.results import Finished, Results, read_results


@dataclass(frozen=True)
class Plan:
    """A figure that can be drawn: where its numbers come from, how they are drawn and put in words."""

    name: str
    title: str
    studies: tuple[str, ...]
    compute: Callable[..., Any]
    draw: Callable[[Any], Figure]
    caption: Callable[[Any], str]
    clients: bool = False
    """Needs the clients table."""
    partial: bool = False
    """Can do with some of its studies."""
    extra: bool = False
    """Left out where its studies are missing; the section that it belongs to says how to get them."""


PLANS = (
    Plan("cost", "Compute cost against size", (), cost.compute, cost.draw, cost.caption),
    Plan(
        "accuracy-model",
        "Accuracy against size and iid",
        (),
        accuracy_model.compute,
        accuracy_model.draw,
        accuracy_model.caption,
    ),
    Plan(
        "weights",
        "Convergence of weights",
        ("convergence",),
        weights.compute,
        weights.draw,
        weights.caption,
        clients=True,
    ),
    Plan("sizes", "Convergence of sizes", ("convergence",), sizes.compute, sizes.draw, sizes.caption, clients=True),
    Plan(
        "accuracy",
        "Convergence of accuracy",
        ("convergence",),
        convergence.compute,
        convergence.draw,
        convergence.caption,
    ),
    Plan(
        "rai",
        "Relative accuracy improvement against the number of clients",
        ("clients",),
        rai.compute,
        rai.draw,
        rai.caption,
    ),
    Plan("budget", "Accuracy against the budget", ("budget",), budget.compute, budget.draw, budget.caption),
    Plan("deadline", "Accuracy against the deadline", ("deadline",), deadline.compute, deadline.draw, deadline.caption),
    Plan(
        "gain",
        "Share of the oracle's gain (ours)",
        ("convergence", "mixed"),
        gain.compute,
        gain.draw,
        gain.caption,
        partial=True,
    ),
    Plan(
        "overspend",
        "Overspend (ours)",
        ("convergence", "mixed"),
        overspend.compute,
        overspend.draw,
        overspend.caption,
        partial=True,
    ),
    Plan(
        "money",
        "Accuracy against money, over payment classes (ours)",
        ("shape_money",),
        money.compute,
        money.draw,
        money.caption,
        extra=True,
    ),
    Plan(
        "needed",
        "Money needed to reach the paper's accuracy, by round (ours)",
        ("shape_money",),
        needed.compute,
        needed.draw,
        needed.caption,
        extra=True,
    ),
    Plan(
        "deviation",
        "What clients keep, and what pretending adds (ours)",
        ("shape_deviation",),
        deviation.compute,
        deviation.draw,
        deviation.caption,
        extra=True,
    ),
    Plan(
        "measured",
        "Accuracy, really trained (ours)",
        (),
        trained_accuracy.compute,
        trained_accuracy.draw,
        trained_accuracy.caption,
    ),
    Plan(
        "training",
        "Paid training, really trained (ours)",
        (),
        paid_training.compute,
        paid_training.draw,
        paid_training.caption,
    ),
    Plan("fleets", "The paper's sum, really trained (ours)", (), fleets.compute, fleets.draw, fleets.caption),
    Plan(
        "ablation",
        "Beyond the paper: what each change buys (ours)",
        ablation.STUDIES,
        ablation.compute,
        ablation.draw,
        ablation.caption,
        extra=True,
    ),
    Plan(
        "scenarios",
        "Share of the oracle's gain in every scenario (ours)",
        scenarios.STUDIES,
        scenarios.compute,
        scenarios.draw,
        scenarios.caption,
        partial=True,
    ),
)


@dataclass(frozen=True)
class Drawn:
    """A figure on disk. Without files: it could not be drawn, and the caption says what is missing."""

    name: str
    title: str
    caption: str
    files: tuple[Path, ...] = ()


def draw_figures(results: Results, folder: Path, *, progress: Callable[[int, int], None] | None = None) -> list[Drawn]:
    """Every figure that the results allow, as PNG and SVG in the folder; `progress` is told how many of how many."""
    wanted = [plan for plan in PLANS if not plan.extra or all(name in results.studies for name in plan.studies)]
    drawn: list[Drawn] = []
    for plan in wanted:
        drawn.append(_draw(plan, results, folder))
        if progress is not None:
            progress(len(drawn), len(wanted))
    return drawn


def draw_readme(results: Path, folder: Path) -> list[Path]:
    """The picture of the README from the study `mixed`, as folder/mixed.png and .svg."""
    study = read_results(results).get("mixed")
    if study is None:
        raise InputError("results", str(results), "a folder with finished runs of the study 'mixed'")
    with styled():
        return save(readme.draw(readme.compute(study)), folder, "mixed")


def _draw(plan: Plan, results: Results, folder: Path) -> Drawn:
    found = [results.studies[name] for name in plan.studies if name in results.studies]
    lacking = _lacking(plan, found)
    if lacking:
        return Drawn(plan.name, plan.title, f"Not drawn: {lacking}.")
    numbers = plan.compute(*found)
    with styled():
        files = save(plan.draw(numbers), folder, plan.name)
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
