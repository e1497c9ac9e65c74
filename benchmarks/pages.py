"""The tables of docs that benchmarks measure: each is written between two marks, from docs/measured.

    python -m benchmarks.pages [results/bench]   takes the JSON files found there, and writes every table anew

bench.json comes from `make bench` and serve.json from `python benchmarks/serve.py`, on a machine that does nothing
else, flower.json, drl.json, price.json and target.json from the modules of that name, plan.json from `lefi plan`,
trust.json and trust_cifar10.json from `python -m benchmarks.trust judge`, those of majorities from
`... judge --sets majority`, trust_closed.json from `... closed`, trust_controls.json, trust_paid.json and
trust_cost.json from the modules of that name, gpu.json from `python benchmarks/gpu.py` on a machine with a GPU,
cluster.json and forever.json from the modules of that name. A test compares the pages with docs/measured.
"""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import cluster, forever, speed_tables, trust_tables
from benchmarks.price import GOALS, SHARED
from lefi.studies.report.markdown import markdown, marked

PAGES = (
    "README.md",
    "docs/cluster.md",
    "docs/surrogate.md",
    "docs/shape.md",
    "docs/plan.md",
    "docs/trust.md",
    "docs/service.md",
    "docs/flower.md",
    "docs/drl.md",
)
KEPT = Path("docs", "measured")
PICTURE = "speed.png"
POWER = "src/lefi/trust/power.json"  # what `lefi trust plan` reads
TRUST = (
    *("trust.json", "trust_cifar10.json", "trust_closed.json", "trust_controls.json", "trust_cost.json"),
    *("trust_majority.json", "trust_majority_cifar10.json", "trust_paid.json"),
    *("trust_cost_cifar10.json", "trust_cost_cifar10_gpu.json"),
)
FILES = (
    *("bench.json", "serve.json", "gpu.json", "price.json"),
    *("plan.json", "target.json", "flower.json", "drl.json", "cluster.json", "forever.json"),
    *TRUST,
)
Measured = dict[str, Any]  # by the file's name without its ending


def gpu(measured: Measured) -> str:
    """Milliseconds of a step on the device."""
    by = {(row["kernel"], row["storage"]): row for row in measured["gpu"]}
    kernels = dict.fromkeys(row["kernel"] for row in measured["gpu"])
    cells = [
        [
            kernel,
            f"{by[kernel, 'float64']['step_ms']:.1f} ms",
            f"{by[kernel, 'float64']['copies']:.1f}",
            f"{by[kernel, 'float32']['step_ms']:.1f} ms",
        ]
        for kernel in kernels
    ]
    return markdown(["kernel", "float64 step", "copies", "float32 step"], cells)


def price(measured: Measured) -> str:
    """`price` against first_best, and against the curve with 5 USD."""
    cells = []
    for one in measured["price"]:
        shares = [
            cell
            for budget in SHARED
            for cell in (
                "{:.3f}, {:.3f}".format(*one["shares"][str(budget)][:2]),
                f"{one['shares'][str(budget)][2]:.2f}",
            )
        ]
        goals = ["{} ({})".format(*one["goals"][str(budget)]) for budget in GOALS]
        cells.append([f"{one['scenario']}, {one['clients']}", *shares, *goals])
    head = [word for budget in SHARED for word in (f"{budget:g} USD", "flat")]
    goals = [f"{budget:g} USD reaches the curve's 5 USD in round {round}" for budget, round in GOALS.items()]
    return markdown(["scenario, clients", *head, *goals], cells)


def plans(measured: Measured) -> str:
    """The plans: the cheapest way to the target, the best for the sum."""
    rows = []
    for one in measured["plan"]["plans"]:
        aim = f"for {one['total']:g} USD" if one["target"] is None else f"to {one['target']:g}"
        spans = ["{middle:.3g} [{low:.3g}, {high:.3g}]".format(**one[name]) for name in ("cost", "accuracy")]
        rows.append([f"{one['payment']} {aim}", str(one["rounds"]), f"{one['budget']:.3g}", *spans])
    return markdown(["", "rounds", "USD a round", "USD in all", "accuracy"], rows)


