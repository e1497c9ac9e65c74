"""Labelled images to train on: `digits` (ships with scikit-learn), `cifar10` and `gtsrb` (their files), or an .npz.

train, test       (n, channels, height, width)   uint8 or float32
labels            (n,)                           0 .. classes-1
groups            (n,)                           samples of one group stay together: with one client, on one side
No pickle is ever loaded.
"""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import FloatArray, IntArray
from lefi.draws import generator
from lefi.errors import InputError, LefiError

Pixels = NDArray[Any]

TEST_SHARE = 0.2  # of a data set that names no test set of its own
CIFAR_ROW = 1 + 3 * 32 * 32  # one label byte, then the red, green and blue planes
CIFAR_ROWS = 10_000
CIFAR_TRAIN = tuple(f"data_batch_{i}.bin" for i in range(1, 6))
CIFAR_SOURCE = "cifar-10-binary.tar.gz from https://www.cs.toronto.edu/~kriz/cifar.html"


@dataclass(frozen=True, eq=False)
class Images:
    """A data set split into what clients may train on and what the server tests with."""

    name: str
    train: Pixels
    labels: IntArray
    test: Pixels
    test_labels: IntArray
    groups: IntArray | None = None  # of the training images; None: each is its own

    def __post_init__(self) -> None:
        for part, pixels, labels in (
            ("train", self.train, self.labels),
            ("test", self.test, self.test_labels),
        ):
            if pixels.ndim != 4 or len(pixels) == 0 or pixels.shape[1:] != self.train.shape[1:]:
                raise InputError(
                    f"shape of the {part} images of {self.name}", pixels.shape, "(n, channels, height, width)"
                )
            if labels.shape != (len(pixels),):
                raise InputError(f"shape of the {part} labels of {self.name}", labels.shape, f"({len(pixels)},)")
            if not np.isfinite(pixels).all():
                raise InputError(f"{part} images of {self.name}", "not finite", "finite")
            if labels.min() < 0 or labels.max() >= self.classes:
                wrong = int(labels.min() if labels.min() < 0 else labels.max())
                raise InputError(f"{part} labels of {self.name}", wrong, f"in 0..{self.classes - 1}")
        if self.groups is not None and self.groups.shape != self.labels.shape:
            raise InputError(f"shape of the groups of {self.name}", self.groups.shape, f"({len(self.labels)},)")
        missing = np.flatnonzero(np.bincount(self.labels, minlength=self.classes) == 0)
        if missing.size:
            raise InputError(f"labels of {self.name}", f"without {missing[0]}", "0 .. classes-1, each at least once")

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height, width."""
        channels, height, width = self.train.shape[1:]
        return channels, height, width

    def scaling(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation of each channel over the training images."""
        mean = self.train.mean(axis=(0, 2, 3), dtype=np.float64)
        squares = np.array([np.mean(self.train[:, c].astype(np.float64) ** 2) for c in range(self.shape[0])])
        deviation = np.sqrt(np.maximum(squares - mean**2, 0))
        return mean, np.where(deviation > 0, deviation, 1.0)


def load_images(data: str, folder: Path | None = None) -> Images:
    """The data set `digits`, `cifar10` or `gtsrb` (in `folder`), or the one in an .npz file."""
    if data == "digits":
        return _digits()
    if data == "cifar10":
        return _cifar10(folder)
    if data == "gtsrb":
        from lefi.profiling.gtsrb import gtsrb

        return gtsrb(folder)
    if Path(data).suffix == ".npz":
        return _npz(Path(data))
    raise InputError("data", data, "digits, cifar10, gtsrb, or a path to an .npz file with images and labels")


def _digits() -> Images:
    from sklearn.datasets import load_digits

    digits = load_digits()
    return _split("digits", digits.images.astype(np.float32)[:, None], digits.target.astype(np.int64))


def _cifar10(folder: Path | None) -> Images:
    if folder is None:
        raise InputError("folder", None, f"where cifar10 lies: unpack {CIFAR_SOURCE}")
    inner = folder / "cifar-10-batches-bin"
    folder = inner if inner.is_dir() else folder
    rows = [_cifar_rows(folder / name) for name in CIFAR_TRAIN]
    train, test = np.concatenate(rows), _cifar_rows(folder / "test_batch.bin")
    return Images(
        name="cifar10",
        train=train[:, 1:].reshape(-1, 3, 32, 32),
        labels=train[:, 0].astype(np.int64),
        test=test[:, 1:].reshape(-1, 3, 32, 32),
        test_labels=test[:, 0].astype(np.int64),
    )


