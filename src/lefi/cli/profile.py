"""`lefi profile`: measure the accuracy and cost models on real federated training."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli import options
from lefi.cli.training import Batch, Data, Device, Epochs, Folder, LearningRate, Model, Momentum, Overwrite, numbers
from lefi.errors import InputError

if TYPE_CHECKING:
    from lefi.profiling.data import Images
    from lefi.profiling.fitting import Fit
    from lefi.profiling.grid import Grid
    from lefi.profiling.learned import Judged
    from lefi.profiling.measure import Measurement


def profile(
    data: Data = "digits",
    folder: Folder = None,
    sizes: Annotated[str | None, typer.Option(help="Sizes in thousand samples, such as 0.5,1,2,4.")] = None,
    iid: Annotated[str | None, typer.Option(help="Degrees of iid, 0..1, such as 0.1,0.5,1.")] = None,
    seeds: Annotated[int | None, typer.Option(help="Repetitions of each cell.", show_default="3; cifar10 5")] = None,
    clients: Annotated[int, typer.Option(help="Clients that train together.")] = 5,
    rounds: Annotated[int, typer.Option(help="Rounds of federated training.")] = 30,
    epochs: Epochs = None,
    learning_rate: LearningRate = None,
    momentum: Momentum = None,
    batch: Batch = None,
    model: Model = None,
    device: Device = "auto",
    together: Annotated[
        int | None, typer.Option(help="Cells that train side by side.", show_default="CPU 1, GPU all")
    ] = None,
    overlap: Annotated[bool, typer.Option("--overlap", help="Clients may hold the same samples.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where the results go.", show_default="results/profile/DATA")] = None,
    overwrite: Overwrite = False,
) -> None:
    """Train over a grid of sizes and iid, fit both models, and write a preset that every command takes.

    It says first how long that will take. Finished cells are kept: stop it at any time, and the same command goes on
    where it stopped. Another measurement in the same folder is not overwritten unless --overwrite says so.

    \b
    Examples:
    lefi profile
    lefi profile --data cifar10 --folder cifar-10-batches-bin --device cuda
    lefi profile --data gtsrb --folder gtsrb --device cuda
    lefi simulate --accuracy results/profile/digits/preset.json
    lefi plan --data results/profile/digits/preset.json --target 0.9
    """
    from lefi.cli import show
    from lefi.profiling.data import load_images
    from lefi.profiling.device import choose_device
    from lefi.profiling.fitting import fit
    from lefi.profiling.measure import measure, other_measurement
    from lefi.studies.run.runner import Standing

    where = choose_device(device)
    images = load_images(data, folder)
    recipe = {"epochs": epochs, "learning_rate": learning_rate, "momentum": momentum, "batch": batch, "model": model}
    given: dict[str, Any] = {"seeds": seeds, "clients": clients, "rounds": rounds, "overlap": overlap}
    grid = _grid(images, recipe, sizes=sizes, iid=iid, **given)
    place = options.writable(out or Path("results/profile") / images.name)
    options.unless(overwrite, place, other_measurement(place, images, grid))
    with show.bar(f"profile {images.name}", "thousand samples") as tell:
        found = measure(
            *(images, grid, place, where),
            together=together,
            estimate=show.estimate,
            progress=lambda done, total: tell(Standing(round(done / 1000), round(total / 1000), done / total)),
        )
    fitted = fit(found.accuracy, found.cost)
    learned = _learned(found)
    _write(images, grid, found, fitted, learned, place)
    _show(found, fitted, learned, place)


def _grid(images: "Images", recipe: dict[str, Any], **given: Any) -> "Grid":
    """The usual grid of the data, with what the user said in its place."""
    from lefi.profiling.defaults import default_grid

    usual = default_grid(images)
    for name in ("sizes", "iid"):
        given[name] = None if given[name] is None else numbers(name, given[name])
    said = {name: value for name, value in given.items() if value is not None}
    trained = {name: value for name, value in recipe.items() if value is not None}
    return replace(usual, **said, recipe=replace(usual.recipe, **trained))


def _learned(found: "Measurement") -> "tuple[Judged, ...]":
    """Accuracy by round, fitted; nothing where the measurement is too small to settle it."""
    from lefi.cli import show
    from lefi.profiling.learned import judged
    from lefi.studies.run.runner import Standing

    try:
        with show.bar("learning", "fits") as tell:
            clients = found.manifest["grid"]["clients"]
            return judged([found.accuracy], clients, lambda done, of: tell(Standing(done, of, done / of)))
    except InputError:
        return ()


def _write(
    images: "Images", grid: "Grid", found: "Measurement", fitted: "Fit", learned: "tuple[Judged, ...]", place: Path
) -> None:
    """The preset and the pictures."""
    import numpy as np

    from lefi.files import refusals
    from lefi.profiling.fitting import preset
    from lefi.profiling.grid import partitioners_of, samples_of
    from lefi.profiling.learned import with_learning
    from lefi.profiling.measure import write_json
    from lefi.studies.figures.measurement import draw_accuracy, draw_cost, draw_labels, draw_learning
    from lefi.studies.figures.style import save, styled

    told = preset(fitted, found.manifest)
    write_json(with_learning(told, learned) if learned else told, place / "preset.json")
    draw = partitioners_of(images, grid)[0].draw
    counts = np.full(grid.clients, samples_of(grid.sizes[-1]))
    with styled(), refusals(place):
        chosen, parts = fitted.accuracy, {iid: draw(counts, iid) for iid in grid.iid}
        save(draw_accuracy(found.accuracy, chosen.model, chosen.rmse_left_out), place, "accuracy")
        save(draw_cost(found.cost, fitted.cost), place, "cost")
        if learned:
            save(draw_learning([found.accuracy], learned[0].learning), place, "learning")
        save(draw_labels({iid: (part.shares, part.distance) for iid, part in parts.items()}), place, "labels")


def _show(found: "Measurement", fitted: "Fit", learned: "tuple[Judged, ...]", place: Path) -> None:
    from lefi.cli import show

    data, grid = found.manifest["data"]["name"], found.manifest["grid"]
    title = f"{data}: {grid['clients']} clients, {grid['rounds']} rounds, {grid['seeds']} seeds"
    table = show.table(["accuracy model"], ["RMSE", "RMSE, cell left out", "rises with size"], title)
    for candidate in fitted.candidates:
        errors = (show.number(candidate.rmse, 4), show.number(candidate.rmse_left_out, 4))
        table.add_row(candidate.model.kind, *errors, "yes" if candidate.rises else "no")
    console = show.console()
    show.print_table(table)
    for name, text in _lines(found, fitted, learned, place):
        console.print(f"{name:<8} {text}", soft_wrap=True)


def _lines(found: "Measurement", fitted: "Fit", learned: "tuple[Judged, ...]", place: Path) -> list[tuple[str, Any]]:
    device, speed = found.manifest["device"], found.manifest["speed"]
    by_round = "not fitted: that takes 3 sizes, 2 degrees of iid and 4 rounds"
    if learned:
        kind, left_out, late = learned[0].learning.kind, learned[0].rmse_left_out, learned[0].rmse_last_rounds
        by_round = f"{kind}, RMSE {left_out:.4f} on cells left out, {late:.4f} on the last rounds left out"
    lines = [
        ("chosen", f"{fitted.accuracy.model.kind}; standard deviation between seeds {fitted.spread:.4f}"),
        ("learning", by_round),
        ("cost", f"{fitted.cost.p:.4g} D + {fitted.cost.q:.4g} TFLOP a round (RMSE {fitted.cost_rmse:.2g})"),
        ("device", f"{device['name']} ({device['kind']})"),
        ("preset", f"{place / 'preset.json'}  (--accuracy of every command)"),
        ("figures", f"{place / 'accuracy.png'}, cost.png, labels.png"),
    ]
    if speed["ratio"] is not None:
        rate = f"{speed['samples_per_second']:,} samples/s, {speed['ratio']:g} times a client-by-client loop"
        lines.insert(3, ("speed", rate))
    if fitted.warning:
        lines.append(("warning", fitted.warning))
    return lines