def same_target(measured: Measured) -> str:
    """What the target costs in other numbers of rounds."""
    told = [one for one in measured["plan"]["plans"] if one["target"] is not None]
    rounds = sorted({int(t) for one in told for t in one["others"]})
    rows = [
        [
            f"{one['payment']} to {one['target']:g}, USD in all",
            *("-" if (cost := one["others"][str(t)]) is None else f"{cost:.3g}" for t in rounds),
        ]
        for one in told
    ]
    return markdown(["", *(f"{t} round{'s' * (t > 1)}" for t in rounds)], rows)


def target(measured: Measured) -> str:
    """Money until a target was first reached, really trained."""
    rows = []
    for one in measured["target"]:
        best = one["mechanisms"][0]["best_constant"]
        for way in one["mechanisms"]:
            if way["mechanism"].startswith("schedule") and way["mechanism"] not in (best, way["paper"]):
                continue
            usd = "never" if way["usd"][0] is None else _with_interval(way["usd"])
            factors = [_with_interval(way[name]) for name in ("against_best_constant", "against_paper")]
            reached = f"{way['reached']} of {way['seeds']}"
            rows.append([f"{one['data']} to {one['target']:g}", f"`{way['mechanism']}`", reached, usd, *factors])
    return markdown(
        ["", "mechanism", "seeds that reach it", "USD", "times the best plan", "times the paper's way"], rows
    )


def _with_interval(found: list[float | None] | None) -> str:
    if found is None or found[0] is None:
        return "-"
    middle, low, high = (f"{value:.2f}" if value is not None else "never" for value in found)
    return f"{middle} [{low}, {high}]"


def interactions(measured: Measured) -> str:
    """Seconds of a million interactions."""
    head = {"markets as arrays": "drawn markets as arrays", "training": "with training", "lefi.play": "by `lefi.play`"}
    return markdown(
        [head[name] for name in measured["drl"]], [[f"{value:,.0f} s" for value in measured["drl"].values()]]
    )


def wrapped(measured: Measured) -> str:
    """What wrapping a strategy costs, by kind of job."""
    cells = [
        [
            f"{job['clients']:,}",
            str(job["epochs"]),
            str(job["rounds"]),
            *(_more(job[clock]["ratio"]) for clock in ("wall", "CPU")),
            f"{1000 * job['CPU']['each']:.2f} ms",
        ]
        for job in measured["flower"]
    ]
    return markdown(["clients", "epochs", "rounds", "wall time", "CPU time", "CPU time of a client and round"], cells)


def _more(ratio: list[float]) -> str:
    middle, low, high = (f"{100 * (value - 1):+.1f}%" for value in ratio)
    return f"{middle} [{low}, {high}]" if low != high else middle


SPEED = ("per_client", "equal_fleets", "fitted", "copies", "whole", "million", "service")
BLOCKS: dict[str, Callable[[Measured], str]] = {
    "gpu": gpu,
    "price": price,
    "plans": plans,
    "same_target": same_target,
    "target": target,
    "interactions": interactions,
    "wrapped": wrapped,
    **trust_tables.TABLES,
    **cluster.BLOCKS,
    **forever.TABLES,
    **{name: getattr(speed_tables, name) for name in SPEED},
}


def read(root: Path) -> Measured:
    return {Path(name).stem: json.loads((root / KEPT / name).read_text(encoding="utf-8")) for name in FILES}


def main(found: Path | None, root: Path) -> None:
    for name in FILES:
        if found is not None and (found / name).is_file():
            shutil.copyfile(found / name, root / KEPT / name)
    if found is not None and (found / PICTURE).is_file():
        shutil.copyfile(found / PICTURE, root / "docs" / "images" / PICTURE)
    shutil.copyfile(root / KEPT / "trust.json", root / POWER)
    measured = read(root)
    for page in PAGES:
        path = root / page
        path.write_text(marked(path.read_text(encoding="utf-8"), BLOCKS, measured), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None, Path())
