"""`lefi simulate --engine`: a fleet in partitions, one line at the end of each round, and where the receipts are."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lefi.errors import InputError

if TYPE_CHECKING:
    from lefi.studies.plan.one_run import Run


def simulate_parts(
    given: dict[str, Any],
    values: dict[str, Any],
    engine: str,
    partitions: int | None,
    every: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Play a run in partitions, and show what it came to."""
    from lefi.cli import show
    from lefi.cluster import opened, play_parts
    from lefi.cluster.driver import EVERY
    from lefi.studies.run.runner import Standing

    if out is None:
        raise InputError("out", None, "a folder, with --engine: each partition writes its receipts there")
    if "total" in given:
        raise InputError("total", given["total"], "left out with --engine")
    run = _run(given, values)
    spec = _spec(run, partitions)
    rows = []
    with opened(engine) as found, show.bar(run.mechanism, "rounds") as tell:
        for row in play_parts(spec, out, found, rounds=run.rounds, every=EVERY if every is None else every):
            rows.append(row)
            tell(
                Standing(row["round"], run.rounds, row["round"] / run.rounds),
                f"accuracy {row['accuracy']:.4f}, paid {row['paid']:.6g} USD",
            )
    told = _told(run, spec.partitions, rows, out)
    if as_json:
        show.print_json(told)
        return
    for name, value in told.items():
        show.console().print(f"{name:<10} {value if isinstance(value, str) else show.number(value, 4)}")


def _run(given: dict[str, Any], values: dict[str, Any]) -> "Run":
    """The run that is meant. It is built with one client: the fleet is drawn by the workers, and not here."""
    from lefi.studies.plan.study import Study
    from lefi.world.scenarios import CLIENTS

    run = Study.build({"name": "simulate", "seeds": 1} | given | values | {"clients": 1}).runs()[0]
    clients = given.get("clients", CLIENTS)
    return replace(run, clients=clients, budget=given.get("budget", run.budget * clients))


def _spec(run: "Run", partitions: int | None) -> Any:
    from lefi.cluster import Spec, usual_partitions

    return Spec(
        mechanism=run.spec,
        scenario=run.scenario,
        clients=run.clients,
        budget=run.budget,
        deadline=run.deadline,
        seed=run.seed,
        partitions=usual_partitions(run.clients) if partitions is None else partitions,
        settings=run.settings,
        mechanism_settings=run.mechanism_settings,
    )


def _told(run: "Run", partitions: int, rows: list[dict[str, Any]], out: Path) -> dict[str, Any]:
    last = rows[-1]
    return {
        "played": f"{run.mechanism}, {run.scenario}: {run.clients} clients in {partitions} partitions, seed {run.seed}",
        "round": float(last["round"]),
        "accuracy": last["accuracy"],
        "paid": last["paid"],
        "budget": run.budget,
        "spent": sum(row["paid"] for row in rows),
        "overspend": max(max(row["paid"] / row["budget"] - 1, 0.0) for row in rows),
        "receipts": str(out / "receipts"),
    }
