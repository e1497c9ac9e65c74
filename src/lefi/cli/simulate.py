"""`lefi simulate`: one mechanism, one market, and what Algorithm 1 returns: final weights and sizes."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli import options
from lefi.cli.options import Accuracy, AsJson, Budget, Clients, Deadline, Rounds, Scenario, Seed, Set, Total
from lefi.errors import InputError
from lefi.messages import Receipt
from lefi.offers.totals import ended
from lefi.payments import payment_of

if TYPE_CHECKING:
    from lefi.studies.judge.outcome import Outcome
    from lefi.studies.plan.one_run import Run

SHOWN = 20  # clients in the table; of more, the first and the last ten


def simulate(
    mechanism: Annotated[str, typer.Option(help="A name (see `lefi list`), or FILE.py:Class.")] = "waterfill",
    scenario: Scenario = None,
    clients: Clients = None,
    budget: Budget = None,
    total: Total = None,
    deadline: Deadline = None,
    rounds: Rounds = None,
    seed: Seed = None,
    accuracy: Accuracy = None,
    cost: options.Cost = None,
    settings: Set = None,
    out: Annotated[Path | None, typer.Option(help="Write the receipts here, as Parquet.")] = None,
    as_json: AsJson = False,
    engine: Annotated[
        str | None,
        typer.Option(help="Play in partitions: local:WORKERS, dask://HOST:PORT, tls://HOST:PORT or here; needs --out."),
    ] = None,
    partitions: Annotated[
        int | None, typer.Option(help="With --engine: into how many.", show_default="8, or one per 500,000 clients")
    ] = None,
    every: Annotated[
        int | None, typer.Option(help="With --engine: rounds between two saves.", show_default="10")
    ] = None,
) -> None:
    """Play one mechanism and show the final weights and sizes, and when they settled.

    \b
    Examples:
    lefi simulate --clients 10 --budget 5
    lefi simulate --mechanism bara --scenario mixed --seed 3 --json
    lefi simulate --total 40 --rounds 80 --accuracy cifar10 --set learning=cifar10
    lefi simulate --mechanism lefi --set step=2 --set speed=2,29 --out receipts
    lefi simulate --clients 1e7 --rounds 20 --engine local:2 --out large
    """
    from lefi.cli import show
    from lefi.studies.plan.study import Study

    settings = options.with_cost(settings, cost)
    market = {"scenario": scenario, "clients": clients, "budget": budget, "total": total, "deadline": deadline}
    given = {name: value for name, value in (market | {"rounds": rounds, "seed": seed}).items() if value is not None}
    values = options.study_values([mechanism], accuracy, settings)
    if engine is not None:
        from lefi.cli.cluster import simulate_parts

        return simulate_parts(given, values, engine, partitions, every, out, as_json)
    for name, value in (("partitions", partitions), ("every", every)):
        if value is not None:
            raise InputError(name, value, "given with --engine")
    run = Study.build({"name": "simulate", "seeds": 1} | given | values).runs()[0]
    outcome = _play(run, out and options.writable(out))
    if as_json:
        return show.print_json(_told(run, outcome))
    console = show.console()
    show.print_table(_clients(run, outcome))
    for name, text in _lines(run, outcome, out):
        console.print(f"{name:<10} {text}")
    return None


def _play(run: "Run", out: Path | None) -> "Outcome":
    """All rounds, under a live bar, into Parquet where that is asked for."""
    from lefi.cli import show
    from lefi.receipts import write
    from lefi.studies.judge.outcome import Follower
    from lefi.studies.run.record import judged_rounds
    from lefi.studies.run.runner import Standing

    follower = Follower(run)

    def played(tell: "show.Tell") -> Iterator[Receipt]:
        for receipt, row in judged_rounds(run):
            follower.add(receipt, row)
            standing = Standing(receipt.round, run.rounds, receipt.round / run.rounds)
            tell(standing, f"accuracy {receipt.accuracy:.4f}")
            yield receipt

    with show.bar(run.mechanism, "rounds") as tell:
        if out is None:
            for _ in played(tell):
                pass
        else:
            write(played(tell), out)
    return follower.outcome()


def _columns(outcome: "Outcome") -> dict[str, Any]:
    from lefi.studies.judge.outcome import stake

    final = outcome.final
    return {
        "id": final.roster.ids,
        "iid": final.roster.iid,
        "rate": final.roster.rate,
        "weight": stake(final.offer),
        "size": final.sizes,
        "payment": final.payments,
    }


def _told(run: "Run", outcome: "Outcome") -> dict[str, Any]:
    """Everything, for machines."""
    named = (
        "mechanism",
        "scenario",
        "clients",
        "budget",
        "total",
        "deadline",
        "rounds",
        "seed",
        "settings",
        "mechanism_settings",
    )
    return {
        "run": {name: getattr(run, name) for name in named},
        "round": outcome.final.round,
        "accuracy": outcome.final.accuracy,
        "paid": outcome.final.paid,
        "spent": outcome.spent,
        "played": outcome.played,
        "done": outcome.done,
        "weights_settled": outcome.weights_settled,
        "sizes_settled": outcome.sizes_settled,
        **outcome.numbers,
        "final": _columns(outcome),
    }


def _clients(run: "Run", outcome: "Outcome") -> Any:
    from lefi.cli import show

    title = (
        f"{run.mechanism}, {run.scenario}: {run.clients} clients, {run.budget:g} USD a round, "
        f"seed {run.seed}, round {outcome.final.round} of {run.rounds}"
    )
    stake = "weight (USD)" if payment_of(outcome.final.offer) == "curve" else "earns at most (USD)"
    table = show.table(["client"], ["iid", "rate", stake, "size (thousand)", "payment (USD)"], title)
    columns = _columns(outcome)
    clients = len(columns["id"])
    positions = list(range(clients)) if clients <= SHOWN else [*range(10), *range(clients - 10, clients)]
    for position in positions:
        if clients > SHOWN and position == clients - 10:
            table.add_row(*["..."] * 6)
        client, *numbers = (column[position] for column in columns.values())
        digits = (2, 2, 4, 3, 4)
        table.add_row(str(client), *(show.number(x, d) for x, d in zip(numbers, digits, strict=True)))
    return table


def _lines(run: "Run", outcome: "Outcome", out: Path | None) -> Iterator[tuple[str, str]]:
    from lefi.cli.show import number

    final, numbers = outcome.final, outcome.numbers
    yield "settled", f"weights {_since(outcome.weights_settled)}, sizes {_since(outcome.sizes_settled)}"
    optimum = "oracle" if payment_of(final.offer) == "curve" else "first_best"
    best = f"{optimum} {number(numbers[optimum], 4)}, arbitrary weights {numbers['arbitrary']:.4f}"
    if (curve := run.settings.get("learning")) is None:
        yield "accuracy", f"{final.accuracy:.4f}  ({best})"
    else:
        yield "trained", f"{final.accuracy:.4f} after round {final.round}, by the curve of {curve}"
        yield "accuracy", f"{numbers['judged']:.4f} of the last round alone  ({best})"
    yield "share", f"{number(numbers['share'])} of the gain of {optimum} over arbitrary weights"
    yield "paid", f"{final.paid:.4f} of {run.budget:g} USD in that round, {outcome.spent:.4f} in all"
    said = outcome.done or ended(run.market().terms, outcome.played, run.rounds, outcome.spent)
    if said is not None:
        yield "ended", said
    worst = f"{100 * numbers['overspend']:.2g}% of the budget at worst, in round {numbers['overspend_round']}"
    yield "overspend", worst if numbers["overspend"] > 0 else "none in any round"
    if out is not None:
        yield "receipts", f"{out / 'rounds.parquet'}, {out / 'clients.parquet'}"


def _since(round: int | None) -> str:
    return "not settled" if round is None else f"from round {round} on"
