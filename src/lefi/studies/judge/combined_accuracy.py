"""The paper's global accuracy, a sum over clients, against fleets that really trained.

m  (fleets,)  mean over the clients of the fitted A(D_n, pi_n)
a  (fleets,)  test accuracy of the model that the fleet really trained
w = sum m a / sum m^2, least squares through the origin: the paper's global accuracy is w m.
"""

from dataclasses import dataclass

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.studies.judge.statistics import Interval, bootstrap


@dataclass(frozen=True)
class Approximation:
    """w with its interval, and the errors of w m, of m alone, and of the mean accuracy for every fleet."""

    fleets: int
    clients: int
    w: Interval
    rmse: float
    rmse_plain: float
    rmse_constant: float
    correlation: float


def judge_fleets(table: pl.DataFrame) -> Approximation:
    """Estimate w and how wrong the sum is, from one row per client with the accuracy of its fleet."""
    m, a = fleet_means(table)
    w = float(m @ a / (m @ m))
    return Approximation(
        fleets=m.size,
        clients=table.height // m.size,
        w=_interval_of_w(m, a, w),
        rmse=_rms(w * m - a),
        rmse_plain=_rms(m - a),
        rmse_constant=_rms(a - a.mean()),
        correlation=float(np.corrcoef(m, a)[0, 1]),
    )


def fleet_means(table: pl.DataFrame) -> tuple[FloatArray, FloatArray]:
    """m and a."""
    each = table.group_by("fleet").agg(pl.col("modelled").mean(), pl.col("accuracy").first()).sort("fleet")
    return each["modelled"].to_numpy(), each["accuracy"].to_numpy()


def _interval_of_w(m: FloatArray, a: FloatArray, w: float) -> Interval:
    """Fleets are resampled: the ratio of two means, linearised around w."""
    return bootstrap(w + m * (a - w * m) / np.mean(m**2), np.mean)


def _rms(errors: FloatArray) -> float:
    return float(np.sqrt(np.mean(errors**2)))
