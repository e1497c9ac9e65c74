"""The claim on deep reinforcement learning, j."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lefi.studies.claims.claim import Claim
from tests.studies.decided import decide, write_heavy


def agents(folder: Path, scratch: float, taught: float, long: float) -> Claim:
    """Claim j, where agents reach these shares, and equal weights 0.5."""
    shares = {"scratch": scratch, "taught": taught, "lefi": 0.9, "waterfill": 1.0, "uniform": 0.5}

    def rows(rounds: int, changed: dict[str, float]) -> list[dict[str, Any]]:
        return [
            {"mechanism": name, "scenario": scenario, "seed": seed, "round": round, "share": share + 0.001 * (seed % 3)}
            for name, share in (shares | changed).items()
            for scenario in ("mixed", "flaky")
            for seed in range(10)
            for round in (20, rounds)
        ]

    write_heavy(folder, "drl", rows(100, {}))
    write_heavy(folder, "drl_long", rows(10_000, {"scratch": long}))
    return decide("j", folder=folder)


@pytest.mark.parametrize(
    ("scratch", "taught", "expected"),
    [(0.4, 0.5, "confirmed"), (0.4, 0.7, "partly"), (0.6, 0.4, "partly"), (0.6, 0.7, "not confirmed")],
)
def test_the_footnote_holds_where_no_agent_has_learned(
    scratch: float, taught: float, expected: str, tmp_path: Path
) -> None:
    claim = agents(tmp_path, scratch, taught, 0.8)
    assert claim.verdict == expected
    assert claim.numbers["scratch_lead"] == pytest.approx(scratch - 0.5)
    assert claim.numbers["taught_lead"] == pytest.approx(taught - 0.5)


def test_an_agent_that_never_learns_tells_nothing_about_100_interactions(tmp_path: Path) -> None:
    claim = agents(tmp_path, 0.4, 0.7, 0.5)
    assert claim.verdict == "not tested yet"
    assert "not learned in 10,000 interactions either" in claim.reason


def test_an_agent_whose_lead_hangs_on_luck_has_not_learned(tmp_path: Path) -> None:
    """Ahead in six fleets of ten is not ahead."""
    agents(tmp_path, 0.4, 0.4, 0.8)
    table = pl.read_csv(tmp_path / "heavy" / "drl.csv")
    lucky = pl.when((pl.col("mechanism") == "scratch") & (pl.col("seed") < 6)).then(0.9).otherwise(pl.col("share"))
    table.with_columns(share=lucky).write_csv(tmp_path / "heavy" / "drl.csv")
    assert decide("j", folder=tmp_path).verdict == "confirmed"
