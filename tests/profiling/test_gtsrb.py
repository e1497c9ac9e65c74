"""Traffic signs: both layouts give the same images, tracks stay together, and what is wrong is named."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from lefi.errors import LefiError
from lefi.profiling.data import load_images
from lefi.profiling.partition import Partitioner

FRAMES = 5  # of each track
TRACKS = {0: 3, 1: 2, 2: 4}  # of each class


def picture(seed: int, side: int = 32) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]":
    return np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)


def official(folder: Path) -> Path:
    """A small folder as the official archives unpack it."""
    for label, tracks in TRACKS.items():
        there = folder / "GTSRB" / "Final_Training" / "Images" / f"{label:05d}"
        there.mkdir(parents=True)
        for track in range(tracks):
            for frame in range(FRAMES):
                pixels = picture(100 * label + 10 * track + frame)
                Image.fromarray(pixels).save(there / f"{track:05d}_{frame:05d}.ppm")
    test = folder / "GTSRB" / "Final_Test" / "Images"
    test.mkdir(parents=True)
    rows = ["Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId"]
    for number in range(6):
        Image.fromarray(picture(1000 + number, side=40 + number)).save(test / f"{number:05d}.ppm")
        rows.append(f"{number:05d}.ppm;40;40;5;5;35;35;{number % 3}")
    (test / "GT-final_test.csv").write_text("\n".join(rows) + "\n")
    return folder


def packed(folder: Path) -> Path:
    places = [(label, track, frame) for label, n in TRACKS.items() for track in range(n) for frame in range(FRAMES)]
    images = np.stack([picture(100 * label + 10 * track + frame) for label, track, frame in places])
    labels, tracks, _ = np.array(places).T
    np.savez(folder / "gtsrb_train.npz", images=images, labels=labels.astype(np.uint8), tracks=tracks.astype(np.uint16))
    np.savez(folder / "gtsrb_test.npz", images=images[:6], labels=labels[:6].astype(np.uint8))
    return folder


def test_both_layouts_hold_the_same_signs(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    files, arrays = (load_images("gtsrb", make(tmp_path / name)) for make, name in ((official, "a"), (packed, "b")))
    assert files.train.shape == (45, 3, 32, 32)
    assert np.array_equal(files.train, arrays.train)
    assert np.array_equal(files.labels, arrays.labels)
    assert np.array_equal(files.groups, arrays.groups)  # type: ignore[arg-type]
    assert files.test.shape == (6, 3, 32, 32)
    assert files.test_labels.tolist() == [0, 1, 2, 0, 1, 2]


def test_a_track_is_a_group_and_goes_to_one_client(tmp_path: Path) -> None:
    images = load_images("gtsrb", packed(tmp_path))
    assert images.groups is not None
    assert np.unique(images.groups).size == sum(TRACKS.values())
    part = Partitioner(images.labels, 0, groups=images.groups).draw(np.full(2, 12), 1.0)
    one, other = (set(images.groups[row]) for row in part.samples)
    assert not one & other


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        ("nothing there", "neither gtsrb_train.npz nor GTSRB/Final_Training/Images"),
        ("no test classes", "GT-final_test.csv is missing"),
        ("no semicolons", "no rows with Filename and ClassId"),
        ("text as picture", "cannot be read as an image"),
        ("class 99", "test class 99"),
        ("odd name", "'sign' is no number"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, spoil: str, told: str) -> None:
    folder = tmp_path if spoil == "nothing there" else official(tmp_path)
    classes = folder / "GTSRB" / "Final_Test" / "Images" / "GT-final_test.csv"
    first = folder / "GTSRB" / "Final_Training" / "Images" / "00000"
    if spoil == "no test classes":
        classes.unlink()
    elif spoil == "no semicolons":
        classes.write_text(classes.read_text().replace(";", ","))
    elif spoil == "text as picture":
        (first / "00000_00000.ppm").write_text("no picture")
    elif spoil == "class 99":
        classes.write_text(classes.read_text().replace(";2\n", ";99\n"))
    elif spoil == "odd name":
        (first / "00000_00000.ppm").rename(first / "sign_00000.ppm")
    with pytest.raises(LefiError, match=told):
        load_images("gtsrb", folder)


def test_a_folder_must_be_named() -> None:
    with pytest.raises(LefiError, match="--folder"):
        load_images("gtsrb")
