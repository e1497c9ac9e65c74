"""`lefi train`: mechanisms pay clients that train for real; the accuracy is that of the model they trained."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli import options, train_trust
from lefi.cli.options import AsJson, Deadline
from lefi.cli.train_target import Goal, report
from lefi.cli.train_trust import Suspicion, trainer_of, watched
from lefi.cli.training import Data, Device, Folder, Overwrite, numbers
from lefi.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lefi.profiling.train import Trainer
    from lefi.world.market import Market

MECHANISMS = "waterfill,lefi,uniform,oracle"


def train(
    mechanisms: Annotated[
        str | None,
        typer.Option(
            help="Names with commas; `oracle` and `first_best` know the clients' costs.",
            show_default=f"{MECHANISMS}; with --target plans",
        ),
    ] = None,
    data: Data = "digits",
    folder: Folder = None,
    scenario: Annotated[str, typer.Option(help="Which clients.")] = "mixed",
    clients: Annotated[int, typer.Option(help="How many.", min=1)] = 10,
    budgets: Annotated[
        str | None, typer.Option("--budget", help="USD per round; several with commas.", show_default="0.5 x clients")
    ] = None,
    deadline: Deadline = None,
    rounds: Annotated[
        int | None, typer.Option(help="Rounds at most.", min=1, show_default="30; with --target 100")
    ] = None,
    total: Annotated[float | None, typer.Option(help="USD for a whole job.", min=0)] = None,
    target: Annotated[float | None, typer.Option(help="Test accuracy that ends a job.", min=0, max=1)] = None,
    seeds: Annotated[int, typer.Option(help="How many seeds, each with other clients and data.", min=1)] = 3,
    seed: Annotated[int, typer.Option(help="The first of them.", min=0)] = 0,
    accuracy: Annotated[
        str | None, typer.Option(help="Preset or file of `lefi profile` for this data.", show_default="the data's")
    ] = None,
    size_high: Annotated[
        float | None,
        typer.Option(
            help="Thousand samples that a client owns.", min=0.001, show_default="what is there for each, as measured"
        ),
    ] = None,
    together: Annotated[
        int | None, typer.Option(help="Jobs that train side by side.", show_default="CPU 1, GPU all")
    ] = None,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Where the results go.", show_default="results/train/DATA")] = None,
    trust: Annotated[
        str | None, typer.Option(help="Reference of honest work: clients cheat and are watched.", show_default="off")
    ] = None,
    cheat: Annotated[str, typer.Option(help="With --trust: what cheats do, see `lefi trust train`.")] = "idle",
    cheating: Annotated[float, typer.Option(help="With --trust: the share of clients that cheat.")] = 0.4,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Let mechanisms pay for real federated training and compare the models that come out of it.

    Clients and prices are the scenario's, scaled to what a client owns; they train by the recipe of the accuracy
    preset. Finished jobs are kept: the same command goes on where it stopped. With --total and --target: who gets there
    for the least money, who plans as it goes (`pace`) or the same budget in each of 10 to 100 rounds (`schedule`).

    \b
    Examples:
    lefi train --rounds 10 --clients 5
    lefi train --budget 0.01,0.03,0.1 --seeds 5 --mechanisms uniform,waterfill,price,auction,first_best
    lefi train --data gtsrb --folder gtsrb --size-high 3 --device cuda
    lefi train --total 1 --target 0.6 --mechanisms "pace(price),schedule(price, rounds=20)"
    lefi train --trust digits --cheat idle --cheating 0.4 --clients 20 --rounds 20 --seeds 1 --mechanisms price
    """
    from lefi.profiling.data import load_images
    from lefi.profiling.defaults import measured
    from lefi.profiling.device import choose_device
    from lefi.profiling.measure import data_digest
    from lefi.profiling.train import Trainer

    where, images = choose_device(device), load_images(data, folder)
    known, goal = accuracy or _preset(images.name, data), Goal(total, target)
    about = measured(known)
    owned = size_high or min(about.size_high, len(images.train) / 1000 / clients)
    market = {"scenario": scenario, "accuracy": known, "size_high": owned, "clients": clients, "deadline": deadline}
    orders = Orders(
        mechanisms=_names(mechanisms or goal.mechanisms or MECHANISMS),
        budgets=[total or 0.5 * clients] if budgets is None else list(numbers("budget", budgets)),
        seeds=list(range(seed, seed + seeds)),
        rounds=rounds or (30 if target is None else 100),
        market={name: value for name, value in market.items() if value is not None},
        about={"recipe": asdict(about.recipe), "data": data_digest(images), "device": where.type} | goal.note(),
    )
    orders.of(seed, orders.budgets[0])  # what is wrong with them is said now
    place = options.writable(out or Path("results/train") / images.name)
    options.unless(overwrite, place, other_training(place, asdict(orders)))
    if trust is not None:
        _watched(Suspicion(trust, cheat, cheating), orders, (images, where), place, as_json)
        return
    _report(_trained(orders, Trainer(images, about.recipe, where), together, place), orders, place, as_json)


