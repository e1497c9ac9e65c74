"""From accuracy by round to `lefi.learning`: three kinds fitted, one chosen, its errors told.

A kind is judged by leaving out one cell (a pair of size and iid) at a time with all its rounds. It is chosen on every
second seed, and the errors that are told are those on the other seeds. A second error leaves out the last rounds: the
fit sees the first half of the rounds and is asked for the rest.
`python -m lefi.profiling.learned` fits the measurements that ship with lefi again, writes their presets, and says how
far off they are on tables of cells that nothing was chosen on (`unseen.parquet`).
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
import scipy

from lefi.arrays import FloatArray
from lefi.draws import generator
from lefi.errors import InputError
from lefi.models.learning import COEFFICIENTS, KINDS, POSITIVE, Learning
from lefi.models.measurements import mean_error
from lefi.models.presets import SHIPPED, shipped
from lefi.profiling.measure import write_json

PER_DOUBLING = 2  # rounds that count, between one and twice as many: late rounds say little that is new
STEPS = 30  # of a search: half as many find the shipped fits; points that settle nothing would go on for ever
RESAMPLES = 20  # fits to seeds drawn again; an interval over them runs from the least to the most
LEAST, MOST = 1e-3, 1e3  # of the middle size: bounds of `half`
WIDE = {"bend": (0.2, 5), "pull": (0, 4), "skew": (-4, 4), "power": (0.2, 8), "floor": (0, 0.5)}


@dataclass(frozen=True)
class Points:
    """Means over seeds, one row per measured cell and round that counts."""

    size: FloatArray
    iid: FloatArray
    round: FloatArray
    accuracy: FloatArray
    last: FloatArray  # rounds that this cell was trained for

    def take(self, which: Any) -> "Points":
        return Points(*(values[which] for values in vars(self).values()))


@dataclass(frozen=True)
class Judged:
    """One kind: fitted to all seeds, and its errors on seeds that did not choose it."""

    learning: Learning
    rmse: float
    rmse_left_out: float
    rmse_last_rounds: float


def points(tables: Sequence[pl.DataFrame]) -> Points:
    """Tables of the same data, trained for different numbers of rounds, are not mixed: a mean has the same seeds."""
    parts = []
    for table in tables:
        last = int(table["round"].to_numpy().max())
        counting = np.unique(np.rint(2 ** np.arange(0, np.log2(last) + 1e-9, 1 / PER_DOUBLING)).astype(int))
        rows = table.filter(pl.col("round").is_in([*counting.tolist(), last]))
        means = rows.group_by("size", "iid", "round").agg(pl.col("accuracy").mean()).sort("size", "iid", "round")
        parts.append(means.with_columns(last=pl.lit(last)))
    joined = pl.concat(parts)
    found = Points(*(joined[name].to_numpy().astype(np.float64) for name in Points.__annotations__))
    if np.unique(found.size).size < 3 or np.unique(found.iid).size < 2 or np.unique(found.round).size < 4:
        raise InputError("points", f"{found.size.size} of them", "with >= 3 sizes, >= 2 iid values and >= 4 rounds")
    return found


def fit_kind(kind: str, seen: Points, near: Learning | None = None) -> Learning:
    """Least squares, searched for everywhere or near a fit to nearly the same points."""
    middle = float(np.exp(np.mean(np.log(seen.size))))
    wide = WIDE | {"top_iid": (0, 1), "top_far": (0, 1), "half": (LEAST * middle, MOST * middle), "slow": (1e-6, 1e9)}
    bounds = np.array([_inside(name, np.array(wide[name])) for name in COEFFICIENTS]).T

    def gap(x: FloatArray) -> FloatArray:
        return _made(kind, x).after(seen.size, seen.iid, seen.round) - seen.accuracy

    starts = _starts(middle) if near is None else [{name: getattr(near, name) for name in COEFFICIENTS}]
    found = []
    for start in starts:
        x = np.array([_inside(name, start[name]) for name in COEFFICIENTS])
        x = np.clip(x, bounds[0] + 1e-9, bounds[1] - 1e-9)
        found.append(scipy.optimize.least_squares(gap, x, bounds=bounds, max_nfev=STEPS))
    return _made(kind, min(found, key=lambda result: float(result.cost)).x)


def _starts(middle: float) -> list[dict[str, float]]:
    usual = {"bend": 1.0, "floor": 0.1, "top_iid": 0.8, "top_far": 0.6, "skew": 0.5}
    return [
        usual | {"half": middle * share, "slow": 10 * middle, "pull": pull, "power": power}
        for share in (0.1, 1)
        for pull in (0.7, 1.5)
        for power in (1, 2)
    ]


def _inside(name: str, value: Any) -> Any:
    """A coefficient as the search sees it: those above 0 by their logarithm."""
    return np.log(value) if name in POSITIVE else value


def _made(kind: str, x: FloatArray) -> Learning:
    values: dict[str, Any] = {
        name: float(np.exp(v) if name in POSITIVE else v) for name, v in zip(COEFFICIENTS, x, strict=True)
    }
    return Learning(kind, **values)


def error(model: Learning, on: Points) -> float:
    """Root mean square error."""
    return float(np.sqrt(np.mean((model.after(on.size, on.iid, on.round) - on.accuracy) ** 2)))


def left_out(model: Learning, on: Points) -> float:
    """Error on cells that the fit has not seen, one at a time."""
    gaps = []
    for size, iid in sorted(set(zip(on.size.tolist(), on.iid.tolist(), strict=True))):
        cell = (on.size == size) & (on.iid == iid)
        own, rest = on.take(cell), on.take(~cell)
        again = fit_kind(model.kind, rest, model)
        gaps.append(again.after(own.size, own.iid, own.round) - own.accuracy)
    return float(np.sqrt(np.mean(np.concatenate(gaps) ** 2)))


def last_rounds(model: Learning, on: Points) -> float:
    """Error on the later half of the rounds, by a fit to the first half."""
    late = on.round > on.last / 2
    return error(fit_kind(model.kind, on.take(~late), model), on.take(late))


def judged(
    tables: Sequence[pl.DataFrame], clients: int, progress: Callable[[int, int], None] | None = None
) -> tuple[Judged, ...]:
    """Every kind, that which is best on the choosing seeds first. `progress` hears of steps done, of all."""
    tell = progress or (lambda *_: None)
    seen, steps = points(tables), 2 * len(KINDS) + 1
    choosing, telling = (points([_half(table, half) for table in tables]) for half in (0, 1))
    errors_by_kind: dict[str, float] = {}
    for kind in KINDS:
        errors_by_kind[kind] = left_out(fit_kind(kind, choosing), choosing)
        tell(len(errors_by_kind), steps)
    found: list[Judged] = []
    for kind in sorted(KINDS, key=errors_by_kind.__getitem__):
        told, model = fit_kind(kind, telling), fit_kind(kind, seen)
        errors = (error(model, seen), left_out(told, telling), last_rounds(told, telling))
        about: dict[str, Any] = {"clients": clients, "error": errors[1]}
        about |= {"sizes_range": _range(seen.size), "rounds_range": _range(seen.round), "iid_range": _range(seen.iid)}
        found.append(Judged(replace(model, **about), *errors))
        tell(len(KINDS) + len(found), steps)
    best = replace(found[0], learning=replace(found[0].learning, others=_resampled(found[0].learning, tables)))
    tell(steps, steps)
    return (best, *found[1:])


def _half(table: pl.DataFrame, half: int) -> pl.DataFrame:
    """Every second seed; of one seed alone, that."""
    seeds = sorted(table["seed"].unique())
    return table.filter(pl.col("seed").is_in(seeds[half::2] or seeds))


def _range(values: FloatArray) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _resampled(model: Learning, tables: Sequence[pl.DataFrame]) -> tuple[tuple[float, ...], ...]:
    """The coefficients for seeds drawn with replacement."""
    rows = []
    for number in range(RESAMPLES):
        rng = generator(0, "learning", number)
        drawn = []
        for table in tables:
            seeds = sorted(table["seed"].unique())
            taken = pl.DataFrame({"seed": rng.choice(seeds, len(seeds))}, schema={"seed": table.schema["seed"]})
            drawn.append(taken.join(table, on="seed"))
        again = fit_kind(model.kind, points(drawn), model)
        rows.append(tuple(getattr(again, name) for name in COEFFICIENTS))
    return tuple(rows)


def with_learning(told: dict[str, Any], found: Sequence[Judged]) -> dict[str, Any]:
    """A preset with the chosen kind, and beside the other fits the errors of all kinds."""
    named = ("rmse", "rmse_left_out", "rmse_last_rounds")
    kinds = {one.learning.kind: {name: getattr(one, name) for name in named} for one in found}
    return told | {"learning": found[0].learning.to_dict(), "fit": told["fit"] | {"learning": kinds}}


def refit(name: str) -> Judged:
    """Fit a shipped measurement again and write its preset."""
    folder = SHIPPED / name
    tables = [pl.read_parquet(path) for part in ("accuracy", "long") if (path := folder / f"{part}.parquet").is_file()]
    path = SHIPPED / f"{name}.json"
    told = json.loads(path.read_text(encoding="utf-8"))
    found = judged(tables, told["measured"]["grid"]["clients"])
    write_json(with_learning(told, found), path)
    return found[0]


if __name__ == "__main__":
    for name in sys.argv[1:] or shipped():
        best = refit(name)
        print(f"{name}: {best.learning.kind}, RMSE {best.rmse:.4f}, cell left out {best.rmse_left_out:.4f}, ", end="")
        print(f"last rounds left out {best.rmse_last_rounds:.4f}", end="")
        kept = SHIPPED / name / "unseen.parquet"
        print(f", unseen {mean_error(best.learning, pl.read_parquet(kept)):.4f}" if kept.is_file() else "")
