from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from lefi.errors import InputError
from lefi.studies import figures
from lefi.studies.figures import (
    PLANS,
    Plan,
    accuracy_model,
    convergence,
    cost,
    draw_figures,
    draw_readme,
    gain,
    overspend,
    rai,
    scenarios,
)
from lefi.studies.figures.bands import bands
from lefi.studies.figures.style import KNOWN, in_order, looks, sheet, styled, ticks_at
from lefi.studies.figures.swept import sweep
from lefi.studies.figures.traces import distance, spread, traces
from lefi.studies.run.results import Finished, Results, binding, matrix, read_results
from tests.blank_figures import leave_blank

MakeStudy = Callable[..., Finished]


def test_known_mechanisms_keep_their_look_and_strangers_get_one_of_their_own() -> None:
    names = ["zeta", "lefi", "alpha", "uniform", *(f"m{place}" for place in range(8))]
    found = looks(names)
    assert found["lefi"] == KNOWN["lefi"]
    assert list(found)[:2] == ["lefi", "uniform"]
    assert list(found)[2:4] == ["alpha", "m0"]
    assert len({(look.colour, look.line) for look in found.values()}) == len(names)
    assert found["zeta"].label == "zeta"


def test_order_of_names_does_not_matter() -> None:
    assert in_order({"random", "waterfill", "b", "a"}) == ["waterfill", "random", "a", "b"]


def test_labels_that_would_touch_are_left_out() -> None:
    with styled():
        _, (axes,) = sheet()
        axes.set_xlim(0, 100)
        ticks_at(axes, [10, 11, 50, 100])
    assert [text.get_text() for text in axes.get_xticklabels()] == ["10", "", "50", "100"]


def test_cost_is_the_paper_s_line() -> None:
    numbers = cost.compute()
    assert numbers.cost[0] == pytest.approx(17.6219)
    assert numbers.cost[-1] == pytest.approx(10 * 79.1259 + 17.6219)
    assert numbers.high - numbers.cost == pytest.approx(13.56)


def test_accuracy_model_is_the_paper_s_quadratic() -> None:
    numbers = accuracy_model.compute()
    assert numbers.system[-1, 0] == pytest.approx(-0.0268435 + 0.0258827 + 0.0922588)
    assert numbers.accuracy[-1, -1] == pytest.approx(-0.0152 + 0.071 - 0.0117 + 0.151 + 0.011 + 0.073)
    assert (np.diff(numbers.accuracy, axis=0) > 0).all()


def test_matrix_keeps_seeds_apart_and_marks_what_is_missing() -> None:
    frame = pl.DataFrame({"seed": [2, 2, 5], "round": [1, 2, 2], "share": [0.1, 0.2, 0.3]})
    table = matrix(frame, "share", seeds=[2, 3, 5])
    assert table.by.tolist() == [1, 2]
    np.testing.assert_array_equal(table.values, [[0.1, 0.2], [np.nan, np.nan], [np.nan, 0.3]])
    assert table.at(2)[2] == 0.3


def test_rounds_beyond_nine_stay_in_order() -> None:
    frame = pl.DataFrame(
        {"seed": [0] * 12, "round": list(range(12, 0, -1)), "share": [float(r) for r in range(12, 0, -1)]}
    )
    assert matrix(frame, "share").values[0].tolist() == list(range(1, 13))


def test_band_is_the_median_inside_its_interval(make_study: MakeStudy) -> None:
    study = make_study("convergence", {"lefi": lambda at: 0.2 + 0.01 * at.seed}, seeds=7, rounds=3)
    band = bands(study.rounds, "judged")["lefi"]
    assert band.middle == pytest.approx(0.23)
    assert (band.low < band.middle).all()
    assert (band.high > band.middle).all()
    assert band.low.min() >= 0.2


def test_distance_and_spread_by_hand() -> None:
    table = np.array([[1.0, 1.0], [3.0, 1.0], [2.0, 2.0], [2.0, 2.0]])
    assert distance(table, window=2).tolist() == [0.5, 0.5, 0.0, 0.0]
    assert spread(table).tolist() == [0.0, 0.5, 0.0, 0.0]


def test_a_client_that_ends_at_nothing_does_not_break_the_distance() -> None:
    table = np.array([[1.0, 4.0], [0.0, 2.0], [0.0, 2.0]])
    assert distance(table, window=2)[1:].tolist() == [0.0, 0.0]


def test_budget_binds_at_the_first_round_that_spends_it(make_study: MakeStudy) -> None:
    study = make_study("convergence", {"lefi": 0.28}, binds=7, weights=lambda at: float(at.round))
    assert set(binding(study, "lefi").values()) == {7}
    assert traces(study, "weight").binds == 7
    never = make_study("convergence", {"lefi": 0.28}, binds=99, seeds=1)
    assert binding(never, "lefi") == {0: None}


def test_missing_to_the_oracle_is_in_percentage_points(make_study: MakeStudy) -> None:
    numbers = convergence.compute(make_study("convergence", {"lefi": 0.29, "random": 0.25}))
    assert numbers.missing["lefi"].middle[-1] == pytest.approx(1.0)
    assert numbers.missing["random"].middle[-1] == pytest.approx(5.0)
    assert numbers.oracle == pytest.approx(0.30)