def _cifar_rows(path: Path) -> NDArray[np.uint8]:
    expected = CIFAR_ROW * CIFAR_ROWS
    try:
        found = path.stat().st_size
    except OSError:
        raise LefiError(f"{path} is missing: unpack {CIFAR_SOURCE}; {expected} bytes are expected") from None
    if found != expected:
        raise LefiError(f"{path} has {found} bytes: {expected} are expected; unpack {CIFAR_SOURCE} again")
    rows = np.fromfile(path, np.uint8).reshape(CIFAR_ROWS, CIFAR_ROW)
    if rows[:, 0].max() > 9:
        raise LefiError(f"{path} has the label {rows[:, 0].max()}: 0..9 are expected; unpack {CIFAR_SOURCE} again")
    return rows


def _npz(path: Path) -> Images:
    """`images` (n, height, width) or (n, channels, height, width), `labels`; `groups`, `test_images`, `test_labels`."""
    arrays = read_npz(path, ("images", "labels"))
    images, labels = _pixels(path, arrays["images"]), _labels(path, arrays["labels"], "labels")
    groups = _labels(path, arrays["groups"], "groups") if "groups" in arrays else None
    if "test_images" not in arrays:
        return _split(path.stem, images, labels, groups)
    if "test_labels" not in arrays:
        raise InputError(f"arrays in {path}", sorted(arrays), "with test_labels beside test_images")
    test, test_labels = _pixels(path, arrays["test_images"]), _labels(path, arrays["test_labels"], "test_labels")
    return Images(path.stem, images, labels, test, test_labels, groups)


def read_npz(path: Path, names: tuple[str, ...]) -> dict[str, Pixels]:
    """The arrays of the file, among them these."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise LefiError(f"{path} cannot be read as .npz with plain arrays: {error}") from None
    for name in names:
        if name not in arrays:
            raise InputError(f"arrays in {path}", sorted(arrays), f"{' and '.join(names)}; {name} is missing")
    return arrays


def _pixels(path: Path, array: Pixels) -> Pixels:
    if array.dtype.kind not in "uif" or array.ndim not in (3, 4):
        found = f"{array.dtype} {array.shape}"
        raise InputError(f"images in {path}", found, "numbers (n, height, width) or (n, channels, height, width)")
    array = array[:, None] if array.ndim == 3 else array
    return array if array.dtype == np.uint8 else array.astype(np.float32)


def _labels(path: Path, array: Pixels, name: str) -> IntArray:
    if array.dtype.kind not in "ui" or array.ndim != 1 or array.size == 0:
        raise InputError(f"{name} in {path}", f"{array.dtype} {array.shape}", "whole numbers (n,)")
    return array.astype(np.int64)


def _split(name: str, images: Pixels, labels: IntArray, groups: IntArray | None = None) -> Images:
    """A fixed shuffle, the same for every seed: the test set must not move between runs that are compared.

    Groups are shuffled, so that none falls on both sides.
    """
    if labels.shape != (len(images),):
        raise InputError(f"shape of the labels of {name}", labels.shape, f"({len(images)},)")
    if len(labels) < 2 or labels.min() < 0:
        raise InputError(f"labels of {name}", labels, "at least 2, none negative")
    together = np.arange(len(labels)) if groups is None else groups
    if together.shape != labels.shape:
        raise InputError(f"shape of the groups of {name}", together.shape, f"({len(labels)},)")
    _, member = np.unique(together, return_inverse=True)
    rank = np.argsort(generator(0, "split").permutation(int(member.max()) + 1))
    order = np.argsort(rank[member], kind="stable")
    tested = max(1, round(TEST_SHARE * len(labels)))
    cut = int(np.searchsorted(rank[member][order], rank[member][order][tested - 1], side="right"))
    train, test = order[cut:], order[:cut]
    if train.size == 0:
        raise InputError(f"groups of {name}", f"{int(member.max()) + 1} of them", "at least 2, none with most samples")
    kept = None if groups is None else groups[train]
    return Images(name, images[train], labels[train], images[test], labels[test], kept)
