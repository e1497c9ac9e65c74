import json
from pathlib import Path

import pytest

import lefi
from lefi import InputError, LefiError, UnknownName
from lefi.models.presets import measured_sizes

GOOD = {"accuracy": {"a": -1e-4, "b": 0.1, "c": 0, "d": 0.02, "e": 0.01, "f": 0.1}, "cost": {"p": 50, "q": 3.5}}


def written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_a_file_holds_both_models(tmp_path: Path) -> None:
    path = written(tmp_path / "measured.json", json.dumps(GOOD))
    assert lefi.accuracy(path).to_dict() == GOOD["accuracy"]
    assert lefi.cost(str(path)).to_dict() == GOOD["cost"]


def test_what_was_fitted_can_be_read_back(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.json", json.dumps({"accuracy": lefi.accuracy("paper").to_dict()}))
    assert lefi.accuracy(path) == lefi.accuracy("paper")


def test_unknown_names_come_back_with_the_near_match() -> None:
    with pytest.raises(UnknownName, match=r"unknown accuracy model 'papr': did you mean 'paper'\? known: .*json"):
        lefi.accuracy("papr")
    with pytest.raises(UnknownName, match="unknown cost model"):
        lefi.cost("")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "JSON"),
        ("[1, 2]", "a JSON object with an object 'cost'"),
        ("{}", "a JSON object with an object 'cost'"),
        ('{"cost": 3}', "a JSON object with an object 'cost'"),
        ('{"cost": {"p": 1}}', "complete: q missing"),
        ('{"cost": {"p": 1, "q": 2, "r": 3}}', "unknown coefficient of cost"),
        ('{"cost": {"p": 1, "q": "2"}}', "a number"),
        ('{"cost": {"p": 1, "q": null}}', "a number"),
        ('{"cost": {"p": true, "q": 1}}', "a number"),
        ('{"cost": {"p": NaN, "q": 1}}', "finite"),
        ('{"cost": {"p": 1e999, "q": 1}}', "finite"),
        ('{"cost": {"p": -1, "q": 1}}', "> 0"),
        ('{"cost": {"p": 1, "q": -1}}', ">= 0"),
    ],
)
def test_a_bad_file_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(LefiError) as caught:
        lefi.cost(written(tmp_path / "bad.json", text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        lefi.cost(tmp_path / "missing.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(InputError, match="readable"):
        lefi.cost(tmp_path / "folder.json")
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="JSON"):
        lefi.cost(tmp_path / "binary.json")


def test_a_preset_beyond_its_range_warns_and_within_it_does_not() -> None:
    said = r"'digits' was measured for sizes from 0.03 to 0.2 .* size_high 10 it is a guess"
    with pytest.warns(UserWarning, match=said):
        lefi.scenario("mixed", accuracy="digits")
    lefi.scenario("mixed", accuracy="digits", size_high=0.2)
    lefi.scenario("mixed", accuracy="cifar10")
    assert measured_sizes("paper") == (0.0, float("inf"))
