"""Claims about single runs at the paper's default setting: settling, rise and spread, order, smoothness."""

from inspect import signature

import numpy as np

from lefi.arrays import FloatArray
from lefi.mechanisms import registered
from lefi.mechanisms.pacing import at_rest
from lefi.studies.claims.claim import EQUAL, RIVALS, Finding, Untested, last, need, spelled
from lefi.studies.figures.traces import TOLERANCE, distance, spread
from lefi.studies.judge.statistics import chance, difference, median, settled, told
from lefi.studies.run.results import Finished, Results, binding, matrix, series

ABOUT_20 = 25
FEW = 5  # rounds that "rise first" and "spread then" are given
MOST = 0.95  # of the clients
APART = "the first steps, drawn at random, set the weights apart before the budget binds"
TOGETHER = (
    "the weights come together again: with equal rates and no caps the best weights are nearly equal "
    "(alpha = A' / (lambda beta), and A' is nearly flat), so lasting differences are not to be expected"
)


def settles(results: Results) -> Finding:
    """(a) Weights and sizes come to rest within about 20 rounds."""
    study = need(results, "convergence", "lefi")
    words, parts, reasons = [], [], []
    numbers: dict[str, float] = {}
    for value in ("weight", "size"):
        tables = _series(study, value)
        end = len(tables[0])
        rounds = np.array([settled(table) or end + 1 for table in tables], dtype=np.float64)
        found = median(rounds)
        middle, low, high = (f"{x:.0f}" if x <= end else f">{end}" for x in found)
        soon, ever = int((rounds <= ABOUT_20).sum()), int((rounds <= end).sum())
        words.append(
            f"{value}s settle in round {middle} [{low}, {high}]; {soon} of {len(rounds)} fleets by round {ABOUT_20}, "
            f"{ever} by round {end}"
        )
        parts.append(float(found.middle) <= ABOUT_20)
        away = float(np.median([distance(table)[min(20, end) - 1] for table in tables]))
        if not parts[-1]:
            reasons.append(f"in round 20 the furthest client is still {100 * away:.0f}% from its final {value}")
        numbers |= spelled(f"settled_{value}", found) | {f"by_20_{value}": soon / len(rounds)}
        numbers |= {f"by_end_{value}": ever / len(rounds), f"distance_20_{value}": away}
    if reasons:
        reasons.append("each step is drawn at random from a client's process (Algorithm 1), which keeps weights moving")
    return Finding("; ".join(words), parts, reasons, numbers)


def rises_and_spreads(results: Results) -> Finding:
    """(b) All weights rise first, and spread once the budget binds."""
    study = need(results, "convergence", "lefi")
    binds = binding(study, "lefi")
    rising, at_bind, soon, end = _rise(study, binds)
    up, growth, final = median(rising), difference(soon, at_bind), median(end)
    parts = [float(up.middle) >= MOST, float(growth.low) > 0, float(final.low) > TOLERANCE]
    bound = [bind for bind in binds.values() if bind is not None]
    when = f"round {np.median(bound):.0f} (median)" if bound else "no round"
    measured = (
        f"{told(up, 0, 100)}% of clients rise until the budget binds ({when}); spread (sd / mean over clients) changes "
        f"by {told(growth, 2)} in the {FEW} rounds after that, and is {told(final, 3)} in the last round"
    )
    why = (
        f"not every weight rises: only {100 * float(up.middle):.0f}% of clients in the median fleet",
        f"the spread is {float(np.median(at_bind)):.2f} by then and does not grow: {APART}",
        TOGETHER,
    )
    reasons = [reason for reason, holds in zip(why, parts, strict=True) if not holds]
    numbers = spelled("rising", up) | spelled("growth", growth) | spelled("final_spread", final)
    return Finding(measured, parts, reasons, numbers, [chance(soon - at_bind), chance(end, TOLERANCE)])


def _rise(study: Finished, binds: dict[int, int | None]) -> FloatArray:
    """Per seed: share of clients that rise; spread where the budget binds, a few rounds later, at the end."""
    warm = _warm_start(study)
    columns = []
    for seed, table in series(study, "lefi", "weight").items():
        last = len(table)
        bind = binds[seed] or warm + FEW
        until = min(max(warm + 1, min(bind, warm + FEW)), last)
        rises = np.mean(table[until - 1] > table[min(warm, last) - 1])
        apart = spread(table)
        columns.append((rises, apart[min(bind, last) - 1], apart[min(bind + FEW, last) - 1], apart[-1]))
    if not columns:
        raise Untested("study convergence kept no clients table of lefi")
    return np.array(columns).T


