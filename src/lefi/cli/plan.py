"""`lefi plan`: what a target costs and what a sum buys, over rounds and budget per round."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lefi.cli import options
from lefi.cli.options import AsJson, Deadline
from lefi.errors import InputError

if TYPE_CHECKING:
    from lefi.models import Learning
    from lefi.planning import Plan, Surface
    from lefi.world.market import Market

ROUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # of the table of other plans
RUNS = {"curve": "waterfill", "price": "price"}  # the mechanism that plays a plan


def plan(
    data: Annotated[str, typer.Option(help="digits, cifar10, gtsrb, or a preset of `lefi profile`.")] = "cifar10",
    target: Annotated[float | None, typer.Option(help="Accuracy to reach, 0..1.")] = None,
    total: Annotated[float | None, typer.Option(help="USD for the whole job.")] = None,
    payment: Annotated[
        str, typer.Option(help="How clients are paid: curve (the paper's) or price; both with a comma.")
    ] = "curve",
    scenario: Annotated[str, typer.Option(help="Which clients.")] = "mixed",
    clients: Annotated[int, typer.Option(help="How many.", min=1)] = 10,
    rounds: Annotated[int | None, typer.Option(help="The most that are played.", show_default="as measured")] = None,
    fleets: Annotated[int, typer.Option(help="Fleets of the scenario that the plan must fit.", min=1)] = 5,
    seed: Annotated[int, typer.Option(help="The first of them.", min=0)] = 0,
    deadline: Deadline = None,
    size_high: Annotated[
        float | None,
        typer.Option(help="Thousand samples that a client owns.", show_default="its part of the data, as measured"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where figure and numbers go.", show_default="results/plan/DATA")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Plan a job: the cheapest way to a target accuracy, and the best accuracy for a sum of money.

    A plan is a number of rounds and a budget for each. Many small rounds are cheap and teach little, few large ones
    teach much and cost more. How accuracy rises round by round was measured by real training (see docs/plan.md); what
    clients deliver for a budget is the optimum of the way of paying, which knows their costs. A mechanism that has to
    learn them needs more. Intervals hold 95% of the fleets and of the fits.

    \b
    Examples:
    lefi plan --target 0.5 --data cifar10 --payment price
    lefi plan --total 2 --data gtsrb --payment price
    lefi plan --target 0.5 --total 1 --payment curve,price
    """
    from lefi.cli import show

    if target is None and total is None:
        raise InputError("target and total", None, "at least one of them: --target 0.5, or --total 2")
    orders = [Order(data, way, scenario, clients, seed, fleets, deadline, size_high) for way in options.names(payment)]
    markets = [order.markets() for order in orders]  # what is wrong with them is said now
    place = options.writable(out or Path("results/plan") / Path(data).stem)
    learning, asked = orders[0].learning(), {"target": target, "total": total}
    wanted = {name: value for name, value in asked.items() if value is not None}
    found = _planned(markets, learning, wanted, rounds)
    figure = _drawn(found, place)
    told = _written(orders, found, learning, place)
    if as_json:
        show.print_json(told | {"figure": str(figure)})
        return
    console = show.console()
    show.print_table(_table(orders, found))
    if target is not None:
        show.print_table(_others(found))
    for name, text in _lines(orders, learning, found, figure):
        console.print(f"{name:<8} {text}", soft_wrap=True, markup=False)


class Order(NamedTuple):
    """What the plan is for."""

    data: str
    payment: str
    scenario: str
    clients: int
    seed: int
    fleets: int
    deadline: float | None
    size_high: float | None

    def learning(self) -> "Learning":
        import lefi

        return lefi.learning(self.data)

    @property
    def owned(self) -> float:
        """Thousand samples that a client owns."""
        from lefi.models.presets import measured_data

        return self.size_high or min(self.learning().sizes_range[1], measured_data(self.data) / self.clients)

    def markets(self) -> "list[Market]":
        """One for each fleet, priced as `lefi train` prices them."""
        from lefi.world.scaled import scaled_market

        said: dict[str, Any] = {"clients": self.clients, "payment": self.payment, "deadline": self.deadline}
        seeds = range(self.seed, self.seed + self.fleets)
        return [scaled_market(self.scenario, self.data, self.owned, **said, seed=seed) for seed in seeds]

    def command(self, plan: "Plan") -> str:
        """What runs the plan; the files of the images are the user's."""
        from lefi.models.presets import shipped

        known = self.data in shipped()
        images = f"{self.data}{'' if self.data == 'digits' else ' --folder FOLDER'}" if known else "IMAGES"
        data = f"--data {images}{'' if known else f' --accuracy {self.data}'}"
        said = f"lefi train {data} --scenario {self.scenario} --clients {self.clients}"
        money = f"--budget {plan.budget:.4g} --rounds {plan.rounds} --total {plan.rounds * plan.budget:.4g}"
        aim = "" if plan.target is None else f" --target {plan.target:g}"
        return f"{said} --size-high {self.owned:g} --mechanisms {RUNS[self.payment]} {money}{aim}"


def _pairs(orders: "list[Order]", found: "list[list[Plan]]") -> "Iterator[tuple[Order, Plan]]":
    for order, plans in zip(orders, found, strict=True):
        for plan in plans:
            yield order, plan


