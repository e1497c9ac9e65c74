"""Networks of the user's own: found by their import path, in the current folder too."""

from pathlib import Path

import pytest
import torch

from lefi.errors import InputError
from lefi.profiling.model import build, load_factory

NETS = """
from torch import nn

def make(channels, height, width, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(channels * height * width, classes))
"""


@pytest.mark.parametrize("path", ["own_nets:make", "own_nets.py:make"])
def test_a_network_in_the_current_folder_is_found(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_nets.py").write_text(NETS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", ["/nowhere"])  # as a console script has it: without the current folder
    network = build(path, (1, 8, 8), 10, seed=0)
    assert network(torch.zeros(2, 1, 8, 8)).shape == (2, 10)


@pytest.mark.parametrize("path", ["nowhere:make", "lefi.profiling.model:none", "", "nowhere.py:make"])
def test_what_cannot_be_imported_is_one_line(path: str) -> None:
    with pytest.raises(InputError, match=r"package\.module:factory that can be imported"):
        load_factory(path)
