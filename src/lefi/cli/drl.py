"""`lefi drl`: train the network of mechanism `drl` on drawn markets."""

from pathlib import Path
from typing import Annotated

import typer

drl = typer.Typer(no_args_is_help=True, help="The agent of mechanism drl: train it.", rich_markup_mode="rich")


@drl.callback()
def main() -> None:
    """A command of its own beside those that may follow."""


@drl.command()
def train(
    steps: Annotated[
        float, typer.Option(help="Interactions in all: a round of one market is one.", min=1, max=1e12)
    ] = 1e6,
    out: Annotated[Path, typer.Option(help="The file of weights; a training there goes on.")] = Path("weights.npz"),
    seed: Annotated[
        int | None, typer.Option(help="Of a new training.", min=0, show_default="0, or that of the file")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Processes. The weights are the same with any number.", min=1)] = 1,
) -> None:
    """Train the network of drl on drawn markets and write a file for drl(weights=FILE).

    The file also keeps the learning curve, and where the training stands: the same command with more --steps goes on.
    A million interactions take about a minute of one core.

    \b
    Examples:
    lefi drl train --steps 1e6 --out weights.npz
    lefi simulate --scenario mixed --mechanism "drl(weights='weights.npz')"
    """
    from lefi.cli import show
    from lefi.cli.options import writable
    from lefi.gym.policy_gradient import Recipe
    from lefi.gym.train import train as trained
    from lefi.studies.run.runner import Standing

    writable(out.parent)
    with show.bar("train", "interactions") as tell:
        reached = trained(
            steps,
            out,
            None if seed is None else Recipe(seed=seed),
            jobs,
            lambda done, total, reward: tell(Standing(done, total, done / total), f"reward {reward:.4f}"),
        )
    (first, begun), (last, ended) = reached.curve[0], reached.curve[-1]
    show.console().print(
        f"reward   {begun:.4f} after {first:,.0f} interactions, {ended:.4f} after {last:,.0f}\nweights  {out}",
        soft_wrap=True,
    )
