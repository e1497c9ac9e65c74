"""Made-up studies whose verdict is known, and the claim that is decided by them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from lefi.studies.claims import check_claims
from lefi.studies.claims.claim import Claim
from lefi.studies.run.results import Finished, Results

MakeStudy = Callable[..., Finished]
At = Any  # a place of a made-up study, see conftest
Rule = Callable[[At], float] | float


def decide(key: str, *studies: Finished, folder: Path | None = None) -> Claim:
    found = check_claims(Results({study.name: study for study in studies}, {}, folder))
    return next(claim for claim in found if claim.key == key)


def write_heavy(folder: Path, name: str, rows: list[dict[str, Any]]) -> None:
    """A table of a heavy study, as if it had been measured here."""
    (folder / "heavy").mkdir(exist_ok=True)
    pl.DataFrame(rows).write_csv(folder / "heavy" / f"{name}.csv")


def level(height: float) -> Rule:
    """An accuracy that differs a little between seeds."""
    return lambda at: height + 1e-4 * at.seed
