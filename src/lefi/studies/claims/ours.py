"""Checks of our own: nobody beats the oracle, and how the control that learns nothing does."""

import numpy as np
import polars as pl

from lefi.studies.claims.claim import Finding, Untested, last, need, spelled
from lefi.studies.judge.statistics import chance, difference, median, told
from lefi.studies.run.results import Finished, Results, matrix

EXCESS = 1e-9
NEAR = 0.01  # of the oracle's gain
WHERE = {"paper": "convergence", "mixed": "mixed"}


def oracle(results: Results) -> Finding:
    """No mechanism that pays by the paper's curve and stays within the budget beats the oracle, noise-free, ever."""
    if not results.studies:
        raise Untested("no study is finished")
    excess, rounds, runs = -np.inf, 0, 0
    for study in results.studies.values():
        frame = study.rounds.with_columns(excess=pl.col("fair") - pl.col("bound"))
        if "first_best" in frame.columns:  # the bound of those that pay in another way
            frame = frame.filter(pl.col("first_best").is_nan() | pl.col("first_best").is_null())
        if frame.is_empty():
            continue
        excess = max(excess, float(np.nanmax(frame["excess"].to_numpy())))
        rounds += frame.height
        runs += int((frame["round"] == 1).sum())
    measured = (
        f"accuracy minus oracle is at most {excess:.2g} over {rounds:,} rounds of {runs:,} runs "
        "(offers that overspend are scaled to the budget first)"
    )
    reasons = [] if excess <= EXCESS else ["some round lies above the oracle: the oracle or the judging is wrong"]
    return Finding(measured, [excess <= EXCESS], reasons, {"excess": excess, "rounds": rounds, "runs": runs})


def uniform(results: Results) -> Finding:
    """Equal weights are hard to beat at the paper's setting, and are beaten where clients differ."""
    studies = {name: need(results, study, "lefi", "uniform") for name, study in WHERE.items()}
    words, leads, chances = [], [], []
    numbers: dict[str, float] = {}
    for name, study in studies.items():
        ours, theirs = (last(study, "share", who) for who in ("lefi", "uniform"))
        lead = difference(ours, theirs)
        leads.append(lead)
        chances.append(chance(theirs - ours, -NEAR) if name == "paper" else chance(ours - theirs))
        shares = f"uniform {told(median(theirs))}, lefi {told(median(ours))}, lead of lefi {told(lead)}"
        words.append(f"{name}: {shares}{_early(study)}")
        numbers |= spelled(f"{name}_uniform", median(theirs)) | spelled(f"{name}_lead", lead)
    parts = [float(leads[0].high) < NEAR, float(leads[1].low) > 0]
    why = ("lefi is clearly ahead at the paper's setting too", "lefi is not clearly ahead on mixed")
    reasons = [w for w, holds in zip(why, parts, strict=True) if not holds]
    return Finding("; ".join(words), parts, reasons, numbers, chances)


def _early(study: Finished) -> str:
    """Both shares in round 20, where the runs are long enough."""
    if study.last <= 20:
        return ""
    shares = [float(np.nanmedian(matrix(study.of(who), "share").at(20))) for who in ("uniform", "lefi")]
    return f" (round 20: {shares[0]:.3f} and {shares[1]:.3f})"
