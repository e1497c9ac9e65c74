"""What tests of partitions share: small runs, and the offers of one process to hold them against."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import lefi
from lefi.cluster import Spec, play_parts
from lefi.cluster.engines import Engine, Here


def small(mechanism: str, **changed: Any) -> Spec:
    """A run of a few clients."""
    usual = {"scenario": "mixed", "clients": 60, "budget": 12.0, "deadline": 60.0, "seed": 3, "partitions": 7}
    given: dict[str, Any] = usual | changed
    return Spec(mechanism=mechanism, **given)


def played(spec: Spec, out: Path, rounds: int, engine: Engine | None = None, every: int = 4) -> list[dict[str, Any]]:
    return list(play_parts(spec, out, engine or Here(), rounds=rounds, every=every))


def receipts(out: Path) -> pl.DataFrame:
    """All that was offered and delivered, by round and id."""
    return pl.scan_parquet(out / "receipts" / "*" / "*.parquet").collect().sort("round", "id")


def one_process(spec: Spec, rounds: int) -> pl.DataFrame:
    """The same from `lefi.play`."""
    given = {name: getattr(spec, name) for name in ("clients", "budget", "deadline", "seed")}
    market = lefi.scenario(spec.scenario, **given, **spec.settings)
    payment = lefi.registered()[spec.mechanism].payment
    mechanism = lefi.make(spec.mechanism, market.taking(payment).terms, seed=spec.seed, **spec.mechanism_settings)
    tables = []
    for receipt in lefi.play(mechanism, market.taking(payment), rounds, spec.seed):
        columns = {"round": np.full(len(receipt.roster), receipt.round), "id": receipt.roster.ids}
        columns |= receipt.offer.to_columns() | {"size": receipt.sizes, "payment": receipt.payments}
        tables.append(pl.DataFrame(columns))
    return pl.concat(tables).sort("round", "id")


def off(one: pl.DataFrame, other: pl.DataFrame) -> float:
    """The largest relative difference of any number; the same clients are NaN in both."""
    assert one.columns == other.columns
    assert one.select("round", "id").equals(other.select("round", "id"))
    worst = 0.0
    for name in one.columns[2:]:
        a, b = one[name].to_numpy(), other[name].to_numpy()
        assert np.array_equal(np.isnan(a), np.isnan(b))
        scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), 1e-12)
        worst = max(worst, float(np.nanmax(np.abs(a - b) / scale, initial=0.0)))
    return worst
