"""The study of clients that claim work which they do not do: what they cost, and what watching them gives back."""

from pathlib import Path

from lefi.studies import Study, run_study
from lefi.studies.plan.paper import paper_folder
from lefi.studies.run.results import read_study


def test_cheats_cost_accuracy_and_watching_them_gives_part_of_it_back(tmp_path: Path) -> None:
    study = Study.read(paper_folder() / "cheats.toml")
    run_study(study.changed(rounds=20, seeds=1, mechanisms=["price"]), tmp_path)
    final = read_study(tmp_path, "cheats").final()
    reached = {str(place): accuracy for place, accuracy in final.select("behaviours", "accuracy").rows()}
    nobody, believed, watched = (reached[str(values)] for values in study.sweeps[0].values)
    assert believed < watched < nobody
    assert nobody - believed > 0.01