def order(results: Results) -> Finding:
    """(c) Final accuracy: lefi above bara above random."""
    study = need(results, "convergence", "lefi", *RIVALS)
    ends = {name: last(study, "judged", name) for name in ("lefi", *RIVALS)}
    words, parts, reasons, chances = [], [], [], []
    numbers: dict[str, float] = {}
    for ours, theirs in (("lefi", "bara"), ("bara", "random")):
        gap = difference(ends[ours], ends[theirs])
        words.append(f"{ours} - {theirs} {told(gap, 3, 100)} percentage points")
        parts.append(float(gap.low) > 0)
        chances.append(chance(ends[ours] - ends[theirs]))
        numbers |= spelled(f"{ours}_{theirs}", gap)
        if not parts[-1]:
            reasons.append(f"the interval of {ours} - {theirs} is not above 0")
    return Finding("; ".join(words), parts, reasons, numbers, chances)


def smooth(results: Results) -> Finding:
    """(g) No large drop of accuracy from one round to the next after round 20."""
    study = need(results, "convergence", "lefi")
    if study.last <= 21:
        raise Untested("the runs end by round 21")
    found = {name: _drops(study, name) for name in study.mechanisms}
    ours = median(found["lefi"])
    worst = float(found["lefi"].max())
    others = ", ".join(f"{name} {100 * float(np.median(found[name])):.3f}" for name in RIVALS if name in found)
    measured = (
        f"largest drop after round 20: {told(ours, 3, 100)} percentage points (median fleet), {100 * worst:.3f} in the "
        f"worst fleet" + (f"; {others} (medians)" if others else "")
    )
    parts = [float(ours.middle) < EQUAL, float(ours.high) < EQUAL]
    reasons = [] if all(parts) else [f"drops of {100 * EQUAL:g} percentage points or more still happen after round 20"]
    numbers = spelled("drop", ours) | {"worst": worst}
    return Finding(measured, parts, reasons, numbers, [chance(-found["lefi"], -EQUAL)])


def until_convergence(results: Results) -> Finding:
    """(p) Where the loop would end if it ended at rest, and what the rest of the rounds cost and bring."""
    study = need(results, "convergence", "lefi")
    accuracy, paid = (matrix(study.of("lefi"), name).values for name in ("accuracy", "paid"))
    end = accuracy.shape[1]
    stops = np.array([next((t for t in range(1, end) if at_rest(row[:t])), end) for row in accuracy])
    early = stops < end
    saved = 1 - np.array([row[:stop].sum() / row.sum() for row, stop in zip(paid, stops, strict=True)])
    lost = accuracy[:, -1] - accuracy[np.arange(len(stops)), stops - 1]
    when, money, less = median(stops.astype(np.float64)), median(saved), median(lost)
    measured = (
        f"at rest in round {told(when, 0)} of {end}, {int(early.sum())} of {early.size} fleets before that; to stop "
        f"there saves {told(money, 0, 100)}% of the money and loses {told(less, 3, 100)} percentage points"
    )
    rests = float(when.middle) < end
    parts = [rests, rests and float(less.high) < EQUAL]
    why = (f"the median fleet still improves in round {end}", "stopping there loses accuracy that is worth having")
    reasons = [reason for reason, holds in zip(why, parts, strict=True) if not holds]
    numbers = spelled("stop", when) | spelled("saved", money) | spelled("lost", less)
    return Finding(measured, parts, reasons, numbers, [chance(-lost, -EQUAL)])


def _drops(study: Finished, mechanism: str) -> FloatArray:
    """Per seed the largest fall of the realised accuracy between neighbouring rounds from round 20 on; 0 if none."""
    table = matrix(study.of(mechanism), "accuracy")
    later = table.values[:, table.by >= 20]
    return np.asarray(np.maximum(-np.diff(later, axis=1), 0).max(axis=1))


def _series(study: Finished, value: str) -> list[FloatArray]:
    tables = list(series(study, "lefi", value).values())
    if not tables:
        raise Untested("study convergence kept no clients table of lefi")
    return tables


def _warm_start(study: Finished) -> int:
    """Rounds of warm start that lefi was set to."""
    default = signature(registered()["lefi"]).parameters["warm_start"].default
    return int(study.settings.get("mechanism", {}).get("lefi", {}).get("warm_start", default))
