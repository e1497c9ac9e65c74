"""Files of weights: what is written is read; what is wrong is one line that names the file and what was wanted."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lefi
from lefi.agent.weights import KIND, MOST, SHIPPED, Weights, load, save
from tests.agent.networks import random_network


def arrays(**changes: Any) -> bytes:
    """A file as ours, but for these entries; None leaves one out."""
    about = {"kind": KIND, "sees": changes.pop("sees", None) or json.loads(_about())["sees"]}
    about["kind"] = changes.pop("kind", KIND)
    entries: dict[str, Any] = dict(random_network(1)._asdict())
    entries["about"] = np.frombuffer(json.dumps(about).encode(), dtype=np.uint8)
    entries |= changes
    file = io.BytesIO()
    np.savez(file, **{name: value for name, value in entries.items() if value is not None})
    return file.getvalue()


def _about() -> str:
    from lefi.agent.sight import NAMES

    return json.dumps({"sees": NAMES})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path, network = tmp_path / "new" / "weights.npz", random_network(2)
    save(path, Weights(network, {"interactions": 12}, {"curve": np.ones((2, 2))}))
    found = load(str(path))
    assert found.about == {"interactions": 12}
    assert found.more["curve"].shape == (2, 2)
    for mine, theirs in zip(found.layers, network, strict=True):
        np.testing.assert_array_equal(mine, theirs)
    assert [file.name for file in path.parent.iterdir()] == ["weights.npz"]


def test_a_file_like_ours_is_taken(tmp_path: Path) -> None:
    """So that the faults below are those that are named."""
    (tmp_path / "a.npz").write_bytes(arrays())
    assert load(str(tmp_path / "a.npz")).layers.W.ndim == 2


def single() -> bytes:
    file = io.BytesIO()
    np.save(file, np.ones(3))
    return file.getvalue()


def pickled() -> bytes:
    file = io.BytesIO()
    np.savez(file, about=np.array([object()], dtype=object))
    return file.getvalue()


def strange_zip() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("readme.txt", "hello")
    return file.getvalue()


FAULTS: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "a file of `lefi drl train`"),
    "text": (lambda: b"hello, this is text", "a file of `lefi drl train`"),
    "cut short": (lambda: arrays()[:4000], "a file of `lefi drl train`"),
    "bytes changed": (lambda: arrays()[:900] + b"\x07" * 40 + arrays()[940:], "a file of `lefi drl train`"),
    "a single array": (single, "not a single array"),
    "a pickle": (pickled, "a file of `lefi drl train`, undamaged"),
    "another archive": (strange_zip, "an entry about"),
    "no about": (lambda: arrays(about=None), "an entry about that says 'lefi drl 1'"),
    "another kind": (lambda: arrays(kind="theirs 7"), "kind 'lefi drl 1', not 'theirs 7'"),
    "sees other things": (lambda: arrays(sees=["a", "b"]), "a network that sees known, last weight"),
    "a layer is missing": (lambda: arrays(V=None), "array V of floats of shape (32, 32), not none"),
    "a wrong shape": (lambda: arrays(b=np.ones(7)), "array b of floats of shape (32,), not float64 of shape (7,)"),
    "whole numbers": (lambda: arrays(d=np.ones(32, dtype=np.int64)), "array d of floats"),
    "not finite": (lambda: arrays(v=np.full(32, np.nan)), "finite numbers in array v"),
    "too large": (lambda: b"x" * (MOST + 1), "of less than 1,000,000 bytes"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_file_that_is_no_good_is_said_in_one_line(fault: str, tmp_path: Path) -> None:
    make, wanted = FAULTS[fault]
    path = tmp_path / "weights.npz"
    path.write_bytes(make())
    with pytest.raises(lefi.LefiError) as caught:
        lefi.make("drl", lefi.scenario("paper").terms, weights=str(path))
    said = str(caught.value)
    assert said.startswith(f"cannot use weights {path}: expected ")
    assert wanted in said
    assert len(said.splitlines()) == 1


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(lefi.LefiError, match=r"cannot use weights nowhere\.npz: No such file"):
        lefi.make("drl", lefi.scenario("paper").terms, weights="nowhere.npz")


def test_the_shipped_file_is_small_and_tells_where_it_is_from() -> None:
    assert SHIPPED.stat().st_size < MOST
    shipped = load("shipped")
    assert shipped.about["interactions"] >= 1e6
    interactions, rewards = shipped.more["curve"].T
    assert (np.diff(interactions) > 0).all()
    assert rewards[-1] > rewards[0]
