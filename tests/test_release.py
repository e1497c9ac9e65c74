"""What goes into a release: the checks of scripts/release.py fail on what they are there to stop."""

import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def release() -> Any:
    spec = spec_from_file_location("lefi_release", ROOT / "scripts" / "release.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_what_belongs_into_a_wheel_is_more_than_code(release: Any) -> None:
    wanted = release.tracked()
    assert {
        "lefi/py.typed",
        "lefi/agent/shipped.npz",
        "lefi/models/measured/digits.json",
        "lefi/serve/pages/static/index.html",
        "lefi/studies/report/style.css",
        "lefi/studies/toml/convergence.toml",
        "lefi/trust/digits.json",
    } <= wanted
    assert not any(name.startswith(("tests", "benchmarks", "docs")) for name in wanted)


def test_a_whole_wheel_has_no_faults(release: Any) -> None:
    held = dict.fromkeys(release.tracked(), b"") | {"lefi_fl-0.1.0.dist-info/METADATA": b"Name: lefi-fl"}
    assert release.wrong_wheel(held, release.tracked()) == []


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ({"tests/test_x.py": b""}, "too much: tests/test_x.py"),
        ({"lefi/__pycache__/draws.nbc": b""}, "too much: lefi/__pycache__/draws.nbc"),
        ({"lefi/trust/digits.json": f"{ROOT}/results".encode()}, "names a place here: lefi/trust/digits.json"),
    ],
)
def test_what_does_not_belong_is_found(release: Any, planted: dict[str, bytes], said: str) -> None:
    held = dict.fromkeys(release.tracked(), b"") | planted
    assert release.wrong_wheel(held, release.tracked()) == [said]


@pytest.mark.parametrize("name", ["lefi/trust/digits.json", "lefi/studies/toml/mixed.toml", "lefi/py.typed"])
def test_what_is_missing_is_found(release: Any, name: str) -> None:
    held = dict.fromkeys(release.tracked() - {name}, b"")
    assert f"missing: {name}" in release.wrong_wheel(held, release.tracked())


def test_an_sdist_holds_what_a_wheel_is_made_of_and_no_more(release: Any) -> None:
    names = [f"src/{name}" for name in release.tracked() if not name.startswith("lefi/studies/toml/")]
    names += [name.replace("lefi/studies/toml/", "studies/") for name in release.tracked() if "/toml/" in name]
    also = ["pyproject.toml", "README.md", "LICENSE"]
    assert release.wrong_sdist(names + also, release.tracked()) == []
    assert release.wrong_sdist(names, release.tracked()) != []
    said = release.wrong_sdist([*names, *also, "benchmarks/run.py"], release.tracked())
    assert said == ["too much in the sdist: benchmarks/run.py"]


def test_versions_of_python_are_those_that_are_stated() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    stated = [line.rpartition(" ")[2] for line in project["classifiers"] if "Python :: 3." in line]
    assert stated == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == f">={stated[0]}"
