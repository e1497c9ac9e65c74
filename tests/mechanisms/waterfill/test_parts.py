"""What parts are worth: each can be left out of the sources as they are, and the page has what was measured."""

import shutil
from pathlib import Path

import pytest

from benchmarks.changes import PACKAGE, USUAL, told
from benchmarks.parts import MARKS, PARTS, lines, table, without


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_left_out_by_one_change(name: str, tmp_path: Path) -> None:
    package = tmp_path / "package"
    shutil.copytree(PACKAGE, package)
    without(PARTS[name], package)
    file = PARTS[name].file
    assert (package / file).read_text() != Path(PACKAGE, file).read_text()
    compile((package / file).read_text(), file, "exec")
    assert lines(PARTS[name]) >= 1


def test_a_change_that_fits_nowhere_is_refused(tmp_path: Path) -> None:
    package = tmp_path / "package"
    shutil.copytree(PACKAGE, package)
    with pytest.raises(ValueError, match="has not one"):
        without(PARTS["jumps"]._replace(line="SURPRISED = 77.0"), package)


def test_what_moves_by_chance_is_not_told() -> None:
    usual = {"mixed": [0.9, 0.9, 0.9], "noisy": [0.9, 0.9, 0.9]}
    now = {"mixed": [0.8, 0.81, 0.79], "noisy": [0.5, 1.0, 0.95]}
    assert told(usual, now) == "mixed -0.100"
    assert told(usual, usual) == "nothing"


def test_the_page_shows_what_was_measured() -> None:
    page = Path("docs/waterfill.md").read_text()
    between = page.partition(f"{MARKS[0]}\n")[2].partition(MARKS[1])[0]
    assert between.strip() == "\n".join(table())
    assert USUAL not in between
