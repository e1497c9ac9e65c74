"""GTSRB, the German traffic signs: 43 classes, 32 x 32 pixels, from the official files or packed ones.

Official   GTSRB/Final_Training/Images/000CC/TTTTT_FFFFF.ppm   class, track and frame
           GTSRB/Final_Test/Images/NNNNN.ppm and GT-final_test.csv (Filename;...;ClassId), there or beside GTSRB
Packed     gtsrb_train.npz (images (n, 32, 32, 3), labels, tracks) and gtsrb_test.npz (images, labels)
Frames of one track show one sign from a car that drives by: they are a group, and never split between clients.
"""

import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lefi.arrays import IntArray
from lefi.errors import LefiError
from lefi.profiling.data import Images, read_npz

SIDE = 32  # pixels; signs are photographed with 15 to 250
CLASSES = 43
SOURCE = (
    "GTSRB_Final_Training_Images.zip, GTSRB_Final_Test_Images.zip and GTSRB_Final_Test_GT.zip of "
    "https://benchmark.ini.rub.de"
)


def gtsrb(folder: Path | None) -> Images:
    """The data set in this folder, in either layout."""
    if folder is None:
        raise LefiError(f"gtsrb needs --folder, where it lies: unpack {SOURCE}")
    if (folder / "gtsrb_train.npz").is_file():
        return _packed(folder)
    inner = folder / "GTSRB" if (folder / "GTSRB").is_dir() else folder
    if not (inner / "Final_Training" / "Images").is_dir():
        raise LefiError(f"{folder} holds neither gtsrb_train.npz nor GTSRB/Final_Training/Images: unpack {SOURCE}")
    return _official(inner)


def _packed(folder: Path) -> Images:
    train = read_npz(folder / "gtsrb_train.npz", ("images", "labels", "tracks"))
    test = read_npz(folder / "gtsrb_test.npz", ("images", "labels"))
    return _images(train["images"], train["labels"], train["tracks"], test["images"], test["labels"])


def _official(inner: Path) -> Images:
    files = sorted(inner.glob("Final_Training/Images/*/*.ppm"))
    if not files:
        raise LefiError(f"{inner / 'Final_Training' / 'Images'} holds no .ppm file: unpack {SOURCE}")
    labels = np.array([_whole(file, file.parent.name) for file in files])
    tracks = np.array([_whole(file, file.stem.partition("_")[0]) for file in files])
    signs = _test_signs(inner)
    test = [inner / "Final_Test" / "Images" / name for name in signs]
    pixels, test_pixels = (np.stack([_pixels(file) for file in names]) for names in (files, test))
    return _images(pixels, labels, tracks, test_pixels, np.array(list(signs.values())))


def _test_signs(inner: Path) -> dict[str, int]:
    """The class of every test image."""
    places = [inner / "Final_Test" / "Images", inner, inner.parent]
    found = next((place / "GT-final_test.csv" for place in places if (place / "GT-final_test.csv").is_file()), None)
    if found is None:
        raise LefiError(f"GT-final_test.csv is missing in {places[0]}: unpack {SOURCE}")
    with found.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    if not rows or not {"Filename", "ClassId"} <= set(rows[0]):
        raise LefiError(f"{found} has no rows with Filename and ClassId, separated by semicolons")
    return {Path(row["Filename"]).name: _whole(found, row["ClassId"]) for row in rows}


def _whole(file: Path, text: str) -> int:
    if not text.isdecimal():
        raise LefiError(f"{file}: {text!r} is no number of a class or a track")
    return int(text)


def _pixels(file: Path) -> NDArray[np.uint8]:
    from PIL import Image, UnidentifiedImageError  # matplotlib brings it

    try:
        with Image.open(file) as image:
            return np.asarray(image.convert("RGB").resize((SIDE, SIDE), Image.Resampling.BILINEAR))
    except (OSError, UnidentifiedImageError) as error:
        raise LefiError(f"{file} cannot be read as an image: {error}") from None


def _images(
    pixels: NDArray[np.uint8], labels: IntArray, tracks: IntArray, test: NDArray[np.uint8], test_labels: IntArray
) -> Images:
    """Channels first, and a number of its own for every track of every class."""
    for name, classes in (("training", labels), ("test", test_labels)):
        if classes.size and int(classes.max()) >= CLASSES:
            raise LefiError(f"gtsrb has the {name} class {classes.max()}: 0..{CLASSES - 1} are expected")
    groups = labels.astype(np.int64) * (int(tracks.max()) + 1) + tracks.astype(np.int64)
    first, last = (np.ascontiguousarray(part.transpose(0, 3, 1, 2)) for part in (pixels, test))
    return Images("gtsrb", first, labels.astype(np.int64), last, test_labels.astype(np.int64), groups)