def test_rai_by_hand(make_study: MakeStudy) -> None:
    reach = {"lefi": 0.28, "bara": lambda at: 0.24 if at.value == 10 else 0.22}
    numbers = rai.compute(make_study("clients", reach, sweep="clients", values=(10, 30), rounds=2))
    assert numbers.rai["bara"].middle == pytest.approx([0.5, 0.25])
    assert numbers.rai["lefi"].middle == pytest.approx([1.0, 1.0])
    assert numbers.oracle.middle == pytest.approx([1.25, 1.25])


def test_rai_is_left_out_where_lefi_gains_next_to_nothing(make_study: MakeStudy) -> None:
    study = make_study("clients", {"lefi": 0.2004, "bara": 0.24}, sweep="clients", values=(10,), rounds=2)
    assert np.isnan(rai.ratios(study)["rai"].to_numpy()).all()


def test_lead_is_paired_and_positive_where_lefi_is_ahead(make_study: MakeStudy) -> None:
    reach = {
        "lefi": lambda at: 0.25 + 0.01 * at.seed,
        "bara": lambda at: 0.25 + 0.01 * at.seed - (0.002 if at.value == 1 else -0.001),
    }
    numbers = sweep(make_study("budget", reach, sweep="budget", values=(1.0, 2.0), rounds=2), "budget")
    lead = numbers.lead["bara"]
    assert lead.middle == pytest.approx([0.2, -0.1])
    assert lead.high - lead.low == pytest.approx(0, abs=1e-9)


def test_share_is_kept_per_scenario(make_study: MakeStudy) -> None:
    numbers = gain.compute(
        make_study("convergence", {"lefi": 0.28}), make_study("mixed", {"lefi": 0.25}, scenario="mixed")
    )
    assert dict(numbers.share)["paper"]["lefi"].middle[-1] == pytest.approx(0.8)
    assert dict(numbers.share)["mixed"]["lefi"].middle[-1] == pytest.approx(0.5)


def test_where_clients_change_it_is_said(make_study: MakeStudy) -> None:
    study = make_study("scenario_churning", {"random": 0.28}, scenario="churning", rounds=4)
    moved = study.rounds.with_columns(oracle=pl.when(pl.col("round") > 2).then(0.4).otherwise("oracle"))
    numbers = scenarios.compute(Finished(study.name, moved, study.clients))
    assert "In churning the clients change" in scenarios.caption(numbers)


def test_overspend_takes_the_worst_of_each_block(make_study: MakeStudy) -> None:
    study = make_study("mixed", {"lefi": 0.28}, rounds=12, seeds=2)
    here = (pl.col("seed") == 1) & (pl.col("round") == 7)
    rounds = study.rounds.with_columns(overspend=pl.when(here).then(0.25).otherwise(0.0))
    line = overspend.per_mechanism(Finished("mixed", rounds, study.clients))["lefi"]
    assert line.worst.tolist() == [0.0, 0.25, 0.0]
    assert line.rounds.tolist() == [3.0, 8.0, 11.5]
    assert line.peak == 7


def with_strangers(study: Finished) -> Finished:
    """The study with two more mechanisms that no table of looks knows."""
    copies = [study.of("uniform").with_columns(mechanism=pl.lit(name)) for name in ("zeta", "newcomer")]
    return Finished(study.name, pl.concat([study.rounds, *copies]), study.clients, study.settings, {}, study.runs)


@pytest.mark.parametrize("plan", [plan for plan in PLANS if not plan.extra], ids=lambda plan: plan.name)
def test_every_figure_draws_with_unknown_mechanisms_and_nothing_is_cut_off(plan: Plan, small_results: Path) -> None:
    found = read_results(small_results)
    studies = (with_strangers(found.studies[name]) for name in plan.studies)
    numbers: Any = plan.compute(*studies, *(found.heavy(name) for name in plan.heavy))
    with styled():
        figure = plan.draw(numbers)
        figure.draw_without_rendering()
        inner, outer = figure.get_tightbbox(), figure.bbox_inches
    assert inner.x0 >= -0.02
    assert inner.y0 >= -0.02
    assert inner.x1 <= outer.width + 0.02
    assert inner.y1 <= outer.height + 0.02
    assert len(plan.caption(numbers)) > 60


def test_what_is_missing_is_said_and_the_rest_is_drawn(
    small_results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_blank(monkeypatch)
    found = read_results(small_results)
    some = Results({name: found.studies[name] for name in ("mixed", "budget")}, {"convergence": "not run yet"})
    drawn = {figure.name: figure for figure in draw_figures(some, tmp_path)}
    assert drawn["weights"].files == ()
    assert "study convergence is missing" in drawn["weights"].caption
    assert drawn["gain"].files  # mixed alone
    assert drawn["budget"].files
    assert drawn["scenarios"].files


def test_two_processes_draw_what_one_draws(
    small_results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "PLANS", [plan for plan in PLANS if plan.name in ("cold", "budget", "cost")])
    found = read_results(small_results)
    one, two = (draw_figures(found, tmp_path / str(jobs), jobs=jobs) for jobs in (1, 2))
    assert [figure.name for figure in one] == ["cold", "budget", "cost"]
    for alone, together in zip(one, two, strict=True):
        assert together.caption == alone.caption
        assert [path.suffix for path in together.files] == [".png", ".svg"]
        assert [path.read_bytes() for path in together.files] == [path.read_bytes() for path in alone.files]


def test_readme_picture(small_results: Path, tmp_path: Path) -> None:
    assert {path.name for path in draw_readme(small_results, tmp_path / "images")} == {
        "mixed.pdf",
        "mixed.png",
        "mixed.svg",
    }
    with pytest.raises(InputError, match="mixed"):
        draw_readme(tmp_path, tmp_path)
