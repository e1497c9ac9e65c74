"""The tables of docs/profiling.md and docs/plan.md, from the measurements that ship with lefi."""

import json
from typing import Any

import polars as pl

from lefi.models import learning
from lefi.models.measurements import final_means, fleet_errors, mean_error, shipped_table
from lefi.models.presets import SHIPPED
from lefi.studies.figures import paid_money
from lefi.studies.figures.trained_accuracy import DATA
from lefi.studies.judge.combined_accuracy import judge_fleets
from lefi.studies.judge.statistics import median, told
from lefi.studies.report.markdown import markdown


def fits(_: Any) -> str:
    """The error of each shape on cells that it has not seen, per data set."""
    presets = {data: json.loads((SHIPPED / f"{data}.json").read_text(encoding="utf-8")) for data in (*DATA, "digits")}
    kinds = sorted(presets["cifar10"]["fit"]["kinds"], key=lambda kind: _error(presets["cifar10"], kind))
    rows = [
        [
            kind,
            *(
                f"{_error(preset, kind):.4f}{' (chosen)' if preset['accuracy']['kind'] == kind else ''}"
                for preset in presets.values()
            ),
        ]
        for kind in kinds
    ]
    return markdown(["RMSE, cell left out", *(DATA.get(data, data) for data in presets)], rows)


def _error(preset: dict[str, Any], kind: str) -> float:
    return float(preset["fit"]["kinds"][kind]["rmse_left_out"])


def overlap(_: Any) -> str:
    """Accuracy of CIFAR-10 before and after, at both ends of iid."""
    D, pi, after, _ = final_means(shipped_table("cifar10", "accuracy"))
    before = final_means(shipped_table("cifar10", "overlap"))[2]
    rows = []
    for name, values in (("with overlap", before), ("disjoint", after)):
        cells = [f"{values[(D == size) & (pi == iid)][0]:.3f}" for iid in (0.1, 1.0) for size in (1.0, 4.0, 10.0)]
        rows.append([name, *cells])
    head = [f"{size} thousand, iid {iid}" for iid in ("0.1", "1") for size in (1, 4, 10)]
    return markdown(["CIFAR-10, round 30", *head], rows)


def combined(_: Any) -> str:
    """The paper's sum against trained fleets."""
    rows = []
    for data, name in DATA.items():
        table = shipped_table(data, "fleets")
        for clients in sorted(table["clients"].unique()):
            found = judge_fleets(table.filter(pl.col("clients") == clients))
            errors = (f"{found.rmse:.3f}", f"{found.rmse_constant:.3f}", f"{found.correlation:.2f}")
            rows.append([name, str(clients), str(found.fleets), told(found.w), *errors])
    return markdown(
        ["", "clients", "fleets", "w", "RMSE of w times the mean", "RMSE of one constant", "correlation"], rows
    )


def paid(_: Any) -> str:
    """Really trained accuracy by mechanism and money."""
    rows = []
    for one in paid_money.compute():
        ahead = paid_money.differences(one)
        for name, ends in one.trained.items():
            cells = [told(median(column), 2) for column in ends.T]
            rows.append([DATA[one.data], f"`{name}`", *cells, *ahead.get(name, [""] * len(cells))])
    budgets = [f"{budget:g} USD" for budget in one.budgets]
    return markdown(["", "", *budgets, *(f"ahead of `uniform`, {budget}" for budget in budgets)], rows)


def learned(_: Any) -> str:
    """The errors of accuracy by round, per data set."""
    rows = []
    for data in (*DATA, "digits"):
        preset = json.loads((SHIPPED / f"{data}.json").read_text(encoding="utf-8"))
        found, errors = learning(data), preset["fit"]["learning"]
        cells = [f"{errors[found.kind][name]:.3f}" for name in ("rmse", "rmse_left_out", "rmse_last_rounds")]
        kept = (SHIPPED / data / "unseen.parquet").is_file()
        unseen = f"{mean_error(found, shipped_table(data, 'unseen')):.3f}" if kept else "-"
        rows.append([DATA.get(data, data), found.kind, f"{found.rounds_range[1]:g}", *cells, unseen])
    errors = ["RMSE", "RMSE, cell left out", "RMSE, later half of the rounds left out"]
    return markdown(["", "kind", "rounds", *errors, "mean absolute error, unseen cells"], rows)


def pooled(_: Any) -> str:
    """Clients that differ: pooled, and by the mean over clients."""
    rows = []
    for data, name in DATA.items():
        table = shipped_table(data, "fleets")
        for clients in sorted(table["clients"].unique()):
            own = table.filter(pl.col("clients") == clients)
            errors = fleet_errors(learning(data), own)
            rows.append([name, str(clients), str(own["fleet"].n_unique()), *(f"{error:.3f}" for error in errors)])
    return markdown(["", "clients", "fleets", "RMSE, pooled", "RMSE, mean of A over clients"], rows)
