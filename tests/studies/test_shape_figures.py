"""The figures over payment classes: numbers from a small real study, and the rules behind them."""

from pathlib import Path

import numpy as np
import pytest

import lefi
from lefi.studies.figures import deviation, draw_figures, money, needed
from lefi.studies.plan.paper import SHAPE, paper_folder
from lefi.studies.plan.study import Study
from lefi.studies.report.shape import shape_parts
from lefi.studies.run.results import Results, read_results
from lefi.studies.run.runner import run_studies
from tests.blank_figures import leave_blank


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("shape")
    small = {"seeds": 2, "rounds": 8, "mechanisms": ["price", "pool"], "clients": 4}
    shape = [Study.read(paper_folder() / f"{name}.toml") for name in SHAPE]
    sweeps = [{"setting": "budget", "values": [0.03, 0.1, 5.0]}, {"setting": "holdout", "values": [0.0, 0.4]}]
    studies = [study.changed(**small, sweep=sweep) for study, sweep in zip(shape, sweeps, strict=True)]
    run_studies(studies, folder)
    return read_results(folder, names=())


def test_bounds_and_mechanisms_stand_in_their_order(found: Results) -> None:
    numbers = money.compute(found.studies["shape_money"])
    assert list(numbers.accuracy) == ["price", "pool"]
    assert (numbers.oracle.middle <= numbers.first_best.middle + 1e-9).all()
    for line in numbers.accuracy.values():
        assert (line.middle <= numbers.first_best.middle + 1e-9).all()
    best = [lefi.first_best(lefi.scenario("paper", clients=4, budget=0.1, seed=seed)).accuracy for seed in (0, 1)]
    assert numbers.first_best.at(0.1)[0] == pytest.approx(np.median(best))
    assert "pays by pool" in money.caption(numbers)


def test_the_cheapest_budget_is_interpolated_in_its_logarithm() -> None:
    budgets = np.array([1.0, 10.0, 100.0])
    accuracy = np.array([[0.1, 0.2, 0.3], [0.5, 0.6, 0.7], [0.0, 0.1, 0.1]])
    found = needed.cheapest(budgets, accuracy, np.array([0.25, 0.4, 0.2]))
    np.testing.assert_allclose(found, [10**1.5, 1.0, np.inf])


def test_money_needed_falls_to_what_the_last_round_shows(found: Results) -> None:
    numbers = needed.compute(found.studies["shape_money"])
    assert numbers.needed["pool"].middle[-1] <= 5.0
    assert "by round 8" in needed.caption(numbers)


def test_gain_is_never_negative_and_surplus_is_what_the_clients_table_says(found: Results) -> None:
    study = found.studies["shape_deviation"]
    numbers = deviation.compute(study)
    for name in ("price", "pool"):
        assert (numbers.gain[name] >= 0).all()
        assert numbers.surplus[name].size == 2 * 4
        assert numbers.loss[name] >= -1e-12
    assert "price" in deviation.caption(numbers)


def test_the_figures_are_drawn_where_their_studies_are_there_and_not_missed_otherwise(
    found: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_blank(monkeypatch)
    names = {drawn.name for drawn in draw_figures(found, tmp_path) if drawn.files}
    assert {"money", "needed", "deviation"} <= names
    assert not {"money", "needed", "deviation"} & {drawn.name for drawn in draw_figures(Results({}, {}), tmp_path)}
    assert found.missing == {}


def test_the_reports_section_has_a_row_per_mechanism(found: Results) -> None:
    text = " ".join(shape_parts(found))
    for word in ("price", "pool", "knows", "gains by pretending", "Medians over 2 fleets in round 8"):
        assert word in text
    assert "missing" not in text


def test_the_reports_section_says_how_to_get_what_is_missing(found: Results) -> None:
    money_only = Results({"shape_money": found.studies["shape_money"]}, {})
    text = " ".join(shape_parts(money_only))
    assert "lefi compare --study studies/shape_deviation.toml" in text
    assert "<td>pool" in text
    assert "shape_money.toml" in " ".join(shape_parts(Results({}, {})))
