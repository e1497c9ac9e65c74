"""The record of waterfill: share of the oracle's gain on seeds that nobody had looked at, as tables.

    python -m benchmarks.record [--mechanisms waterfill,lefi] [--labels ...] [--scenarios mixed,jump] [--clients 10,100]
        [--budgets 0.1,0.5,1] [--first 60000] [--seeds 30] [--shapes step,cube] [--into results/record.csv]
        [--table] [--page docs/waterfill.md] [--rounds 10,20,25]

Every fleet is a row of the file, and one that is there is not played again: a run that was stopped goes on. `--table`
plays nothing, and prints the medians of the file as Markdown; `--page` puts them into a page. Both have a column for
what the version before reached, whose rows are on file. Odd curves have 60 clients at 0.1 USD, in round 20.
"""

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

import lefi
from benchmarks import others, waterfill
from lefi.arrays import FloatArray

# Seeds of the record, played once, after the freeze. All was designed below 10000. Earlier versions were judged on
# 20000 to 20029, again and again, and one on 50000 to 50029, which showed what a guess of kinds had broken.
FIRST, SEEDS = 60_000, 30
SCENARIOS = ("paper", "capped", "mixed", "flaky", "reluctant", "noisy", "stubborn", "drifting", "churning", "jump")
ROUNDS = {
    "drifting": tuple(range(10, 61, 5)),
    "churning": tuple(range(10, 61, 5)),
    "jump": (14, 15, 17, 20, 25, 45),
}
ENDLESS = ("drifting", "churning")  # fleets that change all the time: the mean over their rounds counts
STILL = (3, 5, 10, 20, 30)  # rounds of all other scenarios
ODD = (60, 0.1, 20)  # clients, USD per client and round of odd curves
BEFORE = Path("docs/measured/waterfill_before.csv")  # rows of the version that this one has replaced
MARKS = ("<!-- record -->", "<!-- end of record -->")  # between which a page has the table
COLUMNS = ("label", "what", "clients", "budget", "seed", "round", "share", "overspend")
Row = tuple[str, str, int, float, int, int, float, float]


@dataclass(frozen=True)
class Fleet:
    """One fleet of the record: a scenario, or a shape of curve and a kind of fleet."""

    what: str
    clients: int
    budget: float  # USD per client
    seed: int

    def played(self, name: str, label: str) -> Iterator[Row]:
        """Its rows: the noise-free share of the gain in each round that counts."""
        at = (label, self.what, self.clients, self.budget, self.seed)
        if " / " in self.what:
            shape, kind = self.what.split(" / ")
            reached, _ = others.shares(shape, kind, self.clients, self.budget, ODD[2], self.seed, name)
            yield *at, ODD[2], reached, 0.0
            return
        rounds = list(ROUNDS.get(self.what, STILL))
        market = lefi.scenario(self.what, clients=self.clients, budget=self.budget * self.clients, seed=self.seed)
        found, over = waterfill.shares(name, market, rounds, self.seed, self.what in waterfill.CHANGING)
        for t, share in zip(rounds, found, strict=True):
            yield *at, t, float(share), over


def fleets(chosen: argparse.Namespace) -> Iterator[Fleet]:
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    for what, n, each, seed in product(listed(chosen.scenarios), listed(chosen.clients), listed(chosen.budgets), seeds):
        yield Fleet(what, int(n), float(each), seed)
    for shape, kind, seed in product(listed(chosen.shapes), others.KINDS, seeds):
        yield Fleet(f"{shape} / {kind}", ODD[0], ODD[1], seed)


