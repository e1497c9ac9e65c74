"""The section on speed: told from what `make bench` left beside the results, left out where there is nothing."""

import json
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest
from matplotlib.text import Annotation

from lefi.errors import LefiError
from lefi.studies.figures import speed
from lefi.studies.figures.style import styled
from lefi.studies.judge.bench import Timing, ratios, read_bench
from lefi.studies.report.report import write_report
from lefi.studies.report.speed import draw_speed, speed_parts
from tests.blank_figures import leave_blank

US = {"lefi matern32": 0.5, "lefi iwp": 0.45, "GPyTorch": 400.0, "scikit-learn": 1000.0}


def rows(names: dict[str, float] = US) -> list[dict[str, Any]]:
    """Rounds whose time is proportional to the fleet, but for GPyTorch, which does better at 100 clients."""
    return [
        {"name": name, "clients": clients, "rounds": rounds, "seconds": rounds / 100 * clients * us * better / 1e6}
        for name, us in names.items()
        for rounds in (20, 100)
        for clients in ((10, 100, 1000, 10_000) if name.startswith("lefi") else (10, 100, 1000))
        for better in [0.5 if (name, clients) == ("GPyTorch", 100) else 1.0]
    ]


def put(folder: Path, text: str) -> Path:
    """A bench.json where a report on folder/paper looks for it."""
    path = folder / "bench" / "bench.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    return path


def report(folder: Path) -> str:
    return unescape(write_report(folder / "paper", folder / "out").read_text())


def section(folder: Path) -> str:
    return unescape("".join(speed_parts(folder / "paper", folder / "out" / "figures")))


def test_the_report_tells_speed_where_it_was_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_blank(monkeypatch)  # all but the one of this section
    put(tmp_path, json.dumps({"contest": rows(), "machine": "an abacus, 2 cores", "later": {}}))
    text = report(tmp_path)
    assert '<h2 id="speed">Speed</h2>' in text
    assert "an abacus, 2 cores" in text
    assert '<td class="number">400 x</td>' in text  # GPyTorch at its best
    assert "800 x at 1,000" in text  # and at the same fleet
    assert matplotlib.image.imread(tmp_path / "out" / "figures" / "speed.png").shape[1] > 1000
    assert (tmp_path / "out" / "figures" / "speed.svg").is_file()


def test_without_a_measurement_there_is_no_section(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_blank(monkeypatch)
    assert '<h2 id="speed">Speed</h2>' not in report(tmp_path)
    assert not (tmp_path / "out" / "figures" / "speed.png").exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "Invalid JSON"),
        ("[]", "should be an object"),
        ("{}", "contest: Field required"),
        ('{"contest": []}', "contest: List should have at least 1 item"),
        (json.dumps({"contest": [rows()[0] | {"seconds": -1}]}), "contest.0.seconds"),
        (json.dumps({"contest": [rows()[0] | {"seconds": float("inf")}]}), "contest.0.seconds"),
        (json.dumps({"contest": [rows()[0] | {"clients": "<b>"}]}), "contest.0.clients"),
    ],
)
def test_a_malformed_file_is_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    path = put(tmp_path, text)
    written = section(tmp_path)
    assert f"Not told: cannot use {path}: " in written
    assert told in written
    with pytest.raises(LefiError, match="cannot use"):
        draw_speed(path, tmp_path)


def test_a_malformed_file_leaves_the_report_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_blank(monkeypatch)
    put(tmp_path, '{"contest": 3}')
    written = report(tmp_path)
    assert "contest: Input should be a valid array" in written
    assert '<h2 id="settings">Settings</h2>' in written
    assert written.endswith("</html>\n")


def test_a_folder_in_place_of_the_file_is_told_too(tmp_path: Path) -> None:
    (tmp_path / "bench" / "bench.json").mkdir(parents=True)
    with pytest.raises(LefiError, match="cannot use"):
        read_bench(tmp_path / "bench" / "bench.json")
    assert "Not told: cannot use" in section(tmp_path)


@pytest.mark.parametrize("names", [{"lefi iwp": 1.0}, {"GPyTorch": 1.0}, {"one of yours": 3.0, "lefi matern32": 1.0}])
def test_any_set_of_names_can_be_told(tmp_path: Path, names: dict[str, float]) -> None:
    put(tmp_path, json.dumps({"contest": rows(names)}))
    assert '<h2 id="speed">Speed</h2>' in section(tmp_path)


def test_ratios_at_the_best_and_at_equal_fleets() -> None:
    found = ratios([Timing.model_validate(row) for row in rows()], 100)
    assert list(found) == ["GPyTorch", "scikit-learn"]
    assert found["GPyTorch"].best == pytest.approx(400)
    assert found["GPyTorch"].equal == {1000: pytest.approx(800)}
    assert found["scikit-learn"].best == pytest.approx(2000)


def test_labels_touch_no_line_and_no_label() -> None:
    with styled():
        figure = speed.draw([Timing.model_validate(row) for row in rows()])
        figure.draw_without_rendering()
        for axes in figure.axes:
            labels = [child for child in axes.get_children() if isinstance(child, Annotation)]
            boxes = [label.get_window_extent() for label in labels]
            assert sorted(label.get_text() for label in labels) == sorted(US)
            assert not any(a.overlaps(b) for place, a in enumerate(boxes) for b in boxes[:place])
            for line in axes.get_lines():
                path = axes.transData.transform(np.asarray(line.get_xydata()))
                dense = np.concatenate([np.linspace(a, b, 50) for a, b in pairwise(path)])
                assert not any(box.count_contains(dense) for box in boxes)
