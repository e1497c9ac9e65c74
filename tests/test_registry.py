"""Mechanisms from the user's files."""

from pathlib import Path

import pytest

import lefi
from lefi import registry
from lefi.mechanisms.catalogue import MECHANISMS
from lefi.registry import fingerprint
from lefi.studies.plan.study import Study

MINE = str(Path(__file__).parent / "studies" / "mine.py")
HEAD = "from lefi import register\n"
BODY = """
class {name}:
    def __init__(self, terms, *, seed=0): pass
    def ask(self, roster): ...
    def tell(self, receipt): ...
"""


def test_a_class_is_registered_under_its_name_in_small_letters() -> None:
    assert MECHANISMS.name_of(f"{MINE}:Fixed") == "fixed"
    assert MECHANISMS.name_of(f"{MINE}:Fixed") == "fixed"
    assert "fixed" in lefi.registered()


def test_a_file_that_registers_one_mechanism_needs_no_class(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(HEAD + '@register("mine")' + BODY.format(name="Mine"))
    assert MECHANISMS.name_of(str(file)) == "mine"
    assert MECHANISMS.name_of(f"{file}:Mine") == "mine"
    assert MECHANISMS.name_of(f"{file}:mine") == "mine"
    assert MECHANISMS.spec_of(f"{file}:Mine") == f"{file}:Mine"  # so a process that has not loaded it finds it


def test_a_module_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "module_of_a_user.py").write_text(BODY.format(name="Other"))
    monkeypatch.syspath_prepend(str(tmp_path))
    assert MECHANISMS.name_of("module_of_a_user:Other") == "other"


@pytest.mark.parametrize(
    ("text", "spec", "said"),
    [
        ("", "file.py", "registers one mechanism (found: none)"),
        (BODY.format(name="Mine"), "file.py:Min", "unknown name in file.py 'Min': did you mean 'Mine'?"),
        ("def (", "file.py", "cannot load file.py: SyntaxError"),
        ("import no_such_module", "file.py", "cannot load file.py: ModuleNotFoundError"),
        ("1 / 0", "file.py", "cannot load file.py: ZeroDivisionError"),
        (HEAD + '@register("lefi")' + BODY.format(name="Mine"), "file.py", "mechanism 'lefi' is registered already"),
        ("", "nowhere.py", "a Python file that exists"),
        ("", "no_such_package:Mine", "cannot load no_such_package: ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, spec: str, said: str
) -> None:
    (tmp_path / "file.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lefi.LefiError) as caught:
        MECHANISMS.name_of(spec)
    assert said in str(caught.value)


def test_changed_code_of_the_user_means_new_runs(tmp_path: Path) -> None:
    keys = set()
    for text in ("", "# changed"):
        file = tmp_path / "file.py"
        file.write_text(BODY.format(name="Mine") + text)
        registry._modules.clear()
        MECHANISMS.things.pop("mine", None)
        study = Study.build({"name": "x", "mechanisms": [f"{file}:Mine"], "seeds": 1})
        keys.add(study.runs()[0].key)
    assert len(keys) == 2
    assert fingerprint("lefi") is None
