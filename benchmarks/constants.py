"""What happens to waterfill at half and at twice each of its constants, compiled ones too.

    python -m benchmarks.constants [--names HORIZON,VAGUE] [--seeds 3] [--first 300]
        [--into results/constants.csv] [--table] [--page docs/waterfill.md] [--size]

Compiled code has constants frozen in. So each change is made in a copy of the sources, which a process of its own
plays: that takes a minute or two, most of it compilation. What the file has is not played again. `--table` prints what
it has, `--page` puts it into a page. Share of the oracle's gain, mean over some rounds and median over fleets of ten at
0.5 USD each: what moves it by more than FELT. Single rounds would tell more of who was tried just then.
"""

import argparse
import ast
import csv
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

import lefi
from benchmarks.record import write
from benchmarks.waterfill import CHANGING, shares

PACKAGE = "src/lefi/mechanisms/waterfill"
MARKS = ("<!-- constants -->", "<!-- end of constants -->")  # between which a page has the table
ROUNDS = {
    "mixed": range(5, 21),
    "noisy": range(6, 26),
    "stubborn": range(8, 25),
    "jump": range(16, 26),
    "churning": range(10, 41, 3),
}
FACTORS = (0.5, 2.0)
FELT = 0.005  # share that a change must move to be told
GIVEN = {"curves.KINDS", "curves.COLUMNS", "memory.PARTS", "points.COSTS", "points.GAPS"}  # no choices
USUAL = ("", 1.0)  # name and factor of the row in which nothing is changed
Shares = dict[str, float]  # by scenario


class Constant(NamedTuple):
    """A number of a module, where it stands, and what the comment on its line says."""

    file: str
    name: str  # file.NAME, or file.NAME[1] of several numbers
    value: float
    line: int
    start: int
    end: int
    why: str


def constants(package: Path) -> Iterator[Constant]:
    """The numbers that modules of a package give names to."""
    for path in sorted(package.glob("*.py")):
        text = path.read_text()
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign):
                why = text.splitlines()[node.lineno - 1].partition("  # ")[2]
                for name, number in named(node.targets[0], node.value):
                    place = number.lineno, number.col_offset, number.end_col_offset or 0
                    if f"{path.stem}.{name}".partition("[")[0] not in GIVEN:
                        yield Constant(path.name, f"{path.stem}.{name}", ast.literal_eval(number), *place, why)


