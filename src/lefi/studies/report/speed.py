"""The report's section on speed, where `make bench` has been run: results/bench lies beside results/paper."""

from html import escape
from pathlib import Path

from lefi.errors import LefiError
from lefi.studies.figures import speed
from lefi.studies.figures.style import save, styled
from lefi.studies.judge.bench import Bench, lengths, ratios, read_bench
from lefi.studies.report.page import paragraph, picture, table

BESIDE = Path("bench", "bench.json")  # of the folder in which the results of the studies lie


def draw_speed(bench: Path, folder: Path) -> list[Path]:
    """The figure from a bench.json, as folder/speed.png and .svg."""
    return _draw(read_bench(bench), folder)


def speed_parts(results: Path, folder: Path) -> list[str]:
    """Figure and ratios; nothing where nothing was measured, one clear line where it cannot be read."""
    path = results.resolve().parent / BESIDE
    if not path.exists():
        return []
    try:
        found = read_bench(path)
    except LefiError as error:
        return ['<h2 id="speed">Speed</h2>', paragraph(f"Not told: {error}.", "note")]
    svg = next(file for file in _draw(found, folder) if file.suffix == ".svg")
    where = f" Measured on: {found.machine}." if found.machine else ""
    return [
        '<h2 id="speed">Speed</h2>',
        picture(svg, "Time of a round against the number of clients", speed.caption(found.contest) + where),
        *_ratios(found),
    ]


def _draw(found: Bench, folder: Path) -> list[Path]:
    with styled():
        return save(speed.draw(found.contest), folder, "speed")


def _ratios(found: Bench) -> list[str]:
    """How many times longer than lefi the rivals take."""
    rows = [
        [escape(name), str(rounds), f"{ratio.best:,.0f} x", _equal(ratio.equal)]
        for rounds in lengths(found.contest)
        for name, ratio in ratios(found.contest, rounds).items()
    ]
    if not rows:
        return []
    return [
        paragraph("How many times longer than lefi matern32 they take per client, with the same kernel:"),
        table(["", "answers", "each at its best fleet", "at equal fleets, of so many clients"], rows, numbers=3),
    ]


def _equal(found: dict[int, float]) -> str:
    return ", ".join(f"{times:,.0f} x at {clients:,}" for clients, times in found.items())
