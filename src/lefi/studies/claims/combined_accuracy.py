"""Checks on real training: the tables that ship with lefi, measured once on a GPU."""

import polars as pl

from lefi.models.measurements import shipped_table
from lefi.studies.claims.claim import Finding, spelled
from lefi.studies.judge.combined_accuracy import judge_fleets
from lefi.studies.judge.statistics import told
from lefi.studies.run.results import Results

PAPER_RMSE = 0.03  # of the paper's own regression


def combined_accuracy(_: Results) -> Finding:
    """The paper's eq. (accuracy): global accuracy is w times the mean of the clients' A(D, pi)."""
    table = shipped_table("cifar10", "fleets")
    words, parts, reasons = [], [], []
    numbers: dict[str, float] = {}
    for clients in sorted(table["clients"].unique()):
        found = judge_fleets(table.filter(pl.col("clients") == clients))
        words.append(
            f"{found.fleets} fleets of {clients}: w {told(found.w)}, RMSE {found.rmse:.3f} (one constant for all "
            f"fleets: {found.rmse_constant:.3f}), correlation {found.correlation:.2f}"
        )
        parts += [found.rmse <= PAPER_RMSE, found.rmse < found.rmse_constant]
        if not parts[-2]:
            reasons.append(f"with {clients} clients the sum misses by more than the paper's regression does")
        if not parts[-1]:
            reasons.append(f"with {clients} clients it tells fleets apart no better than a constant")
        numbers |= spelled(f"w_{clients}", found.w) | {f"rmse_{clients}": found.rmse}
    return Finding("; ".join(words), parts, reasons, numbers)
