"""The steps from the paper's algorithm to ours, run small and drawn."""

import pytest

from lefi.studies.figures import PLANS, ablation
from lefi.studies.figures.style import styled
from lefi.studies.plan.paper import paper_folder
from lefi.studies.plan.study import Study
from lefi.studies.run.results import Finished, read_results
from lefi.studies.run.runner import run_studies


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> list[Finished]:
    folder = tmp_path_factory.mktemp("ablation")
    studies = [Study.read(paper_folder() / f"{name}.toml") for name in ablation.STUDIES]
    run_studies([study.changed(rounds=20, seeds=2) for study in studies], folder)
    found = read_results(folder)
    return [found.studies[name] for name in ablation.STUDIES]


def test_the_steps_run_from_the_paper_to_ours(steps: list[Finished]) -> None:
    numbers = ablation.compute(*steps)
    between = ["joint slope", "+ log weights", "+ exact allocation", "+ limits", "+ families of curves"]
    assert list(numbers.share) == ["lefi", *between, "waterfill"]
    assert numbers.share["+ exact allocation"].at(10)[0] > numbers.share["lefi"].at(10)[0]
    assert numbers.share["waterfill"].at(10)[0] > numbers.share["+ families of curves"].at(10)[0] - 0.02
    assert numbers.overspend["+ limits"] == numbers.overspend["waterfill"] == 0


def test_the_figure_is_drawn_and_put_in_words(steps: list[Finished]) -> None:
    plan = next(plan for plan in PLANS if plan.name == "ablation")
    numbers = plan.compute(*steps)
    with styled():
        figure = plan.draw(numbers)
        figure.draw_without_rendering()
        assert figure.get_tightbbox().x1 <= figure.bbox_inches.width + 0.02
    assert "+ exact allocation" in plan.caption(numbers)