def listed(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def read(file: Path) -> list[Row]:
    if not file.exists():
        return []
    with file.open() as opened:
        rows = list(csv.reader(opened))[1:]
    return [(r[0], r[1], int(r[2]), float(r[3]), int(r[4]), int(r[5]), float(r[6]), float(r[7])) for r in rows]


def play(chosen: argparse.Namespace, file: Path) -> None:
    """Play what the file lacks."""
    names = listed(chosen.mechanisms)
    there = {row[:5] for row in read(file)}
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", newline="") as opened:
        writer = csv.writer(opened, lineterminator="\n")
        if opened.tell() == 0:
            writer.writerow(COLUMNS)
        for fleet, (name, label) in product(
            fleets(chosen), zip(names, listed(chosen.labels) if chosen.labels else names, strict=True)
        ):
            if (label, fleet.what, fleet.clients, fleet.budget, fleet.seed) not in there:
                writer.writerows(fleet.played(name, label))
                opened.flush()


def table(rows: list[Row], rounds: tuple[int, ...] = ()) -> Iterator[str]:
    """Medians over the seeds that all have played, the smallest in brackets; where fleets change, of their means."""
    labels = list(dict.fromkeys(row[0] for row in rows))
    shared = set.intersection(*({row[1:5] for row in rows if row[0] == label} for label in labels))
    rows = sorted((row for row in rows if row[1:5] in shared), key=lambda row: order_of(row[1]))
    rows = [row for row in rows if not rounds or row[5] in rounds or row[1] in ENDLESS]
    yield f"| scenario | clients | USD each | round | seeds | {' | '.join(labels)} |"
    yield f"|---|---|---|---|---|{'---|' * len(labels)}"
    found: dict[tuple[str, int, float, str], dict[str, dict[int, list[float]]]] = {}
    for label, what, n, each, seed, t, share, _ in rows:
        when = "mean 10-60" if what in ENDLESS else f"{t}"
        cell = found.setdefault((what, n, each, when), {}).setdefault(label, {})
        cell.setdefault(seed, []).append(share)
    for (what, n, each, when), cells in found.items():
        told = [middle(cells[label]) for label in labels]
        yield f"| {what} | {n} | {each:g} | {when} | {len(cells[labels[0]])} | {' | '.join(told)} |"
    most = {label: max(row[7] for row in rows if row[0] == label) for label in labels}
    yield f"\nLargest overspend: {', '.join(f'{label} {max(over, 0.0):.1%}' for label, over in most.items())}."


def order_of(what: str) -> int:
    """Scenarios in their order, then odd curves."""
    return SCENARIOS.index(what) if what in SCENARIOS else len(SCENARIOS)


def write(page: Path, lines: Iterator[str], marks: tuple[str, str] = MARKS) -> None:
    """Put the table between its marks on the page."""
    before, _, rest = page.read_text().partition(f"{marks[0]}\n")
    _, _, after = rest.partition(marks[1])
    page.write_text("\n".join([before + marks[0], *lines, marks[1] + after]))


def middle(seeds: dict[int, list[float]]) -> str:
    """Median and minimum over seeds of the shares that mean something."""
    means: FloatArray = np.array([np.mean([s for s in shares if s == s] or [np.nan]) for shares in seeds.values()])
    known = means[~np.isnan(means)]
    return f"{np.median(known):.4f} ({known.min():.3f})" if known.size else "undefined"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mechanisms", default="waterfill")
    parser.add_argument("--labels", default="", help="what the file calls them, if not by their names")
    parser.add_argument("--scenarios", default=",".join(SCENARIOS))
    parser.add_argument("--clients", default="10,100")
    parser.add_argument("--budgets", default="0.1,0.5,1", help="USD per client")
    parser.add_argument("--shapes", default=",".join(others.SHAPES), help="odd curves")
    parser.add_argument("--first", type=int, default=FIRST, help="first seed")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--into", type=Path, default=Path("results/record.csv"))
    parser.add_argument("--rounds", default="", help="of the tables, if not all")
    parser.add_argument("--table", action="store_true", help="print the tables of the file")
    parser.add_argument("--page", type=Path, help="page to write the tables into, instead of playing")
    chosen = parser.parse_args()
    rounds = tuple(int(t) for t in listed(chosen.rounds))
    if chosen.page:
        write(chosen.page, table(read(BEFORE) + read(chosen.into), rounds))
    elif chosen.table:
        print("\n".join(table(read(BEFORE) + read(chosen.into), rounds)))
    else:
        play(chosen, chosen.into)


if __name__ == "__main__":
    main()
