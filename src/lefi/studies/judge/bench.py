"""What `make bench` measured, read back: the time of a round by fleet, ours and the rivals'."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, Field, PositiveInt, ValidationError

from lefi.errors import LefiError

KERNEL = "lefi matern32"  # ours with the kernel that the rivals have
EQUAL = 1000  # clients of a fleet that every rival reaches


class Timing(BaseModel, frozen=True):
    """CPU seconds of one thread for one round of a fleet whose clients have answered `rounds` times."""

    name: str = Field(min_length=1, max_length=40)
    clients: PositiveInt
    rounds: PositiveInt
    seconds: float = Field(gt=0, allow_inf_nan=False)


class Bench(BaseModel, frozen=True):
    """The part of bench.json that the report tells."""

    contest: list[Timing] = Field(min_length=1)
    machine: str = ""


@dataclass(frozen=True)
class Ratio:
    """How many times longer than ours a rival takes per client."""

    best: float  # each at the fleet that suits it best
    equal: dict[int, float]  # at the same fleet, by its clients


def read_bench(path: Path) -> Bench:
    """The file, or one line that says what is wrong with it."""
    try:
        return Bench.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise LefiError(f"cannot use {path}: {place + ': ' if place else ''}{first['msg']}") from error
    except OSError as error:
        raise LefiError(f"cannot use {path}: {error.strerror or error}") from error


def lengths(rows: list[Timing]) -> list[int]:
    """Answers per client that were measured."""
    return sorted({row.rounds for row in rows})


def per_client(rows: list[Timing], rounds: int, name: str) -> dict[int, float]:
    """Seconds per client, by fleet."""
    found = {row.clients: row.seconds / row.clients for row in rows if row.name == name and row.rounds == rounds}
    return dict(sorted(found.items()))


def ratios(rows: list[Timing], rounds: int) -> dict[str, Ratio]:
    """Every rival against ours with the same kernel; at equal fleets of 1,000 and of the most that it reached."""
    ours = per_client(rows, rounds, KERNEL)
    found: dict[str, Ratio] = {}
    for name in dict.fromkeys(row.name for row in rows if not row.name.startswith("lefi")):
        theirs = per_client(rows, rounds, name)
        both = [clients for clients in theirs if clients in ours]
        if both:
            shown = sorted({EQUAL, max(both)} & set(both))
            equal = {clients: theirs[clients] / ours[clients] for clients in shown}
            found[name] = Ratio(min(theirs.values()) / min(ours.values()), equal)
    return found
