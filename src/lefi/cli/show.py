"""How results look: on a terminal of 80 columns, as a progress bar, as JSON."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np
import typer
from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from lefi.cli.pace import Lines, Pace, spelled
from lefi.studies.judge.statistics import Interval
from lefi.studies.run.runner import Standing

WIDTH = 80
LEAST = 9  # columns to which labels are folded: the word "mechanism"
UNFOLDED = 10_000  # columns, wider than any table


class Tell(Protocol):
    """Moves a bar."""

    def __call__(self, standing: Standing, note: str = "") -> None: ...


def console() -> Console:
    """Standard output; at most 80 columns wide, so that tables look the same everywhere."""
    terminal = Console(highlight=False)
    return terminal if terminal.width <= WIDTH else Console(highlight=False, width=WIDTH)


def table(labels: list[str], numbers: list[str], title: str) -> Table:
    """A plain table: labels to the left, numbers to the right. Labels that are too long are folded."""
    result = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in labels:
        result.add_column(column, overflow="fold")
    for column in numbers:
        result.add_column(column, justify="right", no_wrap=True)
    return result


def print_table(table: Table) -> None:
    """The table with all its numbers: columns move together first, then labels are folded, then it is wider."""
    usual = console()
    if _whole(usual, table) > usual.width:
        table.padding = 0
    labels = [max(_widths(column.header, *column.cells)) for column in table.columns if not column.no_wrap]
    least = _whole(usual, table) - sum(max(width - LEAST, 0) for width in labels)
    width = max(usual.width, least)
    (usual if width == usual.width else Console(highlight=False, width=width)).print(table)


def _whole(console: Console, table: Table) -> int:
    """Columns of the terminal that the table needs when nothing is folded."""
    return Measurement.get(console, console.options.update(width=UNFOLDED), table).maximum


def _widths(*cells: Any) -> Iterator[int]:
    return (cell_len(line) for cell in cells for line in Text.from_markup(str(cell)).plain.split("\n"))


@contextmanager
def bar(what: str, unit: str, clock: Callable[[], float] = time.monotonic) -> Iterator["Tell"]:
    """Progress on stderr: a bar with a note beside its name where that is a terminal, otherwise a line now and then."""
    errors = Console(stderr=True, highlight=False, soft_wrap=True)
    pace = Pace(clock)
    lines = Lines(what, unit, lambda line: errors.print(line, markup=False), pace)
    with Progress(*_columns(unit, pace), console=errors, transient=True, disable=not errors.is_terminal) as progress:
        task = progress.add_task(what, total=1.0, done=0, total_runs="?")

        def tell(standing: Standing, note: str = "") -> None:
            pace.tell(standing)
            if not errors.is_terminal:
                lines.step()
            name = f"{what} {note}".rstrip()
            progress.update(
                task, description=name, completed=standing.share, done=standing.done, total_runs=standing.total
            )

        yield tell
    lines.end()


def estimate(samples: float, rate: float, most: bool = False) -> None:
    """How long training will take, said on stderr before it begins."""
    words = (
        f"{'at most ' if most else ''}{samples / 1e6:,.3g} million samples to train on, {rate:,.3g} in a second here"
    )
    Console(stderr=True, highlight=False, soft_wrap=True).print(
        f"{words}: about {spelled(samples / rate)}", markup=False
    )


def _columns(unit: str, pace: Pace) -> list[ProgressColumn]:
    class Left(ProgressColumn):
        """What is left, also between two steps."""

        def render(self, task: Task) -> Text:
            left = pace.left()
            return Text("" if left is None else f"{spelled(left)} left")

    return [
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[done]}/{task.fields[total_runs]} " + unit),
        TimeElapsedColumn(),
        Left(),
    ]


def number(value: float, digits: int = 3) -> str:
    return f"{value:.{digits}f}" if np.isfinite(value) else "-"


def with_interval(interval: Interval, digits: int = 3, between: str = "\n") -> str:
    """The middle, and the interval under or beside it."""
    low, high = number(float(interval.low), digits), number(float(interval.high), digits)
    return f"{number(float(interval.middle), digits)}{between}[dim]{low}..{high}[/dim]"


def print_json(value: Any) -> None:
    typer.echo(json.dumps(plain(value), indent=1, allow_nan=False))


def plain(value: Any) -> Any:
    """The value in what JSON has: NaN and infinities become null."""
    if isinstance(value, Interval):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
