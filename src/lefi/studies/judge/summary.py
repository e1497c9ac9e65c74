"""A study in a few numbers per mechanism: medians over seeds with intervals, and paired differences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.studies.judge.statistics import Interval, difference, improvement, median

MILESTONES = (5, 10, 20)  # rounds at which the share is told, besides the last


@dataclass(frozen=True)
class Summary:
    """One mechanism at one point of a study. `lead` and `better` compare its last share with the first mechanism's."""

    point: tuple[Any, ...]
    mechanism: str
    seeds: int
    share: dict[int, Interval]
    seeds_with_share: dict[int, int]
    accuracy: Interval
    overspend: Interval
    lead: Interval | None
    better: Interval | None


def summarise(rounds: pl.DataFrame, mechanisms: list[str], swept: Sequence[str] = ()) -> list[Summary]:
    """One summary per point and mechanism, the mechanisms in the order given; the first is what others are held to.

    `swept` are the columns of the swept settings.
    """
    points = rounds.select(swept).unique(maintain_order=True).rows() if swept else [()]
    found: list[Summary] = []
    for point in points:
        here = [pl.col(name) == value for name, value in zip(swept, point, strict=True)]
        found += _at_point(rounds.filter(here) if here else rounds, mechanisms, point)
    return found


def _at_point(rounds: pl.DataFrame, mechanisms: list[str], point: tuple[Any, ...]) -> list[Summary]:
    ends = rounds.group_by("mechanism", "seed").agg(pl.col("round").max())  # a job may end when its total is spent
    last = int(ends["round"].to_numpy().min())
    told = sorted({round for round in MILESTONES if round < last} | {last})
    result: list[Summary] = []
    reference: FloatArray | None = None
    for name in mechanisms:
        own = rounds.filter(pl.col("mechanism") == name)
        share = {round: _over_seeds(own, "share", round) for round in told}
        final = share[last]
        result.append(
            Summary(
                point=point,
                mechanism=name,
                seeds=final.size,
                share={round: median(values) for round, values in share.items()},
                seeds_with_share={round: int(np.isfinite(values).sum()) for round, values in share.items()},
                accuracy=median(_over_seeds(own, "judged", last)),
                overspend=median(
                    own.group_by("seed").agg(pl.col("overspend").max()).sort("seed")["overspend"].to_numpy()
                ),
                lead=None if reference is None else difference(final, reference),
                better=None if reference is None else improvement(final, reference),
            )
        )
        reference = final if reference is None else reference
    return result


def _over_seeds(rounds: pl.DataFrame, column: str, round: int) -> FloatArray:
    """The column at that round, one value per seed."""
    return rounds.filter(pl.col("round") == round).sort("seed")[column].to_numpy()