def _watched(told: Suspicion, orders: "Orders", data: tuple[Any, Any], place: Path, as_json: bool) -> None:
    """Train with clients that cheat, by the recipe of the reference."""
    if unable := sorted(set(orders.mechanisms) & {"oracle", "first_best"}):
        raise InputError("mechanisms", ",".join(unable), "mechanisms that learn, with --trust")
    reference = told.read()
    rows = watched(orders, trainer_of(reference, *data), told, reference)
    train_trust.report(rows, told, place, as_json)


def _preset(name: str, data: str) -> str:
    """The data's own, which must ship with lefi."""
    from lefi.models.presets import shipped

    if name not in shipped():
        raise InputError("accuracy", None, f"the preset of {name}: run `lefi profile --data {data}` first")
    return name


@dataclass(frozen=True)
class Orders:
    """What is to be trained: whatever changes the table."""

    mechanisms: list[str]
    budgets: list[float]
    seeds: list[int]
    rounds: int
    market: dict[str, Any]
    about: dict[str, Any]

    def of(self, seed: int, budget: float) -> "Market":
        """The modelled market of a job."""
        from lefi.world.scaled import scaled_market

        total = self.about.get("total")
        rounds = None if self.target is None else self.rounds  # whoever plans needs to know how many there are
        return scaled_market(**self.market, seed=seed, budget=budget, total=total, rounds=rounds)

    @property
    def target(self) -> float | None:
        return self.about.get("target")


def _trained(orders: Orders, trainer: "Trainer", together: int | None, place: Path) -> "pl.DataFrame":
    """Say how long it will take, and train what is missing."""
    from lefi.cli import show
    from lefi.profiling.loop import train_mechanisms
    from lefi.profiling.probe import samples_per_second
    from lefi.studies.run.runner import Standing

    jobs, clients = len(orders.mechanisms) * len(orders.budgets) * len(orders.seeds), orders.market["clients"]
    side = min(together or (jobs if trainer.device.type == "cuda" else 1), jobs)
    most = 1000 * orders.market["size_high"] * clients * orders.rounds * jobs * trainer.recipe.epochs
    show.estimate(most, samples_per_second(trainer, side, clients), most=True)
    with show.bar("train", "rounds") as tell:
        return train_mechanisms(
            orders.mechanisms,
            orders.of,
            trainer,
            rounds=orders.rounds,
            seeds=orders.seeds,
            budgets=orders.budgets,
            target=orders.target,
            settings={} if orders.target is None else {"target": orders.target, "data": orders.market["accuracy"]},
            together=together,
            kept=place / "groups",
            about=[orders.market, orders.about],
            progress=lambda done, total: tell(Standing(done, total, done / total)),
        )


def other_training(place: Path, orders: dict[str, Any]) -> str | None:
    """What the folder holds already, in words, where that is not this training."""
    import json

    try:
        before = json.loads((place / "manifest.json").read_text(encoding="utf-8"))
        changed = sorted(name for name in orders if before[name] != json.loads(json.dumps(orders[name])))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return "a manifest.json that lefi train did not write"
    return f"a training with other {', '.join(changed)}" if changed else None


def _names(text: str) -> list[str]:
    """Names of mechanisms, checked before anything is trained."""
    from lefi.mechanisms.catalogue import mechanism_of
    from lefi.profiling.loop import KNOWING

    names = options.names(text)
    for name in names:
        if name not in KNOWING:
            mechanism_of(name)
    return names


def _report(table: "pl.DataFrame", orders: Orders, place: Path, as_json: bool) -> None:
    """Write the results and print them."""
    if orders.target is not None:
        report(table, orders.target, asdict(orders), place, as_json)
        return
    _write(table, asdict(orders), place)
    _show(table, place, as_json)


def _write(table: "pl.DataFrame", orders: dict[str, Any], place: Path) -> None:
    from lefi.files import refusals
    from lefi.profiling.measure import write_json, write_table
    from lefi.studies.figures import paid_money, paid_training
    from lefi.studies.figures.style import save, styled

    write_table(table, place / "loop.parquet")
    write_json(orders, place / "manifest.json")
    several = table["budget"].n_unique() > 1
    with styled(), refusals(place):
        figure = (
            paid_money.draw([paid_money.panel(place.name, table)])
            if several
            else paid_training.draw(paid_training.runs(table))
        )
        save(figure, place, "loop")


def _show(table: "pl.DataFrame", place: Path, as_json: bool) -> None:
    """Test accuracy after the last round, and what was paid for it."""
    from lefi.cli import show
    from lefi.profiling.loop import summary

    rows = summary(table)
    if as_json:
        show.print_json({"mechanisms": rows, "rounds": str(place / "loop.parquet")})
        return
    title = "after the last round, mean over seeds"
    shown = show.table(["USD per round", "mechanism"], ["accuracy", "least..most seed", "USD spent", "modelled"], title)
    for row in rows:
        low, high = show.number(row["least"], 3), show.number(row["most"], 3)
        paid, modelled = show.number(row["spent"], 2), show.number(row["modelled"], 3)
        shown.add_row(
            f"{row['budget']:g}", row["mechanism"], show.number(row["accuracy"], 4), f"{low}..{high}", paid, modelled
        )
    console = show.console()
    show.print_table(shown)
    console.print(f"rounds   {place / 'loop.parquet'}\nfigure   {place / 'loop.png'}", soft_wrap=True)
