"""Claims about sweeps: number of clients, budget, deadline."""

import numpy as np
import polars as pl

from lefi.arrays import FloatArray
from lefi.studies.claims.claim import EQUAL, LEVEL, RIVALS, Finding, Untested, finals, need, spelled
from lefi.studies.figures.rai import ratios
from lefi.studies.figures.style import in_order
from lefi.studies.judge.statistics import Interval, chance, difference, median, told
from lefi.studies.run.results import Finished, Matrix, Results, matrix

MANY = 1000
LEAST_SHARE = 0.9
FALL = 0.01  # of RAI: a change smaller than a hundredth of lefi's gain is none
LONGEST = 0.6  # seconds a round: 100 rounds within a minute
VARIANTS = ("lefi warm", "lefi usd")  # of the studies of many clients: other first weights, and the literal dollars


def falling_rai(results: Results) -> Finding:
    """(d) RAI of random and bara below 1, falling with the number of clients."""
    study = need(results, "clients", "lefi", *RIVALS)
    rows = ratios(study)
    seeds = sorted(rows["seed"].unique())
    words, parts, reasons, chances = [], [], [], []
    numbers: dict[str, float] = {}
    for name in RIVALS:
        rai = matrix(rows.filter(pl.col("mechanism") == name), "rai", "clients", seeds=seeds)
        if rai.by.size < 2:
            raise Untested(f"study clients has one number of clients for {name}")
        each = median(rai.values)
        fall = difference(rai.values[:, -1], rai.values[:, 0])
        first, final = (Interval(*(bound[place] for bound in each)) for place in (0, -1))
        words.append(
            f"{name} {told(first, 2)} at {rai.by[0]:,.0f} and {told(final, 2)} at {rai.by[-1]:,.0f} clients, change "
            f"{told(fall, 2)}"
        )
        below, falls = bool((each.high < 1).all()), float(fall.high) < 0 and float(fall.middle) <= -FALL
        parts += [below, falls]
        chances += [*(chance(-column, -1) for column in rai.values.T), chance(rai.values[:, 0] - rai.values[:, -1])]
        reasons += [] if below else [f"RAI of {name} is not below 1 at every number of clients"]
        reasons += [] if falls else [f"RAI of {name} does not fall by {FALL} or more"]
        numbers |= spelled(f"{name}_first", first) | spelled(f"{name}_last", final) | spelled(f"{name}_change", fall)
    return Finding("; ".join(words), parts, reasons, numbers, chances)


def budget(results: Results) -> Finding:
    """(e) Accuracy rises with the budget, all meet at the largest, lefi's lead is largest at the smallest."""
    study = need(results, "budget", "lefi", *RIVALS)
    tables = _by(study, "budget")
    literal = tables.pop("lefi usd", None)
    rises = {name: float(_steps(table).min()) for name, table in tables.items()}
    largest = tables["lefi"].by[-1]
    apart, all_apart = (_spread(tables, names, largest) for names in (("lefi", *RIVALS), tuple(tables)))
    met, all_met = median(apart), median(all_apart)
    leads = _lead(tables)
    top = tables["lefi"].by[int(np.argmax(leads.middle))]
    parts = [min(rises.values()) > 0, float(met.high) < EQUAL, bool(top == tables["lefi"].by[0])]
    smallest = Interval(*(bound[0] for bound in leads))
    measured = (
        f"accuracy rises at every step for {_those(rises)}; spread of lefi, bara and random at {largest:g} USD "
        f"{told(met, 4)} (of all mechanisms {told(all_met, 4)}); lead over the better of bara and random "
        f"{told(smallest, 3, 100)} percentage points at {tables['lefi'].by[0]:g} USD, largest "
        f"({100 * float(leads.middle.max()):.3f}) at {top:g} USD{_literal(tables, literal)}"
    )
    why = (
        "accuracy falls somewhere while the budget rises: " + ", ".join(n for n, step in rises.items() if step <= 0),
        f"the spread at {largest:g} USD is not below {EQUAL} with its interval",
        f"the lead is largest at {top:g} USD; bara and random begin with equal shares, which suit scarce money well",
    )
    numbers = spelled("spread", met) | spelled("spread_all", all_met) | spelled("lead_smallest", smallest)
    numbers |= {"lead_largest": float(leads.middle.max()), "lead_largest_at": float(top)}
    reasons = [w for w, holds in zip(why, parts, strict=True) if not holds]
    return Finding(measured, parts, reasons, numbers, [chance(-apart, -EQUAL)])