def named(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.Constant]]:
    """The names in capitals and their numbers in an assignment, of tuples each."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=True):
            yield from named(one, its)
    elif isinstance(target, ast.Name) and target.id.isupper():
        if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
            yield target.id, value
        elif isinstance(value, ast.Tuple):
            for i, its in enumerate(value.elts):
                yield from named(ast.Name(f"{target.id}[{i}]".upper()), its)


def size(package: Path) -> str:
    """How much there is to read: lines, names of numbers, and numbers other than 0, 1, 2."""
    texts = [path.read_text() for path in sorted(package.glob("*.py"))]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text))]
    numbers = [n.value for n in nodes if isinstance(n, ast.Constant) and type(n.value) in (int, float)]
    wordy = max(len(n.args.args) for n in nodes if isinstance(n, ast.FunctionDef))
    names = {c.name.partition("[")[0] for c in constants(package)}
    lines = [len(text.splitlines()) for text in texts]
    tuned = sum(number not in (0, 1, 2) for number in numbers)
    long = f"{sum(lines)} lines, {max(lines)} in the longest file, at most {wordy} arguments"
    return f"{long}; {len(names)} named numbers, {tuned} numbers other than 0, 1, 2"


def changed(text: str, constant: Constant, factor: float) -> str:
    """The source with the constant times the factor; a whole number stays one, and at least 1."""
    lines, value = text.splitlines(keepends=True), constant.value * factor
    said = repr(max(int(value), 1) if isinstance(constant.value, int) else value)
    line = lines[constant.line - 1]
    lines[constant.line - 1] = line[: constant.start] + said + line[constant.end :]
    return "".join(lines)


def reached(seeds: range) -> Shares:
    """Median share by scenario."""
    found: Shares = {}
    for scenario, rounds in ROUNDS.items():
        rows = []
        for seed in seeds:
            market = lefi.scenario(scenario, clients=10, seed=seed)
            row, _ = shares("waterfill", market, list(rounds), seed, changing=scenario in CHANGING)
            rows.append(np.nanmean(row))
        found[scenario] = float(np.median(rows))
    return found


def apart(module: str, seeds: range, change: Callable[[Path], None]) -> Any:
    """What `--reached` of a benchmark prints in a process of its own, after a change of the package's sources."""
    with TemporaryDirectory() as folder:
        for part in ("src", "benchmarks"):
            shutil.copytree(part, Path(folder, part), ignore=shutil.ignore_patterns("__pycache__"))
        change(Path(folder, PACKAGE))
        command = [sys.executable, "-m", module, "--reached"]
        command += ["--first", str(seeds.start), "--seeds", str(len(seeds))]
        paths = os.pathsep.join([str(Path(folder, "src")), folder, os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": paths, "NUMBA_CACHE_DIR": str(Path(folder, "cache"))}
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)


def played(seeds: range, constant: Constant | None, factor: float) -> Shares:
    """The same with one constant changed."""

    def change(package: Path) -> None:
        if constant:
            path = package / constant.file
            path.write_text(changed(path.read_text(), constant, factor))

    found: Shares = apart("benchmarks.constants", seeds, change)
    return found


def read(file: Path) -> dict[tuple[str, float], Shares]:
    if not file.exists():
        return {}
    with file.open() as opened:
        return {(name, float(factor)): json.loads(found) for name, factor, found in csv.reader(opened)}


def play(chosen: argparse.Namespace) -> None:
    """Play what the file lacks."""
    seeds, there = range(chosen.first, chosen.first + chosen.seeds), read(chosen.into)
    wanted = {name for name in chosen.names.split(",") if name}
    every = [c for c in constants(Path(PACKAGE)) if not wanted or c.name.split(".")[1] in wanted]
    chosen.into.parent.mkdir(parents=True, exist_ok=True)
    with chosen.into.open("a", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        for constant, factor in [(None, 1.0), *((c, f) for c in every for f in FACTORS)]:
            name = constant.name if constant else USUAL[0]
            if (name, factor) not in there:
                writer.writerow([name, factor, json.dumps(played(seeds, constant, factor))])
                opened.flush()


def table(every: list[Constant], found: dict[tuple[str, float], Shares]) -> Iterator[str]:
    """Of the constants that were played: what they are, and what moves."""
    yield "| constant | value | what it is | half | twice |\n|---|---|---|---|---|"
    for one in every:
        if all((one.name, factor) in found for factor in FACTORS):
            half, twice = (told(found[USUAL], found[one.name, factor]) for factor in FACTORS)
            yield f"| {one.name} | {one.value:g} | {one.why} | {half} | {twice} |"


def told(usual: Shares, now: Shares) -> str:
    felt = [f"{where} {now[where] - usual[where]:+.3f}" for where in usual if abs(now[where] - usual[where]) > FELT]
    return ", ".join(felt) or "nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--names", default="", help="of constants, if not all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=300, help="first seed: not those of the record")
    parser.add_argument("--into", type=Path, default=Path("results/constants.csv"))
    parser.add_argument("--table", action="store_true", help="print the table of the file")
    parser.add_argument("--page", type=Path, help="page to write the table into, instead of playing")
    parser.add_argument("--size", action="store_true", help="print how much there is to read, instead of playing")
    parser.add_argument("--reached", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    lines = table(list(constants(Path(PACKAGE))), read(chosen.into))
    if chosen.reached:
        print(json.dumps(reached(range(chosen.first, chosen.first + chosen.seeds))))
    elif chosen.size:
        print(size(Path(PACKAGE)))
    elif chosen.page:
        write(chosen.page, lines, MARKS)
    elif chosen.table:
        print("\n".join(lines))
    else:
        play(chosen)


if __name__ == "__main__":
    main()
