"""Options of the commands that train for real."""

from pathlib import Path
from typing import Annotated

import typer

from lefi.errors import InputError

Data = Annotated[str, typer.Option(help="digits, cifar10, gtsrb, or an .npz with images and labels.")]
Folder = Annotated[Path | None, typer.Option(help="Where the files of cifar10 or gtsrb lie.")]
Device = Annotated[str, typer.Option(help="auto, cpu or cuda.")]
Epochs = Annotated[int | None, typer.Option(help="Local epochs per round.", min=1, show_default="1; digits 2")]
LearningRate = Annotated[float | None, typer.Option(help="Of SGD.", min=0, show_default="0.01; digits 0.03")]
Momentum = Annotated[float | None, typer.Option(help="Of SGD.", min=0, max=1, show_default="0.9")]
Batch = Annotated[int | None, typer.Option(help="Samples per step.", min=1, show_default="64; digits 8")]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace other results in the same folder.")]
Model = Annotated[
    str | None,
    typer.Option(help="A torch.nn.Module factory, as package.module:factory.", show_default="a small CNN"),
]


def numbers(name: str, text: str) -> tuple[float, ...]:
    """A comma list of numbers, in rising order."""
    try:
        return tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        raise InputError(name, text, "numbers with commas between them, such as 0.5,1,2") from None
