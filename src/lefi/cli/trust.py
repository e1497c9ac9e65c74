"""`lefi trust`: a reference of honest work, whether it holds for a job, and what makes cheating unprofitable."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli.commands import Commands
from lefi.cli.options import AsJson
from lefi.cli.training import Batch, Device, Epochs, Folder, LearningRate, Model, Momentum
from lefi.errors import InputError, LefiError, UnknownName

if TYPE_CHECKING:
    from lefi.trust import Reference
    from lefi.trust.deterrence import Row

trust = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Pay for work that was done: a reference of honest work, and what deters cheats (docs/trust.md).",
)
Output = Annotated[Path, typer.Argument(help="The reference: a new .json file.")]
FAILED = 1  # exit code of `check` where the reference does not hold


@trust.command()
def calibrate(
    output: Output,
    folders: Annotated[
        list[Path] | None, typer.Argument(help="Checkpoints of past jobs with trust; all clients honest.")
    ] = None,
    data: Annotated[str | None, typer.Option(help="Train honest jobs on it instead: digits, cifar10, an .npz.")] = None,
    folder: Folder = None,
    jobs: Annotated[int, typer.Option(help="Honest jobs to train.", min=2)] = 40,
    clients: Annotated[int, typer.Option(help="Clients of each.", min=8)] = 20,
    rounds: Annotated[int, typer.Option(help="Rounds of each.", min=3)] = 20,
    sizes: Annotated[str, typer.Option(help="Samples that clients own, least and most.")] = "24,120",
    validation: Annotated[int, typer.Option(help="Samples of the server's validation set.", min=20)] = 150,
    model: Model = None,
    epochs: Epochs = None,
    learning_rate: LearningRate = None,
    momentum: Momentum = None,
    batch: Batch = None,
    seed: Annotated[int, typer.Option(help="The first of the jobs' seeds.", min=0)] = 0,
    device: Device = "auto",
) -> None:
    """Learn what honest work looks like, from past jobs that were honest or from honest jobs trained here.

    A reference needs at least 200 honest clients, of the model and with the training that your clients use. It holds
    for such clients only: it says for which model, claims and rounds, and elsewhere nobody is judged. A small
    validation set alone is no substitute: calibrated on that, many honest clients are accused (docs/trust.md).

    \b
    Examples:
    lefi trust calibrate reference.json models-of-job-1 models-of-job-2
    lefi trust calibrate reference.json --data digits --model lefi.profiling.model:small_mlp --jobs 40
    """
    if bool(folders) == bool(data):
        raise InputError("folders", folders, "folders of past jobs, or --data to train honest ones: one of both")
    if output.suffix != ".json":
        raise InputError("output", str(output), "a .json file")
    if folders:
        found = _from_folders(folders)
    else:
        settings = {"epochs": epochs, "learning_rate": learning_rate, "momentum": momentum, "batch": batch}
        chosen = {name: value for name, value in (settings | {"model": model}).items() if value is not None}
        bounds = _bounds(sizes)
        found = _trained(str(data), folder, chosen, device, (jobs, clients, rounds, seed, validation), bounds)
    found.write(output)
    typer.echo(f"{output}: {_about(found)}")


def _bounds(text: str) -> tuple[int, int]:
    from lefi.cli.training import numbers

    low, *rest = numbers("sizes", text)
    if len(rest) != 1 or low < 1:
        raise InputError("sizes", text, "least and most samples of a client, such as 24,120")
    return int(low), int(rest[0])


def _from_folders(folders: list[Path]) -> "Reference":
    from lefi.trust import Records, calibrate

    records = [Records(path) for path in folders]
    heard = [one.record() for one in records]
    sizes = sorted({one.weights() for one in records})
    if len(sizes) > 1:
        raise LefiError(f"the jobs are of different models: {', '.join(map(str, sizes))} weights")
    return calibrate(heard, {"weights": sizes[0]})


def _trained(
    data: str,
    folder: Path | None,
    recipe: dict[str, Any],
    device: str,
    counts: tuple[int, int, int, int, int],
    sizes: tuple[int, int],
) -> "Reference":
    from dataclasses import replace

    from lefi.cli import show
    from lefi.models.presets import shipped
    from lefi.profiling.cheats import Fleet
    from lefi.profiling.data import load_images
    from lefi.profiling.defaults import measured
    from lefi.profiling.device import choose_device
    from lefi.profiling.honest import calibrated
    from lefi.profiling.train import Recipe, Trainer
    from lefi.studies.run.runner import Standing

    jobs, clients, rounds, seed, validation = counts
    images = load_images(data, folder)
    usual = measured(images.name).recipe if images.name in shipped() else Recipe()
    trainer = Trainer(images, replace(usual, **recipe), choose_device(device))
    fleet = Fleet(clients=clients, sizes=sizes, validation=validation)
    with show.bar("trust", "jobs") as tell:
        return calibrated(
            trainer, fleet, jobs, rounds, seed, lambda done, total: tell(Standing(done, total, done / total))
        )


@trust.command()
def check(
    reference: Annotated[Path, typer.Argument(help="A reference of `lefi trust calibrate`.")],
    folder: Annotated[Path | None, typer.Argument(help="Checkpoints of a job with trust.")] = None,
) -> None:
    """Say for which jobs a reference holds, and whether a job is one of them. Exit code 1 where it is not.

    \b
    Example:
    lefi trust check reference.json models
    """
    from lefi.trust import Records, Reference

    read = Reference.read(reference)
    typer.echo(_about(read))
    if folder is None:
        return
    records = Records(folder)
    wrong = read.unlike(records.record(), records.weights())
    for why in wrong:
        typer.echo(f"does not hold: {why}", err=True)
    if wrong:
        raise typer.Exit(FAILED)
    typer.echo("it holds for this job")


def _about(reference: "Reference") -> str:
    about = reference.about
    low, high = about["claims"]
    told = [f"{about['weights']} weights", f"claims of {low:g} to {high:g} samples", f"{about['rounds']} rounds"]
    told += [f"{about['honest clients']} honest clients"]
    told += [str(about[name]) for name in ("model", "data") if name in about]
    return ", ".join(told)


@trust.command()
def plan(
    pay: Annotated[float, typer.Option(help="What a client is paid in a round [USD].", min=0)],
    cost: Annotated[float, typer.Option(help="What honest work costs it in a round [USD].", min=0)],
    audit_cost: Annotated[float, typer.Option(help="What checking one client-round costs you [USD].", min=0)] = 0.0,
    rounds: Annotated[int, typer.Option(help="Rounds of the job.", min=1)] = 20,
    power: Annotated[
        Path | None, typer.Option(help="Power table of your model.", show_default="that of digits, 20 clients")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """How long to hold pay back, and how much to audit, so that no steady cheat pays.

    A cheat saves work and is paid until it is accused; then it loses what is held back and all later rounds. Updates
    show who does nothing or little. Half of the work cannot be seen in them: only audits deter it. In the last rounds
    there is little left to lose, whatever you hold back.

    \b
    Examples:
    lefi trust plan --pay 0.05 --cost 0.03 --audit-cost 0.10
    lefi trust plan --pay 0.05 --cost 0.03 --rounds 50 --power results/trust/trust.json --json
    """
    from lefi.cli import show
    from lefi.trust.deterrence import SHIPPED, Money, cheats_of, chosen, planned

    cheats, money = cheats_of(power or SHIPPED, rounds), Money(pay, cost, audit_cost)
    rows = planned(cheats, money)
    best = chosen(rows)
    if as_json:
        show.print_json({"escrow": best.escrow, "audits": best.audits, "rows": [row._asdict() for row in rows]})
        return
    table = show.table(["rounds held back"], ["audits needed", "for", "USD per client-round"], "No steady cheat pays")
    for row in rows:
        table.add_row(str(row.escrow), _percent(row.audits), row.binding or "nobody", show.number(row.cost, 4))
    console = show.console()
    show.print_table(table)
    for line in _words(best, money.pay > money.cost):
        console.print(line, soft_wrap=True, markup=False)


@trust.command()
def train(
    kind: Annotated[
        str, typer.Option(help="What cheats do: idle, noise, replay, copy, tenth, quarter, half, ..")
    ] = "idle",
    share: Annotated[float, typer.Option(help="Of the clients that cheat.", min=0.01, max=0.49)] = 0.4,
    reference: Annotated[
        Path, typer.Option(help="Of `lefi trust calibrate` for this model; digits comes with lefi.")
    ] = Path("digits"),
    rounds: Annotated[int, typer.Option(help="Rounds of each job.", min=3)] = 20,
    seeds: Annotated[int, typer.Option(help="Fleets.", min=1)] = 1,
    seed: Annotated[int, typer.Option(help="The first of their seeds.", min=0)] = 0,
    escrow: Annotated[int, typer.Option(help="Rounds for which pay is held back.", min=0)] = 3,
    as_json: AsJson = False,
) -> None:
    """Train digits for real with clients that cheat: the model and the money, without and with trust.

    Twenty clients, a third of them with evenly mixed labels, the others skewed. The same fleet is trained three times:
    all honest, with cheats that are believed, and with cheats that are watched, accused and left out.

    \b
    Examples:
    lefi trust train
    lefi trust train --kind tenth_scaled --share 0.2 --seeds 3
    """
    from lefi.cli import show
    from lefi.profiling.cheats import KINDS, Fleet
    from lefi.profiling.closed_loop import compared, digits_trainer
    from lefi.trust import Reference

    if kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)
    fleet, many = Fleet(kind=kind, share=share), list(range(seed, seed + seeds))
    found = compared(digits_trainer(), fleet, Reference.read(reference), rounds, many, escrow)
    if as_json:
        show.print_json(found._asdict())
        return
    table = show.table(["digits"], ["test accuracy", "pay cheats keep"], f"{100 * share:.0f}% {kind}, round {rounds}")
    for name, value, kept in (
        ("all honest", found.honest, "-"),
        ("cheats, believed", found.believed, "100%"),
        ("cheats, watched", found.watched, f"{100 * found.kept:.1f}%"),
    ):
        table.add_row(name, show.number(value, 3), kept)
    console = show.console()
    show.print_table(table)
    lost = f"{100 * found.honest_lost:.1f}% of the honest clients were accused"
    console.print(f"{100 * found.caught:.0f}% of the cheats were accused, {lost}")


def _percent(share: float) -> str:
    return "none is enough" if share != share else f"{100 * share:.2f}%"


def _words(best: "Row", profit: bool) -> list[str]:
    of = "of the honest profit" if profit else "of the pay"
    half = {name: share for name, share in best.gains.items() if name.startswith("half") and share > 0}
    told = [f"hold {best.escrow} rounds back and audit {_percent(best.audits)} of the client-rounds, drawn at random"]
    if half:
        most = max(half.values())
        told.append(f"half of the work is deterred by audits only: without them it gains {100 * most:.0f}% {of}")
    rest = [name for name, share in best.gains.items() if share > 0 and name not in half]
    if rest:
        told.append(f"without audits these pay, too: {', '.join(sorted(rest))}")
    return told
