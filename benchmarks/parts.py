"""What each part of waterfill is worth: the lines it takes, and the share that is lost without it.

    python -m benchmarks.parts [--parts jumps,steps] [--seeds 16] [--first 400] [--jobs 2] [--page docs/waterfill.md]

A part is left out by one change of one line, in a copy of the sources that a process of its own plays: a minute or two
each. What docs/measured/parts.json has of the same sources is not played again. `--page` only writes the table. Shares
are means over some rounds, on the same fleets with and without the part; told is the mean difference where it is above
FELT and above two standard errors.
"""

import argparse
import ast
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np

import lefi
from benchmarks import others
from benchmarks.constants import FELT, PACKAGE, apart
from benchmarks.record import write
from benchmarks.waterfill import CHANGING, shares

KEPT = Path("docs", "measured", "parts.json")
MARKS = ("<!-- parts -->", "<!-- end of parts -->")  # between which a page has the table
ROUNDS = {
    "mixed": range(3, 21),
    "reluctant": range(5, 26, 2),
    "noisy": range(6, 26),
    "stubborn": range(8, 26, 2),
    "jump": range(16, 27),
    "drifting": range(10, 41, 3),
    "churning": range(10, 41, 3),
}
CURVES = ("root", "cube", "two steps", "three steps")  # of clients that no scenario knows
USUAL = "usual"
Shares = dict[str, list[float]]  # by where, one per fleet


class Part(NamedTuple):
    """A part: what it is for, the change that leaves it out, and what only it needs (functions, classes, files)."""

    what: str
    file: str
    line: str
    instead: str
    needs: tuple[str, ...]


SPREAD = "            spread(kind, client, shared, points, s)"  # weighs a family
SKIP = "            if kind not in {}:\n                spread(kind, client, shared, points, s)"
PARTS = {
    "formula": Part(
        "who is known is served by a formula",
        *("plain.py", "fits = calm and (", "fits = calm and shared.now < 0 and ("),
        ("formula.py", "plain.py", "commons.believe", "turns.kept_cost", "turns.lowered", "solver.sharing"),
    ),
    "tries": Part(
        "what an answer is worth later",
        *("solver.py", "HORIZON, EARLY = 300.0, 4.0", "HORIZON, EARLY = 0.0, 0.0"),
        tuple(f"candidates.{name}" for name in ("Stakes", "View", "foresee", "look", "told")),
    ),
    "fixed costs": Part(
        "the family of the shy",
        *("narrowing.py", SPREAD, SKIP.format("(2, 3)")),
        ("curves.least_fixed", "narrowing.place_fixed"),
    ),
    "powers": Part(
        "the family of powers",
        *("narrowing.py", SPREAD, SKIP.format("(4, 5)")),
        ("commons.exponents",),
    ),
    "steps": Part("the family of all or nothing", "narrowing.py", SPREAD, SKIP.format("(6,)"), ()),
    "stairs": Part(
        "the family of last resort, for odd curves",
        *("narrowing.py", "        climb(client, shared, points, s)\n", ""),
        ("staircase.py", "curves.reached"),
    ),
    "noise": Part(
        "noise and drift are learned",
        *("commons.py", "var=var, rho=rho, drift=drift", "var=var, rho=self.shared.rho, drift=0.0"),
        ("commons._noise", "commons.regress", "commons.disorder", "review.explain_all"),
    ),
    "drift": Part("drift is learned", "commons.py", "drift=drift, caps", "drift=0.0, caps", ("commons.regress",)),
    "order": Part(
        "noise has to show itself by answers out of order",
        *("commons.py", "ORDERLY = 10.0", "ORDERLY = 1e30"),
        ("commons.disorder",),
    ),
    "outliers": Part("who is far off tells nothing of noise", "commons.py", "OUTLIER = 4.0", "OUTLIER = 1e30", ()),
    "jumps": Part(
        "a change of all prices is noticed",
        *("commons.py", "SURPRISED = 0.3", "SURPRISED = 9.0"),
        ("commons.watch", "review.surprises"),
    ),
    "priors": Part(
        "locations of some tell those of others",
        *("commons.py", "BROAD = 0.3", "BROAD = 0.0"),
        ("commons._locations",),
    ),
    "caps": Part(
        "caps of some tell those of others",
        *("narrowing.py", "max(shared.caps[i * 5 % POINTS], client.seen)", "shared.high"),
        ("commons._caps",),
    ),
    "chances": Part(
        "kinds of some tell those of others",
        *("commons.py", "FIRST, EACH = 2.0, 0.2", "FIRST, EACH = 1e9, 0.2"),
        ("commons.chances", "commons.exponents"),
    ),
    "kinks": Part("candidates at kinks", "candidates.py", "GRID, TOPS = 16, 6", "GRID, TOPS = 16, 1", ("curves.kink",)),
    "old answers": Part(
        "of old answers those go that are close to a new one",
        *("memory.py", "if j >= SLOTS // 2 and", "if j < 0 and"),
        ("memory.place",),
    ),
}


