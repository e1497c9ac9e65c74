"""`lefi train --trust`: the same training with clients that cheat, believed and watched."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lefi.errors import InputError, LefiError, UnknownName

if TYPE_CHECKING:
    from lefi.cli.train import Orders
    from lefi.profiling.data import Images
    from lefi.profiling.paid_job import Paid
    from lefi.profiling.train import Trainer
    from lefi.trust import Reference

WAYS = ("honest", "believed", "watched")


@dataclass(frozen=True)
class Suspicion:
    """What --trust, --cheat and --cheating say: the reference, what cheats do, and how many of the clients cheat."""

    reference: str
    cheat: str
    share: float

    def read(self) -> "Reference":
        from lefi.profiling.cheats import KINDS
        from lefi.trust import Reference

        if self.cheat not in KINDS:
            raise UnknownName("cheat", self.cheat, KINDS)
        if not 0 < self.share < 0.5:
            raise InputError("cheating", self.share, "above 0 and below 0.5: most clients must work")
        return Reference.read(self.reference)


def trainer_of(reference: "Reference", images: "Images", device: Any) -> "Trainer":
    """Clients train as those of the reference did: it holds for no other."""
    from lefi.profiling.train import Recipe, Trainer

    recipe = reference.about.get("recipe")
    if not isinstance(recipe, dict):
        raise LefiError("the reference does not say how its clients trained: make one by `lefi trust calibrate --data`")
    return Trainer(images, Recipe(**recipe), device)


def watched(orders: "Orders", trainer: "Trainer", told: Suspicion, reference: "Reference") -> list[dict[str, Any]]:
    """For each budget and mechanism, means over seeds: all honest, cheats believed, cheats watched."""
    rows = []
    for budget in orders.budgets:
        for mechanism in orders.mechanisms:
            found: dict[str, list[Paid]] = {way: [] for way in WAYS}
            for seed in orders.seeds:
                for way in WAYS:
                    found[way].append(_played(orders, trainer, told, reference, (mechanism, budget, seed, way)))
            rows.append({"budget": budget, "mechanism": mechanism} | _means(found))
    return rows


def _means(found: "dict[str, list[Paid]]") -> dict[str, Any]:
    row: dict[str, Any] = {}
    for way, jobs in found.items():
        row |= {f"accuracy {way}": float(np.mean([job.accuracy for job in jobs]))}
        row |= {f"USD {way}": float(np.mean([job.spent for job in jobs]))}
    row |= {f"cheats {way}": float(np.mean([job.kept for job in found[way]])) for way in ("believed", "watched")}
    row["honest accused"] = sum(job.honest_lost for job in found["watched"])
    row["silent"] = next((job.silent for job in found["watched"] if job.silent), None)
    return row


def _played(
    orders: "Orders", trainer: "Trainer", told: Suspicion, reference: "Reference", one: tuple[str, float, int, str]
) -> "Paid":
    from lefi.mechanisms import make
    from lefi.mechanisms.catalogue import mechanism_of
    from lefi.profiling.cheats import Fleet
    from lefi.profiling.paid_job import PaidJob, pay
    from lefi.trust import Trust

    mechanism, budget, seed, way = one
    low, high = (int(bound) for bound in reference.about["claims"])
    fleet = Fleet(clients=orders.market["clients"], kind=told.cheat, share=told.share, sizes=(low + 10, high))
    fleet = replace(fleet, kind="honest") if way == "honest" else fleet
    market = orders.of(seed, budget).taking(mechanism_of(mechanism).payment)
    job = PaidJob(trainer, fleet, seed, market, make(mechanism, market.terms, seed=seed), low)
    return pay(job, orders.rounds, Trust(reference, job.layout) if way == "watched" else None)


def report(rows: list[dict[str, Any]], told: Suspicion, place: Path, as_json: bool) -> None:
    """Write what was found, and print it."""
    from lefi.cli import show
    from lefi.profiling.measure import write_json

    write_json({"rows": rows}, place / "trust.json")
    if as_json:
        show.print_json({"rows": rows, "table": str(place / "trust.json")})
        return
    title = f"{100 * told.share:.0f}% {told.cheat}: accuracy, and the share of the money that cheats get and keep"
    table = show.table(["USD", "mechanism"], [*WAYS, "get", "keep"], title)
    for row in rows:
        cells = [show.number(row[f"accuracy {way}"], 3) for way in WAYS]
        kept = [f"{100 * row[f'cheats {way}']:.1f}%" for way in ("believed", "watched")]
        table.add_row(f"{row['budget']:g}", row["mechanism"], *cells, *kept)
    console = show.console()
    show.print_table(table)
    for why in dict.fromkeys(row["silent"] for row in rows if row["silent"]):
        console.print(f"nobody was judged in the last round: {why}", soft_wrap=True, markup=False)
    console.print(f"rows     {place / 'trust.json'}", soft_wrap=True)
