"""Files of weights: NumPy's npz with named arrays, no pickle; whatever is wrong with one is said in one line."""

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lefi.agent.network import SHAPES, Layers
from lefi.agent.sight import NAMES
from lefi.arrays import FloatArray
from lefi.errors import LefiError

KIND = "lefi drl 1"  # a file that says otherwise is not ours, or of another network
SHIPPED = Path(__file__).with_name("shipped.npz")
MOST = 1_000_000  # bytes: a network has less than a tenth of that


class Weights(NamedTuple):
    """A network and what its file says about it; `more` are further arrays, which go on a training."""

    layers: Layers
    about: dict[str, Any]
    more: dict[str, FloatArray]


def find(name: str) -> Path:
    """The file that ships with lefi for "shipped", else the path itself."""
    return SHIPPED if name == "shipped" else Path(name)


def save(path: Path, weights: Weights) -> None:
    """Write the file whole or not at all."""
    from lefi.files import refusals  # with Polars, which takes long to import and which nobody needs who only plays

    about = json.dumps({"kind": KIND, "sees": NAMES} | weights.about)
    arrays = weights.layers._asdict() | weights.more
    hidden = path.with_name(f".{path.name}")
    with refusals(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        with hidden.open("wb") as file:
            np.savez_compressed(file, about=np.frombuffer(about.encode(), dtype=np.uint8), **arrays)
        hidden.replace(path)


def load(name: str) -> Weights:
    """The weights in a file, checked; LefiError names the file and what was expected."""
    path = find(name)
    arrays = _arrays(path)
    about = _about(path, arrays)
    layers = []
    for field, shape in SHAPES._asdict().items():
        array = arrays.pop(field, None)
        if array is None or array.dtype.kind != "f" or array.shape != shape:
            had = "none" if array is None else f"{array.dtype} of shape {array.shape}"
            raise _unusable(path, f"array {field} of floats of shape {shape}, not {had}")
        if not np.isfinite(array).all():
            raise _unusable(path, f"finite numbers in array {field}")
        layers.append(array.astype(np.float64))
    return Weights(Layers(*layers), about, arrays)


def _arrays(path: Path) -> dict[str, FloatArray]:
    wanted = "a file of `lefi drl train`"
    try:
        if path.stat().st_size > MOST:
            raise _unusable(path, f"{wanted}, of less than {MOST:,} bytes")
        with path.open("rb") as file:
            found = np.load(file, allow_pickle=False)
            if not isinstance(found, np.lib.npyio.NpzFile):
                raise _unusable(path, f"{wanted}, not a single array")
            return {name: found[name] for name in found.files}
    except OSError as error:
        if error.strerror is None:  # numpy's own, for a file that is no archive
            raise _unusable(path, wanted) from None
        raise LefiError(f"cannot use weights {path}: {error.strerror}") from None
    except (ValueError, EOFError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error):
        raise _unusable(path, f"{wanted}, undamaged") from None


def _about(path: Path, arrays: dict[str, Any]) -> dict[str, Any]:
    try:
        about = json.loads(arrays.pop("about").tobytes())
        kind, sees = about.pop("kind"), about.pop("sees")
    except (KeyError, ValueError, AttributeError, TypeError):
        raise _unusable(path, f"an entry about that says {KIND!r}") from None
    if kind != KIND:
        raise _unusable(path, f"kind {KIND!r}, not {str(kind)[:40]!r}")
    if tuple(sees) != NAMES:
        raise _unusable(path, f"a network that sees {', '.join(NAMES)}")
    return dict(about)


def _unusable(path: Path, wanted: str) -> LefiError:
    return LefiError(f"cannot use weights {path}: expected {wanted}")
