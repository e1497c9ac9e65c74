from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

from lefi.studies.report.beyond import beyond_parts, places
from lefi.studies.run.results import Finished, Results

MakeStudy = Callable[..., Finished]


def ahead_early(at: Any) -> float:
    """Ahead of what stands at 0.28 until round 10, level with it from then on."""
    return (0.29 if at.round < 10 else 0.28) + 1e-4 * (at.seed - 4.5)


def test_lead_is_paired_and_over_the_best_of_the_others(make_study: MakeStudy) -> None:
    rivals = {"lefi": lambda at: 0.26 if at.round < 20 else 0.285, "uniform": 0.28}
    early, tenth, twentieth, last = places(make_study("mixed", {"waterfill": ahead_early, **rivals}, rounds=30))
    assert [place.round for place in (early, tenth, twentieth, last)] == [5, 10, 20, 30]
    assert [place.rival for place in (early, tenth, twentieth)] == ["uniform", "uniform", "lefi"]
    assert [place.ahead for place in (early, tenth, twentieth)] == [True, False, False]
    assert float(early.lead.middle) == pytest.approx(0.1)
    assert float(twentieth.lead.middle) == pytest.approx(-0.05)


def test_places_without_a_lead_are_marked_and_counted(make_study: MakeStudy) -> None:
    study = make_study("mixed", {"waterfill": ahead_early, "uniform": 0.28}, scenario="mixed", rounds=10)
    here = (pl.col("mechanism") == "uniform") & (pl.col("round") == 3)
    rounds = study.rounds.with_columns(overspend=pl.when(here).then(0.125).otherwise(0.0))
    text = "".join(beyond_parts(Results({"mixed": Finished("mixed", rounds, study.clients)}, {})))
    assert "above 0 in 1 of 2 places; not so in mixed at round 10." in text
    assert text.count("not ahead</span>") == 1
    assert "Largest overspend: waterfill 0%, uniform 12.5%." in text
    assert "Study scenario_flaky is missing." in text


def test_results_without_waterfill_are_said_to_lack_it(make_study: MakeStudy) -> None:
    text = "".join(beyond_parts(Results({"mixed": make_study("mixed", {"lefi": 0.28})}, {})))
    assert "Study mixed has no runs of waterfill" in text
    assert "is ours" not in text
