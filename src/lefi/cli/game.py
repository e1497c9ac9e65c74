"""`lefi game`: what a client gains that looks ahead, what the server loses by it, and where it ends when all do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lefi.cli import options
from lefi.cli.options import AsJson, Budget, Clients, Scenario, Seed
from lefi.errors import InputError, UnknownName

if TYPE_CHECKING:
    import polars as pl

    from lefi.game.tasks import Task

MECHANISMS = "price,auction,posted,contract"


def game(
    mechanisms: Annotated[str, typer.Option(help="Names, or FILE.py:Class, with commas between them.")] = MECHANISMS,
    what: Annotated[
        str, typer.Option(help="What is measured: reply, group, sybils, reentry, iid, equilibrium; with commas.")
    ] = "reply",
    scenario: Scenario = None,
    clients: Clients = None,
    budget: Budget = None,
    rounds: Annotated[int, typer.Option(help="Rounds of a game.", min=1)] = 40,
    fleets: Annotated[int, typer.Option(help="How many fleets.", min=1)] = 1,
    seed: Seed = None,
    players: Annotated[int, typer.Option(help="Clients of a fleet that play, one at a time or as a group.", min=1)] = 2,
    search: Annotated[bool, typer.Option("--search/--grid", help="Search parameters, or only try the grid.")] = True,
    out: Annotated[Path, typer.Option(help="Where the table and the figure go.")] = Path("results/game"),
    as_json: AsJson = False,
) -> None:
    """Measure how mechanisms can be gamed: the best reply over a family of policies, lies, equilibria.

    Every finished game is kept in OUT/game.csv: stop it at any time, and the same command goes on where it stopped.

    \b
    Examples:
    lefi game --mechanisms waterfill --scenario mixed --budget 5 --grid
    lefi game --what reply,group,sybils --scenario paper --budget 0.06
    lefi game --what equilibrium --mechanisms price --players 1
    """
    from lefi.cli import show
    from lefi.game.tasks import KINDS, Task
    from lefi.studies.run.runner import Standing

    kinds = options.names(what)
    for kind in kinds:
        if kind not in KINDS:
            raise UnknownName("what", kind, KINDS)
    count = clients or 10
    money = 0.006 * count if budget is None else budget
    tasks = [
        Task(kind, name, scenario or "paper", count, money, rounds, number, players, search)
        for name in options.names(mechanisms)
        for kind in kinds
        for number in range(seed or 0, (seed or 0) + fleets)
    ]
    path = options.writable(out) / "game.csv"
    with show.bar("game", "games") as tell:
        table = _play(tasks, path, lambda done: tell(Standing(done, len(tasks), done / len(tasks))))
    _show(table, out, as_json)


def _play(tasks: list["Task"], path: Path, tell: Any) -> "pl.DataFrame":
    """The rows of these tasks; those that are in the file already are not played again."""
    import polars as pl

    from lefi.game.tasks import measure

    for done, task in enumerate(tasks):
        tell(done)
        if _stored(path, task) is None:
            new = pl.DataFrame(list(measure(task, _market(task))))
            both = pl.concat([_read(path), new], how="diagonal_relaxed") if path.is_file() else new
            hidden = path.with_name(f".{path.name}")
            both.write_csv(hidden)
            hidden.replace(path)
    tell(len(tasks))
    found = [stored for task in tasks if (stored := _stored(path, task)) is not None]
    return pl.concat(found)


def _read(path: Path) -> "pl.DataFrame":
    import polars as pl

    try:
        return pl.read_csv(path, schema_overrides={"who": pl.String, "policy": pl.String})
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError("table", str(path), f"one that lefi game wrote ({str(error).splitlines()[0]})") from None


def _stored(path: Path, task: "Task") -> "pl.DataFrame | None":
    if not path.is_file():
        return None
    rows = _read(path)
    for name, value in vars(task).items():
        rows = rows.filter(rows[name] == value)
    return rows if rows.height else None


def _market(task: "Task") -> Any:
    import lefi
    from lefi.mechanisms.catalogue import mechanism_of
    from lefi.spelling import spelled

    payment = mechanism_of(spelled(task.mechanism).spec).payment
    return lefi.scenario(task.scenario, clients=task.clients, budget=task.budget, seed=task.seed, payment=payment)


def _show(table: "pl.DataFrame", out: Path, as_json: bool) -> None:
    from lefi.cli import show
    from lefi.studies.figures import gamed
    from lefi.studies.figures.style import save, styled

    told = gamed.compute(table)
    with styled():
        files = save(gamed.draw(told), out, "game")
    if as_json:
        show.print_json({"games": table.to_dicts(), "table": str(out / "game.csv"), "figure": str(files[0])})
        return
    shown = show.table(["mechanism", "what"], ["honest", "adds", "largest", "server loses"], "Can it be gamed?")
    for row in told:
        shown.add_row(
            row.mechanism, row.kind, *(f"{x:.4g}" for x in (row.honest, row.adds, row.most)), f"{row.lost:.1%}"
        )
    console = show.console()
    show.print_table(shown)
    for row in told:
        console.print(f"{row.mechanism} {row.kind}: best {row.policy}", markup=False, style="dim", soft_wrap=True)
    console.print("USD a round; means over games, and the largest of them. Server: share of its gain.", style="dim")
    typer.echo(f"table: {out / 'game.csv'}\nfigure: {files[0]}")
