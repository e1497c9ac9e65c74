"""A study is what its TOML says; what it cannot be is refused in one line that names the place."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import lefi
from lefi.agent.weights import Weights, save
from lefi.studies.plan.paper import ABLATION, BEYOND, EVERYBODY, HEAVY, PAPER, SHAPE, paper_folder, paper_studies
from lefi.studies.plan.study import Study
from lefi.world.scenarios import SCENARIOS
from tests.agent.networks import random_network

GOOD: dict[str, Any] = {"name": "good", "mechanisms": ["lefi", "uniform"], "rounds": 5, "seeds": 2}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"rouds": 5}, "unknown key 'rouds': did you mean 'rounds'?"),
        ({"mechanisms": ["lefy"]}, "unknown mechanism 'lefy': did you mean 'lefi'?"),
        ({"mechanisms": []}, "mechanisms is"),
        ({"mechanisms": ["lefi", "lefi"]}, "all different"),
        ({"scenario": "papr"}, "unknown scenario 'papr': did you mean 'paper'?"),
        ({"rounds": 0}, "rounds is 0"),
        ({"rounds": 2.5}, "rounds is 2.5"),
        ({"rounds": True}, "rounds is True"),
        ({"seeds": 0}, "seeds is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"clients": 0}, "clients is 0"),
        ({"budget": float("nan")}, "budget is nan"),
        ({"budget": float("inf")}, "budget is inf"),
        ({"budget": -1.0}, "budget is -1.0"),
        ({"budget": 0}, "budget is 0"),
        ({"deadline": 0}, "deadline is 0"),
        ({"settings": {"sped": 1}}, "unknown scenario setting 'sped': did you mean 'speed'?"),
        ({"settings": {"speed": "fast"}}, "speed is 'fast'"),
        ({"mechanism": {"lefi": {"stp": 1}}}, "unknown setting of 'lefi' 'stp': did you mean 'step'?"),
        ({"mechanism": {"lefi": {"step": -1}}}, "lefi.step is -1"),
        ({"mechanism": {"bara": {}}}, "unknown [mechanism.<name>] 'bara'"),
        ({"sweep": {"setting": "bugdet", "values": [1]}}, "unknown setting to sweep 'bugdet': did you mean 'budget'?"),
        ({"sweep": {"setting": "accurcy", "values": ["paper"]}}, "unknown setting to sweep 'accurcy': did you mean"),
        ({"sweep": {"setting": "lefi.stp", "values": [1.0]}}, "unknown setting to sweep 'lefi.stp': did you mean"),
        ({"sweep": [{"setting": "budget", "values": [1.0]}] * 2}, "one setting, or two that differ"),
        ({"mechanisms": ["lefi", "lefi"]}, "give one 'lefi' a label"),
        ({"mechanisms": ["lefi(stp=1)"]}, "unknown setting of 'lefi' 'stp'"),
        ({"mechanisms": ["lefi(step=1"]}, "with both brackets"),
        ({"mechanisms": ["lefi(uniform)"]}, "lefi is no wrapper"),
        ({"settings": {"behaviours": ["noisi(r=0.1)"]}}, "unknown behaviour 'noisi': did you mean 'noisy'"),
        ({"settings": {"behaviours": ["noisy(q=0.1)"]}}, "unknown setting of 'noisy' 'q'"),
        ({"sweep": {"setting": "budget", "values": []}}, "sweep.values is []"),
        ({"sweep": {"setting": "budget", "values": [1, 1]}}, "all different"),
        ({"sweep": {"setting": "budget", "values": [1, -1]}}, "budget is -1"),
        ({"sweep": {"setting": "clients", "values": [2.5]}}, "clients is 2.5"),
        ({"sweep": {"setting": "budget", "value": [1]}}, "unknown key of [sweep] 'value': did you mean 'values'?"),
        ({"name": "../up"}, "name is '../up'"),
    ],
)
def test_wrong_values_are_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(lefi.LefiError) as caught:
        Study.build(GOOD | wrong)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_toml_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    with pytest.raises(lefi.LefiError, match=r"study is .*readable file"):
        Study.read(path)
    path.write_text('name = "x\n')
    with pytest.raises(lefi.LefiError, match=r"study\.toml is not TOML: .*line 1"):
        Study.read(path)
    path.write_text('name = "x"\nmechanisms = ["lefi"]\nbugdet = 3\n')
    with pytest.raises(lefi.LefiError, match=r"study\.toml: unknown key 'bugdet': did you mean 'budget'"):
        Study.read(path)


def test_runs_are_every_point_mechanism_and_seed_with_keys_apart() -> None:
    study = Study.build(GOOD | {"sweep": {"setting": "budget", "values": [1, 2, 3]}})
    runs = study.runs()
    assert len(runs) == 3 * 2 * 2 == len({run.key for run in runs})
    assert {run.budget for run in runs} == {1.0, 2.0, 3.0}
    assert [run.key for run in runs] == [run.key for run in study.runs()]


def test_a_setting_of_a_mechanism_is_swept_for_that_mechanism_alone() -> None:
    study = Study.build(
        GOOD | {"mechanisms": ["lefi", "uniform"], "sweep": {"setting": "lefi.step", "values": [1.0, 2.0]}}
    )
    told = {(run.mechanism, run.swept["lefi.step"]): run.mechanism_settings for run in study.runs()}
    assert told[("lefi", 1.0)]["step"] == 1.0
    assert told[("lefi", 2.0)]["step"] == 2.0
    assert told[("uniform", 2.0)] == {}


def test_two_settings_are_swept_as_a_grid() -> None:
    sweep = [
        {"setting": "scenario", "values": ["paper", "mixed"]},
        {"setting": "accuracy", "values": ["paper", "cifar10"]},
    ]
    study = Study.build({name: value for name, value in GOOD.items() if name != "scenario"} | {"sweep": sweep})
    points = {(run.scenario, run.settings["accuracy"]) for run in study.runs()}
    assert points == {("paper", "paper"), ("paper", "cifar10"), ("mixed", "paper"), ("mixed", "cifar10")}
    assert len({run.key for run in study.runs()}) == len(study.runs())


def test_the_same_mechanism_is_there_several_times_under_labels() -> None:
    study = Study.build({"name": "x", "mechanisms": ["lefi", "wild = lefi(step=9)", "lefi(step=0.1)"]})
    assert {label: variant.settings for label, variant in study.variants.items()} == {
        "lefi": {},
        "wild": {"step": 9},
        "lefi(step=0.1)": {"step": 0.1},
    }
    assert {run.spec for run in study.runs()} == {"lefi"}


def test_budget_is_half_a_dollar_per_client_unless_given() -> None:
    study = Study.build(GOOD | {"sweep": {"setting": "clients", "values": [4, 10]}})
    assert sorted({(run.clients, run.budget) for run in study.runs()}) == [(4, 2.0), (10, 5.0)]


def test_the_key_follows_what_shapes_the_numbers(tmp_path: Path) -> None:
    run = Study.build(GOOD).runs()[0]
    for change in ({"seed": 9}, {"rounds": 6}, {"budget": 4.0}, {"mechanism_settings": {"step": 2.0}}):
        assert replace(run, **change).key != run.key
    model = tmp_path / "model.json"
    keys = []
    for d in (0.0151, 0.0152):
        model.write_text(
            json.dumps({"accuracy": {"a": -0.000152, "b": 0.071, "c": -0.00117, "d": d, "e": 0.011, "f": 0.073}})
        )
        keys.append(Study.build(GOOD | {"settings": {"accuracy": str(model)}}).runs()[0].key)
    assert keys[0] != keys[1]  # same file name, other numbers


def test_more_seeds_keep_the_keys_of_the_first() -> None:
    few, many = Study.build(GOOD), Study.build(GOOD | {"seeds": 4})
    assert {run.key for run in few.runs()} < {run.key for run in many.runs()}


def test_the_papers_studies_are_what_the_design_says() -> None:
    studies = {study.name: study for study in paper_studies()}
    assert tuple(studies) == (*PAPER, ABLATION, *SHAPE)
    ablation = studies.pop(ABLATION)
    assert ablation.scenario == "mixed"
    assert ablation.budget == 5.0
    assert [variant.spec for variant in ablation.variants.values()] == ["lefi"] * 5 + ["waterfill"] * 2
    shape = [studies.pop(name) for name in SHAPE]
    assert all(study.mechanisms[0] == "price" and study.scenario == "paper" for study in shape)
    assert all(study.rounds == 100 and study.seeds == 10 for study in studies.values())
    assert studies["convergence"].runs()[0].budget == 5.0
    everybody = ["lefi", "waterfill", "bara", "random", "uniform"]
    literal = studies["budget"].mechanisms.index("lefi usd = lefi(units=usd)")
    assert [name for at, name in enumerate(studies["budget"].mechanisms) if at != literal] == everybody
    assert all(study.mechanisms == everybody for name, study in studies.items() if name != "budget")
    told = {name: (studies[name].scenario, studies[name].clients, studies[name].budget) for name in BEYOND}
    assert told == {name: (name.removeprefix("scenario_"), 10, 5.0) for name in BEYOND}
    rules = Study.read(paper_folder() / "rules.toml")
    assert {study.scenario for study in studies.values()} | set(rules.sweeps[0].values) == set(SCENARIOS) - {"jump"}
    swept = {name: study.sweeps[0].values for name, study in studies.items() if study.sweeps}
    assert swept["clients"] == [10, 30, 100, 300, 1000]
    assert swept["budget"] == [1, 2, 5, 10, 15, 20, 25]
    assert swept["deadline"] == [5, 10, 15, 20, 25, 30, 45, 60, 200]
    heavy = (*HEAVY, EVERYBODY)
    for path in paper_folder().glob("*.toml"):
        command, claim = path.read_text().splitlines()[:2]
        assert command.startswith("# lefi compare --study ")
        assert claim.startswith("# Claim: " if path.stem in (*PAPER, ABLATION, *SHAPE, *heavy) else "# Sweeps ")
        assert path.stem not in heavy or "the control" in path.read_text().lower()


def test_other_weights_in_the_same_file_are_other_runs(tmp_path: Path) -> None:
    file = tmp_path / "weights.npz"

    def key(seed: int) -> str:
        save(file, Weights(random_network(seed), {}, {}))
        return Study.build({"name": "a", "mechanisms": [f"drl(weights='{file}')"], "seeds": 1}).runs()[0].key

    assert key(1) == key(1) != key(2)
