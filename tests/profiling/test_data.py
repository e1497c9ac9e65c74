"""Data sets: what is loaded, and the one line that a broken file gets."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lefi.errors import InputError, LefiError
from lefi.profiling.data import CIFAR_ROW, CIFAR_ROWS, CIFAR_TRAIN, load_images


def write_cifar(folder: Path, label: int = 0) -> Path:
    """Six files of the right length: labels 0..9 in turn, pixels all alike."""
    rows = np.zeros((CIFAR_ROWS, CIFAR_ROW), dtype=np.uint8)
    rows[:, 0] = np.arange(CIFAR_ROWS) % 10
    rows[-1, 0] += label
    folder.mkdir()
    for name in (*CIFAR_TRAIN, "test_batch.bin"):
        (folder / name).write_bytes(rows.tobytes())
    return folder


def write_npz(path: Path, **arrays: Any) -> str:
    np.savez(path, **arrays)
    return str(path)


def test_digits_split_once_and_for_all() -> None:
    digits, again = load_images("digits"), load_images("digits")
    assert digits.shape == (1, 8, 8)
    assert digits.classes == 10
    assert len(digits.train) + len(digits.test) == 1797
    assert np.array_equal(digits.test, again.test)
    mean, deviation = digits.scaling()
    assert mean == pytest.approx(digits.train.mean(), rel=1e-6)
    assert deviation == pytest.approx(digits.train.std(), rel=1e-4)


def test_cifar10_in_its_official_layout(tmp_path: Path) -> None:
    folder = write_cifar(tmp_path / "cifar-10-batches-bin")
    for where in (folder, tmp_path):
        images = load_images("cifar10", where)
        assert (images.train.shape, images.test.shape) == ((50_000, 3, 32, 32), (10_000, 3, 32, 32))
        assert np.array_equal(images.labels[:12], np.arange(12) % 10)


def test_a_truncated_file_says_what_was_expected(tmp_path: Path) -> None:
    folder = write_cifar(tmp_path / "cut")
    path = folder / "data_batch_3.bin"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(LefiError, match=r"data_batch_3.bin has 30729999 bytes: 30730000 are expected; .*toronto"):
        load_images("cifar10", folder)


def test_a_missing_file_says_where_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(LefiError, match=r"data_batch_1.bin is missing: unpack cifar-10-binary.tar.gz from https"):
        load_images("cifar10", tmp_path)
    with pytest.raises(LefiError, match="folder is None"):
        load_images("cifar10")


def test_a_label_out_of_range_is_named(tmp_path: Path) -> None:
    with pytest.raises(LefiError, match=r"label 19: 0\.\.9"):
        load_images("cifar10", write_cifar(tmp_path / "labels", label=10))


def test_npz_with_and_without_a_test_set(tmp_path: Path) -> None:
    pixels, labels = np.zeros((50, 6, 6), np.uint8), np.arange(50) % 3
    alone = load_images(write_npz(tmp_path / "a.npz", images=pixels, labels=labels))
    assert (len(alone.train), len(alone.test), alone.shape) == (40, 10, (1, 6, 6))
    both = {"images": pixels[:, None], "labels": labels, "test_images": pixels[:9], "test_labels": labels[:9]}
    assert len(load_images(write_npz(tmp_path / "b.npz", **both)).test) == 9


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.zeros((9, 6, 6))}, "labels is missing"),
        ({"images": np.zeros((9, 6)), "labels": np.zeros(9, int)}, "height, width"),
        ({"images": np.zeros((9, 6, 6)), "labels": np.zeros(8, int)}, "shape of the labels"),
        ({"images": np.zeros((9, 6, 6)), "labels": np.zeros(9)}, "whole numbers"),
        ({"images": np.full((9, 6, 6), np.nan), "labels": np.zeros(9, int)}, "finite"),
        ({"images": np.zeros((90, 6, 6)), "labels": np.arange(90) % 3 * 2}, "without 1"),
        ({"images": np.zeros((90, 6, 6)), "labels": np.arange(90) % 3 - 1}, "none negative"),
    ],
)
def test_a_bad_npz_is_one_line(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_images(write_npz(tmp_path / "bad.npz", **arrays))


def test_no_pickle_is_ever_loaded(tmp_path: Path) -> None:
    objects = np.array([{"code": 1}], dtype=object)
    with pytest.raises(LefiError, match="plain arrays"):
        load_images(write_npz(tmp_path / "pickled.npz", images=objects, labels=np.zeros(1, int)))
    (tmp_path / "text.npz").write_text("no archive")
    with pytest.raises(LefiError, match="cannot be read"):
        load_images(str(tmp_path / "text.npz"))
