"""The tables and sentences of speed in README and docs/surrogate.md, from bench.json of `make bench`."""

from typing import Any, NamedTuple

from lefi.studies.report.markdown import markdown

RIVALS = ("scikit-learn", "GPyTorch", "tinygp")
OURS = ("lefi iwp", "lefi matern32", "lefi matern52", "lefi rbf")
ANSWERS = (20, 100)  # lengths of history in the contest
Measured = dict[str, Any]  # by the file's name without its ending


class Pace(NamedTuple):
    """A fleet, and the CPU time of one client's round in it."""

    clients: int
    us: float


def _paces(measured: Measured, name: str, answers: int) -> list[Pace]:
    rows = (row for row in measured["bench"]["contest"] if row["name"] == name and row["rounds"] == answers)
    return [Pace(row["clients"], 1e6 * row["seconds"] / row["clients"]) for row in rows]


def _best(measured: Measured, name: str, answers: int) -> Pace:
    return min(_paces(measured, name, answers), key=lambda pace: pace.us)


def _times(theirs: float, ours: float) -> str:
    return f"{theirs / ours:,.0f} x"


def per_client(measured: Measured) -> str:
    """Microseconds per client at the longer history, each at the fleet that suits it best."""
    best = {name: _best(measured, name, ANSWERS[-1]).us for name in (*OURS, *RIVALS)}
    cells = [[name, f"{best[name]:.2f}", "", ""] for name in OURS]
    cells += [
        [name, f"{best[name]:,.0f}", *(_times(best[name], best[ours]) for ours in ("lefi matern32", "lefi iwp"))]
        for name in RIVALS
    ]
    return markdown(["", "us", "against matern32", "against iwp"], cells)


def equal_fleets(measured: Measured) -> str:
    """Rivals against matern32: at their best, and with equally many clients."""
    cells = []
    for name in RIVALS:
        row = [name]
        for answers in ANSWERS:
            ours = {pace.clients: pace.us for pace in _paces(measured, "lefi matern32", answers)}
            theirs = _paces(measured, name, answers)
            best, most = _best(measured, name, answers).us, theirs[-1]
            equal = next(pace for pace in theirs if pace.clients == 1000)
            row += [_times(best, min(ours.values())), _times(equal.us, ours[1000])]
            row.append(f"{_times(most.us, ours[most.clients])} at {most.clients:,}")
        cells.append(row)
    head = [f"{answers} answers: {word}" for answers in ANSWERS for word in ("best", "1,000 clients", "most clients")]
    return markdown(["", *head], cells)


def fitted(measured: Measured) -> str:
    """Hyper-parameters learned in the round, against scikit-learn with its optimiser."""
    rows = measured["bench"]["hyper"]
    sklearn = 1e6 * next(row["seconds"] for row in rows if row["name"] == "scikit-learn")
    ours = {(row["name"], row["clients"]): 1e6 * row["seconds"] for row in rows if row["name"] != "scikit-learn"}
    fleets = sorted({clients for _, clients in ours})
    names = {"one set for the fleet": "`learn`, one set for the fleet (what `lefi` does)"}
    names["one set per client"] = "`learn_each`, one set per client"
    cells = [
        [words, *(f"{ours[name, n]:.2g} us, {_times(sklearn, ours[name, n])}" for n in fleets)]
        for name, words in names.items()
    ]
    head = [f"scikit-learn: {sklearn:,.0f} us", *(f"{clients:,} clients" for clients in fleets)]
    return markdown(head, cells)


def copies(measured: Measured) -> str:
    """A round against a copy of the bytes that it moves."""
    bench = measured["bench"]
    cells = [
        [kernel, f"{floor:.1f} copies", "{seconds:.2f} s = {copies:.1f} copies".format(**bench["million"][kernel])]
        for kernel, floor in bench["floor"].items()
    ]
    return markdown(["", "one thread, 200,000 clients", "two threads, 1,000,000 clients, wall time"], cells)


def whole(measured: Measured) -> str:
    """A whole round of a million clients, and how time and room grow."""
    bench = measured["bench"]
    round_, grows = bench["whole round"], bench["linearity"]
    bank = max(one["peak"] for one in bench["million"].values())
    return (
        f"A whole round of `lefi` (matern52, ask to tell) with 1,000,000 clients takes {round_['seconds']:.2f} s, "
        f"{round_['steps']:.1f} bank steps.\nA client with 100 answers takes {grows['bytes per client']:,.0f} bytes. "
        f"The peak of a process of its own is {bank:.1f} GB for the bank step and {round_['peak']:.1f} GB for the\n"
        f"whole round, inputs of the benchmark and the fleet of clients included. Time grows like "
        f"clients^{grows['clients']:.2f} and, between 25 and 200\nanswers, like answers^{grows['answers']:.2f}: the "
        f"fixed cost of a call still shows. Machine: {bench['machine']}."
    )


def million(measured: Measured) -> str:
    """The sentence of the README."""
    rival = min(_best(measured, name, ANSWERS[-1]).us for name in RIVALS)
    return (
        f"A round of `lefi` with 1,000,000 clients that have answered 100 times takes "
        f"{measured['bench']['whole round']['seconds']:.2f} s; a Matern-3/2 process costs "
        f"{_best(measured, 'lefi matern32', ANSWERS[-1]).us:.1f} us\n"
        f"of CPU per round, and {rival:,.0f} us or more with "
        f"tinygp, GPyTorch or scikit-learn ([how](docs/surrogate.md))."
    )


def service(measured: Measured) -> str:
    """What the service costs, job by job, and how long reads wait beside twenty of them."""
    crowd = measured["serve"]["20 jobs of 100 clients at once"]
    jobs = {name: one for name, one in measured["serve"].items() if name.count("clients") and one is not crowd}
    cells = [
        [
            name.replace("100000", "100,000"),
            f"{one['cpu_seconds_per_round']:.2g}",
            f"{one['rounds_per_second']:.2g}",
            f"{one['in_process_rounds_per_second']:.3g}",
            f"{float('{cost_over_in_process:.2g}'.format(**one)):g} times",
        ]
        for name, one in jobs.items()
    ]
    cells.append(
        [
            "20 jobs of 100 clients at once",
            f"{crowd['cpu_seconds_per_round']:.2g}",
            f"{crowd['rounds_per_second']:.2g} in all",
            "",
            "",
        ]
    )
    waits = f"{crowd['read_median_seconds']:.2g} s in the median and {crowd['read_p99_seconds']:.2g} s"
    head = ["job", "CPU s per round", "rounds/s", "in process", "cost over `play`"]
    return markdown(head, cells) + f"\n\nBeside the 20 jobs a read took {waits} at the 99th percentile."
