"""From measured points to models: the best of five shapes of accuracy, and the cost line.

A shape is judged by leaving out one cell (a pair of size and iid) at a time and predicting it from the others. It is
chosen on every second seed, and the error that is told is that on the other seeds: the choice has not seen them.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.errors import InputError, LefiError
from lefi.models import FittedAccuracy, LinearCost
from lefi.models.accuracy import KINDS
from lefi.models.measurements import final_means

FLAT = -1e-9  # slopes down to this count as level
NOTHING = 1e-9  # of p: a fixed cost below that of a millionth sample is none


@dataclass(frozen=True)
class Candidate:
    """One shape, fitted to all cells, and its error on cells it has not seen."""

    model: FittedAccuracy
    rmse: float
    rmse_left_out: float
    rises: bool


@dataclass(frozen=True)
class Fit:
    """The chosen models with what speaks for them."""

    accuracy: Candidate
    candidates: tuple[Candidate, ...]
    cost: LinearCost
    cost_rmse: float
    spread: float  # standard deviation between seeds, root mean square over cells
    sizes: tuple[float, float]
    iid: tuple[float, float]

    @property
    def warning(self) -> str | None:
        """What a user of the model must know, if anything."""
        if self.accuracy.rises:
            return None
        return f"the fitted accuracy ({self.accuracy.model.kind}) falls with size somewhere in the measured range"


def fit(accuracy: pl.DataFrame, cost: pl.DataFrame) -> Fit:
    """Fit the tables of a measurement (see `lefi.profiling.measure`)."""
    D, pi, A, spread = final_means(accuracy)
    if not np.isfinite(A).all():
        raise LefiError(f"training diverged in {int((~np.isfinite(A)).sum())} of {A.size} cells: no model is fitted")
    candidates = chosen(accuracy)
    line = fit_cost(cost["size"].to_numpy(), cost["tflop"].to_numpy())
    return Fit(
        accuracy=candidates[0],
        candidates=candidates,
        cost=line,
        cost_rmse=line.rmse(cost["size"].to_numpy(), cost["tflop"].to_numpy()),
        spread=float(np.sqrt(np.mean(spread**2))),
        sizes=(float(D.min()), float(D.max())),
        iid=(float(pi.min()), float(pi.max())),
    )


def fit_cost(D: FloatArray, C: FloatArray) -> LinearCost:
    """The line C = p D + q. Counted FLOP have no fixed part: what least squares leaves of it is rounding."""
    line = LinearCost.fit(D, C)
    return line if line.q > NOTHING * line.p else replace(line, q=0.0)


def chosen(table: pl.DataFrame) -> tuple[Candidate, ...]:
    """Every shape fitted to all seeds, the best of the choosing seeds first, with the error on the other seeds."""
    D, pi, A, _ = final_means(table)
    seeds = sorted(table["seed"].unique())
    first, second = (
        final_means(table.filter(pl.col("seed").is_in(half or seeds))) for half in (seeds[::2], seeds[1::2])
    )
    judged = {type(found.model): found for found in fit_accuracy(*second[:3])}
    result = []
    for shape in [type(found.model) for found in fit_accuracy(*first[:3])]:
        model = judged[shape].model.refit(D, pi, A)
        result.append(Candidate(model, rmse(model(D, pi), A), judged[shape].rmse_left_out, rises(model, D, pi)))
    return tuple(result)


def fit_accuracy(D: FloatArray, pi: FloatArray, A: FloatArray) -> tuple[Candidate, ...]:
    """Every shape that the points can settle, the best on left-out cells first."""
    found = []
    for shape in KINDS.values():
        try:
            model = shape.fit(D, pi, A)
            left_out = np.array([_without(model, n, D, pi, A) for n in range(D.size)])
        except InputError:  # too few points for this shape; the linear one needs the fewest
            continue
        found.append(Candidate(model, rmse(model(D, pi), A), rmse(left_out, A), rises(model, D, pi)))
    if not found:
        raise InputError("points", f"{D.size} of them", "at least 2 sizes x 2 iid")
    return tuple(sorted(found, key=lambda candidate: candidate.rmse_left_out))


def _without(model: FittedAccuracy, n: int, D: FloatArray, pi: FloatArray, A: FloatArray) -> float:
    """Accuracy of cell n as predicted from the others."""
    others = np.arange(D.size) != n
    return float(model.refit(D[others], pi[others], A[others])(D[n], pi[n]))


def rises(model: FittedAccuracy, D: FloatArray, pi: FloatArray) -> bool:
    """Whether more data never hurts, anywhere in the measured range."""
    sizes, iid = np.linspace(D.min(), D.max(), 101), np.linspace(pi.min(), pi.max(), 31)
    return bool((model.slope(sizes[:, None], iid[None, :]) >= FLAT).all())


def rmse(predicted: FloatArray, measured: FloatArray) -> float:
    return float(np.sqrt(np.mean((predicted - measured) ** 2)))


def preset(fitted: Fit, manifest: dict[str, Any]) -> dict[str, Any]:
    """The file that `lefi.accuracy`, `lefi.cost` and every command take."""
    return {
        "accuracy": {"kind": fitted.accuracy.model.kind, **fitted.accuracy.model.to_dict()},
        "cost": fitted.cost.to_dict(),
        "fit": {
            "size": fitted.sizes,
            "iid": fitted.iid,
            "spread_between_seeds": fitted.spread,
            "cost_rmse": fitted.cost_rmse,
            "warning": fitted.warning,
            "kinds": {
                c.model.kind: {
                    "rmse": c.rmse,
                    "rmse_left_out": c.rmse_left_out,
                    "rises_with_size": c.rises,
                    "coefficients": asdict(c.model),
                }
                for c in fitted.candidates
            },
        },
        "measured": {name: manifest[name] for name in ("data", "grid", "device")},
    }
