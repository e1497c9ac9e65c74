"""Figures without ink, for tests of what stands around them: drawing takes most of the time of a report."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from matplotlib.figure import Figure


def leave_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on figures are computed and composed, but their files hold nothing."""

    def save(_figure: Figure, folder: Path, name: str, kinds: Iterable[str] = ("png", "svg")) -> list[Path]:
        folder.mkdir(parents=True, exist_ok=True)
        paths = [folder / f"{name}.{kind}" for kind in kinds]
        for path in paths:
            path.write_text("<svg/>")
        return paths

    monkeypatch.setattr("lefi.studies.figures.save", save)
