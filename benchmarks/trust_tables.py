"""The tables of docs/trust.md."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from lefi.studies.report.markdown import markdown

CLIENTS = 20  # of a job
ROUND = ("side by side", "one by one")
Measured = dict[str, Any]  # by the file's name without its ending


def trust(measured: Measured) -> str:
    return _caught(measured["trust"])


def trust_cifar10(measured: Measured) -> str:
    return _caught(measured["trust_cifar10"])


def _caught(rows: list[dict[str, Any]]) -> str:
    """Who is caught by which round, and honest clients that are accused."""
    by = {(row["kind"], row["which"]): row for row in rows}
    modes = list(dict.fromkeys(which for kind, which in by if kind != "honest"))
    cells = []
    for kind in dict.fromkeys(kind for kind, _ in by if kind != "honest"):
        found = [by[kind, mode] for mode in sorted(modes, key=lambda mode: mode != "steady")]
        cells.append([kind, *(" / ".join(f"{row[f'by {last}']:.2f}" for last in (5, 10, 20)) for row in found)])
    honest = [row for (kind, _), row in by.items() if kind == "honest"]
    told = ", ".join(f"{100 * row['by 20']:.2f}% of {row['clients']:,} with {row['which']}" for row in honest)
    clients = sum(row["clients"] for row in honest)
    accused = round(sum(row["clients"] * row["by 20"] for row in honest))
    low, high = scipy.stats.beta.ppf((0.025, 0.975), (accused, accused + 1), (clients - accused + 1, clients - accused))
    head = ["", *(f"{mode}: by 5 / 10 / 20" for mode in sorted(modes, key=lambda mode: mode != "steady"))]
    return (
        markdown(head, cells)
        + f"\n\nFalsely accused over whole jobs: {accused} of {clients:,} honest clients, "
        + f"{100 * accused / clients:.2f}% [{100 * low:.2f}, {100 * high:.2f}] ({told})."
    )


def trust_majority(measured: Measured) -> str:
    """Jobs in which most clients cheat: rounds in which nobody is judged, and who is accused in the others."""
    kinds = dict.fromkeys(row["kind"] for row in measured["trust_majority"])
    cells = []
    for kind in kinds:
        line = [kind]
        for name in ("trust_majority", "trust_majority_cifar10"):
            rows = [row for row in measured[name] if row["kind"] == kind]
            silent = sum(row["rounds silent"] for row in rows) / len(rows)
            honest, cheats = (sum(row[f"{who} accused"] for row in rows) for who in ("honest", "cheats"))
            of_honest = sum(row["honest"] for row in rows)
            of_cheats = CLIENTS * len(rows) - of_honest
            line.append(f"{silent:.0f} / {honest} of {of_honest} / {cheats} of {of_cheats}")
        cells.append(line)
    return markdown(["60% cheat", *(f"{name}: silent / honest / cheats" for name in ("digits", "CIFAR-10"))], cells)


def trust_closed(measured: Measured) -> str:
    """Accuracy and pay of jobs with cheats, believed and watched."""
    cells = [
        [
            f"{row['kind']}, {len(row['gaps'])} fleets",
            *(f"{row[name]:.3f}" for name in ("honest", "believed", "watched", "known")),
            _lacking(row["gaps"]),
            *(f"{100 * row[name]:.0f}%" for name in ("caught", "honest_lost", "kept")),
        ]
        for row in measured["trust_closed"]
    ]
    head = ["", "all honest", "believed", "watched", "known", "watched lacks"]
    return markdown([*head, "cheats accused", "honest accused", "of their pay, cheats keep"], cells)


def trust_paid(measured: Measured) -> str:
    """Jobs with cheats that a mechanism pays: what watching lacks of all honest, by kind, and who is accused."""
    rows = measured["trust_paid"]["rows"]
    cells = []
    for pays in dict.fromkeys((row["mechanism"], row["budget"]) for row in rows):
        own = [row for row in rows if (row["mechanism"], row["budget"]) == pays and row["reference"] == "own"]
        of = f"{100 * own[0]['delivered']:.0f}% -> {100 * np.mean([row['delivered watched'] for row in own]):.0f}%"
        lost, honest = (sum(row[name] for row in own) for name in ("honest_lost", "of"))
        kept = " / ".join(f"{100 * row['kept']:.0f}" for row in own)
        told = [f"{100 * np.mean([row['caught'] for row in own]):.0f}%", f"{100 * lost / honest:.1f}%", f"{kept}%"]
        cells.append(["`{}`, {:g}".format(*pays), of, *(_lacking(row["gaps"]) for row in own), *told])
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    head = ["USD a round", "trained on", *(f"{kind} lacks" for kind in kinds), "cheats accused", "honest accused"]
    return markdown([*head, "of their pay, cheats keep"], cells)


def _lacking(gaps: list[float]) -> str:
    """The mean, and its 95% interval where there are fleets enough for one."""
    mean = f"{np.mean(gaps):.3f}"
    if len(gaps) < 3:
        return mean
    margin = scipy.stats.t.ppf(0.975, len(gaps) - 1) * np.std(gaps, ddof=1) / np.sqrt(len(gaps))
    return f"{mean} [{np.mean(gaps) - margin:.3f}, {np.mean(gaps) + margin:.3f}]"


def trust_controls(measured: Measured) -> str:
    """Who is out by round 20, under each control."""
    by = {(row["control"], row["kind"]): row["by 20"] for row in measured["trust_controls"]}
    kinds = [kind for kind in dict.fromkeys(kind for _, kind in by) if kind != "honest"]
    names = dict.fromkeys(name for name, _ in by)
    cells = [[name, f"{100 * by[name, 'honest']:.1f}%", *(f"{by[name, kind]:.2f}" for kind in kinds)] for name in names]
    return markdown(["", "honest", *kinds], cells)


def trust_cost(measured: Measured) -> str:
    """What weighing costs, beside a round told in three ways."""
    found = measured["trust_cost"]
    other, gpu = (measured[f"trust_cost_{name}"]["cifar10"] for name in ("cifar10", "cifar10_gpu"))
    flower, by = found["flower"], found["hearing by clients"]
    cells = [
        *(_beside("digits, one core", way, found["digits"]["hearing"], found["digits"][way]) for way in ROUND),
        _beside("digits, one core", "a whole round of a Flower job", flower["hearing"][1], flower["round"][1]),
        _beside("CIFAR-10, one core", "one by one", other["hearing"], other["one by one"]),
        _beside("CIFAR-10, one H200", "side by side", gpu["hearing"], gpu["side by side"]),
    ]
    most = max(by, key=int)
    each = ", ".join(f"{1e3 * seconds:.0f} ms at {int(clients):,}" for clients, seconds in by.items())
    watching, wall = 100 * flower["watching"][1] / flower["round"][1], 100 * flower["hearing"][0] / flower["round"][0]
    return (
        markdown(["", "a round of 20 clients that train", "takes", "hearing", "share"], cells)
        + f"\n\nBy clients: {each}; {1e6 * by[most] / int(most):.0f} us for each at {int(most):,}. "
        + f"Once: {1e3 * found['digits']['once']:.0f} ms. In the Flower job hearing is {wall:.1f}% of wall time too; "
        + f"all that watching takes is {watching:.0f}%."
    )


def _beside(what: str, way: str, hearing: float, seconds: float) -> list[str]:
    share = f"{100 * hearing / seconds:.1f}%"
    return [what, way, f"{1e3 * seconds:,.0f} ms", f"{1e3 * hearing:.1f} ms", share]


TABLES: dict[str, Callable[[Measured], str]] = {
    "trust": trust,
    "trust_cifar10": trust_cifar10,
    "trust_closed": trust_closed,
    "trust_controls": trust_controls,
    "trust_cost": trust_cost,
    "trust_majority": trust_majority,
    "trust_paid": trust_paid,
}
