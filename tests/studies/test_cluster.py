"""The same study on a Dask cluster: same bytes as on this machine."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lefi.cli import app
from tests.dask_processes import dask_processes

STUDY = ["compare", "--mechanisms", "lefi,uniform", "--scenario", "mixed", "--clients", "4", "--rounds", "6"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dask_processes(tmp_path_factory.mktemp("dask")) as (place, _):
        yield f"dask://{place}"


def run(out: Path, *options: str) -> dict[str, bytes]:
    result = CliRunner().invoke(app, [*STUDY, "--seeds", "2", "--out", str(out), *options])
    assert result.exit_code == 0, result.output
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*.parquet"))}


@pytest.mark.slow
def test_results_are_the_local_ones(tmp_path: Path, cluster: str) -> None:
    local = run(tmp_path / "local", "--jobs", "1")
    assert len(local) >= 4
    assert run(tmp_path / "there", "--engine", cluster) == local


@pytest.mark.parametrize("engine", ["ray://127.0.0.1:1", "dask://nowhere", "cloud"])
def test_bad_engines_are_one_line(tmp_path: Path, engine: str) -> None:
    result = CliRunner().invoke(app, [*STUDY, "--seeds", "1", "--out", str(tmp_path), "--engine", engine])
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1].startswith("error: engine is")
    assert "dask://host:port" in result.stderr


def test_an_unreachable_cluster_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lefi.cluster import engines

    monkeypatch.setattr(engines, "PATIENCE", 1)
    began = time.monotonic()
    options = ["--seeds", "1", "--out", str(tmp_path), "--engine", "dask://127.0.0.1:9"]
    result = CliRunner().invoke(app, [*STUDY, *options])
    assert result.exit_code == 2
    assert "cannot reach dask://127.0.0.1:9" in result.stderr
    assert time.monotonic() - began < 60
