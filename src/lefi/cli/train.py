"""`lefi train`: mechanisms pay clients that train for real; the accuracy is that of the model they trained."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli import options
from lefi.cli.options import AsJson, Budget, Clients, Deadline
from lefi.cli.training import Data, Device, Folder
from lefi.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from lefi.world.market import Market

MECHANISMS = "waterfill,lefi,uniform,oracle"


def train(
    mechanisms: Annotated[str, typer.Option(help="Names with commas; `oracle` knows the clients' costs.")] = MECHANISMS,
    data: Data = "digits",
    folder: Folder = None,
    scenario: Annotated[str, typer.Option(help="Which clients.")] = "mixed",
    clients: Clients = None,
    budget: Budget = None,
    deadline: Deadline = None,
    rounds: Annotated[int, typer.Option(help="Rounds of federated training.", min=1)] = 30,
    seeds: Annotated[int, typer.Option(help="How many seeds, each with other clients and data.", min=1)] = 3,
    accuracy: Annotated[
        str | None, typer.Option(help="Preset or file of `lefi profile` for this data.", show_default="the data's")
    ] = None,
    device: Device = "auto",
    out: Annotated[Path | None, typer.Option(help="Where the results go.", show_default="results/train/DATA")] = None,
    as_json: AsJson = False,
) -> None:
    """Let mechanisms pay for real federated training and compare the models that come out of it.

    Clients and prices are the scenario's; its sizes and rates are scaled to the range that the accuracy preset was
    measured over, and clients train by the recipe of that measurement.

    \b
    Examples:
    lefi train --rounds 10 --clients 5
    lefi train --data cifar10 --folder cifar-10-batches-bin --mechanisms lefi,uniform,oracle
    """
    from lefi.cli import show
    from lefi.models.presets import shipped
    from lefi.profiling.data import load_images
    from lefi.profiling.defaults import measured
    from lefi.profiling.device import choose_device
    from lefi.profiling.loop import train_mechanisms
    from lefi.profiling.train import Trainer
    from lefi.studies.run.runner import Standing

    where = choose_device(device)
    images = load_images(data, folder)
    known = accuracy or (images.name if images.name in shipped() else None)
    if known is None:
        raise InputError("accuracy", None, f"the preset of {images.name}: run `lefi profile --data {data}` first")
    chosen = _names(mechanisms)
    about = measured(known)
    given = {"clients": clients, "budget": budget, "deadline": deadline}
    market = {name: value for name, value in given.items() if value is not None}
    place = options.writable(out or Path("results/train") / images.name)
    with show.bar("train", "rounds") as tell:
        table = train_mechanisms(
            chosen,
            lambda seed: scaled_market(scenario, known, about.size_high, seed=seed, **market),
            Trainer(images, about.recipe, where),
            rounds=rounds,
            seeds=range(seeds),
            progress=lambda done, total: tell(Standing(done, total, done / total)),
        )
    _write(table, place)
    _show(table, place, as_json)


def scaled_market(scenario: str, accuracy: str, size_high: float, **settings: Any) -> "Market":
    """The scenario with sizes up to `size_high`: rates and cost per sample grow as the sizes shrink.

    A full delivery then costs and earns what it does in the paper, whose sizes go up to 10 thousand.
    """
    from lefi.models import LinearCost, cost
    from lefi.profiling.defaults import SIZE_HIGH
    from lefi.world.drawn import Settings
    from lefi.world.scenarios import SCENARIOS
    from lefi.world.scenarios import scenario as make_market

    factor = SIZE_HIGH / size_high
    paper = cost("paper")
    usual = (own if isinstance(own := SCENARIOS.get(scenario), dict) else {}).get("rate", Settings().rate)
    low, high = usual if isinstance(usual, tuple) else (usual, usual)
    scaled: dict[str, Any] = {"rate": (low * factor, high * factor), "cost": LinearCost(paper.p * factor, paper.q)}
    return make_market(scenario, accuracy=accuracy, size_high=size_high, **scaled, **settings)


def _names(text: str) -> list[str]:
    """Names of mechanisms, checked before anything is trained."""
    from lefi.mechanisms.catalogue import mechanism_of
    from lefi.optimum import ORACLE

    names = options.names(text)
    for name in names:
        if name != ORACLE:
            mechanism_of(name)
    return names


def _write(table: "pl.DataFrame", place: Path) -> None:
    from lefi.files import refusals
    from lefi.profiling.measure import write_table
    from lefi.studies.figures import paid_training
    from lefi.studies.figures.style import save, styled

    write_table(table, place / "loop.parquet")
    with styled(), refusals(place):
        save(paid_training.draw(paid_training.runs(table)), place, "loop")


def _show(table: "pl.DataFrame", place: Path, as_json: bool) -> None:
    """Test accuracy after the last round, and what was paid for it."""
    from lefi.cli import show
    from lefi.profiling.loop import summary

    rows = summary(table)
    if as_json:
        show.print_json({"mechanisms": rows, "rounds": str(place / "loop.parquet")})
        return
    title = "after the last round, mean over seeds"
    shown = show.table(["mechanism"], ["accuracy", "least..most seed", "USD spent", "modelled"], title)
    for row in rows:
        low, high = show.number(row["least"], 3), show.number(row["most"], 3)
        paid, modelled = show.number(row["spent"], 2), show.number(row["modelled"], 3)
        shown.add_row(row["mechanism"], show.number(row["accuracy"], 4), f"{low}..{high}", paid, modelled)
    console = show.console()
    console.print(shown)
    console.print(f"rounds   {place / 'loop.parquet'}\nfigure   {place / 'loop.png'}", soft_wrap=True)