def deadline(results: Results) -> Finding:
    """(f) Accuracy falls with a stricter deadline; lefi stays ahead."""
    study = need(results, "deadline", "lefi", *RIVALS)
    tables = _by(study, "deadline")
    falls = all(
        float(difference(table.values[:, -1], table.values[:, 0]).low) > 0 and _steps(table).min() > -LEVEL
        for table in tables.values()
    )
    words, parts, reasons, chances = [], [falls], [], []
    numbers: dict[str, float] = {}
    reasons += [] if falls else ["accuracy does not fall everywhere with a stricter deadline"]
    for name in in_order(set(tables) - {"lefi"}):
        gap = difference(tables["lefi"].values, tables[name].values)
        ahead, behind = (
            int(((gap.low > 0) & (gap.middle >= LEVEL)).sum()),
            int(((gap.high < 0) & (gap.middle <= -LEVEL)).sum()),
        )
        loosest = Interval(*(bound[-1] for bound in gap))
        words.append(
            f"against {name} ahead at {ahead}, behind at {behind} of {gap.middle.size} deadlines, "
            f"{told(loosest, 3, 100)} percentage points at the loosest"
        )
        numbers |= spelled(f"lead_{name}", loosest) | {f"ahead_{name}": float(ahead), f"behind_{name}": float(behind)}
        if name in RIVALS:
            parts.append(float(loosest.low) > 0 and float(loosest.middle) >= LEVEL and behind == 0)
            chances.append(chance(tables["lefi"].values[:, -1] - tables[name].values[:, -1]))
            reasons += [] if parts[-1] else [f"lefi is not ahead of {name} at the loosest deadline, or behind at some"]
    lefi = median(tables["lefi"].values)
    strict, loose = (f"{lefi.middle[place]:.4f} at {tables['lefi'].by[place]:g} s" for place in (0, -1))
    words = [f"lefi's accuracy is {strict} and {loose}", *words]
    return Finding("; ".join(words), parts, reasons, numbers, chances)


def scales(results: Results) -> Finding:
    """(i) Works with thousands of clients: share reached, and time a round takes."""
    study = need(results, "clients", "lefi")
    shares = finals(study, "share", "clients", "lefi")
    most = int(shares.by[-1])
    if most < MANY:
        raise Untested(f"the largest fleet has {most} clients")
    share = median(shares.at(most))
    seconds = _seconds_per_round(study, most)
    parts = [float(share.low) >= LEAST_SHARE, seconds <= LONGEST]
    measured = (
        f"share of the oracle's gain {told(share)} with {most:,} clients after {study.last} rounds; "
        f"{seconds:.3f} s a round, judging included"
    )
    why = (f"the share at {most:,} clients is below {LEAST_SHARE}", f"a round takes longer than {LONGEST} s")
    reasons = [w for w, holds in zip(why, parts, strict=True) if not holds]
    numbers = spelled("share", share) | {"clients": most, "seconds_per_round": seconds}
    return Finding(measured, parts, reasons, numbers, [chance(shares.at(most), LEAST_SHARE)])