def lines(part: Part) -> int:
    """Of what only this part needs."""
    count = 1
    for need in part.needs:
        file, _, name = need.partition(".")
        text = Path(PACKAGE, f"{file}.py").read_text()
        if name == "py":
            count += len(text.splitlines())
            continue
        nodes = (n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef | ast.ClassDef))
        (node,) = (n for n in nodes if n.name == name)
        count += (node.end_lineno or 0) - min([node.lineno, *(one.lineno for one in node.decorator_list)]) + 1
    return count


def without(part: Part, package: Path) -> None:
    """Leave the part out of the sources in this folder."""
    path = package / part.file
    before, _, after = path.read_text().partition(part.line)
    if not after or part.line in after:
        raise ValueError(f"{part.file} has not one {part.line!r}")
    path.write_text(before + part.instead + after)


def reached(seeds: range) -> Shares:
    """The share on every fleet."""
    found: Shares = {}
    for scenario, rounds in ROUNDS.items():
        for seed in seeds:
            market = lefi.scenario(scenario, clients=10, seed=seed)
            row, _ = shares("waterfill", market, list(rounds), seed, changing=scenario in CHANGING)
            found.setdefault(scenario, []).append(float(np.nanmean(row)))
    for shape in CURVES:
        found[shape] = [others.shares(shape, "plain", 40, 0.1, 20, seed)[0] for seed in seeds]
    return found


def played(seeds: range, part: Part | None) -> Shares:
    """The same in a process of its own, without the part."""
    found: Shares = apart("benchmarks.parts", seeds, lambda package: without(part, package) if part else None)
    return found


def play(chosen: argparse.Namespace) -> None:
    """Play the parts that are asked for, and keep what was found."""
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    names = [USUAL, *(chosen.parts.split(",") if chosen.parts else PARTS)]
    kept: dict[str, Shares] = json.loads(KEPT.read_text()) if KEPT.exists() and chosen.parts else {}

    def one(name: str) -> None:
        kept[name] = played(seeds, PARTS.get(name))
        print(name, {where: round(float(np.mean(found)), 3) for where, found in kept[name].items()}, flush=True)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(one, names))
    KEPT.write_text(json.dumps({name: kept[name] for name in [USUAL, *PARTS] if name in kept}, indent=1) + "\n")


def table() -> Iterator[str]:
    """Parts, their lines, and what is lost without them."""
    kept: dict[str, Shares] = json.loads(KEPT.read_text())
    yield "| part | what it is | lines | without it |\n|---|---|---|---|"
    for name, part in PARTS.items():
        if name in kept:
            yield f"| {name} | {part.what} | {lines(part)} | {told(kept[USUAL], kept[name])} |"


def told(usual: Shares, now: Shares) -> str:
    """Where the share moves."""
    felt = []
    for where in usual:
        apart = np.array(now[where]) - np.array(usual[where])
        if abs(apart.mean()) > max(FELT, 2 * apart.std(ddof=1) / np.sqrt(apart.size)):
            felt.append(f"{where} {apart.mean():+.3f}")
    return ", ".join(felt) or "nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--parts", default="", help="some, if not all")
    parser.add_argument("--seeds", type=int, default=16)
    parser.add_argument("--first", type=int, default=400, help="first seed: not those of the record")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--page", type=Path, help="page to write the table into, instead of playing")
    parser.add_argument("--reached", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.reached:
        print(json.dumps(reached(range(chosen.first, chosen.first + chosen.seeds))))
    elif chosen.page:
        write(chosen.page, table(), MARKS)
    else:
        play(chosen)


if __name__ == "__main__":
    main()
