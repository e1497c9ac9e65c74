"""The tables of README and docs: each is written between two marks, from numbers.json and the shipped tables.

python -m lefi.studies.report.tables results/paper   after `lefi paper`: writes docs/numbers.json and every table anew,
and takes over the figures that docs show
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from lefi.studies.figures import readings
from lefi.studies.figures.fixed_budget import at_the_end
from lefi.studies.judge.gaming import lead
from lefi.studies.judge.readings import GOAL
from lefi.studies.judge.statistics import median, told
from lefi.studies.report import training_tables
from lefi.studies.report.agents import curve_cells, family_cells
from lefi.studies.report.gaming import replies_cells, settled_cells
from lefi.studies.report.markdown import markdown, marked
from lefi.studies.run.heavy import heavy_table

PAGES = (
    "README.md",
    "docs/paper.md",
    "docs/shape.md",
    "docs/profiling.md",
    "docs/game.md",
    "docs/plan.md",
    "docs/drl.md",
)
KEPT = Path("docs", "numbers.json")
PICTURES = Path("docs", "images")
WHERE = {"convergence": "the paper's setting", "mixed": "mixed speeds and rates"}
MILLI = 1e3
Numbers = dict[str, Any]


def worth(numbers: Numbers) -> str:
    """What a share is worth."""
    rows = [
        [
            f"{WHERE[name]}, {one['fleets']} fleets",
            _three(one["points"], 2),
            *(_three(one["share"][who], 3) for who in ("uniform", "lefi", "waterfill")),
            *(_three(one["dear"][who], 2) for who in ("lefi", "waterfill")),
        ]
        for name, one in numbers["worth"].items()
    ]
    head = ["10 clients, 5 USD", "points of accuracy to gain", "share: `uniform`", "`lefi`", "`waterfill`"]
    return markdown([*head, "`uniform` must pay, for what `lefi` reaches", "for what `waterfill` reaches"], rows)


def spread(_: Numbers) -> str:
    """The range over readings, and pretending, in words."""
    found = readings.compute(heavy_table("readings"))
    low, high = found.spread
    end = at_the_end(heavy_table("pretending")).filter(mechanism="price").sort("holdout")
    kept = [
        f"{told(median(part['share'].to_numpy()), 2)} when all claim {100 * float(holdout[0]):g}% more"
        for holdout, part in end.filter(pl.col("holdout") > 0).partition_by("holdout", as_dict=True).items()
    ]
    return (
        f"Paying just what data costs reaches what the best weights of the paper's curve reach with {GOAL:g} USD for "
        f"**{100 * low:.2g}% to {100 * high:.2g}% of the money**, over readings of beta and theta that agree with "
        f"what the paper reports; in our reading for {100 * found.ours:.2g}%. `price` comes near that, and invites "
        f"pretending: of its gain it keeps {', '.join(kept)}."
    )


def scale(_: Numbers) -> str:
    """Share with many clients, with either budget."""
    table = pl.concat([at_the_end(heavy_table(name)) for name in ("clients_fixed", "clients_many")])
    names = ["lefi", "lefi warm", "lefi usd", "waterfill", "bara", "random", "uniform"]
    rows = []
    for clients, budget in table.select("clients", "budget").unique().sort("budget", "clients").rows():
        here = table.filter(clients=clients, budget=budget)
        shares = [here.filter(mechanism=name)["share"].to_numpy() for name in names]
        over = here.filter(mechanism="lefi usd")["worst"].to_numpy().max()
        cells = [told(median(share), 2) if share.size else "-" for share in shares]
        rows.append([f"{clients:,}", f"{budget:g} USD", *cells, f"{1 + over:,.0f}"])
    head = ["clients", "budget for all", *(f"`{name}`" for name in names), "budgets that `lefi usd` spends, at most"]
    return markdown(head, rows)


def claims(numbers: Numbers) -> str:
    rows = [
        [key, text, verdict + (" (ours)" if own else "")] for key, (text, verdict, own) in numbers["claims"].items()
    ]
    return markdown(["", "claim", "verdict"], rows)


def money(numbers: Numbers) -> str:
    """Accuracy by budget, per way of paying."""
    one = numbers["money"]
    names = sorted(one["accuracy"], key=lambda name: -(one["accuracy"][name][2] or 0.0))
    rows = []
    for name in names:
        cells = ["-" if value is None else f"{value:.3f}" for value in one["accuracy"][name]]
        rows.append([_quoted(name), *cells, _usd(one["needed"].get(name), name)])
    budgets = [f"{budget:g}" for budget in one["budgets"]]
    head = ["accuracy with a budget of", *budgets[:-1], f"{budgets[-1]} USD", f"reaches the curve's {GOAL:g} USD with"]
    return markdown(head, rows)


def deviation(numbers: Numbers) -> str:
    """What clients keep, and what pretending adds, in thousandths of a USD."""
    one = numbers["deviation"]
    rows = [
        [
            _quoted(name),
            f"{MILLI * keep[1]:z.2f} ({MILLI * keep[0]:z.2f} to {MILLI * keep[2]:z.2f})",
            f"{MILLI * one['gain'][name][0]:z.2f} ({MILLI * one['gain'][name][1]:z.2f})",
            f"{MILLI * one['worst'][name]:z.1f}",
        ]
        for name, keep in one["keep"].items()
    ]
    head = ["mechanism", "a client keeps (5th to 95th percentile)", "gain by pretending, median (largest)"]
    return markdown([*head, "worst round of any client"], rows)


def replies(_: Numbers) -> str:
    """What one client gains by looking ahead or lying."""
    head, rows = replies_cells(heavy_table("replies"))
    return markdown(head, [[_quoted(row[0]), *row[1:]] for row in rows])


def settled(_: Numbers) -> str:
    """What is left where clients settle."""
    return markdown(*settled_cells(heavy_table("gaming")))


def truthful(_: Numbers) -> str:
    """What posted is worth beside the controls, over all markets of the study."""
    games = heavy_table("gaming")
    words = [
        f"{told(lead(games, ours, theirs), 2)} over `{theirs}`"
        for ours, theirs in (("posted", "posted(learn=false)"), ("posted", "flat"))
    ]
    return f"Over all these markets `posted` leads by {' and '.join(words)} (paired, of first_best's gain)."


def kernels(_: Numbers) -> str:
    """Share by kernel and lengthscales, early and at the end."""
    table = heavy_table("kernels")
    points = table.select("scenario", "round").unique().sort("scenario", "round", descending=[True, False]).rows()
    rows = []
    for (name,), here in table.partition_by("mechanism", maintain_order=True, as_dict=True).items():
        shares = [here.filter(scenario=scenario, round=round)["share"] for scenario, round in points]
        rows.append([str(name), *(told(median(share.to_numpy()), 3) for share in shares)])
    return markdown(["", *(f"`{scenario}`, round {round}" for scenario, round in points)], rows)


def agents(_: Numbers) -> str:
    """Agents on clients that no training saw."""
    return markdown(*family_cells())


def taught(_: Numbers) -> str:
    """The learning curve of the shipped weights."""
    return markdown(*curve_cells())


BLOCKS: dict[str, Callable[[Numbers], str]] = {
    "worth": worth,
    "spread": spread,
    "scale": scale,
    "claims": claims,
    "money": money,
    "deviation": deviation,
    "replies": replies,
    "settled": settled,
    "truthful": truthful,
    "kernels": kernels,
    "agents": agents,
    "taught": taught,
    "fits": training_tables.fits,
    "overlap": training_tables.overlap,
    "combined": training_tables.combined,
    "paid": training_tables.paid,
    "learned": training_tables.learned,
    "pooled": training_tables.pooled,
}


def written(text: str, numbers: Numbers) -> str:
    """The page with every marked table as the numbers have it."""
    return marked(text, BLOCKS, numbers)


def _three(found: list[float], digits: int) -> str:
    middle, low, high = (np.asarray(value) for value in found)
    return told(type(median(np.zeros(1)))(middle, low, high), digits)


def _quoted(name: str) -> str:
    return name if " of " in name or name == "first_best" else f"`{name}`"


def _usd(value: float | None, name: str) -> str:
    if name == "oracle of the curve":
        return f"{GOAL:g} USD"
    return "-" if name == "first_best" else "not reached" if value is None else f"{value:.2g} USD"


def main(results: Path, root: Path) -> None:
    numbers = json.loads((results / "numbers.json").read_text(encoding="utf-8"))
    (root / KEPT).write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    for page in PAGES:
        path = root / page
        path.write_text(written(path.read_text(encoding="utf-8"), numbers), encoding="utf-8")
    for shown in (root / PICTURES).iterdir():
        drawn = results / "figures" / shown.name
        if drawn.exists():
            shown.write_bytes(drawn.read_bytes())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path())