def fixed_budget(results: Results) -> Finding:
    """(o) Works with thousands of clients on the 5 USD that the paper states, and with 10,000 at 0.5 USD each."""
    places = (("clients_fixed", 1_000, 5.0), ("clients_many", 10_000, 5.0), ("clients_many", 10_000, 5_000.0))
    words, parts, reasons, chances = [], [], [], []
    numbers: dict[str, float] = {}
    for table, clients, money in places:
        final = at_the_end(results.heavy(table)).filter(clients=clients, budget=money)
        shares = {name: final.filter(mechanism=name)["share"].to_numpy() for name in ("lefi", *VARIANTS, "uniform")}
        found = {name: median(values) for name, values in shares.items()}
        worst = float(final.filter(mechanism="lefi usd")["worst"].to_numpy().max())
        where = f"{clients:,} clients, {money:g} USD"
        words.append(
            f"{where}: {told(found['lefi'], 2)}, from equal weights {told(found['lefi warm'], 2)}, with literal "
            f"dollars {told(found['lefi usd'], 2)} (spending up to {1 + worst:.3g} budgets), uniform "
            f"{told(found['uniform'], 3)}"
        )
        parts.append(float(found["lefi"].low) >= LEAST_SHARE)
        reasons += [] if parts[-1] else [f"the share with {where} is below {LEAST_SHARE}"]
        chances.append(chance(shares["lefi"], LEAST_SHARE))
        for name in shares:
            numbers |= spelled(f"{name.replace(' ', '_')}_{clients}_{money:g}", found[name])
    if not parts[0]:
        reasons.append(
            "its first offers, a tenth of an equal share, lie below what data costs most: few deliver, and no slope "
            "shows"
        )
    return Finding("share of the oracle's gain, " + "; ".join(words), parts, reasons, numbers, chances)


def at_the_end(table: pl.DataFrame) -> pl.DataFrame:
    """The rows of the last round."""
    return table.filter(pl.col("round") == pl.col("round").max())


def _by(study: Finished, setting: str) -> dict[str, Matrix]:
    """Final judged accuracy of each mechanism, at the values where all were measured."""
    tables = {name: finals(study, "judged", setting, name) for name in in_order(study.mechanisms)}
    common = [value for value in tables["lefi"].by if all(value in table.by for table in tables.values())]
    if len(common) < 2:
        raise Untested(f"study {study.name} has fewer than two values of {setting} with all mechanisms")
    return {
        name: Matrix(table.seeds, np.array(common), np.stack([table.at(value) for value in common], axis=1))
        for name, table in tables.items()
    }


def _steps(table: Matrix) -> FloatArray:
    """Median paired change from each value of the setting to the next."""
    return np.asarray(np.nanmedian(np.diff(table.values, axis=1), axis=0))


def _literal(tables: dict[str, Matrix], literal: Matrix | None) -> str:
    """What the paper's literal dollars do instead, where they were measured: the control."""
    if literal is None:
        return ""
    gap = difference(literal.values, tables["lefi"].values)
    places = (0, -1)
    words = [f"{told(Interval(*(b[at] for b in gap)), 3, 100)} at {literal.by[at]:g} USD" for at in places]
    return f"; with step and probe in literal dollars lefi differs by {' and '.join(words)}"


def _spread(tables: dict[str, Matrix], names: tuple[str, ...], place: float) -> FloatArray:
    """Largest minus smallest accuracy over mechanisms, seed by seed."""
    values = np.stack([tables[name].at(place) for name in names])
    return np.asarray(values.max(axis=0) - values.min(axis=0))


def _lead(tables: dict[str, Matrix]) -> Interval:
    """lefi minus the better of the paper's rivals, seed by seed."""
    return difference(tables["lefi"].values, np.maximum(*(tables[name].values for name in RIVALS)))


def _those(rises: dict[str, float]) -> str:
    rising = [name for name, step in rises.items() if step > 0]
    return ", ".join(rising) if rising else "no mechanism"


def _seconds_per_round(study: Finished, clients: int) -> float:
    spent = [
        told["seconds"] / told["run"]["rounds"]
        for told in study.runs
        if told["run"]["mechanism"] == "lefi" and told["run"]["clients"] == clients
    ]
    return float(np.median(spent)) if spent else float("nan")
