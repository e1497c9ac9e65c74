"""Figures without ink, for tests of what stands around them: drawing takes most of the time of a report."""

from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from matplotlib.figure import Figure

from lefi.studies.figures.style import save as saved

REPORT = "lefi.studies.figures.save"  # what the report draws with
COMMANDS = "lefi.studies.figures.style.save"  # and what commands draw with


def leave_blank(monkeypatch: pytest.MonkeyPatch, but: Collection[str] = (), where: str = REPORT) -> None:
    """From now on figures are computed and composed, but their files hold nothing, save those of the names given."""

    def save(figure: Figure, folder: Path, name: str, kinds: Iterable[str] = ("png", "svg", "pdf")) -> list[Path]:
        if name in but:
            return saved(figure, folder, name, kinds)
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{name}.{kind}" for kind in kinds]
        for path in paths:
            path.write_text("<svg/>")
        return paths

    monkeypatch.setattr(where, save)