def _planned(
    markets: "list[list[Market]]", learning: "Learning", wanted: dict[str, float], rounds: int | None
) -> "list[list[Plan]]":
    """The plans for what was asked, for each way of paying; under a bar."""
    from lefi.cli import show
    from lefi.planning import plan as make_plan
    from lefi.planning.choice import INSIDE, STEPS
    from lefi.planning.surface import BUDGETS
    from lefi.studies.run.runner import Standing

    most = sum(map(len, markets)) * (BUDGETS + len(wanted) * len(STEPS) * INSIDE)
    found: list[list[Plan]] = []
    with show.bar("plan", "optima") as tell:
        done = 0

        def step(*_: int) -> None:
            nonlocal done
            done += 1
            tell(Standing(done, most, min(done / most, 1.0)))

        for fleets in markets:
            seen: Surface | None = None
            found.append([])
            for name, value in wanted.items():
                asked: dict[str, Any] = {name: value}
                plan = make_plan(fleets, learning, **asked, rounds=rounds, seen=seen, progress=step)
                seen = plan.surface
                found[-1].append(plan)
    return found


def _drawn(found: "list[list[Plan]]", place: Path) -> Path:
    from lefi.files import refusals
    from lefi.studies.figures import planned
    from lefi.studies.figures.style import save, styled

    with styled(), refusals(place):
        return save(planned.draw([planned.compute(plans) for plans in found]), place, "plan")[0]


def _written(orders: "list[Order]", found: "list[list[Plan]]", learning: "Learning", place: Path) -> dict[str, Any]:
    """All numbers, beside the figure."""
    import json

    from lefi.cli import show
    from lefi.files import refusals

    plans = [_numbers(plan) | {"command": order.command(plan)} for order, plan in _pairs(orders, found)]
    about = {name: getattr(orders[0], name) for name in ("data", "scenario", "clients", "seed", "fleets")}
    told = {**about, "size_high": orders[0].owned, "error": learning.error, "plans": plans}
    with refusals(place):
        hidden = place / ".plan.json"
        hidden.write_text(json.dumps(show.plain(told), indent=1, allow_nan=False) + "\n", encoding="utf-8")
        hidden.replace(place / "plan.json")
    return told


def _numbers(plan: "Plan") -> dict[str, Any]:
    """A plan, and what its target costs in other numbers of rounds."""
    from lefi.planning import by_rounds

    named = ("rounds", "budget", "target", "total", "payment")
    spans = {name: getattr(plan, name)._asdict() for name in ("cost", "accuracy")}
    costs = [] if plan.target is None else by_rounds(plan.surface, plan.target)[1].tolist()
    others = {"others": {str(t): costs[t - 1] for t in ROUNDS if t <= len(costs)}}
    return {name: getattr(plan, name) for name in named} | spans | others


def _table(orders: "list[Order]", found: "list[list[Plan]]") -> Any:
    from lefi.cli import show

    first = orders[0]
    fleets = f"{first.fleets} fleet{'s' * (first.fleets > 1)}"
    title = f"{first.data}, {first.scenario}: {first.clients} clients, {fleets}"
    table = show.table(["best"], ["rounds", "USD a round", "USD in all", "accuracy"], title)
    for order, plan in _pairs(orders, found):
        label = f"{order.payment} " + (f"for {plan.total:g} USD" if plan.target is None else f"to {plan.target:g}")
        cost, reached = (
            f"{span.middle:.3g}\n[dim]{span.low:.3g}..{span.high:.3g}[/dim]" for span in (plan.cost, plan.accuracy)
        )
        table.add_row(label, str(plan.rounds), f"{plan.budget:.3g}", cost, reached)
    return table


def _others(found: "list[list[Plan]]") -> Any:
    """The same target in other numbers of rounds."""
    import numpy as np

    from lefi.cli import show
    from lefi.planning import by_rounds

    costs = [by_rounds(plans[-1].surface, plans[0].target or 0.0)[1] for plans in found]
    table = show.table(["the same in just"], [f"USD in all, by {plans[0].payment}" for plans in found], "")
    for rounds in sorted({t for t in ROUNDS if t <= costs[0].size} | {plans[0].rounds for plans in found}):
        words = [f"{cost:.3g}" if np.isfinite(cost := way[rounds - 1]) else "out of reach" for way in costs]
        table.add_row(f"{rounds} round{'s' * (rounds > 1)}", *words)
    return table


def _rises(surface: "Surface", target: float | None) -> bool:
    """Whether the target costs more in some number of rounds than in fewer."""
    import numpy as np

    from lefi.planning import by_rounds

    costs = by_rounds(surface, target)[1] if target is not None else np.zeros(0)
    reached = costs[np.isfinite(costs)]
    return bool((reached > np.minimum.accumulate(reached)).any())


def _lines(
    orders: "list[Order]", learning: "Learning", found: "list[list[Plan]]", figure: Path
) -> Iterator[tuple[str, str]]:
    low, high = learning.sizes_range
    measured = f"sizes {low:g} to {high:g} thousand, {learning.rounds_range[1]:g} rounds, {learning.clients} clients"
    yield "fit", f"RMSE {learning.error:.3f} on cells left out; measured with {measured}"
    yield "known", "the optimum knows the clients' costs; who has to learn them pays more"
    for order, plan in _pairs(orders, found):
        if plan.rounds == int(plan.surface.rounds[-1]):
            yield "note", f"{plan.rounds} rounds are the most allowed; more may do better (--rounds)"
        if plan.rounds > learning.rounds_range[1]:
            yield "note", f"beyond round {learning.rounds_range[1]:g} the curve is a guess"
        yield "run", order.command(plan)
    if any(_rises(plans[-1].surface, plans[0].target) for plans in found):
        yield "note", "more rounds can cost more, for each is paid: docs/plan.md says why"
    for plans in found:
        if len(plans) == 2 and plans[0].cost.middle > (plans[1].total or 0.0):
            yield "short", f"by {plans[0].payment} the target costs more than {plans[1].total:g} USD"
    yield "figure", str(figure)
